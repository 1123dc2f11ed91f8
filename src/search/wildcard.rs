//! Wildcard patterns: a whole pattern as steps, and the matching of one path component.
//!
//! The rules are POSIX `glob(3)` and `fnmatch(3)` with `FNM_PERIOD` (XCU 2.14, XBD 9.3.5), plus
//! `**` as a whole component for any number of directories. What POSIX leaves open is done as
//! the GNU C library does it in the `C.UTF-8` locale: `?` and sets take a character, and a byte
//! in a name (or pattern) that is not UTF-8.
//!
//! One component is matched by [`glob::Pattern`]. It knows neither `\`, `[^a]`, `[[:alpha:]]` nor
//! a lone `[`; so a component is first read by the POSIX rules and then written in the few forms
//! that the two have in common. Its own walk is not used: see `walk`. Components of literals
//! and `*` alone, the usual ones, need no more than comparisons and never reach it.

use memchr::memmem::Finder;

/// A pattern, taken apart at its slashes.
#[derive(Debug)]
pub struct Wildcard {
    /// The slashes in front: empty for a relative pattern.
    pub root: Vec<u8>,
    /// The components.
    pub steps: Vec<Step>,
    /// A slash at the end: only directories, written with a slash.
    pub directories: bool,
}

/// One component, and the slashes between it and the one before.
#[derive(Debug)]
pub struct Step {
    /// What the component says.
    pub component: Component,
    /// The slashes before it, to be written as they were given.
    pub slashes: Vec<u8>,
}

/// One component of a pattern.
#[derive(Debug)]
pub enum Component {
    /// A name without wildcards, its escapes resolved.
    Name(Vec<u8>),
    /// Wildcards.
    Wild(Box<Wild>),
    /// `**`: any number of directories.
    Deep,
}

impl Wildcard {
    /// Takes `pattern` apart. Every sequence of bytes is a pattern.
    #[must_use]
    pub fn parse(pattern: &[u8]) -> Self {
        let run = |text: &[u8]| text.iter().take_while(|byte| **byte == b'/').count();
        let (root, mut rest) = pattern.split_at(run(pattern));
        let mut steps: Vec<Step> = Vec::new();
        let mut directories = false;
        let (mut wild, mut deep) = (false, false);
        let mut slashes: &[u8] = b"";
        while !rest.is_empty() {
            let (text, after) = rest.split_at(memchr::memchr(b'/', rest).unwrap_or(rest.len()));
            let (between, next) = after.split_at(run(after));
            directories = !between.is_empty();
            let component = Component::parse(unslashed(text, directories));
            let repeated = deep && matches!(component, Component::Deep);
            if !repeated {
                // As in glob(3), what follows a wildcard keeps no more than two slashes. Below
                // `**` it is one, since a directory is then reached in more than one way.
                let keep = if deep {
                    1
                } else if wild {
                    2
                } else {
                    usize::MAX
                };
                let slashes = slashes[..slashes.len().min(keep)].to_vec();
                wild |= !matches!(component, Component::Name(_));
                deep |= matches!(component, Component::Deep);
                steps.push(Step { component, slashes });
            }
            (slashes, rest) = (between, next);
        }
        if matches!(
            steps.last(),
            Some(Step {
                component: Component::Deep,
                ..
            })
        ) {
            steps.push(Step {
                component: Component::parse(b"*"),
                slashes: b"/".to_vec(),
            });
        }
        let root = if steps.is_empty() {
            &root[..root.len().div_ceil(2).min(2)]
        } else {
            root
        };
        Self {
            root: root.to_vec(),
            steps,
            directories,
        }
    }
}

/// A component without the backslash that escaped the slash behind it.
fn unslashed(text: &[u8], before_slash: bool) -> &[u8] {
    let escapes = text.iter().rev().take_while(|byte| **byte == b'\\').count();
    &text[..text.len() - usize::from(before_slash && escapes % 2 == 1)]
}

