//! From lines to paragraphs: what belongs together, and what it is.
//!
//! | module | what it is |
//! |---|---|
//! | `furniture` | what pages repeat: running heads, page numbers |
//! | `inline` | a paragraph's text: looks, links, hyphens |
//! | `list` | bullets and numbers of items |
//! | `paragraph` | where a paragraph ends |

use super::layout::{PageRegion, TextLine};

pub(super) mod furniture;
pub(super) mod inline;
pub(super) mod list;
pub(super) mod paragraph;

/// The most sizes of type that are told apart.
const MAX_SIZES: usize = 1024;

/// A page that was laid out.
pub(super) struct PageText {
    /// The text of its lines.
    pub(super) text: String,
    pub(super) regions: Vec<PageRegion>,
    /// Its lowest and its highest point, in the frame of most of its text.
    pub(super) low: f32,
    pub(super) high: f32,
}

/// What a paragraph is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum ParagraphKind {
    Text,
    /// An item: its number, and how many pieces its mark takes.
    Item {
        number: Option<u32>,
        mark: usize,
    },
    Code,
    Table,
}

/// A paragraph.
#[derive(Debug)]
pub(super) struct PdfParagraph {
    pub(super) kind: ParagraphKind,
    /// Its lines: the page, the line, and whether the line before it ends for good.
    pub(super) lines: Vec<(usize, TextLine, bool)>,
    /// Of a table: the page, and the rows on it.
    pub(super) page: usize,
    pub(super) rows: Vec<Vec<Option<TextLine>>>,
    pub(super) size: f32,
    /// How far it is from what is above it, in ems; far if nothing is.
    pub(super) above: f32,
    /// Whether its column ends with it, and whether it begins with it.
    pub(super) last: bool,
    pub(super) first: bool,
    /// Whether it is a note at the foot of its page.
    pub(super) note: bool,
}

/// What most of a document's text is like.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BodyStyle {
    pub(super) size: f32,
    pub(super) mono: bool,
    pub(super) bold: bool,
}

impl BodyStyle {
    /// Looks at all pages.
    pub(super) fn of(pages: &[PageText]) -> Self {
        let mut sizes: Vec<(i32, usize)> = Vec::new();
        let (mut all, mut mono, mut bold) = (0, 0, 0);
        for line in pages
            .iter()
            .flat_map(|page| &page.regions)
            .flat_map(lines_of)
        {
            let letters = line
                .pieces
                .iter()
                .map(|piece| (piece.end - piece.start) as usize);
            let letters = letters.sum::<usize>();
            let size = (line.size * 4.0).round() as i32;
            match sizes.iter().position(|(other, _)| *other == size) {
                Some(at) => sizes[at].1 += letters,
                None if sizes.len() < MAX_SIZES => sizes.push((size, letters)),
                None => {}
            }
            all += letters;
            if let Some(piece) = line.pieces.first() {
                mono += if piece.look.mono { letters } else { 0 };
                bold += if piece.look.bold { letters } else { 0 };
            }
        }
        let most = sizes.iter().max_by_key(|(size, count)| (*count, *size));
        Self {
            size: most.map_or(10.0, |(size, _)| *size as f32 / 4.0),
            mono: mono * 5 > all * 3,
            bold: bold * 2 > all,
        }
    }
}

/// The lines of a part of a page.
pub(super) fn lines_of(region: &PageRegion) -> Box<dyn Iterator<Item = &TextLine> + '_> {
    match region {
        PageRegion::Lines(lines) => Box::new(lines.iter()),
        PageRegion::Table(rows) => Box::new(rows.iter().flatten().flatten()),
    }
}
