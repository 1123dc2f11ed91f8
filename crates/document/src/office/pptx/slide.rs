//! Reads the shapes of a slide or of its notes.
//!
//! Rules: ISO/IEC 29500-1, 19.3.1. The title comes first, wherever it is among the shapes; the
//! slide's number, date and footer are left out.

use std::rc::Rc;

use super::super::blocks::{BlockWriter, TableCell};
use super::super::diagram::{self, description_of};
use super::super::inlines::InlineContent;
use super::super::package::{PartRelationships, ZipPackage};
use super::bullets::{LEVELS, LevelBullets, SlideLayout, SlidePlaceholder};
use super::shape_position::{ShapePlace, SlideArea};
use super::text::{self, SlideParagraph};
use iki_base::wording::joined_words;
use iki_markdown::xml::XmlReader;

/// Limit of a slide's shapes, and of the rows of all its tables.
const MAX_SHAPES: usize = 20_000;

/// Maximum difference between the tops of shapes of one row: a quarter of an inch.
const MAX_ROW_DIFFERENCE: i64 = 228_600;

enum SlideShape {
    Text(Vec<SlideParagraph>),
    Table(Vec<Vec<TableCell>>),
    /// The part that holds its data.
    Diagram(String),
    Image(InlineContent),
}

/// Reads one slide.
pub(in super::super) struct SlideReader<'s, 'p, 'b> {
    package: &'s mut ZipPackage<'b>,
    relations: &'p PartRelationships,
    layout: Rc<SlideLayout>,
    /// True for the notes of a slide.
    notes: bool,
    title: Option<Vec<SlideParagraph>>,
    charts: u64,
    /// The shapes with their places, if these are known.
    shapes: Vec<(Option<SlideArea>, SlideShape)>,
    /// The depth of the outermost open group and its place.
    group: Option<(usize, ShapePlace)>,
}

impl<'s, 'p, 'b> SlideReader<'s, 'p, 'b> {
    pub(super) fn new(
        package: &'s mut ZipPackage<'b>,
        relations: &'p PartRelationships,
        layout: Rc<SlideLayout>,
    ) -> Self {
        Self {
            package,
            relations,
            layout,
            notes: false,
            title: None,
            charts: 0,
            shapes: Vec::new(),
            group: None,
        }
    }

    /// Creates a reader for the notes of a slide.
    pub(in super::super) fn for_notes(
        package: &'s mut ZipPackage<'b>,
        relations: &'p PartRelationships,
    ) -> Self {
        let mut slide = Self::new(package, relations, Rc::default());
        slide.notes = true;
        slide
    }

    pub(in super::super) fn read(&mut self, text: &str, blocks: &mut BlockWriter) {
        let mut xml = XmlReader::new(text, self.package.end());
        while let Some(tag) = xml.tag_within(0) {
            if self.shapes.len() >= MAX_SHAPES {
                break;
            }
            let depth = xml.depth();
            self.group = self.group.take().filter(|(group, _)| depth > *group);
            match tag.name() {
                "grpSp" if self.group.is_none() => {
                    self.group = Some((depth, ShapePlace::default()));
                }
                "off" | "ext" => {
                    if let Some((group, place)) = &mut self.group
                        && depth == *group + 3
                    {
                        place.read(&tag);
                    }
                }
                name @ ("sp" | "cxnSp" | "graphicFrame" | "pic") => {
                    self.read_shape(&mut xml, matches!(name, "sp" | "cxnSp"));
                }
                "Fallback" | "timing" | "transition" | "bg" | "extLst" => xml.skip(),
                // The properties of a group.
                "nvGrpSpPr" => {
                    let depth = xml.depth();
                    let mut hidden = false;
                    while let Some(tag) = xml.tag_within(depth) {
                        hidden |= tag.name() == "cNvPr" && tag.is_set("hidden");
                    }
                    if hidden {
                        // The rest of the group.
                        while xml.within(depth - 1).is_some() {}
                    }
                }
                _ => {}
            }
        }
        blocks.add_faults(&xml);
    }

