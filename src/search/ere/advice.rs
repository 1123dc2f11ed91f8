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
    Some(match unsupported.construct {
        Construct::LookAround {
            behind: back,
            negative,
        } => {
            let end = end_of_group(pattern, at)?;
            let rest = &pattern[end..];
            let inner = &pattern[at + if back { 4 } else { 3 }..end - 1];
            if rest.starts_with(['*', '+', '?', '{']) {
                return None;
            }
            if !negative && ((back && at == 0) || (!back && rest.is_empty())) {
                let inner = if balanced(inner) && !inner.starts_with(['*', '+', '?', '{']) {
                    inner.to_owned()
                } else {
                    format!("(?:{inner})")
                };
                (format!("{before}{inner}{rest}"), true)
            } else {
                (format!("{before}{rest}"), false)
            }
        }
        Construct::Atomic => (format!("{before}(?:{}", &behind[3..]), false),
        Construct::Comment => {
            let end = behind.find(')')?;
            (format!("{before}{}", &behind[end + 1..]), true)
        }
        Construct::Quote => {
            let quoted = behind.strip_prefix(r"\Q")?;
            let (quoted, rest) = quoted.split_once(r"\E").unwrap_or((quoted, ""));
            (format!("{before}{}{rest}", escaped(quoted)), true)
        }
        Construct::Keep => (format!("{before}{}", &behind[2..]), true),
        Construct::Escape(letter @ ('h' | 'H' | 'e' | '0' | 'N' | 'X')) => {
            let rest = &behind[2..];
            // In `C:\home` it is the backslash that was meant, and `\07` is another number.
            let in_a_word = |char: Option<char>| char.is_some_and(char::is_alphanumeric);
            let path = before.ends_with(|char: char| char.is_alphanumeric() || char == ':')
                && in_a_word(rest.chars().next());
            if path || rest.starts_with('{') || (letter == '0' && in_a_word(rest.chars().next())) {
                return None;
            }
            (format!("{before}{}{rest}", same_as(letter)?), true)
        }
        Construct::InBrackets('h') => (format!(r"{before} \t{}", &behind[2..]), true),
        Construct::InBrackets('e') => (format!(r"{before}\x1b{}", &behind[2..]), true),
        Construct::InBrackets('0')
            if !behind[2..].starts_with(|next: char| next.is_ascii_digit()) =>
        {
            (format!(r"{before}\x00{}", &behind[2..]), true)
        }
        Construct::LineFeed => return in_one_line(pattern),
        _ => return None,
    })
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
