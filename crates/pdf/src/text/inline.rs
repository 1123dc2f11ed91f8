//! Writes a paragraph's text: words, styles, links; hyphens at the ends of lines.

use std::collections::HashSet;

use super::super::layout::{LinePiece, PageRegion, TextLine};
use super::PageText;
use iki_markdown::model::{ModelBuilder, NodeContent, TextSlice};

/// Minimum number of dots of a leader from a title to its page.
const MIN_LEADER_DOTS: usize = 4;

/// The style of a stretch of text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct SpanStyle {
    bold: bool,
    italic: bool,
    code: bool,
    link: Option<u32>,
}

/// The gap before the text that is written next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum WordGap {
    None,
    Blank,
    /// The line before it ends with a hard break.
    Line,
}

/// The document that paragraphs are part of.
pub(in super::super) struct TextContext<'a> {
    pub(in super::super) pages: &'a [PageText],
    pub(in super::super) links: &'a [String],
    /// Words with a hyphen inside a line, in lower case.
    pub(in super::super) hyphenated: &'a HashSet<String>,
    /// True if the document is monospaced, so that the font does not mark code.
    pub(in super::super) mono: bool,
}

impl<'a> TextContext<'a> {
    /// Returns the text that the lines of a page refer to.
    pub(in super::super) fn pool(&self, page: usize) -> &'a str {
        self.pages.get(page).map_or("", |page| &page.text)
    }
}

/// Collects the words with a hyphen inside a line, in lower case.
pub(in super::super) fn hyphenated_words(pages: &[PageText]) -> HashSet<String> {
    let mut words = HashSet::new();
    for page in pages {
        if memchr::memchr(b'-', page.text.as_bytes()).is_none() {
            continue;
        }
        for line in page.regions.iter().flat_map(PageRegion::lines) {
            for piece in &line.pieces {
                let text = trim_punctuation(piece.text(&page.text));
                if text.get(1..).is_some_and(|tail| tail.contains('-')) {
                    words.insert(text.to_lowercase());
                }
            }
        }
    }
    words
}

/// Returns a word without the punctuation around it.
fn trim_punctuation(word: &str) -> &str {
    word.trim_matches(|letter: char| !letter.is_alphanumeric())
}

pub(in super::super) struct ParagraphTextWriter<'a, 'b> {
    context: &'a TextContext<'a>,
    builder: &'b mut ModelBuilder,
    /// True for a heading, which is bold anyway.
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

    /// Adds a line without its first `skip` pieces; `hard` is true if the line before it ends with
    /// a hard break.
    pub(in super::super) fn add_line(
        &mut self,
        page: usize,
        line: &TextLine,
        skip: usize,
        hard: bool,
    ) {
        let pieces = line.pieces.get(skip..).unwrap_or_default();
        let pool = self.context.pool(page);
        if self.written {
            let next = pieces.first().map_or("", |piece| piece.text(pool));
            if hard && !self.heading {
                self.gap = WordGap::Line;
            } else if !self.join_hyphen(next) && !is_unspaced(&self.text, next) {
                self.gap = WordGap::Blank;
            }
        }
        for (index, piece) in pieces.iter().enumerate() {
            self.add_piece(piece, pool, index > 0);
        }
    }

    /// Returns true if the next line continues the word that this one ends with.
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
        let start = word.rfind(char::is_whitespace).map_or(0, |blank| blank + 1);
        let head = word[start..].trim_start_matches(|letter: char| !letter.is_alphanumeric());
        let whole = format!("{head}-{}", trim_punctuation(next)).to_lowercase();
        if !self.context.hyphenated.contains(&whole) {
            let length = word.len();
            self.text.truncate(length);
        }
        true
    }

    fn add_piece(&mut self, piece: &LinePiece, pool: &str, within: bool) {
        let text = piece.text(pool);
        if within && piece.blank {
            self.gap = self.gap.max(WordGap::Blank);
        }
        let dots = text.bytes().all(|byte| byte == b'.');
        if dots
            && (text.len() >= MIN_LEADER_DOTS
                || self.leading
                || within && text.len() == 1 && piece.blank)
        {
            // A leader from a title to its page.
            if !self.leading {
                self.leading = true;
                self.push_text(self.style, "\u{2026}");
            }
            self.gap = self.gap.max(WordGap::Blank);
            return;
        }
        self.leading = false;
        let mut style = SpanStyle {
            bold: piece.style.bold && !self.heading,
            italic: piece.style.italic,
            code: piece.style.mono && !self.context.mono && !self.heading,
            link: piece.link,
        };
        let has_letters = text.chars().any(char::is_alphanumeric);
        if piece.raised || !has_letters && self.written && style.link == self.style.link {
            // Raised text and punctuation between words have the style of the text before them.
            (style.bold, style.italic) = (self.style.bold, self.style.italic);
            style.code = self.style.code;
        }
        match text.find("....") {
            Some(dots_start) => {
                let behind = text[dots_start..].trim_start_matches('.');
                self.push_text(style, &text[..dots_start]);
                self.gap = self.gap.max(WordGap::Blank);
                self.push_text(style, "\u{2026}");
                self.gap = self.gap.max(WordGap::Blank);
                self.push_text(style, behind);
            }
            None => self.push_text(style, text),
        }
    }

    fn push_text(&mut self, style: SpanStyle, text: &str) {
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
                self.write_plain(" ");
            } else {
                self.text.push(' ');
            }
        }
        self.gap = WordGap::None;
        self.style = style;
        self.text.push_str(text);
        self.written = true;
    }

    fn write_plain(&mut self, text: &str) {
        let text = self.builder.keep(text);
        self.builder.add(NodeContent::Text(text));
    }

    /// Writes the text of one style.
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

    pub(in super::super) fn finish(mut self) {
        self.flush();
    }
}

/// True if two lines meet in a script that sets no blanks between words.
fn is_unspaced(before: &str, next: &str) -> bool {
    let unspaced = |letter: char| {
        matches!(letter, '\u{3000}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
            | '\u{ff00}'..='\u{ffef}' | '\u{20000}'..='\u{3ffff}')
    };
    before.chars().next_back().is_some_and(unspaced) && next.chars().next().is_some_and(unspaced)
}