    /// Reads a shape, or else a picture or a frame with a table or a diagram.
    fn read_shape(&mut self, xml: &mut XmlReader<'_>, is_shape: bool) {
        let (mut hidden, mut alt, mut name) = (false, String::new(), String::new());
        let (mut placeholder, mut place) = (None, ShapePlace::default());
        let mut paragraphs = Vec::new();
        xml.each_tag(|xml, tag| match tag.name() {
            "cNvPr" => {
                hidden = tag.is_set("hidden");
                alt = description_of(tag);
            }
            "ph" => placeholder = Some(SlidePlaceholder::from_tag(tag)),
            "off" | "ext" => place.read(tag),
            "txBody" => {
                let levels = match &placeholder {
                    Some(placeholder) => self.layout.levels(placeholder),
                    None => LevelBullets::default(),
                };
                paragraphs = text::read(xml, self.relations, &levels);
            }
            "tbl" => {
                let table = self.read_table(xml);
                if !hidden {
                    self.add_shape(place.area(), SlideShape::Table(table));
                }
            }
            // A spreadsheet has the values of its charts in its cells.
            "chart" if !hidden && !self.notes => self.charts += 1,
            "relIds" if !hidden && !self.notes => {
                let id = tag.relation("dm").unwrap_or_default();
                if let Some(part) = self.relations.part(&id) {
                    self.add_shape(place.area(), SlideShape::Diagram(part.to_owned()));
                }
            }
            "blip" => {
                let id = tag.relation("embed").unwrap_or_default();
                name.push_str(self.relations.part(&id).unwrap_or_default());
            }
            "Fallback" | "ln" | "style" | "extLst" => xml.skip(),
            _ => {}
        });
        let kind = placeholder.as_ref().map_or("", |of| of.kind.as_str());
        let is_blank = |paragraph: &SlideParagraph| paragraph.inlines.is_blank();
        let is_aside = matches!(kind, "sldNum" | "dt" | "ftr" | "hdr" | "sldImg");
        if hidden || is_shape && (is_aside || paragraphs.iter().all(is_blank)) {
            return;
        }
        if !is_shape {
            if !alt.trim().is_empty() {
                let mut inlines = InlineContent::default();
                inlines.add_image(&alt, &name);
                self.add_shape(place.area(), SlideShape::Image(inlines));
            }
        } else if matches!(kind, "title" | "ctrTitle") && self.title.is_none() && !self.notes {
            self.title = Some(paragraphs);
        } else {
            let of_layout = || self.layout.place(placeholder.as_ref()?);
            let place = place.area().or_else(of_layout);
            self.add_shape(place, SlideShape::Text(paragraphs));
        }
    }

    fn add_shape(&mut self, place: Option<SlideArea>, shape: SlideShape) {
        let of_group = self.group.as_ref().and_then(|(_, place)| place.area());
        self.shapes.push((of_group.or(place), shape));
    }

    fn read_table(&mut self, xml: &mut XmlReader<'_>) -> Vec<Vec<TableCell>> {
        let mut rows: Vec<Vec<TableCell>> = Vec::new();
        xml.each_tag(|xml, tag| match tag.name() {
            "tr" if rows.len() < MAX_SHAPES => rows.push(Vec::new()),
            "tc" => {
                let on = |name: &str| tag.is_set(name);
                let goes_on = on("vMerge");
                // The first cell of a span gives its number of columns.
                let spanned = on("hMerge");
                let columns = tag.number::<usize>("gridSpan").unwrap_or(1);
                let content = text::cell_content(text::read(xml, self.relations, &[None; LEVELS]));
                if let Some(row) = rows.last_mut()
                    && !spanned
                {
                    row.push(TableCell::new(content, columns, goes_on));
                }
            }
            _ => {}
        });
        rows
    }

    /// The title, on one line; empty if there is none.
    pub(super) fn title(&self) -> String {
        let title = self.title.iter().flatten();
        let words: Vec<String> = title.map(|paragraph| paragraph.inlines.plain()).collect();
        joined_words(&words.join(" "))
    }

    /// True if there is anything besides the title.
    pub(in super::super) fn has_text(&self) -> bool {
        !self.shapes.is_empty()
    }

    /// Writes all but the title.
    pub(in super::super) fn write(mut self, blocks: &mut BlockWriter) {
        sort_by_place(&mut self.shapes);
        blocks.charts += self.charts;
        for (key, (_, shape)) in self.shapes.into_iter().enumerate() {
            match shape {
                SlideShape::Text(paragraphs) => {
                    text::write(paragraphs, u32::try_from(key).unwrap_or(0), blocks);
                }
                SlideShape::Table(rows) => blocks.add_table(rows),
                SlideShape::Image(inlines) => blocks.add_paragraph(&inlines),
                SlideShape::Diagram(part) => diagram::write(self.package, &part, blocks),
            }
        }
    }
}

/// Sorts what has places from top to bottom, and what begins about as high from left to right. What
/// has no position keeps its place in the document.
pub(in super::super) fn sort_by_place<T>(shapes: &mut [(Option<SlideArea>, T)]) {
    let (mut place, mut tops) = ([i64::MIN; 4], Vec::new());
    for (area, _) in &mut *shapes {
        place = area.unwrap_or(place);
        *area = Some(place);
        tops.push(place[1]);
    }
    tops.sort_unstable();
    let mut row = i64::MIN;
    for top in &mut tops {
        if top.saturating_sub(row) > MAX_ROW_DIFFERENCE {
            row = *top;
        }
        *top = row;
    }
    tops.dedup();
    shapes.sort_by_cached_key(|(place, _)| {
        let [left, top, ..] = place.unwrap_or_default();
        (tops.partition_point(|row| *row <= top), left)
    });
}
