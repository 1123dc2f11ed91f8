//! Wildcard patterns: a whole pattern as steps, and the matching of one path component.
//!
//! The rules are POSIX `glob(3)` and `fnmatch(3)` with `FNM_PERIOD` (XCU 2.14, XBD 9.3.5), plus
//! `**` as a whole component for any number of directories. What POSIX leaves open is done as
//! the GNU C library does it in the `C.UTF-8` locale: `?` and sets take a character, or a byte
//! if only that leads to a match (a name, or a pattern, need not be UTF-8).
//!
//! One component is matched by [`glob::Pattern`]. It knows neither `\`, `[^a]`, `[[:alpha:]]` nor
//! a lone `[`; so a component is first read by the POSIX rules and then written in the few forms
//! that the two have in common. Its own walk is not used: see `walk`. Components of literals
//! and `*`, the usual ones, need only comparisons and never reach it.

use std::sync::OnceLock;

use memchr::memmem::Finder;

use super::bracket_set::WildcardSet;

/// A pattern, taken apart at its slashes.
#[derive(Debug)]
pub struct SplitPattern {
    /// The slashes in front: empty for a relative pattern.
    pub root: Vec<u8>,
    /// The components.
    pub steps: Vec<PatternStep>,
    /// A slash at the end: only directories, written with a slash.
    pub wants_directories: bool,
}

/// One component, and the slashes between it and the one before.
#[derive(Debug)]
pub struct PatternStep {
    /// The component itself.
    pub component: PatternComponent,
    /// The slashes before it, to be written as they were given.
    pub slashes: Vec<u8>,
}

/// One component of a pattern.
#[derive(Debug)]
pub enum PatternComponent {
    /// A name without wildcards, its escapes resolved.
    Name(Vec<u8>),
    /// Wildcards.
    Wild(Box<WildcardName>),
    /// `**`: any number of directories.
    Deep,
}

impl SplitPattern {
    /// Takes `pattern` apart. Every sequence of bytes is a pattern.
    #[must_use]
    pub fn parse(pattern: &[u8]) -> Self {
        let run = |text: &[u8]| text.iter().take_while(|byte| **byte == b'/').count();
        let (root, mut unread) = pattern.split_at(run(pattern));
        let mut steps: Vec<PatternStep> = Vec::new();
        let mut wants_directories = false;
        let (mut wild, mut deep) = (false, false);
        let mut slashes: &[u8] = b"";
        while !unread.is_empty() {
            let (text, after) =
                unread.split_at(memchr::memchr(b'/', unread).unwrap_or(unread.len()));
            let (between, next) = after.split_at(run(after));
            wants_directories = !between.is_empty();
            let component = PatternComponent::parse(unslashed(text, wants_directories));
            let last = steps.last().map(|step| &step.component);
            let repeated = matches!(
                (last, &component),
                (Some(PatternComponent::Deep), PatternComponent::Deep)
            );
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
                wild |= !matches!(component, PatternComponent::Name(_));
                deep |= matches!(component, PatternComponent::Deep);
                steps.push(PatternStep { component, slashes });
            }
            (slashes, unread) = (between, next);
        }
        if matches!(
            steps.last(),
            Some(PatternStep {
                component: PatternComponent::Deep,
                ..
            })
        ) {
            steps.push(PatternStep {
                component: PatternComponent::parse(b"*"),
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
            wants_directories,
        }
    }
}

/// A component without the backslash that escaped the slash after it.
fn unslashed(text: &[u8], before_slash: bool) -> &[u8] {
    let escapes = text.iter().rev().take_while(|byte| **byte == b'\\').count();
    &text[..text.len() - usize::from(before_slash && escapes % 2 == 1)]
}

impl PatternComponent {
    /// Reads one component.
    #[must_use]
    pub fn parse(text: &[u8]) -> Self {
        if text == b"**" {
            return Self::Deep;
        }
        let bytes: Vec<char> = text.iter().copied().map(char::from).collect();
        match tokens(&bytes, false) {
            None => Self::Wild(Box::new(WildcardName::nothing())),
            Some(tokens) => match literal(&tokens) {
                Some(name) => Self::Name(name),
                None => Self::Wild(Box::new(WildcardName::new(text, &tokens))),
            },
        }
    }

