//! `ikigai-tools mcp --http`: how much of the machine clients may take. Connections, headers,
//! bodies, calls a second and at once, answers that nobody reads.

use std::io::Read;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::common::messages::TextRow;
use crate::http_server::{
    Answer, Connection, HEADERS, HttpServer, call, http, ping, serve, token_of,
};
use crate::server::Server;

/// The most connections that a server has.
const MOST: usize = 1000;

/// A page that is not answered before it is let go.
struct Held {
    server: Server,
    gate: Arc<(Mutex<bool>, Condvar)>,
    asked: Arc<AtomicUsize>,
}

impl Held {
    fn new() -> Self {
        let gate = Arc::new((Mutex::new(false), Condvar::new()));
        let asked = Arc::new(AtomicUsize::new(0));
        let (wait, count) = (Arc::clone(&gate), Arc::clone(&asked));
        let server = Server::start(move |_, connection| {
            count.fetch_add(1, Ordering::SeqCst);
            let (open, opened) = &*wait;
            let open = open.lock().unwrap();
            drop(opened.wait_while(open, |open| !*open).unwrap());
            connection.write_all(&crate::server::page("held for a while"))
        });
        Self {
            server,
            gate,
            asked,
        }
    }

    fn call(&self) -> Value {
        call("web_fetch", &json!({"url": self.server.url("/")}))
    }

    /// Waits until so many have asked for it.
    fn is_asked(&self, times: usize) -> bool {
        crate::common::eventually(|| self.asked.load(Ordering::SeqCst) >= times)
    }

    fn let_go(&self) {
        *self.gate.0.lock().unwrap() = true;
        self.gate.1.notify_all();
    }
}

fn bearer(name: &str) -> String {
    format!("Bearer {}", token_of(name))
}

/// Raises this process's own limit of open files, and says whether there may be so many.
fn may_open(files: u64) -> bool {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limits = getrlimit(Resource::Nofile);
    if limits.current.is_some_and(|current| current < files) {
        limits.current = limits
            .maximum
            .map_or(Some(files), |most| Some(most.min(files)));
        setrlimit(Resource::Nofile, limits).unwrap();
    }
    getrlimit(Resource::Nofile)
        .current
        .is_none_or(|current| current >= files)
}

#[test]
fn a_holder_has_so_many_calls_at_once_and_others_have_theirs() {
    let held = Held::new();
    let server = http(&["--allow-private", "--calls-at-once", "2"])
        .tokens(&["anna", "ben"])
        .start();
    let (anna, ben) = (bearer("anna"), bearer("ben"));
    let of = |token: &str| {
        let mut connection = server.connect();
        connection.send_message(&[("Authorization", token)], &held.call());
        connection
    };
    let mut first = of(&anna);
    let second = of(&anna);
    assert!(held.is_asked(2));
    let mut third = held.call();
    third["id"] = json!("third");
    let refused = server.post(&[("Authorization", &anna)], &third);
    assert_eq!(
        (refused.status, refused.header("retry-after")),
        (429, Some("1"))
    );
    assert_eq!(refused.error_code(), -32000);
    assert_eq!(refused.json()["id"], "third");
    let said = refused.json()["error"]["message"].to_string();
    said.assert_row("mcp_http", "too many calls at once");
    // Another holder is not concerned, and neither are other requests.
    let mut other = of(&ben);
    assert!(held.is_asked(3));
    assert_eq!(
        server.post(&[("Authorization", &anna)], &ping()).status,
        200
    );
    // Whoever hangs up has one call less.
    drop(second);
    let mut fourth = loop {
        let mut connection = of(&anna);
        connection.patience(Duration::from_millis(300));
        match connection.head() {
            Ok(answer) => assert_eq!(answer.status, 429),
            Err(_) => break connection,
        }
    };
    held.let_go();
    fourth.patience(Duration::from_secs(20));
    for connection in [&mut first, &mut other, &mut fourth] {
        let answer = connection.answer().unwrap();
        assert!(answer.text().contains("held for a while"), "{answer:?}");
    }
}

