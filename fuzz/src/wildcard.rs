//! A component of a pattern matches the names that `fnmatch(3)` of the C library matches in the
//! locale C.UTF-8; what braces stand for is made of the pattern.

use std::ffi::{CString, c_char, c_int};
use std::sync::Once;

use iki_search::braces::{MAX_ALTERNATIVES, alternatives};
use iki_search::wildcard::{PatternComponent, SplitPattern};

use crate::take::Take;

unsafe extern "C" {
    fn fnmatch(pattern: *const c_char, name: *const c_char, flags: c_int) -> c_int;
}

/// What `fnmatch` calls `FNM_PERIOD`: a leading dot has to be written.
const PERIOD: c_int = 1 << 2;

/// Sets the locale of the C library to one whose characters are UTF-8.
pub fn in_utf_8() {
    static SET: Once = Once::new();
    SET.call_once(|| {
        // SAFETY: the name is a C string, and no other thread runs.
        let set = unsafe { libc::setlocale(libc::LC_ALL, c"C.UTF-8".as_ptr()) };
        assert!(!set.is_null(), "this machine has no locale C.UTF-8");
    });
}

/// What patterns are made of, beside letters.
const PIECES: &[&str] = &[
    "*",
    "?",
    "[",
    "]",
    "!",
    "^",
    "-",
    "\\",
    "[a-c]",
    "[!a]",
    "[[:alpha:]]",
    "[![:digit:]]",
    "[]a]",
    "[a-]",
    "[[.a.]-c]",
    "[[=a=]b]",
    "[a[:nope:]b]",
    "[[:alpha]",
    "[\\]]",
    "[!-$]",
    "[z-a]",
    ".",
    ":",
    "=",
    "\u{e9}",
    "[\u{e0}-\u{e9}]",
    "a",
    "b",
    "c",
    "A",
    "Z",
    "0",
    "9",
    " ",
    "{",
    ",",
    "}",
    "\n",
];

/// What names are made of. Latin letters only: of others the C library gets ranges wrong.
const LETTERS: &[&[u8]] = &[
    b"a",
    b"b",
    b"c",
    b"z",
    b"A",
    b"Z",
    b"0",
    b"9",
    b".",
    b"-",
    b"]",
    b"[",
    b"!",
    b"^",
    b"\\",
    b"*",
    b"?",
    b":",
    b"\xc3\xa9",
    b"\xc3\xbc",
    b"\xff",
    b"\xc3",
    b" ",
    b"\n",
    b"=",
    b"$",
];

pub fn check(data: &[u8]) {
    in_utf_8();
    let mut take = Take(data);
    let mut pattern = Vec::new();
    for _ in 0..take.below(8) {
        pattern.extend_from_slice(take.of(PIECES).as_bytes());
    }
    let names = 1 + take.below(8);
    let component = PatternComponent::parse(&pattern);
    for _ in 0..names {
        let mut name = Vec::new();
        for _ in 0..=take.below(6) {
            name.extend_from_slice(take.of(LETTERS));
        }
        // `**` means more here.
        if !pattern.is_empty() && pattern != b"**" && !is_undefined(&pattern) {
            assert_eq!(
                component.matches(&name),
                libc_matches(&pattern, &name),
                "pattern {:?}, name {:?}",
                pattern.escape_ascii().to_string(),
                name.escape_ascii().to_string()
            );
        }
    }
    let whole = SplitPattern::parse(take.0);
    assert!(whole.steps.len() <= take.0.len() + 1);
    expanded(take.0);
}

/// Whether something begins as an equivalence class or a collating symbol and is none, of which
/// POSIX says nothing: glibc takes the bracket for itself, but not behind what has matched already.
/// Or whether the pattern ends in a range, in a bracket that nothing closes: to POSIX the bracket
/// stands for itself, and glibc has the pattern match nothing.
fn is_undefined(pattern: &[u8]) -> bool {
    let bracket = pattern.iter().rposition(|byte| *byte == b'[');
    if bracket.is_some_and(|at| pattern.ends_with(b"-") && !pattern[at..].contains(&b']')) {
        return true;
    }
    let begins = |at: usize, mark: u8| pattern[at..].starts_with(&[b'[', mark]);
    let is_whole = |at: usize, mark: u8| pattern[at..].get(3..5) == Some(&[mark, b']']);
    (0..pattern.len()).any(|at| {
        let mut marks = [b'=', b'.'].into_iter();
        marks.any(|mark| begins(at, mark) && !is_whole(at, mark))
    })
}

fn libc_matches(pattern: &[u8], name: &[u8]) -> bool {
    // With the flag glibc takes the dot in " ." for a leading one where the pattern begins "*?".
    let flags = if name.starts_with(b".") { PERIOD } else { 0 };
    let (pattern, name) = (CString::new(pattern).unwrap(), CString::new(name).unwrap());
    // SAFETY: both are C strings that live through the call.
    unsafe { fnmatch(pattern.as_ptr(), name.as_ptr(), flags) == 0 }
}

/// What braces stand for is made of the pattern's own bytes, is bounded, and comes again of a
/// pattern that is written with the alternatives themselves.
fn expanded(pattern: &[u8]) {
    let Ok(all) = alternatives(pattern) else {
        return;
    };
    assert!(all.len() <= MAX_ALTERNATIVES);
    assert!(
        all.iter()
            .all(|one| !one.is_empty() && one.len() < pattern.len())
    );
    for one in &all {
        // A pattern with some of its bytes left out, in its order.
        let mut rest = pattern.iter();
        assert!(one.iter().all(|byte| rest.any(|other| other == byte)));
    }
    // Each choice by itself, where commas and braces mean nothing else.
    let plain = |one: &Vec<u8>| !one.iter().any(|byte| b"{},\\".contains(byte));
    if all.len() > 1 && all.iter().all(plain) {
        let again = [b"{", &*all.join(&b","[..]), b"}"].concat();
        assert_eq!(alternatives(&again).ok(), Some(all));
    }
}
