//! Reads what is within a paragraph: runs, links, notes, fields, pictures and other shapes.
//!
//! Rules: `OpenDocument` 1.3, part 3, 6 (inlines), 7 (fields) and 10.4 (frames).

use std::borrow::Cow;
use std::rc::Rc;

use super::super::docx::styles::RunProperties;
use super::super::inlines::InlineContent;
use super::super::package::resolve_part_name;
use super::text::{OdfReader, is_hidden};
use iki_markdown::formula::read_mathml;
use iki_markdown::xml::{XmlEvent, XmlReader, XmlTag};

/// Limit of a paragraph's open spans and links.
const MAX_OPEN: usize = 200;

/// Maximum number of spaces that one element means.
const MAX_SPACES: usize = 200;

/// Limit of a description, in bytes.
const MAX_ALT: usize = 4000;

/// Limits of an object's size, in bytes, and of the boxes of a paragraph that has objects.
const MAX_OBJECT: usize = 1 << 20;
const MAX_OBJECTS: usize = 64;

/// The open spans of a paragraph.
struct OpenSpan {
    depth: usize,
    run: RunProperties,
    link: Option<Rc<str>>,
}

impl OdfReader<'_, '_> {
    /// Reads the content of the paragraph that was opened last, and the sources of the boxes in it.
    pub(super) fn read_inlines<'x>(
        &mut self,
        xml: &mut XmlReader<'x>,
        run: RunProperties,
        in_code: bool,
    ) -> (InlineContent, Vec<Cow<'x, str>>) {
        let level = xml.depth();
        let (mut inlines, mut boxes) = (InlineContent::default(), Vec::new());
        let mut spans = vec![OpenSpan {
            depth: level,
            run,
            link: None,
        }];
        while let Some(item) = xml.within(level) {
            let Some(span) = spans.last() else { break };
            let (run, link) = (span.run, span.link.clone());
            let style = run.style(in_code, link.clone());
            let is_shown = self.is_shown(&run);
            let tag = match item {
                XmlEvent::Text(text) => {
                    if is_shown {
                        inlines.add_text(&style, &text);
                    }
                    continue;
                }
                XmlEvent::Close => {
                    let depth = xml.depth();
                    while spans.len() > 1 && spans.last().is_some_and(|span| span.depth > depth) {
                        spans.pop();
                    }
                    continue;
                }
                XmlEvent::Open(tag) => tag,
            };
            match tag.name() {
                "span" | "a" if spans.len() < MAX_OPEN => {
                    let name = tag.attribute("style-name").unwrap_or_default();
                    let own_style = self.styles.look("text", &name);
                    let mut run = own_style.run.or(run);
                    if own_style.code {
                        run.mono = Some(true);
                    }
                    let address = tag.attribute("href").filter(|_| tag.name() == "a");
                    let address = address.filter(|address| !address.is_empty());
                    spans.push(OpenSpan {
                        depth: xml.depth(),
                        run,
                        link: address.map(Into::into).or(link),
                    });
                }
                "s" if is_shown => {
                    let spaces = tag.number("c").unwrap_or(1).min(MAX_SPACES);
                    inlines.add_text(&style, &" ".repeat(spaces));
                }
                "tab" if is_shown => inlines.add_text(&style, "\t"),
                "line-break" if is_shown => inlines.add_line_break(),
                "note" => {
                    xml.each_tag(|xml, tag| {
                        if tag.name() == "note-body" {
                            let source = xml.skip_to_source();
                            if is_shown && let Some(number) = self.keep_note(String::new(), source)
                            {
                                inlines.add_note_mark(number);
                            }
                        } else {
                            xml.skip();
                        }
                    });
                }
                "annotation" => {
                    let source = xml.skip_to_source();
                    if let Some(number) = self.keep_note(Self::comment_of(source, ""), source) {
                        inlines.add_note_mark(number);
                    }
                }
                "frame" => self.read_frame(xml, &mut inlines, &mut boxes),
                "custom-shape" | "rect" | "ellipse" | "circle" | "line" | "connector"
                | "polygon" | "polyline" | "path" | "caption" => {
                    boxes.push(xml.skip_to_source().into());
                }
                "ruby-text" | "note-citation" | "bibliography-source" | "event-listeners" => {
                    xml.skip();
                }
                _ if is_hidden(&tag) => xml.skip(),
                _ => {}
            }
        }
        (inlines, boxes)
    }

    /// Reads a frame: a picture, an object, or a text box, whose source is kept.
    pub(super) fn read_frame<'x>(
        &mut self,
        xml: &mut XmlReader<'x>,
        inlines: &mut InlineContent,
        boxes: &mut Vec<Cow<'x, str>>,
    ) {
        let (mut alt, mut name) = (String::new(), String::new());
        xml.each_tag(|xml, tag| match tag.name() {
            "text-box" => boxes.push(xml.skip_to_source().into()),
            "image" if name.is_empty() => {
                name = tag.value("href");
            }
            "desc" => alt = xml.text_within(MAX_ALT),
            "title" if alt.is_empty() => alt = xml.text_within(MAX_ALT),
            "object" => {
                let address = tag.value("href");
                self.read_object(&address, inlines, boxes);
            }
            "table" => self.read_table(xml),
            "annotation" | "event-listeners" => xml.skip(),
            _ => {}
        });
        if !alt.trim().is_empty() {
            inlines.add_image(&alt, &name);
        }
    }

    /// Reads a document within this one: a formula, or the title and values of a chart.
    fn read_object(
        &mut self,
        address: &str,
        inlines: &mut InlineContent,
        boxes: &mut Vec<Cow<'_, str>>,
    ) {
        let part = resolve_part_name("", address).map(|folder| format!("{folder}/content.xml"));
        let Some(text) = part.and_then(|part| self.package.text(&part)) else {
            return;
        };
        if text.len() > MAX_OBJECT || boxes.len() > MAX_OBJECTS {
            self.blocks.is_cut = true;
            return;
        }
        XmlReader::new(&text, self.package.end()).each_tag(|xml, tag| match tag.name() {
            "math" => {
                let source = xml.skip_to_source();
                let plain = || XmlReader::new(source, None).text_within(MAX_ALT);
                let formula = read_mathml(source, |_| false).unwrap_or_else(plain);
                inlines.add_plain(&formula);
            }
            "chart" => boxes.push(xml.skip_to_source().to_owned().into()),
            _ => {}
        });
    }

    /// Reads a shape outside of paragraphs.
    pub(super) fn read_shape(&mut self, xml: &mut XmlReader<'_>, tag: &XmlTag<'_>) {
        if !self.enter(xml) {
            return;
        }
        if tag.name() == "frame" {
            let (mut inlines, mut boxes) = (InlineContent::default(), Vec::new());
            self.read_frame(xml, &mut inlines, &mut boxes);
            match self.blocks.cells.last_mut() {
                Some(cell) => cell.append(inlines),
                None => self.blocks.add_paragraph(&inlines),
            }
            for source in boxes {
                self.read_source(&source);
            }
        } else {
            let level = xml.depth();
            self.read_blocks(xml, level);
        }
        self.depth -= 1;
    }
}
