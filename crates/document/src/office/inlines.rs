//! Collects the inlines of a paragraph before they are written into the model; pieces of text of
//! one style are joined.

use std::rc::Rc;

use crate::symbol_font::SymbolFont;
use iki_markdown::model::{ModelBuilder, NodeContent, TextSlice};
use iki_markdown::superscript;

/// The style of a piece of text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is one look, and none implies another"
)]
pub(super) struct RunStyle {
    pub(super) bold: bool,
    pub(super) italic: bool,
    pub(super) deleted: bool,
    pub(super) code: bool,
    /// True for a superscript.
    pub(super) raised: bool,
    /// The font of symbols that its text is in until it is added.
    pub(super) symbols: Option<SymbolFont>,
    pub(super) link: Option<Rc<str>>,
}

/// Limits of a paragraph: pieces, and bytes of text.
const MAX_PIECES: usize = 100_000;
const MAX_TEXT: usize = 8 << 20;

enum InlinePiece {
    Text(RunStyle, String),
    Break,
    Image { alt: String, name: String },
    Mark(u32),
}

/// The inlines of a paragraph or a cell.
#[derive(Default)]
pub(super) struct InlineContent {
    pieces: Vec<InlinePiece>,
    length: usize,
    /// True if something was left out because there was too much of it.
    pub(super) cut: bool,
}

/// The markup that is open while pieces are written, outermost first.
#[derive(Clone, PartialEq, Eq)]
enum OpenStyle {
    Link(Rc<str>),
    Strong,
    Emphasis,
    Deleted,
}

impl InlineContent {
    /// Plain text.
    pub(super) fn from_text(text: &str) -> Self {
        let mut all = Self::default();
        all.add_plain(text);
        all
    }

    pub(super) fn add_plain(&mut self, text: &str) {
        self.add_text(&RunStyle::default(), text);
    }

    pub(super) fn add_bold(&mut self, text: &str) {
        let style = RunStyle {
            bold: true,
            ..RunStyle::default()
        };
        self.add_text(&style, text);
    }

    pub(super) fn add_text(&mut self, style: &RunStyle, text: &str) {
        if text.is_empty() || !self.has_room() {
            return;
        }
        if let Some(font) = style.symbols {
            let style = RunStyle {
                symbols: None,
                ..style.clone()
            };
            return self.add_text(&style, &font.decode(text));
        }
        self.length += text.len();
        let blank = text.chars().all(char::is_whitespace);
        match self.pieces.last_mut() {
            // The style of a blank is invisible, except that it belongs to a link, or to code.
            Some(InlinePiece::Text(last, all))
                if last == style || blank && last.link == style.link && !last.code =>
            {
                all.push_str(text);
            }
            _ => self
                .pieces
                .push(InlinePiece::Text(style.clone(), text.to_owned())),
        }
    }

    /// Adds a line break.
    pub(super) fn add_line_break(&mut self) {
        if self.has_room() {
            self.pieces.push(InlinePiece::Break);
        }
    }

    /// True if there is room for more; records that something is cut if not.
    fn has_room(&mut self) -> bool {
        let full = self.pieces.len() >= MAX_PIECES || self.length >= MAX_TEXT;
        self.cut |= full;
        !full
    }

    /// Adds a line break, unless there is no text before it.
    pub(super) fn begin_line(&mut self) {
        if !self.is_blank() && !matches!(self.pieces.last(), Some(InlinePiece::Break)) {
            self.pieces.push(InlinePiece::Break);
        }
    }

    /// Adds text with its line breaks.
    pub(super) fn add_lines(&mut self, style: &RunStyle, text: &str) {
        for (index, line) in text.lines().enumerate() {
            if index > 0 {
                self.add_line_break();
            }
            self.add_text(style, line);
        }
    }

