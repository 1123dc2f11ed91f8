//! Carries out the commands that are no tools.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::error::ErrorKind;
use clap_complete::Shell;

use super::provider::{self, Provider};
use super::{Exit, PROGRAM, commands, doctor, generate, help, say};
use crate::tool::Tool;
use crate::toolbox::TOOLS;

/// Runs the command called `name`.
pub fn run(name: &str, args: &[OsString]) -> Exit {
    let Some(command) = commands::find(name) else {
        return help::unknown_name(name);
    };
    let words = std::iter::once(OsString::from(name)).chain(args.iter().cloned());
    let parsed = command
        .bin_name(format!("{PROGRAM} {name}"))
        .try_get_matches_from(words);
    let matches = match parsed {
        Ok(matches) => matches,
        Err(error) if error.kind() == ErrorKind::DisplayHelp => {
            return say::print(&error.render().to_string());
        }
        Err(error) => return say::misused(&error),
    };
    match name {
        "list" => say::print(&help::list()),
        "schema" => {
            let provider = matches.get_one::<String>("for");
            let named = matches.get_many::<&Tool>("tool").into_iter().flatten();
            let provider = provider.and_then(|name| Provider::find(name));
            definitions(provider, named.copied())
        }
        "doctor" => doctor::run(matches.get_flag("run-project")),
        "completions" => match matches.get_one::<Shell>("shell") {
            Some(shell) => generate::completions(*shell),
            None => Exit::Usage,
        },
        _ => match matches.get_one::<PathBuf>("directory") {
            Some(directory) => generate::man(directory),
            None => Exit::Usage,
        },
    }
}

/// Prints the definitions of the tools that are `named`, or of all.
fn definitions(provider: Option<Provider>, named: impl Iterator<Item = &'static Tool>) -> Exit {
    let mut tools: Vec<&Tool> = Vec::new();
    for tool in named {
        if !tools.iter().any(|other| other.name == tool.name) {
            tools.push(tool);
        }
    }
    if tools.is_empty() {
        tools.extend(TOOLS);
    }
    say::print(&format!("{:#}\n", provider::definitions(provider, &tools)))
}
