//! Paragraphs of shapes and cells, and what runs in them.
//!
//! Rules: ISO/IEC 29500-1, 21.1.2 (text).

use super::super::blocks::Blocks;
use super::super::inlines::{Inlines, Looks};
use super::super::package::Relations;
use super::super::xml::{Item, Tag, Xml, is_true};
use super::bullets::{self, Bullet, LEVELS, Levels};
use super::ground::SlideGround;
use crate::document::formula::read_omml;

/// The deepest level of a list.
const DEEPEST: u8 = 8;

/// The longest text of one run, in bytes.
const MAX_RUN: usize = 4 << 20;

/// The smallest type that somebody sees, in hundredths of a point.
const SMALLEST: u32 = 200;

/// A paragraph.
pub(super) struct Paragraph {
    pub(super) inlines: Inlines,
    level: u8,
    bullet: Bullet,
}

/// Reads the text of the element that was opened last.
/// A `ground` is given where it is white: on that, white text is not seen.
pub(super) fn read(
    xml: &mut Xml<'_>,
    relations: &Relations,
    levels: &Levels,
    ground: Option<&SlideGround>,
) -> Vec<Paragraph> {
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
    xml: &mut Xml<'_>,
    relations: &Relations,
    levels: &Levels,
    ground: Option<&SlideGround>,
) -> Paragraph {
    let depth = xml.depth();
    let mut inlines = Inlines::default();
    let mut looks = Some(Looks::default());
    let (mut level, mut own) = (0, None);
    while let Some(item) = xml.within(depth) {
        let Item::Open(tag) = item else { continue };
        match tag.name() {
            "pPr" => {
                level = tag.number::<u8>("lvl").unwrap_or(0).min(DEEPEST);
                let depth = xml.depth();
                while let Some(tag) = xml.tag_within(depth) {
                    own = bullets::bullet_of(&tag).or(own);
                }
            }
            "r" | "fld" => looks = Some(Looks::default()),
            "rPr" => looks = run(xml, &tag, relations, ground),
            "t" => {
                let text = xml.text_within(MAX_RUN);
                if let Some(looks) = &looks {
                    inlines.text(looks, &text);
                }
            }
            "oMath" => inlines.text(&Looks::default(), &read_omml(xml)),
            "br" => {
                inlines.line_end();
                xml.skip();
            }
            "tab" => inlines.text(&Looks::default(), "\t"),
            "endParaRPr" | "Fallback" => xml.skip(),
            _ => {}
        }
    }
    let bullet = own.or(levels[usize::from(level)]).unwrap_or(Bullet::None);
    Paragraph {
        inlines,
        level,
        bullet,
    }
}

/// The looks of a run; `None` if nobody sees it.
fn run(
    xml: &mut Xml<'_>,
    tag: &Tag<'_>,
    relations: &Relations,
    ground: Option<&SlideGround>,
) -> Option<Looks> {
    let on = |name: &str| tag.attribute(name).is_some_and(|on| is_true(&on));
    let mut looks = Looks {
        bold: on("b"),
        italic: on("i"),
        deleted: tag
            .attribute("strike")
            .is_some_and(|strike| strike != "noStrike"),
        ..Looks::default()
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
pub(super) fn write(paragraphs: &[Paragraph], key: u32, blocks: &mut Blocks) {
    let mut counts = [0_u32; LEVELS];
    for paragraph in paragraphs {
        let at = usize::from(paragraph.level);
        counts[at + 1..].fill(0);
        match paragraph.bullet {
            Bullet::None => {
                counts[at] = 0;
                blocks.paragraph(&paragraph.inlines);
            }
            Bullet::Mark => {
                counts[at] = 0;
                blocks.item(paragraph.level, None, key, &paragraph.inlines);
            }
            Bullet::Number(start) => {
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
pub(super) fn in_cell(paragraphs: Vec<Paragraph>) -> Inlines {
    let mut cell = Inlines::default();
    for paragraph in paragraphs {
        if !paragraph.inlines.is_blank() {
            cell.next_line();
            if paragraph.bullet != Bullet::None {
                cell.text(&Looks::default(), "\u{2022} ");
            }
            cell.append(paragraph.inlines);
        }
    }
    cell
}