    /// Adds an image with its text and the name of its file.
    pub(super) fn add_image(&mut self, alt: &str, name: &str) {
        if !self.has_room() {
            return;
        }
        let alt = alt.split_whitespace().collect::<Vec<_>>().join(" ");
        self.length += alt.len() + name.len();
        self.pieces.push(InlinePiece::Image {
            alt,
            name: if name.contains("://") {
                name.to_owned()
            } else {
                name.rsplit('/').next().unwrap_or_default().to_owned()
            },
        });
    }

    /// Adds a reference to a note.
    pub(super) fn add_note_mark(&mut self, number: u32) {
        if self.has_room() {
            self.pieces.push(InlinePiece::Mark(number));
        }
    }

    /// Bytes of source that it is worth: each piece pays for its markup too.
    pub(super) fn cost(&self) -> usize {
        self.length + 16 * self.pieces.len()
    }

    /// True if nothing of it is visible.
    pub(super) fn is_blank(&self) -> bool {
        self.pieces.iter().all(|piece| match piece {
            InlinePiece::Text(_, text) => text.trim().is_empty(),
            InlinePiece::Break => true,
            InlinePiece::Image { .. } | InlinePiece::Mark(_) => false,
        })
    }

    /// True if it is nothing but text and line breaks.
    pub(super) fn is_plain(&self) -> bool {
        let is_plain =
            |piece: &InlinePiece| matches!(piece, InlinePiece::Text(..) | InlinePiece::Break);
        self.pieces.iter().all(is_plain)
    }

    /// The link of its first text.
    pub(super) fn first_link(&self) -> Option<Rc<str>> {
        match self.pieces.first() {
            Some(InlinePiece::Text(style, _)) => style.link.clone(),
            _ => None,
        }
    }

    /// True if all of its text is code.
    pub(super) fn is_code(&self) -> bool {
        let mut code = false;
        for piece in &self.pieces {
            match piece {
                InlinePiece::Text(style, _) if style.code => code = true,
                InlinePiece::Text(_, text) if text.trim().is_empty() => {}
                InlinePiece::Break => {}
                _ => return false,
            }
        }
        code
    }

    /// Marks to write before and after each piece, for superscripts of one or several pieces.
    fn superscript_marks(&self) -> Vec<(&'static str, &'static str)> {
        let mut marks = vec![("", ""); self.pieces.len()];
        let (mut before, mut index) = (None, 0);
        while let Some(piece) = self.pieces.get(index) {
            let raised = self.pieces[index..].iter().map_while(|piece| match piece {
                InlinePiece::Text(style, text) if style.raised => Some(text.as_str()),
                _ => None,
            });
            let raised: Vec<&str> = raised.collect();
            let text = raised.concat();
            let (first, last) = (index, index + raised.len().max(1) - 1);
            if !text.starts_with(char::is_whitespace)
                && text.len() <= superscript::MAX_BYTES
                && let Some(mark) = superscript::mark(before, text.trim_end())
            {
                marks[first].0 = mark;
                marks[last].1 = if mark == "^(" { ")" } else { "" };
            }
            before = match piece {
                _ if !raised.is_empty() => text.chars().next_back(),
                InlinePiece::Text(_, text) => text.chars().next_back(),
                _ => None,
            };
            index = last + 1;
        }
        marks
    }

    /// The text with its line breaks, without markup.
    pub(super) fn plain(&self) -> String {
        let mut plain = String::with_capacity(self.length);
        for (piece, marks) in self.pieces.iter().zip(self.superscript_marks()) {
            match piece {
                InlinePiece::Text(_, text) => push_marked(&mut plain, text, marks),
                InlinePiece::Break => plain.push('\n'),
                InlinePiece::Image { .. } | InlinePiece::Mark(_) => {}
            }
        }
        plain
    }

