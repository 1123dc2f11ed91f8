//! What the tests of writing share: calls of file-write and file-edit, their answers, and commands
//! of the machine.

#![allow(dead_code, reason = "each test file uses its own part")]

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::common::{Call, text, tool};

/// A call that writes `content` into `file`.
pub fn write(file: &Path, content: &str) -> Call {
    tool("file-write").with(&json!({"file_path": text(file), "content": content}))
}

/// A call that puts `new` in place of `old` in `file`.
pub fn edit(file: &Path, old: &str, new: &str) -> Call {
    let request = json!({"file_path": text(file), "old_string": old, "new_string": new});
    tool("file-edit").with(&request)
}

/// The answer that `bytes` bytes were written.
pub fn wrote(bytes: usize, name: &str) -> Value {
    json!({"output": format!("Wrote {bytes} bytes to {name}"), "bytes": bytes})
}

/// Runs a command of the machine; returns whether it exists and succeeded.
pub fn run(program: &str, args: &[&str]) -> bool {
    Command::new(program)
        .args(args)
        .output()
        .is_ok_and(|output| output.status.success())
}
