//! Strings unescaped in place equal those that `serde_json` makes, and requests read in place equal
//! those that are copied.

use proptest::prelude::*;

use super::*;
use crate::contract::request::{IN_PLACE_BYTES, Request};

/// Reads `json` in its own bytes, however small it is.
fn in_place(json: &[u8]) -> Option<String> {
    let mut bytes = json.to_owned();
    let spans = field_spans(&bytes)?;
    Some(format!("{:?}", unescape_fields(&mut bytes, spans)))
}

/// Asserts that a request reads alike both ways, if it can be read in its own bytes.
fn assert_alike(json: &[u8]) {
    if let Some(fields) = in_place(json) {
        let request = Request::parse(json).unwrap();
        let json_text = String::from_utf8_lossy(json);
        assert_eq!(fields, format!("{:?}", request.fields), "{json_text}");
    }
}

#[test]
fn every_escape_stands_for_its_character() {
    for (escaped, text) in [
        (r#"\"\\\/\b\f\n\r\t"#, "\"\\/\x08\x0C\n\r\t"),
        (r"\u0000\u001f\u007F\u00e9", "\0\x1F\x7Fé"),
        (
            r"\u07ff\u0800\uFFFF\uE000\ud7ff",
            "\u{7FF}\u{800}\u{FFFF}\u{E000}\u{D7FF}",
        ),
        (
            r"\ud83d\ude00\uD800\uDC00\udbff\udfff",
            "😀\u{10000}\u{10FFFF}",
        ),
        (r"a\nb\\nc\\\nd", "a\nb\\nc\\\nd"),
        (r"caf\u00e9 é \ud83d\ude00😀", "café é 😀😀"),
        ("plain é", "plain é"),
        ("", ""),
    ] {
        let mut bytes = escaped.as_bytes().to_owned();
        let length = unescape(&mut bytes).unwrap();
        assert_eq!(&bytes[..length], text.as_bytes(), "{escaped}");
    }
}

#[test]
fn an_escape_for_no_character_is_left_where_it_is() {
    for wrong in [
        r"\ud800",
        r"\udc00",
        r"\ud800\ud800",
        r"\udc00\ud800",
        r"\ud800\n",
        r"\ud800x",
        r"\ud800\",
        r"\ud800\u",
        r"\ud800\udc0",
        r"\u+123",
        r"\u 123",
        r"\u12",
        r"\u",
        r"\x",
        r"\U0041",
        "\\",
        "\\é",
    ] {
        for before in ["", "plain", r"\n\u00e9 and ", r"\ud83d\ude00"] {
            let text = format!("{before}{wrong}");
            let mut bytes = text.clone().into_bytes();
            assert_eq!(unescape(&mut bytes), Err(before.len()), "{text}");
            assert!(bytes.ends_with(wrong.as_bytes()), "{text}");
        }
    }
}

#[test]
fn a_request_reads_alike_both_ways() {
    for json in [
        "{}",
        r#" { "a" : "b\n" , "c" : [ "d\t" , null ] } "#,
        r#"{"a":"x\n","a":"y\n","b":1e999,"\u0061":"z"}"#,
        r#"{"a\"b":"\"","é":"\u00e9","":""}"#,
        r#"{"a":"one\ud800two\n","b":"\n"}"#,
        r#"{"a":"\n\udc00","\ud800":"x","b":{"c":["\ud800"]}}"#,
        r#"{"a":-0,"b":1.5,"c":18446744073709551616,"d":true,"e":null,"f":{},"g":[]}"#,
        r#"{"a":"","b":"\"","c":"\\","d":"\\\""}"#,
    ] {
        assert!(in_place(json.as_bytes()).is_some(), "{json}");
        assert_alike(json.as_bytes());
        assert_alike(format!("\u{FEFF}{json}").as_bytes());
    }
}

#[test]
fn what_is_no_object_of_a_few_fields_is_not_touched() {
    let many = format!("{{{}\"a\":1}}", "\"a\":1,".repeat(MAX_FIELDS));
    let broken: [&[u8]; 9] = [
        b"",
        b" ",
        b"[1]",
        b"\"a\\n\"",
        b"{\"a\":\"\\n\"",
        b"{\"a\":\"\\n\"} x",
        b"{\"a\":\"\\n\xff\"}",
        b"{\"a\":\"\n\"}",
        b"{\"a\":\"\\x\"}",
    ];
    for json in broken.into_iter().chain([many.as_bytes()]) {
        assert_eq!(in_place(json), None);
    }
}

#[test]
fn a_large_request_is_read_in_its_own_bytes_and_answered_as_a_small_one() {
    for (content, text) in [
        (r"\n", "\n"),
        ("é", "é"),
        (r"\ud83d\ude00", "😀"),
        (r"\\", "\\"),
    ] {
        let json = format!(r#"{{"a":"{}","b":"\n"}}"#, content.repeat(IN_PLACE_BYTES));
        let mut bytes = json.into_bytes();
        let within = bytes.as_ptr_range();
        let request = Request::parse_in_place(&mut bytes).unwrap();
        let read = request.required_text("a").unwrap();
        assert!(read == text.repeat(IN_PLACE_BYTES), "{content}");
        assert!(within.contains(&read.as_ptr()));
        assert_eq!(request.required_text("b").unwrap(), "\n");
    }
    let wrong = format!(r#"{{"a":"{}\ud800"}}"#, r"\n".repeat(IN_PLACE_BYTES));
    let message = Request::parse(wrong.as_bytes())
        .unwrap()
        .required_text("a")
        .unwrap_err()
        .message;
    let mut bytes = wrong.into_bytes();
    let request = Request::parse_in_place(&mut bytes).unwrap();
    assert_eq!(request.required_text("a").unwrap_err().message, message);
}

/// Pieces of strings, of which some are wrong.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        6 => "[ -!#-\\[\\]-~é€😀]{1,20}",
        3 => r#"\\["\\/bfnrt]"#,
        3 => "\\\\u[0-9a-fA-F]{4}",
        2 => "\\\\u[dD][89abAB][0-9a-f]{2}\\\\u[dD][c-fC-F][0-9a-f]{2}",
        1 => "\\\\u[dD][89a-f][0-9a-f]{2}",
        1 => "\\\\.?",
        1 => "[\\x00-\\x1F\"]",
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn a_string_is_what_serde_json_makes_of_it(text in pieces()) {
        let json = format!("\"{text}\"");
        let read: Result<String, _> = serde_json::from_str(&json);
        let mut bytes = text.clone().into_bytes();
        match (read, unescape(&mut bytes)) {
            (Ok(read), Ok(length)) => prop_assert_eq!(read.as_bytes(), &bytes[..length]),
            // Quotes and control characters are not its business.
            (Err(_), Ok(_)) => prop_assert!(text.contains('"') || text.contains(|c| c < ' ')),
            (Err(_), Err(offset)) => prop_assert!(bytes[offset] == b'\\'),
            (Ok(read), Err(offset)) => prop_assert!(false, "{read:?} {offset}"),
        }
    }

    #[test]
    fn a_request_is_what_it_is_when_it_is_not_touched(
        texts in prop::collection::vec((pieces(), pieces()), 0..4),
        broken in prop::option::of((any::<prop::sample::Index>(), any::<u8>())),
    ) {
        let fields: Vec<String> = texts
            .iter()
            .map(|(name, text)| format!("\"{name}\": \"{text}\""))
            .collect();
        let mut json = format!("{{{}}}", fields.join(", ")).into_bytes();
        if let Some((place, byte)) = broken {
            let offset = place.index(json.len());
            json[offset] = byte;
        }
        assert_alike(&json);
    }
}
