//! Computes the numbers of lists in a DOCX file.
//!
//! Rules: ISO/IEC 29500-1, 17.9 (numbering).

use std::collections::HashMap;

use super::super::blocks::ItemLabel;
use super::super::numerals::format_number;
use super::styles::StyleSheet;
use iki_markdown::xml::XmlReader;

const LEVELS: usize = 9;

/// Limit of list definitions.
const MAX_LISTS: usize = 50_000;

/// Limit of a number as text, in bytes.
const MAX_TEXT: usize = 60;

#[derive(Clone, Debug)]
struct ListLevel {
    start: u32,
    format: String,
    text: String,
    /// Style whose paragraphs are at this level.
    style: String,
    /// True if counting continues after an item of a higher level.
    goes_on: bool,
}

impl Default for ListLevel {
    fn default() -> Self {
        Self {
            start: 1,
            format: "decimal".to_owned(),
            text: String::new(),
            style: String::new(),
            goes_on: false,
        }
    }
}

#[derive(Clone, Debug, Default)]
struct AbstractList {
    levels: [Option<ListLevel>; LEVELS],
    /// Style whose list it takes over.
    linked: String,
}

#[derive(Clone, Debug, Default)]
struct NumberedList {
    definition: u32,
    starts: [Option<u32>; LEVELS],
    levels: [Option<ListLevel>; LEVELS],
    used: bool,
}

/// The lists of a document and their counters.
#[derive(Default)]
pub(super) struct ListNumbering {
    abstract_lists: HashMap<u32, AbstractList>,
    lists: HashMap<u32, NumberedList>,
    counts: HashMap<u32, [Option<u32>; LEVELS]>,
}

impl ListNumbering {
    pub(super) fn read(text: &str) -> Self {
        let mut numbering = Self::default();
        let mut xml = XmlReader::new(text, None);
        while let Some(tag) = xml.tag_within(0) {
            if numbering.abstract_lists.len() + numbering.lists.len() > MAX_LISTS {
                break;
            }
            match tag.name() {
                "abstractNum" => {
                    let id = tag.number("abstractNumId").unwrap_or_default();
                    numbering.abstract_lists.insert(id, read_abstract(&mut xml));
                }
                "num" => {
                    let id = tag.number("numId").unwrap_or_default();
                    numbering.lists.insert(id, read_numbered_list(&mut xml));
                }
                _ => {}
            }
        }
        numbering
    }

    /// Takes over the levels of lists that belong to a style.
    pub(super) fn resolve_style_links(&mut self, styles: &StyleSheet) {
        let mut links = Vec::new();
        for (id, kind) in &self.abstract_lists {
            if kind.linked.is_empty() || kind.levels.iter().any(Option::is_some) {
                continue;
            }
            let list = styles
                .list_of(&kind.linked)
                .and_then(|list| self.lists.get(&list));
            let other = list.and_then(|list| self.abstract_lists.get(&list.definition));
            if let Some(other) = other {
                links.push((*id, other.levels.clone()));
            }
        }
        for (id, levels) in links {
            if let Some(kind) = self.abstract_lists.get_mut(&id) {
                kind.levels = levels;
            }
        }
    }

    /// Returns the level of a list that belongs to a style.
    pub(super) fn level_of(&self, list: u32, style: &str) -> Option<u8> {
        let kind = self
            .abstract_lists
            .get(&self.lists.get(&list)?.definition)?;
        let is_its = |level: &Option<ListLevel>| level.as_ref().is_some_and(|l| l.style == style);
        u8::try_from(kind.levels.iter().position(is_its)?).ok()
    }

