//! Formulas: as code in TeX, if the page has them in TeX, otherwise as one line built from their
//! elements. The plain text of those is a row of numbers and letters with another meaning.
//!
//! Rules: `MathML` Core, `annotation` and `alttext`; `MathJax`'s `script` elements; `KaTeX`'s
//! `katex-html`, which `aria-hidden` hides only from screen readers; and images whose `alt` is
//! TeX, as Wikipedia's: visible, hidden from screen readers, with invisible elements for them.

use std::borrow::Cow;

use memchr::{memmem, memrchr};

use super::super::dom;
use super::super::tag;
use super::start_tag::StartTag;
use super::{PageFilter, TagCategory};
use iki_base::wording::floor_boundary;
use iki_markdown::entities;
use iki_markdown::formula::read_mathml;
use iki_markdown::xml::XmlTag;

/// Beginning of the class of Wikipedia's formula images.
const WIKIPEDIA_CLASS: &str = "mwe-math-fallback-image";

/// Maximum length of a formula, in bytes of the page.
const MAX_FORMULA_BYTES: usize = 8 * 1024;

/// Offsets of the next matches, so that each is searched for once.
#[derive(Default)]
pub(super) struct FormulaLookahead {
    end: usize,
    annotation: usize,
    letters: usize,
    script: usize,
    /// Offset of the last script whose formula `MathJax` has drawn in an element that is hidden.
    drawn: Option<usize>,
}

/// Returns the first offset of `word` from `from` on; the page's end if there is none.
fn next(page: &str, from: usize, word: &str, known: &mut usize) -> usize {
    if *known < from {
        let offset = memmem::find(&page.as_bytes()[from..], word.as_bytes());
        *known = offset.map_or(page.len(), |length| from + length);
    }
    *known
}

impl<'a> PageFilter<'a> {
    /// Returns the formula whose start tag is at `offset`, and the offset after it; `None` if its
    /// plain text says the same.
    pub(super) fn formula_within(
        &mut self,
        offset: usize,
        start: &StartTag<'a>,
    ) -> Option<(Cow<'a, str>, usize)> {
        let page = self.page;
        let end = next(page, start.end, "</math>", &mut self.ahead.end);
        if end == page.len() || start.closed {
            return None;
        }
        let behind = end + "</math>".len();
        let annotation = next(page, start.end, "<annotation", &mut self.ahead.annotation);
        if annotation < end
            && let Some(source) = annotated(page, annotation, end)
        {
            return Some((entities::decoded_in_text(source), behind));
        }
        if let Some(source) = tag::read(page, offset + 1)?.get("alttext").and_then(tex) {
            return Some((entities::decoded_in_text(source), behind));
        }
        let elements = page.get(start.end..end)?;
        let formula =
            (elements.len() <= MAX_FORMULA_BYTES).then(|| read_mathml(elements, is_hidden))??;
        Some((Cow::Owned(formula), behind))
    }

    /// True for an element that `MathJax` 2 has made of the formula in a `script` after it, whose
    /// start tag is between these offsets.
    pub(super) fn is_drawn_formula(&mut self, offset: usize, end: usize) -> bool {
        let page = self.page;
        let tag = &page[offset..end];
        let Some((_, behind)) = tag.split_once("MathJax-Element-") else {
            return false;
        };
        let Some((number, _)) = behind.split_once("-Frame") else {
            return false;
        };
        let script = next(page, end, "math/tex", &mut self.ahead.script);
        let Some(open) = page[..script].rfind('<').filter(|open| *open >= end) else {
            return false;
        };
        let tag = tag::read(page, open + 1);
        let id = tag.as_ref().and_then(|tag| tag.get("id"));
        let is_its_script = id.and_then(|id| id.strip_prefix("MathJax-Element-")) == Some(number);
        if is_its_script {
            self.ahead.drawn = Some(open);
        }
        is_its_script
    }

    /// Replaces the formula in the `script` at `offset`, if it is one that stands nowhere else in
    /// the page.
    pub(super) fn replace_formula_script(
        &mut self,
        offset: usize,
        start: &StartTag<'a>,
    ) -> Option<usize> {
        let page = self.page;
        let tag = &page[offset..start.end];
        let is_alone = !tag.contains("MathJax-Element") || self.ahead.drawn == Some(offset);
        let is_script = is_alone && tag.contains("math/tex");
        let (end, behind) = is_script.then(|| self.raw_end(start.end, "script"))?;
        let source = page[start.end..end].trim();
        // As kramdown writes it.
        let source = source
            .strip_prefix("% <![CDATA[")
            .and_then(|source| source.strip_suffix("%]]>"))
            .unwrap_or(source);
        Some(self.emit_formula(tex(source)?, behind))
    }

