//! Groups lines into paragraphs and determines their kinds.
//!
//! | module | what it is |
//! |---|---|
//! | `furniture` | running heads and page numbers |
//! | `inline` | a paragraph's text: styles, links, hyphens |
//! | `list` | bullets and numbers of items |
//! | `paragraph` | ends of paragraphs |

use super::layout::{PageRegion, TableRows, TextLine};

pub(super) mod furniture;
pub(super) mod inline;
pub(super) mod list;
pub(super) mod paragraph;

/// Limit of the sizes of type that are distinguished.
const MAX_SIZES: usize = 1024;

pub(super) struct PageText {
    pub(super) text: String,
    pub(super) regions: Vec<PageRegion>,
    /// The texts of annotations that are drawn without text.
    pub(super) notes: Vec<String>,
    /// Its text as OCR read it.
    pub(super) recognised: String,
    /// Lines at its edges that further pages repeat, where they are first.
    pub(super) furniture: Vec<TextLine>,
    /// Lowest and highest point, in the frame of most of its text.
    pub(super) low: f32,
    pub(super) high: f32,
}

impl PageText {
    pub(super) fn is_empty(&self) -> bool {
        self.regions.is_empty() && self.notes.is_empty()
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum ParagraphKind {
    #[default]
    Text,
    /// An item: its number, and the number of pieces of its mark.
    Item {
        number: Option<u32>,
        mark: usize,
    },
    Code,
    Table,
    /// One of the page's notes, by its number.
    Annotation(usize),
    /// The text of a scanned page.
    Scan,
}

#[derive(Debug, Default)]
pub(super) struct PdfParagraph {
    pub(super) kind: ParagraphKind,
    /// Lines: the page, the line, and whether a hard break precedes it.
    pub(super) lines: Vec<(usize, TextLine, bool)>,
    pub(super) page: usize,
    /// Rows of a table.
    pub(super) rows: TableRows,
    pub(super) size: f32,
    /// Distance from the line above, in ems; large if there is none.
    pub(super) above: f32,
    /// True if its column ends with it; true if its column begins with it.
    pub(super) last: bool,
    pub(super) first: bool,
    /// True for a note at the foot of its page.
    pub(super) note: bool,
}

/// The style of most of a document's text.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BodyStyle {
    pub(super) size: f32,
    pub(super) mono: bool,
    pub(super) bold: bool,
}

impl BodyStyle {
    /// Determines the style from all pages.
    pub(super) fn from_pages(pages: &[PageText]) -> Self {
        let mut sizes: Vec<(i32, usize)> = Vec::new();
        let (mut all, mut mono, mut bold) = (0, 0, 0);
        for line in pages
            .iter()
            .flat_map(|page| &page.regions)
            .flat_map(PageRegion::lines)
        {
            let letters = line
                .pieces
                .iter()
                .map(|piece| (piece.end - piece.start) as usize);
            let letters = letters.sum::<usize>();
            let size = (line.size * 4.0).round() as i32;
            match sizes.iter().position(|(other, _)| *other == size) {
                Some(index) => sizes[index].1 += letters,
                None if sizes.len() < MAX_SIZES => sizes.push((size, letters)),
                None => {}
            }
            all += letters;
            if let Some(piece) = line.pieces.first() {
                mono += if piece.style.mono { letters } else { 0 };
                bold += if piece.style.bold { letters } else { 0 };
            }
        }
        let commonest = sizes.iter().max_by_key(|(size, count)| (*count, *size));
        Self {
            size: commonest.map_or(10.0, |(size, _)| *size as f32 / 4.0),
            mono: mono * 5 > all * 3,
            bold: bold * 2 > all,
        }
    }
}
