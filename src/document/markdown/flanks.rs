//! Decides from its neighbours whether a delimiter opens or closes emphasis.
//!
//! Rules: `CommonMark` 0.31.2, "Emphasis and strong emphasis", and Unicode's categories. Parsers
//! know different versions of Unicode and do not all count the same characters as space. A
//! delimiter in text is treated as what any of them may read, one of markup as what all of them
//! read.

use std::sync::LazyLock;

use regex::Regex;

/// The class of a character beside a delimiter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NeighbourClass {
    /// Space, or the start or end of a line.
    Space,
    /// Punctuation or a symbol.
    Mark,
    Other,
}

/// Returns whether a run of delimiters between these characters opens and closes emphasis; `None`
/// if parsers disagree.
pub(super) fn flanks(
    delimiter: char,
    before: Option<char>,
    after: Option<char>,
) -> Option<(bool, bool)> {
    let mut readings = readings(delimiter, before, after);
    let one = readings.next()?;
    readings.all(|other| other == one).then_some(one)
}

/// Returns whether a run of delimiters between these characters opens and closes emphasis for any
/// parser.
pub(super) fn may_flank(
    delimiter: char,
    before: Option<char>,
    after: Option<char>,
) -> (bool, bool) {
    readings(delimiter, before, after).fold((false, false), |(opens, closes), one| {
        (opens || one.0, closes || one.1)
    })
}

/// True if some parser counts this character as neither space nor punctuation.
pub(super) fn may_be_word(c: char) -> bool {
    neighbour_classes(Some(c)).contains(&NeighbourClass::Other)
}

/// The readings of a run of delimiters by different parsers, each whether it opens and closes.
fn readings(
    delimiter: char,
    before: Option<char>,
    after: Option<char>,
) -> impl Iterator<Item = (bool, bool)> {
    let after = neighbour_classes(after);
    let both = move |before| after.map(|after| (before, after));
    let flank = move |(before, after)| flank(delimiter, before, after);
    neighbour_classes(before)
        .into_iter()
        .flat_map(both)
        .map(flank)
}

/// The rule of `CommonMark`.
fn flank(delimiter: char, before: NeighbourClass, after: NeighbourClass) -> (bool, bool) {
    let flanks = |near, far| {
        near != NeighbourClass::Space
            && (near != NeighbourClass::Mark || far != NeighbourClass::Other)
    };
    let (left, right) = (flanks(after, before), flanks(before, after));
    if delimiter == '_' {
        (
            left && (!right || before == NeighbourClass::Mark),
            right && (!left || after == NeighbourClass::Mark),
        )
    } else {
        (left, right)
    }
}

/// The class of a character; two if parsers disagree.
fn neighbour_classes(c: Option<char>) -> [NeighbourClass; 2] {
    let Some(c) = c else {
        return [NeighbourClass::Space; 2];
    };
    match c {
        // White space for Unicode, but not for `CommonMark`.
        '\u{b}' | '\u{85}' | '\u{2028}' | '\u{2029}' => {
            [NeighbourClass::Space, NeighbourClass::Other]
        }
        c if c.is_whitespace() => [NeighbourClass::Space; 2],
        c if c.is_ascii_punctuation() => [NeighbourClass::Mark; 2],
        // A fast path for the punctuation that most pages have, and for letters in circles and
        // squares, which are symbols.
        '\u{2010}'..='\u{2027}'
        | '\u{2030}'..='\u{205e}'
        | '\u{2190}'..='\u{23ff}'
        | '\u{3001}'..='\u{3003}'
        | '\u{3008}'..='\u{3020}'
        | '\u{ff01}'..='\u{ff0f}'
        | '\u{24b6}'..='\u{24e9}'
        | '\u{1f130}'..='\u{1f189}' => [NeighbourClass::Mark; 2],
        c if c.is_alphanumeric() || c.is_control() => [NeighbourClass::Other; 2],
        c if is_in(&KNOWN_MARKS, c) => [NeighbourClass::Mark; 2],
        c if is_in(&NEW_MARKS, c) => [NeighbourClass::Mark, NeighbourClass::Other],
        _ => [NeighbourClass::Other; 2],
    }
}

/// Categories P and S in the version of Unicode that every parser knows.
static KNOWN_MARKS: LazyRegex =
    LazyLock::new(|| Regex::new(r"\A[[\p{P}\p{S}]&&\p{Age:15.0}]").ok());

/// Characters that later versions of Unicode put into these categories, or may.
static NEW_MARKS: LazyRegex =
    LazyLock::new(|| Regex::new(r"\A[[\p{P}\p{S}\p{Cn}]&&\P{Age:15.0}]").ok());

type LazyRegex = LazyLock<Option<Regex>>;

fn is_in(class: &LazyRegex, c: char) -> bool {
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
            assert_eq!(neighbour_classes(Some(c)), [NeighbourClass::Mark; 2], "{c:?}");
        }
        let neither =
            "a\u{ad}\u{e9}\u{300}\u{20dd}\u{200b}\u{200d}\u{2060}\u{feff}\u{fe0f}\u{e000}";
        for c in neither.chars() {
            assert_eq!(
                neighbour_classes(Some(c)),
                [NeighbourClass::Other; 2],
                "{c:?}"
            );
        }
        for c in "\u{378}\u{1b4e}\u{1ce51}".chars() {
            assert_eq!(
                neighbour_classes(Some(c)),
                [NeighbourClass::Mark, NeighbourClass::Other],
                "{c:?}"
            );
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
