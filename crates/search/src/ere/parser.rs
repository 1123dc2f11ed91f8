//! Text to tree: the grammar of POSIX extended regular expressions (XBD 9.4 and
//! 9.5) with the choices that glibc's `regcomp` makes (`regex(3)`), and the
//! forms that POSIX leaves undefined.
//!
//! | form | meaning |
//! |---|---|
//! | `\w \W \s \S` | as in GNU: word characters, white space, and all others |
//! | `\b \B \< \>` | as in GNU: word boundaries |
//! | `\A \z \Z` | ends of the line |
//! | `\b{start} \b{end}` | as `\<` and `\>` |
//! | `\d \D` | a decimal digit, any other character |
//! | `\p{Lu} \pL \P{Lu}` | characters with a Unicode property, or without it ([`properties`]) |
//! | `\t \r \n \f \v \a` | control characters; a line feed is never in a line |
//! | `\x41 \x{41} \u0041 \u{41} \U00000041` | the character with this number ([`escapes`]) |
//! | `\1` to `\9`, `\k<n>`, `\k{n}`, `\k'n'`, `(?P=n)` | what that group matched |
//! | `(?:…)` | a group that does not capture |
//! | `(?P<n>…)`, `(?<n>…)`, `(?'n'…)` | a group with a name |
//! | `(?i)`, `(?i:…)`, `(?-i)` | case ignored or not, to the end of the group |
//! | `s`, `m`, `u` and `U` among those flags | without effect: a line has no inner line ends |
//! | `*?` `+?` `??` `{2}?` | the repetition before the last `?`: lazy, it matches the same lines |
//! | `{` before anything but a digit or a comma | itself |
//! | a backslash in brackets | an escape ([`bracket`]) |
//!
//! Further constructs of other engines are refused by name ([`unsupported`]), and so is a pattern
//! that wants a line feed in every match. Any character but an ASCII letter or digit is itself
//! after a backslash; so are the quotes of `` \` `` and `\'`, which are ends of the line for GNU:
//! who escapes a quote means the quote.
//!
//! [`unsupported`]: super::unsupported

use super::ast::{Assertion, CharSet, MAX_STACKED, PatternNode, repeat, stacked};
use super::cost::MAX_SIZE;
use super::simplify::wants_line_feed;
use super::unsupported;
use super::{PatternError, bracket, escapes, interval, properties};

mod group;

/// Maximum number of nodes of a tree; it bounds the memory for a long pattern.
const MAX_NODES: usize = 1 << 16;

/// The last group that a back-reference may name.
const LAST_NAMED: u32 = 63;

/// A pattern that was read.
pub(super) struct ParsedPattern {
    pub node: PatternNode,
    /// True if it has a back-reference.
    pub has_references: bool,
    /// True if it has a line feed that is not one of several characters.
    has_line_feed: bool,
}

impl ParsedPattern {
    /// A tree without back-references.
    pub fn linear(node: PatternNode) -> Self {
        Self {
            node,
            has_references: false,
            has_line_feed: false,
        }
    }
}

/// Reads a whole pattern.
pub(super) fn parse(pattern: &str) -> Result<ParsedPattern, PatternError> {
    let parsed = parse_any(pattern)?;
    if parsed.has_line_feed && wants_line_feed(&parsed.node) {
        return Err(PatternError::Unsupported(unsupported::LINE_FEED.into()));
    }
    Ok(parsed)
}

/// Reads a whole pattern, even one that no line matches.
pub(super) fn parse_any(pattern: &str) -> Result<ParsedPattern, PatternError> {
    let mut parser = PatternParser {
        text: pattern,
        last_bracket: memchr::memrchr(b']', pattern.as_bytes()).unwrap_or(0),
        ..PatternParser::default()
    };
    let node = parser.alternation(0)?;
    Ok(ParsedPattern {
        node,
        has_references: parser.references,
        has_line_feed: parser.has_line_feed,
    })
}

#[derive(Default)]
struct PatternParser<'a> {
    text: &'a str,
    offset: usize,
    /// The offset of the last `]`.
    last_bracket: usize,
    /// True if `(?i)` is in force.
    fold: bool,
    groups: u32,
    /// One bit for each of the groups 1 to 63 that a back-reference may name here.
    complete: u64,
    /// The groups with names, as far as a back-reference may name them.
    names: Vec<(&'a str, u32)>,
    references: bool,
    /// True if it has a line feed that is not one of several characters.
    has_line_feed: bool,
    /// The number of nodes in the tree, literal characters aside.
    nodes: usize,
    /// The number of ranges in its sets.
    ranges: usize,
}

