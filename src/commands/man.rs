//! Manual pages, made from the command line that is read.
//!
//! They follow man-pages(7).

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::process::Stdio;

use clap::Command;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};

use crate::command_line;
use crate::command_line::{confinement, fields, flag_words, help};
use crate::commands::MARK;
use iki_base::console::exit::{PROGRAM, ProgramExit};
use iki_tools::contract::schema::Schema;
use iki_tools::contract::tool::{EnvelopeFamily, Tool};
use iki_tools::registry::Registry;

/// Writes the manual pages into `directory`, which is made if it is not there: one of the program,
/// one of each tool and each other command.
pub fn write(tools: Registry, directory: &Path) -> ProgramExit {
    let written = std::fs::create_dir_all(directory).and_then(|()| {
        let mut pages = pages(tools)?.into_iter();
        pages.try_for_each(|(name, page)| std::fs::write(directory.join(name), page))
    });
    match written {
        Ok(()) => ProgramExit::Success,
        Err(error) => {
            let path_text = directory.display();
            let told = format!("{PROGRAM}: {path_text} cannot be written: {error}\n");
            let _ = io::stderr().write_all(told.as_bytes());
            ProgramExit::Failure
        }
    }
}

/// Shows the page of the tool or command called `name`, or the program's own: with man(1), or
/// in a pipe or where that is missing as the help that says the same.
pub fn show(tools: Registry, name: Option<&str>) -> ProgramExit {
    let name = name.map(|name| name.trim_start_matches("ikigai-tools-"));
    let known = name.map(|name| match tools.find_tool(name) {
        Some(tool) => tool.command(),
        None => name,
    });
    let file = known.map_or_else(
        || format!("{PROGRAM}.1"),
        |known| format!("{PROGRAM}-{known}.1"),
    );
    let pages = pages(tools).unwrap_or_default();
    let Some((_, page)) = pages.into_iter().find(|(one, _)| *one == file) else {
        return help::unknown_name(tools, name.unwrap_or_default(), None);
    };
    if io::stdout().is_terminal() && with_man(&page).is_ok_and(|is_shown| is_shown) {
        return ProgramExit::Success;
    }
    help::about(
        tools,
        &known.map(OsString::from).into_iter().collect::<Vec<_>>(),
    )
}

/// Hands the page to man(1): true if that has shown it.
fn with_man(page: &[u8]) -> io::Result<bool> {
    let mut man = std::process::Command::new("man");
    let mut child = man
        .args(["-l", "-"])
        .stdin(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        // A pager that is left early reads no further.
        let _ = stdin.write_all(page);
    }
    Ok(child.wait()?.success())
}

/// The pages, each with its file's name.
pub fn pages(tools: Registry) -> io::Result<Vec<(String, Vec<u8>)>> {
    let mut pages = vec![(format!("{PROGRAM}.1"), program(tools)?)];
    for tool in tools {
        pages.push((format!("{PROGRAM}-{}.1", tool.command()), tool_page(tool)?));
    }
    for command in command_line::all_commands(tools) {
        let name = format!("{PROGRAM}-{}", command.get_name());
        let spoken = format!("{PROGRAM} {}", command.get_name());
        let about = command.get_long_about().or(command.get_about());
        let about = about.map(ToString::to_string).unwrap_or_default();
        let command = command.long_about(about).display_name(&name);
        let page = ManualPage::start(command.bin_name(spoken), None)?;
        pages.push((name + ".1", page.end(&[PROGRAM.to_owned()])?));
    }
    Ok(pages)
}

