//! Constructs of other engines that this one does not have: each is refused in one sentence that
//! names it and says what to write instead, never read as something else.

use super::PatternError;

pub(super) const GROUP_NAME: &str = "a group's name is invalid or used twice: write letters, \
                                     digits and `_`, as in `(?<name>…)`, each name once";
pub(super) const NO_CHARACTER: &str =
    r"no character has this number: write one up to `\x{10FFFF}`, and no surrogate";
pub(super) const PROPERTY: &str =
    r"this Unicode property is unknown: write one such as `\p{L}`, `\p{Lu}`, `\p{Greek}`";
pub(super) const LINE_FEED: &str = "no line contains a line feed (`\\n`), and lines are searched \
                                    one by one: write `$` for the end of a line, or search for a \
                                    part that is within one line";

const FILTER_ADVICE: &str = "search for one part of it, then filter the matching lines";
const NESTING_ADVICE: &str = r"write out one level of nesting, as in `\([^()]*\)`";

/// Groups by what stands after their `(?`: the name of each, and the advice.
const GROUPS: [(&str, &str, &str); 11] = [
    ("=", "look-ahead", FILTER_ADVICE),
    ("!", "negative look-ahead", FILTER_ADVICE),
    ("<=", "look-behind", FILTER_ADVICE),
    ("<!", "negative look-behind", FILTER_ADVICE),
    (">", "the atomic group `(?>…)`", "write `(?:…)`"),
    ("|", "the branch reset `(?|…)`", "write `(?:…)`"),
    ("#", "the comment `(?#…)`", "leave it out"),
    (
        "(",
        "the conditional `(?(…)…)`",
        "write the two cases as `(…|…)`",
    ),
    ("R", "recursion into a group", NESTING_ADVICE),
    ("&", "recursion into a group", NESTING_ADVICE),
    ("P>", "recursion into a group", NESTING_ADVICE),
];

/// Refuses the group that begins with `text` after `(?`, if it is one of another engine.
pub(super) fn group(text: &str) -> Option<PatternError> {
    let number = text.trim_start_matches(['+', '-']);
    let text = if number.starts_with(|first: char| first.is_ascii_digit()) {
        "R"
    } else {
        text
    };
    let (start, name, instead) = GROUPS.iter().find(|(start, ..)| text.starts_with(start))?;
    let is_condition = |next: char| next.is_ascii_alphanumeric() || "<'?".contains(next);
    if *start == "(" && !text[1..].starts_with(is_condition) {
        return None;
    }
    Some(refused(format!("{name} is not supported: {instead}")))
}

/// Refuses a flag between `(?` and `)`.
pub(super) fn flag(flag: char) -> PatternError {
    let instead = match flag {
        'x' => "write the pattern without its blanks and comments",
        _ => "leave it out; `(?i)` ignores case",
    };
    refused(format!(
        "the flag `{flag}` in `(?…)` is not supported: {instead}"
    ))
}

/// Refuses `\x`, `\u` or `\U` without its digits.
pub(super) fn digits(letter: char) -> PatternError {
    refused(format!(
        "`\\{letter}` lacks its hexadecimal digits: write `\\{letter}{{41}}`, and `\\\\{letter}` \
         for a backslash before the letter"
    ))
}

/// Refuses an escape that does not stand for a character, in brackets.
pub(super) fn in_brackets(letter: char) -> PatternError {
    refused(format!(
        "`\\{letter}` cannot stand in brackets: write the characters themselves or an \
         alternative, as in `([…]|…)`, or `\\\\` for a backslash before `{letter}`"
    ))
}

/// Refuses a class in brackets that other engines have.
pub(super) fn class(name: &str) -> Option<PatternError> {
    let instead = match name {
        "word" => r"`\w`",
        "ascii" => r"`\x00-\x7f`",
        "<" | ">" => r"`\<` or `\>`, without the brackets",
        _ => return None,
    };
    Some(refused(format!(
        "the class `[:{name}:]` is not supported: write {instead}"
    )))
}

/// Refuses a set that looks like a class in brackets, without the brackets around it.
pub(super) fn bare_class(class: &str, is_negated: bool) -> PatternError {
    let not = if is_negated { "^" } else { "" };
    let name = class.trim_matches(':');
    refused(format!(
        "`[{not}{class}]` lacks its outer brackets: write `[{not}[{class}]]` for the class, or \
         `[{not}{name}:]` for these characters"
    ))
}

/// Refuses any other escape of an ASCII letter, or of `0`.
pub(super) fn escape(letter: char) -> PatternError {
    let instead = match letter {
        'c' | 'o' => r"the character's number, as in `\x1b`",
        'g' => r"`\1` for what the first group matched",
        'G' => "`^` for the start of a line",
        'h' => r"`[ \t]`",
        'H' => r"`[^ \t]`",
        'N' | 'X' | 'C' => "`.`",
        'e' => r"`\x1b`",
        '0' => r"`\x00`",
        'R' => "`$`",
        'Q' | 'E' => r"a backslash before each of `\ . [ ] ( ) { } * + ? | ^ $`",
        'K' => "nothing, since whole lines are returned",
        _ => "the letter alone",
    };
    refused(format!(
        "the escape `\\{letter}` is not supported: write {instead}, or `\\\\{letter}` for a \
         backslash and `{letter}`"
    ))
}

fn refused(sentence: String) -> PatternError {
    PatternError::Unsupported(sentence.into())
}
