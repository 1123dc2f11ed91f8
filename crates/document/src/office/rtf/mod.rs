//! The reader of RTF files.
//!
//! Rules: Rich Text Format 1.9.1. The text is read as an editor shows it, without hidden or deleted
//! text, and without headers and footers unless there is no other.
//!
//! | module | what it is |
//! |---|---|
//! | `token` | groups, control words and text |
//! | `tables` | fonts, colours and styles |
//! | `control` | control words |
//! | `table` | rows of cells |

use std::ops::Range;
use std::rc::Rc;
use std::time::Instant;

use encoding_rs::WINDOWS_1252;
use iki_base::charset::Charset;

use self::table::RtfTable;
use self::tables::RtfTables;
use self::token::{RtfToken, RtfTokens};
use super::blocks::{BlockWriter, ItemLabel, ParagraphRole};
use super::docx::styles::RunProperties;
use super::inlines::InlineContent;
use super::limits::MAX_DEPTH;
use iki_markdown::limits::StepClock;
use iki_markdown::model::NodeContent;

mod control;
mod table;
pub(super) mod tables;
mod token;

/// The deepest nesting of groups whose formatting is kept.
const MAX_GROUPS: usize = 2000;

/// Limit of a field's code, a property or a label, in bytes.
const MAX_ASIDE: usize = 8192;

/// The place that text goes to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum RtfDestination {
    #[default]
    Body,
    Skipped,
    Fonts,
    Colours,
    Styles,
    Info,
    /// Text that means something by its place.
    Aside(RtfAside),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RtfAside {
    Title,
    Author,
    FieldCode,
    Label,
    CommentAuthor,
    PropertyName,
    PropertyValue,
}

/// The state of a group.
#[derive(Clone, Copy, Default)]
struct GroupState {
    destination: RtfDestination,
    run: RunProperties,
    /// Index of the link that text belongs to.
    link: Option<usize>,
    /// Number of characters that replace a Unicode character for older readers.
    replaced: u8,
    encoding: Option<Charset>,
    style: i32,
    outline: Option<u8>,
    list: u32,
    level: u8,
    in_table: bool,
}

/// A note that the text refers to.
struct RtfNote {
    source: Range<usize>,
    state: GroupState,
    /// The words before its text.
    text: String,
}

#[derive(Default)]
#[allow(clippy::struct_excessive_bools, reason = "each is asked by itself")]
struct RtfReader<'a> {
    bytes: &'a [u8],
    clock: StepClock,
    tables: RtfTables,
    /// The encoding of text whose font has none of its own.
    page: Option<Charset>,
    blocks: BlockWriter,
    state: GroupState,
    groups: Vec<GroupState>,
    /// Groups beyond [`MAX_GROUPS`].
    deeper: usize,
    /// True after `\*`: an unknown destination is skipped.
    optional: bool,
    /// True after the beginning of a group.
    at_start: bool,
    /// Number of characters still to be skipped after a Unicode character.
    to_skip: u8,
    high: u32,
    pending: Vec<u8>,
    inlines: InlineContent,
    /// The last texts of each kind.
    asides: [String; 6],
    links: Vec<Rc<str>>,
    notes: Vec<RtfNote>,
    boxes: Vec<(Range<usize>, GroupState)>,
    table: RtfTable,
    depth: usize,
    in_note: bool,
    /// True if headers and footers are read as text.
    shows_headers: bool,
}

/// True if a file begins as RTF does.
pub(crate) fn is_rtf(bytes: &[u8]) -> bool {
    bytes.starts_with(b"{\\rtf")
}

/// Reads a file.
pub(crate) fn read(bytes: &[u8], end: Option<Instant>) -> BlockWriter {
    let mut blocks = read_text(bytes, end, false);
    blocks.end();
    if blocks.builder.is_empty() && !blocks.is_late && !blocks.is_cut {
        blocks = read_text(bytes, end, true);
    }
    blocks
}

fn read_text(bytes: &[u8], end: Option<Instant>, shows_headers: bool) -> BlockWriter {
    let mut reader = RtfReader {
        bytes,
        clock: StepClock::new(end),
        shows_headers,
        state: GroupState {
            replaced: 1,
            ..GroupState::default()
        },
        ..RtfReader::default()
    };
    reader.blocks.is_broken = !reader.read_range(0..bytes.len());
    reader.write_notes();
    let [title, author, ..] = reader.asides;
    (reader.blocks.about.title, reader.blocks.about.author) = (title, author);
    reader.blocks
}

/// True for the label of an item without a number, which may be a letter of a symbol font.
fn is_bullet(label: &str) -> bool {
    let mut chars = label.chars().filter(|c| c.is_alphanumeric());
    let first = chars.next();
    chars.next().is_none()
        && !first.is_some_and(|c| c.is_ascii_digit())
        && label.chars().count() == 1
        || first.is_none()
}

