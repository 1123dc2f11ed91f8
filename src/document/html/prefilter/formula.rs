//! Formulas: as code in TeX, if the page has them in TeX, otherwise as one line built from their
//! elements. The plain text of those is a row of numbers and letters with another meaning.
//!
//! Rules: `MathML` Core, `annotation` and `alttext`; `MathJax`'s `script` elements; `KaTeX`'s
//! `katex-html`, which `aria-hidden` hides from screen readers alone; and images whose `alt` is
//! TeX, as Wikipedia's: visible, hidden from screen readers, with invisible elements for them.

use memchr::{memmem, memrchr};

use super::super::dom;
use super::start_tag::StartTag;
use super::{PageFilter, TagCategory, tag};
use crate::basics::words::floor_boundary;
use crate::document::formula::read_mathml;
use crate::document::office::xml::XmlTag;

/// Beginning of the class of Wikipedia's formula images.
const WIKIPEDIA: &str = "mwe-math-fallback-image";

/// Classes of other images whose `alt` may be a formula, and parts of the addresses of servers that
/// draw formulas.
const CLASSES: [&str; 5] = ["equation", "formula", "latex", "math", "tex"];
const SERVERS: [&str; 5] = [
    "latex.codecogs.com/",
    "/latex.php?",
    "/render/math?",
    "mathtex.cgi?",
    "mimetex.cgi?",
];

/// Attributes in which elements around a formula by `KaTeX` have its TeX.
const SOURCES: [&str; 3] = ["data-latex", "data-math", "data-tex"];

/// Maximum length of a formula, in bytes of the page.
const LONGEST: usize = 8 * 1024;

/// Maximum length of a preview and the start tag behind it, in bytes of the page.
const LONGEST_PREVIEW: usize = 1024;

/// A formula as it stands in the page, or without references.
pub(super) enum PageFormula<'a> {
    InPage(&'a str),
    Plain(String),
}

