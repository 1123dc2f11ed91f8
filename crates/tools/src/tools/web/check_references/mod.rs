//! `check_references`: whether the works of a bibliography exist, and as it says.
//!
//! Rules: the specification's `check_references`.

mod answer;
mod bibliography_file;
mod request;

use std::thread;

use crate::contract::failure::Failure;
use crate::contract::reply::Reply;
use crate::contract::tool::{
    AccessScope, EnvelopeFamily, FieldRole, Tool, ToolHints, ToolManual, ToolSet,
};
use crate::tools::web::research_call::{self, ResearchCall};
use iki_web::link_check::{CheckedLink, check_links};
use iki_web::references::checked::ReferenceStatus;
use iki_web::references::checker::ReferenceChecker;
use iki_web::references::entry::ReferenceEntry;

/// The tool's name.
const NAME: &str = "check_references";

/// The tool's row in the registry.
pub const TOOL: Tool = Tool {
    name: NAME,
    link: "check-references-tool",
    title: "Check a bibliography",
    family: EnvelopeFamily::Research,
    set: ToolSet::Research,
    served_by_default: false,
    hints: ToolHints::ASKS,
    // The file is one of the caller's, which the tool admits itself.
    scope: AccessScope::Network,
    schema: include_str!("../../schemas/check_references.json"),
    model_schema: include_str!("../../schemas/for_models/check_references.json"),
    output_schema: Some(include_str!("../../schemas/output/check_references.json")),
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
    manual: ToolManual(include_str!("../../manuals/check_references.txt")),
    fields: &[
        ("references", FieldRole::Results),
        ("summary", FieldRole::Silent),
        ("offset", FieldRole::Silent),
        ("nextOffset", FieldRole::Silent),
        ("trust", FieldRole::Silent),
    ],
    run: |request| research_call::run(request, NAME, answer),
    // Links are always asked anew.
    from_cache: Some(|_, _| None),
    ..Tool::PLAIN
};

fn answer<'a>(call: &mut ResearchCall<'a, '_>) -> Result<Option<Reply<'a>>, Failure> {
    let (client, known) = (call.client, call.search_context);
    let wanted = request::read(call.request)?;
    let entries = wanted.chosen();
    let addresses: Vec<Option<String>> = entries.iter().map(ReferenceEntry::address).collect();
    let asked: Vec<(&str, bool)> = addresses
        .iter()
        .flatten()
        .map(|url| (&**url, false))
        .collect();
    let (checked, links) = thread::scope(|scope| {
        let links = thread::Builder::new().spawn_scoped(scope, || check_links(&asked, client));
        let checked = ReferenceChecker { client, known }.check(entries);
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
    let found = checked.iter().filter(|one| is_found(one.status));
    call.session_findings.sources = found
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
