//! Tree to the syntax of the `fancy-regex` crate (its module documentation), for one line that has
//! a line feed in place of each byte that is not text. Only `.*` can match a line feed.

use std::fmt::Write as _;

use regex_syntax::hir::ClassUnicode;

use super::ast::{Assertion, PatternNode};
use super::classes;

/// The pattern for one line.
pub(super) fn translate(node: &PatternNode) -> String {
    let mut writer = FancyWriter { out: String::new() };
    writer.node(node);
    writer.out
}

struct FancyWriter {
    out: String,
}

impl FancyWriter {
    fn node(&mut self, node: &PatternNode) {
        match node {
            PatternNode::Empty => self.out.push_str("(?:)"),
            PatternNode::Literal { text, fold } => {
                for char in text.chars() {
                    self.literal(char, *fold);
                }
            }
            PatternNode::Set(set) => self.class(&classes::members(set)),
            PatternNode::Dot => self.out.push('.'),
            PatternNode::Assertion(assertion) => self.out.push_str(match assertion {
                Assertion::LineStart => r"\A",
                Assertion::LineEnd => r"\z",
                Assertion::WordBoundary => r"\b",
                Assertion::NotWordBoundary => r"\B",
                Assertion::WordStart => r"\b{start}",
                Assertion::WordEnd => r"\b{end}",
            }),
            PatternNode::Group(node) => self.wrapped("(", node),
            PatternNode::Repeat { node, min, max } => self.repeat(node, *min, *max),
            PatternNode::Concat(nodes) => {
                for node in nodes {
                    match node {
                        PatternNode::Alternate(_) => self.wrapped("(?:", node),
                        node => self.node(node),
                    }
                }
            }
            PatternNode::Alternate(branches) => {
                for (nth, branch) in branches.iter().enumerate() {
                    if nth > 0 {
                        self.out.push('|');
                    }
                    self.node(branch);
                }
            }
            PatternNode::BackReference { group, fold } => {
                let flag = if *fold { "i" } else { "" };
                let _ = write!(self.out, r"(?{flag}:\{group})");
            }
        }
    }

    fn wrapped(&mut self, open: &str, node: &PatternNode) {
        self.out.push_str(open);
        self.node(node);
        self.out.push(')');
    }

    fn repeat(&mut self, node: &PatternNode, min: u32, max: Option<u32>) {
        if *node == PatternNode::Dot && max.is_none() {
            return self.any_run(min);
        }
        match node {
            PatternNode::Set(_) | PatternNode::Dot | PatternNode::Group(_) => self.node(node),
            PatternNode::Literal { text, .. } if text.chars().nth(1).is_none() => self.node(node),
            node => self.wrapped("(?:", node),
        }
        let _ = match (min, max) {
            (0, None) => write!(self.out, "*"),
            (1, None) => write!(self.out, "+"),
            (0, Some(1)) => write!(self.out, "?"),
            (min, None) => write!(self.out, "{{{min},}}"),
            (min, Some(max)) if max == min => write!(self.out, "{{{min}}}"),
            (min, Some(max)) => write!(self.out, "{{{min},{max}}}"),
        };
    }

    /// `min` characters and then anything: a line feed stands for a byte that is not text here.
    fn any_run(&mut self, min: u32) {
        if min == 0 {
            self.out.push_str(ANY_RUN);
            return;
        }
        self.out.push_str("(?:");
        self.repeat(&PatternNode::Dot, min, Some(min));
        self.out.push_str(ANY_RUN);
        self.out.push(')');
    }

    fn literal(&mut self, char: char, fold: bool) {
        if char == '\n' {
            self.out.push_str(NOTHING);
        } else if fold && (char.is_ascii_alphabetic() || !char.is_ascii()) {
            self.class(&classes::cases(char));
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

    fn class(&mut self, class: &ClassUnicode) {
        if class.ranges().is_empty() {
            self.out.push_str(NOTHING);
            return;
        }
        self.out.push('[');
        for range in class.iter() {
            self.char(range.start());
            if range.start() < range.end() {
                self.out.push('-');
                self.char(range.end());
            }
        }
        self.out.push(']');
    }
}

/// A set without members.
const NOTHING: &str = r"[^\x00-\x{10FFFF}]";

/// Any characters, and bytes that are not text.
const ANY_RUN: &str = r"(?s:.)*";
