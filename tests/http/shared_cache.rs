//! What several servers over HTTP share by a Redis: that it is found by all of them, that nothing
//! in it can be read by others, and that nobody waits for it or loses anything when it is slow,
//! full, gone, empty, or somebody else's.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use super::redis_server::Redis;
use crate::common::{self, BINARY, eventually, processes_with};
use crate::providers::{good, kind, server_of, variables};
use crate::reading::{Home, article, refusing, serving};
use crate::server::{Authority, Server, page, reply};
use serde_json::{Value, json};

const KEY: &str = "a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1";

/// How long a call may take beyond what it takes without Redis: the look-ups of one call, and room
/// for a machine that has other work.
const SLACK: Duration = Duration::from_millis(900);

/// A server of tools over HTTP, in a home of its own.
struct Shared {
    home: Home,
    child: Child,
    address: String,
    log: Arc<Mutex<Vec<String>>>,
}

impl Shared {
    fn start(redis: &str) -> Self {
        Self::with(Home::new(), redis, &[])
    }

    fn with(home: Home, redis: &str, variables: &[(&str, &str)]) -> Self {
        let mut command = Command::new(BINARY);
        command
            .args(["mcp", "--http", "127.0.0.1:0", "--allow-private"])
            .args(["--tools", "research"])
            .envs(home.environment())
            .env("CACHE_ENCRYPTION_KEY", KEY)
            .env("IKIGAI_REDIS_URL", redis)
            .envs(variables.iter().copied())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let log: Arc<Mutex<Vec<String>>> = Arc::default();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let written = Arc::clone(&log);
        thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                written.lock().unwrap().push(line);
            }
        });
        let mut server = Self {
            home,
            child,
            address: String::new(),
            log,
        };
        assert!(eventually(|| server.said("listening on ")), "it starts");
        let log = server.log();
        let address = log.split("listening on http://").nth(1).unwrap();
        server.address.push_str(address.split('/').next().unwrap());
        server
    }

    fn log(&self) -> String {
        self.log.lock().unwrap().join("\n")
    }

    fn said(&self, words: &str) -> bool {
        self.log().contains(words)
    }

    /// The most memory that it has had, in KiB.
    fn peak(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmHWM:"));
        let number = line.and_then(|line| line.split_whitespace().nth(1));
        number.unwrap().parse().unwrap()
    }

    /// Waits until the log has these words once more than so often.
    fn says(&self, words: &str, before: usize) {
        let more = || self.log().matches(words).count() > before;
        assert!(eventually(more), "{words}: {}", self.log());
    }

    /// What a request is answered.
    fn ask(&self, method: &str, params: &Value) -> Value {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let body = body.to_string();
        let mut stream = connect(&self.address);
        write!(
            stream,
            "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nAccept: \
             application/json, text/event-stream\r\nMCP-Protocol-Version: 2025-06-18\r\nConnection: \
             close\r\nContent-Length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        )
        .unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let answer = String::from_utf8(answer).unwrap();
        let start = answer.find('{').unwrap_or_else(|| panic!("{answer}"));
        let end = answer.rfind('}').unwrap();
        serde_json::from_str(&answer[start..=end]).unwrap_or_else(|_| panic!("{answer}"))
    }

    fn call(&self, tool: &str, arguments: &Value) -> Value {
        let answer = self.ask("tools/call", &json!({"name": tool, "arguments": arguments}));
        answer["result"].clone()
    }

    /// The text of a page, and whether it was found earlier.
    #[track_caller]
    fn read(&self, url: &str) -> (String, bool) {
        let result = self.call("scrape_page", &json!({"url": url}));
        assert_ne!(result["isError"], true, "{result}");
        let text = result["content"][0]["text"].as_str().unwrap();
        let cached = result["_meta"]["cached"].as_bool();
        (text.to_owned(), cached.expect("an answer says its age"))
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[expect(clippy::disallowed_methods, reason = "to the test's own server")]
fn connect(address: &str) -> TcpStream {
    TcpStream::connect(address).unwrap()
}

/// Two servers that share a Redis.
fn two() -> Option<(Redis, Shared, Shared)> {
    let redis = Redis::start()?;
    let one = Shared::start(&redis.url());
    let other = Shared::start(&redis.url());
    Some((redis, one, other))
}

const COMES: &str = "Redis answers: the cache is shared";
const GOES: &str = "Redis is not to be had";

#[test]
fn what_one_server_found_the_other_answers_and_nothing_in_it_can_be_read() {
    let Some((redis, one, other)) = two() else {
        return;
    };
    let site = serving("text/html", article(20));
    let url = site.url("/page?word=unmistakable");
    let (text, cached) = one.read(&url);
    assert!(text.contains("What lay under the mill") && !cached);
    assert!(eventually(|| redis.keys().len() == 1));
    assert_eq!(other.read(&url), (text.clone(), true));
    assert_eq!(one.read(&url), (text, true));
    assert_eq!(site.asked().len(), 1);
    let keys = redis.keys();
    assert_eq!(keys.len(), 1, "{keys:?}");
    let name = keys[0].strip_prefix("ikigai-tools:1:").unwrap();
    assert!(name.len() == 64 && name.bytes().all(|byte| byte.is_ascii_hexdigit()));
    let value = String::from_utf8_lossy(&redis.value(&keys[0])).into_owned();
    for word in ["unmistakable", "127.0.0.1", "mill", "scrape_page", "html"] {
        assert!(!value.contains(word), "{word}");
    }
    let redis::Value::Int(left) = redis.ask(&["PTTL", &keys[0]]) else {
        panic!("a key expires");
    };
    assert!((3_500_000..=3_600_000).contains(&left), "{left}");
}

#[test]
fn an_age_is_the_entry_s_and_not_the_server_s() {
    let Some((redis, one, other)) = two() else {
        return;
    };
    let site = serving("text/plain", "text");
    let url = site.url("/page");
    one.read(&url);
    // As if twenty minutes had passed.
    redis.ask(&["PEXPIRE", &redis.keys()[0], "2400000"]);
    let result = other.call("scrape_page", &json!({"url": url}));
    let age = result["_meta"]["ageSeconds"].as_u64().unwrap();
    assert!((1200..1230).contains(&age), "{result}");
    assert_eq!(site.asked().len(), 1);
}

#[test]
fn failures_are_shared_for_as_long_as_they_are_kept() {
    let Some((redis, one, other)) = two() else {
        return;
    };
    let site = refusing("404 Not Found", "<p>nothing here</p>");
    let asked = json!({"url": site.url("/page")});
    for server in [&one, &other] {
        let result = server.call("scrape_page", &asked);
        assert_eq!(result["isError"], true, "{result}");
    }
    assert_eq!(site.asked().len(), 1);
    let redis::Value::Int(left) = redis.ask(&["PTTL", &redis.keys()[0]]) else {
        panic!("a key expires");
    };
    assert!((590_000..=600_000).contains(&left), "{left}");
}

#[test]
fn a_provider_that_one_server_leaves_alone_is_left_alone_by_the_other() {
    let Some(redis) = Redis::start() else {
        return;
    };
    let refusing = Server::bytes(reply(
        "429 Too Many Requests\r\nContent-Type: application/json",
        "{}",
    ));
    let exa = server_of("exa");
    let mut all = variables("brave", &refusing.url("/search"));
    all.extend(variables("exa", &exa.url("/search")));
    all.push(("SEARCH_ROUTING".to_owned(), "brave,exa".to_owned()));
    let all: Vec<(&str, &str)> = all.iter().map(|(n, v)| (&**n, &**v)).collect();
    let one = Shared::with(Home::new(), &redis.url(), &all);
    let other = Shared::with(Home::new(), &redis.url(), &all);
    let found = one.call("web_search", &json!({"query": "one thing"}));
    assert!(found.to_string().contains(good("exa").first[1]), "{found}");
    let before = refusing.asked().len();
    assert!(before >= 1);
    let found = other.call("web_search", &json!({"query": "another thing"}));
    assert!(found.to_string().contains(good("exa").first[1]), "{found}");
    assert_eq!(refusing.asked().len(), before, "it is left alone");
    for key in redis.keys() {
        let value = String::from_utf8_lossy(&redis.value(&key)).into_owned();
        assert!(!value.contains("thing") && !value.contains(kind("exa")));
        let redis::Value::Int(left) = redis.ask(&["PTTL", &key]) else {
            panic!("a key expires");
        };
        assert!(left > 0, "{key}");
    }
}

#[test]
fn a_large_result_is_read_at_either_server() {
    let Some((redis, one, other)) = two() else {
        return;
    };
    let site = serving("text/plain", "unmistakable ".repeat(3000));
    let asked = json!({"url": site.url("/page"), "mode": "raw"});
    let result = one.call("scrape_page", &asked);
    let link = result["content"].as_array().unwrap();
    let link = link.iter().find(|part| part["type"] == "resource_link");
    let uri = link.unwrap_or_else(|| panic!("{result}"))["uri"].clone();
    for server in [&one, &other] {
        let answer = server.ask("resources/read", &json!({"uri": uri}));
        let text = answer["result"]["contents"][0]["text"].as_str();
        assert!(text.is_some_and(|text| text.contains("unmistakable unmistakable")));
    }
    // Whatever Redis has at that address, what is not the content is not shown.
    let strange = Shared::start(&redis.url());
    for key in redis.keys() {
        redis.set(&key, b"damaged");
    }
    let answer = strange.ask("resources/read", &json!({"uri": uri}));
    assert!(answer["error"].is_object(), "{answer}");
}

#[test]
fn one_of_equal_calls_at_two_servers_goes_out() {
    let Some((redis, one, other)) = two() else {
        return;
    };
    let site = Server::start(|_, conn| {
        thread::sleep(Duration::from_millis(1500));
        conn.write_all(&page("text"))
    });
    let url = site.url("/page");
    thread::scope(|scope| {
        for number in 0..8 {
            let server = if number % 2 == 0 { &one } else { &other };
            let url = &url;
            scope.spawn(move || assert!(server.read(url).0.contains("text")));
        }
    });
    assert_eq!(site.asked().len(), 1);
    // The turn is given back.
    assert!(eventually(|| redis.keys().len() == 1), "{:?}", redis.keys());
}

#[test]
fn a_redis_that_stands_still_costs_no_more_than_its_time_and_comes_back() {
    let Some((redis, one, other)) = two() else {
        return;
    };
    let site = serving("text/plain", "text");
    let first = site.url("/first");
    one.read(&first);
    redis.pause();
    for path in ["/a", "/b", "/c"] {
        for server in [&one, &other] {
            let begin = Instant::now();
            assert!(!server.read(&site.url(path)).1);
            assert!(begin.elapsed() < SLACK, "{:?}", begin.elapsed());
            let begin = Instant::now();
            assert!(server.read(&site.url(path)).1, "its own is there");
            assert!(begin.elapsed() < SLACK, "{:?}", begin.elapsed());
        }
    }
    assert!(one.read(&first).1);
    one.says(GOES, 0);
    other.says(GOES, 0);
    redis.resume();
    let begin = Instant::now();
    one.says(COMES, 1);
    other.says(COMES, 1);
    assert!(begin.elapsed() < Duration::from_secs(4));
    one.read(&site.url("/d"));
    assert!(other.read(&site.url("/d")).1);
}

#[test]
fn nothing_is_lost_when_redis_is_killed_and_comes_back_empty() {
    let Some((mut redis, one, other)) = two() else {
        return;
    };
    let site = serving("text/plain", "text");
    one.read(&site.url("/before"));
    redis.kill();
    one.says(GOES, 0);
    assert!(!one.read(&site.url("/meanwhile")).1);
    assert!(one.read(&site.url("/before")).1);
    redis.run();
    let begin = Instant::now();
    one.says(COMES, 1);
    other.says(COMES, 1);
    assert!(begin.elapsed() < Duration::from_secs(4));
    assert!(redis.keys().is_empty());
    for path in ["/before", "/meanwhile"] {
        assert!(one.read(&site.url(path)).1, "{path}");
    }
    one.read(&site.url("/after"));
    assert!(other.read(&site.url("/after")).1);
    // A server that was started anew has its files.
    let home = std::mem::replace(&mut { one }.home, Home::new());
    let again = Shared::with(home, &redis.url(), &[]);
    assert!(again.read(&site.url("/before")).1);
}

#[test]
fn a_server_starts_without_redis_and_finds_it_later() {
    let Some(mut redis) = Redis::prepared() else {
        return;
    };
    let one = Shared::start(&redis.url());
    let other = Shared::start(&redis.url());
    let site = serving("text/plain", "text");
    assert!(!one.read(&site.url("/a")).1);
    one.says("connection refused", 0);
    redis.run();
    one.says(COMES, 0);
    other.says(COMES, 0);
    one.read(&site.url("/b"));
    assert!(other.read(&site.url("/b")).1);
    assert_eq!(one.log().matches(GOES).count(), 1, "{}", one.log());
}

#[test]
fn what_takes_connections_and_says_nothing_is_no_redis() {
    let silent = Server::raw(|mut stream| {
        let _ = stream.read(&mut [0; 1024]);
        thread::sleep(Duration::from_secs(30));
    });
    let begin = Instant::now();
    let one = Shared::start(&format!("redis://127.0.0.1:{}", silent.port()));
    assert!(begin.elapsed() < Duration::from_secs(2));
    let site = serving("text/plain", "text");
    let begin = Instant::now();
    assert!(!one.read(&site.url("/a")).1);
    assert!(begin.elapsed() < SLACK, "{:?}", begin.elapsed());
    one.says("it did not answer within a second", 0);
}

/// A server that answers as Redis does until it is asked for an entry, and then sends this `reply`,
/// over and over if `again` is set.
fn hostile(reply: &'static [u8], again: bool) -> Server {
    Server::raw(move |mut stream| {
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let mut line = String::new();
        while reader.read_line(&mut line).is_ok_and(|read| read > 0) {
            let asked = std::mem::take(&mut line);
            let answer: &[u8] = match asked.trim() {
                "PING" => b"+PONG\r\n",
                "SETINFO" => b"+OK\r\n",
                "PTTL" => {
                    let mut said = stream.write_all(reply);
                    let flood = vec![b'x'; 64 * 1024];
                    while said.is_ok() {
                        said = stream.write_all(if again { reply } else { &flood });
                    }
                    return;
                }
                _ => continue,
            };
            if stream.write_all(answer).is_err() {
                return;
            }
        }
    })
}

#[test]
fn what_announces_more_than_an_entry_costs_no_memory_and_no_call() {
    let site = serving("text/plain", "text");
    for (number, (reply, again)) in [
        (&b"$8589934592\r\n"[..], false),
        (b":1\r\n$8589934592\r\n", false),
        (b":1\r\n$18000000\r\n", false),
        (b"*2147483647\r\n$1\r\nx\r\n", false),
        (b"*1\r\n", true),
        (b"+no end", false),
        (b":", false),
        (b"=8589934592\r\ntxt:", false),
        (b"%2147483647\r\n", false),
        (b"|1\r\n+a\r\n+b\r\n", true),
        (b">2\r\n+message\r\n+x\r\n", true),
        (b"+OK\r\n", true),
        (b"\0", false),
    ]
    .into_iter()
    .enumerate()
    {
        let redis = hostile(reply, again);
        let one = Shared::start(&format!("redis://127.0.0.1:{}", redis.port()));
        one.says(COMES, 0);
        let before = one.peak();
        for path in ["a", "b", "c"] {
            let begin = Instant::now();
            let url = site.url(&format!("/{number}{path}"));
            assert!(!one.read(&url).1);
            assert!(begin.elapsed() < SLACK, "{:?}", begin.elapsed());
        }
        one.says(GOES, 0);
        let grown = one.peak() - before;
        let shown = String::from_utf8_lossy(reply);
        println!("{shown:?}: {grown} KiB");
        assert!(grown < 8 * 1024, "{shown:?}: {grown} KiB");
    }
}

#[test]
fn what_is_under_another_key_damaged_or_no_entry_is_not_there() {
    let Some((redis, one, other)) = two() else {
        return;
    };
    let site = serving("text/plain", "text");
    let url = site.url("/page");
    let text = one.read(&url).0;
    let stranger = [("CACHE_ENCRYPTION_KEY", &*KEY.replace('a', "b"))];
    let stranger = Shared::with(Home::new(), &redis.url(), &stranger);
    assert_eq!(stranger.read(&url), (text.clone(), false));
    let keys = redis.keys();
    assert_eq!((keys.len(), site.asked().len()), (2, 2));
    // The other's value, and a damaged one.
    let values: Vec<Vec<u8>> = keys.iter().map(|key| redis.value(key)).collect();
    for value in [
        &values[0],
        &values[1],
        &values[0][1..].to_vec(),
        &Vec::new(),
    ] {
        for key in &keys {
            redis.set(key, value);
        }
        redis.set(&keys[1], &values[0]);
        redis.set(&keys[0], &values[1]);
        let fresh = Shared::start(&redis.url());
        assert_eq!(fresh.read(&url), (text.clone(), false));
    }
    for key in redis.keys() {
        redis.ask(&["DEL", &key]);
        redis.ask(&["LPUSH", &key, "x"]);
    }
    assert_eq!(other.read(&url), (text.clone(), false));
    // It has put its own in their place.
    assert_eq!(Shared::start(&redis.url()).read(&url), (text, true));
    assert!(!other.said(GOES), "{}", other.log());
}

#[test]
fn a_full_redis_is_no_place_for_entries_and_no_reason_to_fail() {
    let Some((redis, one, other)) = two() else {
        return;
    };
    let site = serving("text/plain", "text");
    redis.ask(&["CONFIG", "SET", "maxmemory", "1"]);
    assert!(!one.read(&site.url("/a")).1);
    one.says("Redis takes no entries (it answers OOM)", 0);
    assert!(one.read(&site.url("/a")).1);
    assert!(!other.read(&site.url("/a")).1);
    redis.ask(&["CONFIG", "SET", "maxmemory", "0"]);
    one.read(&site.url("/b"));
    one.says("Redis takes entries again", 0);
    assert!(other.read(&site.url("/b")).1);
    assert!(!one.said(GOES), "{}", one.log());
}

#[test]
fn a_password_is_given_and_never_shown() {
    let Some(redis) = Redis::with_password("s3cret-word") else {
        return;
    };
    let site = serving("text/plain", "text");
    let one = Shared::start(&redis.url());
    let other = Shared::start(&redis.url());
    one.read(&site.url("/a"));
    assert!(other.read(&site.url("/a")).1);
    for wrong in [redis.url_with("wr0ng-word"), redis.url_with("")] {
        let none = Shared::start(&wrong);
        assert!(!none.read(&site.url("/a")).1);
        none.says("password", 0);
        for part in ["s3cret", "wr0ng", wrong.rsplit(':').next().unwrap()] {
            assert!(!none.said(part), "{}", none.log());
        }
    }
}

#[test]
fn tls_is_spoken_with_whom_the_system_trusts() {
    let authority = Authority::new();
    let stranger = Authority::new();
    let (certificate, key) = authority.pems(&["localhost"], (2020, 2060));
    let Some(redis) = Redis::with_tls(&certificate, &key) else {
        return;
    };
    let place = common::directory();
    let trusting = |authority: &Authority, name: &str| {
        let file = place.path().join(name);
        fs::write(&file, authority.pem()).unwrap();
        file.to_str().unwrap().to_owned()
    };
    let trusted = trusting(&authority, "trusted.pem");
    let other = trusting(&stranger, "other.pem");
    let site = serving("text/plain", "text");
    let start = |url: &str, file: &str| Shared::with(Home::new(), url, &[("SSL_CERT_FILE", file)]);
    start(&redis.url_by_name(), &trusted).read(&site.url("/a"));
    assert!(
        start(&redis.url_by_name(), &trusted)
            .read(&site.url("/a"))
            .1
    );
    // Another authority, and another name.
    for (url, file) in [(redis.url_by_name(), &other), (redis.url(), &trusted)] {
        let none = start(&url, file);
        assert!(!none.read(&site.url("/a")).1);
        none.says("its certificate is not trusted", 0);
    }
    let plain = redis.url_by_name().replace("rediss", "redis");
    let none = start(&plain, &trusted);
    assert!(!none.read(&site.url("/a")).1);
    none.says(GOES, 0);
}

#[test]
fn a_turn_of_a_server_that_was_killed_ends() {
    let Some((redis, mut one, other)) = two() else {
        return;
    };
    let site = Server::start(|asked, conn| {
        // Whoever asks first is kept waiting.
        if asked.target.ends_with("/page") {
            thread::sleep(Duration::from_secs(20));
        }
        conn.write_all(&page("text"))
    });
    let url = site.url("/page");
    let asked = json!({"url": url});
    let first = json!({"name": "scrape_page", "arguments": asked});
    let address = one.address.clone();
    let asking = thread::spawn(move || {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": first});
        let body = body.to_string();
        let mut stream = connect(&address);
        let _ = write!(
            stream,
            "POST /mcp HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nAccept: \
             application/json, text/event-stream\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let _ = stream.read_to_end(&mut Vec::new());
    });
    assert!(eventually(|| !site.asked().is_empty()));
    let turn = |key: &String| key.starts_with("ikigai-tools:1:turn:");
    assert!(redis.keys().iter().any(turn), "{:?}", redis.keys());
    one.child.kill().unwrap();
    one.child.wait().unwrap();
    let killed = Instant::now();
    asking.join().unwrap();
    let asking = thread::spawn(move || {
        other.call("scrape_page", &asked);
    });
    assert!(eventually(|| site.asked().len() == 2), "it is asked again");
    assert!(
        killed.elapsed() < Duration::from_secs(7),
        "{:?}",
        killed.elapsed()
    );
    drop(site);
    asking.join().unwrap();
}

#[test]
fn a_call_s_process_has_neither_the_key_nor_the_address() {
    let Some(redis) = Redis::start() else {
        return;
    };
    let passed = [("IKIGAI_PASS_KEYS", "1")];
    for variables in [&[][..], &passed] {
        let one = Shared::with(Home::new(), &redis.url(), variables);
        let (sent, waits) = std::sync::mpsc::channel::<()>();
        let waits = Mutex::new(waits);
        let site = Server::start(move |_, conn| {
            let _ = waits.lock().unwrap().recv_timeout(Duration::from_secs(10));
            conn.write_all(&page("text"))
        });
        let url = site.url("/page");
        thread::scope(|scope| {
            let asking = scope.spawn(|| one.read(&url));
            assert!(eventually(|| !site.asked().is_empty()));
            let call = processes_with("--call")
                .into_iter()
                .find(|id| parent(*id) == Some(one.child.id()))
                .expect("a call has a socket to its server");
            // An ordinary user reads none of a process that has keys.
            let environment = fs::read(format!("/proc/{call}/environ"));
            let is_root = rustix::process::geteuid().is_root();
            assert_eq!(environment.is_ok(), is_root, "{environment:?}");
            let environment = environment.unwrap_or_default();
            let environment = String::from_utf8_lossy(&environment).into_owned();
            assert_eq!(environment.contains("HOME="), is_root);
            assert!(!environment.contains(KEY) && !environment.contains("redis:"));
            sent.send(()).unwrap();
            assert_eq!(asking.join().unwrap().0.trim().lines().next(), Some("text"));
        });
        assert!(one.read(&url).1);
    }
}

fn parent(id: u32) -> Option<u32> {
    let status = fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("PPid:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

#[test]
fn a_server_whose_tools_keep_no_answers_has_nothing_to_share() {
    let home = Home::new();
    let output = Command::new(BINARY)
        .args(["mcp", "--tools", "local,web"])
        .envs(home.environment())
        .env("IKIGAI_REDIS_URL", "nonsense")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && said.is_empty(), "{said}");
}

#[test]
fn a_server_on_stdio_shares_as_well() {
    let Some((redis, one, _other)) = two() else {
        return;
    };
    let site = serving("text/plain", "text");
    let url = site.url("/page");
    one.read(&url);
    let home = Home::new();
    let answer = on_stdio(&home, &[], &redis.socket(), &url);
    assert_eq!(answer["result"]["_meta"]["cached"], true, "{answer}");
    assert_eq!(site.asked().len(), 1);
}

#[test]
fn what_confined_calls_can_change_is_no_place_for_a_server_s_files() {
    let Some(redis) = Redis::start() else {
        return;
    };
    let site = serving("text/plain", "text");
    for (root, kept) in [(true, false), (false, true)] {
        let home = Home::new();
        let place = common::directory();
        let root = if root { home.path() } else { place.path() };
        let args = ["--root", root.to_str().unwrap()];
        let url = site.url(if kept { "/kept" } else { "/shared" });
        for cached in [false, true] {
            let answer = on_stdio(&home, &args, &redis.url(), &url);
            assert_eq!(answer["result"]["_meta"]["cached"], cached, "{answer}");
        }
        // Memory that all processes share is open to confined calls as well.
        let kept = kept && !home.path().starts_with("/dev/shm");
        assert_eq!(!home.entries().is_empty(), kept);
    }
}

/// What a server on stdio with these flags answers who asks for a page.
fn on_stdio(home: &Home, args: &[&str], redis: &str, url: &str) -> Value {
    let mut child = Command::new(BINARY)
        .args(["mcp", "--tools", "research"])
        .args(args)
        .envs(home.environment())
        .env("CACHE_ENCRYPTION_KEY", KEY)
        .env("IKIGAI_REDIS_URL", redis)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut ask = |message: Value| {
        writeln!(input, "{message}").unwrap();
        let mut line = String::new();
        if message.get("id").is_some() {
            output.read_line(&mut line).unwrap();
        }
        line
    };
    ask(
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"}}}),
    );
    ask(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    let answer = ask(json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call",
        "params": {"name": "scrape_page", "arguments": {"url": url}}}));
    drop(input);
    assert!(child.wait().unwrap().success());
    serde_json::from_str(&answer).unwrap()
}
