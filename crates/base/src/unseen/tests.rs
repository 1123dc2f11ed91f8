//! Characters that belong to a text, and those that do not.

use proptest::prelude::*;

use super::*;

#[test]
fn what_belongs_to_a_text_stays_in_it() {
    for text in [
        "plain",
        "Grüße, é\u{fe0f}",
        // Persian, also behind a word of another script; a form without a neighbour.
        "می\u{200c}شود کتاب\u{200c}ها PDF\u{200c}ها ه\u{200d}.ش",
        // Hindi, Sinhala, Malayalam of the older kind.
        "क्\u{200d}ष क्\u{200c}ष",
        "ශ්\u{200d}රී ලංකා",
        "അവന്\u{200d} വന്നു",
        // Emoji: a family, a heart on fire, a rainbow flag, a keycap, a flag of Scotland.
        "\u{1f469}\u{200d}\u{1f469}\u{200d}\u{1f466} \u{2764}\u{fe0f}\u{200d}\u{1f525}",
        "\u{1f3f3}\u{fe0f}\u{200d}\u{1f308} 1\u{fe0f}\u{20e3} \u{1f3f4}\u{200d}\u{2620}\u{fe0f}",
        "\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}!",
        "\u{1f3c3}\u{1f3fb}\u{200d}\u{2642}\u{fe0f}",
        // Variants of ideographs, of a Mongolian letter, of a sign, and its vowel separator.
        "葛\u{e0100}城 葛\u{fe00}",
        "ᠠ\u{180b} ᠮᠣᠩᠭᠣᠯ\u{180e}ᠠ 0\u{fe00} \u{2268}\u{fe00}",
        "שלום\u{200f}! a\u{200e}b\u{61c} \u{200f}\u{200e}x",
        "\u{115f}\u{1161} \u{1100}\u{1160}",
    ] {
        assert!(matches!(visible(text), Cow::Borrowed(_)), "{text:?}");
        assert_eq!(spelled(text), text);
        assert_eq!(remove(text).1, UnseenCount::default());
    }
}

#[test]
fn what_does_not_is_taken_out_and_counted() {
    for (text, visible, note) in [
        (
            "a\u{202e}b\u{2066}c\u{2069}\u{202c}",
            "abc",
            "4 unseen characters (bidirectional overrides) were",
        ),
        (
            "a\u{e0049}\u{e0067}b\u{e0001}",
            "ab",
            "3 unseen characters (tag characters) were",
        ),
        (
            "\u{1f3f4}\u{e0067}x",
            "\u{1f3f4}x",
            "1 unseen character (tag character) was",
        ),
        (
            "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e0065}\u{e0065}\u{e0065}\u{e0065}\u{e007f}",
            "\u{1f3f4}",
            "8 unseen characters (tag characters) were",
        ),
        (
            "\u{1f3f4}\u{e0069}\u{e0067}\u{e006e}\u{e006f}\u{e0072}\u{e0065}\u{e007f} 葛\u{e0170}",
            "\u{1f3f4} 葛",
            "8 unseen characters (tag characters, variation selector) were",
        ),
        (
            "a\u{e0100}b \u{fe0f}c ᠠ b\u{180b}",
            "ab c ᠠ b",
            "3 unseen characters (variation selectors) were",
        ),
        (
            "\u{1f600}\u{fe00}\u{fe01}\u{e0105}",
            "\u{1f600}\u{fe00}",
            "2 unseen characters (variation selectors) were",
        ),
        (
            "f\u{200d}g \u{200c} x",
            "fg  x",
            "2 unseen characters (zero-width characters) were",
        ),
        (
            "می\u{200c}\u{200d}\u{200c}شود",
            "میشود",
            "3 unseen characters (zero-width characters) were",
        ),
        (
            "a\u{200e}\u{200f}\u{200e}\u{200f}b",
            "ab",
            "4 unseen characters (zero-width characters) were",
        ),
        (
            "a\u{3164}b\u{1160}",
            "ab",
            "2 unseen characters (fillers) were",
        ),
        (
            "\u{feff}a\u{ad}b\u{2060}\u{202d}",
            "ab",
            "4 unseen characters (bidirectional override, zero-width characters) were",
        ),
        (
            "\u{1f600}\u{200d}a",
            "\u{1f600}a",
            "1 unseen character (zero-width character) was",
        ),
    ] {
        let (remaining, taken) = remove(text);
        assert_eq!(remaining, visible, "{text:?}");
        let note = format!("{note} taken out of the output.");
        assert_eq!(
            taken.note("the output").as_deref(),
            Some(&*note),
            "{text:?}"
        );
    }
    assert_eq!(UnseenCount::default().note("x"), None);
}

