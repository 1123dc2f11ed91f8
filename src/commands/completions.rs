//! Completions for shells, made from the command line; those for bash begin with rules for the
//! values that the generator has none for.

use std::fmt::Write as _;

use clap::builder::PossibleValue;
use clap::{Arg, Command, ValueHint};
use clap_complete::Shell;

use crate::command_line;
use crate::commands::MARK;
use crate::console::exit::PROGRAM;
use crate::registry::Registry;

/// The function that bash calls, and the rules.
const RULES: &str = include_str!("complete.bash");

/// The completions for `shell`.
pub fn script(tools: Registry, shell: Shell) -> String {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command_line::tree(tools), PROGRAM, &mut script);
    let mut script = String::from_utf8_lossy(&script).into_owned();
    if shell == Shell::Bash {
        script = bash(tools, &script);
    }
    // The first line may have a meaning (`#compdef`), the last one has none.
    format!("{}\n# {MARK}\n", script.trim_end())
}

/// The completions, made of what was `generated` for the same command line.
fn bash(tools: Registry, generated: &str) -> String {
    // The generator (4.6) spells a program's name with a dash in two ways, so that it never finds
    // the one that it sets.
    let (sought, set) = (
        PROGRAM.replace('-', "__subcmd__"),
        PROGRAM.replace('-', "__"),
    );
    let generated = generated.replace(&sought, &set);
    let function = format!("_{set}()");
    let renamed = generated.replace(&function, &format!("_{set}__generated()"));
    RULES.replace("@KINDS@\n", &kinds(&command_line::tree(tools))) + &renamed
}

/// Cases of a shell's `case`, by tool and by flag or position: `file-read --file-path`, `file-read
/// 0`.
fn kinds(tree: &Command) -> String {
    let mut cases = String::new();
    for command in tree.get_subcommands() {
        let name = command.get_name();
        for option in command.get_arguments().filter(|arg| !arg.is_positional()) {
            let Some(kind) = kind(option) else {
                continue;
            };
            let spellings = option.get_long_and_visible_aliases().into_iter().flatten();
            let aliases = option.get_all_aliases().into_iter().flatten();
            let long = spellings.chain(aliases).map(|one| format!("-{one}"));
            let short = option.get_short_and_visible_aliases().into_iter().flatten();
            for spelling in long.chain(short.map(String::from)) {
                let _ = writeln!(cases, "        '{name} -{spelling}') echo '{kind}' ;;");
            }
        }
        for (at, positional) in command.get_positionals().enumerate() {
            if let Some(kind) = kind(positional) {
                // Those behind a last one that takes several are the same.
                let all = positional
                    .get_num_args()
                    .filter(|words| words.max_values() > 1);
                let at = all.map_or(at.to_string(), |_| format!("'[{at}-9]'"));
                let _ = writeln!(cases, "        '{name} {at}') echo '{kind}' ;;");
            }
        }
    }
    cases
}

/// The kind of the argument's value, for the rules; `None` if it has no value, or one of those
/// words that the generator knows.
fn kind(arg: &Arg) -> Option<String> {
    if !arg.get_action().takes_values() || arg.is_require_equals_set() {
        return None;
    }
    let values = arg.get_possible_values();
    let names: Vec<&str> = values.iter().map(PossibleValue::get_name).collect();
    match arg.get_value_hint() {
        ValueHint::AnyPath | ValueHint::FilePath => Some("file".to_owned()),
        ValueHint::DirPath => Some("directory".to_owned()),
        _ if names.is_empty() => Some("text".to_owned()),
        _ if arg.is_positional() => None,
        _ => Some(format!("list {}", names.join(" "))),
    }
}