#[test]
fn a_holder_has_so_many_calls_a_second_and_is_told_when_to_come_again() {
    let server = http(&["--calls-per-second", "3"])
        .tokens(&["anna", "ben"])
        .start();
    let mut connection = server.connect();
    let (anna, ben) = (bearer("anna"), bearer("ben"));
    let bad = call("web_fetch", &json!({"url": "x:"}));
    let statuses = |connection: &mut Connection, token: &str, message: &Value, times: usize| {
        let mut answers: Vec<Answer> = Vec::new();
        for _ in 0..times {
            answers.push(connection.post(&[("Authorization", token)], message));
        }
        answers
    };
    let begin = Instant::now();
    let answers = statuses(&mut connection, &anna, &call("no_tool", &json!({})), 6);
    if begin.elapsed() < Duration::from_millis(300) {
        assert!(
            answers[..3].iter().all(|answer| answer.status == 200),
            "{answers:?}"
        );
        let last = &answers[5];
        assert_eq!((last.status, last.header("retry-after")), (429, Some("1")));
        let said = last.json()["error"]["message"].to_string();
        said.assert_row("mcp_http", "too many calls a second");
        assert_eq!(last.json()["id"], 1);
    } else {
        crate::common::skip("the machine is too slow to make six requests in 0.3 seconds");
    }
    assert_eq!(statuses(&mut connection, &ben, &bad, 1)[0].status, 200);
    let pings = statuses(&mut connection, &anna, &ping(), 20);
    assert!(pings.iter().all(|answer| answer.status == 200));
    sleep(Duration::from_millis(400));
    assert_eq!(statuses(&mut connection, &anna, &bad, 1)[0].status, 200);
}

#[test]
fn a_body_of_four_mebibytes_is_taken_and_no_larger_one() {
    let server = serve(&[]);
    let body = |length: usize| {
        let mut body = ping().to_string().into_bytes();
        body.resize(length, b' ');
        body
    };
    let limit = 4 * 1024 * 1024;
    assert_eq!(
        server.request("POST /mcp", &HEADERS, &body(limit)).status,
        200
    );
    let refused = server.request("POST /mcp", &HEADERS, &body(limit + 1));
    assert_eq!(refused.status, 413);
    refused.error_code();
    assert_eq!(refused.header("connection"), Some("close"));
    // One whose length is not said beforehand.
    let mut connection = server.connect();
    let chunked = [&HEADERS[..], &[("Transfer-Encoding", "chunked")]].concat();
    connection.send("POST /mcp", &chunked, b"").unwrap();
    let chunk = [
        b"100000\r\n".to_vec(),
        vec![b' '; 0x10_0000],
        b"\r\n".to_vec(),
    ]
    .concat();
    for _ in 0..5 {
        if connection.write(&chunk).is_err() {
            break;
        }
    }
    assert_eq!(connection.head().unwrap().status, 413);
    assert_eq!(server.post(&[], &ping()).status, 200);
}

#[test]
fn headers_are_bounded_in_size_and_number() {
    let server = serve(&[]);
    let long = "x".repeat(17 * 1024);
    let answer = server.request("POST /mcp", &[("X-Long", &long)], b"{}");
    assert_eq!(answer.status, 431);
    let many: Vec<(String, String)> = (0..101)
        .map(|n| (format!("X-{n}"), String::new()))
        .collect();
    let many: Vec<(&str, &str)> = many.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
    assert_eq!(server.request("POST /mcp", &many, b"{}").status, 431);
    let fine = [&HEADERS[..], &many[..90]].concat();
    assert_eq!(
        server
            .request("POST /mcp", &fine, ping().to_string().as_bytes())
            .status,
        200
    );
}

#[test]
fn whoever_does_not_finish_is_not_waited_for() {
    let server = serve(&[]);
    let begin = Instant::now();
    let mut silent = server.connect();
    let mut slow = server.connect();
    let mut second = server.connect();
    let mut body = server.connect();
    assert_eq!(second.post(&[], &ping()).status, 200);
    slow.write(b"POST /mcp HTTP/1.1\r\nHost: ").unwrap();
    second.write(b"POST /mcp HTTP/1.1\r\nHost: ").unwrap();
    let length = [&HEADERS[..], &[("Content-Length", "100")]].concat();
    body.send("POST /mcp", &length, b"{").unwrap();
    let mut idle = server.connect();
    assert_eq!(idle.post(&[], &ping()).status, 200);
    for _ in 0..8 {
        sleep(Duration::from_secs(1));
        // A byte now and then is not enough.
        let _ = slow.write(b"l");
        let _ = second.write(b"l");
    }
    for connection in [&mut silent, &mut slow, &mut second] {
        assert!(connection.is_closed_within(Duration::from_secs(5)));
    }
    assert!(
        begin.elapsed() > Duration::from_secs(9),
        "{:?}",
        begin.elapsed()
    );
    // One that has had an answer may be silent for longer, and a body has longer.
    assert_eq!(idle.post(&[], &ping()).status, 200);
    let refused = body.answer().unwrap();
    assert_eq!(refused.status, 408);
    refused.error_code();
    let took = begin.elapsed().as_secs();
    assert!((29..36).contains(&took), "{took}");
}

