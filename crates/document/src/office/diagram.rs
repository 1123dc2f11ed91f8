//! Reads the descriptions of drawings, and the texts of diagrams (`SmartArt`).
//!
//! Rules: ISO/IEC 29500-1, 21.4.

use super::blocks::BlockWriter;
use super::inlines::InlineContent;
use super::package::ZipPackage;
use iki_base::wording::joined_words;
use iki_markdown::xml::{XmlReader, XmlTag};

/// Limit of a point's text, in bytes.
const MAX_TEXT: usize = 2000;

/// Returns the description of a drawing.
pub(super) fn description_of(tag: &XmlTag<'_>) -> String {
    let text = ["descr", "title"]
        .into_iter()
        .find_map(|name| tag.attribute(name).filter(|text| !text.trim().is_empty()));
    text.unwrap_or_default().into_owned()
}

/// Writes the points of the diagram whose data is this part as a list.
pub(super) fn write(package: &mut ZipPackage<'_>, part: &str, blocks: &mut BlockWriter) {
    let text = package.text(part).unwrap_or_default();
    let mut xml = XmlReader::new(&text, package.end());
    while let Some(tag) = xml.tag_within(0) {
        if tag.name() != "pt" {
            continue;
        }
        if matches!(
            tag.attribute("type").as_deref(),
            Some("pres" | "parTrans" | "sibTrans")
        ) {
            xml.skip();
            continue;
        }
        blocks.add_item(0, None, 0, &InlineContent::from_text(&point_text(&mut xml)));
        if !blocks.has_room() {
            return;
        }
    }
    blocks.end();
}

/// Reads all text of the paragraphs within the element that was opened last.
fn point_text(xml: &mut XmlReader<'_>) -> String {
    let mut all = String::new();
    xml.each_tag(|xml, tag| match tag.name() {
        "t" if all.len() < MAX_TEXT => all.push_str(&xml.text_within(MAX_TEXT)),
        "p" | "br" => all.push(' '),
        _ => {}
    });
    joined_words(&all)
}
