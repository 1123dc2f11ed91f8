//! Research: a search whose results are read at once, and a step of a research session.

use std::io;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::{Place, Row, server, web};
use crate::measure::Call;

/// How many results a search has.
const RESULTS: usize = 5;

/// Ours, with a search engine whose results are pages of its own.
pub fn rows(place: &Place<'_>) -> io::Result<Vec<Row>> {
    let page = web::page();
    let engine = server::serve(move |base, path| {
        if path.contains("/search?") {
            let results: Vec<Value> = (0..RESULTS).map(|at| result(base, path, at)).collect();
            return (
                "application/json",
                json!({ "results": results }).to_string(),
            );
        }
        if path.starts_with("/slow") {
            thread::sleep(Duration::from_secs(1));
        }
        ("text/html", page.replace("Rivers", path))
    })?;
    let room = place.corpus.room("research")?;
    let tool = |name: &str, request: Value| -> io::Result<Call> {
        let call = place.tool("search-and-scrape-tool", name, &request)?;
        let searxng = if name == "slow" { "/slow" } else { "" };
        Ok(web::at_home(call, &room).with("SEARXNG_URL", &format!("{engine}{searxng}")))
    };
    let request = json!({ "query": "rivers", "num_results": RESULTS, "provider": "searxng" });
    let five = (0..RESULTS).map(|at| {
        let url = format!("{engine}/page/{at}");
        let call = place.tool(
            "scrape-page-tool",
            &format!("page-{at}"),
            &json!({ "url": url }),
        )?;
        Ok(web::at_home(call, &room).with("IKIGAI_NO_CACHE", "1"))
    });
    let five: io::Result<Vec<Call>> = five.collect();
    let step = json!({ "searchStep": "look for rivers", "stepNumber": 1, "nextStepNeeded": true });
    Ok(vec![
        Row::new(
            "search_and_scrape, five pages of 120 KB",
            vec![tool("pages", request.clone())?.with("IKIGAI_NO_CACHE", "1")],
        )
        .cpu(0.045)
        .against(
            "`scrape_page`, five times",
            one_after_the_other(&five?),
            None,
        ),
        Row::new(
            "search_and_scrape, the same from the cache",
            vec![tool("kept", request.clone())?],
        )
        .cpu(0.006),
        Row::new(
            "search_and_scrape, five servers that take a second each",
            vec![tool("slow", request)?.with("IKIGAI_NO_CACHE", "1")],
        )
        .runs(super::HEAVY)
        .wall(1.3),
        Row::new(
            "sequential_search, a step",
            vec![web::at_home(
                place.tool("sequential-search-tool", "step", &step)?,
                &room,
            )],
        )
        .cpu(0.002),
    ])
}

fn result(base: &str, path: &str, at: usize) -> Value {
    let slow = if path.starts_with("/slow") {
        "/slow"
    } else {
        ""
    };
    json!({
        "url": format!("{base}{slow}/page/{at}"),
        "title": format!("Rivers, part {at}"),
        "content": "The river bends before it reaches the sea.",
    })
}

/// The calls as one shell runs them.
fn one_after_the_other(calls: &[Call]) -> Call {
    let script: Vec<String> = calls
        .iter()
        .filter_map(|call| {
            let stdin = call.stdin.as_ref()?;
            Some(format!("{} <{}", call.command[0], stdin.display()))
        })
        .collect();
    let shell = Call::shell(&script.join("; "));
    let environment = calls.first().map(|call| call.environment.clone());
    Call {
        environment: environment.unwrap_or_default(),
        ..shell
    }
}