#[test]
fn a_page_s_ways_to_end_a_line_are_not_worth_a_word() {
    let noted = |text| remove(text).1.note_of_page("the page").is_some();
    assert!(!noted(
        "Donau\u{ad}dampf\u{200b}schiff \u{2060}x f\u{200c}l"
    ));
    assert!(noted("a\u{200b}\u{200b}b"));
    assert!(noted("a\u{ad}b\u{202e}"));
}

#[test]
fn a_name_is_spelled_and_read_back() {
    assert_eq!(
        spelled("fdp\u{202e}exe\u{e0041}"),
        "fdp\\u{202E}exe\\u{E0041}"
    );
    let broken = [b"a\xff", "\u{202e}".as_bytes()].concat();
    assert_eq!(&*spelled_name(&broken), b"a\xff\\u{202E}");
    assert_eq!(&*spelled_name("é".as_bytes()), "é".as_bytes());
    for (pattern, meant) in [
        ("*\\u{202e}[ab]", Some("*\u{202e}[ab]")),
        ("*\\\\u{202e}", None),
        ("\\u{61} \\u{} \\u{+202e} \\u{202e", None),
        ("\\u{0202E}\\u{E0041}", Some("\u{202e}\u{e0041}")),
    ] {
        assert_eq!(unspelled_pattern(pattern).as_deref(), meant, "{pattern}");
    }
}

#[test]
fn the_file_of_the_literal_name_comes_first() {
    let here = tempfile::tempdir().unwrap();
    let path = |name: &str| format!("{}/{name}", here.path().display());
    fs::create_dir(path("d\u{202e}")).unwrap();
    fs::write(path("d\u{202e}/f\u{202e}"), "").unwrap();
    let sent = path("d\\u{202E}/f\\u{202E}");
    assert_eq!(unspelled_path(&sent).unwrap(), path("d\u{202e}/f\u{202e}"));
    // A new name is as it is sent.
    assert_eq!(
        unspelled_path(&path("d\\u{202E}/g\\u{202E}")).unwrap(),
        path("d\u{202e}/g\\u{202E}")
    );
    fs::write(path("d\u{202e}/f\\u{202E}"), "").unwrap();
    assert_eq!(unspelled_path(&sent).unwrap(), path("d\u{202e}/f\\u{202E}"));
    assert_eq!(unspelled_path(&path("f")), None);
    fs::write(path("n\u{1b}m"), "").unwrap();
    for spelled in ["n\\x1bm", "n\\u{1b}m", "n\\u{1B}m"] {
        assert_eq!(
            unspelled_path(&path(spelled)).unwrap(),
            path("n\u{1b}m"),
            "{spelled}"
        );
    }
    for other in ["n\\x41m", "n\\x1", "n\\x00m", "n\\xém"] {
        assert_eq!(unspelled_path(&path(other)), None, "{other}");
    }
}

proptest! {
    #[test]
    fn what_is_taken_out_is_unseen_and_what_is_spelled_comes_back(
        text in "[a \\nة‌‍é葛ᠠ🏴😀\u{200b}\u{200e}\u{202e}\u{2066}\u{fe0f}\u{e0100}\u{e0067}\u{e007f}\u{180e}\u{3164}\u{ad}]{0,40}",
    ) {
        let spelling = visible(&text);
        let seen = |text: &str| text.chars().filter(|c| !is_unseen(*c)).collect::<String>();
        prop_assert_eq!(seen(&spelling), seen(&text));
        prop_assert!(!spelling.contains(turns_direction));
        prop_assert_eq!(unspelled(&spelled(&text), false), text);
    }
}
