use super::*;

fn matches(pattern: &str, name: impl AsRef<[u8]>) -> bool {
    match PatternComponent::parse(pattern.as_bytes()) {
        PatternComponent::Wild(wild) => wild.matches(name.as_ref()),
        PatternComponent::Name(only) => only == name.as_ref(),
        PatternComponent::Deep => false,
    }
}

#[test]
fn a_character_is_one_whatever_its_bytes() {
    assert!(matches("?", "€"));
    assert!(matches("a?c", "aéc"));
    assert!(matches("[à-ÿ]x", "éx"));
    assert!(matches("[a-€]", "€"));
    assert!(!matches("[а-я]", "x"));
    assert!(matches("[[=é=]]*", "était"));
    assert!(matches("[![:alpha:]]", "€"));
    assert!(matches("[[:alpha:]][[:upper:]]", "яЖ"));
    assert!(!matches("[[:digit:]]", "٣"));
    assert!(matches("[[:punct:]]", "…"));
    assert!(!matches("[[:punct:]]", "\u{1f600}\u{1f600}"));
}

#[test]
fn a_byte_that_is_no_text_is_one_as_well() {
    assert!(matches("?.c", b"\xff.c"));
    assert!(matches("[!a].c", b"\xff.c"));
    assert!(matches("*é*", b"\xff\xc3\xa9\xff"));
    assert!(!matches("[[:alpha:]]", b"\xe9"));
}

#[test]
fn literals_between_stars_are_found_in_their_order() {
    assert!(matches("a*b*c*d", "a-b-c-d"));
    assert!(matches("*b*b*", "abb"));
    assert!(!matches("*b*b*", "ab"));
    assert!(!matches("a*a", "a"));
    assert!(!matches("*ab*bc", "abc"));
    assert!(!matches("a*b*c*d", "a-c-b-d"));
}

#[test]
fn escapes_and_lone_brackets_make_a_name() {
    for (pattern, name) in [
        ("\\*", "*"),
        ("a[b", "a[b"),
        ("[", "["),
        ("\\\\", "\\"),
        ("[!]", "[!]"),
    ] {
        let component = PatternComponent::parse(pattern.as_bytes());
        assert!(
            matches!(&component, PatternComponent::Name(only) if only == name.as_bytes()),
            "{component:?}"
        );
    }
    assert!(!matches("a\\", "a"));
    assert!(!matches("a\\", "a\\"));
}

#[test]
fn slashes_part_a_pattern_wherever_they_stand() {
    let wildcard = SplitPattern::parse(b"//a[/]*\\/**///**/x/");
    assert_eq!(wildcard.root, b"//");
    assert!(wildcard.wants_directories);
    let [a, star, deep, x] = &wildcard.steps[..] else {
        panic!("{wildcard:?}")
    };
    assert!(matches!(&a.component, PatternComponent::Name(name) if name == b"a["));
    assert!(matches!(&star.component, PatternComponent::Wild(_)));
    assert!(matches!(&deep.component, PatternComponent::Deep));
    assert!(matches!(&x.component, PatternComponent::Name(name) if name == b"x"));
    assert_eq!([&*star.slashes, &*x.slashes], [b"/", b"/"]);
}

#[test]
fn no_name_that_matches_in_another_case_is_told_apart_by_its_ends() {
    let names = [
        "", "a", "aB", "ABBA", "x.C", ".C", "XyZ", "\u{e9}.C", "xay.z", "A?b",
    ];
    let mut matched = 0;
    for pattern in [
        "*.c",
        "a*",
        "A?*b",
        "ab*ba",
        "x*y*z",
        "*\u{e9}.C",
        "aB",
        "?",
        "*B*",
    ] {
        let component = PatternComponent::parse(pattern.as_bytes());
        let (folded, _) = component.folded().unwrap_or((component, false));
        for name in names.map(str::as_bytes) {
            if folded.matches(&name.to_ascii_lowercase()) {
                assert!(
                    folded.has_ends_of(name),
                    "{pattern} {}",
                    name.escape_ascii()
                );
                matched += 1;
            }
        }
    }
    assert!(matched > 10, "{matched}");
    let sources = PatternComponent::parse(b"a*.c");
    for (name, like) in [("A.C", true), ("a.c", true), ("ab.h", false), ("a", false)] {
        assert_eq!(sources.has_ends_of(name.as_bytes()), like, "{name}");
    }
}
