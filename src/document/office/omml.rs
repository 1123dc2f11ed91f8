//! Formulas in office documents, in one line.
//!
//! Rules: ISO/IEC 29500-1, 22.1 (mathematics). What holds other parts than it should, and what lies
//! deeper than anybody writes, are its parts in a row.

use super::xml::{XmlEvent, XmlReader, XmlTag, is_true};
use crate::document::formula::{Layout, Part};

/// The longest text of one run, in bytes.
const MAX_RUN: usize = 1 << 20;

/// How deep elements are looked at for how they lay out their parts: each copies what it holds.
const MAX_LAYOUTS: usize = 64;

/// An element that is open.
struct Open {
    element: Element,
    /// Where its parts begin.
    from: usize,
    hidden: bool,
}

/// A formula that is being read.
#[derive(Default)]
struct Formula {
    open: Vec<Open>,
    /// The parts of all that is open.
    parts: Vec<Part>,
}

enum Element {
    Parts(Layout),
    /// `rad`: which root, and of what.
    Radical,
    /// `nary`: its sign, what stands below and above it, and what it is of.
    Operator(String),
    /// `acc`, `bar`: what it is over, and the sign.
    Accent(String),
    /// What another element says of itself.
    Properties,
    /// What was deleted.
    Gone,
}

/// Reads what is left of the formula that was opened last.
pub(super) fn in_one_line(xml: &mut XmlReader<'_>) -> String {
    let level = xml.depth();
    let mut formula = Formula::default();
    while let Some(item) = xml.within(level) {
        match item {
            XmlEvent::Open(tag) if tag.name() == "t" => {
                let token = Part::token(&xml.text_within(MAX_RUN));
                formula.parts.push(token);
            }
            XmlEvent::Open(tag) => formula.open(&tag),
            XmlEvent::Close => formula.close(),
            XmlEvent::Text(_) => {}
        }
    }
    while !formula.open.is_empty() {
        formula.close();
    }
    Part::row(formula.parts.into_iter()).text
}

/// What the element of this name is, where it does not say otherwise.
fn element(name: &str) -> Element {
    Element::Parts(match name {
        "f" => Layout::Fraction("/"),
        "sSub" | "limLow" => Layout::Scripts(&['_']),
        "sSup" | "limUpp" => Layout::Scripts(&['^']),
        "sSubSup" => Layout::Scripts(&['_', '^']),
        "d" => Layout::Fenced(["(", "|", ")"].map(str::to_owned)),
        "m" | "eqArr" => Layout::parted_by("; "),
        "mr" => Layout::parted_by(", "),
        "rad" => return Element::Radical,
        "nary" => return Element::Operator("\u{222b}".to_owned()),
        "acc" => return Element::Accent("\u{302}".to_owned()),
        "bar" => return Element::Accent("\u{af}".to_owned()),
        "del" | "moveFrom" => return Element::Gone,
        _ if name.ends_with("Pr") => return Element::Properties,
        _ => Layout::Row,
    })
}

impl Formula {
    fn open(&mut self, tag: &XmlTag<'_>) {
        if let [.., around, top] = &mut self.open[..]
            && matches!(top.element, Element::Properties)
        {
            around.note(tag);
        }
        let element = element(tag.name());
        let deep = self.open.len() >= MAX_LAYOUTS;
        self.open.push(Open {
            element: match element {
                Element::Properties | Element::Gone => element,
                _ if deep => Element::Parts(Layout::Row),
                _ => element,
            },
            from: self.parts.len(),
            hidden: false,
        });
    }

    /// Ends the element that was opened last.
    fn close(&mut self) {
        let Some(closed) = self.open.pop() else {
            return;
        };
        let around = self.open.last().map(|around| &around.element);
        let joins = matches!(around, None | Some(Element::Parts(Layout::Row)));
        if !closed.hidden && joins && matches!(closed.element, Element::Parts(Layout::Row)) {
            return;
        }
        let mut parts = self.parts.split_off(closed.from.min(self.parts.len()));
        if closed.hidden {
            return;
        }
        self.parts.push(match closed.element {
            Element::Properties | Element::Gone => return,
            Element::Parts(layout) => Part::of(&layout, parts),
            Element::Radical if parts.first().is_some_and(|index| index.text.is_empty()) => {
                Part::of(&Layout::SquareRoot, parts)
            }
            Element::Radical => {
                parts.reverse();
                Part::of(&Layout::Root, parts)
            }
            Element::Operator(sign) => {
                let of = parts.split_off(parts.len().min(2));
                parts.insert(0, Part::token(&sign));
                let mut row = vec![Part::of(&Layout::Scripts(&['_', '^']), parts)];
                row.extend(of);
                Part::row(row.into_iter())
            }
            Element::Accent(sign) => {
                parts.push(Part::token(&sign));
                Part::of(&Layout::Scripts(&['^']), parts)
            }
        });
    }
}

impl Open {
    /// Takes in one of its properties.
    fn note(&mut self, tag: &XmlTag<'_>) {
        let value = tag.attribute("val");
        let said = || value.as_deref().unwrap_or_default().to_owned();
        match (tag.name(), &mut self.element) {
            ("pos", Element::Accent(sign)) if value.as_deref() == Some("bot") => {
                "\u{332}".clone_into(sign);
            }
            ("chr", Element::Operator(sign) | Element::Accent(sign))
            | ("begChr", Element::Parts(Layout::Fenced([sign, _, _])))
            | ("sepChr", Element::Parts(Layout::Fenced([_, sign, _])))
            | ("endChr", Element::Parts(Layout::Fenced([_, _, sign]))) => *sign = said(),
            ("type", Element::Parts(Layout::Fraction(line)))
                if value.as_deref() == Some("noBar") =>
            {
                *line = " over ";
            }
            ("vanish", _) => self.hidden |= tag.is_on(),
            ("show", _) => self.hidden |= value.is_some_and(|shown| !is_true(&shown)),
            _ => {}
        }
    }
}
