//! Commands that repair the faults that the doctor has found, to be copied into a shell: POSIX
//! `sh`, each one line.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::process::geteuid;

use crate::commands::program::{own_program, shell_word};
use iki_base::console::exit::PROGRAM;

/// `sudo `, before a command that changes what is not this user's: `path`, or where it is to be.
fn as_owner_of(path: &Path) -> &'static str {
    let user = geteuid();
    let owner = path.ancestors().find_map(|one| one.metadata().ok());
    let is_own = owner.is_none_or(|status| status.uid() == user.as_raw());
    if is_own || user.is_root() {
        ""
    } else {
        "sudo "
    }
}

/// This program as one word.
pub fn own_word() -> String {
    shell_word(&own_program().unwrap_or_else(|_| PathBuf::from(PROGRAM)))
}

/// The command that gives `path` the permissions `mode`, in the words of `chmod(1)`.
pub fn chmod(mode: &str, path: &Path) -> String {
    format!("{}chmod {mode} {}", as_owner_of(path), shell_word(path))
}

/// The command that moves `file` out of its directory into one next to it.
pub fn put_aside(file: &Path) -> String {
    let directory = file.parent().unwrap_or(file);
    let who = as_owner_of(directory);
    let mut aside = directory.as_os_str().to_owned();
    aside.push(".aside");
    let (file, aside) = (shell_word(file), shell_word(Path::new(&aside)));
    format!("{who}mkdir -p {aside} && {who}mv -n {file} {aside}/")
}

/// The command that puts this program in the place of `path`: `ln -sfn` or `cp -f`.
pub fn replace(command: &str, path: &Path) -> String {
    let who = as_owner_of(path.parent().unwrap_or(path));
    format!("{who}{command} {} {}", own_word(), shell_word(path))
}

/// The command that makes the links of all tools, with these `options`, which end in a blank.
pub fn link_all(options: &str, directory: &Path) -> String {
    let who = as_owner_of(directory);
    format!(
        "{who}{} link {options}{}",
        own_word(),
        shell_word(directory)
    )
}
