//! The registry: one row for each tool, from which links, schemas, help, completions, manual pages,
//! lists and protocols follow.
//!
//! # Calling a tool from another program
//!
//! A tool prepares its answer, which may fail, and then writes it, field by field
//! ([`Tool::run`]):
//!
//! ```
//! use iki_tools::contract::reply::AnswerObject;
//! use iki_tools::contract::request::Request;
//! use iki_tools::registry;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let glob = registry::find_tool("glob").ok_or("no such tool")?;
//! let request = Request::parse(br#"{"pattern": "Cargo.toml"}"#)?;
//! let reply = glob.run(&request)?;
//!
//! let mut answer = Vec::new();
//! let mut object = AnswerObject::open(&mut answer)?;
//! object.succeed(glob.family)?;
//! reply.write(&mut object)?;
//! object.close()?;
//! assert_eq!(answer, br#"{"output":"Cargo.toml","count":1}"#);
//!
//! // A call that fails returns a code and a message.
//! let request = Request::parse(br#"{"path": "."}"#)?;
//! let failure = glob.run(&request).err().ok_or("it has no pattern")?;
//! assert_eq!(failure.code.as_str(), "INVALID_ARG");
//! # Ok(())
//! # }
//! ```

use std::fmt;
use std::ops::Deref;

use crate::contract::tool::{Tool, ToolSet};
use crate::secrets;
use crate::tools;

/// Every tool of this program, in the order in which lists show them.
pub static TOOLS: Registry = Registry(&[
    tools::bash::TOOL,
    tools::file::read::TOOL,
    tools::file::write::TOOL,
    tools::file::edit::TOOL,
    tools::search::glob::TOOL,
    tools::search::grep::TOOL,
    tools::web::search_brave::TOOL,
    tools::web::search_google::TOOL,
    tools::web::fetch::TOOL,
    tools::web::search::TOOL,
    tools::web::scrape::TOOL,
    tools::web::search_and_scrape::TOOL,
    tools::web::academic_search::TOOL,
    tools::web::check_references::TOOL,
    tools::web::patent_search::TOOL,
    tools::web::sessions::sequential_search::TOOL,
    tools::web::sessions::get_research_session::TOOL,
    tools::web::sessions::research_export::TOOL,
]);

/// Tools, in the order in which lists show them. Front ends and commands take a registry, and know
/// no tool by name.
#[derive(Clone, Copy)]
pub struct Registry(&'static [Tool]);

impl Registry {
    /// A registry of these tools.
    #[must_use]
    pub const fn new(tools: &'static [Tool]) -> Self {
        Self(tools)
    }

    /// The rows, in the order in which lists show them.
    #[must_use]
    pub fn rows(self) -> &'static [Tool] {
        self.0
    }

    /// The tool that `name` means: `file-read`, `file-read-tool` and `file_read` are one.
    #[must_use]
    pub fn find_tool(self, name: &str) -> Option<&'static Tool> {
        let mut tools = self.0.iter();
        // A host calls by the link.
        tools.clone().find(|tool| tool.link == name).or_else(|| {
            let name = canonical(name);
            tools.find(|tool| tool.command() == name)
        })
    }

    /// The tools whose links are installed: the hosts' tools, and on request those of research.
    pub fn linked(self, research: bool) -> impl Iterator<Item = &'static Tool> {
        let tools = self.0.iter();
        tools.filter(move |tool| research || tool.set != ToolSet::Research)
    }

    /// The names that people type.
    pub fn commands(self) -> impl Iterator<Item = &'static str> {
        self.0.iter().map(Tool::command)
    }
}

impl Deref for Registry {
    type Target = [Tool];

    fn deref(&self) -> &[Tool] {
        self.0
    }
}

impl IntoIterator for Registry {
    type Item = &'static Tool;
    type IntoIter = std::slice::Iter<'static, Tool>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.commands()).finish()
    }
}

/// The tool of this program that `name` means. From then on the credentials of all tools are
/// secrets that are withheld from commands.
#[must_use]
pub fn find_tool(name: &str) -> Option<&'static Tool> {
    secrets::declare(TOOLS.0);
    TOOLS.find_tool(name)
}

