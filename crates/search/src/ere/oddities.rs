//! Oddities of a pattern that can be read or almost can: models write the patterns of
//! other tools, and plain text.

use super::alternative_readings::{PatternPiece, escaped, pieces};
use super::parser;
use super::simplify::{matches_every_line, simplify, wants_line_feed};

/// A part of a pattern that matches anywhere, or in more ways than it seems.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatternOddity {
    /// `()`
    EmptyGroup,
    /// `a||b`, `a|`
    EmptyAlternative,
    /// `i++`
    RepeatedRepetition,
    /// `x*`
    EmptyMatch,
}

impl PatternOddity {
    /// The oddity of `pattern`; `None` if it has none, or matches every line on purpose.
    #[must_use]
    pub fn detect(pattern: &str) -> Option<Self> {
        use PatternPiece::Char;
        let pieces: Vec<PatternPiece> = pieces(pattern).iter().map(|(piece, _)| *piece).collect();
        let mut pairs = pieces.windows(2).map(|pair| (pair[0], pair[1]));
        let is_empty_branch = |(one, next): (PatternPiece, PatternPiece)| {
            matches!(
                (one, next),
                (Char('(' | '|'), Char('|')) | (Char('|'), Char(')'))
            )
        };
        let ends_in_bar = [pieces.first(), pieces.last()].contains(&Some(&Char('|')));
        let is_repeated = |(one, next): (PatternPiece, PatternPiece)| {
            matches!((one, next), (Char('*' | '+' | '?'), Char('*' | '+')))
        };
        if pairs.clone().any(|pair| pair == (Char('('), Char(')'))) {
            Some(Self::EmptyGroup)
        } else if ends_in_bar || pairs.clone().any(is_empty_branch) {
            Some(Self::EmptyAlternative)
        } else if pairs.any(is_repeated) && !is_every_line(pattern) {
            Some(Self::RepeatedRepetition)
        } else {
            let is_plain = pieces
                .iter()
                .all(|piece| matches!(piece, Char('.' | '*' | '^' | '$')));
            (!is_plain && is_every_line(pattern)).then_some(Self::EmptyMatch)
        }
    }

    /// The oddity in a sentence.
    #[must_use]
    pub fn sentence(self) -> &'static str {
        match self {
            Self::EmptyGroup => "`()` is an empty group, which matches anywhere.",
            Self::EmptyAlternative => "An empty alternative beside `|` matches every line.",
            Self::RepeatedRepetition => "Here a repetition is repeated.",
            Self::EmptyMatch => "The pattern matches the empty string, and so every line.",
        }
    }
}

/// The pattern that was probably meant by one that matches every line.
#[must_use]
pub fn narrower(pattern: &str) -> Option<String> {
    if !is_every_line(pattern) {
        return None;
    }
    let filled = without_empty_alternatives(pattern);
    let narrower = if filled != pattern {
        // With blanks around it, or by itself, it is an operator of some language.
        let is_plain = pattern.contains(" || ") || filled.is_empty();
        if is_plain { escaped(pattern) } else { filled }
    } else if let Some(before) = pattern.strip_suffix('*') {
        format!("{}+", before.trim_end_matches('*'))
    } else {
        pattern.strip_suffix('?')?.to_owned()
    };
    (parser::parse(&narrower).is_ok() && !is_every_line(&narrower)).then_some(narrower)
}

/// The pattern without bars that nothing stands behind, or before.
fn without_empty_alternatives(pattern: &str) -> String {
    use PatternPiece::Char;
    let mut filled: Vec<(PatternPiece, &str)> = Vec::new();
    for piece in pieces(pattern).into_iter().map(Some).chain([None]) {
        let before = filled.last().map(|last| last.0);
        match piece {
            Some((Char('|'), _)) if matches!(before, None | Some(Char('(' | '|'))) => continue,
            None | Some((Char(')'), _)) if before == Some(Char('|')) => drop(filled.pop()),
            _ => {}
        }
        filled.extend(piece);
    }
    filled.iter().map(|(_, text)| *text).collect()
}

/// True if every line matches.
#[must_use]
pub fn is_every_line(pattern: &str) -> bool {
    let parsed = parser::parse(pattern);
    parsed.is_ok_and(|parsed| !parsed.has_references && matches_every_line(&simplify(parsed.node)))
}

/// The first alternative of `pattern` that no line matches, because it wants a line feed, and the
/// one that was probably meant.
#[must_use]
pub fn dead_alternative(pattern: &str) -> Option<(&str, Option<String>)> {
    let (mut offset, mut from, mut level) = (0, 0, 0_usize);
    let mut alternatives = Vec::new();
    for (piece, text) in pieces(pattern) {
        match piece {
            PatternPiece::Char('(') => level += 1,
            PatternPiece::Char(')') => level = level.saturating_sub(1),
            PatternPiece::Char('|') if level == 0 => {
                alternatives.push(&pattern[from..offset]);
                from = offset + 1;
            }
            _ => {}
        }
        offset += text.len();
    }
    alternatives.push(&pattern[from..]);
    let is_dead = |text: &&str| {
        let parsed = parser::parse_any(text);
        parsed.is_ok_and(|parsed| wants_line_feed(&parsed.node))
    };
    let dead = alternatives.into_iter().find(is_dead)?;
    // A group checks its alternatives itself.
    let ends = [r"\r\n", r"\n", "\r\n", "\n"];
    let end = ends.iter().find_map(|end| dead.strip_suffix(end));
    let start = ends.iter().find_map(|end| dead.strip_prefix(end));
    let meant = match (end, start) {
        (Some(before), _) => Some(format!("{before}$")),
        (_, Some(behind)) => Some(format!("^{behind}")),
        _ => None,
    };
    let is_alive = |meant: &String| meant.len() > 1 && parser::parse(meant).is_ok();
    Some((dead, meant.filter(is_alive)))
}

