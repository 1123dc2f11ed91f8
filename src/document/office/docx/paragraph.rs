//! Paragraphs of a DOCX file, and what runs in them.
//!
//! Rules: ISO/IEC 29500-1, 17.3 (paragraphs and runs), 17.13 (revisions), 20.4 (drawings), 22.1
//! (mathematics); ISO/IEC 29500-3 (alternate content).

use std::rc::Rc;

use super::super::inlines::{Inlines, Looks};
use super::super::xml::{Item, Tag, Xml, is_true};
use super::Docx;
use super::field::{self, Field};
use super::styles::{Made, Type, is_shaded};
use crate::document::formula::read_omml;

/// The longest text of one run, in bytes.
const MAX_RUN: usize = 4 << 20;

/// How deep fields and links are nested at most.
const MAX_OPEN: usize = 64;

/// What a paragraph says of itself.
#[derive(Default)]
struct Properties {
    style: Option<String>,
    outline: Option<u8>,
    list: (Option<u32>, Option<u8>),
    made: Made,
    /// Whether the mark at its end was deleted.
    unended: bool,
    /// It stands on another colour than white.
    shaded: bool,
}

/// A paragraph that is being read.
#[derive(Default)]
struct Paragraph<'x> {
    properties: Properties,
    inlines: Inlines,
    run: Type,
    /// The links that are open, and how deep.
    links: Vec<(usize, Option<Rc<str>>)>,
    /// What the drawing that is open says of itself.
    alt: String,
    /// Whether the drawing that is open is hidden.
    veiled: bool,
    boxes: Vec<&'x str>,
    drawings: Vec<String>,
}

impl Docx<'_, '_> {
    pub(super) fn paragraph(&mut self, xml: &mut Xml<'_>) {
        let level = xml.depth();
        let mut paragraph = Paragraph {
            inlines: self.joined.take().unwrap_or_default(),
            ..Paragraph::default()
        };
        paragraph.properties.made = self.styles.paragraph(None);
        while let Some(item) = xml.within(level) {
            match item {
                Item::Open(tag) => self.open(xml, &tag, &mut paragraph),
                Item::Close => {
                    let depth = xml.depth();
                    while paragraph.links.last().is_some_and(|(at, _)| *at > depth) {
                        paragraph.links.pop();
                    }
                }
                Item::Text(_) => {}
            }
        }
        self.end_paragraph(paragraph);
    }