impl Component {
    /// Reads one component.
    #[must_use]
    pub fn parse(text: &[u8]) -> Self {
        if text == b"**" {
            return Self::Deep;
        }
        let bytes: Vec<char> = text.iter().copied().map(char::from).collect();
        let in_bytes = tokens(&bytes, false);
        if let Some(name) = in_bytes.as_deref().and_then(literal) {
            return Self::Name(name);
        }
        let in_text = str::from_utf8(text).ok().and_then(|text| {
            let chars: Vec<char> = text.chars().collect();
            tokens(&chars, true)
        });
        Self::Wild(Box::new(Wild::new(in_bytes, in_text)))
    }
}

/// One thing that a component asks for.
#[derive(Clone, Debug, PartialEq)]
enum Token {
    Char(char),
    Any,
    Star,
    Set {
        negated: bool,
        ranges: Vec<(char, char)>,
    },
}

/// The bytes that `tokens` (whose characters stand for bytes) spell, if there are no wildcards.
fn literal(tokens: &[Token]) -> Option<Vec<u8>> {
    tokens
        .iter()
        .map(|token| match token {
            Token::Char(c) => u8::try_from(*c).ok(),
            _ => None,
        })
        .collect()
}

/// The UTF-8 that the literal `tokens` spell.
fn spelled(tokens: &[Token]) -> Vec<u8> {
    let chars = tokens.iter().filter_map(|token| match token {
        Token::Char(c) => Some(*c),
        _ => None,
    });
    chars.collect::<String>().into_bytes()
}

/// Reads a component; none if it ends in a lone backslash, which matches nothing.
fn tokens(pattern: &[char], unicode: bool) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(&c) = pattern.get(at) {
        at += 1;
        tokens.push(match c {
            '*' if tokens.last() == Some(&Token::Star) => continue,
            '*' => Token::Star,
            '?' => Token::Any,
            '\\' => {
                at += 1;
                Token::Char(*pattern.get(at - 1)?)
            }
            '[' => match set(pattern, at, unicode) {
                Some((set, next)) => {
                    at = next;
                    set
                }
                None => Token::Char('['),
            },
            c => Token::Char(c),
        });
    }
    Some(tokens)
}

/// Reads the set whose `[` stands before `at`, and says where it ends; none if it does not.
fn set(pattern: &[char], mut at: usize, unicode: bool) -> Option<(Token, usize)> {
    let negated = matches!(pattern.get(at), Some('!' | '^'));
    at += usize::from(negated);
    let first = at;
    let mut ranges = Vec::new();
    // A class or a collating symbol that does not exist makes the comparison fail there, before
    // anything behind it is looked at.
    let mut broken = false;
    loop {
        if pattern.get(at) == Some(&']') && at > first {
            break;
        }
        let (element, next) = element(pattern, at)?;
        at = next;
        let low = match element {
            Element::Class(name) => {
                broken |= !(broken || class(&name, unicode, &mut ranges));
                continue;
            }
            Element::Equivalent(c) => {
                if !broken {
                    ranges.push((c, c));
                }
                continue;
            }
            Element::Char(c) => Some(c),
            Element::Unknown => None,
        };
        let mut high = low;
        if pattern.get(at) == Some(&'-') && pattern.get(at + 1).is_some_and(|c| *c != ']') {
            (high, at) = match element_at_end(pattern, at + 1)? {
                (Element::Char(c), next) => (Some(c), next),
                (_, next) => (None, next),
            };
        }
        match (low, high) {
            (Some(low), Some(high)) if !broken => ranges.push((low, high)),
            (Some(_), Some(_)) => {}
            _ => broken = true,
        }
    }
    let nothing = negated && broken;
    if nothing {
        ranges.clear();
    }
    Some((
        Token::Set {
            negated: negated && !nothing,
            ranges,
        },
        at + 1,
    ))
}

/// One element of a set.
enum Element {
    Char(char),
    Class(String),
    Equivalent(char),
    Unknown,
}

