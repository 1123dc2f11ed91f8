//! Filters a page before it is parsed. A hostile page can make its tree cost far more than its
//! length; one pass over its tags prevents that, and removes content that the conversion does not
//! use. A page without either passes unchanged.
//!
//! Rules: HTML Living Standard, "Parsing HTML documents". Scripts, styles, comments and the like
//! are removed here, so that no later stage can take their text for the page's; the rest reads the
//! same to every parser.

use std::borrow::Cow;
use std::time::Instant;

use memchr::{memchr, memmem};

mod category;
pub(super) mod content_hints;
mod controls;
mod end_tag;
mod foreign;
mod formula;
mod line_numbers;
pub(super) mod media;
mod shadow_root;
mod start_tag;
pub(in crate::document) mod tag;
mod tree;
pub(super) mod visibility;
pub(in crate::document) mod xml;

use super::{HtmlSource, dom};
use category::{TagCategory, category_of};
pub(super) use line_numbers::counts_lines;
use tree::{ElementStack, EndTagOutcome};

/// The language of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::document) enum PageSyntax {
    Html,
    Xml,
}

/// Number of tags between two checks of the clock.
const TAGS: u32 = 1024;

/// Returns the page without costly or useless content, and as HTML if it is XML. The flag is true
/// if `end` has passed. `scriptless` keeps content for browsers without scripts or frames.
pub(super) fn filter<'a>(source: &HtmlSource<'a>, scriptless: bool) -> (Cow<'a, str>, bool) {
    filter_for(source, scriptless, false)
}

/// Filters like a browser without scripts, but keeps everything that may be content, with the
/// naming attributes of elements.
pub(super) fn filter_all<'a>(source: &HtmlSource<'a>) -> (Cow<'a, str>, bool) {
    filter_for(source, false, true)
}

fn filter_for<'a>(source: &HtmlSource<'a>, scriptless: bool, all: bool) -> (Cow<'a, str>, bool) {
    let (page, end) = (source.page, source.ends.filter);
    let mut filter = PageFilter {
        page,
        section: dom::section_id(source.base),
        xml: source.syntax == PageSyntax::Xml,
        scriptless,
        all,
        out: String::new(),
        copied: 0,
        changed: false,
        tree: ElementStack::new(page.len()),
        foreign: 0,
        draws_text: false,
        fresh: false,
        dim: false,
        endless: [false; media::NAMES],
        ahead: formula::FormulaLookahead::default(),
    };
    let late = filter.run(end);
    if !filter.changed {
        return (Cow::Borrowed(page), late);
    }
    filter.out.push_str(&page[filter.copied..]);
    (Cow::Owned(filter.out), late)
}

#[allow(clippy::struct_excessive_bools, reason = "each is asked by itself")]
struct PageFilter<'a> {
    page: &'a str,
    /// The ID of the part that the page's address names.
    section: Option<String>,
    xml: bool,
    scriptless: bool,
    /// True if everything that may be content is kept, with naming attributes.
    all: bool,
    out: String,
    copied: usize,
    changed: bool,
    tree: ElementStack<'a>,
    /// Number of open `svg` and `math` elements.
    foreign: usize,
    /// True if the foreign element around shows text.
    draws_text: bool,
    /// True at the beginning of a line, where whitespace has no meaning.
    fresh: bool,
    /// True after an element whose text may be invisible: from then on, styles that make text
    /// visible again are kept.
    dim: bool,
    /// True for each kind of media without an end tag in the rest of the page.
    endless: [bool; media::NAMES],
    /// Offsets of the end and the TeX of the next formula.
    ahead: formula::FormulaLookahead,
}

