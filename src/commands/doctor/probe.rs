//! Starting a file that a host would start: for its schema, as a host does, or for its version.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use crate::commands::trust;
use crate::console::exit::PROGRAM;
use crate::console::say;
use crate::contract::schema;
use crate::shell::{ProgramError, run_program};

/// The time that a tool has for its schema.
const DEADLINE: Duration = Duration::from_secs(5);

/// The longest schema that is read, in bytes.
const LONGEST_SCHEMA: usize = 1024 * 1024;

/// The longest version that is read, in bytes.
const LONGEST_VERSION: usize = 4096;

/// The schema that a tool answered with.
pub struct SchemaAnswer {
    /// The tool's name in it.
    pub name: String,
    /// The time until it came.
    pub took: Duration,
}

/// Asks the tool at `path` for its schema. An error says what is wrong with it, in words that
/// follow its name.
pub fn ask_for_schema(path: &Path) -> Result<SchemaAnswer, String> {
    let mut command = Command::new(path);
    command.arg("--schema");
    let started = Instant::now();
    let ended = run_program(&command, DEADLINE, LONGEST_SCHEMA).map_err(|cut| match cut {
        ProgramError::TimedOut => format!(
            "does not answer --schema within {} seconds",
            DEADLINE.as_secs()
        ),
        ProgramError::TooMuch => "answers --schema with more than 1 MiB".to_owned(),
        ProgramError::Failed(error) => format!("cannot be started: {error}"),
    })?;
    let took = started.elapsed();
    if ended.code != 0 {
        return Err(format!("ends --schema with exit code {}", ended.code));
    }
    let name = schema::validate(&ended.output).map_err(|fault| format!("its schema {fault}"))?;
    Ok(SchemaAnswer { name, took })
}

/// The program that a file is.
pub enum ProgramIdentity {
    /// This program, of this version or a later one.
    Current,
    /// This program, of an earlier version.
    Older(String),
    /// Another program.
    Foreign,
}

/// Identifies the file at `path`, which is started only if it `may_be_started` and no other user
/// may have put it there.
pub fn identify(path: &Path, may_be_started: bool) -> ProgramIdentity {
    if is_this_program(path) {
        return ProgramIdentity::Current;
    }
    if !may_be_started || trust::objection(path).is_some() {
        return ProgramIdentity::Foreign;
    }
    let mut command = Command::new(path);
    command.arg("--version");
    let ended = run_program(&command, DEADLINE, LONGEST_VERSION);
    let output = ended.map_or_else(|_| Vec::new(), |ended| ended.output);
    let own = say::version();
    match String::from_utf8_lossy(&output).trim().split_once(' ') {
        Some((PROGRAM, version)) => {
            if version_numbers(version) < version_numbers(&own[PROGRAM.len()..]) {
                ProgramIdentity::Older(version.to_owned())
            } else {
                ProgramIdentity::Current
            }
        }
        _ => ProgramIdentity::Foreign,
    }
}

/// This executable.
pub fn own_program() -> PathBuf {
    let executable = std::env::current_exe().and_then(|path| path.canonicalize());
    executable.unwrap_or_else(|_| PathBuf::from(PROGRAM))
}

fn version_numbers(version: &str) -> Vec<u64> {
    let numbers = version.trim().split(|c: char| !c.is_ascii_digit());
    numbers.map_while(|number| number.parse().ok()).collect()
}

/// True if the file at `path` is this executable, or a copy of it.
fn is_this_program(path: &Path) -> bool {
    let own = own_program();
    let (Ok(one), Ok(other)) = (own.metadata(), path.metadata()) else {
        return false;
    };
    let is_same_file = (one.dev(), one.ino()) == (other.dev(), other.ino());
    let is_same_length = other.is_file() && one.len() == other.len();
    is_same_file || (is_same_length && fs::read(own).ok() == fs::read(path).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_by_their_numbers() {
        assert!(version_numbers("0.9.0") < version_numbers("0.10.0\n"));
        assert!(version_numbers("0.1") < version_numbers("0.1.0"));
        assert_eq!(version_numbers("1.2.3-rc.1"), [1, 2, 3]);
    }

    #[test]
    fn a_copy_of_this_program_is_this_program_and_other_content_is_not() {
        let room = tempfile::tempdir().unwrap();
        let copy = room.path().join("copy");
        let own = own_program();
        fs::copy(&own, &copy).unwrap();
        assert!(is_this_program(&own) && is_this_program(&copy));
        let mut bytes = fs::read(&copy).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        fs::write(&copy, &bytes).unwrap();
        assert!(!is_this_program(&copy));
        assert!(!is_this_program(Path::new("/dev/zero")));
    }
}
