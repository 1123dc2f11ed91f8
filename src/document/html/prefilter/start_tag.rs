//! Start tags: those that pass, without unused attributes, and those that are removed, some
//! together with their elements.

use super::super::css::HidingMethod;
use super::super::dom::{self, ElementKind};
use super::super::listing;
use super::visibility::TagVisibility;
use super::{
    MEANING, PageFilter, TagCategory, content_hints, controls, foreign, is_verbatim, line_numbers,
    meaning, memchr, renamed, shadow_root, tag, tree, xml,
};

/// Ends of the words that begin with "tab" in the names of custom elements with tabs.
const TAB_WORDS: [&str; 6] = ["", "s", "group", "panel", "panels", "set"];

impl<'a> PageFilter<'a> {
    /// Filters the start tag at `at`; returns the offset behind it, or behind its element.
    pub(super) fn start_tag(&mut self, at: usize) -> usize {
        let mut space = [0; MEANING];
        let end = tag::name_end(self.page, at + 1);
        let name = meaning(&self.page[at + 1..end], &mut space);
        if self.foreign > 0
            && let Some(end) = self.foreign_start(at, name)
        {
            return end;
        }
        let category = self.category_of(name);
        let in_pre = self
            .tree
            .top()
            .is_some_and(|open| open.name.eq_ignore_ascii_case("pre"));
        let Some((tag, hides)) = self.read_start(at, name, category, in_pre) else {
            return self.replace(at, self.page.len(), "");
        };
        // The choice of main content measures the page's own text, and parts the words itself.
        if !self.all && controls::runs_together(self.page, at, name) && !self.tree.is_code() {
            self.insert_fixes(at, " ");
        }
        if let Some(end) = self.replace_start(at, name, category, &tag, hides) {
            return end;
        }
        // An element that is removed whole leaves no trace.
        self.fresh &= matches!(category, TagCategory::Raw | TagCategory::Template);
        let empty = self.xml && tag.closed;
        match category {
            category if empty && category.ends_by_name() => self.replace(at, tag.end, ""),
            TagCategory::Area if empty => self.replace(at, tag.end, " "),
            TagCategory::Raw => {
                let (_, end) = self.raw_end(tag.end, name);
                self.replace(at, end, "")
            }
            TagCategory::Template => {
                let end = self.template_end(tag.end);
                self.replace(at, end, "")
            }
            TagCategory::Media => self.replace_media(at, name, &tag, hides),
            TagCategory::Title => self.write_raw_text(at, &tag, "title", "<title>", "</title>"),
            TagCategory::Area if hides => {
                let (_, end) = self.raw_end(tag.end, name);
                self.replace(at, end, " ")
            }
            TagCategory::Area => self.write_textarea(at, &tag),
            TagCategory::Xmp => self.write_raw_text(at, &tag, "xmp", "<pre>", "</pre>"),
            TagCategory::Plaintext => self.write_raw_text(at, &tag, "plaintext", "<pre>", "</pre>"),
            TagCategory::Foreign => {
                let hides = foreign::read_start(self.page, at, name).is_some_and(|read| read.hides);
                self.foreign = usize::from(!hides && !tag.closed);
                self.draws_text = name == "math";
                let end = if hides && !tag.closed {
                    foreign::behind_hidden(self.page, tag.end, tag.name)
                } else {
                    tag.end
                };
                self.replace(at, end, "")
            }
            // An `<option>` contains only text.
            TagCategory::Choice if name == "option" && hides => {
                let end = memchr(b'<', &self.page.as_bytes()[tag.end..]);
                let end = end.map_or(self.page.len(), |length| tag.end + length);
                self.replace(at, end, " ")
            }
            TagCategory::Choice if hides || (self.all && name == "select") => {
                self.pass_start(at, name, category, &tag, hides)
            }
            TagCategory::Choice => self.replace(at, tag.end, " "),
            TagCategory::Empty if tag.kept.is_empty() => self.replace(at, tag.end, ""),
            TagCategory::Section | TagCategory::Caption | TagCategory::Row | TagCategory::Cell
                if !self.tree.in_table() =>
            {
                self.replace(at, tag.end, " ")
            }
            TagCategory::Formatting if !self.tree.formats() => self.replace(at, tag.end, ""),
            // Most often an icon.
            TagCategory::Formatting if name != "a" && self.ends_at_once(&tag) => {
                let end = tag::past(self.page, tag.end, b'>');
                self.replace(at, end, "")
            }
            TagCategory::Plain if tag.kept.is_empty() && self.is_silent(at, name, in_pre) => {
                if !empty {
                    self.tree.start_silent(tag.name, category);
                }
                self.replace(at, tag.end, "")
            }
            TagCategory::Styled if tag.kept.is_empty() => {
                if !empty && let Some(name) = renamed(name) {
                    self.tree.start_silent(name, TagCategory::Plain);
                }
                self.replace(at, tag.end, "")
            }
            _ => self.pass_start(at, name, category, &tag, hides),
        }
    }

