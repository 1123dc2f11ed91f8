//! The page as the parser gets it. A page may be written so that building its tree costs far
//! more than its length; one pass over its tags takes that away, and what the conversion has
//! no use for as well. A page that has nothing of either passes unchanged.
//!
//! Rules: HTML Living Standard, "Parsing HTML documents". Scripts, styles, comments and the
//! like are left out here, so that no later stage can take their text for a page's; what is
//! left reads the same to every parser, since it holds no text that is not plain.

use std::borrow::Cow;
use std::time::Instant;

use memchr::{memchr, memmem};

mod category;
pub(super) mod content_hints;
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

use category::{ElementCategory, category_of};
use tree::{ElementStack, EndTagOutcome};

/// What a page is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::document) enum PageSyntax {
    Html,
    Xml,
}

/// How many tags are dealt with between two looks at the clock.
const TAGS: u32 = 1024;

/// The page with what would be costly or useless taken out, and as HTML if it is XML; and whether
/// there was no time until `end` for what comes after it. `scriptless` keeps what is for browsers
/// that run no scripts and show no frames.
pub(super) fn filter(
    page: &str,
    syntax: PageSyntax,
    scriptless: bool,
    end: Option<Instant>,
) -> (Cow<'_, str>, bool) {
    filter_for(page, syntax, scriptless, false, end)
}

/// The same with all that may be a page's content, as a browser has it that runs no scripts, and
/// with what the page's author calls each element.
pub(super) fn filter_all(
    page: &str,
    syntax: PageSyntax,
    end: Option<Instant>,
) -> (Cow<'_, str>, bool) {
    filter_for(page, syntax, false, true, end)
}

fn filter_for(
    page: &str,
    syntax: PageSyntax,
    scriptless: bool,
    all: bool,
    end: Option<Instant>,
) -> (Cow<'_, str>, bool) {
    let mut filter = PageFilter {
        page,
        xml: syntax == PageSyntax::Xml,
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
        verbatim: 0,
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
    xml: bool,
    scriptless: bool,
    /// Whether all that may be content is kept, with its elements' names and classes.
    all: bool,
    out: String,
    copied: usize,
    changed: bool,
    tree: ElementStack<'a>,
    /// How many `svg` and `math` are open.
    foreign: usize,
    /// Whether text is shown where the page is in them.
    draws_text: bool,
    /// Whether whitespace that comes next stands where a line begins, and means nothing.
    fresh: bool,
    /// There was an element whose text may be unseen: from then on, styles count that show text
    /// again.
    dim: bool,
    /// How many elements are open in which whitespace counts.
    verbatim: usize,
    /// Which media have no end tag in what is left of the page.
    endless: [bool; media::NAMES],
    /// Where the next formula ends, and where it is said as TeX.
    ahead: formula::FormulaLookahead,
}

impl PageFilter<'_> {
    /// Goes through the page; whether it was cut off at `end`.
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

    /// Leaves out the page from `from` to `to`, for `instead`.
    fn replace(&mut self, from: usize, to: usize, instead: &str) -> usize {
        if !self.changed {
            self.changed = true;
            // What is not used of it costs nothing, unlike growing.
            self.out.reserve(self.page.len());
        }
        self.out.push_str(&self.page[self.copied..from]);
        self.out.push_str(instead);
        self.copied = to;
        to
    }

    /// Puts in what the parser needs before `at`.
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

    /// Notes what the start or the end of an element says of the whitespace behind it. Most of a
    /// page's texts are nothing else, and each would be a node.
    fn note_line_start(&mut self, category: ElementCategory, name: &str, seen: bool) {
        self.fresh = seen && self.verbatim == 0 && !self.xml && is_line(category, name);
    }

    /// Does what `text` needs done before it, which is put in at `at`.
    fn prepare_content(&mut self, at: usize, text: &str) {
        if !self.tree.is_settled() && !text.trim_ascii().is_empty() {
            let mut fixes = String::new();
            self.tree.before_content(false, &mut fixes);
            self.insert_fixes(at, &fixes);
        }
    }

    /// Deals with what the `<` at `at` begins; returns where the page goes on.
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
                // Where a tag behind it is left out, it begins none with the text after that.
                if bytes.get(at + 1) == Some(&b'<') && self.copied <= at {
                    self.replace(at, at + 1, "&lt;");
                }
                at + 1
            }
        }
    }

    fn category_of(&self, name: &str) -> ElementCategory {
        if (self.scriptless && matches!(name, "noscript" | "noframes"))
            || (self.all && matches!(name, "noscript" | "nav"))
        {
            ElementCategory::Form
        } else {
            category_of(name)
        }
    }
}

/// Whether whitespace counts in the element of this name.
fn is_verbatim(name: &str) -> bool {
    matches!(name, "pre" | "listing")
}

/// Whether an element begins and ends a line wherever it stands.
fn is_line(category: ElementCategory, name: &str) -> bool {
    match category {
        ElementCategory::Paragraph
        | ElementCategory::Item
        | ElementCategory::Term
        | ElementCategory::Heading
        | ElementCategory::Table
        | ElementCategory::Section
        | ElementCategory::Caption
        | ElementCategory::Row
        | ElementCategory::Cell => true,
        ElementCategory::Block => !matches!(name, "nav" | "pre" | "listing"),
        _ => false,
    }
}

/// The name under which an element goes that the parser or the walk would treat in a way of its own.
fn renamed(name: &str) -> Option<&'static str> {
    Some(match name {
        "nobr" => "x-nobr",
        "font" => "x-font",
        "big" => "x-big",
        "small" => "x-small",
        "u" => "x-u",
        "select" => "x-select",
        // The walk takes it for what this filter makes of frames and films.
        media::ELEMENT => "x-own",
        _ => return None,
    })
}

/// The length of the longest name that means anything here, in bytes.
const MEANING: usize = 16;

/// `name` in lower case, to ask what it means; `-` if it is too long to mean anything. Which end
/// tag belongs to which start tag is not asked of this: that takes the whole name.
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