    /// True if both plainly match the same names.
    #[must_use]
    pub fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Name(one), Self::Name(other)) => one == other,
            (Self::Wild(one), Self::Wild(other)) => one.is(other),
            (Self::Deep, Self::Deep) => true,
            _ => false,
        }
    }

    /// The component that matches the names of this one in lower case, and whether this one has
    /// capitals; `None` if it has no letters, or a set in which the case of letters is meant.
    #[must_use]
    pub fn folded(&self) -> Option<(Self, bool)> {
        let has_capitals = |text: &[u8]| text.iter().any(u8::is_ascii_uppercase);
        let (text, folded) = match self {
            Self::Name(name) => (name, Self::Name(name.to_ascii_lowercase())),
            Self::Wild(wild) if !wild.source.contains(&b'[') => {
                let folded = wild.source.to_ascii_lowercase();
                (&wild.source, Self::parse(&folded))
            }
            _ => return None,
        };
        let has_letters = text.iter().any(u8::is_ascii_alphabetic);
        has_letters.then(|| (folded, has_capitals(text)))
    }

    /// True if `name` begins and ends as this component does before its first and behind its last
    /// wildcard, whatever the case of ASCII letters. Every other name matches in no case.
    pub(crate) fn has_ends_of(&self, name: &[u8]) -> bool {
        match self {
            Self::Name(only) => only.eq_ignore_ascii_case(name),
            Self::Wild(wild) => {
                let (prefix, suffix) = (&wild.prefix, &wild.suffix);
                let tail = name.split_at_checked(prefix.len());
                tail.is_some_and(|(start, tail)| {
                    let end = tail
                        .len()
                        .checked_sub(suffix.len())
                        .map(|suffix_start| &tail[suffix_start..]);
                    end.is_some_and(|end| end.eq_ignore_ascii_case(suffix))
                        && start.eq_ignore_ascii_case(prefix)
                })
            }
            Self::Deep => false,
        }
    }

    /// True if `name` matches as a whole.
    #[must_use]
    pub fn matches(&self, name: &[u8]) -> bool {
        match self {
            Self::Name(only) => only == name,
            Self::Wild(wild) => wild.matches(name),
            Self::Deep => !name.starts_with(b"."),
        }
    }
}

/// One element of a component.
#[derive(Clone, Debug, PartialEq)]
enum WildcardToken {
    Char(char),
    Any,
    Star,
    Set(WildcardSet),
}

/// The bytes that `tokens` (whose characters stand for bytes) spell, if there are no wildcards.
fn literal(tokens: &[WildcardToken]) -> Option<Vec<u8>> {
    tokens
        .iter()
        .map(|token| match token {
            WildcardToken::Char(c) => u8::try_from(*c).ok(),
            _ => None,
        })
        .collect()
}

/// Reads a component; none if it ends in a lone backslash, which matches nothing.
fn tokens(pattern: &[char], unicode: bool) -> Option<Vec<WildcardToken>> {
    let mut tokens = Vec::new();
    let mut index = 0;
    while let Some(&c) = pattern.get(index) {
        index += 1;
        tokens.push(match c {
            '*' if tokens.last() == Some(&WildcardToken::Star) => continue,
            '*' => WildcardToken::Star,
            '?' => WildcardToken::Any,
            '\\' => {
                index += 1;
                WildcardToken::Char(*pattern.get(index - 1)?)
            }
            '[' => match WildcardSet::parse(pattern, index, unicode) {
                Some((set, next)) => {
                    index = next;
                    WildcardToken::Set(set)
                }
                None => WildcardToken::Char('['),
            },
            c => WildcardToken::Char(c),
        });
    }
    Some(tokens)
}

/// A component with wildcards, ready to match names.
#[derive(Debug)]
pub struct WildcardName {
    /// The literal bytes before the first wildcard.
    prefix: Vec<u8>,
    /// The literal bytes after the last wildcard.
    suffix: Vec<u8>,
    middle: WildcardMiddle,
    /// The component as given.
    source: Vec<u8>,
}

/// The part between the literal ends.
#[derive(Debug)]
enum WildcardMiddle {
    /// No name can match.
    Nothing,
    /// A single `*`.
    Anything,
    /// Literals in this order, with anything around them.
    Pieces(Vec<Finder<'static>>),
    /// Anything else.
    Pattern {
        /// Byte for byte.
        bytes: glob::Pattern,
        /// Character for character, where both pattern and name are UTF-8: made for the first
        /// name that is not ASCII, for it has to know all letters there are.
        text: OnceLock<Option<glob::Pattern>>,
    },
}

impl WildcardName {
    fn nothing() -> Self {
        Self {
            prefix: Vec::new(),
            suffix: Vec::new(),
            middle: WildcardMiddle::Nothing,
            source: Vec::new(),
        }
    }

    /// Makes ready `source`, whose bytes are `tokens`.
    fn new(source: &[u8], tokens: &[WildcardToken]) -> Self {
        let ends = |tokens: &[WildcardToken]| literal(tokens).unwrap_or_default();
        let (before, within, behind) = split(tokens);
        let (prefix, mut suffix) = (ends(before), ends(behind));
        let middle = if within == [WildcardToken::Star] {
            WildcardMiddle::Anything
        } else if within
            .iter()
            .all(|token| matches!(token, WildcardToken::Star | WildcardToken::Char(_)))
        {
            let pieces = within
                .split(|token| *token == WildcardToken::Star)
                .map(ends);
            let pieces = pieces.filter(|piece| !piece.is_empty());
            WildcardMiddle::Pieces(
                pieces
                    .map(|piece| Finder::new(&piece).into_owned())
                    .collect(),
            )
        } else {
            if !source.is_ascii() {
                suffix.clear();
            }
            match translate(body(source, tokens)) {
                Ok(bytes) => WildcardMiddle::Pattern {
                    bytes,
                    text: OnceLock::new(),
                },
                Err(_) => return Self::nothing(),
            }
        };
        Self {
            prefix,
            suffix,
            middle,
            source: source.to_vec(),
        }
    }

