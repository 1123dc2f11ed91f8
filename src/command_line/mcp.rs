//! The command line of `mcp`: the tools to serve, their directories, their time.

mod http;

use std::ffi::{OsStr, OsString};
use std::time::Duration;

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, Command, Error, value_parser};

use crate::command_line::{confinement, flag, option};
use iki_mcp::options::{CALL, HttpOptions, McpOptions, NAME};
use iki_process::sandbox::confinement::ConfinementBounds;
use iki_tools::contract::call_terms;
use iki_tools::contract::tool::{AccessScope, Tool, ToolSet};
use iki_tools::registry;
use iki_tools::registry::Registry;

/// The default limit of a call's time: longer than builds and test suites take that a model waits
/// for.
const TIMEOUT: Duration = Duration::from_secs(600);

/// The purpose of a command line.
pub enum McpCommand {
    /// A server.
    Serve(Box<McpOptions>),
    /// The answer to one request by this tool, which stdin describes.
    Call(&'static Tool),
}

/// The command line, from which help, completions and the manual page are made.
#[must_use]
pub fn command(tools: Registry) -> Command {
    on_stdio(tools).args(http::flags())
}

/// The command line without the flags of HTTP: a server on stdin starts for each client anew, and
/// is not to wait for what it has no use for.
fn on_stdio(tools: Registry) -> Command {
    let commands = of_scope(tools, AccessScope::Machine);
    Command::new("mcp")
        .about("Serve the tools over the Model Context Protocol, on stdin and stdout or over HTTP")
        .long_about(
            "Serves the tools over the Model Context Protocol, on stdin and stdout, or over HTTP. \
             The server ends at the end of its input, and with it all that its calls started. Its \
             log is stderr.",
        )
        .arg(
            option("tools", "NAME,...")
                .action(ArgAction::Append)
                .value_delimiter(',')
                .value_parser(ToolNames { tools, sets: &SETS })
                .hide_possible_values(true)
                .help(
                    "Serve only these tools or sets (local, web, research, all), by commas; \
                     +research: beside the usual ones",
                )
                .long_help(format!(
                    "Serve only these tools or sets, separated by commas: {}. If not given: {}. \
                     With a plus, as in `+research`, they are served beside these.",
                    sets(tools),
                    names(tools.into_iter().filter(|tool| tool.is_served_by_default)),
                )),
        )
        .arg(flag(
            "read-only",
            "Serve only the tools that change nothing",
        ))
        .args(confinement::flags())
        .mut_arg("root", |arg| {
            arg.long_help(format!(
                "Allow file access only in DIR, links resolved; repeatable. Relative paths start \
                 at the first one. The kernel (Landlock, Linux 5.13) enforces it; without \
                 Landlock the server does not start. {commands} is not served unless --tools \
                 names it itself, as in `--tools local,bash`; its commands are then confined as \
                 well. The web tools are not affected."
            ))
        })
        .mut_arg(confinement::NO_NETWORK, |arg| {
            arg.help("Keep commands off the network, and serve no tool that uses it")
        })
        .arg(
            option("timeout", "SECONDS")
                .value_parser(value_parser!(u32))
                .help(
                    "End a call after this many seconds (default: IKIGAI_MAX_SECONDS, else 600; \
                     0: never)",
                ),
        )
        .arg(
            option("max-answer", "BYTES")
                .value_parser(value_parser!(u32))
                .help(
                    "The longest answer, in bytes; if not given, IKIGAI_MAX_ANSWER, else what the \
                     client lets through; 0 for no bound",
                ),
        )
        .arg(flag(
            "structured",
            "Answer with JSON objects, for programs; these are not bounded",
        ))
}

/// The tools of this scope, by the names that people type.
fn of_scope(tools: Registry, scope: AccessScope) -> String {
    names(tools.into_iter().filter(|tool| tool.scope == scope))
}

fn names(tools: impl Iterator<Item = &'static Tool>) -> String {
    let names: Vec<&str> = tools.map(Tool::command).collect();
    names.join(", ")
}

/// The sets, each with its tools.
fn sets(tools: Registry) -> String {
    let sets = ToolSet::NAMES.map(|(name, set)| {
        let tools = tools.into_iter().filter(|tool| tool.set == set);
        format!("{name} ({})", names(tools))
    });
    format!("{}, {ALL}", sets.join(", "))
}

/// Reads the arguments after `mcp`.
///
/// # Errors
/// The text to print and the exit status, from the reader itself: help is one of them.
pub fn read(tools: Registry, args: &[OsString]) -> Result<McpCommand, Error> {
    // Part of the cost of every call: read without the machinery for people's command lines.
    if let [call, name] = args
        && call == CALL
        && let Some(tool) = name.to_str().and_then(|name| tools.find_tool(name))
    {
        return Ok(McpCommand::Call(tool));
    }
    let words = || std::iter::once(OsString::from("mcp")).chain(args.iter().cloned());
    let mut command = on_stdio(tools).bin_name(NAME);
    let mut http = None;
    let matches = if let Ok(matches) = command.try_get_matches_from_mut(words()) {
        matches
    } else {
        // The other flags are among these; an error is reported with all flags in view.
        command = self::command(tools).bin_name(NAME);
        let matches = command.try_get_matches_from_mut(words())?;
        http = http::read(&matches)
            .map_err(|reason| command.error(ErrorKind::ValueValidation, reason))?;
        matches
    };
    let bounds = confinement::bounds(&matches);
    let bytes = matches.get_one::<u32>("max-answer");
    let bytes = bytes.map(|bytes| usize::try_from(*bytes).unwrap_or(usize::MAX));
    let structured = matches.get_flag("structured");
    let chosen: Option<Vec<ToolChoice>> = matches
        .get_many::<ToolChoice>("tools")
        .map(|chosen| chosen.copied().collect());
    let read_only = matches.get_flag("read-only");
    let bounds = bounds.or_else(ConfinementBounds::of_environment);
    let confined = bounds
        .as_ref()
        .is_some_and(ConfinementBounds::confines_files);
    let no_network = bounds.as_ref().is_some_and(|bounds| bounds.no_network);
    let is_usual = |tool: &Tool, in_sets: bool| match http {
        Some(_) => HttpOptions::offers(tool),
        None => tool.is_served_by_default && in_sets,
    };
    let tools: Vec<&'static Tool> = tools
        .into_iter()
        .filter(|tool| {
            // Within directories, commands have to be asked for by their tool's name.
            let in_sets = !confined || tool.scope != AccessScope::Machine;
            match &chosen {
                None => is_usual(tool, in_sets),
                Some(chosen) => chosen.iter().any(|chosen| {
                    chosen.is_added && is_usual(tool, in_sets)
                        || match chosen.tools {
                            ChosenTools::Tool(one) => one.name == tool.name,
                            ChosenTools::Set(set) => tool.set == set && in_sets,
                            ChosenTools::All => in_sets,
                        }
                }),
            }
        })
        .filter(|tool| tool.hints.read_only || !read_only)
        .filter(|tool| tool.scope != AccessScope::Network || !no_network)
        .collect();
    if tools.is_empty() {
        return Err(command.error(ErrorKind::ValueValidation, "that leaves no tool to serve"));
    }
    if let Some(http) = &http {
        http.admits(&tools, confined)
            .map_err(|reason| command.error(ErrorKind::ValueValidation, reason))?;
    }
    let (bytes_by_default, time_by_default) = call_terms::limits_of_environment();
    let seconds = matches.get_one::<u32>("timeout");
    let timeout = seconds.map(|seconds| Duration::from_secs((*seconds).into()));
    let timeout = timeout.or(time_by_default).unwrap_or(TIMEOUT);
    Ok(McpCommand::Serve(Box::new(McpOptions {
        tools,
        bounds,
        timeout: Some(timeout).filter(|time| !time.is_zero()),
        structured,
        max_answer: bytes.or(bytes_by_default),
        http,
    })))
}

/// The name that stands for every tool.
const ALL: &str = "all";

/// The names of sets.
const SETS: [&str; 4] = {
    let [(local, _), (web, _), (research, _)] = ToolSet::NAMES;
    [local, web, research, ALL]
};

/// The names that `--tools` takes, each alone or in a list.
pub fn names_to_serve(tools: Registry) -> Vec<&'static str> {
    tools.commands().chain(SETS).collect()
}

