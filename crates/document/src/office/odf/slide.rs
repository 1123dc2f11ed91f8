//! Reads the slides of an ODP file: each becomes a heading and its content.
//!
//! Rules: `OpenDocument` 1.3, part 3, 10.2 (pages) and 3.6 (presentations). Hidden slides are
//! left out, and a notice says how many.

use super::super::inlines::InlineContent;
use super::super::pptx::slide::sort_by_place;
use super::text::OdfReader;
use iki_markdown::xml::{XmlReader, XmlTag};

/// Limit of a slide's shapes.
const MAX_SHAPES: usize = 20_000;

/// Lengths of a millimetre and an inch in the unit of places.
const MILLIMETRE: f64 = 36_000.0;
const INCH: f64 = 914_400.0;

/// Reads the slides of the element that was opened last.
pub(super) fn read(xml: &mut XmlReader<'_>, reader: &mut OdfReader<'_, '_>) {
    let level = xml.depth();
    let (mut number, mut hidden) = (0, 0);
    while let Some(tag) = xml.tag_within(level) {
        if tag.name() != "page" {
            xml.skip();
            continue;
        }
        if !reader.blocks.has_room() {
            return;
        }
        number += 1;
        let style = tag.attribute("style-name").unwrap_or_default();
        if reader.styles.look("drawing-page", &style).hidden {
            hidden += 1;
            xml.skip();
        } else {
            read_slide(xml, number, reader);
        }
    }
    reader.blocks.add_left_out(hidden, "hidden slide");
}

fn read_slide(xml: &mut XmlReader<'_>, number: usize, reader: &mut OdfReader<'_, '_>) {
    let level = xml.depth();
    let (mut title, mut shapes, mut notes, mut comments) =
        (String::new(), Vec::new(), "", Vec::new());
    while let Some(tag) = xml.tag_within(level) {
        match tag.name() {
            "notes" => notes = xml.skip_to_source(),
            "annotation" => comments.push(xml.skip_to_source()),
            "forms" | "par" | "seq" | "animations" => xml.skip(),
            _ if shapes.len() >= MAX_SHAPES => break,
            name => {
                let class = tag.value("class");
                let is_frame = name == "frame";
                let place = place_of(&tag);
                let source = xml.skip_to_source();
                if class == "title" && title.is_empty() {
                    title = reader.plain_inlines(source).words();
                } else if !matches!(&*class, "date-time" | "footer" | "page-number" | "header") {
                    shapes.push((place, (is_frame, source)));
                }
            }
        }
    }
    reader.blocks.add_slide_heading(title, number);
    sort_by_place(&mut shapes);
    for (_, (is_frame, source)) in shapes {
        if is_frame {
            read_framed(source, reader);
        } else {
            reader.read_source(source);
        }
        reader.blocks.end();
    }
    for source in comments {
        let comment = OdfReader::comment_of(source, "");
        let text = reader.plain_inlines(source);
        reader
            .blocks
            .add_item(0, None, u32::MAX, &text.behind(&comment));
    }
    write_speaker_notes(notes, reader);
}

/// Reads the source of a frame.
fn read_framed(source: &str, reader: &mut OdfReader<'_, '_>) {
    let (mut inlines, mut boxes) = (InlineContent::default(), Vec::new());
    let mut xml = XmlReader::new(source, reader.package.end());
    reader.read_frame(&mut xml, &mut inlines, &mut boxes);
    reader.blocks.add_paragraph(&inlines);
    for source in boxes {
        reader.read_source(&source);
    }
}

fn write_speaker_notes(notes: &str, reader: &mut OdfReader<'_, '_>) {
    let mut sources = Vec::new();
    XmlReader::new(notes, reader.package.end()).each_tag(|xml, tag| {
        let is_text = tag.says("class", "notes");
        let source = xml.skip_to_source();
        if is_text && !reader.plain_inlines(source).is_blank() {
            sources.push(source);
        }
    });
    if !sources.is_empty() {
        reader.blocks.add_plain_heading(3, "Notes");
    }
    for source in sources {
        read_framed(source, reader);
    }
    reader.blocks.end();
}

/// The place of a shape: left, top, width, height.
fn place_of(tag: &XmlTag<'_>) -> Option<[i64; 4]> {
    let length = |name: &str| parse_length(&tag.attribute(name)?);
    Some([
        length("x")?,
        length("y")?,
        length("width").unwrap_or(0),
        length("height").unwrap_or(0),
    ])
}

#[allow(
    clippy::cast_possible_truncation,
    reason = "a length beyond the limit is cut to it"
)]
fn parse_length(text: &str) -> Option<i64> {
    let unit_start = text.find(|c: char| c.is_ascii_alphabetic())?;
    let unit = match &text[unit_start..] {
        "cm" => 10.0 * MILLIMETRE,
        "mm" => MILLIMETRE,
        "in" => INCH,
        "pt" => INCH / 72.0,
        _ => return None,
    };
    Some((text[..unit_start].parse::<f64>().ok()? * unit) as i64)
}
