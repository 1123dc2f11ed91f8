//! What a request may name where files outside some directories are out of bounds, decided before
//! the call.
//!
//! This is the half of `--root` that answers in words. Which fields name files, the tool's row
//! says; what lies within the directories, [`Roots`] says.

use std::path::Path;

use rmcp::model::JsonObject;
use serde_json::Value;

use crate::contract::tool::{Scope, Tool};
use crate::sandbox::roots::Roots;

/// Whether the tool's calls are to be confined at all.
pub fn is_confined(tool: &Tool) -> bool {
    matches!(tool.scope, Scope::File(_) | Scope::Paths { .. })
}

/// Whether a call of `tool` may read what lies beside the roots for whoever reads on.
pub fn may_read_outputs(tool: &Tool) -> bool {
    tool.hints.read_only && is_confined(tool)
}

/// Lets a request pass, or says why not. `outputs` is a directory beside the roots in which files
/// may be read. Wildcard patterns are rewritten so that they mean the same
/// and find names by listing directories alone, which a confined call cannot do outside.
pub fn admit(
    roots: &Roots,
    outputs: Option<&Roots>,
    tool: &Tool,
    request: &mut JsonObject,
) -> Result<(), String> {
    let given = |name: &str| match request.get(name) {
        Some(Value::String(text)) => Some(text.as_str()),
        // Whatever else it is, the tool refuses it or takes it as not given.
        _ => None,
    };
    // The roots, or, for a tool that only reads, the outputs: whichever hold what is named.
    let holding = |path: &Path| {
        let outputs = outputs.filter(|_| may_read_outputs(tool));
        let mut within = std::iter::once(roots).chain(outputs);
        within.find(|within| within.hold(path))
    };
    match tool.scope {
        Scope::Machine | Scope::Network => Ok(()),
        Scope::File(field) => match given(field) {
            Some(path) if holding(&roots.first().join(path)).is_none() => Err(refusal(roots, path)),
            _ => Ok(()),
        },
        Scope::Paths { directory, pattern } => {
            let path = given(directory).unwrap_or_default();
            let base = roots.first().join(path);
            let within = holding(&base).ok_or_else(|| refusal(roots, path))?;
            if let Some(text) = given(pattern) {
                let listed = within.listed(&base, text);
                let listed = listed.ok_or_else(|| refusal(roots, text))?;
                request.insert(pattern.to_owned(), Value::String(listed));
            }
            Ok(())
        }
    }
}

fn refusal(roots: &Roots, path: &str) -> String {
    let directories = roots
        .directories()
        .iter()
        .map(|root| root.to_string_lossy());
    format!(
        "Not allowed: {path} is not within {}, to which this server is confined",
        directories.collect::<Vec<_>>().join(" or ")
    )
}

#[cfg(test)]
mod tests;
