//! Checking that the installed links work: each is asked for its schema, as a host does.

use std::time::Duration;

use super::entries;
use super::places::InstallPlaces;
use crate::commands::program::{ask_for_schema, path_command, shell_word};
use crate::commands::trust;
use iki_base::console::exit::PROGRAM;
use iki_base::console::program_output;
use iki_base::console::sanitize::display_path;
use iki_base::wording::quoted;
use iki_tools::contract::tool::{AccessScope, EnvelopeFamily, Tool};
use iki_tools::registry;

/// Time that an answer may take. A machine that has just built the program may be busy.
const TIMEOUT: Duration = Duration::from_secs(20);

/// Prints a table, a row a link.
///
/// # Errors
/// Some of the links do not answer as they should.
pub fn check_all(places: &InstallPlaces) -> Result<(), String> {
    let version = program_output::version();
    let row = |name: &str, schema: &str| program_output::print(&format!("  {name:<24} {schema}\n"));
    let path_text = display_path(&places.tools);
    program_output::print(&format!("\n{} in {path_text}\n", version.trim_end()));
    row("tool", "schema");
    let mut failed = 0;
    let mut untried = None;
    let mut next = None;
    for name in entries::names(&places.options) {
        let link = places.tools.join(&name);
        let schema = if !entries::is_link(places, &link) {
            "not ours, kept as it is"
        } else if let Some(why) = trust::objection(&link) {
            untried.get_or_insert(why);
            "not tried"
        } else {
            let answered = ask_for_schema(&link, TIMEOUT).is_ok();
            failed += u32::from(!answered);
            if let Some(tool) = registry::find_tool(&name).filter(|tool| is_harmless(tool)) {
                let (request, link) = (quoted(tool.manual.example()), shell_word(&link));
                next.get_or_insert_with(|| format!("printf '%s' {request} | {link}"));
            }
            if answered { "ok" } else { "FAILED" }
        };
        row(&name, schema);
    }
    program_output::print("\n");
    if let Some(why) = untried {
        program_output::print(&format!("Not all of it was tried: {why}\n"));
    }
    if failed > 0 {
        return Err(format!(
            "{failed} of the tools do not answer as they should, see the table; `{PROGRAM} \
             doctor` may tell why"
        ));
    }
    suggest(places, next);
    Ok(())
}

/// True if the example of the tool's manual can be called anywhere, and changes nothing.
fn is_harmless(tool: &Tool) -> bool {
    let is_local = tool.family == EnvelopeFamily::Local;
    is_local && (tool.hints.read_only || tool.scope == AccessScope::Machine)
}

/// Prints the next steps: a call that works as it is printed, and how this shell finds the program.
fn suggest(places: &InstallPlaces, call: Option<String>) {
    let installed = Some(places.installed()).filter(|program| program.is_file());
    let program = shell_word(installed.as_ref().unwrap_or(&places.program));
    let call = call.unwrap_or_else(|| format!("{program} --help"));
    program_output::print(&format!("Try next:\n  {call}\n"));
    if places.is_staged() {
        return;
    }
    let Some(bin) = places.in_prefix("bin") else {
        program_output::print(&format!("{PROGRAM} itself is {program}\n"));
        return;
    };
    let is_linked = entries::is_link(places, &bin.join(PROGRAM));
    if let Some(line) = path_command(&bin).filter(|_| is_linked) {
        program_output::print(&format!(
            "This shell's PATH does not lead to {PROGRAM} yet. Run this line now, and add it to \
             ~/.profile to keep it:\n  {line}\n"
        ));
    }
}
