//! Resolves the styles of a DOCX file for paragraphs and runs.
//!
//! Rules: ISO/IEC 29500-1, 17.7 (styles), 17.3.1.20 (outline levels). A style inherits whatever it
//! does not set from the style that it is based on.

use std::collections::HashMap;
use std::rc::Rc;

use super::super::inlines::RunStyle;
use crate::symbol_font::SymbolFont;
use iki_markdown::xml::{XmlReader, XmlTag};

/// Limit of a document's styles.
const MAX_STYLES: usize = 20_000;

/// Maximum length of a chain of styles based on one another.
const MAX_CHAIN: usize = 16;

/// The outline level of body text.
const BODY_OUTLINE: u8 = 9;

/// Style names of headings without their numbers, in several languages, and as identifiers, in
/// which some programs leave letters out: `berschrift` for `Überschrift`.
const HEADINGS: &str = "heading berschrift titre título titulo ttulo titolo kop rubrik overskrift \
                        otsikko nagłówek naglowek nagwek nadpis заголовок 标题 標題 見出し 제목 \
                        başlık balk címsor";

/// Beginnings of the names of monospaced fonts that do not say so by their last word.
const MONOSPACED_FONTS: &str =
    "courier,consolas,menlo,monaco,lucida console,source code pro,cascadia,fira code";

/// True if a font is monospaced.
pub(in super::super) fn is_mono(font: &str) -> bool {
    let font = font.to_lowercase();
    font.ends_with(" mono")
        || MONOSPACED_FONTS
            .split(',')
            .any(|mono| font.starts_with(mono))
}

/// True if a colour in hexadecimal digits is white, or nearly so.
pub(in super::super) fn is_white(colour: &str) -> bool {
    let parts = colour.as_bytes().chunks(2);
    colour.len() == 6
        && parts
            .map(|part| std::str::from_utf8(part).map(|part| u8::from_str_radix(part, 16)))
            .all(|part| matches!(part, Ok(Ok(0xf8..))))
}

/// True if shading has another colour than white.
pub(super) fn is_shaded(tag: &XmlTag<'_>) -> bool {
    let attribute = |name: &str| tag.attribute(name).unwrap_or_default();
    let fill = attribute("fill");
    let plain = matches!(&*attribute("val"), "" | "clear" | "nil");
    !plain || !(fill.is_empty() || fill == "auto" || is_white(&fill))
}

/// The properties of a run that a run or a style sets; `None` if it does not.
#[derive(Clone, Copy, Debug, Default)]
pub(in super::super) struct RunProperties {
    pub(in super::super) bold: Option<bool>,
    pub(in super::super) italic: Option<bool>,
    pub(in super::super) deleted: Option<bool>,
    pub(in super::super) hidden: Option<bool>,
    pub(in super::super) mono: Option<bool>,
    /// The font of symbols; `Some(None)` for a font of letters.
    #[allow(clippy::option_option, reason = "a font of letters is set, too")]
    pub(in super::super) symbols: Option<Option<SymbolFont>>,
    /// True for a superscript.
    pub(in super::super) raised: Option<bool>,
    /// White text; a background of another colour than white.
    pub(in super::super) white: Option<bool>,
    pub(in super::super) shaded: Option<bool>,
    /// Size in half points.
    pub(in super::super) size: Option<u16>,
}

/// The smallest visible size, in half points.
const MIN_VISIBLE_SIZE: u16 = 4;

/// The smallest height of a superscript above its line, in half points.
const MIN_RAISE: i32 = 4;

impl RunProperties {
    /// Returns these properties, with missing ones from `other`.
    pub(in super::super) fn or(self, other: Self) -> Self {
        Self {
            bold: self.bold.or(other.bold),
            italic: self.italic.or(other.italic),
            deleted: self.deleted.or(other.deleted),
            hidden: self.hidden.or(other.hidden),
            mono: self.mono.or(other.mono),
            symbols: self.symbols.or(other.symbols),
            raised: self.raised.or(other.raised),
            white: self.white.or(other.white),
            shaded: self.shaded.or(other.shaded),
            size: self.size.or(other.size),
        }
    }