/// Offsets of the next matches, so that each is searched for once.
#[derive(Default)]
pub(super) struct FormulaLookahead {
    end: usize,
    annotation: usize,
    preview: usize,
    letters: usize,
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
    /// Returns the formula whose start tag is at `at`, and the offset behind it; `None` if its plain
    /// text says the same.
    pub(super) fn formula_within(
        &mut self,
        at: usize,
        start: &StartTag<'a>,
    ) -> Option<(PageFormula<'a>, usize)> {
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
            return Some((PageFormula::InPage(said), behind));
        }
        let mut said = None;
        tag::scan(page, at + 1 + start.name.len(), |attribute| {
            if attribute.name.eq_ignore_ascii_case("alttext") {
                said = said.or_else(|| tex(attribute.value));
            }
        })?;
        if let Some(said) = said {
            return Some((PageFormula::InPage(said), behind));
        }
        let elements = page.get(start.end..end)?;
        let formula = (elements.len() <= LONGEST).then(|| read_mathml(elements, is_hidden))??;
        Some((PageFormula::Plain(formula), behind))
    }

    /// Replaces the formula in the `script` at `at`, if it is one. `MathJax` has written those to
    /// which it gave an ID into the page.
    pub(super) fn replace_formula_script(
        &mut self,
        at: usize,
        start: &StartTag<'a>,
    ) -> Option<usize> {
        let page = self.page;
        let is_script = is_tex_script(&page[at..start.end]);
        let (end, behind) = is_script.then(|| self.raw_end(start.end, "script"))?;
        let said = page[start.end..end].trim();
        // As kramdown writes it.
        let said = said
            .strip_prefix("% <![CDATA[")
            .and_then(|said| said.strip_suffix("%]]>"))
            .unwrap_or(said);
        let formula = PageFormula::Plain(tex(said)?.to_owned());
        Some(self.emit_formula(&formula, behind))
    }

    /// Replaces an element with a formula as a script has typeset it.
    pub(super) fn replace_typeset(
        &mut self,
        at: usize,
        name: &str,
        start: &StartTag<'a>,
    ) -> Option<usize> {
        self.skip_preview(at, name, start)
            .or_else(|| self.show_letters(at, start))
    }

    /// Skips the preview of a formula from a `script` behind it.
    fn skip_preview(&mut self, at: usize, name: &str, start: &StartTag<'a>) -> Option<usize> {
        let page = self.page;
        if next(page, at, "MathJax_Preview", &mut self.ahead.preview) >= start.end {
            return None;
        }
        let window = &page[..floor_boundary(page, start.end + LONGEST_PREVIEW)];
        let (_, behind) = tag::raw_end(window, start.end, name);
        let script = window[behind..].trim_start();
        let is_script =
            script.starts_with("<script") && is_tex_script(&script[..tag::past(script, 0, b'>')]);
        is_script.then_some(behind)
    }

    /// Shows a formula by `KaTeX` that has no `MathML` before its letters: its TeX if one of the
    /// elements around has it, otherwise the letters.
    fn show_letters(&mut self, at: usize, start: &StartTag<'a>) -> Option<usize> {
        let page = self.page;
        if next(page, at, "katex-html", &mut self.ahead.letters) >= start.end {
            return None;
        }
        let (mut first, mut said) = (false, None);
        let mut from = at;
        for _ in 0..3 {
            let before = page[..from].trim_ascii_end();
            let window = &before.as_bytes()[before.len().saturating_sub(LONGEST)..];
            let Some(length) = memrchr(b'<', window).filter(|_| before.ends_with('>')) else {
                break;
            };
            from = before.len() - window.len() + length;
            if window.get(length + 1) == Some(&b'/') {
                break;
            }
            let start = tag::name_end(page, from + 1);
            let _ = tag::scan(&page[..at], start, |attribute| {
                let is = |name: &&str| attribute.name.eq_ignore_ascii_case(name);
                first |= is(&"class") && attribute.value.split(' ').any(|word| word == "katex");
                if SOURCES.iter().any(is) {
                    said = said.or_else(|| tex(attribute.value));
                }
            });
        }
        if !first {
            return None;
        }
        if let Some(said) = said {
            self.emit_formula(&PageFormula::InPage(said), at);
            return None;
        }
        self.tree.start_silent(start.name, TagCategory::Plain);
        Some(start.end)
    }

    /// Replaces an annotation in TeX whose formula is missing.
    pub(super) fn replace_annotation(&mut self, at: usize) -> Option<usize> {
        let page = self.page;
        let formula = annotated(page, at, page.len())?;
        let window = &page[..floor_boundary(page, at + 2 * LONGEST)];
        let (end, behind) = tag::raw_end(window, at, "annotation");
        if end == window.len() {
            return None;
        }
        Some(self.emit_formula(&PageFormula::InPage(formula), behind))
    }

    /// Returns the formula that the image at `at` shows; `None` if it shows none or is invisible.
    pub(super) fn formula_of_image(&self, at: usize) -> Option<&'a str> {
        let (mut said, mut gone) = (None, false);
        let (mut surely, mut maybe) = (false, false);
        tag::scan(self.page, at + 1 + "img".len(), |attribute| {
            let value = attribute.value;
            let is = |name: &str| attribute.name.eq_ignore_ascii_case(name);
            if is("alt") {
                said = said.or_else(|| tex(value));
            } else if is("src") {
                maybe |= SERVERS.iter().any(|part| value.contains(part));
            } else if is("class") {
                let mut words = value.split_ascii_whitespace();
                surely |= words.clone().any(|word| word.starts_with(WIKIPEDIA));
                maybe |= words.any(|word| CLASSES.contains(&word));
            } else if is("hidden") {
                gone |= dom::hides("hidden", value);
            } else if is("style") {
                gone |= dom::hides("style", value);
            }
        })?;
        let is_tex = |said: &str| surely || (maybe && said.contains(['\\', '^', '_', '=']));
        said.filter(|said| !gone && is_tex(said))
    }

    /// Emits a formula instead of what ends at `end`.
    pub(super) fn emit_formula(&mut self, formula: &PageFormula<'a>, end: usize) -> usize {
        self.tree
            .before_start("code", TagCategory::Plain, &mut self.out);
        if !self.tree.is_settled() {
            self.tree.before_content(false, &mut self.out);
        }
        self.out.start("code", &[]);
        match formula {
            PageFormula::InPage(formula) => self.out.push_text(formula),
            PageFormula::Plain(formula) => self.out.push_characters(formula),
        }
        self.out.end("code");
        end
    }
}

/// True for the start tag of a `script` with a formula that `MathJax` has not yet written into the
/// page.
fn is_tex_script(tag: &str) -> bool {
    tag.contains("math/tex") && !tag.contains("MathJax-Element")
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
