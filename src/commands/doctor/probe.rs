//! One tool asked for its schema, as a host asks when it discovers tools.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::contract::schema;
use crate::shell::{ProgramError, run_program};

/// How long a tool has for its schema.
pub const DEADLINE: Duration = Duration::from_secs(5);

/// The longest schema that is read, in bytes.
const LONGEST: usize = 1024 * 1024;

/// A tool that answered as it should.
#[derive(Debug)]
pub struct Answer {
    /// Its name, as its schema has it.
    pub name: String,
    /// The schema.
    pub schema: Vec<u8>,
    /// How long it took.
    pub took: Duration,
}

/// The longest version that is read, in bytes.
const LONGEST_VERSION: usize = 4096;

/// What the tool at `path` says of its version, if it says anything.
pub fn version(path: &Path) -> Option<String> {
    let mut command = Command::new(path);
    command.arg("--version");
    let ended = run_program(&command, DEADLINE, LONGEST_VERSION).ok()?;
    let said = String::from_utf8(ended.output).ok()?;
    (ended.code == 0).then_some(said)
}

/// Asks the tool at `path` for its schema. An error says what is wrong with it, in words that
/// follow its name.
pub fn ask(path: &Path) -> Result<Answer, String> {
    let mut command = Command::new(path);
    command.arg("--schema");
    let started = Instant::now();
    let ended = run_program(&command, DEADLINE, LONGEST).map_err(|cut| match cut {
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
    Ok(Answer {
        name,
        schema: ended.output,
        took,
    })
}
