//! The classes against the C library's own answers, character for character.

use super::super::ere::RegexMatcher;
use super::super::wildcard::PatternComponent;
use super::CharClass;

/// The version of the C library that `generate.py` asked.
const GLIBC: &str = include_str!("glibc.txt");

const NAMES: [&str; 12] = [
    "alnum", "alpha", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space",
    "upper", "xdigit",
];

/// The members of a class.
fn ours(class: CharClass) -> Vec<char> {
    let mut all: Vec<char> = class
        .ranges()
        .into_iter()
        .flat_map(|(first, last)| first..=last)
        .collect();
    all.sort_unstable();
    all
}

#[test]
fn no_range_is_there_twice() {
    for name in NAMES {
        let all = ours(CharClass::named(name).unwrap());
        assert!(all.windows(2).all(|pair| pair[0] < pair[1]), "{name}");
    }
}

#[test]
fn both_tools_find_exactly_the_members_of_a_class() {
    let lines: Vec<String> = ('\0'..=char::MAX)
        .filter(|char| *char != '\n')
        .map(String::from)
        .collect();
    let window = lines.join("\n");
    for name in NAMES {
        let class = CharClass::named(name).unwrap();
        let members = ours(class);
        let matcher = RegexMatcher::compile(&format!("^[[:{name}:]]$")).unwrap();
        let (mut members_found, mut from) = (Vec::new(), 0);
        while let Some(offset) = matcher.find_line(window.as_bytes(), from) {
            let start = window[..offset].rfind('\n').map_or(0, |feed| feed + 1);
            let start = start.max(from);
            let end = window[start..]
                .find('\n')
                .map_or(window.len(), |feed| start + feed);
            members_found.extend(window[start..end].chars());
            from = end + 1;
        }
        let lines: Vec<char> = members
            .iter()
            .copied()
            .filter(|char| *char != '\n')
            .collect();
        assert!(members_found == lines, "grep's [:{name}:]");
        // Behind another character, since a leading dot is never matched.
        let PatternComponent::Wild(wild) =
            PatternComponent::parse(format!("x[[:{name}:]]").as_bytes())
        else {
            panic!("no set: {name}");
        };
        // At both ends of every range, and around them.
        for (first, last) in class.ranges() {
            for near in [first, last].map(u32::from) {
                for char in (near.saturating_sub(1)..=near + 1).filter_map(char::from_u32) {
                    assert_eq!(
                        wild.matches(format!("x{char}").as_bytes()),
                        members.binary_search(&char).is_ok(),
                        "glob's [:{name}:], {char:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_class_and_its_complement_part_all_characters() {
    let word = ours(CharClass::Word);
    for (class, complement) in [(r"\w", r"\W"), (r"[\w]", r"[^\w]"), (r"[_\w]", r"[\W]")] {
        let class = RegexMatcher::compile(&format!("^{class}$")).unwrap();
        let complement = RegexMatcher::compile(&format!("^{complement}$")).unwrap();
        for char in ('\0'..=char::MAX).filter(|char| *char != '\n') {
            let mut text = [0; 4];
            let text = char.encode_utf8(&mut text).as_bytes();
            let is_one = word.binary_search(&char).is_ok();
            assert_eq!(class.find_line(text, 0).is_some(), is_one, "{char:?}");
            assert_eq!(complement.find_line(text, 0).is_some(), !is_one, "{char:?}");
        }
    }
}

#[cfg(target_env = "gnu")]
#[test]
fn every_character_is_classed_as_the_c_library_does() {
    use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_ulong};
    unsafe extern "C" {
        fn wctype_l(name: *const c_char, locale: libc::locale_t) -> c_ulong;
        fn iswctype_l(char: c_uint, class: c_ulong, locale: libc::locale_t) -> c_int;
        fn gnu_get_libc_version() -> *const c_char;
    }
    // SAFETY: the function takes nothing and returns a string that is never freed.
    let version = unsafe { CStr::from_ptr(gnu_get_libc_version()) };
    let version = version.to_string_lossy();
    if version != GLIBC {
        eprintln!("skipped: the classes are those of glibc {GLIBC}, this machine has {version}");
        return;
    }
    // SAFETY: the name is a C string; the locale is never freed, so it outlives its use.
    let locale =
        unsafe { libc::newlocale(libc::LC_ALL_MASK, c"C.UTF-8".as_ptr(), std::ptr::null_mut()) };
    if locale.is_null() {
        eprintln!("skipped: this machine has no locale C.UTF-8");
        return;
    }
    for name in NAMES {
        let members = ours(CharClass::named(name).unwrap());
        let c_name = CString::new(name).unwrap();
        // SAFETY: the name is a C string, the locale is not null.
        let class = unsafe { wctype_l(c_name.as_ptr(), locale) };
        assert_ne!(class, 0, "{name}");
        // SAFETY: the class is one of this locale, the number is a character.
        let is_one = |char: char| unsafe { iswctype_l(u32::from(char), class, locale) != 0 };
        let differ: Vec<char> = ('\0'..=char::MAX)
            .filter(|char| is_one(*char) != members.binary_search(char).is_ok())
            .collect();
        assert!(differ.is_empty(), "[:{name}:] {differ:?}");
    }
}