    /// True if the text is invisible; `on_white` is true on a white background.
    pub(in super::super) fn is_unseen(&self, on_white: bool) -> bool {
        self.hidden == Some(true)
            || self.size.is_some_and(|size| size < MIN_VISIBLE_SIZE)
            || (on_white && self.white == Some(true) && self.shaded != Some(true))
    }

    /// Takes what the name of a font says.
    pub(in super::super) fn set_font(&mut self, font: Option<&str>) {
        self.mono = font.map(is_mono);
        self.symbols = font.map(SymbolFont::named);
    }

    /// The style of a run in a paragraph that may be code by itself.
    pub(in super::super) fn style(self, in_code: bool, link: Option<Rc<str>>) -> RunStyle {
        RunStyle {
            bold: self.bold == Some(true),
            italic: self.italic == Some(true),
            deleted: self.deleted == Some(true),
            code: self.mono == Some(true) && !in_code,
            raised: self.raised == Some(true) && self.mono != Some(true) && !in_code,
            symbols: self.symbols.flatten(),
            link,
        }
    }

    /// Reads one property of a run.
    pub(super) fn read(&mut self, tag: &XmlTag<'_>) {
        let on = Some(tag.is_on());
        match tag.name() {
            "b" => self.bold = on,
            "i" => self.italic = on,
            "strike" | "dstrike" => self.deleted = on,
            "vanish" | "webHidden" | "specVanish" => self.hidden = on,
            "color" => self.white = tag.attribute("val").map(|colour| is_white(&colour)),
            "shd" => self.shaded = Some(is_shaded(tag)),
            "highlight" => {
                let colour = tag.attribute("val").unwrap_or_default();
                self.shaded = Some(colour != "none" && colour != "white");
            }
            "vertAlign" => self.raised = Some(tag.says("val", "superscript")),
            "position" => {
                let height = tag.number::<i32>("val");
                self.raised = self.raised.or(height.map(|height| height >= MIN_RAISE));
            }
            "sz" => self.size = tag.number("val"),
            "rFonts" => {
                let font = tag.attribute("ascii").or_else(|| tag.attribute("hAnsi"));
                self.set_font(font.as_deref());
            }
            _ => {}
        }
    }
}

#[derive(Clone, Debug, Default)]
struct DocxStyle {
    name: String,
    based_on: String,
    outline: Option<u8>,
    /// Its list and the level in it.
    list: (Option<u32>, Option<u8>),
    run: RunProperties,
    /// True if it gives cells another colour than white.
    shades: bool,
}

/// The formatting that a style gives a paragraph.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ParagraphStyle {
    /// Heading level, from 1 on.
    pub(super) heading: Option<u8>,
    /// True for the title of the document.
    pub(super) title: bool,
    /// True for a line of code.
    pub(super) code: bool,
    pub(super) list: (Option<u32>, Option<u8>),
    pub(super) run: RunProperties,
}

#[derive(Default)]
pub(super) struct StyleSheet {
    all: HashMap<String, DocxStyle>,
    /// Style of paragraphs that name none.
    default: String,
    /// Resolved styles of paragraphs, by identifier.
    paragraphs: HashMap<String, ParagraphStyle>,
    runs: HashMap<String, RunProperties>,
}

impl StyleSheet {
    pub(super) fn read(text: &str) -> Self {
        let mut styles = Self::default();
        XmlReader::new(text, None).each_tag(|xml, tag| {
            if tag.name() != "style" || styles.all.len() >= MAX_STYLES {
                return;
            }
            let id = tag.value("styleId");
            let is_paragraph = tag.attribute("type").as_deref() == Some("paragraph");
            let is_default = tag.is_set("default");
            if is_paragraph && is_default {
                styles.default.clone_from(&id);
            }
            let style = read_style(xml);
            // One without an identifier would be the base of all that have none.
            if !id.is_empty() {
                styles.all.insert(id, style);
            }
        });
        styles
    }