    /// Replaces a start tag or its whole element; `None` if it stays.
    fn replace_start(
        &mut self,
        at: usize,
        name: &str,
        category: TagCategory,
        tag: &tag::HtmlTag<'a>,
        hides: bool,
    ) -> Option<usize> {
        if matches!(name, "span" | "div")
            && let Some(end) = self.replace_typeset(at, name, tag)
        {
            return Some(end);
        }
        match category {
            TagCategory::Template if shadow_root::is_shadow_root(self.page, at) => {
                Some(self.replace(at, tag.end, " "))
            }
            TagCategory::Foreign if name == "math" && !hides => {
                let (formula, end) = self.formula_within(at, tag)?;
                Some(self.write_formula(at, &formula, end))
            }
            TagCategory::Raw if name == "script" => self.replace_formula_script(at, tag),
            TagCategory::Plain if name == "annotation" => self.replace_annotation(at),
            TagCategory::Void if name == "img" => {
                let formula = self.formula_of_image(at)?;
                Some(self.write_formula(at, formula, tag.end))
            }
            _ if self.tree.is_verbatim()
                || (name == "a"
                    && memchr::memmem::find(&self.page.as_bytes()[at..tag.end], b"line")
                        .is_some()) =>
            {
                let in_code = self.tree.is_verbatim();
                let end = line_numbers::skip_line_number(self.page, at, name, tag.end, in_code)?;
                Some(self.replace(at, end, ""))
            }
            _ => None,
        }
    }

