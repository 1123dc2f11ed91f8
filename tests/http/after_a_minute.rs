//! `ikigai-tools mcp --http`: what ends because nobody has said anything for a minute. The harness
//! begins tests in the order of their names, and these, which take longest, are among the first.

use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::http_server::{http, ping, serve};

#[test]
fn a_connection_that_has_nothing_more_to_say_ends() {
    let server = serve(&[]);
    let mut connection = server.connect();
    assert_eq!(connection.post(&[], &ping()).status, 200);
    sleep(Duration::from_secs(6));
    assert_eq!(connection.post(&[], &ping()).status, 200);
    let begin = Instant::now();
    assert!(connection.is_closed_within(Duration::from_secs(70)));
    assert!(
        begin.elapsed() > Duration::from_secs(57),
        "{:?}",
        begin.elapsed()
    );
}

#[test]
fn refused_tokens_are_a_line_in_the_log_and_at_most_one_a_minute() {
    let all_forms = [&[][..], &["--log", "json"]];
    at_once(&all_forms, |flags| {
        let server = http(flags).tokens(&["anna"]).start();
        let refused = |times: usize| {
            for number in 0..times {
                let token = format!("Bearer token-of-mallory-{number}");
                let answer = server.post(&[("Authorization", &token)], &ping());
                assert_eq!(answer.status, 401);
            }
        };
        let lines = || server.log().matches("a request was refused").count();
        refused(50);
        assert!(server.logs("missing or not in the file of tokens"));
        assert_eq!(lines(), 1, "{}", server.log());
        sleep(Duration::from_secs(61));
        refused(2);
        assert!(server.logs("so were 49 more since the last such line"));
        assert_eq!(lines(), 2, "{}", server.log());
        assert!(!server.log().contains("mallory"), "{}", server.log());
    });
}

/// Does the same with each, side by side.
fn at_once<T: Sync>(all: &[T], each: impl Fn(&T) + Sync) {
    std::thread::scope(|scope| {
        for one in all {
            scope.spawn(|| each(one));
        }
    });
}

#[test]
fn an_idle_session_ends_and_one_with_an_open_stream_does_not() {
    let server = serve(&["--sessions"]);
    let idle = server.client().initialized("2025-11-25").0;
    let listening = server.client().initialized("2025-11-25").0;
    let stream = listening.listen();
    sleep(Duration::from_secs(63));
    assert_eq!(idle.status_of("ping"), 404);
    assert_eq!(listening.status_of("ping"), 200);
    drop(stream);
}
