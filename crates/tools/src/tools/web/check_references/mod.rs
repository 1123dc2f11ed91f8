//! `check_references`: whether the works of a bibliography exist, and as it says.
//!
//! Rules: the specification's `check_references`.

mod answer;
mod bibliography_file;
mod request;

use std::thread;

use crate::contract::failure::Failure;
use crate::contract::reply::Reply;
use crate::contract::tool::{FieldRole, Tool};
use crate::tools::web::research_call::{ResearchCall, research_tool};
use iki_research::references::check_outcome::ReferenceStatus;
use iki_research::references::checker;
use iki_research::references::entry::ReferenceEntry;
use iki_web::link_check::{CheckedLink, LinkToCheck, check_links};

/// The tool's row in the registry.
pub const TOOL: Tool = Tool {
    link: "check-references-tool",
    title: "Check a bibliography",
    fields_beside: &[("file_path", "file_read")],
    aliases: &[
        ("session_id", "sessionId"),
        ("path", "file_path"),
        ("filePath", "file_path"),
        ("filename", "file_path"),
        ("references", "text"),
        ("bibliography", "text"),
        ("content", "text"),
    ],
    fields: &[
        ("references", FieldRole::Results),
        ("summary", FieldRole::Silent),
        ("offset", FieldRole::Silent),
        ("nextOffset", FieldRole::Silent),
        ("trust", FieldRole::Silent),
    ],
    // Links are always asked anew.
    from_cache: Some(|_, _| None),
    ..research_tool!("check_references", answer)
};

fn answer<'a>(call: &mut ResearchCall<'a, '_>) -> Result<Option<Reply<'a>>, Failure> {
    let context = call.context;
    let wanted = request::read(call.request)?;
    let entries = wanted.entries_to_check();
    let addresses: Vec<Option<String>> = entries.iter().map(ReferenceEntry::address).collect();
    let links_to_check: Vec<LinkToCheck<'_>> = addresses
        .iter()
        .flatten()
        .map(|address| LinkToCheck {
            address,
            is_named: false,
        })
        .collect();
    let (checked, links) = thread::scope(|scope| {
        let links = thread::Builder::new()
            .spawn_scoped(scope, || check_links(&links_to_check, context.client));
        let checked = checker::check(&context, entries);
        // Without a thread no link is checked.
        let links = links.ok().and_then(|links| links.join().ok());
        (checked, links.unwrap_or_default())
    });
    let mut links = links.into_iter();
    let links: Vec<Option<CheckedLink>> = addresses
        .iter()
        .map(|address| address.as_ref().map(|_| links.next().unwrap_or_default()))
        .collect();
    let is_found = |status| status == ReferenceStatus::Found;
    let existing = checked.iter().filter(|one| is_found(one.status));
    call.session_findings.sources = existing
        .filter_map(|one| one.paper.as_ref())
        .map(|paper| paper.work.clone().into())
        .collect();
    let mut providers = checked.iter().flat_map(|one| &one.checked);
    call.session_findings.provider = providers
        .next()
        .map(|one| one.provider.clone())
        .unwrap_or_default();
    Ok(Some(answer::reply(wanted, checked, links)))
}