    /// Reads the start tag at `at` with its used attributes, and true if it hides its element;
    /// `None` if the page ends within it.
    fn read_start(
        &mut self,
        at: usize,
        name: &str,
        category: TagCategory,
        in_pre: bool,
    ) -> Option<(tag::HtmlTag<'a>, bool)> {
        let page = self.page;
        let calls = self.all && category.holds_content();
        let seen = category == TagCategory::Root;
        let mut visibility = TagVisibility::new(name, category, self.dim);
        let name_end = tag::name_end(page, at + 1);
        let (mut kept, mut dropped) = (Vec::new(), false);
        // The attributes with which a page offers to show a hidden element.
        let (mut said, mut saying) = ([""; tag::USED_OF_HIDDEN.len()], 0);
        let (end, closed) = tag::scan(page, name_end, |attribute| {
            let used = match visibility.read_attribute(&attribute).filter(|_| !seen) {
                Some(used) => used,
                None => {
                    (!seen && tag::is_used(name, in_pre, attribute.name, attribute.value))
                        || (calls && content_hints::names_element(attribute.name))
                        || self.section.as_deref().is_some_and(|id| {
                            dom::names_section(name, attribute.name, attribute.value, id)
                        })
                }
            };
            if used && attribute.value.len() <= tag::MAX_VALUE {
                kept.push(attribute.whole);
            } else if tag::is_used_of_hidden(&attribute) && saying < said.len() {
                said[saying] = attribute.whole;
                saying += 1;
            } else {
                dropped = true;
            }
        })?;
        let mut hiding = visibility.hiding().filter(|_| !seen);
        if name == "img" {
            // Images fade in when they are loaded.
            hiding = hiding.filter(|hiding| *hiding != HidingMethod::Faded);
        }
        if hiding == Some(HidingMethod::Removed) && self.is_in_tabs(&page[at + 1..name_end]) {
            hiding = None;
        }
        let copies = controls::copies(page, at, name, end);
        if copies {
            kept.push("hidden");
        }
        let hides = !seen && (hiding.is_some() || visibility.plainly || copies);
        self.dim |= visibility.dims && !seen;
        dropped |= copies;
        if hides || (visibility.dims && !seen) {
            kept.extend(&said[..saying]);
        } else {
            dropped |= saying > 0;
        }
        let instead = [
            hiding.map(HidingMethod::attribute),
            visibility.align.filter(|_| category == TagCategory::Cell),
        ];
        for attribute in instead.into_iter().flatten() {
            kept.insert(0, attribute);
            dropped = true;
        }
        let tag = tag::HtmlTag {
            name: &page[at + 1..name_end],
            end,
            closed,
            kept,
            dropped,
        };
        Some((tag, hides))
    }

    /// True for the panel of a custom element with tabs, whose script shows it: `tab-panel`, or a
    /// child or grandchild of `x-tabs`.
    fn is_in_tabs(&self, name: &str) -> bool {
        let is_tabs = |name: &str| {
            name.contains('-')
                && name.split('-').any(|word| {
                    let tab = word
                        .get(..3)
                        .is_some_and(|tab| tab.eq_ignore_ascii_case("tab"));
                    tab && TAB_WORDS
                        .iter()
                        .any(|end| word[3..].eq_ignore_ascii_case(end))
                })
        };
        is_tabs(name) || self.tree.innermost().take(2).any(|open| is_tabs(open.name))
    }

    /// True if an element is empty and can be removed. The parser drops a newline directly behind
    /// `<pre>`, so nothing may be removed in between.
    fn ends_at_once(&self, tag: &tag::HtmlTag<'a>) -> bool {
        !self.xml
            && !self.tree.is_verbatim()
            && tag::names_end(self.page, tag.end, tag.name).is_some()
    }

    /// True if an element's tags have no meaning and can be removed. The parser drops a newline
    /// directly behind `<pre>`, so nothing may be removed in between.
    fn is_silent(&self, at: usize, name: &str, in_pre: bool) -> bool {
        let after_pre = in_pre && self.page[..at].ends_with('>');
        dom::kind_of(name) == ElementKind::Inline
            && name != "ruby"
            && !(self.dim && name == "mark")
            && !after_pre
            && self.foreign == 0
            && (!self.all || content_hints::is_inline(name))
    }

