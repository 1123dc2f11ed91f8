//! What is said where a server, or the command that makes its tokens, is started wrongly.
//!
//! `UPDATE_MESSAGES=1 cargo test --test network http::messages` writes the table anew.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

use crate::common::home::Home;
use crate::common::messages::{self, Row};
use crate::common::{BINARY, text};

/// Runs the program with the words of a row, in a home that has its files, each of which its owner
/// alone may read unless the row has a `mode`.
fn answer(row: &Row) -> String {
    let home = Home::of("");
    let here = home.path();
    for (name, content) in &row.files {
        fs::write(here.join(name), content).unwrap();
        let mode = row.setup_of("mode").next().unwrap_or("600");
        let mode = fs::Permissions::from_mode(u32::from_str_radix(mode, 8).unwrap());
        fs::set_permissions(here.join(name), mode).unwrap();
    }
    let words = row.request.replace("<here>", text(here));
    // A server that starts after all would not end.
    let mut command = Command::new("timeout");
    command
        .args(["20", BINARY])
        .arg(&row.tool)
        .args(words.split(' '))
        .current_dir(here);
    command.envs(home.environment()).envs(row.variables());
    let output = command.stdin(Stdio::null()).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.stdout.is_empty(), "{said}");
    assert!(
        !said.contains("s3cret") && !said.contains("PRIVATE KEY-"),
        "{said}"
    );
    let code = output.status.code().unwrap();
    format!("exit {code}\n{}", said.replace(text(here), "<here>"))
}

#[test]
fn what_keeps_a_server_from_starting_is_as_it_is_recorded() {
    messages::check("mcp_http", answer);
}
