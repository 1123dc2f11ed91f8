//! Resolves the styles of an `OpenDocument` file.
//!
//! Rules: `OpenDocument` 1.3, part 3, 16 (styles) and 20 (their properties). A style inherits
//! whatever it does not set from its parent.

use std::collections::HashMap;

use super::super::docx::styles::{RunProperties, is_code, is_white};
use super::super::numerals::format_number;
use iki_markdown::xml::{XmlReader, XmlTag, is_true};

/// Limit of a document's styles.
const MAX_STYLES: usize = 50_000;

/// Maximum length of a chain of parents.
const MAX_CHAIN: usize = 16;

/// Number of levels of a list.
pub(super) const LEVELS: usize = 10;

#[derive(Default)]
struct OdfStyle {
    parent: String,
    /// Name as people see it, in lower case.
    name: String,
    list: Option<String>,
    run: RunProperties,
    /// False if its paragraphs have no label in a list.
    labelled: Option<bool>,
    /// True for a hidden sheet or slide.
    hidden: bool,
}

/// The numbers of a list's level; those of bullets have no format.
#[derive(Clone, Debug, Default)]
pub(super) struct OdfLevel {
    pub(super) format: String,
    prefix: String,
    suffix: String,
    pub(super) start: Option<u32>,
    /// Number of levels whose numbers are shown.
    shown_levels: usize,
}

/// The levels of a list.
pub(super) type OdfLevels = [OdfLevel; LEVELS];

/// The formatting that a style gives.
#[derive(Clone, Debug, Default)]
pub(super) struct OdfLook {
    pub(super) run: RunProperties,
    pub(super) list: Option<String>,
    pub(super) title: bool,
    /// True for a line of code.
    pub(super) code: bool,
    pub(super) labelled: Option<bool>,
    pub(super) hidden: bool,
}

#[derive(Default)]
pub(super) struct OdfStyles {
    /// By family and name.
    all: HashMap<(String, String), OdfStyle>,
    pub(super) lists: HashMap<String, OdfLevels>,
    /// The numbers of headings.
    pub(super) outline: OdfLevels,
    resolved: HashMap<(String, String), OdfLook>,
    /// True if a page has another colour than white.
    pub(super) shaded: bool,
}

impl OdfStyles {
    /// Adds the styles of a part.
    pub(super) fn read(&mut self, text: &str) {
        let mut xml = XmlReader::new(text, None);
        while let Some(tag) = xml.tag_within(0) {
            let name = tag.value("name");
            match tag.name() {
                "style" if self.all.len() < MAX_STYLES => {
                    let family = tag.value("family");
                    let style = read_style(&tag, &mut xml);
                    self.all.insert((family, name), style);
                }
                "list-style" if self.lists.len() < MAX_STYLES => {
                    let levels = read_levels(&mut xml);
                    self.lists.insert(name, levels);
                }
                "outline-style" => self.outline = read_levels(&mut xml),
                "page-layout-properties" => self.shaded |= background(&tag) == Some(true),
                "body" => return,
                _ => {}
            }
        }
    }

    /// The formatting that a style gives.
    pub(super) fn look(&mut self, family: &str, name: &str) -> OdfLook {
        let key = (family.to_owned(), name.to_owned());
        if let Some(look) = self.resolved.get(&key) {
            return look.clone();
        }
        let mut look = OdfLook::default();
        let mut next = key.clone();
        for _ in 0..MAX_CHAIN {
            let Some(style) = self.all.get(&next) else {
                break;
            };
            look.run = look.run.or(style.run);
            look.list = look.list.take().or_else(|| style.list.clone());
            look.labelled = look.labelled.or(style.labelled);
            look.hidden |= style.hidden;
            look.title |= style.name == "title";
            look.code |= is_code(&style.name);
            next.1.clone_from(&style.parent);
        }
        look.code |= look.run.mono == Some(true);
        if self.resolved.len() < MAX_STYLES {
            self.resolved.insert(key, look.clone());
        }
        look
    }
}

