//! Writes paragraphs into the model: headings, lists, code, tables.

use super::layout::{PdfTableCell, TextLine};
use super::text::inline::{ParagraphTextWriter, TextContext};
use super::text::paragraph::is_bold;
use super::text::{BodyStyle, ParagraphKind, PdfParagraph};
use iki_markdown::model::{ColumnAlignment, ModelBuilder, NodeContent, TableLayout, TextSlice};

/// Minimum size of a heading's type, relative to the body text.
const HEADING_RATIO: f32 = 1.1;

/// Limits of a heading: bytes and lines.
const MAX_HEADING: usize = 220;
const MAX_HEADING_LINES: usize = 4;

/// Limit of a heading that only its bold type makes one, in bytes.
const MAX_BOLD_HEADING: usize = 120;

/// Joins paragraphs that columns and pages split; the notes at the feet of columns come at the end
/// of their page.
pub(super) fn join_paragraphs(
    paragraphs: Vec<PdfParagraph>,
    context: &TextContext<'_>,
) -> Vec<PdfParagraph> {
    let mut joined: Vec<PdfParagraph> = Vec::with_capacity(paragraphs.len());
    let mut notes: Vec<PdfParagraph> = Vec::new();
    for paragraph in paragraphs {
        if paragraph.note {
            notes.push(paragraph);
            continue;
        }
        if let Some(last) = joined.last_mut()
            && goes_on(last, &paragraph, context)
        {
            last.lines.extend(paragraph.lines);
            last.last = paragraph.last;
            continue;
        }
        if notes
            .first()
            .is_some_and(|note| note.page != paragraph.page)
        {
            joined.append(&mut notes);
        }
        joined.push(paragraph);
    }
    joined.append(&mut notes);
    joined
}

fn line_text(entry: &(usize, TextLine, bool), context: &TextContext<'_>) -> String {
    entry.1.text(context.pool(entry.0))
}

fn goes_on(last: &PdfParagraph, next: &PdfParagraph, context: &TextContext<'_>) -> bool {
    let (Some(end), Some(start)) = (last.lines.last(), next.lines.first()) else {
        return false;
    };
    let is_text = matches!(last.kind, ParagraphKind::Text | ParagraphKind::Item { .. })
        && next.kind == ParagraphKind::Text;
    if !(is_text && last.last && next.first)
        || (last.size - next.size).abs() > 0.06 * last.size
        || is_bold(&end.1) != is_bold(&start.1)
    {
        return false;
    }
    let (end, start) = (line_text(end, context), line_text(start, context));
    let ends = end
        .trim_end()
        .ends_with(['.', '!', '?', ':', ';', '\u{2026}']);
    let lower = start.chars().next().is_some_and(char::is_lowercase);
    lower && !ends || end.ends_with('-') && start.starts_with(char::is_alphabetic)
}

pub(super) struct ParagraphWriter<'a> {
    pub(super) context: &'a TextContext<'a>,
    pub(super) body: BodyStyle,
    pub(super) builder: ModelBuilder,
    /// Sizes of headings, largest first.
    sizes: Vec<f32>,
    /// Positions of the marks of the open lists, and whether the lists are numbered.
    lists: Vec<(f32, bool)>,
}

impl<'a> ParagraphWriter<'a> {
    pub(super) fn new(context: &'a TextContext<'a>, body: BodyStyle) -> Self {
        Self {
            context,
            body,
            builder: ModelBuilder::default(),
            sizes: Vec::new(),
            lists: Vec::new(),
        }
    }

    /// Writes all paragraphs; returns the first of the largest headings of the first page.
    pub(super) fn write(&mut self, paragraphs: &[PdfParagraph]) -> String {
        let mut sizes: Vec<f32> = Vec::new();
        let is_large = |paragraph: &&PdfParagraph| self.is_large(paragraph);
        for paragraph in paragraphs.iter().filter(is_large) {
            let near = |size: &f32| (size - paragraph.size).abs() < 0.04 * size;
            if sizes.len() < 256 && !sizes.iter().any(near) {
                sizes.push(paragraph.size);
            }
        }
        sizes.sort_by(f32::total_cmp);
        sizes.reverse();
        self.sizes = sizes;
        let mut title: Option<(f32, String)> = None;
        for (index, paragraph) in paragraphs.iter().enumerate() {
            match paragraph.kind {
                ParagraphKind::Item { number, mark } if is_item(paragraphs, index) => {
                    self.write_item(paragraph, number, mark);
                    continue;
                }
                _ => self.close_lists(0),
            }
            match paragraph.kind {
                ParagraphKind::Code => self.write_code(paragraph),
                ParagraphKind::Table
                    if index > 0 && is_same_table(&paragraphs[index - 1], paragraph) => {}
                ParagraphKind::Table => {
                    let pairs = paragraphs[index..].windows(2);
                    let further = pairs.take_while(|pair| is_same_table(&pair[0], &pair[1]));
                    let end = index + further.count();
                    self.write_table(&paragraphs[index..=end]);
                }
                ParagraphKind::Annotation(index) => self.write_annotation(paragraph.page, index),
                ParagraphKind::Scan => {
                    let page = &self.context.pages[paragraph.page];
                    super::scanned_page::write(&page.recognised, &mut self.builder);
                }
                ParagraphKind::Text | ParagraphKind::Item { .. } => {
                    let level = self.heading_level(paragraph);
                    let size = paragraph.size;
                    if level.is_some()
                        && paragraph.lines.first().is_some_and(|(page, ..)| *page == 0)
                        && title.as_ref().is_none_or(|(best, _)| size > *best)
                    {
                        title = Some((size, self.text_of(paragraph)));
                    }
                    self.builder
                        .open(level.map_or(NodeContent::Paragraph, NodeContent::Heading));
                    self.write_inlines(paragraph, 0, level.is_some());
                    self.builder.close_unless_empty();
                }
            }
        }
        self.close_lists(0);
        title.map_or_else(String::new, |(_, title)| title)
    }