/// The candidates nearest to the misspelled `name`; none if all are too different. Part of a name
/// counts as the name: `read` is file-read, `search` is every search.
pub fn nearest_names<'c>(name: &str, candidates: impl Iterator<Item = &'c str>) -> Vec<&'c str> {
    let name = canonical(name);
    let name = name.trim_matches('-');
    let candidates: Vec<&str> = candidates.collect();
    let edits = |word: &str| strsim::damerau_levenshtein(word, name);
    // A quarter of the letters may be wrong: beyond that, words of the same length are similar by
    // chance.
    let limit = name.chars().count().div_ceil(4).min(3);
    let limit = if name.chars().count() < 3 { 0 } else { limit };
    // The distance of a candidate from the name, and the number of wrong letters.
    let distance = |candidate: &&str| {
        let candidate = candidate.trim_start_matches('-');
        let whole = edits(candidate);
        if whole <= limit.min(1) || name.is_empty() {
            return (whole, whole);
        }
        let parts: Vec<&str> = candidate.split('-').collect();
        let runs = (0..parts.len()).flat_map(|from| {
            let ends = from + 1..=parts.len();
            ends.map(move |to| (from, to))
        });
        let runs = runs.map(|(from, to)| parts[from..to].join("-"));
        let begun = |run: &str| name.len() >= 3 && run.starts_with(name);
        // Of three letters with a wrong one too little is left for a part.
        let is_short = name.chars().count() < 4;
        let partial = runs.map(|run| {
            if begun(&run) {
                0
            } else if is_short && run != name {
                usize::MAX - 1
            } else {
                edits(&run)
            }
        });
        let partial = partial.min().unwrap_or(usize::MAX - 1);
        (whole, whole).min((partial + 1, partial))
    };
    let nearest = candidates.iter().map(&distance).min();
    let near = |one: &&str| !name.is_empty() && Some(distance(one)) == nearest;
    let close = nearest.is_some_and(|(_, wrong)| wrong <= limit);
    candidates
        .into_iter()
        .filter(|one| close && near(one))
        .collect()
}

/// The question if one of the `nearest` names was meant; empty if there is none.
#[must_use]
pub fn did_you_mean(nearest: &[&str]) -> String {
    let Some((last, others)) = nearest.split_last() else {
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
                find_tool(spelling).map(|tool| tool.name),
                Some("file_read"),
                "{spelling}"
            );
        }
        assert!(find_tool("file").is_none());
        assert!(find_tool("").is_none());
    }

    #[test]
    fn the_nearest_names_are_found_for_a_slip_or_a_part_and_none_beyond_that() {
        let meant = |name: &str| nearest_names(name, TOOLS.iter().map(Tool::command));
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
            (
                "search",
                &[
                    "web-search-brave",
                    "web-search-google",
                    "web-search",
                    "search-and-scrape",
                    "academic-search",
                    "patent-search",
                    "sequential-search",
                ],
            ),
            ("scrape", &["scrape-page", "search-and-scrape"]),
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
            ("git", &[]),
            ("cp", &[]),
        ] {
            assert_eq!(meant(name), tools, "{name}");
        }
        let flags = ["--help", "--version", "version-control"];
        assert_eq!(
            nearest_names("--verison", flags[..2].iter().copied()),
            ["--version"]
        );
        assert_eq!(nearest_names("version", flags.into_iter()), ["--version"]);
        assert_eq!(did_you_mean(&[]), "");
        assert_eq!(did_you_mean(&["a", "b"]), "; did you mean `a` or `b`?");
    }

    #[test]
    fn a_schema_bears_its_row_s_name_and_so_does_the_link() {
        for tool in TOOLS {
            let schema: serde_json::Value = serde_json::from_str(tool.schema).unwrap();
            assert_eq!(schema["name"], tool.name);
            assert_eq!(tool.command().replace('-', "_"), tool.name);
            for text in [
                tool.title,
                tool.model_schema,
                tool.manual.text(),
                tool.manual.example(),
            ] {
                assert!(!text.is_empty(), "{}", tool.name);
            }
            let environment = tool.manual.0.split("\n--\n").nth(2).unwrap_or_default();
            let (listed, known) = (
                environment.lines().count(),
                tool.manual.environment().count(),
            );
            assert_eq!(listed, known, "{}: {environment}", tool.name);
            assert!(!std::ptr::fn_addr_eq(tool.run, Tool::PLAIN.run) && !tool.fields.is_empty());
            assert!(find_tool(tool.link).is_some_and(|known_tool| known_tool.name == tool.name));
            assert!(find_tool(tool.name).is_some_and(|known_tool| known_tool.name == tool.name));
        }
        let links = |research| TOOLS.linked(research).map(|tool| tool.link);
        let nine: Vec<&str> = links(false).collect();
        assert_eq!(
            nine,
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
        let all: Vec<&str> = links(true).collect();
        let research = [
            "web-search-tool",
            "scrape-page-tool",
            "search-and-scrape-tool",
            "academic-search-tool",
            "check-references-tool",
            "patent-search-tool",
            "sequential-search-tool",
            "get-research-session-tool",
            "research-export-tool",
        ];
        assert_eq!(all, [&nine[..], &research].concat());
    }
}
