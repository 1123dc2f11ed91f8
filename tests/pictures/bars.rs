//! How long calls take beside what a person would use instead, as bars.

use std::fmt::Write as _;

use super::svg;

/// The rows that are shown: the work and the peer, as the table names them.
const ROWS: [(&str, &str); 11] = [
    ("any `--schema`", "`/bin/true`"),
    ("bash `true`", "`sh -c true`"),
    ("bash, 1 GiB of output", "`popen` and a copy"),
    ("file-read, 50 MB", "`cat`"),
    (
        "file-read, 100 lines at line 800,000 of it",
        "`sed -n` with `q`",
    ),
    ("file-edit, one match in 50 MB", "`sed -i`"),
    ("grep, 50,000 files of 151.7 MB, rare literal", "`rg`"),
    (
        "grep, 50,000 files of 151.7 MB, rare literal",
        "`grep -rnE`",
    ),
    ("glob `**/*.c`, 50,000 files", "`fd` sorted"),
    ("web-fetch, a page of 120 KB", "`curl -s`"),
    ("scrape_page, the same from the cache", "`curl -s`"),
];

const WIDTH: u32 = 860;
const ROW: u32 = 28;
const TOP: u32 = 58;
const LEFT: u32 = 350;
/// How long a bar is whose ratio is one.
const ONE: f64 = 220.0;

/// Draws the picture from the page that holds the table.
pub fn draw(page: &str) -> String {
    let height = TOP + ROW * u32::try_from(ROWS.len()).unwrap() + 18;
    let one = f64::from(LEFT) + ONE;
    let mut content = format!(
        "<rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"#ffffff\"/>\n<g font-family=\"{}\" \
         font-size=\"13\" fill=\"#24292f\">\n<text x=\"16\" y=\"26\" font-size=\"15\" font-weight=\"600\">\
         Time by the clock, the process's start included</text>\n<text x=\"{one}\" y=\"46\" \
         text-anchor=\"middle\" fill=\"#57606a\">what a person would use instead</text>\n",
        svg::TEXT
    );
    for (index, (work, peer)) in (0_u32..).zip(ROWS) {
        let ratio = ratio(page, work, peer);
        let y = TOP + ROW * index;
        let (text, color) = (y + 18, if ratio <= 1.0 { "#1a7f37" } else { "#bf8700" });
        let _ = writeln!(
            content,
            "<text x=\"{}\" y=\"{text}\" text-anchor=\"end\">{}</text>\n<rect x=\"{LEFT}\" y=\"{}\" \
             width=\"{:.0}\" height=\"18\" rx=\"3\" fill=\"{color}\"/>\n<text x=\"{:.0}\" \
             y=\"{text}\" fill=\"#57606a\">{ratio:.2} of {}</text>",
            LEFT - 10,
            svg::text(&work.replace('`', "")),
            y + 4,
            ratio * ONE,
            f64::from(LEFT) + (ratio * ONE).max(ONE) + 10.0,
            svg::text(&peer.replace('`', "")),
        );
    }
    let _ = writeln!(
        content,
        "</g>\n<path d=\"M{one} {} V{}\" stroke=\"#57606a\" stroke-dasharray=\"4 3\"/>",
        TOP - 6,
        height - 14
    );
    let title = "Time by the clock of calls, beside that of what a person would use instead";
    svg::picture(WIDTH, height, title, &content)
}

/// The ratio by the clock in the row of this work and peer.
fn ratio(page: &str, work: &str, peer: &str) -> f64 {
    let cells = |line| str::split(line, '|').map(str::trim).collect::<Vec<_>>();
    let head = page
        .lines()
        .find(|line| line.starts_with("| work | beside |"));
    let head = cells(head.expect("the table of benches/README.md"));
    // It stands behind the peer's time.
    let column = head.iter().position(|cell| *cell == "its clock s").unwrap() + 1;
    assert_eq!(head[column], "ratio");
    let mut rows = page.lines().map(cells);
    let row = rows.find(|row| row.len() == head.len() && row[1] == work && row[2] == peer);
    let row = row.unwrap_or_else(|| panic!("no row of {work} beside {peer} in benches/README.md"));
    let ratio = row[column].split(' ').next().unwrap_or_default();
    ratio
        .parse()
        .unwrap_or_else(|_| panic!("no ratio: {row:?}"))
}