    fn text_of(&self, paragraph: &PdfParagraph) -> String {
        let lines = paragraph.lines.iter();
        let lines: Vec<String> = lines.map(|line| line_text(line, self.context)).collect();
        lines.join(" ")
    }

    fn write_inlines(&mut self, paragraph: &PdfParagraph, skip: usize, heading: bool) {
        let mut writer = ParagraphTextWriter::new(self.context, &mut self.builder, heading);
        for (index, (page, line, hard)) in paragraph.lines.iter().enumerate() {
            writer.add_line(*page, line, if index == 0 { skip } else { 0 }, *hard);
        }
        writer.finish();
    }

    /// True if it is short enough for a heading and larger than the body text.
    fn is_large(&self, paragraph: &PdfParagraph) -> bool {
        paragraph.kind != ParagraphKind::Code
            && paragraph.size >= HEADING_RATIO * self.body.size
            && self.is_short(paragraph, MAX_HEADING, MAX_HEADING_LINES)
    }

    fn is_short(&self, paragraph: &PdfParagraph, limit: usize, lines: usize) -> bool {
        if paragraph.lines.is_empty() || paragraph.lines.len() > lines {
            return false;
        }
        let text = self.text_of(paragraph);
        text.len() <= limit && text.chars().filter(|c| c.is_alphabetic()).count() >= 2
    }

    /// Returns the level of a heading; `None` for other paragraphs.
    fn heading_level(&self, paragraph: &PdfParagraph) -> Option<u8> {
        if self.is_large(paragraph) {
            let near = |size: &f32| (size - paragraph.size).abs() < 0.04 * size;
            let rank = self.sizes.iter().position(near).unwrap_or(self.sizes.len());
            return Some(rank.min(5) as u8 + 1);
        }
        let text = || self.text_of(paragraph);
        let bold = !self.body.bold
            && paragraph.size >= 0.95 * self.body.size
            && paragraph.above > 1.35
            && paragraph
                .lines
                .iter()
                .all(|(_, line, hard)| is_bold(line) && !hard)
            && self.is_short(paragraph, MAX_BOLD_HEADING, 2)
            && !text().ends_with(['.', ',', ';', ':']);
        bold.then(|| self.sizes.len().min(5) as u8 + 1)
    }

    fn close_lists(&mut self, left: usize) {
        while self.lists.len() > left {
            self.lists.pop();
            self.builder.close();
            self.builder.close();
        }
    }

    fn write_item(&mut self, paragraph: &PdfParagraph, number: Option<u32>, mark: usize) {
        let u0 = paragraph.lines.first().map_or(0.0, |(_, line, _)| line.u0);
        let near = 0.6 * paragraph.size;
        if paragraph.first {
            self.close_lists(0);
        }
        while let Some((indent, numbered)) = self.lists.last() {
            let deeper = u0 > indent + near;
            let same = (u0 - indent).abs() <= near && *numbered == number.is_some();
            if deeper || same {
                break;
            }
            self.close_lists(self.lists.len() - 1);
        }
        match self.lists.last() {
            Some((indent, _)) if u0 <= indent + near => self.builder.close(),
            _ => {
                self.lists.push((u0, number.is_some()));
                let start = number;
                self.builder.open(NodeContent::List { start, tight: true });
            }
        }
        let task = None;
        self.builder.open(NodeContent::Item { number, task });
        self.builder.open(NodeContent::Paragraph);
        self.write_inlines(paragraph, mark, false);
        self.builder.close_unless_empty();
    }

