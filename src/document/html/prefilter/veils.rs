//! What a start tag says of whether its element is seen, in a form in which later stages need no
//! second look at it: of a style a short one is left that hides as much, or none.

use super::super::css::{Hiding, Style};
use super::super::dom;
use super::{Category, all, tag};
use crate::document::entities;

#[allow(clippy::struct_excessive_bools, reason = "each is asked by itself")]
pub(super) struct Veils {
    /// Whether the element has a box whose size can be set.
    boxed: bool,
    /// Whether what it says of its text is to be kept, since the text around is not seen.
    dim: bool,
    /// Whether it holds text alone, so that what it says of that is said of all that it holds.
    solid: bool,
    is_dialog: bool,
    opens: bool,
    pops: bool,
    /// Whether it has a style, of which the first counts.
    styled: bool,
    /// How its style hides it, and whether that displays it.
    hiding: Option<Hiding>,
    displays: bool,
    /// How its style aligns the text of a cell.
    pub(super) align: Option<&'static str>,
    /// Whether an attribute hides it that says nothing else.
    pub(super) plainly: bool,
    /// Whether its style dims its text.
    pub(super) dims: bool,
}

/// Whether the HTML element of this name has, by itself, a box whose size can be set.
pub(in crate::document::html) fn is_boxed(name: &str) -> bool {
    !all::is_inline(name)
        && !matches!(
            name,
            "table" | "tbody" | "thead" | "tfoot" | "tr" | "td" | "th"
        )
}

impl Veils {
    pub(super) fn new(name: &str, category: Category, dim: bool) -> Self {
        Self {
            boxed: is_boxed(name),
            dim,
            solid: matches!(category, Category::Area | Category::Choice),
            is_dialog: name == "dialog",
            opens: false,
            pops: false,
            styled: false,
            hiding: None,
            displays: false,
            align: None,
            plainly: false,
            dims: false,
        }
    }

    /// Notes an attribute, if it is one of those; whether it is to be kept as it stands.
    pub(super) fn note(&mut self, attribute: &tag::Attribute<'_>) -> Option<bool> {
        let is = |wanted: &str| attribute.name.eq_ignore_ascii_case(wanted);
        let hides = |name: &str| dom::hides(name, &entities::decoded_in_attribute(attribute.value));
        let hides = match attribute.name.len() {
            4 if self.is_dialog && is("open") => {
                self.opens = true;
                return None;
            }
            5 if is("style") => {
                return Some(
                    !std::mem::replace(&mut self.styled, true) && self.read(attribute.value),
                );
            }
            6 if is("hidden") => hides("hidden"),
            7 if is("popover") => {
                self.pops = true;
                return None;
            }
            11 if is("aria-hidden") => hides("aria-hidden"),
            _ => return None,
        };
        self.plainly |= hides;
        Some(hides)
    }

    /// Reads the style; whether it is to be kept as it stands.
    fn read(&mut self, style: &str) -> bool {
        let solid = self.solid || style.len() > tag::MAX_VALUE;
        let style = Style::of(&entities::decoded_in_attribute(style));
        self.dims = style.dims(self.boxed);
        self.hiding = style.hiding(self.boxed);
        if solid && self.dims {
            self.hiding = self.hiding.or(Some(Hiding::Unseen));
        }
        self.displays = style.displays();
        self.align = style.align();
        self.hiding.is_none() && (self.dims || (self.dim && style.is_inherited()))
    }

    /// How the element is hidden by its style, or since it is not opened.
    pub(super) fn hiding(&self) -> Option<Hiding> {
        let closed = self.pops || (self.is_dialog && !self.opens);
        self.hiding
            .or((closed && !self.displays).then_some(Hiding::Unseen))
    }
}
