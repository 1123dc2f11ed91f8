//! Which directories a program in the home directory takes to run: those of its installation, and
//! no more of the home directory than that.
//!
//! Rules: where rustup, pyenv, nvm and their like put what they install, by their manuals.

use std::env;
use std::path::{Path, PathBuf};

use crate::sandbox::roots;
use crate::shell::refused::cause::interpreter;

/// Directories of the home directory in which a manager of versions keeps what it installs, and
/// nothing that is secret.
const MANAGERS: [&str; 25] = [
    ".rustup", ".pyenv", ".nvm", ".rbenv", ".nodenv", ".goenv", ".jenv", ".plenv", ".phpenv",
    ".tfenv", ".asdf", ".sdkman", ".volta", ".bun", ".deno", ".fnm", ".juliaup", ".ghcup", ".opam",
    ".pixi", ".elan", ".dotnet", ".foundry", ".swiftly", ".conda",
];

/// What holds programs in an installation.
const OF_PROGRAMS: [&str; 4] = ["bin", "sbin", "shims", "libexec"];

/// Where cargo keeps its programs, its caches, and the keys of registries.
#[must_use]
pub fn home_of_cargo() -> Option<PathBuf> {
    home_of("CARGO_HOME", ".cargo")
}

/// The directories that have to be readable for the program called `found`, which really lies at
/// `real`.
#[must_use]
pub fn directories(found: &Path, real: &Path) -> Vec<PathBuf> {
    let mut needed = Vec::new();
    let mut add = |directory: PathBuf| {
        if !needed.iter().any(|one| directory.starts_with(one)) {
            needed.retain(|one: &PathBuf| !one.starts_with(&directory));
            needed.push(directory);
        }
    };
    add(installation(real));
    if home_of_cargo().is_some_and(|home| real.starts_with(home))
        && let Some(toolchains) = home_of("RUSTUP_HOME", ".rustup")
    {
        add(toolchains);
    }
    // A link is followed from where it lies, without a right to read there; what it leads to may
    // look beside itself by the name it was called by.
    if let Some(interpreter) = interpreter(real)
        && let Some(interpreter) = roots::follow(&interpreter, |_| {})
        && home().is_some_and(|home| interpreter.starts_with(home))
    {
        add(installation(&interpreter));
    }
    let directory = found
        .parent()
        .and_then(|directory| roots::follow(directory, |_| {}));
    if let Some(directory) =
        directory.filter(|_| home().is_some_and(|home| found.starts_with(home)))
    {
        add(directory);
    }
    needed
}

/// The directory that `real` was installed into.
fn installation(real: &Path) -> PathBuf {
    let directory = real.parent().unwrap_or(real);
    let name = directory
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default();
    if home_of_cargo().is_some_and(|home| real.starts_with(home)) {
        return directory.to_owned();
    }
    if let Some(own) = of_manager(real) {
        return own;
    }
    let above = directory.parent().filter(|_| OF_PROGRAMS.contains(&name));
    let is_narrow = |above: &&Path| {
        let mixed = above.ends_with(".local") || above.ends_with(".config");
        above.parent().is_some() && !mixed && home().is_none_or(|home| !home.starts_with(above))
    };
    above.filter(is_narrow).unwrap_or(directory).to_owned()
}

/// The directory of a manager of versions, such as `~/.pyenv`, if `path` is in one.
#[must_use]
pub fn of_manager(path: &Path) -> Option<PathBuf> {
    let home = home()?;
    let mut own = MANAGERS.iter().map(|name| home.join(name));
    own.find(|own| path.starts_with(own) && own.is_dir())
}

/// The home directory, without links.
#[must_use]
pub fn home() -> Option<PathBuf> {
    roots::follow(&dirs::home_dir()?, |_| {})
}

fn home_of(variable: &str, name: &str) -> Option<PathBuf> {
    let place = match env::var_os(variable).filter(|place| !place.is_empty()) {
        Some(place) => PathBuf::from(place),
        None => dirs::home_dir()?.join(name),
    };
    let place = roots::follow(&place, |_| {})?;
    place.is_dir().then_some(place)
}