    /// The text on one line.
    pub(super) fn words(&self) -> String {
        let plain = self.plain();
        plain.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// Adds a line after its label, unless the line is blank.
    pub(super) fn add_line(&mut self, label: &str, line: Self) {
        if !line.is_blank() {
            self.begin_line();
            self.append(line.behind(label));
        }
    }

    /// Appends the pieces of `other`.
    pub(super) fn append(&mut self, other: Self) {
        self.cut |= other.cut;
        if self.has_room() {
            self.length += other.length;
            self.pieces.extend(other.pieces);
        }
    }

    /// The content after a plain text.
    pub(super) fn behind(self, text: &str) -> Self {
        let mut all = Self::from_text(text);
        all.append(self);
        all
    }

    /// Removes bold type, as for a heading.
    pub(super) fn unbold(&mut self) {
        for piece in &mut self.pieces {
            if let InlinePiece::Text(style, _) = piece {
                style.bold = false;
            }
        }
    }

    /// Writes the pieces into a document.
    pub(super) fn write(&self, builder: &mut ModelBuilder) {
        let mut open: Vec<OpenStyle> = Vec::new();
        for (piece, marks) in self.pieces.iter().zip(self.superscript_marks()) {
            let (style, code) = match piece {
                InlinePiece::Text(style, _) => (style.clone(), style.code),
                _ => (RunStyle::default(), false),
            };
            let mut wanted: Vec<OpenStyle> = style
                .link
                .clone()
                .map(OpenStyle::Link)
                .into_iter()
                .collect();
            wanted.extend(style.bold.then_some(OpenStyle::Strong));
            wanted.extend(style.italic.then_some(OpenStyle::Emphasis));
            wanted.extend(style.deleted.then_some(OpenStyle::Deleted));
            // A line break or an image does not end the markup around it.
            if matches!(piece, InlinePiece::Break | InlinePiece::Image { .. }) {
                wanted.clone_from(&open);
            }
            let same = open.iter().zip(&wanted).take_while(|(a, b)| a == b).count();
            for _ in same..open.len() {
                builder.close_unless_empty();
            }
            for style in &wanted[same..] {
                let content = match style {
                    OpenStyle::Link(address) => NodeContent::Link {
                        address: builder.keep_address(None, address),
                        title: TextSlice::default(),
                    },
                    OpenStyle::Strong => NodeContent::Strong,
                    OpenStyle::Emphasis => NodeContent::Emphasis,
                    OpenStyle::Deleted => NodeContent::Deleted,
                };
                builder.open(content);
            }
            open = wanted;
            match piece {
                InlinePiece::Text(_, text) if code && !text.trim().is_empty() => {
                    // Blanks at the ends are separators, not code.
                    let trimmed = text.trim_start();
                    let inner = trimmed.trim_end();
                    write_text(builder, &text[..text.len() - trimmed.len()]);
                    let is_within_limit = builder.keep(inner);
                    builder.add(NodeContent::Code(is_within_limit));
                    write_text(builder, &trimmed[inner.len()..]);
                }
                InlinePiece::Text(_, text) if marks.0.is_empty() && marks.1.is_empty() => {
                    write_text(builder, text);
                }
                InlinePiece::Text(_, text) => {
                    let mut marked = String::new();
                    push_marked(&mut marked, text, marks);
                    write_text(builder, &marked);
                }
                InlinePiece::Break => builder.add(NodeContent::Break),
                InlinePiece::Image { alt, name } => {
                    let address = builder.keep_address(None, name);
                    let alt = builder.keep(alt);
                    builder.add(NodeContent::Image {
                        address,
                        alt,
                        title: TextSlice::default(),
                    });
                }
                InlinePiece::Mark(number) => builder.add(NodeContent::NoteMark(*number)),
            }
        }
        for _ in open {
            builder.close_unless_empty();
        }
    }
}

/// Appends a text between its marks, the second before the whitespace at its end.
fn push_marked(all: &mut String, text: &str, (before, after): (&str, &str)) {
    let inner = text.trim_end();
    all.push_str(before);
    all.push_str(if after.is_empty() { text } else { inner });
    all.push_str(after);
    if !after.is_empty() {
        all.push_str(&text[inner.len()..]);
    }
}

fn write_text(builder: &mut ModelBuilder, text: &str) {
    if !text.is_empty() {
        let text = builder.keep(text);
        builder.add(NodeContent::Text(text));
    }
}
