//! A paragraph's text: words beside one another, looks, links; hyphens at the ends of lines.

use std::collections::HashSet;

use super::super::layout::{LinePiece, TextLine};
use super::PageText;
use crate::document::model::{ModelBuilder, NodeContent, TextSlice};

/// The fewest dots that lead from a title to its page.
const LEADER: usize = 4;

/// How a stretch of text is set off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct SpanStyle {
    bold: bool,
    italic: bool,
    code: bool,
    link: Option<u32>,
}

/// What stands before what is written next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum WordGap {
    None,
    Blank,
    /// The line before it ends for good.
    Line,
}

/// What a document's text is written with.
pub(in super::super) struct TextContext<'a> {
    pub(in super::super) pages: &'a [PageText],
    pub(in super::super) links: &'a [String],
    /// Words that have a hyphen within a line, in lower case.
    pub(in super::super) hyphenated: &'a HashSet<String>,
    /// Whether monospaced text is nothing special.
    pub(in super::super) mono: bool,
}

/// The words that have a hyphen within a line.
pub(in super::super) fn hyphenated(pages: &[PageText]) -> HashSet<String> {
    let mut words = HashSet::new();
    for page in pages {
        if memchr::memchr(b'-', page.text.as_bytes()).is_none() {
            continue;
        }
        for line in page.regions.iter().flat_map(super::lines_of) {
            for piece in &line.pieces {
                let text = bare(piece.text(&page.text));
                if text.get(1..).is_some_and(|rest| rest.contains('-')) {
                    words.insert(text.to_lowercase());
                }
            }
        }
    }
    words
}

/// A word without what stands around it.
fn bare(word: &str) -> &str {
    word.trim_matches(|letter: char| !letter.is_alphanumeric())
}

/// Writes a paragraph's text into a builder.
pub(in super::super) struct ParagraphTextWriter<'a, 'b> {
    context: &'a TextContext<'a>,
    builder: &'b mut ModelBuilder,
    /// Whether it is bold anyway, as a heading is.
    heading: bool,
    style: SpanStyle,
    text: String,
    gap: WordGap,
    written: bool,
    leading: bool,
}

impl<'a, 'b> ParagraphTextWriter<'a, 'b> {
    pub(in super::super) fn new(
        context: &'a TextContext<'a>,
        builder: &'b mut ModelBuilder,
        heading: bool,
    ) -> Self {
        Self {
            context,
            builder,
            heading,
            style: SpanStyle::default(),
            text: String::new(),
            gap: WordGap::None,
            written: false,
            leading: false,
        }
    }

    /// Adds a line without its first `skip` pieces; `hard` says whether the line before it ends for
    /// good.
    pub(in super::super) fn line(&mut self, page: usize, line: &TextLine, skip: usize, hard: bool) {
        let pieces = line.pieces.get(skip..).unwrap_or_default();
        let pool = self.context.pages.get(page).map_or("", |page| &page.text);
        if self.written {
            let next = pieces.first().map_or("", |piece| piece.text(pool));
            if hard && !self.heading {
                self.gap = WordGap::Line;
            } else if !self.join_hyphen(next) && !is_unspaced(&self.text, next) {
                self.gap = WordGap::Blank;
            }
        }
        for (at, piece) in pieces.iter().enumerate() {
            self.piece(piece, pool, at > 0);
        }
    }

    /// Whether the next line goes on where this one ends, within a word.
    fn join_hyphen(&mut self, next: &str) -> bool {
        let Some(word) = self.text.strip_suffix(['-', '\u{2010}']) else {
            return false;
        };
        let first = next.chars().next().unwrap_or(' ');
        if !word.ends_with(char::is_alphabetic) {
            return word.ends_with(char::is_alphanumeric) && first.is_alphanumeric();
        }
        if !first.is_alphanumeric() {
            return false;
        }
        if !first.is_lowercase() {
            return true;
        }
        let start = word.rfind(char::is_whitespace).map_or(0, |at| at + 1);
        let head = word[start..].trim_start_matches(|letter: char| !letter.is_alphanumeric());
        let whole = format!("{head}-{}", bare(next)).to_lowercase();
        if !self.context.hyphenated.contains(&whole) {
            let length = word.len();
            self.text.truncate(length);
        }
        true
    }

