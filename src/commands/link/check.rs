//! Checking that the installed links work: each is asked for its schema, as a host does, and called
//! once.

use std::env;
use std::fs;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::entries;
use super::places::InstallPlaces;
use crate::command_line::fields::quoted;
use crate::commands::program::{ask_for_schema, path_command, shell_word};
use crate::commands::trust;
use crate::console::exit::PROGRAM;
use crate::console::sanitize::display_path;
use crate::console::say;
use crate::contract::tool::SampleCall;
use crate::registry;
use crate::sandbox::confinement;
use crate::shell::run_program;

/// Time that an answer may take. A machine that has just built the program may be busy.
const TIMEOUT: Duration = Duration::from_secs(20);

/// The longest answer, in bytes.
const LONGEST_ANSWER: usize = 64 * 1024;

/// Prints a table, a row a link.
///
/// # Errors
/// Some of the links do not answer as they should.
pub fn check_all(places: &InstallPlaces) -> Result<(), String> {
    let version = say::version();
    let row = |name: &str, schema: &str, call: &str| {
        say::print(&format!("  {name:<24} {schema:<8} {call}\n"));
    };
    let shown = display_path(&places.tools);
    say::print(&format!("\n{} in {shown}\n", version.trim_end()));
    row("tool", "schema", "call");
    let mut failed = 0;
    let mut untried = None;
    let mut next = None;
    for name in entries::names(&places.options) {
        let link = places.tools.join(&name);
        let sample = registry::find(&name).and_then(|tool| tool.sample.as_ref());
        let (schema, call) = if !entries::is_link(places, &link) {
            ("-", "not ours, kept as it is")
        } else if let Some(why) = trust::objection(&link) {
            untried.get_or_insert(why);
            ("-", "not tried")
        } else {
            let schema = ask_for_schema(&link, TIMEOUT).map_or("FAILED", |_| "ok");
            let call = match sample.map(|sample| call(&link, sample)) {
                None => "not tried: needs the network",
                Some(Err(_)) => "not tried: no directory for temporary files; see TMPDIR",
                Some(Ok(true)) => "ok",
                Some(Ok(false)) => "FAILED",
            };
            failed += u32::from(schema == "FAILED" || call == "FAILED");
            if let Some(sample) = sample.filter(|sample| sample.file.is_none()) {
                let (request, link) = (quoted(sample.request), shell_word(&link));
                next.get_or_insert_with(|| format!("printf '%s' {request} | {link}"));
            }
            (schema, call)
        };
        row(&name, schema, call);
    }
    say::print("\n");
    if let Some(why) = untried {
        say::print(&format!("Not all of it was tried: {why}\n"));
    }
    if failed > 0 {
        return Err(format!(
            "{failed} of the tools do not answer as they should, see the table; \
             `{PROGRAM} doctor` may tell why"
        ));
    }
    suggest(places, next);
    Ok(())
}

/// Prints the next steps: a call that works as it is printed, and how this shell finds the program.
fn suggest(places: &InstallPlaces, call: Option<String>) {
    let installed = Some(places.installed()).filter(|program| program.is_file());
    let program = shell_word(installed.as_ref().unwrap_or(&places.program));
    let call = call.unwrap_or_else(|| format!("{program} --help"));
    say::print(&format!("Try next:\n  {call}\n"));
    if places.is_staged() {
        return;
    }
    let Some(bin) = places.in_prefix("bin") else {
        say::print(&format!("{PROGRAM} itself is {program}\n"));
        return;
    };
    let is_linked = entries::is_link(places, &bin.join(PROGRAM));
    if let Some(line) = path_command(&bin).filter(|_| is_linked) {
        say::print(&format!(
            "This shell's PATH does not lead to {PROGRAM} yet. Run this line now, and add it to \
             ~/.profile to keep it:\n  {line}\n"
        ));
    }
}

/// True if the link answers the sample call as it should. An error says that there is no directory
/// to call it in.
fn call(link: &Path, sample: &SampleCall) -> io::Result<bool> {
    let number = RandomState::new().build_hasher().finish();
    let room = env::temp_dir().join(format!("{PROGRAM}-{number:016x}"));
    fs::DirBuilder::new().mode(0o700).create(&room)?;
    let answered = call_in(&room, link, sample);
    // The system removes what is left in a directory for temporary files.
    let _ = fs::remove_dir_all(&room);
    Ok(answered.unwrap_or(false))
}

fn call_in(room: &Path, link: &Path, sample: &SampleCall) -> io::Result<bool> {
    let request = room.join("request");
    fs::write(&request, sample.request)?;
    if let Some((name, content)) = sample.file {
        fs::write(room.join(name), content)?;
    }
    let mut command = Command::new(link);
    command.arg("--input").arg(&request);
    // The call tries the tool, without the confinement of hosts' calls.
    for variable in confinement::VARIABLES {
        command.env_remove(variable);
    }
    // Relative paths in the request start in the call's directory. All others here are absolute.
    let back: io::Result<PathBuf> = env::current_dir();
    env::set_current_dir(room)?;
    let ended = run_program(&command, TIMEOUT, LONGEST_ANSWER);
    if let Ok(back) = back {
        let _ = env::set_current_dir(back);
    }
    Ok(ended.is_ok_and(|ended| {
        ended.code == 0 && memchr::memmem::find(&ended.output, sample.answer.as_bytes()).is_some()
    }))
}
