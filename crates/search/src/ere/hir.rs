//! Tree to the intermediate representation of the `regex` crates (`regex_syntax::hir`), in such a
//! way that nothing can match a line feed.
//!
//! A class of 760 ranges, written as text and read again, would take longer than the search in a
//! small file.

use regex_syntax::hir::{Class, Dot, Hir, Look, Repetition};

use super::ast::{Assertion, PatternNode};
use super::classes;

/// The pattern for whole windows. There are no back-references in it.
pub(super) fn hir(node: &PatternNode) -> Hir {
    match node {
        // A back-reference never comes here: `ReferenceSearch` compiles such patterns.
        PatternNode::Empty | PatternNode::BackReference { .. } => Hir::empty(),
        PatternNode::Literal { text, fold: false } if !text.contains('\n') => {
            Hir::literal(text.as_bytes())
        }
        PatternNode::Literal { text, fold } => {
            Hir::concat(text.chars().map(|char| literal(char, *fold)).collect())
        }
        PatternNode::Set(set) => Hir::class(Class::Unicode(classes::members(set))),
        PatternNode::Dot => Hir::dot(Dot::AnyCharExceptLF),
        PatternNode::Assertion(assertion) => Hir::look(match assertion {
            Assertion::LineStart => Look::StartLF,
            Assertion::LineEnd => Look::EndLF,
            Assertion::WordBoundary => Look::WordUnicode,
            Assertion::NotWordBoundary => Look::WordUnicodeNegate,
            Assertion::WordStart => Look::WordStartUnicode,
            Assertion::WordEnd => Look::WordEndUnicode,
        }),
        PatternNode::Group(node) => hir(node),
        PatternNode::Repeat { node, min, max } if **node == PatternNode::Dot && max.is_none() => {
            any_run(*min)
        }
        PatternNode::Repeat { node, min, max } => repeat(hir(node), *min, *max),
        PatternNode::Concat(nodes) => Hir::concat(nodes.iter().map(hir).collect()),
        PatternNode::Alternate(branches) => Hir::alternation(branches.iter().map(hir).collect()),
    }
}

/// The pattern `min` to `max` times; no `max` is any number.
pub(super) fn repeat(pattern: Hir, min: u32, max: Option<u32>) -> Hir {
    Hir::repetition(Repetition {
        min,
        max,
        greedy: true,
        sub: Box::new(pattern),
    })
}

/// `min` characters and then any bytes of the line, so that a byte that is not UTF-8 does not end a
/// `.*`. In UTF-8 that is the same as characters, since nothing else in a pattern matches a part of
/// a character.
fn any_run(min: u32) -> Hir {
    let run = repeat(Hir::dot(Dot::AnyByteExceptLF), 0, None);
    if min == 0 {
        return run;
    }
    let first = repeat(Hir::dot(Dot::AnyCharExceptLF), min, Some(min));
    Hir::concat(vec![first, run])
}

fn literal(char: char, fold: bool) -> Hir {
    if char == '\n' {
        return Hir::fail();
    }
    if !fold || (char.is_ascii() && !char.is_ascii_alphabetic()) {
        return Hir::literal(char.encode_utf8(&mut [0; 4]).as_bytes());
    }
    Hir::class(Class::Unicode(classes::cases(char)))
}
