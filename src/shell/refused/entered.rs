//! The directories that a command enters on its way, where names in its messages may start.

use std::path::PathBuf;

use super::cause::Call;

/// How many directories are followed that a command enters.
const MOST_ENTERED: usize = 8;

/// The directories that a command enters on its way, as far as it names them plainly: `cd DIR`,
/// `git -C DIR`.
pub fn entered(call: &Call<'_>) -> Vec<PathBuf> {
    let separates = |one: char| one.is_whitespace() || ";&|()".contains(one);
    let mut words = call
        .command
        .split(separates)
        .filter(|word| !word.is_empty());
    let mut here = call.directory.to_owned();
    let mut found = Vec::new();
    while let Some(word) = words.next() {
        let enters = matches!(word, "cd" | "pushd");
        if !enters && word != "-C" {
            continue;
        }
        let Some(name) = words.next() else { break };
        let name = name.trim_matches(['"', '\'']);
        let home = (name == "~" || name.starts_with("~/"))
            .then(dirs::home_dir)
            .flatten();
        let directory = match home {
            Some(home) => home.join(name.trim_start_matches(['~', '/'])),
            None => here.join(name),
        };
        if !directory.is_dir() || found.len() >= MOST_ENTERED {
            continue;
        }
        if enters {
            here.clone_from(&directory);
        }
        found.push(directory);
    }
    found
}