/// One element of a branch.
enum Atom {
    /// A character, which a repetition may follow.
    Char(char),
    /// Anything else that a repetition may follow.
    Node(PatternNode),
    /// An assertion, which no repetition may follow.
    Assertion(Assertion),
    /// `(?i)`, which matches nothing by itself.
    Flags,
}

impl<'a> PatternParser<'a> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.offset).copied()
    }

    fn next(&mut self) -> Option<char> {
        let next = self.text[self.offset..].chars().next()?;
        self.offset += next.len_utf8();
        Some(next)
    }

    fn eat(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.offset += usize::from(is_next);
        is_next
    }

    /// Reads branches up to the end, or up to the `)` of the group they are in.
    fn alternation(&mut self, depth: usize) -> Result<PatternNode, PatternError> {
        let before = self.complete;
        let first = self.branch(depth)?;
        if self.peek() != Some(b'|') {
            return Ok(first);
        }
        let mut branches = vec![first];
        while self.eat(b'|') {
            self.count()?;
            // A branch must not name a group of its siblings.
            let so_far = std::mem::replace(&mut self.complete, before);
            branches.push(self.branch(depth)?);
            self.complete |= so_far;
        }
        Ok(PatternNode::Alternate(branches))
    }

    fn branch(&mut self, depth: usize) -> Result<PatternNode, PatternError> {
        let mut nodes = Vec::new();
        while let Some(byte) = self.peek() {
            if byte == b'|' || (byte == b')' && depth > 0) {
                break;
            }
            let atom = self.atom(depth)?;
            self.has_line_feed |= matches!(atom, Atom::Char('\n'));
            let node = match atom {
                Atom::Flags => continue,
                Atom::Assertion(assertion) => PatternNode::Assertion(assertion),
                Atom::Char(char) if !self.at_repetition() => {
                    match nodes.last_mut() {
                        Some(PatternNode::Literal { text, fold }) if *fold == self.fold => {
                            text.push(char);
                        }
                        _ => nodes.push(self.literal(char)),
                    }
                    continue;
                }
                Atom::Char(char) => {
                    let node = self.literal(char);
                    self.repetitions(node)?
                }
                Atom::Node(node) => self.repetitions(node)?,
            };
            self.count()?;
            nodes.push(node);
        }
        Ok(match nodes.len() {
            0 => PatternNode::Empty,
            1 => nodes.remove(0),
            _ => PatternNode::Concat(nodes),
        })
    }

    fn count(&mut self) -> Result<(), PatternError> {
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            return Err(PatternError::TooBig);
        }
        Ok(())
    }

    fn literal(&self, char: char) -> PatternNode {
        PatternNode::Literal {
            text: char.into(),
            fold: self.fold,
        }
    }

    fn atom(&mut self, depth: usize) -> Result<Atom, PatternError> {
        let Some(char) = self.next() else {
            return Ok(Atom::Flags);
        };
        match char {
            '\\' => self.escape(),
            '(' => self.group(depth),
            '[' => {
                let (set, end) =
                    bracket::parse(self.text, self.offset, self.last_bracket, self.fold)?;
                self.offset = end;
                match set.single() {
                    Some(char) => Ok(Atom::Char(char)),
                    None => self.set(set),
                }
            }
            '.' => Ok(Atom::Node(PatternNode::Dot)),
            '^' => Ok(Atom::Assertion(Assertion::LineStart)),
            '$' => Ok(Atom::Assertion(Assertion::LineEnd)),
            '*' | '+' | '?' => Err(PatternError::Repetition),
            '{' if self.interval_follows(self.offset) => Err(PatternError::Repetition),
            char => Ok(Atom::Char(char)),
        }
    }

    /// Makes a set an atom, unless all sets together are too large.
    fn set(&mut self, set: CharSet) -> Result<Atom, PatternError> {
        self.ranges += set.ranges.len();
        if self.ranges > MAX_SIZE {
            return Err(PatternError::TooBig);
        }
        Ok(Atom::Node(PatternNode::Set(set)))
    }

    fn escape(&mut self) -> Result<Atom, PatternError> {
        let char = self.next().ok_or(PatternError::Backslash)?;
        if let Some(class) = bracket::class(char) {
            let set = CharSet::from_class(class, char.is_ascii_uppercase());
            return Ok(Atom::Node(PatternNode::Set(set)));
        }
        if let Some(char) = escapes::control(char) {
            return Ok(Atom::Char(char));
        }
        Ok(match char {
            'b' => Atom::Assertion(self.boundary()),
            'B' => Atom::Assertion(Assertion::NotWordBoundary),
            '<' => Atom::Assertion(Assertion::WordStart),
            '>' => Atom::Assertion(Assertion::WordEnd),
            'A' => Atom::Assertion(Assertion::LineStart),
            'z' | 'Z' => Atom::Assertion(Assertion::LineEnd),
            'p' | 'P' => {
                let (ranges, end) =
                    properties::parse(self.text, self.offset, char == 'P', self.fold)?;
                self.offset = end;
                self.set(CharSet {
                    ranges,
                    ignores_case: self.fold,
                    ..CharSet::default()
                })?
            }
            '1'..='9' => self.reference(u32::from(char) - u32::from('0'))?,
            'k' => {
                let name = self.name_between([('<', '>'), ('{', '}'), ('\'', '\'')]);
                let name = name.ok_or(PatternError::BackReference)?;
                self.reference_to(name)?
            }
            letter if escapes::is_numeric(letter) => {
                let (char, end) = escapes::numeric(self.text, letter, self.offset)?;
                self.offset = end;
                Atom::Char(char)
            }
            letter if letter.is_ascii_alphanumeric() => {
                return Err(unsupported::escape(letter));
            }
            char => Atom::Char(char),
        })
    }

    /// Reads the kind in braces that may follow `\b`.
    fn boundary(&mut self) -> Assertion {
        for (kind, assertion) in [
            ("{start}", Assertion::WordStart),
            ("{end}", Assertion::WordEnd),
        ] {
            if self.text[self.offset..].starts_with(kind) {
                self.offset += kind.len();
                return assertion;
            }
        }
        Assertion::WordBoundary
    }

    fn reference(&mut self, group: u32) -> Result<Atom, PatternError> {
        if group > LAST_NAMED || self.complete & (1 << group) == 0 {
            return Err(PatternError::BackReference);
        }
        self.references = true;
        Ok(Atom::Node(PatternNode::BackReference {
            group,
            fold: self.fold,
        }))
    }

    fn reference_to(&mut self, name: &str) -> Result<Atom, PatternError> {
        let group = self.named(name).ok_or(PatternError::BackReference)?;
        self.reference(group)
    }

    /// Returns the number of the group with this name.
    fn named(&self, name: &str) -> Option<u32> {
        let mut names = self.names.iter();
        names
            .find(|(known, _)| *known == name)
            .map(|(_, group)| *group)
    }

    /// Reads the name between one of these pairs of characters, and passes these.
    fn name_between<const N: usize>(&mut self, pairs: [(char, char); N]) -> Option<&'a str> {
        let unread = &self.text[self.offset..];
        let (_, close) = pairs.iter().find(|(open, _)| unread.starts_with(*open))?;
        self.offset += 1;
        self.name(*close)
    }

    /// Reads the name up to `close`, and passes that: letters, digits and `_`, not a digit first.
    fn name(&mut self, close: char) -> Option<&'a str> {
        let unread = &self.text[self.offset..];
        let in_a_name = |char: &char| char.is_alphanumeric() || *char == '_';
        let length = unread
            .chars()
            .take_while(in_a_name)
            .map(char::len_utf8)
            .sum();
        let (name, behind) = unread.split_at(length);
        if name.is_empty() || name.starts_with(char::is_numeric) || !behind.starts_with(close) {
            return None;
        }
        self.offset += length + 1;
        Some(name)
    }

    /// True if the `{` that ends at `offset` opens an interval.
    fn interval_follows(&self, offset: usize) -> bool {
        matches!(self.text.as_bytes().get(offset), Some(b'0'..=b'9' | b','))
    }

    fn at_repetition(&self) -> bool {
        match self.peek() {
            Some(b'*' | b'+' | b'?') => true,
            Some(b'{') => self.interval_follows(self.offset + 1),
            _ => false,
        }
    }

    fn repetitions(&mut self, mut node: PatternNode) -> Result<PatternNode, PatternError> {
        while self.at_repetition() {
            let (min, max) = match self.next() {
                Some('*') => (0, None),
                Some('+') => (1, None),
                Some('?') => (0, Some(1)),
                _ => {
                    let (min, max, end) = interval::parse(self.text, self.offset)?;
                    self.offset = end;
                    (min, max)
                }
            };
            // A lazy one matches the same lines.
            self.eat(b'?');
            node = repeat(node, min, max);
            if stacked(&node) > MAX_STACKED {
                return Err(PatternError::TooBig);
            }
        }
        Ok(node)
    }
}