/// A tool or a set of tools that is to be served.
#[derive(Clone, Copy)]
pub struct ToolChoice {
    /// The tools.
    pub tools: ChosenTools,
    /// True if they are served beside the usual ones (`+research`), and not in their place.
    pub is_added: bool,
}

/// The tools of a choice.
#[derive(Clone, Copy)]
pub enum ChosenTools {
    /// One tool.
    Tool(&'static Tool),
    /// The tools of a set.
    Set(ToolSet),
    /// Every tool.
    All,
}

/// Reads the name of a tool, in any of its spellings, or of one of these sets, and offers both to
/// completions.
#[derive(Clone, Copy, Debug)]
pub struct ToolNames {
    /// The tools.
    pub tools: Registry,
    /// The sets.
    pub sets: &'static [&'static str],
}

impl TypedValueParser for ToolNames {
    type Value = ToolChoice;

    fn parse_ref(
        &self,
        cmd: &Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<ToolChoice, Error> {
        let Self { tools, sets } = *self;
        let parser = StringValueParser::new().try_map(move |name| {
            let name = name.trim();
            // Where there are sets, there is a usual one.
            let added = name.strip_prefix('+').filter(|_| !sets.is_empty());
            let name = added.unwrap_or(name);
            let wanted = name.to_lowercase();
            let chosen = if sets.contains(&wanted.as_str()) {
                let set = ToolSet::NAMES.iter().find(|(name, _)| *name == wanted);
                set.map_or(ChosenTools::All, |(_, set)| ChosenTools::Set(*set))
            } else {
                ChosenTools::Tool(tool(tools, name, sets)?)
            };
            Ok::<_, String>(ToolChoice {
                tools: chosen,
                is_added: added.is_some(),
            })
        });
        parser.parse_ref(cmd, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let names = self.tools.commands().chain(self.sets.iter().copied());
        Some(Box::new(names.map(PossibleValue::new)))
    }
}

/// The tool called `name`; the names of `sets` would be allowed in its place.
fn tool(tools: Registry, name: &str, sets: &[&'static str]) -> Result<&'static Tool, String> {
    tools.find_tool(name.trim()).ok_or_else(|| {
        let candidates = tools.commands().chain(sets.iter().copied());
        let mut meant = registry::did_you_mean(&registry::nearest_names(name.trim(), candidates));
        if meant.is_empty() {
            meant = format!("; the tools are {}", names(tools.into_iter()));
            if !sets.is_empty() {
                meant = format!("{meant}; the sets are {}", sets.join(", "));
            }
        }
        format!("no tool is called `{}`{meant}", name.escape_debug())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use iki_process::sandbox::confinement::Confinement;
    use iki_tools::registry::TOOLS;

    fn served(args: &[&str]) -> Result<Vec<&'static str>, String> {
        let args: Vec<OsString> = args.iter().map(OsString::from).collect();
        match read(TOOLS, &args).map_err(|error| error.to_string())? {
            McpCommand::Serve(options) => Ok(options.tools.iter().map(|tool| tool.name).collect()),
            McpCommand::Call(_) => Err(String::from("no server")),
        }
    }

    const LOCAL: [&str; 6] = [
        "bash",
        "file_read",
        "file_write",
        "file_edit",
        "glob",
        "grep",
    ];
    const WEB: [&str; 3] = ["web_search_brave", "web_search_google", "web_fetch"];
    const OFFERED: &[&str] = &["web_search", "scrape_page"];
    const RESEARCH: &[&str] = &[
        "web_search",
        "scrape_page",
        "search_and_scrape",
        "academic_search",
        "check_references",
        "patent_search",
        "sequential_search",
        "get_research_session",
        "research_export",
    ];

    #[test]
    fn tools_are_served_by_their_names_and_their_sets_in_the_lists_order() {
        let all = [&LOCAL[..], &WEB, RESEARCH].concat();
        for (args, tools) in [
            (&["--tools", "local"][..], LOCAL.to_vec()),
            (&["--tools", "web"], WEB.to_vec()),
            (&["--tools", "research"], RESEARCH.to_vec()),
            (&["--tools", "all"], all.clone()),
            (&["--tools", " ALL "], all.clone()),
            (
                &["--tools", "+research"],
                [&LOCAL[..], &["web_fetch"], RESEARCH].concat(),
            ),
            (
                &["--root", "/tmp", "--tools", "+bash,patent-search"],
                [
                    &LOCAL[..],
                    &["web_fetch", "web_search", "scrape_page", "patent_search"],
                ]
                .concat(),
            ),
            (&["--tools", "research,local,web,bash"], all),
            (
                &["--tools=web-fetch", "--tools=Research,grep"],
                [&["grep", "web_fetch"][..], RESEARCH].concat(),
            ),
        ] {
            assert_eq!(served(args).unwrap(), tools, "{args:?}");
        }
        // A tool that no directory confines is served if it is named, and not with a set.
        for sets in ["local", "all", "local,research"] {
            let tools = served(&["--root", "/tmp", "--tools", sets]).unwrap();
            assert!(
                !tools.contains(&"bash") && tools.contains(&"grep"),
                "{sets}"
            );
        }
        let tools = served(&["--root", "/tmp", "--tools", "local,bash"]).unwrap();
        assert_eq!(tools, LOCAL);
        assert_eq!(
            served(&["--read-only", "--tools", "local"]).unwrap(),
            ["file_read", "glob", "grep"]
        );
    }

    #[test]
    fn help_tells_the_sets_and_what_is_in_them() {
        let Err(help) = read(TOOLS, &["--help".into()]) else {
            panic!("help");
        };
        let help = help
            .to_string()
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        for phrase in [
            "web (web-search-brave, web-search-google, web-fetch)",
            "research (web-search, scrape-page, search-and-scrape, academic-search, \
             check-references, patent-search, sequential-search, get-research-session, \
             research-export), all.",
            "If not given: bash, file-read, file-write, file-edit, glob, grep, web-fetch, \
             web-search, scrape-page.",
        ] {
            assert!(help.contains(phrase), "{phrase} in {help}");
        }
    }

    #[test]
    fn what_is_offered_is_served_unless_a_part_is_asked_for() {
        let offered = [&LOCAL[..], &["web_fetch"], OFFERED].concat();
        assert_eq!(served(&[]).unwrap(), offered);
        assert_eq!(
            served(&["--tools", "grep,file_read", "--tools=glob-tool"]).unwrap(),
            ["file_read", "glob", "grep"]
        );
        let read_only = served(&["--read-only"]).unwrap();
        assert!(read_only.contains(&"file_read") && !read_only.contains(&"bash"));
        assert_eq!(
            served(&["--read-only", "--tools", "bash,grep"]).unwrap(),
            ["grep"]
        );
    }

    #[test]
    fn bash_is_not_served_within_directories_unless_it_is_named() {
        assert!(!served(&["--root", "/tmp"]).unwrap().contains(&"bash"));
        assert_eq!(
            served(&["--root=/tmp", "--tools", "bash"]).unwrap(),
            ["bash"]
        );
    }

    fn options(args: &[&str]) -> McpOptions {
        let args: Vec<OsString> = args.iter().map(OsString::from).collect();
        match read(TOOLS, &args) {
            Ok(McpCommand::Serve(options)) => *options,
            _ => panic!("a server"),
        }
    }

    #[test]
    fn a_call_has_ten_minutes_unless_another_time_or_none_is_asked_for() {
        let seconds = |args| options(args).timeout.map(|time| time.as_secs());
        assert_eq!(seconds(&[]), Some(600));
        assert_eq!(seconds(&["--timeout", "7"]), Some(7));
        assert_eq!(seconds(&["--timeout=0"]), None);
    }

    #[test]
    fn directories_are_taken_as_they_really_are_and_in_their_order() {
        let room = tempfile::tempdir().unwrap();
        let top = room.path().canonicalize().unwrap();
        std::fs::create_dir(top.join("b")).unwrap();
        std::os::unix::fs::symlink("b", top.join("link")).unwrap();
        let link = top.join("link");
        let args = ["--root", link.to_str().unwrap(), "--root", "/"];
        let bounds = options(&args).bounds.unwrap();
        assert_eq!(bounds.roots, ["link", "/"].map(|name| top.join(name)));
        let confinement = Confinement::resolve(&bounds).unwrap();
        let real = [top.join("b"), "/".into()];
        assert_eq!(confinement.roots().directories(), real);
        assert_eq!(options(&[]).bounds, None);
        let served = served(&args).unwrap();
        assert_eq!(served, [&LOCAL[1..], &["web_fetch"], OFFERED].concat());
    }

    #[test]
    fn what_cannot_be_understood_is_said() {
        for (args, reason) in [
            (&["--tools", "gerp"][..], "did you mean `grep`"),
            (
                &["--tools", "search"],
                "`web-search-brave` or `web-search-google` or `web-search` or `search-and-scrape` \
                 or `academic-search` or `patent-search` or `sequential-search`?",
            ),
            (&["--tools", "reserch"], "did you mean `research`?"),
            (
                &["--tools", "zebra"],
                "`zebra`; the tools are bash, file-read,",
            ),
            (&["--read-only", "--tools", "bash"], "no tool to serve"),
            (&["--tools", ","], "no tool is called"),
            (&["--root"], "a value is required"),
            (&["--root", "/nowhere/at/all"], "there is no such directory"),
            (&["--root", ""], "is empty"),
            (&["--read", "/nowhere/at/all"], "there is no such"),
            (&["--no-network", "--tools", "web"], "no tool to serve"),
            (&["--root", "/etc/passwd"], "not a directory"),
            (&["--timeout", "soon"], "invalid digit"),
            (&["--read-only=yes"], "unexpected value"),
            (&["serve"], "unexpected argument 'serve'"),
            (
                &["--call", "grep", "--rot", "/"],
                "unexpected argument '--call'",
            ),
        ] {
            let error = served(args).unwrap_err();
            assert!(error.contains(reason), "{args:?}: {error}");
        }
    }
}
