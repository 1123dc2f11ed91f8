//! Whether a delimiter opens or closes emphasis, by what stands beside it.
//!
//! Rules: `CommonMark` 0.31.2, "Emphasis and strong emphasis", and Unicode's categories. Parsers know
//! different versions of Unicode, and do not all count the same characters as space: a delimiter of
//! a text is what any of them may take it for, one of markup what all of them do.

use std::sync::LazyLock;

use regex::Regex;

/// What a character is beside a delimiter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    /// Space, or the beginning or end of a line.
    Space,
    /// Punctuation or a symbol.
    Mark,
    Other,
}

/// Whether a run of delimiters between these characters opens emphasis, and whether it closes it;
/// `None` where that depends on the parser.
pub(super) fn flanks(
    delimiter: char,
    before: Option<char>,
    after: Option<char>,
) -> Option<(bool, bool)> {
    let mut readings = readings(delimiter, before, after);
    let one = readings.next()?;
    readings.all(|other| other == one).then_some(one)
}

/// Whether any parser has a run of delimiters between these characters open emphasis, and whether
/// any has it close it.
pub(super) fn may_flank(
    delimiter: char,
    before: Option<char>,
    after: Option<char>,
) -> (bool, bool) {
    readings(delimiter, before, after).fold((false, false), |(opens, closes), one| {
        (opens || one.0, closes || one.1)
    })
}

/// Whether some parser takes this character for neither space nor punctuation.
pub(super) fn may_be_word(c: char) -> bool {
    sides(Some(c)).contains(&Side::Other)
}

/// Whether a run of delimiters opens and closes, as each parser may have it.
fn readings(
    delimiter: char,
    before: Option<char>,
    after: Option<char>,
) -> impl Iterator<Item = (bool, bool)> {
    let after = sides(after);
    let both = move |before| after.map(|after| (before, after));
    let read = move |(before, after)| read(delimiter, before, after);
    sides(before).into_iter().flat_map(both).map(read)
}

/// As `CommonMark` has it.
fn read(delimiter: char, before: Side, after: Side) -> (bool, bool) {
    let flanks = |near, far| near != Side::Space && (near != Side::Mark || far != Side::Other);
    let (left, right) = (flanks(after, before), flanks(before, after));
    if delimiter == '_' {
        (
            left && (!right || before == Side::Mark),
            right && (!left || after == Side::Mark),
        )
    } else {
        (left, right)
    }
}

/// What parsers take this character for: one thing, or one of two.
fn sides(c: Option<char>) -> [Side; 2] {
    let Some(c) = c else {
        return [Side::Space; 2];
    };
    match c {
        // Unicode calls them white space, and `CommonMark` does not.
        '\u{b}' | '\u{85}' | '\u{2028}' | '\u{2029}' => [Side::Space, Side::Other],
        c if c.is_whitespace() => [Side::Space; 2],
        c if c.is_ascii_punctuation() => [Side::Mark; 2],
        // What most pages have of other punctuation, and letters in circles and squares, which are
        // symbols.
        '\u{2010}'..='\u{2027}'
        | '\u{2030}'..='\u{205e}'
        | '\u{2190}'..='\u{23ff}'
        | '\u{3001}'..='\u{3003}'
        | '\u{3008}'..='\u{3020}'
        | '\u{ff01}'..='\u{ff0f}'
        | '\u{24b6}'..='\u{24e9}'
        | '\u{1f130}'..='\u{1f189}' => [Side::Mark; 2],
        c if c.is_alphanumeric() || c.is_control() => [Side::Other; 2],
        c if is_in(&KNOWN_MARKS, c) => [Side::Mark; 2],
        c if is_in(&NEW_MARKS, c) => [Side::Mark, Side::Other],
        _ => [Side::Other; 2],
    }
}

/// Categories P and S, as far as every parser knows them.
static KNOWN_MARKS: Class = LazyLock::new(|| Regex::new(r"\A[[\p{P}\p{S}]&&\p{Age:15.0}]").ok());

/// What later versions of Unicode have in them, or may come to have.
static NEW_MARKS: Class =
    LazyLock::new(|| Regex::new(r"\A[[\p{P}\p{S}\p{Cn}]&&\P{Age:15.0}]").ok());

type Class = LazyLock<Option<Regex>>;

fn is_in(class: &Class, c: char) -> bool {
    let class = class.as_ref();
    class.is_some_and(|class| class.is_match(c.encode_utf8(&mut [0; 4])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn punctuation_is_what_unicode_has_in_two_of_its_categories() {
        for c in
            "!~\u{a1}\u{a6}\u{d7}\u{2014}\u{2019}\u{20ac}\u{2192}\u{24b6}\u{3002}\u{ff0c}\u{1f130}\u{1f600}".chars()
        {
            assert_eq!(sides(Some(c)), [Side::Mark; 2], "{c:?}");
        }
        let neither =
            "a\u{ad}\u{e9}\u{300}\u{20dd}\u{200b}\u{200d}\u{2060}\u{feff}\u{fe0f}\u{e000}";
        for c in neither.chars() {
            assert_eq!(sides(Some(c)), [Side::Other; 2], "{c:?}");
        }
        for c in "\u{378}\u{1b4e}\u{1ce51}".chars() {
            assert_eq!(sides(Some(c)), [Side::Mark, Side::Other], "{c:?}");
        }
    }

    #[test]
    fn delimiters_flank_as_commonmark_has_it() {
        for (delimiter, before, after, opens, closes) in [
            ('*', Some('a'), Some('b'), true, true),
            ('_', Some('a'), Some('b'), false, false),
            ('*', Some(' '), Some(' '), false, false),
            ('*', None, Some('a'), true, false),
            ('*', Some('a'), Some('"'), false, true),
            ('_', Some('('), Some('a'), true, false),
            ('*', Some(':'), Some('\u{200b}'), true, false),
            ('*', Some(':'), Some('\u{2014}'), true, true),
        ] {
            let said = flanks(delimiter, before, after);
            assert_eq!(
                said,
                Some((opens, closes)),
                "{before:?}{delimiter}{after:?}"
            );
        }
    }

    #[test]
    fn where_parsers_differ_text_may_be_either_and_markup_is_neither() {
        for (before, after) in [('\u{b}', ':'), ('\u{1ce51}', ':'), ('a', '\u{1ce51}')] {
            assert_eq!(flanks('*', Some(before), Some(after)), None);
        }
        assert_eq!(may_flank('*', Some('\u{b}'), Some(':')), (true, true));
        assert_eq!(flanks('*', Some('a'), Some('b')), Some((true, true)));
    }
}
