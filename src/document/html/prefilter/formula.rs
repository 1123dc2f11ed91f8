//! Formulas: as code in TeX, if the page has them in TeX, otherwise as one line built from their
//! elements. The plain text of those is a row of numbers and letters with another meaning.
//!
//! Rules: `MathML` Core, `annotation` and `alttext`; and Wikipedia's formulas: a visible image that
//! is hidden from screen readers, and invisible elements for them.

use std::borrow::Cow;

use memchr::memmem;

use super::super::dom;
use super::{PageFilter, TagCategory, tag, xml};
use crate::basics::words::floor_boundary;
use crate::document::formula::read_mathml;
use crate::document::office::xml::XmlTag;

/// Class of formula images whose `alt` is the formula.
pub(super) const IMAGE: &[u8] = b"mwe-math-fallback-image";

/// Maximum length of a formula, in bytes of the page.
const LONGEST: usize = 8 * 1024;

/// Offsets of the next matches, so that each is searched for once.
#[derive(Default)]
pub(super) struct FormulaLookahead {
    end: usize,
    annotation: usize,
}

/// Returns the first offset of `word` from `from` on; the page's end if there is none.
fn next(page: &str, from: usize, word: &str, known: &mut usize) -> usize {
    if *known < from {
        let found = memmem::find(&page.as_bytes()[from..], word.as_bytes());
        *known = found.map_or(page.len(), |length| from + length);
    }
    *known
}

impl<'a> PageFilter<'a> {
    /// Returns the formula whose start tag is at `at`, escaped as in a page, and the offset behind
    /// it; `None` if its plain text says the same.
    pub(super) fn formula_within(
        &mut self,
        at: usize,
        start: &tag::HtmlTag<'a>,
    ) -> Option<(Cow<'a, str>, usize)> {
        let page = self.page;
        let end = next(page, start.end, "</math>", &mut self.ahead.end);
        if end == page.len() || start.closed {
            return None;
        }
        let behind = end + "</math>".len();
        let annotation = next(page, start.end, "<annotation", &mut self.ahead.annotation);
        if annotation < end
            && let Some(said) = annotated(page, annotation, end)
        {
            return Some((said.into(), behind));
        }
        let mut said = None;
        tag::scan(page, at + 1 + start.name.len(), |attribute| {
            if attribute.name.eq_ignore_ascii_case("alttext") {
                said = said.or_else(|| tex(attribute.value));
            }
        })?;
        if let Some(said) = said {
            return Some((said.into(), behind));
        }
        let elements = page.get(start.end..end)?;
        let formula = (elements.len() <= LONGEST).then(|| read_mathml(elements, is_hidden))??;
        let mut escaped = String::new();
        xml::escape(&formula, &mut escaped);
        Some((escaped.into(), behind))
    }

    /// Returns the formula that the image at `at` shows; `None` if it is invisible.
    pub(super) fn formula_of_image(&self, at: usize) -> Option<&'a str> {
        let (mut said, mut gone) = (None, false);
        tag::scan(self.page, at + 1 + "img".len(), |attribute| {
            let name = attribute.name.to_ascii_lowercase();
            match &*name {
                "alt" => said = said.or_else(|| tex(attribute.value)),
                "hidden" | "style" => gone |= dom::hides(&name, attribute.value),
                _ => {}
            }
        })?;
        said.filter(|_| !gone)
    }

    /// Replaces the page from `at` to `end` by a formula.
    pub(super) fn write_formula(&mut self, at: usize, formula: &str, end: usize) -> usize {
        let mut fixes = String::new();
        self.tree
            .before_start("code", TagCategory::Plain, &mut fixes);
        if !self.tree.is_settled() {
            self.tree.before_content(false, &mut fixes);
        }
        self.insert_fixes(at, &fixes);
        self.replace(at, at, "<code>");
        self.out.push_str(&formula.replace('<', "&lt;"));
        self.out.push_str("</code>");
        self.copied = end;
        end
    }
}

/// Returns the TeX of the annotation at `at`. The search ends at the maximum length, because
/// another formula may search the same annotation.
fn annotated(page: &str, at: usize, end: usize) -> Option<&str> {
    let most = floor_boundary(page, end.min(at + LONGEST));
    let mut is_tex = false;
    let (from, closed) = tag::scan(&page[..most], at + "<annotation".len(), |attribute| {
        is_tex |= attribute.name.eq_ignore_ascii_case("encoding")
            && matches!(
                attribute.value.trim(),
                "application/x-tex" | "TeX" | "LaTeX"
            );
    })?;
    if !is_tex || closed {
        return None;
    }
    let length = memmem::find(&page.as_bytes()[from..most], b"</annotation")?;
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
fn tex(said: &str) -> Option<&str> {
    let said = said.trim();
    let inner = ["{\\displaystyle", "{\\textstyle"]
        .iter()
        .find_map(|style| said.strip_prefix(style)?.strip_suffix('}'));
    let said = inner.unwrap_or(said).trim();
    (!said.is_empty() && said.len() <= LONGEST).then_some(said)
}
