//! A session at a shell, as it looks: its commands are run, and what they print is drawn.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use super::svg;

const COMMANDS: [&str; 5] = [
    "ikigai-tools grep 'TODO|FIXME' --glob '*.rs'",
    "ikigai-tools glob 'build.rs'",
    "ikigai-tools file-edit src/main.rs '    let name = \"wrold\"' '    let name = \"world\"'",
    "ikigai-tools file-write --root . ../.bashrc 'alias ls=rm'",
    "ikigai-tools web-fetch 'http://[::ffff:a9fe:a9fe]/latest/meta-data/'",
];

const FILES: [(&str, &str); 5] = [
    (
        "src/main.rs",
        "fn main() {\n\tlet name = \"wrold\";\n\tprintln!(\"hello, {name}\"); // TODO: ask for it\n}\n",
    ),
    ("src/lib.rs", "pub fn greet() {} // FIXME: names\n"),
    (".git/HEAD", "ref: refs/heads/main\n"),
    (".gitignore", "target/\n"),
    ("target/debug/build.rs", "// TODO: nobody's\n"),
];

/// The home directory in which the session seems to be.
const HOME: &str = "/home/ada";

const COLUMNS: usize = 100;
const LINE: u32 = 19;
const MARGIN: u32 = 16;
const WIDTH: u32 = 880;

/// Draws the session.
pub fn draw() -> String {
    let room = tempfile::tempdir().unwrap();
    let room = room.path().canonicalize().unwrap();
    let (bin, here) = (room.join("bin"), room.join("hello"));
    fs::create_dir(&bin).unwrap();
    let program = Path::new(env!("CARGO_BIN_EXE_ikigai-tools"));
    std::os::unix::fs::symlink(program, bin.join("ikigai-tools")).unwrap();
    for (name, content) in FILES {
        let path = here.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    let mut lines = Vec::new();
    for command in COMMANDS {
        lines.extend(wrapped(&format!("$ {command}")).map(|line| (line, true)));
        let output = Command::new("sh")
            .args(["-c", &format!("exec 2>&1\n{command}")])
            .current_dir(&here)
            .env_clear()
            .env("HOME", &room)
            .env("PATH", format!("{}:/usr/bin:/bin", bin.display()))
            .env("LC_ALL", "C.UTF-8")
            .output()
            .unwrap();
        let printed = String::from_utf8(output.stdout).unwrap();
        let printed = printed.replace(&room.display().to_string(), HOME);
        for line in printed.trim_end().lines() {
            lines.extend(wrapped(&line.replace('\t', "    ")).map(|line| (line, false)));
        }
        lines.push((String::new(), false));
    }
    lines.pop();
    picture(&lines)
}

/// A line as a terminal of so many columns shows it.
fn wrapped(line: &str) -> impl Iterator<Item = String> {
    let characters: Vec<char> = line.chars().collect();
    let rows: Vec<String> = characters
        .chunks(COLUMNS)
        .map(|row| row.iter().collect())
        .collect();
    let empty = rows.is_empty().then(String::new);
    rows.into_iter().chain(empty)
}

fn picture(lines: &[(String, bool)]) -> String {
    let height = LINE * u32::try_from(lines.len()).unwrap() + 2 * MARGIN;
    let mut content = format!(
        "<rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"#0d1117\"/>\n<g font-family=\"{}\" \
         font-size=\"14\" fill=\"#b1bac4\">\n",
        svg::CODE
    );
    for (index, (line, is_command)) in (1_u32..).zip(lines) {
        if line.is_empty() {
            continue;
        }
        let color = if *is_command { " fill=\"#7ee787\"" } else { "" };
        let _ = writeln!(
            content,
            "<text x=\"{MARGIN}\" y=\"{}\"{color}>{}</text>",
            MARGIN + LINE * index - 5,
            // Browsers make one of several blanks, each by a rule of its own.
            svg::text(line).replace(' ', "\u{a0}")
        );
    }
    content.push_str("</g>\n");
    svg::picture(WIDTH, height, "A session with ikigai-tools", &content)
}
