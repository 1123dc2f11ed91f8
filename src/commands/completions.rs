//! Completions for shells, made from the command line.

use clap::{Arg, Command};
use clap_complete::Shell;

use crate::command_line::fields::UsualValues;
use crate::command_line::{self, typed_values};
use crate::commands::MARK;
use iki_base::console::exit::PROGRAM;
use iki_tools::registry::Registry;

/// The completions for `shell`.
pub fn script(tools: Registry, shell: Shell) -> String {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut tree(tools), PROGRAM, &mut script);
    let mut script = String::from_utf8_lossy(&script).into_owned();
    if shell == Shell::Bash {
        // The generator (4.6) spells a program's name with a dash in two ways, so that it never
        // finds the one that it sets.
        let [sought, set] = ["__subcmd__", "__"].map(|dash| PROGRAM.replace('-', dash));
        script = script.replace(&sought, &set);
    }
    let script = complete_lists(&script, shell, &command_line::mcp::names_to_serve(tools));
    // The first line may have a meaning (`#compdef`), the last one has none.
    format!("{}\n# {MARK}\n", script.trim_end())
}

/// The command line with values that nothing else has to know.
fn tree(tools: Registry) -> Command {
    let tree = command_line::tree(tools);
    let names = tree.get_subcommands().map(|one| one.get_name().to_owned());
    let names = UsualValues(names.collect());
    let about = Arg::new("name").value_parser(names.clone());
    let kinds = UsualValues(typed_values::kinds_of_files());
    tree.mut_subcommands(|one| match one.get_name() {
        "man" => one.mut_arg("name", |name| name.value_parser(names.clone())),
        "grep" => one.mut_arg("type", |kind| kind.value_parser(kinds.clone())),
        _ => one,
    })
    .subcommand(
        Command::new("help")
            .about("Help for a tool or command")
            .arg(about),
    )
}

/// Offers the names of a list behind each comma of it, which the generator does behind none.
fn complete_lists(script: &str, shell: Shell, names: &[&str]) -> String {
    let list = names.join(" ");
    let (offered, in_a_list) = match shell {
        Shell::Bash => (
            format!(r#"compgen -W "{list}" -- "${{cur}}""#),
            format!(r#"compgen -P "${{cur%"${{cur##*[,+]}}"}}" -W "{list}" -- "${{cur##*[,+]}}""#),
        ),
        Shell::Zsh => (format!(":({list})"), format!(":_values -s , name {list}")),
        Shell::Fish => (
            format!("-a \"{}\"", names.join("\\t''\n") + "\\t''"),
            format!("-a \"(__fish_append , {list})\""),
        ),
        _ => return script.to_owned(),
    };
    script.replace(&offered, &in_a_list)
}
