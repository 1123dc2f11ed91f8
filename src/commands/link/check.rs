//! Checking that the installed links work: each is asked for its schema, as a host does, and called
//! once.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::places::InstallPlaces;
use super::{LinkError, LinkOptions, display_path, install, owned};
use crate::command_line::fields::quoted;
use crate::commands::doctor::advice::word;
use crate::commands::trust;
use crate::console::exit::PROGRAM;
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
pub fn check_all(places: &InstallPlaces, options: &LinkOptions) -> Result<(), LinkError> {
    say::print(&format!(
        "\n{} in {}\n  {:<24} {:<8} call\n",
        say::version().trim_end(),
        display_path(&places.tools),
        "tool",
        "schema"
    ));
    let mut failed = 0;
    let mut untried = None;
    for name in install::names(options) {
        let link = places.tools.join(&name);
        let row = if owned::is_link(places, &link) {
            if let Some(why) = trust::objection(&link) {
                untried.get_or_insert(why);
                say::print(&format!("  {name:<24} {:<8} not tried\n", "-"));
                continue;
            }
            let schema = answers_schema(&link);
            let call = registry::find(&name).and_then(|tool| tool.sample.as_ref());
            let call = match call.map(|sample| (sample, CallDirectory::new())) {
                None => "not tried: needs the network",
                Some((_, Err(_))) => "not tried: no directory for temporary files; see TMPDIR",
                Some((sample, Ok(room))) if answers_call(&link, sample, &room) => "ok",
                Some(_) => "FAILED",
            };
            if !schema || call == "FAILED" {
                failed += 1;
            }
            format!(
                "  {name:<24} {:<8} {call}\n",
                if schema { "ok" } else { "FAILED" }
            )
        } else {
            format!("  {name:<24} {:<8} not ours, kept as it is\n", "-")
        };
        say::print(&row);
    }
    say::print("\n");
    if let Some(why) = untried {
        say::print(&format!("Not all of it was tried: {why}\n"));
    }
    if failed == 0 {
        suggest(places, options);
        Ok(())
    } else {
        Err(LinkError(format!(
            "{failed} of the tools do not answer as they should, see the table; \
             `{PROGRAM} doctor` may tell why"
        )))
    }
}

/// Prints the next steps: a call that works as it is printed, and how this shell finds the program.
fn suggest(places: &InstallPlaces, options: &LinkOptions) {
    let links =
        install::names(options).map(|name| (places.tools.join(&name), registry::find(&name)));
    let call = links
        .filter(|(link, _)| owned::is_link(places, link))
        .find_map(|(link, tool)| {
            let sample = tool?.sample.as_ref()?;
            (sample.file.is_none())
                .then(|| format!("printf '%s' {} | {}", quoted(sample.request), word(&link)))
        });
    let program = places.program_name();
    let call = call.unwrap_or_else(|| format!("{} --help", word(&program)));
    say::print(&format!("Try next:\n  {call}\n"));
    if places.is_staged() {
        return;
    }
    let Some(bin) = places.bin() else {
        say::print(&format!("{PROGRAM} itself is {}\n", word(&program)));
        return;
    };
    let link = bin.join(PROGRAM);
    if !owned::is_link(places, &link) {
        return;
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let mut found = env::split_paths(&path)
        .map(|directory| directory.join(PROGRAM))
        .filter(|file| file.is_file());
    let first = found.next();
    if first.as_deref() == Some(&link) {
        return;
    }
    if let (Some(first), true) = (&first, found.any(|file| file == link)) {
        say::print(&format!(
            "Another {PROGRAM} comes first on PATH: {}. This one is {}\n",
            display_path(first),
            word(&link)
        ));
        return;
    }
    let bin = match dirs::home_dir() {
        Some(home) if bin == home.join(".local/bin") => String::from("\"$HOME/.local/bin:$PATH\""),
        _ => format!("{}:\"$PATH\"", word(&bin)),
    };
    say::print(&format!(
        "{PROGRAM} is not on this shell's PATH yet. Run this line now, and add it to ~/.profile to \
         keep it:\n  export PATH={bin}\n"
    ));
}

fn answers_schema(link: &Path) -> bool {
    let mut command = Command::new(link);
    command.arg("--schema");
    run_program(&command, TIMEOUT, LONGEST_ANSWER).is_ok_and(|ended| {
        ended.code == 0 && crate::contract::schema::validate(&ended.output).is_ok()
    })
}

fn answers_call(link: &Path, sample: &SampleCall, room: &CallDirectory) -> bool {
    let request = room.0.join("request");
    let written = sample
        .file
        .map_or(Ok(()), |(name, content)| {
            fs::write(room.0.join(name), content)
        })
        .and_then(|()| fs::write(&request, sample.request));
    if written.is_err() {
        return false;
    }
    let mut command = Command::new(link);
    command.arg("--input").arg(&request);
    // The call tries the tool, without the confinement of hosts' calls.
    for variable in confinement::VARIABLES {
        command.env_remove(variable);
    }
    // Relative paths in the request start in the call's directory. All others here are absolute.
    let back = env::current_dir();
    if env::set_current_dir(&room.0).is_err() {
        return false;
    }
    let ended = run_program(&command, TIMEOUT, LONGEST_ANSWER);
    if let Ok(back) = back {
        let _ = env::set_current_dir(back);
    }
    ended.is_ok_and(|ended| {
        ended.code == 0 && memchr::memmem::find(&ended.output, sample.answer.as_bytes()).is_some()
    })
}

/// A directory for one call, which goes away with it.
struct CallDirectory(PathBuf);

impl CallDirectory {
    fn new() -> std::io::Result<Self> {
        use std::hash::{BuildHasher, Hasher, RandomState};
        use std::os::unix::fs::DirBuilderExt;
        let name = format!(
            "{PROGRAM}-{:016x}",
            RandomState::new().build_hasher().finish()
        );
        let path = env::temp_dir().join(name);
        fs::DirBuilder::new().mode(0o700).create(&path)?;
        Ok(Self(path))
    }
}

impl Drop for CallDirectory {
    fn drop(&mut self) {
        // The system removes what is left in a directory for temporary files.
        let _ = fs::remove_dir_all(&self.0);
    }
}
