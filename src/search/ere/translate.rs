//! Tree to the syntax of the `regex` crate (its module documentation), in such a
//! way that nothing can match a line feed.

use std::fmt::Write as _;

use super::PatternError;
use super::ast::{Assertion, Node, Set};
use super::classes;

/// What a pattern may cost: a character or an operator counts as one, a class
/// of Unicode as 1000. It bounds what reading the translation takes in memory.
const MAX_COST: usize = 1 << 18;

/// Whom the translation is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    /// `regex` over whole windows.
    Window,
    /// `fancy-regex` over one line, with a line feed for each byte that is no text.
    Line,
}

/// The pattern in the target's syntax.
pub(super) fn translate(node: &Node, target: Target) -> Result<String, PatternError> {
    let mut writer = Writer {
        out: String::new(),
        cost: 0,
        target,
    };
    writer.node(node)?;
    Ok(writer.out)
}

struct Writer {
    out: String,
    cost: usize,
    target: Target,
}

impl Writer {
    fn node(&mut self, node: &Node) -> Result<(), PatternError> {
        self.pay(1)?;
        match node {
            Node::Empty => self.out.push_str("(?:)"),
            Node::Literal { text, fold } => {
                self.pay(text.len())?;
                for char in text.chars() {
                    self.literal(char, *fold);
                }
            }
            Node::Set(set) => self.set(set)?,
            Node::Dot => self.out.push('.'),
            Node::Assertion(assertion) => self.out.push_str(match assertion {
                Assertion::LineStart if self.target == Target::Line => r"\A",
                Assertion::LineEnd if self.target == Target::Line => r"\z",
                Assertion::LineStart => "^",
                Assertion::LineEnd => "$",
                Assertion::WordBoundary => r"\b",
                Assertion::NotWordBoundary => r"\B",
                Assertion::WordStart => r"\b{start}",
                Assertion::WordEnd => r"\b{end}",
            }),
            Node::Group(node) => self.wrapped("(", node)?,
            Node::Repeat { node, min, max } => self.repeat(node, *min, *max)?,
            Node::Concat(nodes) => {
                for node in nodes {
                    match node {
                        Node::Alternate(_) => self.wrapped("(?:", node)?,
                        node => self.node(node)?,
                    }
                }
            }
            Node::Alternate(branches) => {
                for (nth, branch) in branches.iter().enumerate() {
                    if nth > 0 {
                        self.out.push('|');
                    }
                    self.node(branch)?;
                }
            }
            Node::BackReference { group, fold } => {
                let flag = if *fold { "i" } else { "" };
                let _ = write!(self.out, r"(?{flag}:\{group})");
            }
        }
        Ok(())
    }

    fn pay(&mut self, cost: usize) -> Result<(), PatternError> {
        self.cost += cost;
        if self.cost > MAX_COST {
            return Err(PatternError::TooBig);
        }
        Ok(())
    }

    fn wrapped(&mut self, open: &str, node: &Node) -> Result<(), PatternError> {
        self.out.push_str(open);
        self.node(node)?;
        self.out.push(')');
        Ok(())
    }

    fn repeat(&mut self, node: &Node, min: u32, max: Option<u32>) -> Result<(), PatternError> {
        if *node == Node::Dot && max.is_none() {
            return self.any_run(min);
        }
        match node {
            Node::Set(_) | Node::Dot | Node::Group(_) => self.node(node)?,
            Node::Literal { text, .. } if text.chars().nth(1).is_none() => self.node(node)?,
            node => self.wrapped("(?:", node)?,
        }
        let _ = match (min, max) {
            (0, None) => write!(self.out, "*"),
            (1, None) => write!(self.out, "+"),
            (0, Some(1)) => write!(self.out, "?"),
            (min, None) => write!(self.out, "{{{min},}}"),
            (min, Some(max)) if max == min => write!(self.out, "{{{min}}}"),
            (min, Some(max)) => write!(self.out, "{{{min},{max}}}"),
        };
        Ok(())
    }