    fn piece(&mut self, piece: &LinePiece, pool: &str, within: bool) {
        let text = piece.text(pool);
        if within && piece.blank {
            self.gap = self.gap.max(WordGap::Blank);
        }
        let dots = text.bytes().all(|byte| byte == b'.');
        if dots
            && (text.len() >= LEADER || self.leading || within && text.len() == 1 && piece.blank)
        {
            // Dots that lead from a title to its page.
            if !self.leading {
                self.leading = true;
                self.push(SpanStyle { ..self.style }, "\u{2026}");
            }
            self.gap = self.gap.max(WordGap::Blank);
            return;
        }
        self.leading = false;
        let mut style = SpanStyle {
            bold: piece.look.bold && !self.heading,
            italic: piece.look.italic,
            code: piece.look.mono && !self.context.mono && !self.heading,
            link: piece.link,
        };
        let has_letters = text.chars().any(char::is_alphanumeric);
        if piece.raised || !has_letters && self.written && style.link == self.style.link {
            // What is raised, and what stands between words, is set off with what is before it.
            (style.bold, style.italic) = (self.style.bold, self.style.italic);
            style.code = self.style.code;
        }
        match text.find("....") {
            Some(at) => {
                let rest = text[at..].trim_start_matches('.');
                self.push(style, &text[..at]);
                self.gap = self.gap.max(WordGap::Blank);
                self.push(style, "\u{2026}");
                self.gap = self.gap.max(WordGap::Blank);
                self.push(style, rest);
            }
            None => self.push(style, text),
        }
    }

    fn push(&mut self, style: SpanStyle, text: &str) {
        if text.is_empty() {
            return;
        }
        if self.gap == WordGap::Line || self.style != style {
            self.flush();
        }
        if self.gap == WordGap::Line {
            self.builder.add(NodeContent::Break);
        } else if self.gap == WordGap::Blank && self.written {
            if self.text.is_empty() {
                self.plain(" ");
            } else {
                self.text.push(' ');
            }
        }
        self.gap = WordGap::None;
        self.style = style;
        self.text.push_str(text);
        self.written = true;
    }

    fn plain(&mut self, text: &str) {
        let text = self.builder.keep(text);
        self.builder.add(NodeContent::Text(text));
    }

    /// Writes what is set off in one way.
    fn flush(&mut self) {
        if self.text.is_empty() {
            return;
        }
        let style = self.style;
        let mut open = 0;
        let links = self.context.links;
        if let Some(address) = style.link.and_then(|link| links.get(link as usize)) {
            let address = self.builder.keep_address(None, address);
            let title = TextSlice::default();
            self.builder.open(NodeContent::Link { address, title });
            open += 1;
        }
        for (content, is) in [
            (NodeContent::Strong, style.bold),
            (NodeContent::Emphasis, style.italic && !style.code),
        ] {
            if is {
                self.builder.open(content);
                open += 1;
            }
        }
        let text = self.builder.keep(&self.text);
        self.builder.count_source(self.text.len());
        self.builder.add(if style.code {
            NodeContent::Code(text)
        } else {
            NodeContent::Text(text)
        });
        for _ in 0..open {
            self.builder.close();
        }
        self.text.clear();
    }

    /// Ends the paragraph.
    pub(in super::super) fn end(mut self) {
        self.flush();
    }
}

/// Whether two lines meet in a script that sets no blanks between words.
fn is_unspaced(before: &str, next: &str) -> bool {
    let unspaced = |letter: char| {
        matches!(letter, '\u{3000}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
            | '\u{ff00}'..='\u{ffef}' | '\u{20000}'..='\u{3ffff}')
    };
    before.chars().next_back().is_some_and(unspaced) && next.chars().next().is_some_and(unspaced)
}