    fn write_code(&mut self, paragraph: &PdfParagraph) {
        let left = |entry: &(usize, TextLine, bool)| entry.1.u0;
        let left = paragraph
            .lines
            .iter()
            .map(left)
            .fold(f32::INFINITY, f32::min);
        let mut code = String::new();
        let mut before: Option<&TextLine> = None;
        for (page, line, _) in &paragraph.lines {
            let pool = self.context.pool(*page);
            if let Some(before) = before {
                code.push('\n');
                if before.v - line.v > 1.8 * line.size {
                    code.push('\n');
                }
            }
            // The width of a monospaced letter.
            let (mut letters, mut width) = (0, 0.0);
            for piece in &line.pieces {
                letters += piece.text(pool).chars().count();
                width += piece.u1 - piece.u0;
            }
            let letter = if letters > 0 {
                width / letters as f32
            } else {
                line.size * 0.6
            };
            let letter = letter.max(0.2 * line.size);
            let mut end = left;
            for (index, piece) in line.pieces.iter().enumerate() {
                let blanks = ((piece.u0 - end) / letter).round().clamp(0.0, 80.0) as usize;
                let least = usize::from(index > 0 && piece.blank);
                let blanks = if index > 0 && !piece.blank {
                    0
                } else {
                    blanks.max(least)
                };
                code.extend(std::iter::repeat_n(' ', blanks));
                code.push_str(piece.text(pool));
                end = piece.u1;
            }
            before = Some(line);
        }
        self.builder.count_source(code.len());
        let code = self.builder.keep(&code);
        let language = TextSlice::default();
        self.builder.add(NodeContent::CodeBlock { language, code });
    }

    fn write_annotation(&mut self, page: usize, index: usize) {
        let note = &self.context.pages[page].notes[index];
        self.builder.count_source(note.len());
        let text = self.builder.keep(note);
        self.builder.open(NodeContent::Paragraph);
        self.builder.add(NodeContent::Text(text));
        self.builder.close();
    }

    /// Writes a table, whose parts are on as many pages.
    fn write_table(&mut self, parts: &[PdfParagraph]) {
        let columns = column_extents(&parts[0].rows).len();
        let table = self.builder.keep_table(TableLayout {
            columns,
            cells: columns,
            header: true,
            aligns: vec![ColumnAlignment::None; columns],
        });
        self.builder.open(NodeContent::Table(table));
        let head = self.row_text(&parts[0]);
        for (nth, part) in parts.iter().enumerate() {
            // Pages repeat the head.
            let repeated = nth > 0 && self.row_text(part) == head;
            for row in part.rows.iter().skip(usize::from(repeated)) {
                self.write_row(row, part.page);
            }
        }
        self.builder.close();
    }

    fn write_row(&mut self, row: &[PdfTableCell], page: usize) {
        self.builder.open(NodeContent::Row);
        for cell in row {
            self.builder.open(NodeContent::Cell {
                columns: cell.columns,
                rows: cell.rows,
            });
            let mut writer = ParagraphTextWriter::new(self.context, &mut self.builder, false);
            for line in &cell.lines {
                writer.add_line(page, line, 0, false);
            }
            writer.finish();
            self.builder.close();
        }
        self.builder.close();
    }

    /// Returns the text of the first row of a table.
    fn row_text(&self, part: &PdfParagraph) -> String {
        let pool = self.context.pool(part.page);
        let cells = part.rows.first().into_iter().flatten();
        let lines = cells.flat_map(|cell| &cell.lines);
        lines.map(|line| line.text(pool) + "\n").collect()
    }
}

/// Returns how far the text of each column of a table reaches.
fn column_extents(rows: &[Vec<PdfTableCell>]) -> Vec<(f32, f32)> {
    let mut extents = Vec::new();
    for row in rows {
        let mut index = 0;
        for cell in row {
            let end = index + usize::from(cell.columns);
            if extents.len() < end {
                extents.resize(end, (f32::INFINITY, f32::NEG_INFINITY));
            }
            for line in cell.lines.iter().filter(|_| cell.columns == 1) {
                let extent: &mut (f32, f32) = &mut extents[index];
                *extent = (extent.0.min(line.u0), extent.1.max(line.u1));
            }
            index = end;
        }
    }
    extents
}

/// True if a table goes on on the next page, in the same columns.
fn is_same_table(last: &PdfParagraph, next: &PdfParagraph) -> bool {
    let is_table = |part: &PdfParagraph| part.kind == ParagraphKind::Table;
    if !(is_table(last) && is_table(next) && next.page == last.page + 1) {
        return false;
    }
    let (above, below) = (column_extents(&last.rows), column_extents(&next.rows));
    let mut pairs = above.iter().zip(&below);
    let overlap = |(one, other): (&(f32, f32), &(f32, f32))| {
        one.0.max(other.0) < one.1.min(other.1) || one.0 > one.1 || other.0 > other.1
    };
    above.len() == below.len() && pairs.all(overlap)
}

/// True if a paragraph with a mark is an item. A number counts only if its neighbours are near.
fn is_item(paragraphs: &[PdfParagraph], index: usize) -> bool {
    let number_of = |paragraph: Option<&PdfParagraph>| match paragraph?.kind {
        ParagraphKind::Item { number, .. } => number,
        _ => None,
    };
    let ParagraphKind::Item { number, .. } = paragraphs[index].kind else {
        return false;
    };
    let Some(number) = number else {
        return true;
    };
    // Further paragraphs of an item may come before the next one.
    let before = paragraphs[index.saturating_sub(4)..index].iter().rev();
    let after = paragraphs[index + 1..].iter().take(4);
    before
        .map(Some)
        .any(|other| number_of(other).is_some_and(|other| other + 1 == number))
        || after
            .map(Some)
            .any(|other| number_of(other) == Some(number + 1))
}