    /// Shows the letters of a formula by `KaTeX` that has no `MathML` before them.
    pub(super) fn show_letters(&mut self, offset: usize, start: &StartTag<'a>) -> Option<usize> {
        let page = self.page;
        if next(page, offset, "katex-html", &mut self.ahead.letters) >= start.end {
            return None;
        }
        let before = page[..offset].trim_ascii_end();
        let window = &before.as_bytes()[before.len().saturating_sub(MAX_FORMULA_BYTES)..];
        let open = before.len() - window.len() + memrchr(b'<', window)?;
        let around = tag::read(before, open + 1).filter(|_| before.ends_with('>'))?;
        let class = around.get("class").unwrap_or_default();
        if !class.split(' ').any(|word| word == "katex") {
            return None;
        }
        self.tree.start_silent(start.name, TagCategory::Plain);
        Some(start.end)
    }

    /// Replaces an annotation in TeX whose formula is missing.
    pub(super) fn replace_annotation(&mut self, offset: usize) -> Option<usize> {
        let page = self.page;
        let formula = annotated(page, offset, page.len())?;
        let window = &page[..floor_boundary(page, offset + 2 * MAX_FORMULA_BYTES)];
        let (end, behind) = tag::raw_end(window, offset, "annotation");
        if end == window.len() {
            return None;
        }
        Some(self.emit_formula(&entities::decoded_in_text(formula), behind))
    }

    /// Returns the formula that the image at `offset` shows; `None` if it shows none or is
    /// invisible.
    pub(super) fn formula_of_image(&self, offset: usize) -> Option<&'a str> {
        let tag = tag::read(self.page, offset + 1)?;
        let value = |name: &str| tag.get(name).unwrap_or_default();
        let mut words = value("class").split_ascii_whitespace();
        let is_formula = words.any(|word| word.starts_with(WIKIPEDIA_CLASS));
        let mut ways = ["hidden", "style"].into_iter();
        let gone = ways.any(|way| tag.get(way).is_some_and(|value| dom::hides(way, value)));
        tex(value("alt")).filter(|_| is_formula && !gone)
    }

    /// Emits a formula instead of what ends at `end`.
    pub(super) fn emit_formula(&mut self, formula: &str, end: usize) -> usize {
        self.tree
            .before_start("code", TagCategory::Plain, &mut self.out);
        if !self.tree.is_settled() {
            self.tree.before_content(false, &mut self.out);
        }
        self.out.start("code", &[]);
        self.out.push_characters(formula);
        self.out.end("code");
        end
    }
}

/// Returns the TeX of the annotation at `offset`. The search ends at the maximum length, because
/// another formula may search the same annotation.
fn annotated(page: &str, offset: usize, end: usize) -> Option<&str> {
    let limit = floor_boundary(page, end.min(offset + MAX_FORMULA_BYTES));
    let tag = tag::read(&page[..limit], offset + 1)?;
    let is_tex = matches!(
        tag.get("encoding").unwrap_or_default().trim(),
        "application/x-tex" | "TeX" | "LaTeX"
    );
    if !is_tex || tag.closed {
        return None;
    }
    let from = tag.end;
    let length = memmem::find(&page.as_bytes()[from..limit], b"</annotation")?;
    tex(&page[from..from + length])
}

fn is_hidden(tag: &XmlTag<'_>) -> bool {
    let hides = |name| {
        tag.attribute(name)
            .is_some_and(|value| dom::hides(name, &value))
    };
    ["hidden", "style", "aria-hidden"].into_iter().any(hides)
}

/// Returns a formula without its size command.
fn tex(source: &str) -> Option<&str> {
    let source = source.trim();
    let inner = ["{\\displaystyle", "{\\textstyle"]
        .iter()
        .find_map(|style| source.strip_prefix(style)?.strip_suffix('}'));
    let source = inner.unwrap_or(source).trim();
    (!source.is_empty() && source.len() <= MAX_FORMULA_BYTES).then_some(source)
}