impl RtfReader<'_> {
    /// Reads a part of the file; returns false if its groups do not end.
    fn read_range(&mut self, range: Range<usize>) -> bool {
        let (groups, deeper) = (
            std::mem::take(&mut self.groups),
            std::mem::take(&mut self.deeper),
        );
        let mut tokens = RtfTokens {
            bytes: &self.bytes[..range.end],
            offset: range.start,
        };
        while let Some(token) = tokens.next() {
            self.blocks.is_late |= self.clock.is_past();
            if self.blocks.is_late || !self.blocks.has_room() {
                break;
            }
            // `\*` means something only at the beginning of a group.
            let at_start = std::mem::replace(&mut self.at_start, token == RtfToken::Open);
            if let RtfToken::Byte(byte) = token {
                self.optional = false;
                if self.to_skip > 0 {
                    self.to_skip -= 1;
                } else if self.state.destination != RtfDestination::Skipped {
                    self.pending.push(byte);
                }
                continue;
            }
            self.flush_text();
            match token {
                RtfToken::Open => {
                    (self.to_skip, self.optional) = (0, false);
                    if self.groups.len() < MAX_GROUPS {
                        self.groups.push(self.state);
                    } else {
                        self.deeper += 1;
                    }
                }
                RtfToken::Close => {
                    (self.to_skip, self.optional) = (0, false);
                    if self.deeper > 0 {
                        self.deeper -= 1;
                    } else if let Some(state) = self.groups.pop() {
                        self.state = state;
                    }
                }
                RtfToken::Symbol(b'*') => self.optional = at_start,
                RtfToken::Symbol(symbol) => self.read_symbol(symbol),
                RtfToken::Word(word, number) => self.read_word(word, number, &mut tokens),
                RtfToken::Byte(_) => {}
            }
        }
        self.flush_text();
        if !self.inlines.is_blank() {
            self.end_paragraph();
        }
        self.end_table();
        let is_whole = self.groups.is_empty() && self.deeper == 0;
        (self.groups, self.deeper) = (groups, deeper);
        is_whole
    }

    /// Reads a note or a box in the state of its place.
    fn read_aside(&mut self, source: Range<usize>, state: GroupState) {
        if self.depth >= MAX_DEPTH {
            self.blocks.is_cut = true;
            return;
        }
        self.depth += 1;
        let outer = std::mem::replace(&mut self.state, state);
        self.read_range(source);
        self.state = outer;
        self.depth -= 1;
    }

    /// Decodes the bytes of text that were read.
    fn flush_text(&mut self) {
        if self.pending.is_empty() {
            return;
        }
        let bytes = std::mem::take(&mut self.pending);
        let encoding = self.state.encoding.or(self.page);
        let encoding = encoding.unwrap_or(Charset::Browsers(WINDOWS_1252));
        self.add_text(&encoding.decode(&bytes));
        self.pending = bytes;
        self.pending.clear();
    }

    fn add_text(&mut self, text: &str) {
        let aside = match self.state.destination {
            RtfDestination::Skipped | RtfDestination::Info => return,
            RtfDestination::Colours => {
                for _ in text.matches(';') {
                    self.tables.end_colour();
                }
                return;
            }
            RtfDestination::Fonts => return self.tables.add_name(text, true),
            RtfDestination::Styles => return self.tables.add_name(text, false),
            RtfDestination::Body => {
                let run = self.state.run;
                if !run.is_unseen(self.table.is_empty()) {
                    let link = self
                        .state
                        .link
                        .and_then(|index| self.links.get(index).cloned());
                    self.inlines.add_text(&run.style(false, link), text);
                }
                return;
            }
            RtfDestination::Aside(aside) => aside,
        };
        if aside == RtfAside::PropertyValue {
            if self.asides[RtfAside::PropertyName as usize].trim() == "wzDescription" {
                self.inlines.add_image(text, "");
            }
            return;
        }
        let slot = &mut self.asides[aside as usize];
        if slot.len() + text.len() <= MAX_ASIDE {
            slot.push_str(text);
        }
    }

    fn end_paragraph(&mut self) {
        let inlines = std::mem::take(&mut self.inlines);
        let label = std::mem::take(&mut self.asides[RtfAside::Label as usize]);
        let label = label.trim();
        let state = self.state;
        let style = self
            .tables
            .styles
            .get(&state.style)
            .copied()
            .unwrap_or_default();
        let outline = state
            .outline
            .map(|outline| (outline < 9).then_some(outline + 1));
        let heading = outline
            .unwrap_or(style.heading)
            .or(style.title.then_some(1));
        let in_cell = state.in_table && self.depth == 0;
        if in_cell {
            self.blocks.cells.push(std::mem::take(&mut self.table.cell));
        } else {
            self.end_table();
        }
        let bare = label.trim_matches(|c: char| !c.is_ascii_digit());
        let role = ParagraphRole {
            heading,
            is_title: style.title,
            is_code: style.code || inlines.is_code() && self.blocks.in_code(),
            label: (!label.is_empty()).then(|| ItemLabel {
                number: (!is_bullet(label)).then(|| bare.parse().unwrap_or(0)),
                text: label.to_owned(),
                level: state.level,
                key: state.list,
            }),
        };
        self.blocks.add_by_role(role, inlines);
        if in_cell {
            self.table.cell = self.blocks.cells.pop().unwrap_or_default();
        }
        for (source, state) in std::mem::take(&mut self.boxes) {
            self.read_aside(source, state);
        }
    }

    fn end_table(&mut self) {
        if self.depth == 0 {
            self.blocks.is_cut |= self.table.cut;
            std::mem::take(&mut self.table).write(&mut self.blocks);
        }
    }

    /// Writes the notes after the text.
    fn write_notes(&mut self) {
        self.in_note = true;
        self.blocks.end();
        for (number, note) in (1..).zip(std::mem::take(&mut self.notes)) {
            if !self.blocks.has_room() {
                break;
            }
            self.blocks.builder.open(NodeContent::Note(number));
            self.inlines.add_plain(&note.text);
            self.read_aside(note.source, note.state);
            self.blocks.end();
            self.blocks.builder.close();
        }
    }
}
