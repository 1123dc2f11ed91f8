//! The one registry: a row a tool. Links, schemas, help, lists and protocols follow from it.

use crate::tool::Tool;
use crate::tools;

/// Every tool of this program, in the order in which lists show them.
pub static TOOLS: &[Tool] = &[
    tools::bash::TOOL,
    tools::file_read::TOOL,
    tools::file_write::TOOL,
    tools::file_edit::TOOL,
    tools::glob::TOOL,
    tools::grep::TOOL,
    tools::web_search_brave::TOOL,
    tools::web_search_google::TOOL,
    tools::web_fetch::TOOL,
];

/// The tool that `name` means: `file-read`, `file-read-tool` and `file_read` are one.
#[must_use]
pub fn find(name: &str) -> Option<&'static Tool> {
    let name = canonical(name);
    TOOLS.iter().find(|tool| tool.command() == name)
}

/// The tool whose name is nearest to `name`, for whoever mistyped it.
#[must_use]
pub fn nearest(name: &str) -> Option<&'static Tool> {
    let name = canonical(name);
    TOOLS
        .iter()
        .min_by_key(|tool| strsim::damerau_levenshtein(tool.command(), &name))
}

fn canonical(name: &str) -> String {
    let mut name = name.to_lowercase().replace('_', "-");
    if let Some(stem) = name.strip_suffix("-tool") {
        name.truncate(stem.len());
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_answers_to_each_spelling_of_its_name() {
        for spelling in ["file-read", "file-read-tool", "file_read", "file_read_tool"] {
            assert_eq!(
                find(spelling).map(|tool| tool.name),
                Some("file_read"),
                "{spelling}"
            );
        }
        assert!(find("file").is_none());
        assert!(find("").is_none());
    }

    #[test]
    fn the_nearest_name_is_found_for_a_slip() {
        assert_eq!(nearest("gerp").map(|tool| tool.name), Some("grep"));
        assert_eq!(
            nearest("file-raed").map(|tool| tool.name),
            Some("file_read")
        );
    }

    #[test]
    fn a_schema_bears_its_row_s_name() {
        for tool in TOOLS {
            let schema: serde_json::Value = serde_json::from_str(tool.schema).unwrap();
            assert_eq!(schema["name"], tool.name);
            assert_eq!(
                tool.link.strip_suffix("-tool").unwrap_or(tool.link),
                tool.command()
            );
            assert!(find(tool.name).is_some_and(|found| found.name == tool.name));
        }
    }
}
