//! Pages that `search_and_scrape` reads at the same time: how many, for how long, and what they may
//! take.

use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::common::eventually;
use crate::reading::{Home, engine, html};
use crate::server::reply;

const PATHS: [&str; 10] = ["/0", "/1", "/2", "/3", "/4", "/5", "/6", "/7", "/8", "/9"];

fn page(path: &str) -> Vec<u8> {
    html(&format!("Page {path}"), &format!("<p>Words of {path}.</p>"))
}

fn finds(home: &Home, request: &Value) -> Value {
    let answer = home.call_of("search-and-scrape-tool").with(request).run();
    assert_eq!((answer.code(), answer.stderr.as_str()), (0, ""));
    answer.json()
}

#[test]
fn five_pages_are_asked_for_before_one_has_answered_and_never_six() {
    let under_way = Arc::new((Mutex::new((0_usize, 0_usize)), Condvar::new()));
    let server = engine(&PATHS, {
        let under_way = Arc::clone(&under_way);
        move |path, conn| {
            let (count, changed) = &*under_way;
            let mut counted = count.lock().unwrap();
            counted.0 += 1;
            counted.1 = counted.1.max(counted.0);
            changed.notify_all();
            // The first five wait for each other.
            let all_there = |counted: &mut (usize, usize)| counted.1 < 5;
            let (mut counted, _) = changed
                .wait_timeout_while(counted, Duration::from_secs(10), all_there)
                .unwrap();
            counted.0 -= 1;
            drop(counted);
            conn.write_all(&page(path))
        }
    });
    let answer = finds(
        &Home::searching(&server),
        &json!({"query": "words", "num_results": 10}),
    );
    assert_eq!(answer["summary"]["urlsScraped"], 10);
    let (count, _) = &*under_way;
    assert_eq!(*count.lock().unwrap(), (0, 5));
}

#[test]
fn a_silent_server_is_a_failure_of_its_source_when_the_time_is_over() {
    let server = engine(&PATHS[..3], |path, conn| {
        if path == "/1" {
            thread::sleep(Duration::from_secs(20));
        }
        conn.write_all(&page(path))
    });
    let home = Home::searching(&server).set("IKIGAI_MAX_SECONDS", "3");
    let begin = Instant::now();
    let answer = finds(&home, &json!({"query": "words"}));
    assert!(
        begin.elapsed() < Duration::from_secs(4),
        "{:?}",
        begin.elapsed()
    );
    assert_eq!(answer["status"], "partial");
    assert_eq!(answer["summary"]["urlsScraped"], 2);
    let failure = &answer["scrapeFailures"][0];
    assert_eq!(failure["url"], server.url("/1"));
    assert_eq!(
        (&failure["kind"], &failure["retryable"]),
        (&json!("network"), &json!(true))
    );
}

#[test]
fn pages_behind_five_silent_ones_still_have_their_time() {
    let server = engine(&PATHS[..6], |path, conn| {
        if path != "/5" {
            thread::sleep(Duration::from_secs(20));
        }
        conn.write_all(&page(path))
    });
    let home = Home::searching(&server).set("IKIGAI_MAX_SECONDS", "4");
    let answer = finds(&home, &json!({"query": "words", "num_results": 6}));
    assert_eq!(answer["summary"]["urlsFailed"], 5);
    assert_eq!(answer["sources"][0]["url"], server.url("/5"));
}

#[test]
fn a_silent_provider_leaves_no_time_and_that_is_its_failure() {
    let server = crate::server::Server::start(|_, _| {
        thread::sleep(Duration::from_secs(20));
        Ok(())
    });
    let home = Home::searching(&server).set("IKIGAI_MAX_SECONDS", "2");
    let begin = Instant::now();
    let call = home.call_of("search-and-scrape-tool");
    let answer = call.with(&json!({"query": "words"})).run();
    assert_eq!(answer.json()["error_code"], "NETWORK_ERROR");
    assert!(begin.elapsed() < Duration::from_secs(3));
}

#[test]
fn of_large_documents_one_is_converted_at_a_time() {
    let document = format!(
        "{{\\rtf1 {}}}",
        "Words of a document. \\par ".repeat(800_000)
    );
    let document = reply("200 OK\r\nContent-Type: application/rtf", document);
    let room = tempfile::tempdir().unwrap();
    let request = room.path().join("request");
    let wanted = json!({"query": "words", "num_results": 6});
    fs::write(&request, wanted.to_string()).unwrap();
    let measured = || {
        let (document, asked) = (document.clone(), AtomicUsize::new(0));
        let server = engine(&PATHS[..6], move |_, conn| {
            // The first five come at once.
            asked.fetch_add(1, Ordering::Relaxed);
            assert!(eventually(|| asked.load(Ordering::Relaxed) >= 5));
            conn.write_all(&document)
        });
        let home = Home::searching(&server);
        let call = home.call_of("search-and-scrape-tool");
        // Memory that other tests have freed would count as the call's.
        #[cfg(target_env = "gnu")]
        // SAFETY: it only gives back what is free.
        unsafe {
            libc::malloc_trim(0)
        };
        let (answer, kib) = call.run_measured(&request, true);
        assert_eq!(server.asked().len(), 7);
        assert_ne!(answer.json()["status"], "failed");
        kib
    };
    // Five bodies of 20 MB, what one of them becomes, and the texts of those before; of five at a
    // time it is 315 MiB and more. What this process holds for other tests counts, too.
    let mut kib = 0;
    let is_within = eventually(|| {
        kib = measured();
        kib < 288 * 1024
    });
    assert!(is_within, "{kib} KiB");
}
