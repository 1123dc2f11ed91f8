//! Reads the paragraphs of shapes and cells, and their runs.
//!
//! Rules: ISO/IEC 29500-1, 21.1.2 (text).

use super::super::blocks::{BlockWriter, ItemLabel};
use super::super::inlines::{InlineContent, RunStyle};
use super::super::numerals::format_number;
use super::super::package::PartRelationships;
use super::bullets::{self, BulletKind, LEVELS, LevelBullets};
use crate::symbol_font::SymbolFont;
use iki_markdown::formula::read_omml;
use iki_markdown::xml::{XmlReader, XmlTag};

/// The deepest level of a list.
const MAX_LEVEL: u8 = 8;

/// Limit of a run's text, in bytes.
const MAX_RUN_BYTES: usize = 4 << 20;

/// The smallest visible size, in hundredths of a point.
const MIN_VISIBLE_SIZE: u32 = 200;

pub(super) struct SlideParagraph {
    pub(super) inlines: InlineContent,
    level: u8,
    bullet: BulletKind,
}

/// Reads the text of the element that was opened last.
pub(super) fn read(
    xml: &mut XmlReader<'_>,
    relations: &PartRelationships,
    levels: &LevelBullets,
) -> Vec<SlideParagraph> {
    let mut levels = *levels;
    let mut paragraphs = Vec::new();
    xml.each_tag(|xml, tag| match tag.name() {
        "lstStyle" => levels = bullets::merge_levels(&bullets::read_levels(xml), &levels),
        "p" => paragraphs.push(read_paragraph(xml, relations, &levels)),
        "bodyPr" => xml.skip(),
        _ => {}
    });
    paragraphs
}

fn read_paragraph(
    xml: &mut XmlReader<'_>,
    relations: &PartRelationships,
    levels: &LevelBullets,
) -> SlideParagraph {
    let depth = xml.depth();
    let mut inlines = InlineContent::default();
    let mut style = Some(RunStyle::default());
    let mut signs = None;
    let (mut level, mut bullet_given) = (0, None);
    while let Some(tag) = xml.tag_within(depth) {
        match tag.name() {
            "pPr" => {
                level = tag.number::<u8>("lvl").unwrap_or(0).min(MAX_LEVEL);
                xml.each_tag(|_, tag| {
                    bullet_given = bullets::bullet_of(tag).or(bullet_given);
                });
            }
            "r" | "fld" => (style, signs) = (Some(RunStyle::default()), None),
            "rPr" => (style, signs) = read_run_style(xml, &tag, relations),
            "t" => {
                let mut text = xml.text_within(MAX_RUN_BYTES);
                if let Some(font) = signs {
                    text = font.decode_private(&text);
                }
                if let Some(style) = &style {
                    inlines.add_text(style, &text);
                }
            }
            "oMath" => inlines.add_plain(&read_omml(xml)),
            "br" => {
                inlines.add_line_break();
                xml.skip();
            }
            "tab" => inlines.add_plain("\t"),
            "endParaRPr" | "Fallback" => xml.skip(),
            _ => {}
        }
    }
    let bullet = bullet_given
        .or(levels[usize::from(level)])
        .unwrap_or(BulletKind::None);
    SlideParagraph {
        inlines,
        level,
        bullet,
    }
}

/// Returns the style of a run, `None` if it is invisible, and the font of its signs.
fn read_run_style(
    xml: &mut XmlReader<'_>,
    tag: &XmlTag<'_>,
    relations: &PartRelationships,
) -> (Option<RunStyle>, Option<SymbolFont>) {
    let on = |name: &str| tag.is_set(name);
    let mut style = RunStyle {
        bold: on("b"),
        italic: on("i"),
        deleted: tag
            .attribute("strike")
            .is_some_and(|strike| strike != "noStrike"),
        raised: tag
            .number::<i32>("baseline")
            .is_some_and(|height| height > 0),
        ..RunStyle::default()
    };
    let unseen = tag
        .number::<u32>("sz")
        .is_some_and(|size| size < MIN_VISIBLE_SIZE);
    let mut signs = None;
    xml.each_tag(|xml, tag| match tag.name() {
        "hlinkClick" => {
            let id = tag.relation("id").unwrap_or_default();
            style.link = relations.address(&id).map(Into::into);
        }
        "latin" => style.symbols = SymbolFont::named(&tag.value("typeface")),
        "sym" => signs = SymbolFont::named(&tag.value("typeface")),
        "ln" | "effectLst" => xml.skip(),
        _ => {}
    });
    ((!unseen).then_some(style), signs)
}

/// Writes paragraphs, those with bullets as items.
pub(super) fn write(paragraphs: Vec<SlideParagraph>, key: u32, blocks: &mut BlockWriter) {
    let mut counts = [0_u32; LEVELS];
    for paragraph in paragraphs {
        let level_index = usize::from(paragraph.level);
        counts[level_index + 1..].fill(0);
        match paragraph.bullet {
            BulletKind::None => {
                counts[level_index] = 0;
                blocks.add_paragraph(&paragraph.inlines);
            }
            BulletKind::Mark => {
                counts[level_index] = 0;
                blocks.add_item(paragraph.level, None, key, &paragraph.inlines);
            }
            BulletKind::Number(start, format) => {
                if paragraph.inlines.is_blank() {
                    continue;
                }
                let number = start.saturating_add(counts[level_index]);
                counts[level_index] += 1;
                let label = ItemLabel {
                    number: Some(number),
                    text: format!("{}.", format_number(number, format)),
                    level: paragraph.level,
                    key,
                };
                blocks.add_labelled_item(&label, paragraph.inlines);
            }
        }
    }
    blocks.end();
}

/// Joins the paragraphs of a cell, each on a line.
pub(super) fn cell_content(paragraphs: Vec<SlideParagraph>) -> InlineContent {
    let mut cell = InlineContent::default();
    for paragraph in paragraphs {
        let is_item = paragraph.bullet != BulletKind::None;
        let label = if is_item { "\u{2022} " } else { "" };
        cell.add_line(label, paragraph.inlines);
    }
    cell
}
