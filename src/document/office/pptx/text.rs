//! Paragraphs of shapes and cells, and what runs in them.
//!
//! Rules: ISO/IEC 29500-1, 21.1.2 (text).

use super::super::blocks::BlockWriter;
use super::super::inlines::{InlineContent, RunStyle};
use super::super::omml;
use super::super::package::PartRelationships;
use super::super::xml::{XmlEvent, XmlReader, XmlTag, is_true};
use super::background::SlideBackground;
use super::bullets::{self, BulletKind, LEVELS, LevelBullets};

/// The deepest level of a list.
const DEEPEST: u8 = 8;

/// The longest text of one run, in bytes.
const MAX_RUN: usize = 4 << 20;

/// The smallest type that somebody sees, in hundredths of a point.
const SMALLEST: u32 = 200;

/// A paragraph.
pub(super) struct SlideParagraph {
    pub(super) inlines: InlineContent,
    level: u8,
    bullet: BulletKind,
}

/// Reads the text of the element that was opened last.
/// A `ground` is given where it is white: on that, white text is not seen.
pub(super) fn read(
    xml: &mut XmlReader<'_>,
    relations: &PartRelationships,
    levels: &LevelBullets,
    ground: Option<&SlideBackground>,
) -> Vec<SlideParagraph> {
    let depth = xml.depth();
    let mut levels = *levels;
    let mut paragraphs = Vec::new();
    while let Some(tag) = xml.tag_within(depth) {
        match tag.name() {
            "lstStyle" => levels = bullets::or(&bullets::levels(xml), &levels),
            "p" => paragraphs.push(paragraph(xml, relations, &levels, ground)),
            "bodyPr" => xml.skip(),
            _ => {}
        }
    }
    paragraphs
}

fn paragraph(
    xml: &mut XmlReader<'_>,
    relations: &PartRelationships,
    levels: &LevelBullets,
    ground: Option<&SlideBackground>,
) -> SlideParagraph {
    let depth = xml.depth();
    let mut inlines = InlineContent::default();
    let mut looks = Some(RunStyle::default());
    let (mut level, mut own) = (0, None);
    while let Some(item) = xml.within(depth) {
        let XmlEvent::Open(tag) = item else { continue };
        match tag.name() {
            "pPr" => {
                level = tag.number::<u8>("lvl").unwrap_or(0).min(DEEPEST);
                let depth = xml.depth();
                while let Some(tag) = xml.tag_within(depth) {
                    own = bullets::bullet_of(&tag).or(own);
                }
            }
            "r" | "fld" => looks = Some(RunStyle::default()),
            "rPr" => looks = run(xml, &tag, relations, ground),
            "t" => {
                let text = xml.text_within(MAX_RUN);
                if let Some(looks) = &looks {
                    inlines.text(looks, &text);
                }
            }
            "oMath" => inlines.text(&RunStyle::default(), &omml::in_one_line(xml)),
            "br" => {
                inlines.line_end();
                xml.skip();
            }
            "tab" => inlines.text(&RunStyle::default(), "\t"),
            "endParaRPr" | "Fallback" => xml.skip(),
            _ => {}
        }
    }
    let bullet = own
        .or(levels[usize::from(level)])
        .unwrap_or(BulletKind::None);
    SlideParagraph {
        inlines,
        level,
        bullet,
    }
}

/// The looks of a run; `None` if nobody sees it.
fn run(
    xml: &mut XmlReader<'_>,
    tag: &XmlTag<'_>,
    relations: &PartRelationships,
    ground: Option<&SlideBackground>,
) -> Option<RunStyle> {
    let on = |name: &str| tag.attribute(name).is_some_and(|on| is_true(&on));
    let mut looks = RunStyle {
        bold: on("b"),
        italic: on("i"),
        deleted: tag
            .attribute("strike")
            .is_some_and(|strike| strike != "noStrike"),
        ..RunStyle::default()
    };
    let mut unseen = tag.number::<u32>("sz").is_some_and(|size| size < SMALLEST);
    let depth = xml.depth();
    while let Some(tag) = xml.tag_within(depth) {
        match tag.name() {
            "hlinkClick" => {
                let id = tag.relation("id").unwrap_or_default();
                looks.link = relations.address(&id).map(Into::into);
            }
            "ln" | "effectLst" => xml.skip(),
            "highlight" => {
                unseen &= ground.is_none_or(|ground| ground.fills_white(xml));
            }
            "solidFill" => unseen |= ground.is_some_and(|ground| ground.fills_white(xml)),
            _ => {}
        }
    }
    (!unseen).then_some(looks)
}

/// Writes paragraphs as items and text.
pub(super) fn write(paragraphs: &[SlideParagraph], key: u32, blocks: &mut BlockWriter) {
    let mut counts = [0_u32; LEVELS];
    for paragraph in paragraphs {
        let at = usize::from(paragraph.level);
        counts[at + 1..].fill(0);
        match paragraph.bullet {
            BulletKind::None => {
                counts[at] = 0;
                blocks.paragraph(&paragraph.inlines);
            }
            BulletKind::Mark => {
                counts[at] = 0;
                blocks.item(paragraph.level, None, key, &paragraph.inlines);
            }
            BulletKind::Number(start) => {
                if paragraph.inlines.is_blank() {
                    continue;
                }
                let number = start.saturating_add(counts[at]);
                counts[at] += 1;
                blocks.item(paragraph.level, Some(number), key, &paragraph.inlines);
            }
        }
    }
    blocks.end();
}

/// The paragraphs of a cell, each on a line.
pub(super) fn in_cell(paragraphs: Vec<SlideParagraph>) -> InlineContent {
    let mut cell = InlineContent::default();
    for paragraph in paragraphs {
        if !paragraph.inlines.is_blank() {
            cell.next_line();
            if paragraph.bullet != BulletKind::None {
                cell.text(&RunStyle::default(), "\u{2022} ");
            }
            cell.append(paragraph.inlines);
        }
    }
    cell
}
