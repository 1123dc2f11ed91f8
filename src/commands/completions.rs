//! Completions for shells, made from the command line.

use clap_complete::Shell;

use crate::command_line;
use crate::commands::MARK;
use iki_base::console::exit::PROGRAM;
use iki_tools::registry::Registry;

/// The completions for `shell`.
pub fn script(tools: Registry, shell: Shell) -> String {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command_line::tree(tools), PROGRAM, &mut script);
    let mut script = String::from_utf8_lossy(&script).into_owned();
    if shell == Shell::Bash {
        // The generator (4.6) spells a program's name with a dash in two ways, so that it never
        // finds the one that it sets.
        let [sought, set] = ["__subcmd__", "__"].map(|dash| PROGRAM.replace('-', dash));
        script = script.replace(&sought, &set);
    }
    // The first line may have a meaning (`#compdef`), the last one has none.
    format!("{}\n# {MARK}\n", script.trim_end())
}
