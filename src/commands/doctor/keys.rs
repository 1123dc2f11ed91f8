//! Whether the web searches have their keys. No key is ever shown.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::commands::doctor::{BAD, GOOD, Problem, Report, shell, shown};
use crate::console::color::painted;
use crate::console::sanitize;
use crate::contract::tool::Tool;
use crate::tools::{web_search_brave, web_search_google};
use crate::web::credentials::{CredentialName, Credentials, Source};
use crate::web::search::{brave, google};

/// A search and the credentials that it needs.
struct Needs {
    /// The tool.
    tool: Tool,
    /// What it needs, all of it.
    names: &'static [CredentialName],
    /// Where to get it, and how to say it.
    notice: &'static str,
}

/// The tools that need keys.
fn all() -> [Needs; 2] {
    [
        Needs {
            tool: web_search_brave::TOOL,
            names: &[brave::KEY],
            notice: brave::SETUP_NOTICE,
        },
        Needs {
            tool: web_search_google::TOOL,
            names: &[google::KEY, google::ENGINE],
            notice: google::SETUP_NOTICE,
        },
    ]
}

/// What is known of a credential.
enum State {
    /// It is there; the text says where.
    There(String),
    /// It is not set anywhere.
    Unset,
    /// The credentials file cannot be used; the text says why.
    Broken(String),
}

/// How the credential called `name` stands.
fn state(credentials: &Credentials<'_>, name: CredentialName) -> State {
    match credentials.source(name) {
        Ok(Source::Environment) => State::There("set in the environment".to_owned()),
        Ok(Source::File(file)) => State::There(format!("set in {}", file.display())),
        Err(missing) => missing.problem.map_or(State::Unset, State::Broken),
    }
}

/// The files that hold keys and that others than their owner can read or change, each with its mode.
fn exposed() -> Vec<(PathBuf, u32)> {
    // A key in the environment hides the file from a search, and from nobody else.
    let file_only = |name: &str| {
        let is_key = all()
            .iter()
            .any(|needs| needs.names.iter().any(|one| one.variable == name));
        std::env::var(name).ok().filter(|_| !is_key)
    };
    let credentials = Credentials::from_vars(&file_only, dirs::home_dir());
    let mut files = Vec::new();
    for name in all().iter().flat_map(|needs| needs.names) {
        if let Ok(Source::File(file)) = credentials.source(*name)
            && let Ok(status) = file.metadata()
            && status.mode() & 0o077 != 0
            && !files.iter().any(|(other, _)| *other == file)
        {
            files.push((file, status.mode() & 0o7777));
        }
    }
    files
}

/// The lines of a notice that say where keys are to be had.
fn where_to_get(notice: &str) -> String {
    let lines = notice.lines().filter(|line| line.starts_with("Get "));
    lines.collect::<Vec<_>>().join("; ")
}

/// Puts down how the keys stand.
pub fn report(report: &mut Report) {
    report.heading("Keys");
    let credentials = Credentials::from_env();
    for (file, mode) in exposed() {
        report.problem(
            format!(
                "{} holds keys, and its mode, {mode:o}, lets others at it",
                shown(&file)
            ),
            shell::chmod("600", &file),
        );
    }
    let mut seen: Vec<String> = Vec::new();
    for needs in all() {
        let tool = needs.tool.command();
        let mut unset = Vec::new();
        let mut broken = None;
        for name in needs.names {
            let state = match state(&credentials, *name) {
                State::There(place) => painted(&sanitize::line(&place), GOOD, report.colour),
                State::Unset => {
                    unset.push(*name);
                    "not set".to_owned()
                }
                State::Broken(reason) => {
                    broken = Some(reason);
                    painted("cannot be read", BAD, report.colour)
                }
            };
            report.line(&format!("  {tool:<24} {:<24} {state}", name.variable));
        }
        match broken {
            // The same file has the keys of both.
            Some(reason) if seen.contains(&reason) => {}
            Some(reason) => {
                report.problem(
                    format!("{tool} finds no key: {}", sanitize::line(&reason)),
                    readable(&reason),
                );
                seen.push(reason);
            }
            None if unset.is_empty() => {}
            None => report.unset(&needs, &unset),
        }
    }
}

/// The command that leads to a credentials file that can be used, where `reason` says which one cannot, and why.
fn readable(reason: &str) -> String {
    let end = reason
        .find(FILE_ENDS)
        .map_or(0, |at| at + FILE_ENDS.len() - 1);
    let file = Path::new(&reason[..end]);
    let directory = file.parent().unwrap_or(file);
    match std::fs::File::open(file) {
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
            shell::chmod("600", file)
        }
        _ => shell::put_aside(directory, &[file.to_owned()]),
    }
}

/// How the name of the credentials file ends where the reason follows it.
const FILE_ENDS: &str = "credentials.json:";

impl Report {
    /// Half an account is a mistake; none at all may be a choice.
    fn unset(&mut self, needs: &Needs, unset: &[CredentialName]) {
        let half = unset.len() < needs.names.len();
        let tool = needs.tool.command();
        let ways = unset
            .iter()
            .map(|name| format!("{} or `{}`", name.variable, name.path.join(".")));
        let has = if half {
            "only a part of what it needs"
        } else {
            "no key"
        };
        let asked = unset.iter().map(|name| {
            let name = name.variable;
            format!("read -r {name} && export {name}")
        });
        let problem = Problem {
            what: format!(
                "{tool} has {has}, and answers AUTH_MISSING: set {} in ~/.config/ikigai/credentials.json. {}",
                ways.collect::<Vec<_>>().join(" and "),
                where_to_get(needs.notice)
            ),
            advice: asked.collect::<Vec<_>>().join(" && "),
        };
        if half {
            self.problems.push(problem);
        } else {
            self.hints.push(problem);
        }
    }
}
