//! Reads the visibility of an element from its start tag, so that later stages need no second look:
//! instead of a style, the tree has an attribute that says how it hides its element.

use super::super::css::{HidingMethod, InlineStyle};
use super::super::dom;
use super::super::tag;
use super::TagCategory;
use iki_markdown::entities;

#[allow(clippy::struct_excessive_bools, reason = "each is asked by itself")]
#[derive(Default)]
pub(super) struct TagVisibility {
    /// The element has a box whose size can be set.
    boxed: bool,
    /// Styles of its text are kept, because the text around is invisible.
    dim: bool,
    /// It contains only text, so that a style that dims its text hides all of it.
    solid: bool,
    is_dialog: bool,
    opens: bool,
    pops: bool,
    /// It has a style; the first one counts.
    styled: bool,
    /// The way in which its style hides it; and the style displays it.
    hiding: Option<HidingMethod>,
    displays: bool,
    /// The alignment of a cell's text by its style.
    pub(super) align: Option<&'static str>,
    /// An attribute that does nothing else hides it.
    pub(super) plainly: bool,
    /// Its style dims its text.
    pub(super) dims: bool,
}

/// True if the HTML element of this name has, by itself, a box whose size can be set.
pub(crate) fn is_boxed(name: &str) -> bool {
    !dom::is_inline(name)
        && !matches!(
            name,
            "table" | "tbody" | "thead" | "tfoot" | "tr" | "td" | "th"
        )
}

impl TagVisibility {
    pub(super) fn new(name: &str, category: TagCategory, dim: bool) -> Self {
        Self {
            boxed: is_boxed(name),
            dim,
            solid: matches!(category, TagCategory::Area | TagCategory::Choice),
            is_dialog: name == "dialog",
            ..Self::default()
        }
    }

    /// Reads an attribute that affects visibility, by its lower-case name; true if it is to be kept
    /// as it stands, `None` for any other.
    pub(super) fn read_attribute(&mut self, name: &str, value: &str) -> Option<bool> {
        match name {
            "style" => Some(!std::mem::replace(&mut self.styled, true) && self.read(value)),
            "hidden" | "aria-hidden" => {
                let hides = dom::hides(name, &entities::decoded_in_attribute(value));
                self.plainly |= hides;
                Some(hides)
            }
            _ => {
                self.opens |= name == "open";
                self.pops |= name == "popover";
                None
            }
        }
    }

    /// Reads the style; true if it is to be kept as it stands.
    fn read(&mut self, style: &str) -> bool {
        let solid = self.solid || style.len() > tag::MAX_VALUE_BYTES;
        let style = InlineStyle::parse(&entities::decoded_in_attribute(style));
        self.dims = style.dims(self.boxed);
        self.hiding = style.hiding(self.boxed);
        if solid && self.dims {
            self.hiding = self.hiding.or(Some(HidingMethod::Unseen));
        }
        self.displays = style.displays();
        self.align = style.align();
        self.hiding.is_none() && (self.dims || (self.dim && style.is_inherited()))
    }

    /// The way in which the element is hidden, by its style or because it is not open.
    pub(super) fn hiding(&self) -> Option<HidingMethod> {
        let closed = self.pops || (self.is_dialog && !self.opens);
        self.hiding
            .or((closed && !self.displays).then_some(HidingMethod::Unseen))
    }
}