/// The element at `at`, and where the next begins; none at the pattern's end.
fn element(pattern: &[char], at: usize) -> Option<(Element, usize)> {
    match (*pattern.get(at)?, pattern.get(at + 1)) {
        ('[', Some(':')) => {
            let name: String = pattern[at + 2..]
                .iter()
                .take_while(|c| ('a'..='y').contains(*c))
                .collect();
            let end = at + 2 + name.len();
            if pattern[end..].starts_with(&[':', ']']) {
                return Some((Element::Class(name), end + 2));
            }
            Some((Element::Char('['), at + 1))
        }
        ('[', Some('=')) => match pattern[at + 2..] {
            [c, '=', ']', ..] => Some((Element::Equivalent(c), at + 5)),
            _ => Some((Element::Char('['), at + 1)),
        },
        _ => element_at_end(pattern, at),
    }
}

/// The element at `at` where only a character may stand, as at the end of a range.
fn element_at_end(pattern: &[char], at: usize) -> Option<(Element, usize)> {
    match (*pattern.get(at)?, pattern.get(at + 1)) {
        ('\\', escaped) => Some((Element::Char(*escaped?), at + 2)),
        ('[', Some('.')) => {
            let name = &pattern[at + 2..];
            let length = name.windows(2).position(|end| end == ['.', ']'])?;
            let next = at + 2 + length + 2;
            match name[..length] {
                [c] => Some((Element::Char(c), next)),
                _ => Some((Element::Unknown, next)),
            }
        }
        (c, _) => Some((Element::Char(c), at + 1)),
    }
}

/// Adds the characters of a class to `ranges`; false if there is no such class.
fn class(name: &str, unicode: bool, ranges: &mut Vec<(char, char)>) -> bool {
    let member: fn(char) -> bool = match name {
        "alpha" => char::is_alphabetic,
        "digit" => |c| c.is_ascii_digit(),
        "alnum" => char::is_alphanumeric,
        "upper" => char::is_uppercase,
        "lower" => char::is_lowercase,
        "space" => |c| matches!(c, '\t'..='\r' | ' ') || (!c.is_ascii() && is_space(c)),
        "blank" => |c| c == ' ' || c == '\t' || (!c.is_ascii() && is_space(c)),
        "cntrl" => char::is_control,
        "print" => |c| !c.is_control(),
        "graph" => |c| !c.is_control() && c != ' ' && !is_space(c),
        "punct" => |c| !(c.is_control() || c.is_alphanumeric() || c == ' ' || is_space(c)),
        "xdigit" => |c| c.is_ascii_hexdigit(),
        _ => return false,
    };
    let last = if unicode { char::MAX } else { '\x7f' };
    let mut open: Option<(char, char)> = None;
    for c in ('\0'..=last).filter(|c| member(*c)) {
        match &mut open {
            Some((_, end)) if u32::from(*end) + 1 == u32::from(c) => *end = c,
            _ => ranges.extend(open.replace((c, c))),
        }
    }
    ranges.extend(open);
    true
}

/// White space at which a line may be broken.
fn is_space(c: char) -> bool {
    c.is_whitespace() && !matches!(c, '\u{85}' | '\u{a0}' | '\u{2007}' | '\u{202f}')
}

/// A component with wildcards, ready to match names.
#[derive(Debug)]
pub struct Wild {
    /// The literal bytes before the first wildcard.
    prefix: Vec<u8>,
    /// The literal bytes behind the last wildcard.
    suffix: Vec<u8>,
    middle: Middle,
}

