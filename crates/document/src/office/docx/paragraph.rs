//! Reads the paragraphs of a DOCX file and their runs.
//!
//! Rules: ISO/IEC 29500-1, 17.3 (paragraphs and runs), 17.13 (revisions), 20.4 (drawings), 22.1
//! (mathematics); ISO/IEC 29500-3 (alternate content).

use std::rc::Rc;

use super::super::blocks::ParagraphRole;
use super::super::diagram::{self, description_of};
use super::super::inlines::InlineContent;
use super::field::{self, DocxField};
use super::styles::{ParagraphStyle, RunProperties, is_shaded};
use super::{DocxReader, NOTES};
use crate::symbol_font;
use iki_markdown::formula::read_omml;
use iki_markdown::xml::{XmlEvent, XmlReader, XmlTag};

/// Limit of a run's text, in bytes.
const MAX_RUN: usize = 4 << 20;

/// Maximum nesting of fields and links.
const MAX_OPEN: usize = 64;

/// The properties of a paragraph.
#[derive(Default)]
struct ParagraphProperties {
    style_id: Option<String>,
    outline: Option<u8>,
    list: (Option<u32>, Option<u8>),
    style: ParagraphStyle,
    /// True if the next paragraph continues it: the mark at its end was deleted, or it is a drop
    /// cap.
    continues: bool,
    /// True if its background is another colour than white.
    shaded: bool,
}

#[derive(Default)]
struct OpenParagraph<'x> {
    properties: ParagraphProperties,
    inlines: InlineContent,
    run: RunProperties,
    /// The open links and their depths.
    links: Vec<(usize, Option<Rc<str>>)>,
    /// Description of the open drawing.
    alt: String,
    /// True if the open drawing is hidden.
    drawing_hidden: bool,
    boxes: Vec<&'x str>,
    /// The parts that hold the data of its diagrams.
    diagrams: Vec<String>,
}

impl DocxReader<'_, '_> {
    pub(super) fn read_paragraph(&mut self, xml: &mut XmlReader<'_>) {
        let level = xml.depth();
        let mut paragraph = OpenParagraph {
            inlines: self.joined.take().unwrap_or_default(),
            ..OpenParagraph::default()
        };
        paragraph.properties.style = self.styles.paragraph_style(None);
        while let Some(item) = xml.within(level) {
            match item {
                XmlEvent::Open(tag) => self.read_element(xml, &tag, &mut paragraph),
                XmlEvent::Close => {
                    let depth = xml.depth();
                    while paragraph
                        .links
                        .last()
                        .is_some_and(|(link_depth, _)| *link_depth > depth)
                    {
                        paragraph.links.pop();
                    }
                }
                XmlEvent::Text(_) => {}
            }
        }
        self.describe_drawing(&mut paragraph);
        self.end_paragraph(paragraph);
    }