/// The pattern in which what makes this one be refused stands for itself, and true if all else
/// does too, because nothing shows that it is an expression; `None` if neither is enough.
#[must_use]
pub fn mended(pattern: &str) -> Option<(String, bool)> {
    use PatternPiece::{Char, Escape, Set};
    let pieces = pieces(pattern);
    let (mut open, mut is_plain) = (Vec::new(), vec![false; pieces.len()]);
    let mut before = None;
    for (index, (piece, _)) in pieces.iter().enumerate() {
        match piece {
            Char('(') => open.push(index),
            Char(')') => drop(open.pop()),
            Char('[' | '\\') => is_plain[index] = true,
            Char('*' | '+') => {
                is_plain[index] = matches!(before, None | Some(Char('(' | '|' | '^')));
            }
            // Behind a parenthesis it begins a group of another kind.
            Char('?') => is_plain[index] = matches!(before, None | Some(Char('|' | '^'))),
            _ => {}
        }
        before = Some(*piece);
    }
    for index in open {
        is_plain[index] = true;
    }
    let is_expression = |index: usize| match pieces[index].0 {
        Set | Escape(_) | Char('|' | ')') => true,
        Char('.') => matches!(pieces.get(index + 1), Some((Char('*' | '+' | '?'), _))),
        Char(_) => false,
    };
    let is_expression = (0..pieces.len()).any(|index| !is_plain[index] && is_expression(index));
    let mended = pieces.iter().zip(is_plain).map(|((_, text), is_plain)| {
        let escape = if is_plain { "\\" } else { "" };
        format!("{escape}{text}")
    });
    let mended = is_expression.then(|| (mended.collect(), false));
    mended
        .into_iter()
        .chain([(escaped(pattern), true)])
        .find(|(mended, _)| parser::parse(mended).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_that_matches_anywhere_is_told_with_what_was_meant() {
        use PatternOddity::{EmptyAlternative, EmptyGroup, EmptyMatch, RepeatedRepetition};
        for (pattern, oddity, meant) in [
            ("foo()", Some(EmptyGroup), None),
            ("a || b", Some(EmptyAlternative), Some(r"a \|\| b")),
            ("||", Some(EmptyAlternative), Some(r"\|\|")),
            ("foo|", Some(EmptyAlternative), Some("foo")),
            ("|foo", Some(EmptyAlternative), Some("foo")),
            ("(|foo)x", Some(EmptyAlternative), None),
            ("(foo|)", Some(EmptyAlternative), Some("(foo)")),
            ("(foo||bar)", Some(EmptyAlternative), Some("(foo|bar)")),
            ("a||b", Some(EmptyAlternative), Some("a|b")),
            ("a**", Some(EmptyMatch), Some("a+")),
            ("(a*)*", Some(EmptyMatch), None),
            ("x{0,2}", Some(EmptyMatch), None),
            ("z*|q", Some(EmptyMatch), None),
            ("i++", Some(RepeatedRepetition), None),
            ("x*", Some(EmptyMatch), Some("x+")),
            ("a?", Some(EmptyMatch), Some("a")),
            (r"\s*", Some(EmptyMatch), Some(r"\s+")),
            ("[a-z]*", Some(EmptyMatch), Some("[a-z]+")),
            (".*", None, None),
            ("^.*$", None, None),
            ("", None, None),
            ("^", None, None),
            ("a+?b", None, None),
            (r"a\|", None, None),
            ("[|]", None, None),
            ("a|b", None, None),
        ] {
            assert_eq!(PatternOddity::detect(pattern), oddity, "{pattern}");
            if oddity.is_some() {
                assert_eq!(narrower(pattern).as_deref(), meant, "{pattern}");
            }
        }
    }

    #[test]
    fn an_alternative_that_matches_no_line_is_found() {
        for (pattern, dead, meant) in [
            (r"results:\n|repo_path", r"results:\n", Some("results:$")),
            (r"repo_path|\nx", r"\nx", Some("^x")),
            ("a|b\n", "b\n", Some("b$")),
            (r"a|b\nc", r"b\nc", None),
            (r"a|\n", r"\n", None),
            (r"x|(a\n)+b", r"(a\n)+b", None),
        ] {
            let meant = meant.map(str::to_owned);
            assert_eq!(dead_alternative(pattern), Some((dead, meant)), "{pattern}");
        }
        for pattern in ["a|b", r"a|[^\n]b", r"a|b\n?", r"a\\n|b"] {
            assert_eq!(dead_alternative(pattern), None, "{pattern}");
        }
    }

    #[test]
    fn a_refused_pattern_is_mended_where_it_is_broken() {
        for (pattern, meant, is_whole) in [
            ("def foo(", r"def foo\(", true),
            ("foo.*bar(", r"foo.*bar\(", false),
            ("(a|b)(", r"(a|b)\(", false),
            ("*args", r"\*args", true),
            ("a|*b", r"a|\*b", false),
            ("x[0", r"x\[0", true),
            ("a\\", r"a\\", true),
            ("++", r"\+\+", true),
            ("**", r"\*\*", true),
            ("*needle*", r"\*needle\*", true),
            ("(a.b", r"\(a\.b", true),
            (r"\w+(", r"\w+\(", false),
        ] {
            assert!(parser::parse(pattern).is_err(), "{pattern}");
            assert_eq!(
                mended(pattern),
                Some((meant.to_owned(), is_whole)),
                "{pattern}"
            );
        }
    }
}
