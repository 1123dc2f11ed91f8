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

use super::dom::{self, Kind};
use crate::document::entities;

pub(super) mod all;
mod category;
mod media;
pub(in crate::document) mod tag;
mod tree;
pub(in crate::document) mod xml;

use category::{Category, category_of};
use tree::{Ending, Tree};

/// What a page is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::document) enum Syntax {
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
    syntax: Syntax,
    scriptless: bool,
    end: Option<Instant>,
) -> (Cow<'_, str>, bool) {
    filter_for(page, syntax, scriptless, false, end)
}

/// The same with all that may be a page's content, as a browser has it that runs no scripts, and
/// with what the page's author calls each element.
pub(super) fn filter_all(page: &str, syntax: Syntax, end: Option<Instant>) -> (Cow<'_, str>, bool) {
    filter_for(page, syntax, false, true, end)
}

fn filter_for(
    page: &str,
    syntax: Syntax,
    scriptless: bool,
    all: bool,
    end: Option<Instant>,
) -> (Cow<'_, str>, bool) {
    let mut filter = Filter {
        page,
        xml: syntax == Syntax::Xml,
        scriptless,
        all,
        out: String::new(),
        copied: 0,
        changed: false,
        tree: Tree::new(page.len()),
        foreign: 0,
        foreign_hidden: false,
        fresh: false,
        verbatim: 0,
        endless: [false; media::NAMES],
    };
    let late = filter.run(end);
    if !filter.changed {
        return (Cow::Borrowed(page), late);
    }
    filter.out.push_str(&page[filter.copied..]);
    (Cow::Owned(filter.out), late)
}

#[allow(clippy::struct_excessive_bools, reason = "each is asked by itself")]
struct Filter<'a> {
    page: &'a str,
    xml: bool,
    scriptless: bool,
    /// Whether all that may be content is kept, with its elements' names and classes.
    all: bool,
    out: String,
    copied: usize,
    changed: bool,
    tree: Tree<'a>,
    /// How many `svg` and `math` are open.
    foreign: usize,
    /// Whether the outermost of them is hidden.
    foreign_hidden: bool,
    /// Whether whitespace that comes next stands where a line begins, and means nothing.
    fresh: bool,
    /// How many elements are open in which whitespace counts.
    verbatim: usize,
    /// Which media have no end tag in what is left of the page.
    endless: [bool; media::NAMES],
}

impl<'a> Filter<'a> {
    /// Goes through the page; whether it was cut off at `end`.
    fn run(&mut self, end: Option<Instant>) -> bool {
        let bytes = self.page.as_bytes();
        let mut at = 0;
        let mut tags = 0;
        while let Some(length) = memchr(b'<', &bytes[at..]) {
            let open = at + length;
            if length > 0 {
                self.text(at, open);
            }
            at = self.markup(open);
            tags += 1;
            if tags == TAGS {
                tags = 0;
                if end.is_some_and(|end| Instant::now() >= end) && at < bytes.len() {
                    self.cut(at, bytes.len(), "");
                    return true;
                }
            }
        }
        if at < bytes.len() {
            self.text(at, bytes.len());
        }
        false
    }

    /// Leaves out the page from `from` to `to`, for `instead`.
    fn cut(&mut self, from: usize, to: usize, instead: &str) -> usize {
        if !self.changed {
            self.changed = true;
            self.out.reserve(self.page.len() / 2);
        }
        self.out.push_str(&self.page[self.copied..from]);
        self.out.push_str(instead);
        self.copied = to;
        to
    }

    /// Puts in what the parser needs before `at`.
    fn fix(&mut self, at: usize, fixes: &str) {
        if !fixes.is_empty() {
            self.cut(at, at, fixes);
        }
    }

    fn text(&mut self, from: usize, to: usize) {
        if self.foreign > 0 && self.foreign_hidden {
            self.cut(from, to, "");
            return;
        }
        let page = self.page;
        let text = &page[from..to];
        if self.fresh {
            if text.bytes().all(|byte| byte.is_ascii_whitespace()) {
                self.cut(from, to, "");
                return;
            }
            self.fresh = false;
        }
        self.content(from, text);
    }

    /// Notes what the start or the end of an element says of the whitespace behind it. Most of a
    /// page's texts are nothing else, and each would be a node.
    fn begins_line(&mut self, category: Category, name: &str, seen: bool) {
        self.fresh = seen && self.verbatim == 0 && !self.xml && is_line(category, name);
    }

