//! Elements that contain only text, and templates: their ends, and the text of those that a browser
//! shows.

use super::super::tag;
use super::super::tag::TagAttribute;
use super::start_tag::StartTag;
use super::{PageFilter, TagCategory, content_hints, memchr, xml};

impl<'a> PageFilter<'a> {
    /// Returns the end of the text of an element that ends only at its own end tag, and the offset
    /// after that; both are the end of the `noscript` around it or of the page if there is none.
    pub(super) fn raw_end(&self, from: usize, name: &str) -> (usize, usize) {
        let page = if from <= self.noscript {
            &self.page[..self.noscript]
        } else {
            self.page
        };
        if self.xml {
            xml::raw_end(page, from, name)
        } else {
            tag::raw_end(page, from, name)
        }
    }

    /// Emits a `textarea`; several lines become a `pre`.
    pub(super) fn emit_textarea(&mut self, tag: &StartTag<'a>) -> usize {
        let (text, _) = self.raw_end(tag.end, "textarea");
        if self.page[tag.end..text].trim_ascii().contains('\n') {
            return self.emit_raw_text(tag, "textarea", "pre", &[]);
        }
        let name = [content_hints::original_name("textarea")];
        let name = if self.keeps_all { &name[..] } else { &[] };
        self.emit_raw_text(tag, "textarea", "span", name)
    }

    /// Emits an element that contains only text, as one with another name.
    pub(super) fn emit_raw_text(
        &mut self,
        tag: &StartTag<'a>,
        name: &str,
        renamed: &str,
        attributes: &[TagAttribute<'_>],
    ) -> usize {
        let page = self.page;
        let (text, after) = if name == "plaintext" {
            (page.len(), page.len())
        } else {
            self.raw_end(tag.end, name)
        };
        let text = &page[tag.end..text];
        if renamed == "pre" {
            self.tree
                .before_start("pre", TagCategory::Block, &mut self.out);
        }
        if renamed != "title" && !self.tree.is_settled() {
            self.tree.before_content(false, &mut self.out);
        }
        self.out.start(renamed, attributes);
        let apart = if renamed == "span" { " " } else { "" };
        self.out.push_characters(apart);
        if self.xml {
            xml::emit_text(text, &mut self.out);
        } else if matches!(name, "xmp" | "plaintext") {
            self.out.push_characters(text);
        } else {
            self.out.push_text(text);
        }
        self.out.push_characters(apart);
        self.out.end(renamed);
        after
    }

    /// Returns the offset after a template whose start tag ends at `from`.
    pub(super) fn template_end(&self, from: usize) -> usize {
        let bytes = self.page.as_bytes();
        let (mut offset, mut depth) = (from, 1);
        while let Some(length) = memchr(b'<', &bytes[offset..]) {
            let open = offset + length;
            let behind = &bytes[open + 1..];
            let (skip, end) = match behind.first() {
                Some(b'/') => (2, true),
                _ => (1, false),
            };
            offset = open + skip;
            let is = |name: &str| tag::is_named(self.page, offset, name);
            if is("template") {
                depth = if end { depth - 1 } else { depth + 1 };
                if depth == 0 {
                    return tag::past(self.page, offset, b'>');
                }
            } else if !end && is("script") {
                offset = tag::raw_end(self.page, offset, "script").1;
            } else if !end && bytes[offset..].starts_with(b"!--") {
                offset = tag::comment_end(self.page, offset + 3);
            }
        }
        bytes.len()
    }
}
