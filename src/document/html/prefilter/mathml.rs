//! Formulas that a page says by their elements alone.
//!
//! Rules: `MathML` Core and, for what older programs write, `MathML` 3 (`mfenced`). What is the same
//! as its text stays text, and so does what is not understood.

use super::super::dom;
use crate::document::formula::{Layout, Part};
use crate::document::office::xml::{XmlEvent, XmlReader, XmlTag};

/// How deep elements are nested at most: each copies what it holds.
const MAX_DEPTH: usize = 64;

/// An element that is open.
struct Open {
    element: Element,
    /// Where its parts begin.
    from: usize,
}

enum Element {
    /// `mi`, `mn`, `mo` and the like, which hold text.
    Token,
    /// Parts.
    Parts(Layout),
    /// What is not seen, or says the same again.
    Unseen,
}

/// The formula whose elements are `elements`; `None` if its text alone says the same, or if there is
/// something in it that is not known.
pub(super) fn in_one_line(elements: &str) -> Option<String> {
    let mut xml = XmlReader::new(elements, None);
    let mut open: Vec<Open> = Vec::new();
    // The parts of all that is open, and the text of a token.
    let (mut parts, mut token) = (Vec::new(), String::new());
    let mut is_row = true;
    while let Some(item) = xml.next() {
        match item {
            XmlEvent::Open(tag) => {
                let element = element(&tag)?;
                is_row &= !matches!(&element, Element::Parts(layout) if !layout.is_row());
                let from = parts.len();
                open.push(Open { element, from });
                if open.len() > MAX_DEPTH {
                    return None;
                }
            }
            XmlEvent::Text(text) => match open.last().map(|open| &open.element) {
                Some(Element::Token) => token.push_str(&text),
                Some(Element::Unseen) => {}
                _ if text.trim().is_empty() => {}
                _ => return None,
            },
            XmlEvent::Close => {
                let Open { element, from } = open.pop()?;
                let around = open.last().map(|around| &around.element);
                let joins = matches!(around, None | Some(Element::Parts(Layout::Row)));
                match element {
                    Element::Unseen => parts.truncate(from),
                    Element::Token => parts.push(Part::token(&std::mem::take(&mut token))),
                    Element::Parts(Layout::Row) if joins => {}
                    Element::Parts(layout) => {
                        let within = parts.split_off(from.min(parts.len()));
                        if !layout.takes(within.len()) {
                            return None;
                        }
                        parts.push(Part::of(&layout, within));
                    }
                }
            }
        }
    }
    if is_row || xml.broken || !open.is_empty() {
        return None;
    }
    Some(Part::row(parts.into_iter()).text).filter(|text| !text.is_empty())
}

fn element(tag: &XmlTag<'_>) -> Option<Element> {
    let hides = |name| {
        tag.attribute(name)
            .is_some_and(|value| dom::hides(name, &value))
    };
    if ["hidden", "style", "aria-hidden"].into_iter().any(hides) {
        return Some(Element::Unseen);
    }
    let said = |name: &str, otherwise: &str| {
        let said = tag.attribute(name);
        said.map_or_else(|| otherwise.to_owned(), |said| said.trim().to_owned())
    };
    Some(Element::Parts(match tag.name() {
        "mrow" | "mstyle" | "mpadded" | "semantics" | "menclose" | "mtd" => Layout::Row,
        "mi" | "mn" | "mo" | "mtext" | "ms" | "mspace" => return Some(Element::Token),
        "mfrac" if said("linethickness", "").starts_with('0') => Layout::Fraction(" over "),
        "mfrac" => Layout::Fraction("/"),
        "msqrt" => Layout::SquareRoot,
        "mroot" => Layout::Root,
        "msub" | "munder" => Layout::Scripts(&['_']),
        "msup" | "mover" => Layout::Scripts(&['^']),
        "msubsup" | "munderover" => Layout::Scripts(&['_', '^']),
        "mtable" => Layout::parted_by("; "),
        "mtr" => Layout::parted_by(", "),
        "mfenced" => {
            let separator = said("separators", ",").chars().next();
            let separator = separator.map_or_else(String::new, |sign| format!("{sign} "));
            Layout::Fenced([said("open", "("), separator, said("close", ")")])
        }
        "annotation" | "annotation-xml" | "mphantom" | "maligngroup" | "malignmark" => {
            return Some(Element::Unseen);
        }
        _ => return None,
    }))
}
