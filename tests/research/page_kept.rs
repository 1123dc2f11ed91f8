//! The cached answers of `scrape_page`: for how long, for whom, and with a cache that is damaged,
//! full, closed, or used by many at once.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use crate::common::{is_root, skip};
use crate::reading::{Home, article, serving, text};
use crate::server::{Server, page};
use serde_json::{Value, json};

fn ask(server: &Server) -> Value {
    json!({"url": server.url("/page")})
}

#[test]
fn a_page_is_kept_for_an_hour() {
    let server = serving("text/html", article(20));
    let home = Home::new();
    let fresh = home.reads(&ask(&server));
    assert_eq!(
        home.reads(&ask(&server)),
        fresh,
        "what is kept is the same answer"
    );
    home.age(3500);
    assert_eq!(home.reads(&ask(&server)), fresh);
    assert_eq!(server.asked().len(), 1);
    home.age(3601);
    assert_eq!(home.reads(&ask(&server)), fresh);
    assert_eq!(server.asked().len(), 2);
}

#[test]
fn whatever_has_an_effect_is_another_question() {
    let server = serving("text/plain", "word ".repeat(4000));
    let home = Home::new();
    let url = server.url("/page");
    let long = |request: &Value| text(&home.reads(request), "content").len();
    assert!(long(&json!({"url": url, "max_length": 100})) <= 100);
    assert_eq!(long(&json!({"url": url, "max_length": 50_000})), 20_000);
    assert!(long(&json!({"url": url, "mode": "preview"})) <= 5000);
    assert_eq!(long(&json!({"url": url, "mode": "raw"})), 20_000);
    assert_eq!(server.asked().len(), 4);
    // The defaults, given and left out, and a session.
    for same in [
        json!({"url": url}),
        json!({"url": url, "mode": "full", "sessionId": "x"}),
    ] {
        assert_eq!(long(&same), 20_000);
    }
    assert_eq!(server.asked().len(), 4);
}

#[test]
fn nothing_is_kept_or_taken_where_that_is_not_wanted() {
    let server = serving("text/plain", "text");
    let home = Home::new().set("IKIGAI_NO_CACHE", "1");
    for _ in 0..2 {
        home.reads(&ask(&server));
    }
    assert!(home.entries().is_empty());
    assert_eq!(server.asked().len(), 2);
    let home = Home::new();
    home.reads(&ask(&server));
    let shown = home.call().arg("--no-cache").arg(server.url("/page")).run();
    assert_eq!(String::from_utf8(shown.stdout).unwrap().trim_end(), "text");
    assert_eq!(server.asked().len(), 4);
}

#[test]
fn entries_are_sealed_and_for_their_user_alone() {
    let server = serving("text/html", article(20));
    let home = Home::new();
    home.page(&server.url("/page?word=unmistakable"));
    let entries = home.entries();
    assert_eq!(entries.len(), 1);
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&home.cache()), mode(&entries[0])), (0o700, 0o600));
    let bytes = fs::read(&entries[0]).unwrap();
    let shown = String::from_utf8_lossy(&bytes);
    for word in ["unmistakable", "127.0.0.1", "mill", "scrape_page", "html"] {
        assert!(!shown.contains(word), "{word}");
        assert!(!entries[0].to_string_lossy().contains(word));
    }
    let key = home.state().join("ikigai-tools/cache.key");
    assert_eq!((mode(&key), fs::metadata(&key).unwrap().len()), (0o600, 32));
}

#[test]
fn what_is_damaged_is_found_out_anew() {
    let server = serving("text/plain", "text");
    let home = Home::new();
    let whole = home.reads(&ask(&server));
    let path = home.entries().remove(0);
    let sound = fs::read(&path).unwrap();
    let mut turned = sound.clone();
    turned[sound.len() / 2] ^= 1;
    for damaged in [&turned[..], &sound[..sound.len() / 2], b"", &[0; 100]] {
        fs::write(&path, damaged).unwrap();
        assert_eq!(home.reads(&ask(&server)), whole);
    }
    assert_eq!(server.asked().len(), 5);
    fs::write(home.state().join("ikigai-tools/cache.key"), "short").unwrap();
    assert_eq!(home.reads(&ask(&server)), whole);
}

#[test]
fn a_key_in_the_environment_takes_the_file_s_place_and_opens_no_other_entries() {
    let server = serving("text/plain", "text");
    let one = Home::new().set("CACHE_ENCRYPTION_KEY", &"a1".repeat(32));
    one.reads(&ask(&server));
    one.reads(&ask(&server));
    assert_eq!(server.asked().len(), 1);
    assert!(!one.state().join("ikigai-tools/cache.key").exists());
    let other = one.set("CACHE_ENCRYPTION_KEY", &"b2".repeat(32));
    other.reads(&ask(&server));
    assert_eq!(server.asked().len(), 2);
}

#[test]
fn without_a_place_for_a_cache_pages_are_read_all_the_same() {
    let server = serving("text/plain", "text");
    let home = Home::new();
    fs::create_dir_all(home.path().join("cache")).unwrap();
    fs::write(home.cache(), "a file").unwrap();
    assert_eq!(home.reads(&ask(&server))["content"], "text");
    if is_root() {
        skip("root writes into directories that are closed");
        return;
    }
    let home = Home::new();
    home.reads(&ask(&server));
    fs::set_permissions(home.cache(), fs::Permissions::from_mode(0o500)).unwrap();
    let other = json!({"url": server.url("/other")});
    assert_eq!(home.reads(&other)["content"], "text");
    fs::set_permissions(home.cache(), fs::Permissions::from_mode(0o700)).unwrap();
}

#[test]
fn of_many_equal_calls_one_asks() {
    let server = Server::start(|_, conn| {
        std::thread::sleep(Duration::from_millis(300));
        conn.write_all(&page("text"))
    });
    let home = Home::new();
    let calls: Vec<_> = (0..24)
        .map(|_| home.call().with(&ask(&server)).start())
        .collect();
    for call in calls {
        let output = call.wait_with_output().unwrap();
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(answer["content"], "text");
    }
    assert_eq!(server.asked().len(), 1);
    assert_eq!(home.entries().len(), 1, "nothing but the entry is left");
}

#[test]
fn whoever_waits_for_an_equal_call_does_not_take_longer_than_a_call_may() {
    let silent = Server::start(|_, _| {
        std::thread::sleep(Duration::from_secs(10));
        Ok(())
    });
    let home = Home::new();
    let call = || {
        home.call()
            .env("IKIGAI_MAX_SECONDS", "3")
            .with(&ask(&silent))
    };
    let first = call().start();
    let second = call().run();
    assert_eq!(second.json()["success"], false);
    assert!(second.took < Duration::from_secs(5), "{:?}", second.took);
    first.wait_with_output().unwrap();
}
