//! Pages take memory: only so many of them are read at the same time, and nothing else waits for
//! them.

use std::collections::HashSet;
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

use serde_json::json;

use super::session::Session;

/// Those who have come to `door`, within `patience`, until there are `most`.
fn callers(door: &TcpListener, most: usize, patience: Duration) -> Vec<TcpStream> {
    door.set_nonblocking(true).unwrap();
    let begin = Instant::now();
    let mut come = Vec::new();
    while come.len() < most && begin.elapsed() < patience {
        match door.accept() {
            Ok((caller, _)) => come.push(caller),
            Err(_) => std::thread::sleep(Duration::from_millis(10)),
        }
    }
    come
}

fn ask(session: &mut Session, door: &TcpListener, ids: std::ops::Range<u32>) {
    let url = format!("http://{}/", door.local_addr().unwrap());
    for id in ids {
        session.call(id, "web_fetch", &json!({"url": url}));
    }
}

#[test]
fn four_pages_are_read_at_once_and_other_calls_do_not_wait_for_them() {
    let door = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut session = Session::open(&[]);
    ask(&mut session, &door, 0..9);
    let first = callers(&door, 4, Duration::from_secs(20));
    assert_eq!(first.len(), 4);
    assert!(callers(&door, 1, Duration::from_millis(500)).is_empty());
    session.call(100, "bash", &json!({"command": "echo lives"}));
    assert_eq!(session.receive()["id"], 100);
    // One that waits is given up, and the others take their turn when those before them are done.
    session.send(
        &json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
        "params": {"requestId": 4}}),
    );
    drop(first);
    let mut answered = HashSet::new();
    for _ in 0..4 {
        answered.insert(session.receive()["id"].as_u64().unwrap());
    }
    assert_eq!(answered, HashSet::from([0, 1, 2, 3]));
    let second = callers(&door, 5, Duration::from_secs(5));
    assert_eq!(second.len(), 4, "the one that was given up must not come");
}

#[test]
fn a_page_that_waits_longer_than_a_call_may_take_says_so() {
    let door = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut session = Session::open(&["--timeout", "2"]);
    ask(&mut session, &door, 0..5);
    let held = callers(&door, 5, Duration::from_secs(1));
    for _ in 0..5 {
        let answer = session.receive();
        let content = &answer["result"]["structuredContent"];
        // The tool knows how long it may take; the one that waited for its turn may not be asked.
        let by_tool = content["error"].as_str().unwrap().contains(": Timeout: ");
        let code = if by_tool { "NETWORK_ERROR" } else { "TIMEOUT" };
        assert_eq!(content["error_code"], code, "{answer}");
    }
    assert!(held.len() <= 4);
}