#[test]
fn an_answer_that_nobody_reads_ends_its_connection() {
    let server = serve(&["--calls-per-second", "100000"]);
    let mut connection = server.connect();
    let list = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/list"}).to_string();
    let headers = HEADERS
        .map(|(name, value)| format!("{name}: {value}\r\n"))
        .concat();
    let one = format!(
        "POST /mcp HTTP/1.1\r\nHost: {}\r\n{headers}Content-Length: {}\r\n\r\n{list}",
        server.host(),
        list.len()
    );
    connection
        .socket()
        .set_write_timeout(Some(Duration::from_secs(1)))
        .unwrap();
    let begin = Instant::now();
    // Until neither side's buffers take any more.
    while connection.write(one.as_bytes()).is_ok() {
        assert!(begin.elapsed() < Duration::from_secs(60), "it never stops");
    }
    let stuck = Instant::now();
    let open = || {
        let figures = server.request("GET /metrics", &[], b"").text();
        let mut lines = figures.lines();
        let number = lines.find_map(|line| line.strip_prefix("ikigai_connections "));
        number.unwrap().parse::<usize>().unwrap()
    };
    let before = open();
    while open() >= before {
        assert!(
            stuck.elapsed() < Duration::from_secs(45),
            "it is still open"
        );
        sleep(Duration::from_millis(200));
    }
    assert!(
        stuck.elapsed() > Duration::from_secs(20),
        "{:?}",
        stuck.elapsed()
    );
    assert_eq!(server.post(&[], &ping()).status, 200);
}

#[test]
fn where_there_is_no_room_the_oldest_silent_connection_goes() {
    if !may_open(3000) {
        crate::common::skip("this user may not have 3,000 files open");
        return;
    }
    let server = serve(&[]);
    let mut connections: Vec<Connection> = (0..MOST).map(|_| server.connect()).collect();
    let mut newcomer = server.connect();
    assert_eq!(newcomer.post(&[], &ping()).status, 200);
    assert!(connections[0].is_closed_within(Duration::from_secs(2)));
    for connection in [&mut connections[1], &mut newcomer] {
        assert!(!connection.is_closed_within(Duration::from_millis(100)));
    }
}

#[test]
fn where_each_connection_has_a_call_under_way_a_newcomer_is_turned_away() {
    // Half of the files are for connections.
    const FEW: usize = 100;
    let held = Held::new();
    let server = http(&["--allow-private", "--calls-at-once", "1000"])
        .limited("-n 200")
        .start();
    let call = call("scrape_page", &json!({"url": held.server.url("/")}));
    let under_way = || {
        let mut connection = server.connect();
        connection.send_message(&[], &call);
        connection
    };
    let mut connections: Vec<Connection> = (0..FEW).map(|_| under_way()).collect();
    let deadline = Instant::now() + Duration::from_secs(10);
    let refused = loop {
        let mut newcomer = server.connect();
        newcomer.send_message(&[], &ping());
        match newcomer.answer() {
            Ok(answer) if answer.status == 503 => break answer,
            // Some of the others had not been read yet, and one of them had to go.
            _ => connections.push(under_way()),
        }
        assert!(Instant::now() < deadline, "nobody is turned away");
    };
    refused.error_code();
    assert_eq!(refused.header("connection"), Some("close"));
    connections.pop();
    assert!(crate::common::eventually(|| {
        let mut newcomer = server.connect();
        newcomer.send_message(&[], &ping());
        newcomer.answer().is_ok_and(|answer| answer.status == 200)
    }));
}