fn program(tools: Registry) -> io::Result<Vec<u8>> {
    let about = "\
A link to this program that bears a tool's name is that tool: it answers the JSON request on its \
                 stdin with one JSON object on its stdout, and --schema describes the request. \
                 Under its own name the program takes the tool's name as its first argument, and \
                 the request's fields as flags. The answer is text then; --json makes it the \
                 object.";
    let mut page = ManualPage::start(command_line::tree(tools).long_about(about), Some(SYNOPSIS))?;
    page.section("EXIT STATUS", pairs(EXIT_STATUS));
    page.section("ENVIRONMENT", pairs(ENVIRONMENT));
    let accounts = tools.iter().filter(|tool| tool.account.is_some());
    page.rows(accounts.map(|tool| (variables(tool), format!("keys for {}", tool.command()))));
    if tools.iter().any(|tool| tool.account.is_some()) {
        page.rows(pairs(CONFIG_DIR));
    }
    page.section("FILES", pairs(FILES));
    let commands = command_line::all_commands(tools);
    let others = commands.iter().map(Command::get_name);
    let names = tools
        .commands()
        .map(str::to_owned)
        .chain(others.map(str::to_owned));
    let names: Vec<String> = names.map(|name| format!("{PROGRAM}-{name}")).collect();
    page.end(&names)
}

/// The ways to call the program.
const SYNOPSIS: &str = "\
ikigai-tools TOOL [OPTIONS] FIELD...
ikigai-tools TOOL <REQUEST
ikigai-tools TOOL --schema
ikigai-tools COMMAND [OPTIONS]
ikigai-tools help [TOOL|COMMAND]
ikigai-tools --version";

const EXIT_STATUS: &str = "\
0: what was asked for was done; of a local tool's call in JSON: answered, even with an error
1: it was not done, or the request was a bad one
2: the command line could not be understood
other: set by the tool for a call made of flags; see its own page";

const ENVIRONMENT: &str = "\
NO_COLOR: if set, nothing is coloured
IKIGAI_MAX_ANSWER: how long the answer to a request on stdin may be, in bytes; of mcp: the default \
                           of --max-answer
IKIGAI_MAX_SECONDS: how long that request may take, in seconds; of mcp: the default of --timeout
IKIGAI_REDIS_URL: of mcp: the Redis by which several servers share their cache, redis:// or \
                           rediss://; CACHE_ENCRYPTION_KEY, 64 hexadecimal digits, is then \
                           required";

/// Of tools that need credentials.
const CONFIG_DIR: &str = "IKIGAI_CONFIG_DIR: where credentials.json is, if not in ~/.config/ikigai";

const FILES: &str = "\
.ikigai/tools: a project's tools; hosts prefer them to the next
~/.ikigai/tools: a person's own; hosts prefer them to the next
PREFIX/libexec/ikigai: the system's
~/.config/ikigai/credentials.json: keys for the web searches
~/.cache/ikigai-tools: what searches and pages found, encrypted
~/.local/state/ikigai-tools: long outputs of commands, for a day, research sessions, for hours, \
                     and the cache's key";

/// The terms of a section and what they mean, of one line each.
fn pairs(section: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    section.lines().filter_map(|line| line.split_once(": "))
}

/// The variables of the tool's credentials.
fn variables(tool: &Tool) -> String {
    let names = tool.credentials().iter().map(|one| one.variable);
    names.collect::<Vec<_>>().join(", ")
}

fn tool_page(tool: &Tool) -> io::Result<Vec<u8>> {
    let schema = Schema::for_flags(tool);
    let spoken = format!("{PROGRAM} {}", tool.command());
    let manual = flag_words::of_person(tool, tool.manual.text());
    let text = format!("{}.\n\n{manual}", schema.summary());
    let command = fields::command(tool, &schema)
        .display_name(format!("{PROGRAM}-{}", tool.command()))
        .bin_name(&spoken)
        .long_about(text);
    let synopsis = fields::usage(tool, &spoken, &schema);
    let mut page = ManualPage::start(command, Some(&synopsis))?;
    let typed = fields::typed(&spoken, &schema, tool.manual.example());
    let piped = format!("printf '%s' '{}' | {spoken}", tool.manual.example());
    page.commands("EXAMPLES", &[&typed, &piped]);
    let in_json = (
        "with --json, or a request on stdin",
        exit_status_in_json(tool),
    );
    page.section("EXIT STATUS", tool.exit_codes.pairs().chain([in_json]));
    page.section("ENVIRONMENT", tool.manual.environment());
    if let Some(account) = &tool.account {
        page.rows([(&*variables(tool), account.source)]);
        page.rows(pairs(CONFIG_DIR));
    }
    page.rows(confinement::ENVIRONMENT);
    page.end(&[PROGRAM.to_owned()])
}

