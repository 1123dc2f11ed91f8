//! The one registry: a row a tool. Links, schemas, help, lists and protocols follow from it.

use crate::contract::tool::Tool;
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

/// Those of `candidates` that whoever wrote `name` may have meant, the likeliest alone where one is; none where all are
/// too far. A part of a name counts as the name: `read` is file-read, `search` is both searches.
pub fn alike<'c>(name: &str, candidates: impl Iterator<Item = &'c str>) -> Vec<&'c str> {
    let name = canonical(name);
    let name = name.trim_matches('-');
    let candidates: Vec<&str> = candidates.collect();
    let slips = |word: &str| strsim::damerau_levenshtein(word, name);
    // A third of the letters may be wrong: beyond that, words of the same length are alike by chance.
    let most = name.chars().count().div_ceil(3).min(3);
    let most = if name.chars().count() < 3 { 0 } else { most };
    let distance = |candidate: &&str| {
        let candidate = candidate.trim_start_matches('-');
        let whole = slips(candidate);
        if whole <= most.min(1) || name.is_empty() {
            return whole;
        }
        let parts: Vec<&str> = candidate.split('-').collect();
        let runs = (0..parts.len()).flat_map(|from| {
            let ends = from + 1..=parts.len();
            ends.map(move |to| (from, to))
        });
        let runs = runs.map(|(from, to)| parts[from..to].join("-"));
        let begun = |run: &str| name.len() >= 3 && run.starts_with(name);
        let partial = runs.map(|run| if begun(&run) { 1 } else { slips(&run) + 1 });
        whole.min(partial.min().unwrap_or(usize::MAX))
    };
    let nearest = candidates.iter().map(&distance).min();
    let near = |one: &&str| !name.is_empty() && Some(distance(one)) == nearest;
    let close = nearest.is_some_and(|nearest| nearest <= most.max(1));
    candidates
        .into_iter()
        .filter(|one| close && near(one))
        .collect()
}

/// The question whether one of those that `alike` found was meant; empty where nothing was found.
#[must_use]
pub fn did_you_mean(alike: &[&str]) -> String {
    let Some((last, others)) = alike.split_last() else {
        return String::new();
    };
    let others = others
        .iter()
        .fold(String::new(), |others, one| others + "`" + one + "` or ");
    format!("; did you mean {others}`{last}`?")
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
    fn the_nearest_names_are_found_for_a_slip_or_a_part_and_none_beyond_that() {
        let meant = |name: &str| alike(name, TOOLS.iter().map(Tool::command));
        for (name, tools) in [
            ("gerp", &["grep"][..]),
            ("bsh", &["bash"]),
            ("file-raed", &["file-read"]),
            ("FILE_RAED", &["file-read"]),
            ("read", &["file-read"]),
            ("raed", &["file-read"]),
            ("write", &["file-write"]),
            ("edit", &["file-edit"]),
            ("fetch", &["web-fetch"]),
            ("brave", &["web-search-brave"]),
            ("search-google", &["web-search-google"]),
            ("search", &["web-search-brave", "web-search-google"]),
            ("file", &["file-read", "file-write", "file-edit"]),
            ("fil", &["file-read", "file-write", "file-edit"]),
            ("goog", &["web-search-google"]),
            ("glob-tools", &[]),
            ("", &[]),
            ("-", &[]),
            ("--", &[]),
            ("x", &[]),
            ("ls", &[]),
            ("zsh", &[]),
            ("python", &[]),
            ("kubernetes", &[]),
            ("\u{1b}[2J", &[]),
            ("cat", &[]),
            ("sed", &[]),
        ] {
            assert_eq!(meant(name), tools, "{name}");
        }
        let flags = ["--help", "--version", "version-control"];
        assert_eq!(
            alike("--verison", flags[..2].iter().copied()),
            ["--version"]
        );
        assert_eq!(alike("version", flags.into_iter()), ["--version"]);
        assert_eq!(did_you_mean(&[]), "");
        assert_eq!(did_you_mean(&["a", "b"]), "; did you mean `a` or `b`?");
    }

    #[test]
    fn a_schema_bears_its_row_s_name_and_so_does_the_link() {
        for tool in TOOLS {
            let schema: serde_json::Value = serde_json::from_str(tool.schema).unwrap();
            assert_eq!(schema["name"], tool.name);
            assert_eq!(tool.command().replace('-', "_"), tool.name);
            assert!(find(tool.link).is_some_and(|found| found.name == tool.name));
            assert!(find(tool.name).is_some_and(|found| found.name == tool.name));
        }
        let links: Vec<&str> = TOOLS.iter().map(|tool| tool.link).collect();
        assert_eq!(
            links,
            [
                "bash",
                "file-read",
                "file-write",
                "file-edit",
                "glob",
                "grep",
                "web-search-brave-tool",
                "web-search-google-tool",
                "web-fetch-tool",
            ]
        );
    }
}