/// More connections than there are, each with a body of 64 KiB of which the end does not come.
fn half_sent(server: &HttpServer, headers: &[(&str, &str)]) -> Vec<Connection> {
    let headers = [&HEADERS[..], headers, &[("Content-Length", "65536")]].concat();
    let begun = (0..MOST * 3 / 2).filter_map(|_| {
        let mut connection = server.try_connect().ok()?;
        // Whoever is refused is not listened to any further.
        let _ = connection.send("POST /mcp", &headers, &vec![b' '; 60 * 1024]);
        Some(connection)
    });
    begun.collect()
}

#[test]
fn bodies_that_do_not_come_cost_nobody_but_the_holder_of_their_token() {
    if !may_open(4000) {
        crate::common::skip("this user may not have 4,000 files open");
        return;
    }
    let server = http(&["--calls-per-second", "1000"])
        .tokens(&["anna", "ben"])
        .start();
    let ben = bearer("ben");
    let mut kept = Vec::new();
    let slowest = slowest_of_neighbour(&server, || {
        kept = half_sent(&server, &[("Authorization", &ben)]);
        let begin = Instant::now();
        while begin.elapsed() < Duration::from_millis(500) {
            // On connections of their own.
            let asked = Instant::now();
            let answer = server.post(&[("Authorization", &bearer("anna"))], &ping());
            assert_eq!(answer.status, 200);
            assert!(
                asked.elapsed() < Duration::from_secs(5),
                "{:?}",
                asked.elapsed()
            );
        }
    });
    // Requests beyond their share were refused at once, and the others are still waited for.
    let mut refused = 0;
    for connection in &mut kept {
        connection.patience(Duration::from_millis(1));
        if let Ok(answer) = connection.head() {
            let told = (answer.status, answer.header("retry-after"));
            assert_eq!(told, (429, Some("1")));
            refused += 1;
        }
    }
    let memory = server.memory("VmHWM");
    println!("{refused} refused: {memory} KiB, slowest call {slowest:?}");
    assert!(refused >= MOST / 2, "{refused}");
    assert!(memory < 128 * 1024, "{memory} KiB");
    assert!(slowest < Duration::from_secs(5), "{slowest:?}");
    let own = server.post(&[("Authorization", &ben)], &ping());
    assert_eq!(own.status, 429);
    own.error_code();
    drop(kept);
    assert!(crate::common::eventually(|| {
        server.post(&[("Authorization", &ben)], &ping()).status == 200
    }));
}

#[test]
fn without_tokens_bodies_that_do_not_come_make_room_for_others() {
    if !may_open(4000) {
        crate::common::skip("this user may not have 4,000 files open");
        return;
    }
    let server = serve(&[]);
    let _kept = half_sent(&server, &[]);
    // All of it is read.
    sleep(Duration::from_secs(1));
    for _ in 0..20 {
        let mut newcomer = server.connect();
        assert_eq!(newcomer.post(&[], &ping()).status, 200);
    }
}

#[test]
fn large_bodies_of_one_holder_leave_room_for_another_s() {
    let server = http(&[]).tokens(&["anna", "ben"]).start();
    let large = 4 * 1024 * 1024;
    let length = large.to_string();
    let (anna, ben) = (bearer("anna"), bearer("ben"));
    let head = [
        &HEADERS[..],
        &[("Authorization", &ben), ("Content-Length", &length)],
    ]
    .concat();
    let begin = || {
        let mut connection = server.connect();
        connection.send("POST /mcp", &head, b"{").unwrap();
        connection.patience(Duration::from_millis(300));
        connection
    };
    let mut kept: Vec<Connection> = (0..20).map(|_| begin()).collect();
    let answers = kept
        .iter_mut()
        .filter_map(|connection| connection.head().ok());
    let statuses: Vec<u16> = answers.map(|answer| answer.status).collect();
    assert_eq!(statuses, [429; 12]);
    let mut body = ping().to_string().into_bytes();
    body.resize(large, b' ');
    let headers = [&HEADERS[..], &[("Authorization", &anna)]].concat();
    let asked = Instant::now();
    assert_eq!(server.request("POST /mcp", &headers, &body).status, 200);
    assert!(asked.elapsed() < Duration::from_secs(5));
    // Their own small ones go on.
    assert_eq!(server.post(&[("Authorization", &ben)], &ping()).status, 200);
}

