//! Many calls at once, and many one after the other: none waits for another's output, and none
//! leaves anything in the server's memory.

use std::collections::BTreeSet;
use std::fs;

use serde_json::{Value, json};

use super::session::Session;
use crate::common::{directory, eventually, text};

/// As many as run at the same time.
const AT_ONCE: u32 = 64;

fn id_of(answer: &Value) -> u32 {
    u32::try_from(answer["id"].as_u64().unwrap()).unwrap()
}

#[test]
fn sixty_two_calls_are_answered_while_one_streams_and_one_is_silent() {
    let room = directory();
    let (go, file) = (room.path().join("go"), room.path().join("file"));
    fs::write(&file, "a line\n").unwrap();
    let mut session = Session::open(&[]);
    let until = format!("until [ -e '{}' ]", text(&go));
    // More than a pipe holds, slowly, and nothing at all.
    let streams = format!("{until}; do printf %1000s x; sleep 0.01; done; printf %200000s end");
    let silent = format!("{until}; do sleep 0.01; done; echo end");
    session.call(0, "bash", &json!({ "command": streams }));
    session.call(1, "bash", &json!({ "command": silent }));
    for id in 2..AT_ONCE {
        match id % 4 {
            0 => session.call(id, "bash", &json!({"command": "echo x; sleep 0.1"})),
            1 => session.call(id, "file_read", &json!({"file_path": text(&file)})),
            2 => session.call(
                id,
                "grep",
                &json!({"pattern": "line", "path": text(room.path())}),
            ),
            _ => session.call(
                id,
                "glob",
                &json!({"pattern": "f*", "path": text(room.path())}),
            ),
        }
    }
    let short: BTreeSet<u32> = (2..AT_ONCE).map(|_| id_of(&session.receive())).collect();
    assert!(short.iter().copied().eq(2..AT_ONCE), "{short:?}");
    fs::write(&go, "").unwrap();
    let mut long = [session.receive(), session.receive()];
    long.sort_by_key(id_of);
    let outputs = long.map(|answer| answer["result"]["structuredContent"]["output"].clone());
    assert!(outputs[0].as_str().unwrap().ends_with("end"));
    assert!(outputs[0].as_str().unwrap().len() > 200_000);
    assert_eq!(outputs[1], "end");
}

#[test]
fn calls_are_carried_out_while_a_large_answer_waits_to_be_read() {
    let room = directory();
    let done = |id: u32| room.path().join(id.to_string());
    let mut session = Session::open(&[]);
    // Both answers are larger than what the pipe to the client holds.
    for id in 0..2 {
        let command = format!(
            "head -c 3000000 /dev/zero | tr '\\0' x; touch '{}'",
            text(&done(id))
        );
        session.call(id, "bash", &json!({ "command": command }));
    }
    for id in 2..AT_ONCE {
        session.call(
            id,
            "bash",
            &json!({"command": format!("touch '{}'", text(&done(id)))}),
        );
    }
    // Nothing is read so far.
    assert!(eventually(|| (0..AT_ONCE).all(|id| done(id).exists())));
    let seen: BTreeSet<u32> = (0..AT_ONCE)
        .map(|_| {
            let answer = session.receive();
            let output = &answer["result"]["structuredContent"]["output"];
            let wanted = if id_of(&answer) < 2 { 3_000_000 } else { 0 };
            assert_eq!(output.as_str().unwrap().len(), wanted);
            id_of(&answer)
        })
        .collect();
    assert_eq!(seen.len(), 64);
}

/// The server's resident memory, in KiB.
fn resident(session: &Session) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", session.server.id())).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    let number = line.and_then(|line| line.split_whitespace().nth(1));
    number.unwrap().parse().unwrap()
}

#[test]
fn calls_leave_nothing_in_the_server_s_memory() {
    const CALLS: u32 = 512;
    let room = directory();
    let file = room.path().join("file");
    fs::write(
        &file,
        "a line of some length, so that an answer has a size\n".repeat(100),
    )
    .unwrap();
    let missing = room.path().join("missing");
    let mut session = Session::open(&[]);
    let mut sizes = Vec::new();
    for first in (0..CALLS).step_by(AT_ONCE as usize) {
        for id in first..first + AT_ONCE {
            // Some of them fail.
            let path = if id.is_multiple_of(8) {
                &missing
            } else {
                &file
            };
            session.call(id, "file_read", &json!({"file_path": text(path)}));
        }
        for _ in 0..AT_ONCE {
            let answer = session.receive();
            assert_eq!(
                answer["result"]["isError"] == true,
                id_of(&answer).is_multiple_of(8)
            );
        }
        sizes.push(resident(&session));
    }
    let (begun, ended) = sizes.split_at(sizes.len() / 2);
    let (begun, ended) = (begun.iter().max().unwrap(), ended.iter().max().unwrap());
    assert!(ended * 100 <= begun * 105 + 256 * 100, "{sizes:?} KiB");
}
