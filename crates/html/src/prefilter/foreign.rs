//! Contents of `svg` and `math`: only the visible text is kept.
//!
//! Rules: HTML Living Standard, "The rules for parsing tokens in foreign content"; SVG 2, elements
//! that are never drawn, and the attributes `display`, `visibility` and `opacity`; `MathML` Core,
//! `mphantom`.

use super::super::dom;
use super::super::tag;
use super::text_paint::{PaintChange, PaintStack, is_zero};
use super::{MAX_KNOWN_NAME_BYTES, PageFilter, TagCategory, category_of, known_name};
use iki_markdown::entities;

/// A hidden foreign element whose contents are being left out.
pub(super) struct HiddenForeign<'a> {
    name: &'a str,
    /// Number of open elements with its name.
    same: usize,
    /// Number of open elements that may contain HTML.
    html: usize,
}

impl<'a> PageFilter<'a> {
    /// Enters the outermost `svg` or `math`, whose start tag is at `offset`.
    pub(super) fn enter_foreign(&mut self, offset: usize, name: &str) {
        let Some(tag) = read_start(self.page, offset, name) else {
            return;
        };
        // The choice of main content measures the page's own text.
        if name == "svg"
            && !self.keeps_all
            && !tag.hides
            && let Some(label) = label_of_lone_drawing(self.page, offset, &tag)
        {
            self.prepare_content(label);
            self.out.push_text(label);
        }
        if tag.closed {
            return;
        }
        self.foreign = 1;
        self.draws_text = name == "math";
        self.paint = PaintStack::default();
        if tag.hides {
            self.hide_foreign(written_name(self.page, offset));
        } else {
            self.paint.start(written_name(self.page, offset), tag.paint);
        }
    }

    /// Enters a foreign element that is hidden and not self-closing.
    fn hide_foreign(&mut self, name: &'a str) {
        self.hidden_foreign = Some(HiddenForeign {
            name,
            same: 1,
            html: usize::from(holds_html(known_name(name, &mut [0; MAX_KNOWN_NAME_BYTES]))),
        });
    }

    /// True within HTML in a hidden foreign element.
    pub(super) fn is_in_hidden_html(&self) -> bool {
        self.hidden_foreign
            .as_ref()
            .is_some_and(|hidden| hidden.html > 0)
    }

    /// Reads a start tag within `svg` or `math`; `None` if the tag ends the foreign content.
    pub(super) fn foreign_start(&mut self, offset: usize, name: &str) -> Option<usize> {
        let page = self.page;
        let category = category_of(name);
        if ends_foreign(category, name) && !self.is_in_hidden_html() {
            self.foreign = 0;
            self.hidden_foreign = None;
            return None;
        }
        let Some(ForeignTag {
            end,
            closed,
            hides,
            paint,
        }) = read_start(page, offset, name)
        else {
            return Some(page.len());
        };
        let is_raw = category.ends_by_name() || category == TagCategory::Area;
        if is_raw && !closed {
            return Some(tag::raw_end(page, end, name).1);
        }
        self.foreign += usize::from(category == TagCategory::Foreign && !closed);
        if let Some(hidden) = &mut self.hidden_foreign {
            let opens = usize::from(!closed);
            hidden.same += opens * usize::from(tag::is_named(page, offset + 1, hidden.name));
            hidden.html += opens * usize::from(holds_html(name));
            return Some(end);
        }
        if hides {
            if !closed {
                self.hide_foreign(written_name(page, offset));
            }
            return Some(end);
        }
        if !closed {
            self.paint.start(written_name(page, offset), paint);
        }
        if category == TagCategory::Foreign && !closed {
            self.draws_text = name == "math";
        } else if !closed {
            self.draws_text |= draws_text(name);
        }
        if draws_text(name) || name == "tspan" {
            self.out.push_characters(" ");
        }
        Some(end)
    }

    /// Reads an end tag within `svg` or `math`.
    pub(super) fn foreign_end(&mut self, offset: usize, name: &str) {
        self.foreign -= usize::from(category_of(name) == TagCategory::Foreign);
        if let Some(hidden) = &mut self.hidden_foreign {
            hidden.same -= usize::from(tag::is_named(self.page, offset + 2, hidden.name));
            hidden.html -= usize::from(holds_html(name)).min(hidden.html);
            if hidden.same == 0 || self.foreign == 0 {
                self.hidden_foreign = None;
            }
            return;
        }
        self.paint.end(name);
        self.draws_text &= !draws_text(name) && name != "svg";
        if name == "text" {
            self.out.push_characters(" ");
        }
    }
}

