//! The character classes in the syntax of the `regex` crate, inside brackets, and without the line
//! feed.

use std::fmt::Write as _;

use super::ast::Class;

/// What a large class costs, in the units of `translate`.
const BIG: usize = 1000;

/// What the class costs, in the units of `translate`.
pub(super) fn cost(class: Class) -> usize {
    match class {
        Class::Digit | Class::Xdigit | Class::Blank | Class::Space | Class::Cntrl => 10,
        _ => BIG,
    }
}

/// Writes the members of the class.
pub(super) fn write(class: Class, fold: bool, out: &mut String) {
    let class = match class {
        // Without case there is no difference between large and small.
        Class::Upper | Class::Lower if fold => Class::Alpha,
        class => class,
    };
    for (first, last) in class.ranges() {
        if first <= '\n' && '\n' <= last {
            range(first, '\t', out);
            range('\x0b', last, out);
        } else {
            range(first, last, out);
        }
    }
}

fn range(first: char, last: char, out: &mut String) {
    if first > last {
        return;
    }
    char(first, out);
    if first < last {
        out.push('-');
        char(last, out);
    }
}

fn char(char: char, out: &mut String) {
    if char.is_ascii() {
        let _ = write!(out, r"\x{:02X}", u32::from(char));
    } else {
        out.push(char);
    }
}
