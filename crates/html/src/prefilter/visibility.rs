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
    has_box: bool,
    /// Styles of its text are kept, because the text around is invisible.
    keeps_styles: bool,
    /// It contains only text, so that a style that dims its text hides all of it.
    has_only_text: bool,
    is_dialog: bool,
    opens: bool,
    pops: bool,
    /// It has a style; the first one counts.
    has_style: bool,
    /// The way in which its style hides it; and the style displays it.
    hiding: Option<HidingMethod>,
    displays: bool,
    /// The alignment of a cell's text by its style.
    pub(super) align: Option<&'static str>,
    /// An attribute that does nothing else hides it.
    pub(super) is_plainly_hidden: bool,
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
    pub(super) fn new(name: &str, category: TagCategory, keeps_styles: bool) -> Self {
        Self {
            has_box: is_boxed(name),
            keeps_styles,
            has_only_text: matches!(category, TagCategory::Area | TagCategory::Choice),
            is_dialog: name == "dialog",
            ..Self::default()
        }
    }

    /// Reads an attribute that affects visibility, by its lower-case name; true if it is to be kept
    /// as it stands, `None` for any other.
    pub(super) fn read_attribute(&mut self, name: &str, value: &str) -> Option<bool> {
        match name {
            "style" => Some(!std::mem::replace(&mut self.has_style, true) && self.read(value)),
            "hidden" | "aria-hidden" => {
                let hides = dom::hides(name, &entities::decoded_in_attribute(value));
                self.is_plainly_hidden |= hides;
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
        let solid = self.has_only_text || style.len() > tag::MAX_VALUE_BYTES;
        let style = InlineStyle::parse(&entities::decoded_in_attribute(style));
        self.dims = style.dims(self.has_box);
        self.hiding = style.hiding(self.has_box);
        if solid && self.dims {
            self.hiding = self.hiding.or(Some(HidingMethod::Unseen));
        }
        self.displays = style.displays();
        self.align = style.align();
        self.hiding.is_none() && (self.dims || (self.keeps_styles && style.is_inherited()))
    }

    /// The way in which the element is hidden, by its style or because it is not open.
    pub(super) fn hiding(&self) -> Option<HidingMethod> {
        let closed = self.pops || (self.is_dialog && !self.opens);
        self.hiding
            .or((closed && !self.displays).then_some(HidingMethod::Unseen))
    }
}