    fn is(&self, other: &Self) -> bool {
        let middle = match (&self.middle, &other.middle) {
            (WildcardMiddle::Nothing, WildcardMiddle::Nothing)
            | (WildcardMiddle::Anything, WildcardMiddle::Anything) => true,
            (WildcardMiddle::Pieces(one), WildcardMiddle::Pieces(other)) => {
                let needles = one.iter().map(Finder::needle);
                needles.eq(other.iter().map(Finder::needle))
            }
            (WildcardMiddle::Pattern { .. }, WildcardMiddle::Pattern { .. }) => {
                self.source == other.source
            }
            _ => false,
        };
        middle && self.prefix == other.prefix && self.suffix == other.suffix
    }

    /// True if `name` matches. A leading dot only matches a dot that is written.
    #[must_use]
    pub fn matches(&self, name: &[u8]) -> bool {
        (name.first() != Some(&b'.') || !self.prefix.is_empty()) && self.matches_hidden_too(name)
    }

    /// True if `name` matches in a scope with hidden names or without. With them neither a
    /// directory itself nor the one above is a name.
    #[must_use]
    pub(crate) fn matches_in_scope(&self, name: &[u8], hidden: bool) -> bool {
        match (hidden, name) {
            (true, b"." | b"..") => false,
            (true, name) => self.matches_hidden_too(name),
            (false, name) => self.matches(name),
        }
    }

    /// True if `name` matches, whose leading dot is a character like others.
    fn matches_hidden_too(&self, name: &[u8]) -> bool {
        let Some(middle) = name.strip_prefix(&*self.prefix) else {
            return false;
        };
        let Some(middle) = middle.strip_suffix(&*self.suffix) else {
            return false;
        };
        match &self.middle {
            WildcardMiddle::Nothing => false,
            WildcardMiddle::Anything => true,
            WildcardMiddle::Pieces(pieces) => {
                let mut middle = middle;
                pieces.iter().all(|piece| match piece.find(middle) {
                    Some(offset) => {
                        middle = &middle[offset + piece.needle().len()..];
                        true
                    }
                    None => false,
                })
            }
            WildcardMiddle::Pattern { bytes, text } => match str::from_utf8(middle) {
                Ok(middle) if middle.is_ascii() && self.source.is_ascii() => bytes.matches(middle),
                // As the GNU C library does it: what does not match as text gets another chance.
                Ok(middle)
                    if text
                        .get_or_init(|| as_text(&self.source))
                        .as_ref()
                        .is_some_and(|text| text.matches(middle)) =>
                {
                    true
                }
                _ => bytes.matches(&middle.iter().copied().map(char::from).collect::<String>()),
            },
        }
    }
}

/// The pattern that compares characters, if `source` consists of them.
fn as_text(source: &[u8]) -> Option<glob::Pattern> {
    let chars: Vec<char> = str::from_utf8(source).ok()?.chars().collect();
    translate(body(source, &tokens(&chars, true)?)).ok()
}

/// Returns the tokens that are compared after the literal ends. If `source` is not ASCII, its last
/// set may end elsewhere as text than byte for byte (`[[=é=]]`): then the end is compared here.
fn body<'a>(source: &[u8], tokens: &'a [WildcardToken]) -> &'a [WildcardToken] {
    let (before, within, _) = split(tokens);
    if source.is_ascii() {
        within
    } else {
        &tokens[before.len()..]
    }
}

/// The literal tokens in front, what begins and ends with a wildcard, the literal ones after.
fn split(tokens: &[WildcardToken]) -> (&[WildcardToken], &[WildcardToken], &[WildcardToken]) {
    let wild = |token: &WildcardToken| !matches!(token, WildcardToken::Char(_));
    let start = tokens.iter().position(wild).unwrap_or(tokens.len());
    let end = tokens.iter().rposition(wild).map_or(start, |last| last + 1);
    (&tokens[..start], &tokens[start..end], &tokens[end..])
}

/// The tokens in the syntax of the `glob` crate.
fn translate(tokens: &[WildcardToken]) -> Result<glob::Pattern, glob::PatternError> {
    let mut text = String::new();
    for token in tokens {
        match token {
            WildcardToken::Any => text.push('?'),
            WildcardToken::Star => text.push('*'),
            WildcardToken::Char(c) => {
                text.push_str(&glob::Pattern::escape(c.encode_utf8(&mut [0; 4])));
            }
            WildcardToken::Set(set) => set.write(&mut text),
        }
    }
    glob::Pattern::new(&text)
}

#[cfg(test)]
mod tests;