    /// Returns a style and those that it is based on, nearest first.
    fn chain<'s>(&'s self, id: &str) -> impl Iterator<Item = &'s DocxStyle> {
        let mut next = self.all.get(id);
        let chain = std::iter::from_fn(move || {
            let style = next?;
            next = self.all.get(&style.based_on);
            Some(style)
        });
        chain.take(MAX_CHAIN)
    }

    /// The formatting that a style gives a paragraph.
    pub(super) fn paragraph_style(&mut self, id: Option<&str>) -> ParagraphStyle {
        let id = id.unwrap_or(&self.default);
        if let Some(resolved) = self.paragraphs.get(id) {
            return *resolved;
        }
        let mut resolved = ParagraphStyle::default();
        let mut outline = None;
        for style in self.chain(id) {
            outline = outline.or(style.outline);
            resolved.list.0 = resolved.list.0.or(style.list.0);
            resolved.list.1 = resolved.list.1.or(style.list.1);
            resolved.run = resolved.run.or(style.run);
            if outline.is_none() && resolved.heading.is_none() && !resolved.title {
                resolved.heading = heading_level_of(&style.name);
                resolved.title = style.name == "title";
            }
            resolved.code |= is_code(&style.name);
        }
        if !self.all.contains_key(id) {
            resolved.heading = heading_level_of(&id.to_lowercase());
            resolved.title = id.eq_ignore_ascii_case("title");
        }
        if let Some(outline) = outline {
            resolved.heading = (outline < BODY_OUTLINE).then_some(outline + 1);
            resolved.title &= outline >= BODY_OUTLINE;
        }
        // A document that is monospaced throughout is not code.
        let plain = self.chain(&self.default).find_map(|style| style.run.mono);
        resolved.run.mono = resolved
            .run
            .mono
            .filter(|mono| *mono && plain != Some(true));
        resolved.code |= resolved.run.mono == Some(true);
        let id = id.to_owned();
        self.paragraphs.insert(id, resolved);
        resolved
    }

    /// Returns the run properties of a character style.
    pub(super) fn run_style(&mut self, id: &str) -> RunProperties {
        if let Some(run) = self.runs.get(id) {
            return *run;
        }
        let mut run = RunProperties::default();
        for style in self.chain(id) {
            run = run.or(style.run);
            if is_code(&style.name) {
                run.mono = Some(true);
            }
        }
        self.runs.insert(id.to_owned(), run);
        run
    }

    /// True if a table's style gives some of its cells another colour than white.
    pub(super) fn shades(&self, id: &str) -> bool {
        self.chain(id)
            .any(|style| style.shades || style.run.shaded == Some(true))
    }

    /// Returns the list of a style.
    pub(super) fn list_of(&self, id: &str) -> Option<u32> {
        self.chain(id).find_map(|style| style.list.0)
    }
}

fn read_style(xml: &mut XmlReader<'_>) -> DocxStyle {
    let mut style = DocxStyle::default();
    xml.each_tag(|xml, tag| {
        let value = || tag.attribute("val").unwrap_or_default();
        match tag.name() {
            "name" => style.name = value().to_lowercase(),
            "basedOn" => style.based_on = value().into_owned(),
            "outlineLvl" => style.outline = tag.number("val"),
            "numId" => style.list.0 = tag.number("val"),
            "ilvl" => style.list.1 = tag.number("val"),
            "tblPr" | "trPr" => xml.skip(),
            // Conditional formatting of some of its cells.
            "tblStylePr" | "tcPr" => {
                xml.each_tag(|_, tag| {
                    style.shades |= tag.name() == "shd" && is_shaded(tag);
                });
            }
            _ => style.run.read(tag),
        }
    });
    style
}

/// Returns the heading level of a style name in lower case.
pub(in super::super) fn heading_level_of(name: &str) -> Option<u8> {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let level: u8 = name[stem.len()..].parse().ok()?;
    let stem = stem
        .trim_end_matches([' ', '-', '_'])
        .trim_start_matches('ü');
    (HEADINGS.split(' ').any(|heading| heading == stem) && (1..=9).contains(&level))
        .then_some(level)
}

/// The names of styles of code, in lower case.
const CODE_STYLES: &str = "source code,verbatim char,html code,html preformatted,html \
                           keyboard,html sample,html typewriter,code,inline code,code block,macro \
                           text,macro,preformatted text,source text,verbatim";

/// True for the name of a style of code, in lower case.
pub(in super::super) fn is_code(name: &str) -> bool {
    CODE_STYLES.split(',').any(|style| style == name)
}