    #[allow(clippy::too_many_lines, reason = "one arm for each element")]
    fn open<'x>(&mut self, xml: &mut Xml<'x>, tag: &Tag<'_>, paragraph: &mut Paragraph<'x>) {
        match tag.name() {
            "pPr" => paragraph.properties = self.properties(xml),
            "r" => paragraph.run = Type::default(),
            "rPr" => paragraph.run = self.run(xml),
            "t" => {
                let text = xml.text_within(MAX_RUN);
                self.say(paragraph, &text);
            }
            "instrText" => {
                let code = xml.text_within(MAX_RUN);
                if let Some(field) = self.fields.last_mut() {
                    field.say(&code);
                }
            }
            "tab" | "ptab" => self.say(paragraph, "\t"),
            "noBreakHyphen" => self.say(paragraph, "\u{2011}"),
            "sym" => {
                let code = tag.attribute("char").unwrap_or_default();
                let font = tag.attribute("font").unwrap_or_default();
                if let Some(symbol) = symbol(&code, &font) {
                    self.say(paragraph, symbol.encode_utf8(&mut [0; 4]));
                }
            }
            "br" | "cr" => {
                let page = tag.attribute("type");
                if page.is_some_and(|kind| kind == "page" || kind == "column") {
                    self.say(paragraph, " ");
                } else if self.is_shown(paragraph) {
                    paragraph.inlines.line_end();
                }
            }
            "hyperlink" => {
                let address = tag.relation("id").unwrap_or_default();
                let address = self.relations.address(&address).unwrap_or_default();
                let anchor = tag.attribute("anchor").unwrap_or_default();
                if paragraph.links.len() < MAX_OPEN {
                    paragraph
                        .links
                        .push((xml.depth(), field::target(address, &anchor)));
                }
            }
            "fldSimple" => {
                let link = field::link(&tag.attribute("instr").unwrap_or_default());
                if link.is_some() && paragraph.links.len() < MAX_OPEN {
                    paragraph.links.push((xml.depth(), link));
                }
            }
            "fldChar" => match tag.attribute("fldCharType").as_deref() {
                Some("begin") if self.fields.len() < MAX_OPEN => self.fields.push(Field::default()),
                Some("separate") => {
                    if let Some(field) = self.fields.last_mut() {
                        field.show();
                    }
                }
                Some("end") => drop(self.fields.pop()),
                _ => {}
            },
            name @ ("footnoteReference" | "endnoteReference") => {
                let id = tag.attribute("id").unwrap_or_default();
                if self.is_shown(paragraph)
                    && let Some(number) = self.note(name == "endnoteReference", &id)
                {
                    paragraph.inlines.mark(number);
                }
            }
            "drawing" | "pict" => {
                paragraph.alt.clear();
                paragraph.veiled = false;
            }
            "docPr" => {
                paragraph.alt = described(tag);
                paragraph.veiled = tag.attribute("hidden").is_some_and(|on| is_true(&on));
            }
            "shape" | "rect" if tag.attribute("alt").is_some() => {
                paragraph.alt = tag.attribute("alt").unwrap_or_default().into_owned();
            }
            "blip" | "imagedata" => {
                let mut ids = ["embed", "link", "id"].into_iter();
                let id = ids.find_map(|name| tag.relation(name)).unwrap_or_default();
                let relations = &self.relations;
                let name = relations.part(&id).or_else(|| relations.address(&id));
                let name = name.unwrap_or_default();
                let alt = std::mem::take(&mut paragraph.alt);
                if !alt.trim().is_empty() && !paragraph.veiled && self.is_shown(paragraph) {
                    paragraph.inlines.image(&alt, name);
                }
            }
            "chart" | "relIds" if !paragraph.veiled => {
                let id = tag.relation("id").or_else(|| tag.relation("dm"));
                if let Some(part) = id.and_then(|id| self.relations.part(&id)) {
                    paragraph.drawings.push(part.to_owned());
                }
            }
            "txbxContent" => {
                let text = xml.skipped();
                if !paragraph.veiled && self.is_shown(paragraph) {
                    paragraph.boxes.push(text);
                }
            }
            "oMath" => {
                paragraph.run = Type::default();
                let formula = read_omml(xml);
                self.say(paragraph, &formula);
            }
            "del" | "moveFrom" | "delText" | "delInstrText" | "Fallback" | "pPrChange"
            | "rPrChange" | "sdtPr" | "rt" | "fldData" | "ffData" => xml.skip(),
            _ => {}
        }
    }

    /// Whether what comes is seen.
    fn is_shown(&self, paragraph: &Paragraph<'_>) -> bool {
        let look = paragraph.run.or(paragraph.properties.made.look);
        !look.is_unseen(!self.shaded && !paragraph.properties.shaded)
            && self.fields.iter().all(|field| field.shown)
    }

    fn say(&self, paragraph: &mut Paragraph<'_>, text: &str) {
        if !self.is_shown(paragraph) {
            return;
        }
        let run = paragraph.run;
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
        let looks = Looks {
            bold: run.bold == Some(true),
            italic: run.italic == Some(true),
            deleted: run.deleted == Some(true),
            code: run.mono == Some(true) && !paragraph.properties.made.code,
            link: link.or_else(field),
        };
        paragraph.inlines.text(&looks, text);
    }

    fn run(&mut self, xml: &mut Xml<'_>) -> Type {
        let level = xml.depth();
        let (mut own, mut style) = (Type::default(), Type::default());
        while let Some(tag) = xml.tag_within(level) {
            match tag.name() {
                "rStyle" => {
                    style = self.styles.run(&tag.attribute("val").unwrap_or_default());
                }
                "rPrChange" => xml.skip(),
                _ => own.read(&tag),
            }
        }
        // Where all is set in such a font, it marks no code.
        let plain = self.styles.paragraph(None).look.mono;
        let mut run = own.or(style);
        run.mono = run.mono.filter(|_| plain != Some(true));
        run
    }

    fn properties(&mut self, xml: &mut Xml<'_>) -> Properties {
        let level = xml.depth();
        let mut properties = Properties::default();
        while let Some(tag) = xml.tag_within(level) {
            match tag.name() {
                "pStyle" => properties.style = tag.attribute("val").map(Into::into),
                "outlineLvl" => properties.outline = tag.number("val"),
                // A large first letter, which stands in a frame of its own.
                "framePr" => {
                    let drop = tag.attribute("dropCap");
                    properties.unended |=
                        drop.is_some_and(|drop| drop == "drop" || drop == "margin");
                }
                "shd" => properties.shaded = is_shaded(&tag),
                "numId" => properties.list.0 = tag.number("val"),
                "ilvl" => properties.list.1 = tag.number("val"),
                "rPr" => {
                    let level = xml.depth();
                    while let Some(tag) = xml.tag_within(level) {
                        match tag.name() {
                            "del" | "moveFrom" => properties.unended = true,
                            "rPrChange" => xml.skip(),
                            _ => {}
                        }
                    }
                }
                "pPrChange" | "sectPr" | "tabs" | "numberingChange" => xml.skip(),
                _ => {}
            }
        }
        properties.made = self.styles.paragraph(properties.style.as_deref());
        properties
    }

    fn end_paragraph(&mut self, paragraph: Paragraph<'_>) {
        let Paragraph {
            properties,
            mut inlines,
            boxes,
            drawings,
            ..
        } = paragraph;
        if properties.unended {
            self.joined = Some(inlines);
        } else {
            let made = properties.made;
            let list = properties.list.0.or(made.list.0).filter(|list| *list > 0);
            let label = list.and_then(|list| {
                let by_style = || {
                    let style = properties.style.as_deref()?;
                    properties
                        .list
                        .0
                        .is_none()
                        .then(|| self.numbering.level_of(list, style))?
                };
                let level = properties.list.1.or_else(by_style).or(made.list.1);
                self.numbering.next(list, level.unwrap_or(0))
            });
            let heading = match properties.outline {
                Some(outline) => (outline < 9).then_some(outline + 1),
                None => made.heading,
            };
            if !self.cells.is_empty() {
                let label = label.map(|label| match label.number {
                    Some(_) => format!("{} ", label.text),
                    None => "\u{2022} ".to_owned(),
                });
                self.end_in_cell(inlines, label);
            } else if let Some(level) = heading.or(made.title.then_some(1)) {
                inlines.unbold();
                if made.title && self.title.is_empty() && !self.in_note {
                    let plain = inlines.plain();
                    self.title = plain.split_whitespace().collect::<Vec<_>>().join(" ");
                }
                if let Some(label) = label.filter(|label| !label.text.is_empty())
                    && !inlines.is_blank()
                {
                    let mut numbered = Inlines::default();
                    numbered.text(&Looks::default(), &format!("{} ", label.text));
                    numbered.append(std::mem::take(&mut inlines));
                    inlines = numbered;
                }
                self.blocks.heading(level, &inlines);
            } else if made.code
                || inlines.is_code() && (self.blocks.in_code() || inlines.plain().contains('\n'))
            {
                self.blocks.code(&inlines.plain());
            } else if let Some(label) = label {
                self.blocks
                    .item(label.level, label.number, label.key, &inlines);
            } else {
                self.blocks.paragraph(&inlines);
            }
        }
        self.drawings(drawings);
        for text in boxes {
            self.text_box(text);
        }
    }

    fn end_in_cell(&mut self, inlines: Inlines, label: Option<String>) {
        let Some(cell) = self.cells.last_mut() else {
            return;
        };
        if inlines.is_blank() {
            return;
        }
        cell.next_line();
        if let Some(label) = label {
            cell.text(&Looks::default(), &label);
        }
        cell.append(inlines);
    }
}

/// What a drawing says of itself, for those who do not see it.
fn described(tag: &Tag<'_>) -> String {
    let text = ["descr", "title"]
        .into_iter()
        .find_map(|name| tag.attribute(name).filter(|text| !text.trim().is_empty()));
    text.unwrap_or_default().into_owned()
}

/// A character of a font of symbols, as far as one of Unicode stands for it.
fn symbol(code: &str, font: &str) -> Option<char> {
    let mut code = u32::from_str_radix(code.trim(), 16).ok()?;
    if code < 0x100
        && ["Symbol", "Wingdings", "Webdings"]
            .iter()
            .any(|name| font.starts_with(name))
    {
        code += 0xf000;
    }
    Some(match code {
        0xf0fc => '\u{2713}',
        0xf0fe | 0xf078 => '\u{2612}',
        0xf0a8 | 0xf06f => '\u{2610}',
        0xf0b7 | 0xf0a7 => '\u{2022}',
        0xf0e0 => '\u{2192}',
        0xf0e8 => '\u{21d2}',
        0xe000..=0xf8ff => return None,
        code => char::from_u32(code).filter(|c| !c.is_control())?,
    })
}
