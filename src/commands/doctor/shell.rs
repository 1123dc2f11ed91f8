//! Commands that put right what the doctor has found, to be copied into a shell: POSIX `sh`, each
//! one line.

use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};
use rustix::process::geteuid;

use crate::command_line::fields;
use crate::console::sanitize;

/// `path` as one word of a shell, in characters that no terminal obeys.
pub fn word(path: &Path) -> String {
    match path.to_str() {
        Some(text) if sanitize::for_line(text) == text => fields::quoted(text),
        _ => {
            let bytes = path.as_os_str().as_bytes().iter();
            let spelled = bytes.fold(String::new(), |mut spelled, byte| {
                if byte.is_ascii_alphanumeric() || b"/._-".contains(byte) {
                    spelled.push(char::from(*byte));
                } else {
                    let _ = write!(spelled, "\\{byte:03o}");
                }
                spelled
            });
            format!("\"$(printf '{spelled}')\"")
        }
    }
}

/// The paths as words of a shell.
pub fn words<'p>(paths: impl IntoIterator<Item = &'p PathBuf>) -> String {
    let words: Vec<String> = paths.into_iter().map(|path| word(path)).collect();
    words.join(" ")
}

/// What stands before a command that changes `directory`: nothing, if this user may.
pub fn as_who_may_write(directory: &Path) -> &'static str {
    let mut there = directory;
    while let (false, Some(parent)) = (there.exists(), there.parent()) {
        there = parent;
    }
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

/// The command that takes `files` out of `directory` and keeps them beside it.
pub fn put_aside(directory: &Path, files: &[PathBuf]) -> String {
    let who = as_who_may_write(directory.parent().unwrap_or(directory));
    let mut aside = directory.as_os_str().to_owned();
    aside.push(".aside");
    let aside = word(Path::new(&aside));
    format!(
        "{who}mkdir -p {aside} && {who}mv -n {} {aside}/",
        words(files)
    )
}

/// The command that makes each of `links` a link to `program`.
pub fn link(program: &Path, links: &[PathBuf]) -> String {
    let Some(directory) = links.first().and_then(|link| link.parent()) else {
        return String::new();
    };
    let who = as_who_may_write(directory);
    let program = word(program);
    if let [link] = links {
        return format!("{who}ln -sfn {program} {}", word(link));
    }
    let links = words(links);
    format!("for link in {links}; do {who}ln -sfn {program} \"$link\"; done")
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
