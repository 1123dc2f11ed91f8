//! Formulas that a page says by their elements alone, written in one line: `(a+b)/2`, `x^2`, `√x`.
//!
//! Rules: `MathML` Core and, for what older programs write, `MathML` 3 (`mfenced`). What is the same
//! as its text stays text, and so does what is not understood.

use crate::document::office::xml::{Item, Tag, Xml};

/// A part of a formula.
struct Part {
    text: String,
    shape: Shape,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// A number, a name or a sign.
    Token,
    Fraction,
    /// What has brackets around it.
    Brackets,
    Other,
}

/// An element that is open.
struct Open {
    element: Element,
    /// The text of a token.
    text: String,
    parts: Vec<Part>,
}

enum Element {
    /// What runs in a line.
    Row,
    /// `mi`, `mn`, `mo` and the like, which hold text.
    Token,
    /// What stands above another, and what is written between the two.
    Fraction(&'static str),
    SquareRoot,
    Root,
    /// What has others at its corners, or above and below itself.
    Scripts(&'static [char]),
    /// Parts with something before, between and behind them.
    Fenced([String; 3]),
    /// What is not seen, or says the same again.
    Unseen,
}

/// The formula whose elements are `elements`; `None` if its text alone says the same, or if there is
/// something in it that is not known.
pub(super) fn in_one_line(elements: &str) -> Option<String> {
    let mut xml = Xml::new(elements, None);
    let mut open = vec![Open::new(Element::Row)];
    let mut is_row = true;
    while let Some(item) = xml.next() {
        match item {
            Item::Open(tag) => {
                let element = element(&tag)?;
                is_row &= matches!(element, Element::Row | Element::Token | Element::Unseen);
                open.push(Open::new(element));
            }
            Item::Text(text) => {
                let top = open.last_mut()?;
                match top.element {
                    Element::Token => top.text.push_str(&text),
                    Element::Unseen => {}
                    _ if text.trim().is_empty() => {}
                    _ => return None,
                }
            }
            Item::Close => {
                let closed = open.pop()?;
                let around = open.last_mut()?;
                match closed.element {
                    Element::Unseen => {}
                    Element::Row if matches!(around.element, Element::Row) => {
                        around.parts.extend(closed.parts);
                    }
                    _ => around.parts.push(closed.read()?),
                }
            }
        }
    }
    let formula = open.pop()?;
    if is_row || xml.broken || !open.is_empty() {
        return None;
    }
    Some(formula.read()?.text).filter(|text| !text.is_empty())
}

fn element(tag: &Tag<'_>) -> Option<Element> {
    let said = |name: &str, otherwise: &str| {
        let said = tag.attribute(name);
        said.map_or_else(|| otherwise.to_owned(), |said| said.trim().to_owned())
    };
    Some(match tag.name() {
        "mrow" | "mstyle" | "mpadded" | "semantics" | "menclose" | "mtd" => Element::Row,
        "mi" | "mn" | "mo" | "mtext" | "ms" | "mspace" => Element::Token,
        "mfrac" if said("linethickness", "").starts_with('0') => Element::Fraction(" over "),
        "mfrac" => Element::Fraction("/"),
        "msqrt" => Element::SquareRoot,
        "mroot" => Element::Root,
        "msub" | "munder" => Element::Scripts(&['_']),
        "msup" | "mover" => Element::Scripts(&['^']),
        "msubsup" | "munderover" => Element::Scripts(&['_', '^']),
        "mtable" => Element::Fenced(["", "; ", ""].map(str::to_owned)),
        "mtr" => Element::Fenced(["", ", ", ""].map(str::to_owned)),
        "mfenced" => {
            let separator = said("separators", ",").chars().next();
            let separator = separator.map_or_else(String::new, |sign| format!("{sign} "));
            Element::Fenced([said("open", "("), separator, said("close", ")")])
        }
        "annotation" | "annotation-xml" | "mphantom" | "maligngroup" | "malignmark" => {
            Element::Unseen
        }
        _ => return None,
    })
}

impl Open {
    fn new(element: Element) -> Self {
        Self {
            element,
            text: String::new(),
            parts: Vec::new(),
        }
    }

    /// What the element says; `None` if it has not the parts that it must have.
    fn read(self) -> Option<Part> {
        let count = self.parts.len();
        let mut parts = self.parts.into_iter();
        let (text, shape) = match self.element {
            Element::Token => (token(&self.text), Shape::Token),
            Element::Row => return Some(row(parts)),
            Element::SquareRoot => (format!("√{}", row(parts).bracketed()), Shape::Other),
            Element::Fraction(line) if count == 2 => {
                let (above, below) = (parts.next()?.bracketed(), parts.next()?.bracketed());
                (format!("{above}{line}{below}"), Shape::Fraction)
            }
            Element::Root if count == 2 => {
                let (inner, index) = (parts.next()?.bracketed(), parts.next()?.bracketed());
                (format!("{inner}^(1/{index})"), Shape::Other)
            }
            Element::Scripts(marks) if count == 1 + marks.len() => {
                let mut text = parts.next()?.bracketed();
                for (mark, script) in marks.iter().zip(parts) {
                    if !script.text.is_empty() && !script.text.chars().all(is_accent) {
                        text.push(*mark);
                    }
                    text.push_str(&script.bracketed());
                }
                (text, Shape::Other)
            }
            Element::Fenced([before, between, behind]) => {
                let parts: Vec<String> = parts.map(|part| part.text).collect();
                let text = format!("{before}{}{behind}", parts.join(&between));
                let brackets = is_in_brackets(&text);
                let shape = if brackets {
                    Shape::Brackets
                } else {
                    Shape::Other
                };
                (text, shape)
            }
            Element::Fraction(_) | Element::Root | Element::Scripts(_) | Element::Unseen => {
                return None;
            }
        };
        Some(Part { text, shape })
    }
}

impl Part {
    /// Its text, in brackets if it could be taken apart.
    fn bracketed(self) -> String {
        match self.shape {
            Shape::Token | Shape::Brackets => self.text,
            Shape::Fraction | Shape::Other => format!("({})", self.text),
        }
    }
}

/// Parts that run in a line.
fn row(mut parts: std::vec::IntoIter<Part>) -> Part {
    if parts.len() == 1
        && let Some(only) = parts.next()
    {
        return only;
    }
    let mut text = String::new();
    let mut last: Option<Part> = None;
    for part in parts.filter(|part| !part.text.is_empty()) {
        if last.is_some_and(|last| are_apart(&last, &part)) {
            text.push(' ');
        }
        text.push_str(&part.text);
        last = Some(part);
    }
    let shape = match text.is_empty() {
        true => Shape::Token,
        false if is_in_brackets(&text) => Shape::Brackets,
        false => Shape::Other,
    };
    Part { text, shape }
}

/// Whether two parts beside each other would run into one.
fn are_apart(last: &Part, next: &Part) -> bool {
    let ends = (last.text.chars().next_back(), next.text.chars().next());
    let (Some(end), Some(start)) = ends else {
        return false;
    };
    let fraction = last.shape == Shape::Fraction || next.shape == Shape::Fraction;
    let runs_on = end.is_alphanumeric() || (fraction && ")]}".contains(end));
    let goes_on = start.is_alphanumeric() || (fraction && "([{√".contains(start));
    let tokens = last.shape == Shape::Token && next.shape == Shape::Token;
    // A product of letters is no name, and a name no product.
    let long = |part: &Part| part.text.chars().nth(1).is_some();
    let names = end.is_alphabetic() && start.is_alphabetic() && (long(last) || long(next));
    let numbers = end.is_numeric() && start.is_numeric();
    runs_on && goes_on && (!tokens || names || numbers)
}

/// The text of a token, without the signs that nobody sees.
fn token(text: &str) -> String {
    let text: String = text
        .chars()
        .filter(|c| !('\u{2061}'..='\u{2064}').contains(c))
        .collect();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether a sign above or behind another is a part of it: a bar, an arrow, a prime.
fn is_accent(sign: char) -> bool {
    "'\u{2032}\u{2033}\u{2034}\u{af}\u{203e}^\u{2c6}~\u{2dc}\u{2d9}\u{a8}\u{2192}\u{20d7}"
        .contains(sign)
}

/// Whether the first character is a bracket that the last one closes.
fn is_in_brackets(text: &str) -> bool {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return at > 0 && at + c.len_utf8() == text.len();
        }
    }
    false
}
