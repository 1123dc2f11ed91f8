//! This program and the files that may be it, which doctor and the installer both look at: their
//! names, their answers, and the shell's way to them.

use std::ffi::{CStr, OsStr};
use std::fs;
use std::io::{self, BufRead, BufReader};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::commands::trust;
use iki_base::console::exit::PROGRAM;
use iki_base::console::sanitize;
use iki_base::wording::{quoted, spelled_for_shell};
use iki_process::shell::{ProgramError, run_program};
use iki_tools::contract::schema;

/// Time that a program has for its version.
const VERSION_TIMEOUT: Duration = Duration::from_secs(5);

/// Bytes of a program that are read at a time.
const PIECE_BYTES: usize = 64 * 1024;

/// Maximum length of an output that is read, in bytes.
const MAX_OUTPUT_BYTES: usize = 1024 * 1024;

/// The executable that runs. Without `/proc`, as in the root into which a package is being
/// installed, the kernel still tells by which path it was started.
pub fn own_program() -> Result<PathBuf, String> {
    let started_as = || started_as().and_then(|path| fs::canonicalize(path).ok());
    let program = std::env::current_exe().or_else(|error| started_as().ok_or(error));
    let program = program.map_err(|error| {
        format!("this program cannot tell where it is, and links need to: {error}")
    })?;
    if program.is_file() {
        return Ok(program);
    }
    let path_text = sanitize::display_path(&program);
    Err(format!(
        "{path_text}: the program was replaced or removed while it ran; call the new one"
    ))
}

fn started_as() -> Option<PathBuf> {
    // SAFETY: getauxval has no preconditions.
    let address = unsafe { libc::getauxval(libc::AT_EXECFN) };
    if address == 0 {
        return None;
    }
    // SAFETY: AT_EXECFN is the address of a string that ends with a zero byte, which the kernel has
    // put on the stack for as long as the process lives (getauxval(3)).
    let name = unsafe { CStr::from_ptr(address as *const libc::c_char) };
    Some(PathBuf::from(OsStr::from_bytes(name.to_bytes())))
}

/// True if both paths lead to one file.
pub fn same_file(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| fs::canonicalize(path).ok();
    real(one).is_some_and(|one| real(other) == Some(one))
}

/// True if the file at `path` is this program, in any version. To find out, it is started if it
/// `may_be_started` and no other user may have put it there.
pub fn is_this_program(path: &Path, may_be_started: bool) -> bool {
    if own_program().is_ok_and(|program| is_copy(&program, path)) {
        return true;
    }
    if !may_be_started || trust::objection(path).is_some() {
        return false;
    }
    let mut command = Command::new(path);
    command.arg("--version");
    run_program(&command, VERSION_TIMEOUT, MAX_OUTPUT_BYTES).is_ok_and(|ended| {
        let first_line = ended
            .output
            .trim_ascii_start()
            .strip_prefix(PROGRAM.as_bytes());
        first_line.is_some_and(|version| version.starts_with(b" "))
    })
}

/// True if the file at `path` is `program`, or has its content.
pub fn is_copy(program: &Path, path: &Path) -> bool {
    let (Ok(program_status), Ok(other)) = (program.metadata(), path.metadata()) else {
        return false;
    };
    let is_same_length = other.is_file() && program_status.len() == other.len();
    (program_status.dev(), program_status.ino()) == (other.dev(), other.ino())
        || (is_same_length && is_same_content(program, path).unwrap_or(false))
}

/// True if both files have the same bytes. They are read side by side, as far as the first
/// difference: an executable has tens of megabytes.
fn is_same_content(one: &Path, other: &Path) -> io::Result<bool> {
    let open = |path| fs::File::open(path).map(|file| BufReader::with_capacity(PIECE_BYTES, file));
    let (mut one, mut other) = (open(one)?, open(other)?);
    loop {
        let (left, right) = (one.fill_buf()?, other.fill_buf()?);
        let length = left.len().min(right.len());
        if left[..length] != right[..length] {
            return Ok(false);
        }
        if length == 0 {
            return Ok(left.len() == right.len());
        }
        one.consume(length);
        other.consume(length);
    }
}

/// Asks the tool at `path` for its schema, as a host does, and returns the name in it. An error
/// says what is wrong with the tool, in words that follow its name.
pub fn ask_for_schema(path: &Path, deadline: Duration) -> Result<String, String> {
    let mut command = Command::new(path);
    command.arg("--schema");
    let ended = run_program(&command, deadline, MAX_OUTPUT_BYTES).map_err(|cut| match cut {
        ProgramError::TimedOut => {
            let seconds = deadline.as_secs();
            format!("does not answer --schema within {seconds} seconds")
        }
        ProgramError::TooMuch => "answers --schema with more than 1 MiB".to_owned(),
        ProgramError::Failed(error) => format!("cannot be started: {error}"),
    })?;
    if ended.code != 0 {
        return Err(format!("ends --schema with exit code {}", ended.code));
    }
    schema::validate(&ended.output).map_err(|fault| format!("its schema {fault}"))
}

/// `path` as one word of a POSIX shell, in characters that do not steer a terminal.
pub fn shell_word(path: &Path) -> String {
    match path.to_str() {
        Some(text) if sanitize::for_line(text) == text => quoted(text),
        _ => spelled_for_shell(path.as_os_str().as_bytes()),
    }
}

/// The directories on the shell's `PATH`.
pub fn path_directories() -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).collect()
}

/// The line that has a shell find the program in `bin`, unless it is the first that it finds.
pub fn path_command(bin: &Path) -> Option<String> {
    let programs = path_directories().into_iter().map(|one| one.join(PROGRAM));
    let first = programs.into_iter().find(|program| program.is_file());
    let is_found = first.is_some_and(|first| same_file(&first, &bin.join(PROGRAM)));
    (!is_found).then(|| format!("export PATH={}:\"$PATH\"", shell_word(bin)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_of_this_program_is_this_program_and_other_content_is_not() {
        let room = tempfile::tempdir().unwrap();
        let copy = room.path().join("copy");
        let program_path = own_program().unwrap();
        fs::copy(&program_path, &copy).unwrap();
        assert!(is_copy(&program_path, &program_path) && is_copy(&program_path, &copy));
        let bytes = fs::read(&copy).unwrap();
        for place in [0, PIECE_BYTES, bytes.len() - 1] {
            let mut other = bytes.clone();
            other[place] ^= 1;
            fs::write(&copy, &other).unwrap();
            assert!(!is_copy(&program_path, &copy), "{place}");
        }
        // A file of the same length that is cut while it is read.
        fs::write(&copy, &bytes[..bytes.len() - 1]).unwrap();
        assert!(!is_same_content(&program_path, &copy).unwrap());
        assert!(!is_same_content(&copy, &program_path).unwrap());
        assert!(!is_copy(&program_path, Path::new("/dev/zero")));
    }

    #[test]
    fn a_word_means_the_path_whatever_it_is_made_of() {
        for name in [
            &b"/plain/path"[..],
            b"/it's a $HOME `x` \"path\"",
            b"/\x1b[2J\n%s\\n\xff\xe2\x80\xae'x",
            "/é".as_bytes(),
        ] {
            let spelled = shell_word(Path::new(OsStr::from_bytes(name)));
            assert_eq!(sanitize::for_line(&spelled), spelled);
            let output = Command::new("sh")
                .args(["-c", &format!("printf '%s' {spelled}")])
                .output()
                .unwrap();
            assert_eq!(output.stdout, name, "{spelled}");
        }
    }
}