    /// Does what `text` needs done before it, which is put in at `at`.
    fn content(&mut self, at: usize, text: &str) {
        if !self.tree.is_settled() && !text.trim_ascii().is_empty() {
            let mut fixes = String::new();
            self.tree.content(false, &mut fixes);
            self.fix(at, &fixes);
        }
    }

    /// Deals with what the `<` at `at` begins; returns where the page goes on.
    fn markup(&mut self, at: usize) -> usize {
        let bytes = self.page.as_bytes();
        match bytes.get(at + 1) {
            Some(byte) if byte.is_ascii_alphabetic() => self.start_tag(at),
            Some(b'/') => match bytes.get(at + 2) {
                Some(byte) if byte.is_ascii_alphabetic() => self.end_tag(at),
                Some(_) => self.cut(at, tag::past(self.page, at + 2, b'>'), ""),
                None => at + 2,
            },
            Some(b'!') => {
                if let Some((text, end)) = self.xml.then(|| xml::section(self.page, at)).flatten() {
                    self.content(at, text);
                    self.cut(at, end, "");
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
                        return self.cut(at, end, "<!DOCTYPE html>");
                    }
                    if doctype {
                        return end;
                    }
                    end
                };
                self.cut(at, end, "")
            }
            Some(b'?') if self.xml => self.cut(at, xml::instruction_end(self.page, at + 2), ""),
            Some(b'?') => self.cut(at, tag::past(self.page, at + 2, b'>'), ""),
            _ => {
                self.text(at, at + 1);
                at + 1
            }
        }
    }

    fn start_tag(&mut self, at: usize) -> usize {
        let mut space = [0; MEANING];
        let end = tag::name_end(self.page, at + 1);
        let name = meaning(&self.page[at + 1..end], &mut space);
        let category = self.category_of(name);
        let in_pre = self
            .tree
            .top()
            .is_some_and(|open| open.name.eq_ignore_ascii_case("pre"));
        let (mut hidden, mut hides) = (false, false);
        let calls = self.all && category.holds_content();
        let used = |attribute: &str, value: &str| {
            let used = category != Category::Root && tag::is_used(name, in_pre, attribute, value);
            hidden |= used && tag::may_hide(attribute);
            used || (calls && all::calls(attribute))
        };
        let Some(mut tag) = tag::read(self.page, at + 1, used) else {
            return self.cut(at, self.page.len(), "");
        };
        if hidden {
            let used = |attribute: &str, value: &str| {
                if tag::may_hide(attribute) {
                    let value = entities::decoded_in_attribute(value);
                    let hiding = dom::hides(&attribute.to_ascii_lowercase(), &value);
                    hides |= hiding;
                    // A style that hides nothing is asked for by cells alone.
                    if !hiding && category != Category::Cell {
                        return false;
                    }
                }
                tag::is_used(name, in_pre, attribute, value)
                    || tag::is_used_of_hidden(attribute)
                    || (calls && all::calls(attribute))
            };
            tag = tag::read(self.page, at + 1, used).unwrap_or(tag);
        }
        if self.foreign > 0
            && let Some(end) = self.foreign_start(at, name, &tag)
        {
            return end;
        }
        // What is left out whole leaves no trace.
        self.fresh &= matches!(category, Category::Raw | Category::Template);
        let empty = self.xml && tag.closed;
        match category {
            category if empty && category.ends_by_name() => self.cut(at, tag.end, ""),
            Category::Area if empty => self.cut(at, tag.end, " "),
            Category::Raw => {
                let (_, end) = self.raw_end(tag.end, name);
                self.cut(at, end, "")
            }
            Category::Template => {
                let end = self.template_end(tag.end);
                self.cut(at, end, "")
            }
            Category::Media => self.media(at, name, &tag, hides),
            Category::Title => self.raw_text(at, &tag, "title", "<title>", "</title>"),
            Category::Area if hides => {
                let (_, end) = self.raw_end(tag.end, name);
                self.cut(at, end, " ")
            }
            Category::Area => self.area(at, &tag),
            Category::Xmp => self.raw_text(at, &tag, "xmp", "<pre>", "</pre>"),
            Category::Plaintext => self.raw_text(at, &tag, "plaintext", "<pre>", "</pre>"),
            Category::Foreign => {
                if !tag.closed {
                    self.foreign = 1;
                    self.foreign_hidden = hides;
                }
                self.cut(at, tag.end, "")
            }
            // What may be chosen is text alone.
            Category::Choice if name == "option" && hides => {
                let end = memchr(b'<', &self.page.as_bytes()[tag.end..]);
                let end = end.map_or(self.page.len(), |length| tag.end + length);
                self.cut(at, end, " ")
            }
            Category::Choice if hides || (self.all && name == "select") => {
                self.open(at, name, category, &tag, hides)
            }
            Category::Choice => self.cut(at, tag.end, " "),
            Category::Empty if tag.kept.is_empty() => self.cut(at, tag.end, ""),
            Category::Section | Category::Caption | Category::Row | Category::Cell
                if !self.tree.in_table() =>
            {
                self.cut(at, tag.end, " ")
            }
            Category::Formatting if !self.tree.formats() => self.cut(at, tag.end, ""),
            // An icon, most often.
            Category::Formatting if name != "a" && self.ends_at_once(&tag) => {
                let end = tag::past(self.page, tag.end, b'>');
                self.cut(at, end, "")
            }
            Category::Plain if tag.kept.is_empty() && self.is_silent(at, name, in_pre) => {
                if !empty {
                    self.tree.start_silent(tag.name, category);
                }
                self.cut(at, tag.end, "")
            }
            Category::Styled if tag.kept.is_empty() => {
                if !empty && let Some(name) = renamed(name) {
                    self.tree.start_silent(name, Category::Plain);
                }
                self.cut(at, tag.end, "")
            }
            _ => self.open(at, name, category, &tag, hides),
        }
    }

    /// Whether an element holds nothing, and nothing hangs on its being there: the parser drops a
    /// newline that directly follows `<pre>`.
    fn ends_at_once(&self, tag: &tag::Tag<'a>) -> bool {
        !self.xml && self.verbatim == 0 && tag::names_end(self.page, tag.end, tag.name).is_some()
    }

    fn category_of(&self, name: &str) -> Category {
        if (self.scriptless && matches!(name, "noscript" | "noframes"))
            || (self.all && matches!(name, "noscript" | "nav"))
        {
            Category::Form
        } else {
            category_of(name)
        }
    }

    /// Whether an element's tags mean nothing. The parser drops a newline that directly follows
    /// `<pre>`, so nothing may be left out in between.
    fn is_silent(&self, at: usize, name: &str, in_pre: bool) -> bool {
        let after_pre = in_pre && self.page[..at].ends_with('>');
        dom::kind_of(name) == Kind::Inline
            && name != "ruby"
            && !after_pre
            && self.foreign == 0
            && (!self.all || all::is_inline(name))
    }

    /// Lets a start tag pass, without what is not used of it.
    fn open(
        &mut self,
        at: usize,
        name: &str,
        category: Category,
        tag: &tag::Tag<'a>,
        hidden: bool,
    ) -> usize {
        let mut fixes = String::new();
        self.tree.before_start(name, category, &mut fixes);
        let table_part = matches!(
            category,
            Category::Section | Category::Caption | Category::Row | Category::Cell
        );
        if !table_part && !self.tree.is_settled() {
            let block = category.ends_paragraph() || category == Category::Table;
            self.tree.content(block, &mut fixes);
        }
        let renamed = match category {
            Category::Form | Category::Choices => Some("div"),
            Category::Empty => Some("span"),
            Category::Styled | Category::Choice => renamed(name),
            _ => None,
        };
        if category == Category::Formatting && !self.tree.formats() {
            self.fix(at, &fixes);
            return self.cut(at, tag.end, "");
        }
        let mut end = String::new();
        if !matches!(
            category,
            Category::Void | Category::Rule | Category::Root | Category::Empty
        ) {
            let opened = renamed.unwrap_or(tag.name);
            let category = match category {
                Category::Styled | Category::Choice => Category::Plain,
                Category::Form | Category::Choices => Category::Block,
                category => category,
            };
            self.tree.start(opened, category, &mut fixes);
            if hidden {
                self.tree.hide_top();
            }
            self.verbatim += usize::from(is_verbatim(name));
            self.begins_line(category, name, true);
            if self.xml && tag.closed {
                // The parser passes over the slash.
                self.tree.end(opened, category, &mut end);
                tree::end(opened, &mut end);
            }
        }
        self.fix(at, &fixes);
        let long = self.all && tag.kept.iter().any(|kept| kept.len() > all::MAX_CALLED);
        if renamed.is_none() && !tag.dropped && !long {
            self.fix(tag.end, &end);
            return tag.end;
        }
        self.cut(at, at, "<");
        self.out.push_str(renamed.unwrap_or(tag.name));
        for attribute in &tag.kept {
            if self.all {
                all::write(attribute, &mut self.out);
            } else {
                self.out.push(' ');
                self.out.push_str(attribute);
            }
        }
        if self.all && category == Category::Form {
            all::write_name(name, &mut self.out);
        }
        if category == Category::Choices {
            self.out.push_str(" hidden");
        }
        self.out.push('>');
        if category == Category::Empty {
            self.out.push_str("</span>");
        }
        self.out.push_str(&end);
        self.copied = tag.end;
        tag.end
    }

    fn raw_end(&self, from: usize, name: &str) -> (usize, usize) {
        if self.xml {
            xml::raw_end(self.page, from, name)
        } else {
            tag::raw_end(self.page, from, name)
        }
    }

    fn area(&mut self, at: usize, tag: &tag::Tag<'a>) -> usize {
        let start = all::textarea(self.all);
        self.raw_text(at, tag, "textarea", start, " </span>")
    }

    /// An element that holds text alone becomes one whose text reads the same anywhere.
    fn raw_text(
        &mut self,
        at: usize,
        tag: &tag::Tag<'a>,
        name: &str,
        start: &str,
        end: &str,
    ) -> usize {
        let (text, after) = if name == "plaintext" {
            (self.page.len(), self.page.len())
        } else {
            self.raw_end(tag.end, name)
        };
        let page = self.page;
        let text = &page[tag.end..text];
        let plain = memchr(b'<', text.as_bytes()).is_none();
        let text = if self.xml {
            &xml::without_sections(text)
        } else {
            text
        };
        let mut fixes = String::new();
        if start == "<pre>" {
            self.tree.before_start("pre", Category::Block, &mut fixes);
        }
        if start != "<title>" && !self.tree.is_settled() {
            self.tree.content(false, &mut fixes);
        }
        self.fix(at, &fixes);
        if start == "<title>" && plain && !tag.dropped {
            return after;
        }
        self.cut(at, at, start);
        let verbatim = start == "<pre>" && !self.xml;
        for c in text.chars() {
            match c {
                '<' => self.out.push_str("&lt;"),
                '&' if verbatim => self.out.push_str("&amp;"),
                c => self.out.push(c),
            }
        }
        self.out.push_str(end);
        self.copied = after;
        after
    }

    /// A tag inside `svg` or `math`, of which the text alone is kept. `None` if the tag ends
    /// the other language.
    fn foreign_start(&mut self, at: usize, name: &str, tag: &tag::Tag<'a>) -> Option<usize> {
        let ends = match category_of(name) {
            Category::Foreign => {
                self.foreign += usize::from(!tag.closed);
                false
            }
            Category::Plain | Category::Ruby | Category::Empty | Category::Media => {
                matches!(name, "span" | "sub" | "sup" | "ruby" | "meta" | "embed")
            }
            Category::Raw | Category::Title | Category::Template => {
                let end = tag::raw_end(self.page, tag.end, name).1;
                return Some(self.cut(at, if tag.closed { tag.end } else { end }, ""));
            }
            Category::Formatting if name == "a" => false,
            _ => true,
        };
        if ends {
            self.foreign = 0;
            return None;
        }
        let unseen = matches!(
            name,
            "desc" | "metadata" | "defs" | "annotation" | "annotation-xml"
        );
        if unseen && !tag.closed {
            let end = tag::raw_end(self.page, tag.end, name).1;
            return Some(self.cut(at, end, ""));
        }
        let apart = matches!(name, "text" | "tspan" | "foreignobject");
        Some(self.cut(at, tag.end, if apart { " " } else { "" }))
    }

    /// Where the page goes on after a template whose start tag ends at `from`.
    fn template_end(&self, from: usize) -> usize {
        let bytes = self.page.as_bytes();
        let (mut at, mut depth) = (from, 1);
        while let Some(length) = memchr(b'<', &bytes[at..]) {
            let open = at + length;
            let rest = &bytes[open + 1..];
            let (skip, end) = match rest.first() {
                Some(b'/') => (2, true),
                _ => (1, false),
            };
            at = open + skip;
            let is = |name: &str| tag::is_named(self.page, at, name);
            if is("template") {
                depth = if end { depth - 1 } else { depth + 1 };
                if depth == 0 {
                    return tag::past(self.page, at, b'>');
                }
            } else if !end && is("script") {
                at = tag::raw_end(self.page, at, "script").1;
            } else if !end && bytes[at..].starts_with(b"!--") {
                at = tag::comment_end(self.page, at + 3);
            }
        }
        bytes.len()
    }

    fn end_tag(&mut self, at: usize) -> usize {
        let mut space = [0; MEANING];
        let end = tag::name_end(self.page, at + 2);
        let name = meaning(&self.page[at + 2..end], &mut space);
        self.verbatim -= usize::from(self.verbatim > 0 && is_verbatim(name));
        self.fresh = false;
        let seen = self.tree.is_seen_on_top(name);
        // Attributes of an end tag are read as those of a start tag are, and mean nothing.
        let Some(tag) = tag::read(self.page, at + 2, |_, _| false) else {
            return self.cut(at, self.page.len(), "");
        };
        let category = match self.category_of(name) {
            Category::Media if name == "object" => Category::Wall,
            Category::Media => Category::Plain,
            category => category,
        };
        if self.foreign > 0 && !matches!(category, Category::Paragraph | Category::Void) {
            if category == Category::Foreign {
                self.foreign -= 1;
            }
            return self.cut(at, tag.end, if name == "text" { " " } else { "" });
        }
        let mut fixes = String::new();
        match category {
            Category::Root => {}
            Category::Choice | Category::Styled => {
                let ending = renamed(name).map(|name| {
                    let ending = self.tree.end(name, Category::Plain, &mut fixes);
                    if ending == Ending::Kept {
                        tree::end(name, &mut fixes);
                    } else if ending == Ending::Dropped && self.tree.end_through(name, &mut fixes) {
                        return Ending::Kept;
                    }
                    ending
                });
                if ending != Some(Ending::Kept) && category == Category::Choice {
                    fixes.push(' ');
                }
                return self.cut(at, tag.end, &fixes);
            }
            Category::Void if self.xml => return self.cut(at, tag.end, ""),
            Category::Void if name == "br" => {
                self.tree.content(false, &mut fixes);
            }
            Category::Form | Category::Choices => {
                if self.tree.end("div", Category::Block, &mut fixes) == Ending::Dropped {
                    return self.cut(at, tag.end, "");
                }
                fixes.push_str("</div>");
                return self.cut(at, tag.end, &fixes);
            }
            Category::Paragraph => {
                if self.tree.end(name, category, &mut fixes) == Ending::Dropped {
                    self.tree.content(false, &mut fixes);
                }
            }
            Category::Formatting if !self.tree.formats() => {
                // What is still open of it can only be closed, never opened again.
                if self.tree.end(name, category, &mut fixes) == Ending::Dropped {
                    return self.cut(at, tag.end, "");
                }
            }
            _ => {
                let ending = self.tree.end(tag.name, category, &mut fixes);
                if ending == Ending::Silent {
                    return self.cut(at, tag.end, &fixes);
                }
                if ending == Ending::Dropped {
                    return self.cut(at, tag.end, "");
                }
            }
        }
        self.fix(at, &fixes);
        self.begins_line(category, name, seen);
        if tag.dropped {
            self.cut(at, at, "</");
            self.out.push_str(tag.name);
            self.out.push('>');
            self.copied = tag.end;
        }
        tag.end
    }
}

/// Whether whitespace counts in the element of this name.
fn is_verbatim(name: &str) -> bool {
    matches!(name, "pre" | "listing")
}

/// Whether an element begins and ends a line wherever it stands.
fn is_line(category: Category, name: &str) -> bool {
    match category {
        Category::Paragraph
        | Category::Item
        | Category::Term
        | Category::Heading
        | Category::Table
        | Category::Section
        | Category::Caption
        | Category::Row
        | Category::Cell => true,
        Category::Block => !matches!(name, "nav" | "pre" | "listing"),
        _ => false,
    }
}

/// The name under which an element goes that the parser would treat in a way of its own.
fn renamed(name: &str) -> Option<&'static str> {
    Some(match name {
        "nobr" => "x-nobr",
        "font" => "x-font",
        "big" => "x-big",
        "small" => "x-small",
        "u" => "x-u",
        "select" => "x-select",
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
