//! Text to tree: the grammar of POSIX extended regular expressions (XBD 9.4 and
//! 9.5) with the choices that glibc's `regcomp` makes (`regex(3)`), and the
//! forms that POSIX leaves undefined.
//!
//! | form | meaning |
//! |---|---|
//! | `\w \W \s \S` | as in GNU: word characters, white space, and all others |
//! | `\b \B \< \>` `` \` `` `\'` | as in GNU: word boundaries, ends of the line |
//! | `\d \D` | a decimal digit, any other character |
//! | `\t \r \n \xHH` | tab, carriage return, line feed (never in a line), the character U+00HH |
//! | `\1` to `\9` | what that group matched |
//! | `(?:…)` | a group that does not capture |
//! | `(?i)`, `(?i:…)`, `(?-i)` | case ignored or not, to the end of the group |
//! | `s` and `m` among those flags | accepted without effect: a line has no inner line ends |
//! | `*?` `+?` `??` `{2}?` | a repetition of a repetition, as in glibc |
//! | `{` before anything but a digit or a comma | itself |
//! | `[\w] [\d] [\s]`, in capitals too | the class |
//!
//! Any other character after a backslash is itself.

use super::PatternError;
use super::ast::{
    Assertion, CharClass, CharSet, DUP_MAX, MAX_DEPTH, MAX_STACKED, Node, repeat, stacked,
};
use super::bracket;

/// How many nodes a tree may have; it bounds the memory for a long pattern.
const MAX_NODES: usize = 1 << 16;

/// A pattern that was read.
pub(super) struct Parsed {
    pub node: Node,
    /// Whether it has a back-reference.
    pub references: bool,
}

/// Reads a whole pattern.
pub(super) fn parse(pattern: &str) -> Result<Parsed, PatternError> {
    let mut parser = Parser {
        text: pattern,
        at: 0,
        fold: false,
        groups: 0,
        complete: 0,
        references: false,
        nodes: 0,
    };
    let node = parser.alternation(0)?;
    Ok(Parsed {
        node,
        references: parser.references,
    })
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    /// Whether `(?i)` is in force.
    fold: bool,
    groups: u32,
    /// One bit for each of the groups 1 to 9 that a back-reference may name here.
    complete: u16,
    references: bool,
    /// How many nodes the tree has, literal characters aside.
    nodes: usize,
}

/// One element of a branch.
enum Atom {
    /// A character, which a repetition may follow.
    Char(char),
    /// Anything else that a repetition may follow.
    Node(Node),
    /// An assertion, which no repetition may follow.
    Assertion(Assertion),
    /// `(?i)`, which matches nothing by itself.
    Flags,
}

