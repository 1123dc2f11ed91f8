//! Pages, from a server on the loopback, and what a server of the protocol costs before its first
//! call.

use std::fmt::Write as _;
use std::io;
use std::path::Path;

use serde_json::json;

use super::{Place, Row, server, text};
use crate::measure::Call;
use crate::served;

/// How long the page is, in bytes.
const PAGE: usize = 120 * 1000;

/// Ours, with pages.
pub fn rows(place: &Place<'_>) -> io::Result<Vec<Row>> {
    let page = page();
    let url = server::serve(move |_, _| ("text/html", page.clone()))? + "/";
    let request = json!({ "url": url });
    let room = place.corpus.room("web")?;
    let at_home = |call: Call| at_home(call, &room);
    let fetch = place.tool("web-fetch-tool", "page", &request)?;
    let scrape = || place.tool("scrape-page-tool", "page", &request);
    Ok(vec![
        Row::new("web-fetch, a page of 120 KB", vec![fetch]).against(
            "`curl -s`",
            Call::new(&["curl", "-s", &url]),
            None,
        ),
        Row::new(
            "scrape_page, the same page",
            vec![at_home(scrape()?).with("IKIGAI_NO_CACHE", "1")],
        )
        .cpu(0.010)
        .against("`curl -s`", Call::new(&["curl", "-s", &url]), None),
        Row::new(
            "scrape_page, the same from the cache",
            vec![at_home(scrape()?)],
        )
        .cpu(0.003)
        .against("`curl -s`", Call::new(&["curl", "-s", &url]), None),
        listing(place)?,
    ])
}

/// The call with a cache and sessions of its own in `room`, and without a browser.
pub(super) fn at_home(mut call: Call, room: &Path) -> Call {
    for (variable, part) in [("XDG_CACHE_HOME", "cache"), ("XDG_STATE_HOME", "state")] {
        call = call.with(variable, &text(&room.join(part)));
    }
    call.with("IKIGAI_BROWSER", "")
}

/// A server that is started, greeted and asked for its tools.
fn listing(place: &Place<'_>) -> io::Result<Row> {
    let spoken = served::greeting() + &served::message(Some(1), "tools/list", &json!({}));
    let stdin = place.corpus.file("mcp", spoken.as_bytes())?;
    let mut call = place.link("ikigai-tools").reading(stdin);
    call.command.push("mcp".into());
    Ok(Row::new("`mcp`: start and list", vec![call])
        .cpu(0.003)
        .peak(9 << 19))
}

/// An article with what stands around it on the web, where two thirds of a page are menus, styles
/// and scripts.
pub(super) fn page() -> String {
    let mut page = String::from(
        "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>Rivers</title>\
         <meta property=\"og:site_name\" content=\"A Site\"><meta name=\"author\" content=\"Ann Author\">\
         <script type=\"application/ld+json\">{\"@type\":\"Article\",\"headline\":\"Rivers\"}</script>\
         <style>body { margin: 0 }</style></head><body><nav><ul>",
    );
    for entry in 0..60 {
        // Writing to a string does not fail.
        let _ = write!(
            page,
            "<li class=\"menu\"><a href=\"/menu/{entry}\">Entry {entry}</a></li>"
        );
    }
    page.push_str("</ul></nav><article><h1>Rivers</h1>");
    let mut part = 0;
    while page.len() < PAGE / 3 {
        part += 1;
        let _ = write!(page, "<h2 id=\"part-{part}\">Part {part}</h2>");
        for sentence in 0..4 {
            let _ = write!(
                page,
                "<p>The river of part {part} bends {sentence} times before it reaches the <a href=\"/sea/{part}\">sea</a>, \
                 and <em>nobody</em> who lives beside it has counted more; in spring it carries <code>ice</code>, \
                 in summer it is low enough to be crossed on foot.</p>"
            );
        }
        page.push_str(
            "<ul><li>Water, which is cold</li><li>Stones, which are <b>round</b></li></ul>",
        );
    }
    page.push_str("</article><script>window.state = [");
    while page.len() < PAGE - 4_000 {
        let _ = write!(page, "{{\"id\":{},\"name\":\"a row\"}},", page.len());
    }
    page.push_str("]</script><footer>");
    while page.len() < PAGE - 40 {
        page.push_str("<a href=\"/legal\">Legal matters</a> ");
    }
    page.push_str("</footer></body></html>");
    page
}