impl PageFilter<'_> {
    /// Filters the page; returns true if it was cut at `end`.
    fn run(&mut self, end: Option<Instant>) -> bool {
        let bytes = self.page.as_bytes();
        let mut at = 0;
        let mut tags = 0;
        while let Some(length) = memchr(b'<', &bytes[at..]) {
            let open = at + length;
            if length > 0 {
                self.pass_text(at, open);
            }
            at = self.read_markup(open);
            tags += 1;
            if tags == TAGS {
                tags = 0;
                if end.is_some_and(|end| Instant::now() >= end) && at < bytes.len() {
                    self.replace(at, bytes.len(), "");
                    return true;
                }
            }
        }
        if at < bytes.len() {
            self.pass_text(at, bytes.len());
        }
        false
    }

    /// Replaces the page from `from` to `to`; returns `to`.
    fn replace(&mut self, from: usize, to: usize, instead: &str) -> usize {
        if !self.changed {
            self.changed = true;
            // Reserved once, because untouched memory is free and reallocation is not.
            self.out.reserve(self.page.len());
        }
        self.out.push_str(&self.page[self.copied..from]);
        self.out.push_str(instead);
        self.copied = to;
        to
    }

    /// Inserts the fixes that the parser needs before `at`.
    fn insert_fixes(&mut self, at: usize, fixes: &str) {
        if !fixes.is_empty() {
            self.replace(at, at, fixes);
        }
    }

    fn pass_text(&mut self, from: usize, to: usize) {
        if self.foreign > 0 && !self.draws_text {
            self.replace(from, to, "");
            return;
        }
        let page = self.page;
        let text = &page[from..to];
        if self.fresh {
            if text.bytes().all(|byte| byte.is_ascii_whitespace()) {
                self.replace(from, to, "");
                return;
            }
            self.fresh = false;
        }
        self.prepare_content(from, text);
    }

    /// Notes if a line begins behind the start or the end of an element. Most texts of a page are
    /// whitespace there, and each would be a node.
    fn note_line_start(&mut self, category: TagCategory, name: &str, seen: bool) {
        self.fresh = seen && !self.tree.is_verbatim() && !self.xml && is_line(category, name);
    }

    /// Inserts the fixes that `text` needs at `at`.
    fn prepare_content(&mut self, at: usize, text: &str) {
        if !self.tree.is_settled() && !text.trim_ascii().is_empty() {
            let mut fixes = String::new();
            self.tree.before_content(false, &mut fixes);
            self.insert_fixes(at, &fixes);
        }
    }

    /// Filters the markup that begins with the `<` at `at`; returns the offset behind it.
    fn read_markup(&mut self, at: usize) -> usize {
        let bytes = self.page.as_bytes();
        match bytes.get(at + 1) {
            Some(byte) if byte.is_ascii_alphabetic() => self.start_tag(at),
            Some(b'/') => match bytes.get(at + 2) {
                Some(byte) if byte.is_ascii_alphabetic() => self.end_tag(at),
                Some(_) => self.replace(at, tag::past(self.page, at + 2, b'>'), ""),
                None => at + 2,
            },
            Some(b'!') => {
                if let Some((text, end)) = self.xml.then(|| xml::section(self.page, at)).flatten() {
                    if self.foreign > 0 && !self.draws_text {
                        return self.replace(at, end, "");
                    }
                    self.prepare_content(at, text);
                    self.replace(at, end, "");
                    xml::escape(text, &mut self.out);
                    return end;
                }
                let rest = &bytes[at + 2..];
                let end = if rest.starts_with(b"--") {
                    tag::comment_end(self.page, at + 4)
                } else if self.foreign > 0 && rest.starts_with(b"[CDATA[") {
                    memmem::find(rest, b"]]>").map_or(bytes.len(), |length| at + 2 + length + 3)
                } else {
                    let doctype = rest
                        .get(..7)
                        .is_some_and(|word| word.eq_ignore_ascii_case(b"doctype"));
                    let (end, definitions) = if self.xml && doctype {
                        xml::doctype_end(self.page, at + 2)
                    } else {
                        (tag::past(self.page, at + 2, b'>'), false)
                    };
                    if definitions {
                        return self.replace(at, end, "<!DOCTYPE html>");
                    }
                    if doctype {
                        return end;
                    }
                    end
                };
                self.replace(at, end, "")
            }
            Some(b'?') if self.xml => self.replace(at, xml::instruction_end(self.page, at + 2), ""),
            Some(b'?') => self.replace(at, tag::past(self.page, at + 2, b'>'), ""),
            _ => {
                self.pass_text(at, at + 1);
                // Escaped, because it could form a tag with the text behind a removed one.
                if bytes.get(at + 1) == Some(&b'<') && self.copied <= at {
                    self.replace(at, at + 1, "&lt;");
                }
                at + 1
            }
        }
    }

    fn category_of(&self, name: &str) -> TagCategory {
        if (self.scriptless && matches!(name, "noscript" | "noframes"))
            || (self.all && matches!(name, "noscript" | "nav"))
        {
            TagCategory::Form
        } else {
            category_of(name)
        }
    }
}

/// True if whitespace counts in the element with this name.
fn is_verbatim(name: &str) -> bool {
    matches!(name, "pre" | "listing")
}

/// True if an element begins and ends a line wherever it stands.
fn is_line(category: TagCategory, name: &str) -> bool {
    match category {
        TagCategory::Paragraph
        | TagCategory::Item
        | TagCategory::Term
        | TagCategory::Heading
        | TagCategory::Table
        | TagCategory::Section
        | TagCategory::Caption
        | TagCategory::Row
        | TagCategory::Cell => true,
        TagCategory::Block => !matches!(name, "nav" | "pre" | "listing"),
        _ => false,
    }
}

/// Returns another name for an element that the parser or the walk would treat specially.
fn renamed(name: &str) -> Option<&'static str> {
    Some(match name {
        "nobr" => "x-nobr",
        "font" => "x-font",
        "big" => "x-big",
        "small" => "x-small",
        "u" => "x-u",
        "select" => "x-select",
        // Otherwise the walk would take it for replaced media.
        media::ELEMENT => "x-own",
        _ => return None,
    })
}

/// Length of the longest name with a meaning here, in bytes.
const MEANING: usize = 16;

/// Returns `name` in lower case, or `-` if it is too long to have a meaning. Matching end tags to
/// start tags takes the whole name instead.
fn meaning<'b>(name: &str, space: &'b mut [u8; MEANING]) -> &'b str {
    let Some(space) = space.get_mut(..name.len()) else {
        return "-";
    };
    space.copy_from_slice(name.as_bytes());
    space.make_ascii_lowercase();
    std::str::from_utf8(space).unwrap_or("-")
}

#[cfg(test)]
mod tests;
