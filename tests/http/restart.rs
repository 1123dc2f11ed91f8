//! `ikigai-tools mcp --http`: a server that was killed in a call can be started again at once.

use std::collections::HashSet;
use std::fs;
use std::net::SocketAddr;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use serde_json::{Value, json};

use super::private::can_confine;
use crate::common::{is_root, public_directory, text};
use crate::http_server::{HttpServer, call, http, token_of};
use crate::server::Server;

/// The sockets that a process has open, by the names that `/proc` gives them.
fn sockets_of(process: &Path) -> HashSet<PathBuf> {
    let Ok(open) = fs::read_dir(process.join("fd")) else {
        return HashSet::new();
    };
    let targets = open.filter_map(|one| fs::read_link(one.ok()?.path()).ok());
    let is_socket = |target: &PathBuf| text(target).starts_with("socket:");
    targets.filter(is_socket).collect()
}

/// The processes that hold one of these sockets, by their names.
fn holders_of(sockets: &HashSet<PathBuf>) -> Vec<String> {
    let processes = fs::read_dir("/proc").unwrap();
    let processes = processes.filter_map(|one| Some(one.ok()?.path()));
    let holds = |process: &PathBuf| !sockets_of(process).is_disjoint(sockets);
    let name = |process: PathBuf| fs::read_to_string(process.join("comm")).unwrap_or_default();
    processes.filter(holds).map(name).collect()
}

fn start(address: SocketAddr, root: &str) -> HttpServer {
    http(&[
        "--tools",
        "bash,local,web",
        "--allow-private",
        "--root",
        root,
        "--read",
        "/usr",
    ])
    .tokens(&["anna"])
    .on(&address.to_string())
    .start()
}

#[test]
fn a_server_that_is_killed_in_any_call_leaves_its_address_to_the_next_one() {
    if !can_confine() {
        return;
    }
    let directory = public_directory();
    let room = directory.path();
    let slow = Server::start(|_, _| {
        sleep(Duration::from_secs(3));
        Ok(())
    });
    let large = "content of a file\n".repeat(100_000);
    let (linked, began) = (room.join("linked"), room.join("began"));
    fs::write(&linked, "old").unwrap();
    fs::hard_link(&linked, room.join("other name")).unwrap();
    assert_eq!(fs::metadata(&linked).unwrap().nlink(), 2);
    let command = format!("touch '{}'; sleep 30", began.display());
    let calls: [(&str, Value); 7] = [
        ("bash", json!({"command": command})),
        ("bash", json!({"command": command, "background": true})),
        (
            "file_write",
            json!({"file_path": text(&room.join("new")), "content": large}),
        ),
        (
            "file_write",
            json!({"file_path": text(&linked), "content": large}),
        ),
        (
            "file_edit",
            json!({"file_path": text(&linked), "old_string": "o", "new_string": "0", "replace_all": true}),
        ),
        ("grep", json!({"pattern": "nothing", "path": "/usr"})),
        ("web_fetch", json!({"url": slow.url("/")})),
    ];
    let top = text(room);
    let mut server = start("127.0.0.1:0".parse().unwrap(), top);
    let token = format!("Bearer {}", token_of("anna"));
    for round in 0..10 {
        let (tool, arguments) = &calls[round % calls.len()];
        // A command has been run before, with all that is made for the first one.
        let warm = json!({"command": "true"});
        assert_eq!(server.call_as("anna", "bash", &warm).status, 200);
        let _ = fs::remove_file(&began);
        let mut connection = server.connect();
        connection.send_message(&[("Authorization", &token)], &call(tool, arguments));
        if *tool == "bash" {
            assert!(crate::common::eventually(|| began.exists()));
        } else {
            sleep(Duration::from_millis(5));
        }
        let sockets = sockets_of(Path::new(&format!("/proc/{}", server.pid())));
        // A server hides what it holds from all but root; that its address is free shows the rest.
        assert!(sockets.len() >= 2 || !is_root(), "{sockets:?}");
        server.signal(libc::SIGKILL);
        assert!(server.ended_within(Duration::from_secs(5)).is_some());
        let mut holders = holders_of(&sockets);
        if !holders.is_empty() {
            // A process that was just being started has them until it has its program.
            sleep(Duration::from_millis(100));
            holders = holders_of(&sockets);
        }
        assert_eq!(holders, Vec::<String>::new(), "{tool}");
        server = start(server.address(), top);
    }
}
