//! Reads a page and emits the tokens of its tree. A hostile page can make its tree cost far more
//! than its length; one pass over its tags prevents that, and leaves out what the conversion does
//! not use.
//!
//! Rules: HTML Living Standard, "Parsing HTML documents". Scripts, styles, comments and the like
//! are left out here, so that no later stage can take their text for the page's.

use std::time::Instant;

use html2md::RcDom;
use memchr::{memchr, memmem};

mod category;
pub(super) mod content_hints;
mod controls;
mod end_tag;
mod foreign;
mod formula;
mod icon_cell;
mod line_numbers;
pub(super) mod media;
mod raw_text;
mod shadow_root;
mod start_tag;
mod text_paint;
mod tree;
mod used_attributes;
pub(super) mod visibility;
pub(crate) mod xml;

use super::reveal::HiddenElements;
use super::source::{HtmlSource, PageSyntax};
use super::tokens::TokenEmitter;
use super::{dom, react_streaming, tag, unseen_text};
use category::{TagCategory, category_of};
pub(super) use controls::BOX_SPACE;
use iki_markdown::document::DocumentCuts;
use iki_markdown::limits::StepClock;
pub(super) use line_numbers::is_line_number_class;
use tree::{ElementStack, EndTagOutcome};
pub(super) use used_attributes::leads_to_neighbour;

/// The content that is wanted of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WantedContent {
    /// The content that a browser shows.
    Shown,
    /// The same in a browser without scripts or frames.
    Scriptless,
    /// The content that a browser shows, with the navigation.
    Navigation,
    /// Everything that may be content, with the naming attributes of elements.
    All,
}

/// Builds the tree of a page without costly or useless content, until its deadline has passed or
/// its tree is too large.
pub(super) fn build(
    source: &HtmlSource<'_>,
    wanted: WantedContent,
) -> (RcDom, HiddenElements, DocumentCuts) {
    let mut filter = PageFilter::new(source, wanted);
    let cuts = filter.run(source.ends.parse);
    let is_streamed = filter.is_streamed;
    let (tree, mut veil) = filter.out.finish();
    if is_streamed {
        react_streaming::assemble(source.page, &tree);
    }
    if veil.dims {
        veil.hidden.extend(unseen_text::hide(&tree));
    }
    (tree, veil, cuts)
}

#[allow(clippy::struct_excessive_bools, reason = "each is asked by itself")]
struct PageFilter<'a> {
    page: &'a str,
    /// The ID of the part that the page's address names.
    section: Option<String>,
    xml: bool,
    /// True for a part of a file, next to which nothing has an address.
    in_book: bool,
    wanted: WantedContent,
    /// True if everything that may be content is kept, with naming attributes.
    keeps_all: bool,
    /// True if React may have streamed parts of it late.
    is_streamed: bool,
    out: TokenEmitter,
    tree: ElementStack<'a>,
    /// Byte offset of the end of the last `noscript`, where all that is in it ends in a browser.
    noscript: usize,
    /// Number of open `svg` and `math` elements.
    foreign: usize,
    /// Byte offset of the `picture` whose image comes next.
    picture: Option<usize>,
    /// True if the foreign element around shows text.
    draws_text: bool,
    hidden_foreign: Option<foreign::HiddenForeign<'a>>,
    /// The paint of a drawing's text.
    paint: text_paint::PaintStack<'a>,
    /// True at the beginning of a line, where whitespace has no meaning.
    is_at_line_start: bool,
    /// True after an element whose text may be invisible: from then on, styles that make text
    /// visible again are kept.
    may_be_dim: bool,
    /// Names of media elements without an end tag in the rest of the page.
    endless: Vec<&'a str>,
    /// Offsets of the end and the TeX of the next formula.
    ahead: formula::FormulaLookahead,
}

impl<'a> PageFilter<'a> {
    fn new(source: &HtmlSource<'a>, wanted: WantedContent) -> Self {
        let page = source.page;
        Self {
            page,
            section: dom::section_id(source.base),
            xml: source.syntax == PageSyntax::Xml,
            in_book: source.base.scheme() == "epub",
            wanted,
            keeps_all: wanted == WantedContent::All,
            is_streamed: react_streaming::is_streamed(page),
            out: TokenEmitter::new(),
            picture: None,
            tree: ElementStack::new(page.len()),
            noscript: 0,
            foreign: 0,
            draws_text: false,
            hidden_foreign: None,
            paint: text_paint::PaintStack::default(),
            is_at_line_start: false,
            may_be_dim: false,
            endless: Vec::new(),
            ahead: formula::FormulaLookahead::default(),
        }
    }

    /// Reads the page until a bound is reached.
    fn run(&mut self, end: Option<Instant>) -> DocumentCuts {
        let bytes = self.page.as_bytes();
        let mut cuts = DocumentCuts::default();
        // A byte order mark is not text.
        let mut offset = if self.page.starts_with('\u{feff}') {
            3
        } else {
            0
        };
        let mut clock = StepClock::new(end);
        while offset < bytes.len() && !cuts.memory && !cuts.time {
            let open = memchr(b'<', &bytes[offset..]).map_or(bytes.len(), |length| offset + length);
            if open > offset {
                self.pass_text(offset, open);
            }
            offset = if open < bytes.len() {
                self.read_markup(open)
            } else {
                open
            };
            cuts.memory = self.out.is_full();
            cuts.time = clock.is_past() && offset < bytes.len();
        }
        cuts
    }