/// What lies between the literal ends.
#[derive(Debug)]
enum Middle {
    /// Nothing can match.
    Nothing,
    /// A single `*`.
    Anything,
    /// Literals in this order, with anything around them.
    Pieces(Vec<Finder<'static>>),
    /// Anything else: as text (where the pattern is UTF-8), and byte for byte.
    Pattern {
        text: Option<glob::Pattern>,
        bytes: glob::Pattern,
    },
}

impl Wild {
    fn new(in_bytes: Option<Vec<Token>>, in_text: Option<Vec<Token>>) -> Self {
        let nothing = Self {
            prefix: Vec::new(),
            suffix: Vec::new(),
            middle: Middle::Nothing,
        };
        let Some(bytes) = in_bytes else {
            return nothing;
        };
        let ends = |tokens: &[Token]| literal(tokens).unwrap_or_default();
        let (before, within, behind) = split(&bytes);
        let (prefix, mut suffix) = (ends(before), ends(behind));
        let middle = if within == [Token::Star] {
            Middle::Anything
        } else if within
            .iter()
            .all(|token| matches!(token, Token::Star | Token::Char(_)))
        {
            let pieces = within.split(|token| *token == Token::Star).map(ends);
            let pieces = pieces.filter(|piece| !piece.is_empty());
            Middle::Pieces(
                pieces
                    .map(|piece| Finder::new(&piece).into_owned())
                    .collect(),
            )
        } else {
            // `[[=é=]]` is one set as text, a set and a literal byte for byte.
            let agree = text
                .as_deref()
                .is_none_or(|text| spelled(split(text).2) == suffix);
            if !agree {
                suffix.clear();
            }
            let translate = |tokens: &[Token]| {
                let (before, within, _) = split(tokens);
                translate(if agree {
                    within
                } else {
                    &tokens[before.len()..]
                })
            };
            match (
                translate(&bytes),
                in_text.as_deref().map(translate).transpose(),
            ) {
                (Ok(bytes), Ok(text)) => Middle::Pattern { text, bytes },
                _ => return nothing,
            }
        };
        Self {
            prefix,
            suffix,
            middle,
        }
    }

    /// Whether `name` matches. A leading dot only matches a dot that is written.
    #[must_use]
    pub fn matches(&self, name: &[u8]) -> bool {
        if name.first() == Some(&b'.') && self.prefix.is_empty() {
            return false;
        }
        let Some(rest) = name.strip_prefix(&*self.prefix) else {
            return false;
        };
        let Some(rest) = rest.strip_suffix(&*self.suffix) else {
            return false;
        };
        match &self.middle {
            Middle::Nothing => false,
            Middle::Anything => true,
            Middle::Pieces(pieces) => {
                let mut rest = rest;
                pieces.iter().all(|piece| match piece.find(rest) {
                    Some(at) => {
                        rest = &rest[at + piece.needle().len()..];
                        true
                    }
                    None => false,
                })
            }
            Middle::Pattern { text, bytes } => match (text, str::from_utf8(rest)) {
                (Some(text), Ok(rest)) => text.matches(rest),
                _ => bytes.matches(&rest.iter().copied().map(char::from).collect::<String>()),
            },
        }
    }
}

/// The literal tokens in front, what begins and ends with a wildcard, the literal ones behind.
fn split(tokens: &[Token]) -> (&[Token], &[Token], &[Token]) {
    let wild = |token: &Token| !matches!(token, Token::Char(_));
    let start = tokens.iter().position(wild).unwrap_or(tokens.len());
    let end = tokens.iter().rposition(wild).map_or(start, |last| last + 1);
    (&tokens[..start], &tokens[start..end], &tokens[end..])
}

/// The same in the words of the `glob` crate.
fn translate(tokens: &[Token]) -> Result<glob::Pattern, glob::PatternError> {
    let mut text = String::new();
    for token in tokens {
        match token {
            Token::Any => text.push('?'),
            Token::Star => text.push('*'),
            Token::Char(c) => text.push_str(&glob::Pattern::escape(c.encode_utf8(&mut [0; 4]))),
            Token::Set { negated, ranges } => write_set(*negated, ranges, &mut text),
        }
    }
    glob::Pattern::new(&text)
}

/// Writes a set as ranges alone: `a-a` has no second meaning, whatever character `a` is. Only `]`
/// has to stand by itself, in front. The empty range `b-a` keeps it (or a `!`) apart from the rest.
fn write_set(negated: bool, ranges: &[(char, char)], text: &mut String) {
    text.push('[');
    if negated {
        text.push('!');
    }
    if ranges
        .iter()
        .any(|(low, high)| (*low..=*high).contains(&']'))
    {
        text.push(']');
    }
    text.push_str("b-a");
    for &(low, high) in ranges {
        for (low, high) in [(low, high.min('\\')), (low.max('^'), high)] {
            if low <= high {
                text.extend([low, '-', high]);
            }
        }
    }
    text.push(']');
}
