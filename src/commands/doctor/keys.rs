//! Keys: which tools have theirs. No key is ever shown.

use std::fs::File;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;

use crate::commands::doctor::{BAD, DoctorReport, GOOD, advice, display_path};
use crate::console::color::painted;
use crate::console::sanitize;
use crate::contract::tool::{Account, Credential};
use crate::registry::Registry;
use crate::web::credentials::{CredentialName, CredentialSource, Credentials};

/// Reports the place of each tool's keys, or how to get them.
pub fn report(report: &mut DoctorReport, tools: Registry) {
    report.heading("Keys");
    let credentials = Credentials::from_env();
    report_exposed_file(report, &credentials);
    for tool in tools {
        let Some(account) = &tool.account else {
            continue;
        };
        let tool = tool.command();
        let mut unset = Vec::new();
        let mut broken = None;
        for credential in account.credentials {
            let state = match credentials.source(CredentialName {
                variable: credential.variable,
                path: credential.path,
            }) {
                Ok(CredentialSource::Environment) => {
                    painted("set in the environment", GOOD, report.colour)
                }
                Ok(CredentialSource::File(file)) => {
                    let place = format!("set in {}", display_path(&file));
                    painted(&place, GOOD, report.colour)
                }
                Err(missing) => {
                    unset.push(*credential);
                    match missing.problem {
                        None => "not set".to_owned(),
                        Some(reason) => {
                            broken = Some(reason);
                            painted("cannot be read", BAD, report.colour)
                        }
                    }
                }
            };
            report.line(&format!("  {tool:<24} {:<24} {state}", credential.variable));
        }
        match broken {
            Some(reason) => report_broken_file(report, &credentials, &reason),
            None if unset.is_empty() => {}
            None => report_unset(report, tool, account, &unset),
        }
    }
}

/// Reports a file of keys that others than its owner can read or change. A key in the environment
/// hides that file from a search, and from no other user.
fn report_exposed_file(report: &mut DoctorReport, credentials: &Credentials<'_>) {
    let file = credentials.file();
    let mode = file.as_ref().and_then(|file| file.metadata().ok());
    let mode = mode.map_or(0, |status| status.mode() & 0o7777);
    if let (Some(file), true) = (file, mode & 0o077 != 0) {
        report.problem(
            format!(
                "{} holds keys, and others may use it (mode {mode:o})",
                display_path(&file)
            ),
            advice::chmod("600", &file),
        );
    }
}

fn report_broken_file(report: &mut DoctorReport, credentials: &Credentials<'_>, reason: &str) {
    let Some(file) = credentials.file() else {
        return;
    };
    let is_barred = File::open(&file).is_err_and(|why| why.kind() == ErrorKind::PermissionDenied);
    let advice = if is_barred {
        advice::chmod("600", &file)
    } else {
        advice::put_aside(file.parent().unwrap_or(&file), &file)
    };
    report.problem(
        format!("keys cannot be used: {}", sanitize::for_line(reason)),
        advice,
    );
}

/// Reports an account that is not set: half of one is a mistake, none at all may be intended.
fn report_unset(report: &mut DoctorReport, tool: &str, account: &Account, unset: &[Credential]) {
    let is_half = unset.len() < account.credentials.len();
    let has = if is_half {
        "only a part of what it needs"
    } else {
        "no key"
    };
    let ways = unset
        .iter()
        .map(|name| format!("{} or `{}`", name.variable, name.path.join(".")));
    let text = format!(
        "{tool} has {has}, and answers AUTH_MISSING: set {} in ~/.config/ikigai/credentials.json. {}",
        ways.collect::<Vec<_>>().join(" and "),
        account.source
    );
    let reads = unset
        .iter()
        .map(|name| format!("read -r {0} && export {0}", name.variable));
    let advice = reads.collect::<Vec<_>>().join(" && ");
    if is_half {
        report.problem(text, advice);
    } else {
        report.hint(text, advice);
    }
}