    fn pass_text(&mut self, from: usize, to: usize) {
        if self.is_undrawn() {
            return;
        }
        let page = self.page;
        let text = &page[from..to];
        if self.is_at_line_start {
            if text.bytes().all(|byte| byte.is_ascii_whitespace()) {
                return;
            }
            self.is_at_line_start = false;
        }
        self.prepare_content(text);
        self.out.push_text(text);
    }

    /// True within foreign content whose text is not shown.
    fn is_undrawn(&self) -> bool {
        let is_unseen = !self.draws_text || self.paint.hides_text();
        self.foreign > 0 && (is_unseen || self.hidden_foreign.is_some())
    }

    /// Notes if a line begins after the start or the end of an element. Most texts of a page are
    /// whitespace there, and each would be a node.
    fn note_line_start(&mut self, category: TagCategory, name: &str, seen: bool) {
        self.is_at_line_start =
            seen && !self.tree.is_verbatim() && !self.xml && is_line(category, name);
    }

    /// Prepares the tree for `text`.
    fn prepare_content(&mut self, text: &str) {
        if !self.tree.is_settled() && !text.trim_ascii().is_empty() {
            self.tree.before_content(false, &mut self.out);
        }
    }

    /// Reads the markup that begins with the `<` at `offset`; returns the offset after it.
    fn read_markup(&mut self, offset: usize) -> usize {
        let page = self.page;
        let bytes = page.as_bytes();
        match bytes.get(offset + 1) {
            Some(byte) if byte.is_ascii_alphabetic() => self.start_tag(offset),
            Some(b'/') => match bytes.get(offset + 2) {
                Some(byte) if byte.is_ascii_alphabetic() => self.end_tag(offset),
                Some(_) => tag::past(page, offset + 2, b'>'),
                None => {
                    self.out.push_text(&page[offset..]);
                    bytes.len()
                }
            },
            Some(b'!') => {
                if let Some((text, end)) = self.xml.then(|| xml::section(page, offset)).flatten() {
                    if !self.is_undrawn() {
                        self.prepare_content(text);
                        self.out.push_characters(text);
                    }
                    return end;
                }
                let declaration = &bytes[offset + 2..];
                if declaration.starts_with(b"--") {
                    let end = tag::comment_end(page, offset + 4);
                    if self.is_streamed && self.foreign == 0 {
                        self.pass_boundary(&page[offset..end]);
                    }
                    return end;
                }
                if self.foreign > 0 && declaration.starts_with(b"[CDATA[") {
                    return memmem::find(declaration, b"]]>")
                        .map_or(bytes.len(), |length| offset + 2 + length + 3);
                }
                let doctype = declaration
                    .get(..7)
                    .is_some_and(|word| word.eq_ignore_ascii_case(b"doctype"));
                if self.xml && doctype {
                    self.out.push_doctype("<!DOCTYPE html>");
                    return xml::doctype_end(page, offset + 2);
                }
                let end = tag::past(page, offset + 2, b'>');
                if doctype {
                    self.out.push_doctype(&page[offset..end]);
                }
                end
            }
            Some(b'?') if self.xml => xml::instruction_end(page, offset + 2),
            Some(b'?') => tag::past(page, offset + 2, b'>'),
            _ => {
                self.pass_text(offset, offset + 1);
                offset + 1
            }
        }
    }

    /// Emits a comment that marks content which React streams late.
    fn pass_boundary(&mut self, comment: &str) {
        let text = comment.strip_prefix("<!--");
        let text = text.and_then(|text| text.strip_suffix("-->"));
        if let Some(text) = text.filter(|text| react_streaming::is_boundary(text)) {
            self.out.push_comment(text);
        }
    }

    fn category_of(&self, name: &str) -> TagCategory {
        let is_shown = match self.wanted {
            WantedContent::Shown => false,
            WantedContent::Scriptless => matches!(name, "noscript" | "noframes"),
            WantedContent::Navigation => name == "nav",
            WantedContent::All => matches!(name, "noscript" | "nav"),
        };
        if is_shown {
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
        TagCategory::Form | TagCategory::Rule | TagCategory::Xmp => false,
        TagCategory::Block => !matches!(name, "nav" | "pre" | "listing"),
        TagCategory::Table => true,
        category => category.ends_paragraph() || category.is_table_part(),
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
        dom::MEDIA_ELEMENT => "x-own",
        _ => return None,
    })
}

/// Returns the name of the element that a component of AMP stands for.
fn name_without_prefix(name: &str) -> &str {
    match name {
        "amp-img" | "amp-anim" => "img",
        "amp-video" => "video",
        "amp-audio" => "audio",
        "amp-iframe" => "iframe",
        name => name,
    }
}

/// Length of the longest name with a meaning here, in bytes.
const MAX_KNOWN_NAME_BYTES: usize = 16;

/// Returns `name` in lower case, or `-` if it is too long to have a meaning. Matching end tags to
/// start tags takes the whole name instead.
fn known_name<'b, const N: usize>(name: &str, space: &'b mut [u8; N]) -> &'b str {
    let Some(space) = space.get_mut(..name.len()) else {
        return "-";
    };
    space.copy_from_slice(name.as_bytes());
    space.make_ascii_lowercase();
    std::str::from_utf8(space).unwrap_or("-")
}

#[cfg(test)]
mod tests;
