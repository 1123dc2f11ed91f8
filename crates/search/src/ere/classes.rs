//! The members of a set of characters, as ranges of the `regex-syntax` crate.

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

use super::ast::{CharClass, CharSet};

/// Returns the characters that match the set. A line feed is never among them.
pub(super) fn members(set: &CharSet) -> ClassUnicode {
    let mut ranges = Vec::new();
    for &(first, last) in &set.ranges {
        push(first, last, &mut ranges);
        if set.ignores_case {
            push_other_cases(first, last, &mut ranges);
        }
    }
    for &class in &set.classes {
        push_class(class, set.ignores_case, &mut ranges);
    }
    let mut members = ClassUnicode::new(ranges);
    // ASCII is folded above, at no cost; what lies beyond takes tables.
    let beyond = set.ignores_case && set.ranges.iter().any(|(_, last)| !last.is_ascii());
    for &class in &set.complements {
        let mut ranges = Vec::new();
        push_class(class, set.ignores_case, &mut ranges);
        let mut others = ClassUnicode::new(ranges);
        if beyond {
            others.case_fold_simple();
        }
        others.negate();
        members.union(&others);
    }
    if beyond {
        members.case_fold_simple();
    }
    let mut line_feed = ClassUnicode::empty();
    line_feed.push(ClassUnicodeRange::new('\n', '\n'));
    if set.is_negated {
        members.union(&line_feed);
        members.negate();
    } else {
        members.difference(&line_feed);
    }
    members
}

/// Returns the character in all its cases.
pub(super) fn cases(char: char) -> ClassUnicode {
    let mut ranges = vec![ClassUnicodeRange::new(char, char)];
    push_other_cases(char, char, &mut ranges);
    let mut cases = ClassUnicode::new(ranges);
    if !char.is_ascii() {
        cases.case_fold_simple();
    }
    cases
}

fn push_class(class: CharClass, fold: bool, out: &mut Vec<ClassUnicodeRange>) {
    let class = match class {
        // Without regard to case, upper and lower case are the same class.
        CharClass::Upper | CharClass::Lower if fold => CharClass::Alpha,
        class => class,
    };
    let ranges = class.ranges().into_iter();
    out.extend(ranges.map(|(first, last)| ClassUnicodeRange::new(first, last)));
}

fn push(first: char, last: char, out: &mut Vec<ClassUnicodeRange>) {
    if first <= last {
        out.push(ClassUnicodeRange::new(first, last));
    }
}

/// Adds the other cases of the ASCII letters in the range.
fn push_other_cases(first: char, last: char, out: &mut Vec<ClassUnicodeRange>) {
    for (low, high) in [('a', 'z'), ('A', 'Z')] {
        let (low, high) = (first.max(low), last.min(high));
        if low > high {
            continue;
        }
        let swap = |char: char| char::from(char as u8 ^ 0x20);
        push(swap(low), swap(high), out);
        // Beyond ASCII there are two whose capital is a letter of ASCII.
        for (letter, other) in [('i', 'ı'), ('s', 'ſ')] {
            if (low..=high).contains(&letter) || (low..=high).contains(&letter.to_ascii_uppercase())
            {
                push(other, other, out);
            }
        }
    }
}