/// The exit statuses of a call in JSON.
fn exit_status_in_json(tool: &Tool) -> &'static str {
    match tool.family {
        EnvelopeFamily::Local => {
            "0: answered, even with an error; 1: the request was a bad one; 2: the command line \
             could not be understood"
        }
        EnvelopeFamily::Web | EnvelopeFamily::Research => {
            "0: answered; 1: the request was a bad one, or it was not done; 2: the command line \
             could not be understood"
        }
    }
}

/// A manual page under way.
struct ManualPage(Vec<u8>);

impl ManualPage {
    /// A page with the sections that follow from the command itself.
    fn start(command: Command, synopsis: Option<&str>) -> io::Result<Self> {
        let has_commands = command.has_subcommands();
        let man = Man::new(command.disable_help_flag(true).disable_version_flag(true))
            .manual("ikigai-tools manual")
            .source(concat!("ikigai-tools ", env!("CARGO_PKG_VERSION")));
        let mut page = format!(".\\\" {MARK}\n").into_bytes();
        man.render_title(&mut page)?;
        man.render_name_section(&mut page)?;
        let mut page = Self(page);
        match synopsis {
            Some(synopsis) => page.commands("SYNOPSIS", &[synopsis]),
            None => man.render_synopsis_section(&mut page.0)?,
        }
        man.render_description_section(&mut page.0)?;
        if has_commands {
            man.render_subcommands_section(&mut page.0)?;
        } else {
            man.render_options_section(&mut page.0)?;
        }
        Ok(page)
    }

    /// A section of terms and what they mean.
    fn section<T: Into<String>>(&mut self, heading: &str, rows: impl IntoIterator<Item = (T, T)>) {
        let mut roff = Roff::new();
        roff.control("SH", [heading]);
        self.0.extend_from_slice(roff.to_roff().as_bytes());
        self.rows(rows);
    }

    /// Further terms of the section.
    fn rows<T: Into<String>>(&mut self, rows: impl IntoIterator<Item = (T, T)>) {
        let mut roff = Roff::new();
        for (term, meaning) in rows {
            roff.control("TP", []);
            roff.text([bold(term)]);
            roff.text([roman(meaning)]);
        }
        self.0.extend_from_slice(roff.render().as_bytes());
    }

    /// A section of commands, each on lines of its own that are not filled.
    fn commands(&mut self, heading: &str, commands: &[&str]) {
        let mut roff = Roff::new();
        roff.control("SH", [heading]);
        for command in commands {
            roff.control("EX", []);
            roff.text([roman(*command)]);
            roff.control("EE", []);
        }
        self.0.extend_from_slice(roff.render().as_bytes());
    }

    /// Ends the page with a section that names others.
    fn end(mut self, others: &[String]) -> io::Result<Vec<u8>> {
        let others: Vec<String> = others.iter().map(|name| format!("{name}(1)")).collect();
        let mut roff = Roff::new();
        roff.control("SH", ["SEE ALSO"]);
        roff.text([roman(others.join(", "))]);
        roff.to_writer(&mut self.0)?;
        Ok(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use iki_tools::registry::TOOLS;

    #[test]
    fn every_tool_and_command_has_a_page_that_names_its_fields() {
        let pages = pages(TOOLS).unwrap();
        assert_eq!(
            pages.len(),
            1 + TOOLS.len() + command_line::all_commands(TOOLS).len()
        );
        for tool in TOOLS {
            let name = format!("ikigai-tools-{}.1", tool.command());
            let (_, page) = pages.iter().find(|(one, _)| *one == name).unwrap();
            let page = String::from_utf8(page.clone()).unwrap().replace('\\', "");
            for field in Schema::for_flags(tool).fields {
                assert!(page.contains(&format!("--{}", field.flag())), "{page}");
            }
            assert!(page.starts_with(&format!(".\" {MARK}")), "{page}");
        }
    }
}