impl Parser<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let next = self.text[self.at..].chars().next()?;
        self.at += next.len_utf8();
        Some(next)
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// Branches up to the end, or up to the `)` of the group they are in.
    fn alternation(&mut self, depth: usize) -> Result<Node, PatternError> {
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
        Ok(Node::Alternate(branches))
    }

    fn branch(&mut self, depth: usize) -> Result<Node, PatternError> {
        let mut nodes = Vec::new();
        while let Some(byte) = self.peek() {
            if byte == b'|' || (byte == b')' && depth > 0) {
                break;
            }
            let node = match self.atom(depth)? {
                Atom::Flags => continue,
                Atom::Assertion(assertion) => Node::Assertion(assertion),
                Atom::Char(char) if !self.at_repetition() => {
                    match nodes.last_mut() {
                        Some(Node::Literal { text, fold }) if *fold == self.fold => text.push(char),
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
            0 => Node::Empty,
            1 => nodes.remove(0),
            _ => Node::Concat(nodes),
        })
    }

    fn count(&mut self) -> Result<(), PatternError> {
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            return Err(PatternError::TooBig);
        }
        Ok(())
    }

    fn literal(&self, char: char) -> Node {
        Node::Literal {
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
                let (mut set, end) = bracket::parse(self.text, self.at)?;
                self.at = end;
                set.fold = self.fold;
                Ok(match set.single() {
                    Some(char) => Atom::Char(char),
                    None => Atom::Node(Node::Set(set)),
                })
            }
            '.' => Ok(Atom::Node(Node::Dot)),
            '^' => Ok(Atom::Assertion(Assertion::LineStart)),
            '$' => Ok(Atom::Assertion(Assertion::LineEnd)),
            '*' | '+' | '?' => Err(PatternError::Repetition),
            '{' if self.interval_follows(self.at) => Err(PatternError::Repetition),
            char => Ok(Atom::Char(char)),
        }
    }

    fn escape(&mut self) -> Result<Atom, PatternError> {
        let char = self.next().ok_or(PatternError::Backslash)?;
        let class = |class, negated| Atom::Node(Node::Set(CharSet::of(class, negated)));
        Ok(match char {
            'w' | 'W' => class(CharClass::Word, char == 'W'),
            's' | 'S' => class(CharClass::Space, char == 'S'),
            'd' | 'D' => class(CharClass::Digit, char == 'D'),
            'b' => Atom::Assertion(Assertion::WordBoundary),
            'B' => Atom::Assertion(Assertion::NotWordBoundary),
            '<' => Atom::Assertion(Assertion::WordStart),
            '>' => Atom::Assertion(Assertion::WordEnd),
            '`' => Atom::Assertion(Assertion::LineStart),
            '\'' => Atom::Assertion(Assertion::LineEnd),
            't' => Atom::Char('\t'),
            'r' => Atom::Char('\r'),
            'n' => Atom::Char('\n'),
            'x' => Atom::Char(self.hexadecimal().unwrap_or('x')),
            '1'..='9' => {
                let group = u32::from(char) - u32::from('0');
                if self.complete & (1 << group) == 0 {
                    return Err(PatternError::BackReference);
                }
                self.references = true;
                Atom::Node(Node::BackReference {
                    group,
                    fold: self.fold,
                })
            }
            char => Atom::Char(char),
        })
    }

    /// Two hexadecimal digits, where two follow.
    fn hexadecimal(&mut self) -> Option<char> {
        let digits = self.text.get(self.at..self.at + 2)?;
        if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        self.at += 2;
        u8::from_str_radix(digits, 16).ok().map(char::from)
    }

    fn group(&mut self, depth: usize) -> Result<Atom, PatternError> {
        if depth == MAX_DEPTH {
            return Err(PatternError::TooBig);
        }
        let fold = self.fold;
        let mut counts = true;
        if self.eat(b'?') {
            self.fold = self.flags()?;
            if self.eat(b')') {
                return Ok(Atom::Flags);
            }
            if !self.eat(b':') {
                return Err(PatternError::Repetition);
            }
            counts = false;
        }
        let group = self.groups + 1;
        if counts {
            self.groups = group;
        }
        let node = self.alternation(depth + 1)?;
        if !self.eat(b')') {
            return Err(PatternError::Parenthesis);
        }
        self.fold = fold;
        if !counts {
            return Ok(Atom::Node(node));
        }
        if group <= 9 {
            self.complete |= 1 << group;
        }
        Ok(Atom::Node(Node::Group(Box::new(node))))
    }

    /// The flags after `(?`, none included: whether case is ignored from here on.
    fn flags(&mut self) -> Result<bool, PatternError> {
        let mut fold = self.fold;
        let mut on = true;
        let start = self.at;
        loop {
            match self.peek() {
                Some(b'i') => fold = on,
                Some(b's' | b'm') => {}
                Some(b'-') if on => on = false,
                Some(b':') => return Ok(fold),
                Some(b')') if self.at > start => return Ok(fold),
                _ => return Err(PatternError::Repetition),
            }
            self.at += 1;
        }
    }

    /// Whether the `{` that ends at `at` opens an interval.
    fn interval_follows(&self, at: usize) -> bool {
        matches!(self.text.as_bytes().get(at), Some(b'0'..=b'9' | b','))
    }

    fn at_repetition(&self) -> bool {
        match self.peek() {
            Some(b'*' | b'+' | b'?') => true,
            Some(b'{') => self.interval_follows(self.at + 1),
            _ => false,
        }
    }

    fn repetitions(&mut self, mut node: Node) -> Result<Node, PatternError> {
        while self.at_repetition() {
            let (min, max) = match self.next() {
                Some('*') => (0, None),
                Some('+') => (1, None),
                Some('?') => (0, Some(1)),
                _ => self.interval()?,
            };
            node = repeat(node, min, max);
            if stacked(&node) > MAX_STACKED {
                return Err(PatternError::TooBig);
            }
        }
        Ok(node)
    }

    /// The rest of an interval, after its `{`.
    fn interval(&mut self) -> Result<(u32, Option<u32>), PatternError> {
        let (min, mut last) = self.number();
        let mut max = min;
        if last == Some(',') && min != Number::Invalid {
            (max, last) = self.number();
        }
        let Some(last) = last else {
            return Err(PatternError::Brace);
        };
        let min = match min {
            Number::Is(min) => min,
            Number::Missing => 0,
            Number::Invalid => return Err(PatternError::Interval),
        };
        let max = match max {
            Number::Is(max) => Some(max),
            Number::Missing => None,
            Number::Invalid => return Err(PatternError::Interval),
        };
        if last != '}' || max.is_some_and(|max| max < min) {
            return Err(PatternError::Interval);
        }
        if max.unwrap_or(min) > DUP_MAX {
            return Err(PatternError::TooBig);
        }
        Ok((min, max))
    }

    /// The number up to the next `,` or `}`, and which of the two ended it;
    /// neither where the pattern ends first.
    fn number(&mut self) -> (Number, Option<char>) {
        let mut number = Number::Missing;
        while let Some(char) = self.next() {
            let digit = match char {
                '}' | ',' => return (number, Some(char)),
                // An escaped comma ends the number too, an escaped brace does not.
                '\\' if self.next() == Some(',') => return (number, Some(',')),
                char => char.to_digit(10),
            };
            number = match (number, digit) {
                (Number::Missing, Some(digit)) => Number::Is(digit),
                (Number::Is(so_far), Some(digit)) => {
                    Number::Is((so_far * 10 + digit).min(DUP_MAX + 1))
                }
                _ => Number::Invalid,
            };
        }
        (Number::Invalid, None)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Number {
    Missing,
    Is(u32),
    Invalid,
}
