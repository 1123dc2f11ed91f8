//! The cache in Redis, tested by itself.

use super::*;
use crate::cache::CacheQuestion;

const SECRET: &str = "0707070707070707070707070707070707070707070707070707070707070707";

/// A cache whose Redis does not answer.
fn nowhere(secret: &str) -> RedisCache {
    let address = RedisAddress::read("redis://127.0.0.1:1").unwrap();
    RedisCache {
        address,
        tls: None,
        keys: EntryKeys::from_digits(secret).unwrap(),
        log: Box::new(|_| {}),
        link: Mutex::new(RedisLink {
            connection: None,
            number: 0,
            sharing: SharingState {
                is_up: false,
                since: SystemTime::now(),
                why: None,
                refuses: None,
            },
        }),
        broken: Notify::new(),
    }
}

fn sealed(redis: &RedisCache, name: &RedisKey, good_for: Duration) -> Vec<u8> {
    let mut text = milliseconds(good_for).to_le_bytes().to_vec();
    text.extend_from_slice(b"bytes");
    redis.keys.sealing.close(&name.0, &text).unwrap()
}

#[test]
fn addresses_are_read_and_tls_that_checks_nothing_is_none() {
    for (address, tls) in [
        ("redis://127.0.0.1", false),
        (" redis://user:pass@host:7000/3\n", false),
        ("rediss://:p%40ss@[::1]:6380", true),
        ("valkeys://host", true),
        ("unix:///run/redis.sock", false),
    ] {
        assert_eq!(RedisAddress::read(address).unwrap().speaks_tls(), tls);
    }
    let read = RedisAddress::read("rediss://:p%40ss@host:6380/2").unwrap();
    assert!(matches!(&read.place, address::RedisPlace::Tcp(host, 6380) if host == "host"));
    assert_eq!((read.user.password(), read.user.db()), (Some("p@ss"), 2));
    assert!(!format!("{read:?}").contains("host"));
    for wrong in [
        "",
        "localhost:6379",
        "http://host",
        "redis://",
        "redis://host/x",
        "rediss://host/#insecure",
    ] {
        assert!(RedisAddress::read(wrong).is_none(), "{wrong}");
    }
}

#[test]
fn an_age_is_what_it_is_good_for_without_what_is_left_of_that() {
    let redis = nowhere(SECRET);
    let name = redis.name(&CacheQuestion::new("x", 1));
    let seconds = Duration::from_secs;
    let value = sealed(&redis, &name, seconds(60));
    let entry = redis.opened(&name, &value, seconds(45), seconds(60));
    let entry = entry.unwrap();
    assert_eq!((entry.age, &entry.bytes[..]), (seconds(15), &b"bytes"[..]));
    assert_eq!(redis.opened(&name, &value, seconds(45), seconds(15)), None);
    // Its expiry was set to later than it was meant to be.
    assert_eq!(redis.opened(&name, &value, seconds(61), seconds(600)), None);
}

#[test]
fn what_is_damaged_another_s_or_under_another_key_is_not_there() {
    let redis = nowhere(SECRET);
    let name = redis.name(&CacheQuestion::new("x", 1));
    let minute = Duration::from_secs(60);
    let value = sealed(&redis, &name, minute);
    for end in 0..value.len() {
        assert_eq!(redis.opened(&name, &value[..end], minute, minute), None);
    }
    let other = redis.name(&CacheQuestion::new("y", 1));
    assert_eq!(redis.opened(&other, &value, minute, minute), None);
    let stranger = nowhere(&SECRET.replace('7', "8"));
    assert_eq!(stranger.opened(&name, &value, minute, minute), None);
    assert_ne!(stranger.name(&CacheQuestion::new("x", 1)), name);
    let short = redis.keys.sealing.close(&name.0, b"1234567").unwrap();
    assert_eq!(redis.opened(&name, &short, minute, minute), None);
}