    /// Passes a start tag without its unused attributes.
    pub(super) fn pass_start(
        &mut self,
        at: usize,
        name: &str,
        category: TagCategory,
        tag: &tag::HtmlTag<'a>,
        hidden: bool,
    ) -> usize {
        let mut fixes = String::new();
        self.tree.before_start(name, category, &mut fixes);
        let table_part = matches!(
            category,
            TagCategory::Section | TagCategory::Caption | TagCategory::Row | TagCategory::Cell
        );
        if !table_part && !self.tree.is_settled() {
            let block = category.ends_paragraph() || category == TagCategory::Table;
            self.tree.before_content(block, &mut fixes);
        }
        let renamed = match category {
            TagCategory::Form | TagCategory::Choices => Some("div"),
            TagCategory::Empty => Some("span"),
            TagCategory::Styled | TagCategory::Choice => renamed(name),
            _ => None,
        };
        if category == TagCategory::Formatting && !self.tree.formats() {
            self.insert_fixes(at, &fixes);
            return self.replace(at, tag.end, "");
        }
        let mut end = String::new();
        if !matches!(
            category,
            TagCategory::Void | TagCategory::Rule | TagCategory::Root | TagCategory::Empty
        ) {
            let opened = renamed.unwrap_or(tag.name);
            let category = match category {
                TagCategory::Styled | TagCategory::Choice => TagCategory::Plain,
                TagCategory::Form | TagCategory::Choices => TagCategory::Block,
                category => category,
            };
            self.tree.start(opened, category, &mut fixes);
            if hidden {
                self.tree.hide_top();
            }
            if is_verbatim(name) || is_listing(name, tag) {
                self.tree.keep_whitespace();
            }
            self.note_line_start(category, name, true);
            if self.xml && tag.closed {
                // The parser ignores the slash.
                self.tree.end(opened, category, &mut end);
                tree::write_end_tag(opened, &mut end);
            }
        }
        self.insert_fixes(at, &fixes);
        let long = self.all
            && tag
                .kept
                .iter()
                .any(|kept| kept.len() > content_hints::MAX_CALLED);
        if renamed.is_none() && !tag.dropped && !long {
            self.insert_fixes(tag.end, &end);
            return tag.end;
        }
        self.replace(at, at, "<");
        self.out.push_str(renamed.unwrap_or(tag.name));
        for attribute in &tag.kept {
            if self.all {
                content_hints::write_attribute(attribute, &mut self.out);
            } else {
                self.out.push(' ');
                self.out.push_str(attribute);
            }
        }
        if self.all && category == TagCategory::Form {
            content_hints::write_name(name, &mut self.out);
        }
        if category == TagCategory::Choices {
            self.out.push_str(" hidden");
        }
        self.out.push('>');
        if category == TagCategory::Empty {
            self.out.push_str("</span>");
        }
        self.out.push_str(&end);
        self.copied = tag.end;
        tag.end
    }

    pub(super) fn raw_end(&self, from: usize, name: &str) -> (usize, usize) {
        if self.xml {
            xml::raw_end(self.page, from, name)
        } else {
            tag::raw_end(self.page, from, name)
        }
    }

    /// Writes a `textarea`; several lines become a `pre`.
    fn write_textarea(&mut self, at: usize, tag: &tag::HtmlTag<'a>) -> usize {
        let (text, _) = self.raw_end(tag.end, "textarea");
        if self.page[tag.end..text].trim_ascii().contains('\n') {
            return self.write_raw_text(at, tag, "textarea", "<pre>", "</pre>");
        }
        let start = content_hints::textarea_start(self.all);
        self.write_raw_text(at, tag, "textarea", start, " </span>")
    }

    /// Writes an element that contains text alone as one whose text reads the same anywhere.
    fn write_raw_text(
        &mut self,
        at: usize,
        tag: &tag::HtmlTag<'a>,
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
            self.tree
                .before_start("pre", TagCategory::Block, &mut fixes);
        }
        if start != "<title>" && !self.tree.is_settled() {
            self.tree.before_content(false, &mut fixes);
        }
        self.insert_fixes(at, &fixes);
        if start == "<title>" && plain && !tag.dropped {
            return after;
        }
        self.replace(at, at, start);
        let verbatim = matches!(name, "xmp" | "plaintext") && !self.xml;
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

    /// Returns the offset behind a template whose start tag ends at `from`.
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
}

/// True if the kept class of an element says that its text is code.
fn is_listing(name: &str, tag: &tag::HtmlTag<'_>) -> bool {
    let class = tag.kept.iter().find_map(|kept| {
        let value = kept
            .get(5..)
            .filter(|_| kept[..5].eq_ignore_ascii_case("class"))?;
        Some(value.trim_matches(['=', '"', '\'', ' ']))
    });
    class.is_some_and(|class| listing::is_listing(name, class))
}