/// The number at `level`, as a list shows it; `counts` are those of the levels up to it.
pub(super) fn label(levels: &OdfLevels, level: usize, counts: &[u32]) -> String {
    let level_style = &levels[level.min(LEVELS - 1)];
    if level_style.format.is_empty() {
        return String::new();
    }
    let first = (level + 1).saturating_sub(level_style.shown_levels.max(1));
    let numbers = (first..=level).filter_map(|index| {
        let format = &levels.get(index)?.format;
        let count = counts.get(index)?;
        (!format.is_empty()).then(|| format_number(*count, format))
    });
    let numbers = numbers.collect::<Vec<_>>().join(".");
    format!("{}{numbers}{}", level_style.prefix, level_style.suffix)
        .trim()
        .to_owned()
}

/// True if an element has another colour than white behind it; `None` if that is unset.
fn background(tag: &XmlTag<'_>) -> Option<bool> {
    let colour = tag.attribute("background-color")?;
    Some(colour != "transparent" && !is_white(colour.trim_start_matches('#')))
}

fn read_style(tag: &XmlTag<'_>, xml: &mut XmlReader<'_>) -> OdfStyle {
    let attribute = |name: &str| tag.attribute(name).unwrap_or_default();
    let name = tag
        .attribute("display-name")
        .unwrap_or_else(|| attribute("name"));
    let mut style = OdfStyle {
        parent: attribute("parent-style-name").into_owned(),
        name: name.replace("_20_", " ").to_lowercase(),
        list: tag.attribute("list-style-name").map(Into::into),
        ..OdfStyle::default()
    };
    xml.each_tag(|_, tag| match tag.name() {
        "text-properties" => read_run(tag, &mut style.run),
        "table-properties" => {
            style.hidden |= tag.attribute("display").is_some_and(|on| !is_true(&on));
        }
        "drawing-page-properties" => {
            style.hidden |= tag.says("visibility", "hidden");
        }
        "paragraph-properties" | "table-cell-properties" | "graphic-properties" => {
            style.run.shaded = background(tag).or(style.run.shaded);
            let labelled = tag.attribute("enable-numbering");
            style.labelled = labelled.map(|on| is_true(&on)).or(style.labelled);
        }
        _ => {}
    });
    style
}

/// True for the position of a superscript: `super`, or by how much it stands above its line.
fn is_raised(position: &str) -> bool {
    let height = position.split_whitespace().next().unwrap_or_default();
    let percent = height.trim_end_matches('%').parse::<f32>();
    height == "super" || percent.is_ok_and(|percent| percent > 0.0)
}

fn read_run(tag: &XmlTag<'_>, run: &mut RunProperties) {
    let attribute = |name: &str| tag.attribute(name);
    let is_bold =
        |weight: &str| weight == "bold" || weight.parse().is_ok_and(|weight: u32| weight > 500);
    run.bold = attribute("font-weight").map(|weight| is_bold(&weight));
    run.italic = attribute("font-style").map(|style| style != "normal");
    run.deleted = ["text-line-through-style", "text-line-through-type"]
        .into_iter()
        .find_map(|name| attribute(name).map(|style| style != "none"));
    run.hidden = attribute("display").map(|display| display == "none");
    let font = attribute("font-name").or_else(|| attribute("font-family"));
    run.set_font(font.as_deref().map(|font| font.trim_matches('\'')));
    let position = attribute("text-position");
    run.raised = position.map(|position| is_raised(&position));
    run.white = attribute("color").map(|colour| is_white(colour.trim_start_matches('#')));
    run.shaded = background(tag).or(run.shaded);
    let size = attribute("font-size").and_then(|size| size.strip_suffix("pt")?.parse::<f32>().ok());
    run.size = size.map(|size| if size < 2.0 { 1 } else { 24 });
}

fn read_levels(xml: &mut XmlReader<'_>) -> OdfLevels {
    let mut levels = OdfLevels::default();
    xml.each_tag(|_, tag| {
        let Some(level_number) = tag.number::<usize>("level") else {
            return;
        };
        if let Some(level) = levels.get_mut(level_number.wrapping_sub(1)) {
            let attribute = |name: &str| tag.value(name);
            // A bullet has no format, and may have a suffix.
            *level = OdfLevel {
                format: attribute("num-format"),
                prefix: attribute("num-prefix"),
                suffix: attribute("num-suffix"),
                start: tag.number("start-value"),
                shown_levels: tag.number("display-levels").unwrap_or(1),
            };
        }
    });
    levels
}
