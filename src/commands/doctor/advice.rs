//! Commands that repair the faults that the doctor has found, to be copied into a shell: POSIX
//! `sh`, each one line.

use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::fs::{Access, access};
use rustix::process::geteuid;

use crate::command_line::fields;
use crate::commands::doctor::probe::own_program;
use crate::console::sanitize;

/// `path` as one word of a shell, in characters that do not steer a terminal.
pub fn word(path: &Path) -> String {
    match path.to_str() {
        Some(text) if sanitize::for_line(text) == text => fields::quoted(text),
        _ => {
            let bytes = path.as_os_str().as_bytes().iter();
            let spelled = bytes.fold(String::new(), |mut spelled, byte| {
                let _ = write!(spelled, "\\{byte:03o}");
                spelled
            });
            format!("\"$(printf '{spelled}')\"")
        }
    }
}

/// `sudo `, before a command that changes a directory which this user may not change.
fn as_who_may_write(directory: &Path) -> &'static str {
    let mut there = directory.ancestors();
    let there = there.find(|one| one.exists()).unwrap_or(directory);
    if access(there, Access::WRITE_OK).is_ok() {
        ""
    } else {
        "sudo "
    }
}

/// The command that gives `path` the permissions `mode`, in the words of `chmod(1)`.
pub fn chmod(mode: &str, path: &Path) -> String {
    let user = geteuid();
    let own = path
        .metadata()
        .is_ok_and(|status| status.uid() == user.as_raw());
    let who = if own || user.is_root() { "" } else { "sudo " };
    format!("{who}chmod {mode} {}", word(path))
}

/// The command that takes `file` out of `directory` and keeps it beside it.
pub fn put_aside(directory: &Path, file: &Path) -> String {
    let who = as_who_may_write(directory.parent().unwrap_or(directory));
    let mut aside = directory.as_os_str().to_owned();
    aside.push(".aside");
    let aside = word(Path::new(&aside));
    format!(
        "{who}mkdir -p {aside} && {who}mv -n {} {aside}/",
        word(file)
    )
}

/// The command that makes `link` a link to this program.
pub fn relink(link: &Path) -> String {
    let who = as_who_may_write(link.parent().unwrap_or(link));
    format!("{who}ln -sfn {} {}", word(&own_program()), word(link))
}

/// The command that makes the links of all tools, with these `options` and a blank behind them.
pub fn link_all(options: &str, directory: &Path) -> String {
    let who = as_who_may_write(directory);
    let (own, directory) = (word(&own_program()), word(directory));
    format!("{who}{own} link {options}{directory}")
}

/// The command that puts this program in the place of another version of it.
pub fn replace_program(program: &Path) -> String {
    let who = as_who_may_write(program.parent().unwrap_or(program));
    format!("{who}cp -f {} {}", word(&own_program()), word(program))
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::process::Command;

    use super::*;

    #[test]
    fn a_word_means_the_path_whatever_it_is_made_of() {
        for name in [
            &b"/plain/path"[..],
            b"/it's a $HOME `x` \"path\"",
            b"/\x1b[2J\n%s\\n\xff\xe2\x80\xae'x",
            "/é".as_bytes(),
        ] {
            let spelled = word(Path::new(OsStr::from_bytes(name)));
            assert_eq!(sanitize::for_line(&spelled), spelled);
            let said = Command::new("sh")
                .args(["-c", &format!("printf '%s' {spelled}")])
                .output()
                .unwrap();
            assert_eq!(said.stdout, name, "{spelled}");
        }
    }
}
