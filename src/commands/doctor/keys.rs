//! Whether the tools that need keys have them. No key is ever shown.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::commands::doctor::{BAD, GOOD, Problem, Report, shell, shown};
use crate::console::color::painted;
use crate::console::sanitize;
use crate::contract::tool::{Account, Credential, Tool};
use crate::registry::Registry;
use crate::web::credentials::{CredentialName, Credentials, Source};
use crate::web::search::choice::PROVIDERS;

/// What is known of a credential.
enum State {
    /// It is there; the text says where.
    There(String),
    /// It is not set anywhere.
    Unset,
    /// The credentials file cannot be used; the text says why.
    Broken(String),
}

/// How the credential stands.
fn state(credentials: &Credentials<'_>, credential: Credential) -> State {
    match credentials.source(name(credential)) {
        Ok(Source::Environment) => State::There("set in the environment".to_owned()),
        Ok(Source::File(file)) => State::There(format!("set in {}", file.display())),
        Err(missing) => missing.problem.map_or(State::Unset, State::Broken),
    }
}

fn name(credential: Credential) -> CredentialName {
    CredentialName {
        variable: credential.variable,
        path: credential.path,
    }
}

/// The files that hold keys and that others than their owner can read or change, each with its
/// mode.
fn exposed(tools: Registry) -> Vec<(PathBuf, u32)> {
    // A key in the environment hides the file from a search, and from nobody else.
    let file_only = |name: &str| {
        let is_key = all_names(tools).iter().any(|one| one.variable == name);
        std::env::var(name).ok().filter(|_| !is_key)
    };
    let credentials = Credentials::from_vars(&file_only, dirs::home_dir());
    let mut files = Vec::new();
    for name in all_names(tools) {
        if let Ok(Source::File(file)) = credentials.source(name)
            && let Ok(status) = file.metadata()
            && status.mode() & 0o077 != 0
            && !files.iter().any(|(other, _)| *other == file)
        {
            files.push((file, status.mode() & 0o7777));
        }
    }
    files
}

/// The names of all credentials, those of the providers of search among them.
fn all_names(tools: Registry) -> Vec<CredentialName> {
    let own = tools.iter().flat_map(Tool::credentials).copied().map(name);
    let slots = PROVIDERS.iter().flat_map(|provider| provider.slots);
    own.chain(slots.flat_map(|slot| slot.names).copied())
        .collect()
}

/// Puts down how the keys stand.
pub fn report(report: &mut Report, tools: Registry) {
    report.heading("Keys");
    let credentials = Credentials::from_env();
    for (file, mode) in exposed(tools) {
        report.problem(
            format!(
                "{} holds keys, and others may use it (mode {mode:o})",
                shown(&file)
            ),
            shell::chmod("600", &file),
        );
    }
    let mut seen: Vec<String> = Vec::new();
    let needing = tools.into_iter().filter_map(|tool| {
        let account = tool.account.as_ref()?;
        Some((tool.command(), account))
    });
    for (tool, account) in needing {
        let mut unset = Vec::new();
        let mut broken = None;
        for name in account.credentials {
            let state = match state(&credentials, *name) {
                State::There(place) => painted(&sanitize::for_line(&place), GOOD, report.colour),
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
                    format!("{tool} finds no key: {}", sanitize::for_line(&reason)),
                    readable(&reason),
                );
                seen.push(reason);
            }
            None if unset.is_empty() => {}
            None => report.unset(tool, account, &unset),
        }
    }
}

/// The command that leads to a credentials file that can be used, where `reason` says which one
/// cannot, and why.
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
    fn unset(&mut self, tool: &str, account: &Account, unset: &[Credential]) {
        let half = unset.len() < account.credentials.len();
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
                account.source
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
