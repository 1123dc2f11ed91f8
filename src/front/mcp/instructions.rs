//! What clients put before the model beside the list of tools: how these tools differ from what a
//! model may expect. At most 1,000 bytes.

use std::env;
use std::path::{Path, PathBuf};

use crate::contract::bounded::Measure;
use crate::contract::tool::{Scope, Tool};

/// The most that instructions may have, in bytes.
const MOST: usize = 1000;

/// The instructions of a server of `tools`, confined to `roots` if there are any, whose answers are
/// bounded or not.
pub fn of(tools: &[&Tool], roots: &[PathBuf], bounded: bool) -> String {
    let served = |wanted: &str| tools.iter().any(|tool| tool.name == wanted);
    let mut sentences = Vec::new();
    let here = roots.first().cloned().or_else(|| env::current_dir().ok());
    if let Some(here) = here
        && tools.iter().any(|tool| tool.scope != Scope::Network)
    {
        sentences.push(format!(
            "Relative paths start at {}.",
            here.to_string_lossy()
        ));
    }
    if !roots.is_empty() {
        let names: Vec<_> = roots.iter().map(|root| root.to_string_lossy()).collect();
        sentences.push(format!("File work is confined to {}.", names.join(", ")));
    }
    if served("bash") {
        sentences.push(format!(
            "Each bash command is a new shell ({}): directories and variables do not carry over; \
             give `workdir`, or `cd DIR && …`.",
            shell()
        ));
    }
    if served("grep") {
        sentences.push(String::from(
            "grep without `glob` looks into the files directly in `path`: \"**/*\" is all below, \
             better \"**/*.rs\".",
        ));
    }
    for tool in tools {
        if let Some(limit) = tool.own_limit {
            sentences.push(format!(
                "{} answers with up to `{limit}` bytes; where that is not all, it says how to go on.",
                tool.name
            ));
        }
    }
    if bounded {
        sentences.push(String::from(
            "Answers are bounded. A last line in brackets says what was left out and how to go on: \
             `offset` and `limit`, a narrower pattern, or the file in which the whole is kept.",
        ));
    }
    let mut text = sentences.join(" ");
    text.truncate(Measure::Plain.prefix(text.as_bytes(), MOST));
    text
}

/// The shell that runs commands, by name.
fn shell() -> String {
    let named = env::var_os("IKIGAI_SHELL").filter(|name| !name.is_empty());
    let named = named.unwrap_or_else(|| "/bin/sh".into());
    Path::new(&named).to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::tool::Set;
    use crate::registry::TOOLS;

    #[test]
    fn they_say_what_holds_and_keep_to_their_length() {
        let all: Vec<&Tool> = TOOLS.iter().collect();
        let text = of(&all, &[], true);
        for words in [
            "Relative paths",
            "new shell",
            "**/*",
            "scrape_page",
            "in brackets",
        ] {
            assert!(text.contains(words), "{words}: {text}");
        }
        assert!(!text.contains("confined"));
        let long = PathBuf::from("/é".repeat(700));
        for roots in [vec![], vec!["/a".into(), long]] {
            assert!(of(&all, &roots, true).len() <= MOST);
        }
        let web: Vec<&Tool> = TOOLS
            .iter()
            .filter(|tool| tool.scope == Scope::Network)
            .collect();
        assert!(!of(&web, &[], false).contains("paths"));
        let fetch: Vec<&Tool> = TOOLS.iter().filter(|tool| tool.set == Set::Web).collect();
        assert!(!of(&fetch, &[], false).contains("scrape_page"));
    }
}