    #[allow(clippy::too_many_lines, reason = "one arm for each element")]
    fn read_element<'x>(
        &mut self,
        xml: &mut XmlReader<'x>,
        tag: &XmlTag<'_>,
        paragraph: &mut OpenParagraph<'x>,
    ) {
        match tag.name() {
            "pPr" => paragraph.properties = self.read_paragraph_properties(xml),
            "r" => {
                self.describe_drawing(paragraph);
                paragraph.run = RunProperties::default();
            }
            "rPr" => paragraph.run = self.read_run_properties(xml),
            "t" => {
                let text = xml.text_within(MAX_RUN);
                self.add_text(paragraph, &text);
            }
            "instrText" => {
                let code = xml.text_within(MAX_RUN);
                if let Some(field) = self.fields.last_mut() {
                    field.add_code(&code);
                }
            }
            "tab" | "ptab" => self.add_text(paragraph, "\t"),
            "noBreakHyphen" => self.add_text(paragraph, "\u{2011}"),
            "sym" => {
                let code = tag.attribute("char").unwrap_or_default();
                let code = u32::from_str_radix(code.trim(), 16).ok();
                let font = tag.attribute("font").unwrap_or_default();
                let symbol = code.and_then(|code| symbol_font::character(code, &font));
                if let Some(symbol) = symbol {
                    self.add_text(paragraph, symbol.encode_utf8(&mut [0; 4]));
                }
            }
            "br" | "cr" => {
                let page = tag.attribute("type");
                if page.is_some_and(|kind| kind == "page" || kind == "column") {
                    self.add_text(paragraph, " ");
                } else if self.is_shown(paragraph) {
                    paragraph.inlines.add_line_break();
                }
            }
            "hyperlink" => {
                let address = tag.relation("id").unwrap_or_default();
                let address = self.relations.address(&address).unwrap_or_default();
                let anchor = tag.attribute("anchor").unwrap_or_default();
                if paragraph.links.len() < MAX_OPEN {
                    paragraph
                        .links
                        .push((xml.depth(), field::link_target(address, &anchor)));
                }
            }
            "fldSimple" => {
                let link = field::hyperlink_target(&tag.attribute("instr").unwrap_or_default());
                if link.is_some() && paragraph.links.len() < MAX_OPEN {
                    paragraph.links.push((xml.depth(), link));
                }
            }
            "fldChar" => match tag.attribute("fldCharType").as_deref() {
                Some("begin") if self.fields.len() < MAX_OPEN => {
                    self.fields.push(DocxField::default());
                }
                Some("separate") => {
                    if let Some(field) = self.fields.last_mut() {
                        field.begin_result();
                    }
                }
                Some("end") => {
                    let field = self.fields.pop();
                    let symbol = field.filter(|field| !field.shows_result);
                    if let Some(symbol) = symbol.and_then(|field| field.symbol()) {
                        self.add_text(paragraph, symbol.encode_utf8(&mut [0; 4]));
                    }
                }
                _ => {}
            },
            name @ ("footnoteReference" | "endnoteReference" | "commentReference") => {
                let id = tag.attribute("id").unwrap_or_default();
                let kind = NOTES
                    .iter()
                    .position(|(_, prefix)| name.starts_with(prefix));
                if self.is_shown(paragraph)
                    && let Some(number) = kind.and_then(|kind| self.note_number(kind, &id))
                {
                    paragraph.inlines.add_note_mark(number);
                }
            }
            "drawing" | "pict" => {
                self.describe_drawing(paragraph);
                paragraph.drawing_hidden = false;
            }
            "docPr" => {
                paragraph.alt = description_of(tag);
                paragraph.drawing_hidden = tag.is_set("hidden");
            }
            "shape" | "rect" if tag.attribute("alt").is_some() => {
                paragraph.alt = tag.value("alt");
            }
            "blip" | "imagedata" => {
                let mut ids = ["embed", "link", "id"].into_iter();
                let id = ids.find_map(|name| tag.relation(name)).unwrap_or_default();
                let relations = &self.relations;
                let name = relations.part(&id).or_else(|| relations.address(&id));
                let name = name.unwrap_or_default();
                let alt = std::mem::take(&mut paragraph.alt);
                if !alt.trim().is_empty() && !paragraph.drawing_hidden && self.is_shown(paragraph) {
                    paragraph.inlines.add_image(&alt, name);
                }
            }
            "chart" if !paragraph.drawing_hidden => self.blocks.charts += 1,
            "relIds" if !paragraph.drawing_hidden => {
                let id = tag.relation("dm").unwrap_or_default();
                let part = self.relations.part(&id).map(str::to_owned);
                paragraph.diagrams.extend(part);
            }
            "txbxContent" => {
                let text = xml.skip_to_source();
                if !paragraph.drawing_hidden && self.is_shown(paragraph) {
                    paragraph.boxes.push(text);
                }
            }
            "oMath" => {
                paragraph.run = RunProperties::default();
                let formula = read_omml(xml);
                self.add_text(paragraph, &formula);
            }
            "del" | "moveFrom" | "delText" | "delInstrText" | "Fallback" | "pPrChange"
            | "rPrChange" | "sdtPr" | "rt" | "fldData" | "ffData" => xml.skip(),
            _ => {}
        }
    }

    /// True if text at this place is visible.
    fn is_shown(&self, paragraph: &OpenParagraph<'_>) -> bool {
        let run = paragraph.run.or(paragraph.properties.style.run);
        !run.is_unseen(!self.shaded && !paragraph.properties.shaded)
            && self.fields.iter().all(|field| field.shows_result)
    }

    fn add_text(&self, paragraph: &mut OpenParagraph<'_>, text: &str) {
        if !self.is_shown(paragraph) {
            return;
        }
        let link = paragraph
            .links
            .iter()
            .rev()
            .find_map(|(_, link)| link.clone());
        let field = || {
            self.fields
                .iter()
                .rev()
                .find_map(|field| field.link.clone())
        };
        let in_code = paragraph.properties.style.code;
        let style = paragraph.run.style(in_code, link.or_else(field));
        paragraph.inlines.add_text(&style, text);
    }

    /// Adds the description of a drawing that holds no picture, as a chart or a group of shapes.
    fn describe_drawing(&self, paragraph: &mut OpenParagraph<'_>) {
        let alt = std::mem::take(&mut paragraph.alt);
        if !alt.trim().is_empty() && !paragraph.drawing_hidden && self.is_shown(paragraph) {
            paragraph.inlines.add_image(&alt, "");
        }
    }

    fn read_run_properties(&mut self, xml: &mut XmlReader<'_>) -> RunProperties {
        let (mut properties, mut style) = (RunProperties::default(), RunProperties::default());
        xml.each_tag(|xml, tag| match tag.name() {
            "rStyle" => {
                style = self
                    .styles
                    .run_style(&tag.attribute("val").unwrap_or_default());
            }
            "rPrChange" => xml.skip(),
            _ => properties.read(tag),
        });
        // In a document that is monospaced throughout, the font does not mark code.
        let plain = self.styles.paragraph_style(None).run.mono;
        let mut run = properties.or(style);
        run.mono = run.mono.filter(|_| plain != Some(true));
        run
    }

    fn read_paragraph_properties(&mut self, xml: &mut XmlReader<'_>) -> ParagraphProperties {
        let level = xml.depth();
        let mut properties = ParagraphProperties::default();
        while let Some(tag) = xml.tag_within(level) {
            match tag.name() {
                "pStyle" => properties.style_id = tag.attribute("val").map(Into::into),
                "outlineLvl" => properties.outline = tag.number("val"),
                // A drop cap, in a frame of its own.
                "framePr" => {
                    let drop = tag.attribute("dropCap");
                    properties.continues |=
                        drop.is_some_and(|drop| drop == "drop" || drop == "margin");
                }
                "shd" => properties.shaded = is_shaded(&tag),
                "numId" => properties.list.0 = tag.number("val"),
                "ilvl" => properties.list.1 = tag.number("val"),
                "rPr" => {
                    xml.each_tag(|xml, tag| match tag.name() {
                        "del" | "moveFrom" => properties.continues = true,
                        "rPrChange" => xml.skip(),
                        _ => {}
                    });
                }
                "pPrChange" | "sectPr" | "tabs" | "numberingChange" => xml.skip(),
                _ => {}
            }
        }
        properties.style = self.styles.paragraph_style(properties.style_id.as_deref());
        properties
    }

    fn end_paragraph(&mut self, paragraph: OpenParagraph<'_>) {
        let OpenParagraph {
            properties,
            inlines,
            boxes,
            diagrams,
            ..
        } = paragraph;
        if properties.continues {
            self.joined = Some(inlines);
        } else {
            let style = properties.style;
            let list = properties.list.0.or(style.list.0).filter(|list| *list > 0);
            let label = list.and_then(|list| {
                let by_style = || {
                    let style = properties.style_id.as_deref()?;
                    properties
                        .list
                        .0
                        .is_none()
                        .then(|| self.numbering.level_of(list, style))?
                };
                let level = properties.list.1.or_else(by_style).or(style.list.1);
                self.numbering.next_label(list, level.unwrap_or(0))
            });
            let heading = match properties.outline {
                Some(outline) => (outline < 9).then_some(outline + 1),
                None => style.heading,
            };
            let is_block = || self.blocks.in_code() || inlines.plain().contains('\n');
            let role = ParagraphRole {
                heading: heading.or(style.title.then_some(1)),
                is_title: style.title && !self.in_note,
                is_code: style.code || inlines.is_code() && is_block(),
                label,
            };
            self.blocks.add_by_role(role, inlines);
        }
        for part in diagrams {
            diagram::write(self.package, &part, &mut self.blocks);
        }
        for text in boxes {
            self.read_text_box(text);
        }
    }
}
