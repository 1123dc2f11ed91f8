//! Reads lists: their items and the numbers of these.
//!
//! Rules: `OpenDocument` 1.3, part 3, 5.3 (lists).

use super::super::blocks::{ItemLabel, ParagraphRole};
use super::super::inlines::InlineContent;
use super::styles::{self, LEVELS};
use super::text::OdfReader;
use iki_markdown::xml::{XmlReader, XmlTag};

/// An open list.
#[derive(Default)]
pub(super) struct OdfList {
    style: String,
    key: u32,
    /// The number of its last item.
    count: Option<u32>,
}

/// An item whose paragraphs are being read.
#[derive(Default)]
pub(super) struct OdfItem {
    pub(super) inlines: InlineContent,
    label: ItemLabel,
}

impl OdfReader<'_, '_> {
    pub(super) fn read_list(&mut self, xml: &mut XmlReader<'_>, tag: &XmlTag<'_>) {
        self.write_item();
        if !self.enter(xml) {
            return;
        }
        let level = self.lists.len().min(LEVELS - 1);
        let outer = self.lists.last();
        let style = match tag.attribute("style-name") {
            Some(style) => style.into_owned(),
            None => outer.map_or_else(|| self.list_of_text.clone(), |list| list.style.clone()),
        };
        let goes_on =
            tag.says("continue-numbering", "true") || tag.attribute("continue-list").is_some();
        let last = self.last_lists.get(&(style.clone(), level)).copied();
        // Programs part the bullets of one list.
        let levels = self.styles.lists.get(&style);
        let is_plain = levels.is_some_and(|levels| levels[level].format.is_empty());
        let last = last.filter(|_| goes_on || is_plain);
        let key = match (outer, last) {
            (Some(outer), _) => outer.key,
            (None, Some((key, _))) => key,
            (None, None) => {
                self.list_count += 1;
                self.list_count
            }
        };
        let count = last.and_then(|(_, count)| count);
        self.lists.push(OdfList {
            style: style.clone(),
            key,
            count,
        });
        let depth = xml.depth();
        while let Some(tag) = xml.tag_within(depth) {
            match tag.name() {
                "list-item" => {
                    let number = self.next_number(level, tag.number("start-value"));
                    self.begin_item(level, number, key, &style);
                }
                // Its text has no number.
                "list-header" => {}
                _ => continue,
            }
            let depth = xml.depth();
            self.read_blocks(xml, depth);
            self.write_item();
        }
        if let Some(list) = self.lists.pop() {
            self.last_lists.insert((style, level), (key, list.count));
        }
        self.depth -= 1;
    }

    /// Counts an item; `None` if its list has bullets.
    fn next_number(&mut self, level: usize, start: Option<u32>) -> Option<u32> {
        let list = self.lists.last_mut()?;
        let levels = self.styles.lists.get(&list.style)?;
        let level_style = &levels[level];
        let next = list.count.map(|count| count.saturating_add(1));
        list.count = start.or(next).or(level_style.start).or(Some(1));
        list.count.filter(|_| !level_style.format.is_empty())
    }

    fn begin_item(&mut self, level: usize, number: Option<u32>, key: u32, style: &str) {
        let counts: Vec<u32> = self
            .lists
            .iter()
            .map(|list| list.count.unwrap_or(1))
            .collect();
        let levels = self.styles.lists.get(style);
        let text = levels.map_or_else(String::new, |levels| styles::label(levels, level, &counts));
        self.item = Some(OdfItem {
            inlines: InlineContent::default(),
            label: ItemLabel {
                number,
                text,
                level: u8::try_from(level).unwrap_or_default(),
                key,
            },
        });
    }

    /// Writes the item whose paragraphs were read.
    pub(super) fn write_item(&mut self) {
        let Some(item) = self.item.take().filter(|item| !item.inlines.is_blank()) else {
            return;
        };
        let role = ParagraphRole {
            label: Some(item.label),
            ..ParagraphRole::default()
        };
        self.blocks.add_by_role(role, item.inlines);
    }
}
