//! The conversion of pages: the steps of reading and writing, each with its share of the time.

use std::time::Instant;

use url::Url;

use crate::prefilter::WantedContent;
use crate::source::{ConvertedPage, HtmlSource, PageSyntax, StageDeadlines};
use crate::{fallback_content, framed, main_content, math_prefix};
use iki_markdown::document::{Document, DocumentCuts};
use iki_markdown::writer;

/// Converts an HTML page that was found at `base`. Every page has a conversion; the time it takes
/// is proportional to the page's length, and so is the memory, up to 160 MiB.
///
/// # Panics
/// Where the page's parser does, which
/// [`catch_reader_panic`](iki_markdown::reader_panics::catch_reader_panic) makes an error:
///
/// ```
/// use iki_html::convert;
/// use iki_markdown::reader_panics::catch_reader_panic;
///
/// let base = url::Url::parse("https://example.org/").unwrap();
/// let page = catch_reader_panic(|| convert("<p>Steep <b>two</b> minutes", &base));
/// assert_eq!(page.map(|page| page.markdown).ok().as_deref(), Some("Steep **two** minutes"));
/// ```
#[must_use]
pub fn convert(page: &str, base: &Url) -> Document {
    convert_from(page, base, PageSyntax::Html, None)
}

/// Converts a page that was served as XHTML, so that `<div/>` is empty and CDATA is text; otherwise
/// like [`convert`]. The page need not be well-formed.
#[must_use]
pub fn convert_xhtml(page: &str, base: &Url) -> Document {
    convert_from(page, base, PageSyntax::Xml, None)
}

/// Converts as much of a page as there is time for until `end`, and says in [`Document::cuts`] what
/// is missing; `xhtml` is true if it was served as XHTML. Otherwise like [`convert`].
#[must_use]
pub fn convert_until(page: &str, base: &Url, xhtml: bool, end: Instant) -> Document {
    convert_from(page, base, syntax_of(xhtml), Some(end))
}

/// Returns the title of a page and the first `limit` bytes or so of its text, without Markdown.
#[must_use]
pub fn plain_beginning(page: &str, base: &Url, limit: usize, end: Instant) -> (String, String) {
    let read = read(page, base, PageSyntax::Html, step_deadlines(Some(end)));
    (read.model.title.clone(), read.model.beginning(limit))
}

/// Extent to which the main content of a page was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MainContentCertainty {
    /// All of it, with high confidence.
    Complete,
    /// Perhaps not all of it.
    Partial,
    /// The whole page, because there was no main content to speak of, or no time or memory to look
    /// for it.
    Whole,
}

/// Converts the main content of a page: the article, thread, product, listing or chapter, without
/// navigation, header, footer, sidebars and the like. A page without such content is converted
/// whole. Otherwise like [`convert_until`]; without `end` there is no time limit.
#[must_use]
pub fn convert_main_until(
    page: &str,
    base: &Url,
    xhtml: bool,
    end: Option<Instant>,
) -> (Document, MainContentCertainty) {
    let syntax = syntax_of(xhtml);
    let start = Instant::now();
    // Half of the time, which leaves as much for the whole page.
    let half = end.map(|end| start + end.saturating_duration_since(start) / 2);
    if let Some((read, sure)) = read_main(page, base, syntax, step_deadlines(half)) {
        let certainty = if sure {
            MainContentCertainty::Complete
        } else {
            MainContentCertainty::Partial
        };
        return (write_page(read, page.len(), end), certainty);
    }
    (
        convert_from(page, base, syntax, end),
        MainContentCertainty::Whole,
    )
}

/// Returns the address to which a `Refresh` header of a page found at `base` leads.
#[must_use]
pub fn refresh_target(content: &str, base: &Url) -> Option<Url> {
    let target = base.join(fallback_content::refresh_target(content)?).ok()?;
    (target != *base).then_some(target)
}

/// Reads the page found at `base`, within its bounds of memory and time.
#[must_use]
pub fn read(page: &str, base: &Url, syntax: PageSyntax, ends: StageDeadlines) -> ConvertedPage {
    let page = math_prefix::remove_prefixes(page);
    let source = HtmlSource {
        page: &framed::inline_frames(&page),
        base,
        syntax,
        ends,
    };
    let tree = source.parse(WantedContent::Shown);
    let (model, cuts) = source.walk(&tree);
    if cuts != DocumentCuts::default()
        || model.count_letters(fallback_content::EMPTY_PAGE_LETTERS)
            == fallback_content::EMPTY_PAGE_LETTERS
    {
        return ConvertedPage {
            model,
            cuts,
            ..ConvertedPage::default()
        };
    }
    fallback_content::convert_with_fallback(&source, tree, model)
}

/// Reads the main content of the page found at `base`. The flag is true if the choice is surely
/// complete; `None` if there is no main content of a useful length.
pub fn read_main(
    page: &str,
    base: &Url,
    syntax: PageSyntax,
    ends: StageDeadlines,
) -> Option<(ConvertedPage, bool)> {
    main_content::read(&HtmlSource {
        page: &framed::inline_frames(&math_prefix::remove_prefixes(page)),
        base,
        syntax,
        ends,
    })
}

fn syntax_of(xhtml: bool) -> PageSyntax {
    if xhtml {
        PageSyntax::Xml
    } else {
        PageSyntax::Html
    }
}

fn convert_from(page: &str, base: &Url, syntax: PageSyntax, end: Option<Instant>) -> Document {
    write_page(
        read(page, base, syntax, step_deadlines(end)),
        page.len(),
        end,
    )
}

/// Deadlines of the steps, each leaving time for those after it.
fn step_deadlines(end: Option<Instant>) -> StageDeadlines {
    let start = Instant::now();
    let part =
        |eighths: u32| end.map(|end| start + end.saturating_duration_since(start) * eighths / 8);
    StageDeadlines {
        parse: part(5),
        walk: part(6),
    }
}

fn write_page(mut read: ConvertedPage, length: usize, end: Option<Instant>) -> Document {
    let title = std::mem::take(&mut read.model.title);
    let (mut markdown, cut_by_writer, section) =
        writer::write_with_section(&read.model, length, end);
    let mut start = None;
    if let Some(remark) = read.remark {
        start = Some(markdown.len());
        if !markdown.is_empty() {
            markdown.push_str("\n\n");
        }
        markdown.push_str(&writer::write(&remark, length, end).0);
    }
    let document = Document {
        title,
        markdown,
        remark: start,
        is_silent: start.is_some() && !read.has_text_beside,
        is_from_data: read.is_from_data,
        is_of_frames: read.is_of_frames,
        refresh: read.refresh,
        section,
        omitted: read.omitted,
        ..Document::default()
    };
    document.cut(read.cuts.and(cut_by_writer))
}
