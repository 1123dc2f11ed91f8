//! Patterns to write instead of one that is refused: what is advised compiles, and finds at least
//! the lines that were meant.

use super::PatternError;
use super::parser;
use super::pieces::{Piece, end_of_group, escaped, pieces};
use super::simplify::{always, simplify};
use super::unsupported::{Construct, Instead, Unsupported, same_as};

/// The longest pattern, in bytes, that is rewritten, and how often.
const LONGEST: usize = 1000;
const ROUNDS: usize = 8;
/// What a repetition begins with.
const REPETITIONS: [char; 4] = ['*', '+', '?', '{'];

/// The error, with a pattern to write instead where there is one.
pub(super) fn advise(error: PatternError, pattern: &str) -> PatternError {
    let PatternError::Unsupported(mut unsupported) = error else {
        return error;
    };
    if pattern.len() <= LONGEST {
        unsupported.instead = instead(pattern, &unsupported);
    }
    PatternError::Unsupported(unsupported)
}

fn instead(pattern: &str, unsupported: &Unsupported) -> Option<Instead> {
    let (mut pattern, mut exact) = rewritten(pattern, unsupported)?;
    for _ in 0..ROUNDS {
        match parser::parse(&pattern) {
            // A search for every line is no advice.
            Ok(parsed) if always(&simplify(parsed.node.clone())) => return None,
            Ok(_) => return Some(Instead { pattern, exact }),
            Err(PatternError::Unsupported(next)) => {
                let (next, same) = rewritten(&pattern, &next)?;
                (pattern, exact) = (next, exact && same);
            }
            Err(_) => return None,
        }
    }
    None
}

/// The pattern without this construct, and whether it finds the same lines then.
fn rewritten(pattern: &str, unsupported: &Unsupported) -> Option<(String, bool)> {
    let at = unsupported.at;
    let (before, behind) = pattern.split_at_checked(at)?;
    let quoted;
    // What stands in place of the construct, the offset in `behind` after that, and the verdict.
    let (instead, end, exact) = match unsupported.construct {
        Construct::LookAround {
            behind: back,
            negative,
        } => {
            let end = end_of_group(pattern, at)? - at;
            let (inner, rest) = (&behind[if back { 4 } else { 3 }..end - 1], &behind[end..]);
            if rest.starts_with(REPETITIONS) {
                return None;
            }
            if negative || (if back { at > 0 } else { !rest.is_empty() }) {
                ("", end, false)
            } else if balanced(inner) && !inner.starts_with(REPETITIONS) {
                (inner, end, true)
            } else {
                quoted = ["(?:", inner, ")"].concat();
                (&*quoted, end, true)
            }
        }
        Construct::Atomic => ("(?:", 3, false),
        Construct::Comment => ("", behind.find(')')? + 1, true),
        Construct::Quote => {
            let text = behind.strip_prefix(r"\Q")?;
            let length = text.find(r"\E");
            quoted = escaped(&text[..length.unwrap_or(text.len())]);
            (
                &*quoted,
                length.map_or(behind.len(), |length| length + 4),
                true,
            )
        }
        Construct::Keep => ("", 2, true),
        Construct::Escape(letter @ ('h' | 'H' | 'e' | '0' | 'N' | 'X')) => {
            let next = behind[2..].chars().next();
            let in_a_word = next.is_some_and(char::is_alphanumeric);
            // In `C:\home` it is the backslash that was meant, and `\07` is another number.
            let path = before.ends_with(|char: char| char.is_alphanumeric() || char == ':');
            if next == Some('{') || (in_a_word && (path || letter == '0')) {
                return None;
            }
            (same_as(letter)?, 2, true)
        }
        Construct::InBrackets('h') => (r" \t", 2, true),
        Construct::InBrackets(letter @ ('e' | '0')) => {
            if letter == '0' && behind[2..].starts_with(char::is_numeric) {
                return None;
            }
            (same_as(letter)?, 2, true)
        }
        Construct::LineFeed => return in_one_line(pattern),
        _ => return None,
    };
    Some(([before, instead, &behind[end..]].concat(), exact))
}

/// The first part of a pattern of several lines that stands in one of them.
fn in_one_line(pattern: &str) -> Option<(String, bool)> {
    let mut parts = vec![String::new()];
    for (piece, text) in pieces(pattern) {
        if matches!(piece, Piece::Escape('n') | Piece::Char('\n')) {
            parts.push(String::new());
        } else if let Some(part) = parts.last_mut() {
            part.push_str(text);
        }
    }
    let others = parts.len() - 1;
    let nth = parts.iter().position(|part| {
        balanced(part) && parser::parse(part).is_ok_and(|one| !always(&simplify(one.node)))
    })?;
    let part = &parts[nth];
    if nth > 0 {
        let end = if nth == others { "" } else { "$" };
        return Some((format!("^{part}{end}"), false));
    }
    let (part, end) = ["\r?", "\r", r"\r?", r"\r"]
        .iter()
        .find_map(|end| Some((part.strip_suffix(end)?, r"\r?$")))
        .unwrap_or((part, "$"));
    let alone = parts[1..].iter().all(String::is_empty);
    Some((format!("{part}{end}"), alone))
}

/// Whether no group reaches beyond the part, and nothing is an alternative to it.
fn balanced(part: &str) -> bool {
    let mut depth = 0_usize;
    for (piece, _) in pieces(part) {
        match piece {
            Piece::Char('(') => depth += 1,
            Piece::Char(')' | '|') if depth == 0 => return false,
            Piece::Char(')') => depth -= 1,
            _ => {}
        }
    }
    depth == 0
}
