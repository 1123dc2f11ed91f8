//! Decides from its neighbours whether a delimiter opens or closes emphasis.
//!
//! Rules: `CommonMark` 0.31.2, "Emphasis and strong emphasis", and Unicode's categories.

use std::sync::LazyLock;

use regex::Regex;

/// The class of a character next to a delimiter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NeighbourClass {
    /// Space, or the start or end of a line.
    Space,
    /// Punctuation or a symbol.
    Mark,
    Other,
}

/// Returns whether a run of delimiters between these characters opens and closes emphasis.
pub(super) fn flanks(delimiter: char, before: Option<char>, after: Option<char>) -> (bool, bool) {
    let (before, after) = (neighbour_class(before), neighbour_class(after));
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

/// True if this character is neither space nor punctuation.
pub(super) fn is_word(c: char) -> bool {
    neighbour_class(Some(c)) == NeighbourClass::Other
}

/// Categories P and S.
static MARKS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\A[\p{P}\p{S}]").ok());

fn neighbour_class(c: Option<char>) -> NeighbourClass {
    let is_mark = |c: char| {
        let marks = MARKS.as_ref();
        marks.is_some_and(|marks| marks.is_match(c.encode_utf8(&mut [0; 4])))
    };
    match c {
        None => NeighbourClass::Space,
        Some(c) if c.is_whitespace() => NeighbourClass::Space,
        Some(c) if c.is_ascii_punctuation() => NeighbourClass::Mark,
        // A fast path for the punctuation that most pages have, and for letters in circles and
        // squares, which are symbols.
        Some(
            '\u{2010}'..='\u{2027}'
            | '\u{2030}'..='\u{205e}'
            | '\u{2190}'..='\u{23ff}'
            | '\u{3001}'..='\u{3003}'
            | '\u{3008}'..='\u{3020}'
            | '\u{ff01}'..='\u{ff0f}'
            | '\u{24b6}'..='\u{24e9}'
            | '\u{1f130}'..='\u{1f189}',
        ) => NeighbourClass::Mark,
        Some(c) if !c.is_alphanumeric() && is_mark(c) => NeighbourClass::Mark,
        Some(_) => NeighbourClass::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn punctuation_is_what_unicode_has_in_two_of_its_categories() {
        for c in "!~\u{a1}\u{a6}\u{d7}\u{2014}\u{2019}\u{20ac}\u{2192}\u{24b6}\u{3002}\u{ff0c}\
                  \u{1f130}\u{1f600}"
            .chars()
        {
            assert_eq!(neighbour_class(Some(c)), NeighbourClass::Mark, "{c:?}");
        }
        let neither =
            "a\u{ad}\u{e9}\u{300}\u{20dd}\u{200b}\u{200d}\u{2060}\u{feff}\u{fe0f}\u{e000}";
        for c in neither.chars() {
            assert_eq!(neighbour_class(Some(c)), NeighbourClass::Other, "{c:?}");
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
            let flanking = flanks(delimiter, before, after);
            assert_eq!(flanking, (opens, closes), "{before:?}{delimiter}{after:?}");
        }
    }
}
