//! Contents of `svg` and `math`: only the visible text is kept.
//!
//! Rules: HTML Living Standard, "The rules for parsing tokens in foreign content"; SVG 2, elements
//! that are never drawn, and the attributes `display` and `visibility`; `MathML` Core, `mphantom`.

use super::super::dom;
use super::{MEANING, PageFilter, TagCategory, category_of, meaning, memchr, memmem, tag};
use crate::document::entities;

impl PageFilter<'_> {
    /// Reads a start tag within `svg` or `math`; `None` if the tag ends the foreign content.
    pub(super) fn foreign_start(&mut self, at: usize, name: &str) -> Option<usize> {
        let page = self.page;
        let category = category_of(name);
        if ends_foreign(category, name) {
            self.foreign = 0;
            return None;
        }
        let Some(tag) = read_start(page, at, name) else {
            return Some(page.len());
        };
        let end = match category {
            _ if tag.closed => tag.end,
            _ if tag.hides => behind_hidden(page, tag.end, tag.name),
            TagCategory::Raw | TagCategory::Title | TagCategory::Template => {
                tag::raw_end(page, tag.end, name).1
            }
            TagCategory::Foreign => {
                self.foreign += 1;
                self.draws_text = name == "math";
                tag.end
            }
            _ => {
                self.draws_text |= draws_text(name);
                tag.end
            }
        };
        if !tag.hides && (draws_text(name) || name == "tspan") {
            self.out.push_characters(" ");
        }
        Some(end)
    }
}

/// A start tag of foreign content.
pub(super) struct ForeignTag<'a> {
    /// Its name in the page's spelling.
    pub(super) name: &'a str,
    /// Byte offset behind the tag.
    pub(super) end: usize,
    /// True if the tag is self-closing.
    pub(super) closed: bool,
    /// True if the contents of its element are invisible.
    pub(super) hides: bool,
}

/// Reads the start tag at `at` with this lower-case name; `None` if the page ends within it.
pub(super) fn read_start<'a>(page: &'a str, at: usize, name: &str) -> Option<ForeignTag<'a>> {
    let name_end = tag::name_end(page, at + 1);
    let mut hides = matches!(
        name,
        "annotation"
            | "annotation-xml"
            | "clippath"
            | "defs"
            | "desc"
            | "filter"
            | "lineargradient"
            | "marker"
            | "mask"
            | "metadata"
            | "mphantom"
            | "pattern"
            | "radialgradient"
            | "symbol"
    );
    let (end, closed) = tag::scan(page, name_end, |attribute| {
        let mut space = [0; MEANING];
        let called = meaning(attribute.name, &mut space);
        let value = || entities::decoded_in_attribute(attribute.value);
        hides |= match called {
            "style" | "hidden" | "aria-hidden" => dom::hides(called, &value()),
            // `MathML` elements, whose names begin with `m`, have neither attribute.
            _ if name.starts_with('m') => false,
            "display" => value().trim().eq_ignore_ascii_case("none"),
            "visibility" => {
                let value = value().trim().to_ascii_lowercase();
                matches!(&*value, "hidden" | "collapse")
            }
            _ => false,
        };
    })?;
    let name = &page[at + 1..name_end];
    Some(ForeignTag {
        name,
        end,
        closed,
        hides,
    })
}

/// Returns the offset behind a hidden foreign element with this name whose start tag ends at
/// `from`: behind its end tag, or at the end of the foreign content around it.
pub(super) fn behind_hidden(page: &str, from: usize, hidden: &str) -> usize {
    let bytes = page.as_bytes();
    let mut space = [0; MEANING];
    let html = usize::from(holds_html(meaning(hidden, &mut space)));
    // Numbers of open elements: with its name, foreign ones, and those that may contain HTML.
    let (mut same, mut foreign, mut html) = (1, 0, html);
    let mut at = from;
    while let Some(length) = memchr(b'<', &bytes[at..]) {
        let open = at + length;
        let rest = &bytes[open + 1..];
        let is_end = rest.first() == Some(&b'/');
        let start = open + 1 + usize::from(is_end);
        if !bytes.get(start).is_some_and(u8::is_ascii_alphabetic) {
            at = match rest {
                [b'!', b'-', b'-', ..] => tag::comment_end(page, open + 4),
                [b'!', b'[', ..] => {
                    memmem::find(rest, b"]]>").map_or(bytes.len(), |length| open + length + 4)
                }
                [b'!' | b'?' | b'/', ..] => tag::past(page, open, b'>'),
                _ => open + 1,
            };
            continue;
        }
        let name_end = tag::name_end(page, start);
        let name = meaning(&page[start..name_end], &mut space);
        let category = category_of(name);
        let is_same = tag::is_named(page, start, hidden);
        let is_foreign = category == TagCategory::Foreign && !is_same;
        let leaves = if is_end {
            (is_foreign && foreign == 0) || (html == 0 && matches!(name, "p" | "br"))
        } else {
            html == 0 && ends_foreign(category, name)
        };
        if leaves {
            return open;
        }
        let Some((end, closed)) = tag::scan(page, name_end, |_| {}) else {
            return bytes.len();
        };
        at = end;
        let holds_html = usize::from(holds_html(name));
        if is_end {
            same -= usize::from(is_same);
            foreign -= usize::from(is_foreign);
            html -= holds_html.min(html);
            if same == 0 {
                return end;
            }
        } else if category.ends_by_name() || category == TagCategory::Area {
            if !closed {
                at = tag::raw_end(page, end, name).1;
            }
        } else if !closed {
            same += usize::from(is_same);
            foreign += usize::from(is_foreign);
            html += holds_html;
        }
    }
    bytes.len()
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
pub(super) fn draws_text(name: &str) -> bool {
    matches!(name, "text" | "foreignobject")
}

/// True if a foreign element may contain HTML.
fn holds_html(name: &str) -> bool {
    matches!(
        name,
        "annotation-xml" | "desc" | "foreignobject" | "mi" | "mn" | "mo" | "ms" | "mtext"
    )
}
