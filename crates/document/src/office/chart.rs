//! Reads charts and diagrams: the values that the file stores for them.
//!
//! Rules: ISO/IEC 29500-1, 21.2 (`DrawingML` charts), 21.4 (diagrams).

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use super::blocks::{BlockWriter, TableCell};
use super::inlines::InlineContent;
use super::xml::XmlReader;

/// Limits of a chart: series, and points of one.
const MAX_SERIES: usize = 256;
const MAX_POINTS: usize = 10_000;

/// Limit of a point's or title's text, in bytes.
const MAX_TEXT: usize = 2000;

#[derive(Default)]
struct ChartSeries {
    name: String,
    categories: BTreeMap<usize, String>,
    values: BTreeMap<usize, String>,
}

/// Writes a chart as a table, a diagram as a list.
pub(super) fn write(text: &str, end: Option<Instant>, blocks: &mut BlockWriter) {
    let mut xml = XmlReader::new(text, end);
    let mut title = String::new();
    let mut series: Vec<ChartSeries> = Vec::new();
    while let Some(tag) = xml.tag_within(0) {
        match tag.name() {
            "dataModel" => return write_diagram(&mut xml, blocks),
            "title" if series.is_empty() && title.is_empty() => title = read_texts(&mut xml),
            // The titles of the axes come after the series.
            "title" | "externalData" | "userShapes" | "clrMapOvr" | "Fallback" => xml.skip(),
            "ser" if series.len() < MAX_SERIES => series.push(read_series(&mut xml)),
            _ => {}
        }
    }
    series.retain(|series| !series.values.is_empty());
    if series.is_empty() && title.is_empty() {
        return;
    }
    let mut inlines = InlineContent::default();
    let colon = if title.is_empty() { "" } else { ": " };
    inlines.add_bold(&format!("Chart{colon}{title}"));
    blocks.add_paragraph(&inlines);
    blocks.add_table(table_rows(&series));
}

/// Returns a row for each category, with a column for each series; series with categories of their
/// own stand beside one another.
fn table_rows(all: &[ChartSeries]) -> Vec<Vec<TableCell>> {
    let shared = all
        .iter()
        .all(|series| series.categories.is_empty() || series.categories == all[0].categories);
    let mut columns: Vec<(String, &BTreeMap<usize, String>)> = Vec::new();
    for (at, series) in all.iter().enumerate() {
        if !shared {
            columns.push((String::new(), &series.categories));
        } else if at == 0 {
            columns.push(("Category".to_owned(), &series.categories));
        }
        let mut name = series.name.clone();
        if name.is_empty() {
            name = format!("Series {}", at + 1);
        }
        columns.push((name, &series.values));
    }
    let cell = |text: &str| TableCell::of(InlineContent::of(text), 1, false);
    let points = columns.iter().flat_map(|(_, points)| points.keys());
    let points: BTreeSet<usize> = points.copied().collect();
    let rows = points.into_iter().map(|point| {
        let texts = columns.iter().map(|(_, points)| points.get(&point));
        texts
            .map(|text| cell(text.map_or("", String::as_str)))
            .collect()
    });
    let head = columns.iter().map(|(name, _)| cell(name)).collect();
    std::iter::once(head).chain(rows).collect()
}

fn read_series(xml: &mut XmlReader<'_>) -> ChartSeries {
    let mut series = ChartSeries::default();
    xml.each_tag(|xml, tag| match tag.name() {
        "tx" => {
            let points = read_points(xml);
            series.name = points.into_values().collect::<Vec<_>>().join(" ");
        }
        "cat" | "xVal" => series.categories = read_points(xml),
        "val" | "yVal" => series.values = read_points(xml),
        "extLst" | "spPr" | "dLbls" | "dPt" | "trendline" | "errBars" | "marker" => xml.skip(),
        _ => {}
    });
    series
}

/// The cached points of a reference, by index.
fn read_points(xml: &mut XmlReader<'_>) -> BTreeMap<usize, String> {
    let mut points: BTreeMap<usize, String> = BTreeMap::new();
    let mut at = 0;
    let mut percent = false;
    xml.each_tag(|xml, tag| match tag.name() {
        "pt" => at = tag.number("idx").unwrap_or(0),
        "formatCode" => percent = xml.text_within(MAX_TEXT).contains('%'),
        "v" if at < MAX_POINTS => {
            let value = xml.text_within(MAX_TEXT);
            let value = round_value(value.trim(), percent);
            // The levels of a category come one after the other, innermost first.
            points
                .entry(at)
                .and_modify(|all| *all = format!("{value} {all}"))
                .or_insert(value);
        }
        "f" | "extLst" => xml.skip(),
        _ => {}
    });
    points
}

/// A value without the rounding errors after its fifteenth digit.
fn round_value(value: &str, percent: bool) -> String {
    match value.parse::<f64>() {
        Ok(number) if percent => format!("{}%", super::number(number * 100.0)),
        Ok(number) if value.len() > 15 => super::number(number),
        _ => value.to_owned(),
    }
}

/// Reads all text of the paragraphs within the element that was opened last.
fn read_texts(xml: &mut XmlReader<'_>) -> String {
    let level = xml.depth();
    let mut all = String::new();
    while let Some(tag) = xml.tag_within(level) {
        match tag.name() {
            "t" | "v" => all.push_str(&xml.text_within(MAX_TEXT)),
            "p" | "br" => all.push(' '),
            _ => {}
        }
        if all.len() > MAX_TEXT {
            break;
        }
    }
    all.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Writes the points of a diagram as a list.
fn write_diagram(xml: &mut XmlReader<'_>, blocks: &mut BlockWriter) {
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
        blocks.add_item(0, None, 0, &InlineContent::of(&read_texts(xml)));
        if !blocks.has_room() {
            return;
        }
    }
    blocks.end();
}
