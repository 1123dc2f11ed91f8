//! Keys: which tools have theirs. No key is ever shown.

use std::fs::File;
use std::os::unix::fs::MetadataExt;

use crate::commands::doctor::{BAD, DoctorReport, GOOD, PLAIN, advice};
use crate::console::sanitize::{display_path, for_line};
use crate::registry::Registry;
use crate::web::credentials::{CredentialName, CredentialSource, Credentials};

/// Reports the place of each tool's keys, or how to get them.
pub fn report(report: &mut DoctorReport, tools: Registry) {
    report.heading("Keys");
    let credentials = Credentials::from_env();
    let file = credentials.file().unwrap_or_default();
    // A key in the environment hides that file from a search, and from no other user.
    let mode = file.metadata().map_or(0, |status| status.mode() & 0o7777);
    if mode & 0o077 != 0 {
        let shown = display_path(&file);
        let text = format!("{shown} holds keys, and others may use it (mode {mode:o})");
        report.problem(text, advice::chmod("600", &file));
    }
    for tool in tools {
        let Some(account) = &tool.account else {
            continue;
        };
        let (mut ways, mut reads) = (Vec::new(), Vec::new());
        let mut broken = None;
        for credential in account.credentials {
            let (variable, path) = (credential.variable, credential.path);
            let (colour, state) = match credentials.source(CredentialName { variable, path }) {
                Ok(CredentialSource::Environment) => (GOOD, "set in the environment".to_owned()),
                Ok(CredentialSource::File(file)) => {
                    (GOOD, format!("set in {}", display_path(&file)))
                }
                Err(missing) => {
                    ways.push(format!("{variable} or `{}`", path.join(".")));
                    reads.push(format!("read -r {variable} && export {variable}"));
                    broken = broken.or(missing.problem);
                    match broken {
                        Some(_) => (BAD, "cannot be read".to_owned()),
                        None => (PLAIN, "not set".to_owned()),
                    }
                }
            };
            report.row(
                &format!("{:<24} {variable:<24}", tool.command()),
                colour,
                &state,
            );
        }
        if let Some(reason) = broken {
            let advice = match File::open(&file) {
                Ok(_) => advice::put_aside(&file),
                Err(_) => advice::chmod("600", &file),
            };
            report.problem(
                format!("keys cannot be used: {}", for_line(&reason)),
                advice,
            );
        } else if !ways.is_empty() {
            // Half an account is a mistake, none at all may be intended.
            let is_half = ways.len() < account.credentials.len();
            let has = if is_half {
                "only a part of what it needs"
            } else {
                "no key"
            };
            let text = format!(
                "{} has {has}, and answers AUTH_MISSING: set {} in \
                 ~/.config/ikigai/credentials.json. {}",
                tool.command(),
                ways.join(" and "),
                account.source
            );
            let advice = reads.join(" && ");
            if is_half {
                report.problem(text, advice);
            } else {
                report.hint(text, advice);
            }
        }
    }
}