    /// Counts an item; `None` if there is no such list, or its items have no label.
    pub(super) fn next_label(&mut self, list: u32, level: u8) -> Option<ItemLabel> {
        let index = usize::from(level).min(LEVELS - 1);
        let id = list;
        let list = self.lists.get_mut(&list)?;
        let first_use = !std::mem::replace(&mut list.used, true);
        let kind = self.abstract_lists.get(&list.definition)?;
        let level_at = |index: usize| list.levels[index].as_ref().or(kind.levels[index].as_ref());
        let fallback = ListLevel::default();
        let level_style = level_at(index).unwrap_or(&fallback);
        let counts = self.counts.entry(list.definition).or_default();
        if first_use {
            for (count, start) in counts.iter_mut().zip(list.starts) {
                // A list with a start of its own ignores the counts of others of its kind.
                if start.is_some() {
                    *count = None;
                }
            }
        }
        let start = list.starts[index].unwrap_or(level_style.start);
        counts[index] = Some(counts[index].map_or(start, |count| count.saturating_add(1)));
        for (deeper, count) in counts.iter_mut().enumerate().skip(index + 1) {
            if !level_at(deeper).is_some_and(|level| level.goes_on) {
                *count = None;
            }
        }
        if level_style.format == "none" {
            return None;
        }
        let number = counts[index].filter(|_| level_style.format != "bullet");
        let (mut text, mut unread) = (String::new(), level_style.text.chars());
        while let Some(c) = unread
            .next()
            .filter(|_| text.len() <= MAX_TEXT && number.is_some())
        {
            let digit = (c == '%').then(|| unread.clone().next()).flatten();
            if let Some(of @ 1..=9) = digit.and_then(|digit| digit.to_digit(10)) {
                unread.next();
                let of = of as usize - 1;
                let level = level_at(of).unwrap_or(&fallback);
                let count = counts[of].unwrap_or(list.starts[of].unwrap_or(level.start));
                text.push_str(&format_number(count, &level.format));
            } else {
                text.push(c);
            }
        }
        Some(ItemLabel {
            number,
            text: text.trim().to_owned(),
            level,
            key: id,
        })
    }
}

fn read_abstract(xml: &mut XmlReader<'_>) -> AbstractList {
    let mut kind = AbstractList::default();
    xml.each_tag(|xml, tag| match tag.name() {
        "numStyleLink" => kind.linked = tag.value("val"),
        "lvl" => {
            let level_number: usize = tag.number("ilvl").unwrap_or(LEVELS);
            let level = read_level(xml);
            if let Some(slot) = kind.levels.get_mut(level_number) {
                *slot = Some(level);
            }
        }
        _ => {}
    });
    kind
}

fn read_level(xml: &mut XmlReader<'_>) -> ListLevel {
    let mut level = ListLevel::default();
    xml.each_tag(|_, tag| {
        let value = || tag.value("val");
        match tag.name() {
            "start" => level.start = tag.number("val").unwrap_or(1),
            "numFmt" => level.format = value(),
            "lvlText" => level.text = value(),
            "pStyle" => level.style = value(),
            "lvlRestart" => level.goes_on = tag.number("val") == Some(0),
            _ => {}
        }
    });
    level
}

fn read_numbered_list(xml: &mut XmlReader<'_>) -> NumberedList {
    let mut list = NumberedList::default();
    let mut level_number = 0;
    xml.each_tag(|xml, tag| match tag.name() {
        "abstractNumId" => list.definition = tag.number("val").unwrap_or_default(),
        "lvlOverride" => level_number = tag.number("ilvl").unwrap_or(LEVELS),
        "startOverride" => {
            if let Some(slot) = list.starts.get_mut(level_number) {
                *slot = tag.number("val");
            }
        }
        "lvl" => {
            let level = read_level(xml);
            if let Some(slot) = list.levels.get_mut(level_number) {
                *slot = Some(level);
            }
        }
        _ => {}
    });
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_counts_by_level_and_starts_anew_where_it_says_so() {
        let mut lists = ListNumbering::read(
            "<w:numbering><w:abstractNum w:abstractNumId='5'><w:lvl w:ilvl='0'><w:start \
             w:val='3'/><w:numFmt w:val='decimal'/><w:lvlText w:val='%1.'/></w:lvl><w:lvl \
             w:ilvl='1'><w:start w:val='1'/><w:numFmt w:val='lowerLetter'/><w:lvlText \
             w:val='%1.%2)'/></w:lvl></w:abstractNum><w:num w:numId='1'><w:abstractNumId \
             w:val='5'/></w:num><w:num w:numId='2'><w:abstractNumId w:val='5'/><w:lvlOverride \
             w:ilvl='0'><w:startOverride w:val='1'/></w:lvlOverride></w:num></w:numbering>",
        );
        let mut label = |list, level| lists.next_label(list, level).map(|label| label.text);
        let wanted = [
            (1, 0, "3."),
            (1, 1, "3.a)"),
            (1, 1, "3.b)"),
            (1, 0, "4."),
            (1, 1, "4.a)"),
            (2, 0, "1."),
            (2, 0, "2."),
        ];
        for (list, level, text) in wanted {
            assert_eq!(label(list, level).as_deref(), Some(text));
        }
        assert_eq!(label(9, 0), None);
    }
}