    /// `min` characters and then any bytes of the line: what is not UTF-8 does
    /// not end a `.*`, and in what is UTF-8 there is no difference, since nothing
    /// else in a pattern matches a part of a character.
    fn any_run(&mut self, min: u32) -> Result<(), PatternError> {
        let run = match self.target {
            Target::Window => r"(?-u:[^\n])*",
            // A line feed stands for a byte that is not UTF-8 there.
            Target::Line => r"(?s:.)*",
        };
        if min == 0 {
            self.out.push_str(run);
            return Ok(());
        }
        self.out.push_str("(?:");
        self.repeat(&Node::Dot, min, Some(min))?;
        self.out.push_str(run);
        self.out.push(')');
        Ok(())
    }

    fn literal(&mut self, char: char, fold: bool) {
        if char == '\n' {
            self.out.push_str(NOTHING);
        } else if fold && char.is_ascii_alphabetic() {
            self.out.push('[');
            self.out.push(char.to_ascii_lowercase());
            self.out.push(char.to_ascii_uppercase());
            self.out.push_str(other_cases(char, char));
            self.out.push(']');
        } else if fold && !char.is_ascii() {
            self.out.push_str("(?i:");
            self.out.push(char);
            self.out.push(')');
        } else {
            self.char(char);
        }
    }

    /// A character as itself, inside brackets and outside.
    fn char(&mut self, char: char) {
        if char.is_ascii_punctuation() && !matches!(char, '<' | '>' | '_') {
            self.out.push('\\');
        }
        self.out.push(char);
    }

    fn set(&mut self, set: &Set) -> Result<(), PatternError> {
        self.pay(set.ranges.len())?;
        // ASCII is folded here, at no cost; what lies beyond takes tables.
        let beyond = set.fold && set.ranges.iter().any(|(_, last)| !last.is_ascii());
        if beyond {
            self.out.push_str("(?i:");
        }
        let start = self.out.len();
        self.out.push_str(if set.negated { "[^" } else { "[" });
        let empty = self.out.len();
        for &(first, last) in &set.ranges {
            if first <= '\n' && '\n' <= last {
                self.range(first, '\t', set.fold);
                self.range('\x0b', last, set.fold);
            } else {
                self.range(first, last, set.fold);
            }
        }
        for &class in &set.classes {
            self.pay(classes::cost(class))?;
            classes::write(class, set.fold, &mut self.out);
        }
        for &class in &set.complements {
            self.pay(classes::cost(class))?;
            self.out.push_str("[^");
            classes::write(class, set.fold, &mut self.out);
            self.out.push_str(r"\n]");
        }
        if set.negated {
            self.out.push_str(r"\n]");
        } else if self.out.len() == empty {
            self.out.truncate(start);
            self.out.push_str(NOTHING);
        } else {
            self.out.push(']');
        }
        if beyond {
            self.out.push(')');
        }
        Ok(())
    }

    fn range(&mut self, first: char, last: char, fold: bool) {
        if first > last {
            return;
        }
        self.char(first);
        if first < last {
            self.out.push('-');
            self.char(last);
        }
        if fold {
            for (low, high) in [('a', 'z'), ('A', 'Z')] {
                let (low, high) = (first.max(low), last.min(high));
                if low <= high {
                    let swap = |char: char| char::from(char as u8 ^ 0x20);
                    let _ = write!(self.out, "{}-{}", swap(low), swap(high));
                    self.out.push_str(other_cases(low, high));
                }
            }
        }
    }
}

/// The characters beyond ASCII whose capital is one of the letters `low` to
/// `high`, which are of one case.
fn other_cases(low: char, high: char) -> &'static str {
    let holds = |letter: char| {
        (low..=high).contains(&letter) || (low..=high).contains(&letter.to_ascii_uppercase())
    };
    match (holds('i'), holds('s')) {
        (true, true) => "ıſ",
        (true, false) => "ı",
        (false, true) => "ſ",
        (false, false) => "",
    }
}

/// A character that there is not.
const NOTHING: &str = r"[^\x00-\x{10FFFF}]";