/// Elements whose contents are never drawn.
const NEVER_DRAWN: &str = "annotation annotation-xml clippath defs desc filter lineargradient \
                           marker mask metadata mphantom pattern radialgradient symbol";

/// A foreign start tag.
struct ForeignTag {
    /// The offset after it.
    end: usize,
    /// It is self-closing.
    closed: bool,
    /// The contents of its element are invisible.
    hides: bool,
    paint: PaintChange,
}

/// Reads the foreign start tag at `offset` with this lower-case name. `None` if the page ends
/// within it.
fn read_start(page: &str, offset: usize, name: &str) -> Option<ForeignTag> {
    let name_end = tag::name_end(page, offset + 1);
    let mut hides = dom::lists(NEVER_DRAWN, name);
    let mut paint = if name == "foreignobject" {
        PaintChange::reset()
    } else {
        PaintChange::default()
    };
    let (end, closed) = tag::scan(page, name_end, |attribute| {
        let mut space = [0; MAX_KNOWN_NAME_BYTES];
        let called = known_name(attribute.name, &mut space);
        let value = || entities::decoded_in_attribute(attribute.value);
        // What surrounds HTML in a drawing paints none of it.
        if !name.starts_with(['m', 'f']) {
            paint.read_attribute(called, &value());
        }
        hides |= match called {
            "style" | "hidden" | "aria-hidden" => dom::hides(called, &value()),
            // `MathML` elements, whose names begin with `m`, have neither attribute.
            _ if name.starts_with('m') => false,
            "display" => value().trim().eq_ignore_ascii_case("none"),
            "visibility" => {
                let value = value().trim().to_ascii_lowercase();
                matches!(&*value, "hidden" | "collapse")
            }
            "opacity" => is_zero(&value()),
            _ => false,
        };
    })?;
    Some(ForeignTag {
        end,
        closed,
        hides,
        paint,
    })
}

/// Maximum length of a drawing whose label is looked at, in bytes.
const MAX_DRAWING_BYTES: usize = 16 * 1024;

/// Returns the label of the drawing at `offset` that is all its element holds: of another one the
/// text beside it says the same.
fn label_of_lone_drawing<'a>(page: &'a str, offset: usize, start: &ForeignTag) -> Option<&'a str> {
    let tag = tag::read(page, offset + 1)?;
    let is_image = tag.get("role").is_some_and(|role| role.trim() == "img");
    let label = tag.get("aria-label").filter(|_| is_image)?;
    let before = page[..offset].trim_ascii_end();
    let opens = before.ends_with('>') && !before.ends_with("/>");
    let around = &before[before.rfind('<').filter(|_| opens)?..];
    let element = ["<td", "<th", "<li", "<p", "<span", "<div", "<dd", "<a"];
    if !element.iter().any(|name| {
        let tail = around.strip_prefix(name);
        tail.is_some_and(|tail| tail.starts_with([' ', '>', '\n']))
    }) {
        return None;
    }
    let tail = &page[start.end..];
    let window = &tail[..iki_base::wording::floor_boundary(tail, MAX_DRAWING_BYTES)];
    let (inner, behind) = if start.closed {
        ("", window)
    } else {
        window.split_once("</svg>")?
    };
    let is_alone = behind.trim_ascii_start().starts_with("</");
    (is_alone && !inner.contains("<text")).then_some(label)
}

/// The name in the start tag at `offset`.
fn written_name(page: &str, offset: usize) -> &str {
    &page[offset + 1..tag::name_end(page, offset + 1)]
}

/// True if a start tag ends the foreign content around it.
fn ends_foreign(category: TagCategory, name: &str) -> bool {
    match category {
        TagCategory::Foreign | TagCategory::Raw | TagCategory::Title | TagCategory::Template => {
            false
        }
        TagCategory::Plain | TagCategory::Ruby | TagCategory::Empty | TagCategory::Media => {
            matches!(name, "span" | "sub" | "sup" | "ruby" | "meta" | "embed")
        }
        _ => name != "a",
    }
}

/// True if an element of a drawing shows the text in it; others show none.
fn draws_text(name: &str) -> bool {
    matches!(name, "text" | "foreignobject")
}

/// True if a foreign element may contain HTML.
fn holds_html(name: &str) -> bool {
    dom::lists("annotation-xml desc foreignobject mi mn mo ms mtext", name)
}