/// Calls of a neighbour while something happens: how long the slowest took.
fn slowest_of_neighbour(server: &HttpServer, meanwhile: impl FnOnce()) -> Duration {
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        let neighbour = scope.spawn(|| {
            let mut connection = server.connect();
            let mut slowest = Duration::ZERO;
            while !done.load(Ordering::SeqCst) {
                let begin = Instant::now();
                let answer = connection.post(&[("Authorization", &bearer("anna"))], &ping());
                assert_eq!(answer.status, 200);
                slowest = slowest.max(begin.elapsed());
                sleep(Duration::from_millis(5));
            }
            slowest
        });
        // It ends as well where this fails.
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(meanwhile));
        done.store(true, Ordering::SeqCst);
        let slowest = neighbour.join().unwrap();
        outcome.unwrap_or_else(|failed| std::panic::resume_unwind(failed));
        slowest
    })
}

#[test]
fn ten_thousand_connections_cost_little_memory_and_neighbours_go_on() {
    const TRIED: usize = 10_000;
    let tried = if may_open(TRIED as u64 + 500) {
        TRIED
    } else {
        crate::common::skip(
            "this user may not have 10,500 files open: 2,000 connections are tried",
        );
        2000
    };
    if !may_open(tried as u64 + 500) {
        crate::common::skip("this user may not have 2,500 files open");
        return;
    }
    let server = http(&["--calls-per-second", "1000"])
        .tokens(&["anna"])
        .start();
    let mut kept = Vec::with_capacity(tried);
    let slowest = slowest_of_neighbour(&server, || {
        for number in 0..tried {
            let Ok(mut connection) = server.try_connect() else {
                continue;
            };
            // Some say nothing, some a part of a request.
            if number % 3 == 0 {
                let _ = connection.write(b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nX: y");
            }
            kept.push(connection);
        }
        sleep(Duration::from_millis(500));
    });
    let memory = server.memory("VmHWM");
    println!(
        "{} connections tried: {memory} KiB, slowest call {slowest:?}",
        kept.len()
    );
    assert!(memory < 64 * 1024, "{memory} KiB");
    assert!(slowest < Duration::from_secs(2), "{slowest:?}");
    // Those last made may be waiting for the server to take them, each in another's place.
    let is_open = |connection: &&Connection| {
        connection.socket().set_nonblocking(true).unwrap();
        let read = (&mut connection.socket()).read(&mut [0]);
        read.is_err_and(|error| error.kind() == std::io::ErrorKind::WouldBlock)
    };
    assert!(crate::common::eventually(|| {
        kept.iter().filter(is_open).count() <= MOST
    }));
}

#[test]
fn connections_with_tls_cost_little_memory_too() {
    const TRIED: usize = 1500;
    if !may_open(TRIED as u64 + 500) {
        crate::common::skip("this user may not have 2,000 files open");
        return;
    }
    let tls = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
    let (certificate, key) = (tls.cert.pem(), tls.signing_key.serialize_pem());
    let server = http(&[]).tls(&certificate, &key, &certificate).start();
    let kept: Vec<Connection> = (0..TRIED)
        .filter_map(|_| server.try_connect().ok())
        .collect();
    // And some that never say what TLS begins with.
    #[expect(clippy::disallowed_methods, reason = "a server of the test's own")]
    let silent: Vec<_> = (0..200)
        .map(|_| std::net::TcpStream::connect(server.address()))
        .collect();
    assert_eq!(server.post(&[], &ping()).status, 200);
    let memory = server.memory("VmHWM");
    println!(
        "{} connections with TLS, {} without: {memory} KiB",
        kept.len(),
        silent.len()
    );
    assert!(memory < 64 * 1024, "{memory} KiB");
}

#[test]
fn where_few_files_may_be_open_there_are_fewer_connections_and_calls_go_on() {
    let held = Held::new();
    held.let_go();
    let server = http(&["--allow-private"]).limited("-n 60").start();
    let kept: Vec<Connection> = (0..90).filter_map(|_| server.try_connect().ok()).collect();
    let answer = server.post(&[], &held.call());
    assert!(answer.text().contains("held for a while"), "{answer:?}");
    drop(kept);
    assert_eq!(server.post(&[], &ping()).status, 200);
}
