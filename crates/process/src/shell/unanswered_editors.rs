//! Editors that wait for keys where nobody can type: vi takes its own output for the keyboard, if
//! its stdin is at its end and it has no terminal, and would wait there until its time is over.
//!
//! Rules: the decisions on bash, by which editors that nobody could answer fail at once.

use std::fs::File;
use std::path::Path;
use std::str;

use rustix::fs::{Stat, fstat, stat};
use rustix::process::{Pid, Signal, kill_process};

use crate::sandbox::descendants::RunningProcess;

/// The names of such editors, without what Debian's alternatives add (`vim.tiny`).
const EDITORS: [&str; 7] = ["vi", "vim", "view", "vimdiff", "rvim", "ex", "nvim"];

/// Asks the editors among these processes to end that read keys from the pipe `output`, into which
/// they write. Returns what the command's output is to say of it.
pub(super) fn end_unanswered_editors(running: &[RunningProcess], output: &File) -> Option<String> {
    let place = |stat: Stat| (stat.st_dev, stat.st_ino);
    let output = place(fstat(output).ok()?);
    let ended = running.iter().filter_map(|one| {
        let program = one.arguments.split(|byte| *byte == 0).next()?;
        let name = Path::new(str::from_utf8(program).ok()?)
            .file_name()?
            .to_str()?;
        EDITORS.contains(&name.split('.').next()?).then_some(())?;
        let keys = place(stat(format!("/proc/{}/fd/0", one.pid)).ok()?);
        (keys == output).then_some(())?;
        kill_process(Pid::from_raw(one.pid)?, Signal::TERM).ok()?;
        Some(name)
    });
    let names: Vec<&str> = ended.collect();
    let name = names.first()?;
    Some(format!(
        "\nNo terminal here: {name} waited for keys that nobody can type, and was ended. Change \
         the file by a command, such as sed -i.\n"
    ))
}
