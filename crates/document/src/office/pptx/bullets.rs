//! Finds the bullets of a slide's paragraphs: in the paragraph, its shape, the layout's placeholder
//! and the master, in this order.
//!
//! Rules: ISO/IEC 29500-1, 21.1.2.4 (bullets and numbering), 19.3.1.36 (placeholders).

use std::collections::HashMap;

use super::shape_position::{ShapePlace, SlideArea};
use iki_markdown::xml::{XmlReader, XmlTag};

/// Number of list levels.
pub(super) const LEVELS: usize = 9;

/// Limit of a layout's placeholders.
const MAX_PLACEHOLDERS: usize = 1000;

/// The bullet before a paragraph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BulletKind {
    None,
    Mark,
    /// Numbers that start with this one, in this format.
    Number(u32, &'static str),
}

/// The bullets of each level; `None` where unset.
pub(super) type LevelBullets = [Option<BulletKind>; LEVELS];

/// Returns the bullet that `tag` sets, if it does.
pub(super) fn bullet_of(tag: &XmlTag<'_>) -> Option<BulletKind> {
    match tag.name() {
        "buNone" => Some(BulletKind::None),
        "buChar" | "buBlip" => Some(BulletKind::Mark),
        "buAutoNum" => {
            let kind = tag.attribute("type").unwrap_or_default();
            let formats = [
                ("alphaLc", "a"),
                ("alphaUc", "A"),
                ("romanLc", "i"),
                ("romanUc", "I"),
            ];
            let format = formats.iter().find(|(name, _)| kind.starts_with(name));
            let format = format.map_or("1", |(_, format)| format);
            Some(BulletKind::Number(
                tag.number("startAt").unwrap_or(1),
                format,
            ))
        }
        _ => None,
    }
}

/// Reads the list style that was opened last.
pub(super) fn read_levels(xml: &mut XmlReader<'_>) -> LevelBullets {
    let mut levels = LevelBullets::default();
    let mut level_index = LEVELS;
    xml.each_tag(|_, tag| {
        let name = tag.name();
        if let Some(level) = name
            .strip_prefix("lvl")
            .and_then(|name| name.strip_suffix("pPr"))
        {
            level_index = level
                .parse::<usize>()
                .map_or(LEVELS, |level| level.wrapping_sub(1));
        } else if let (Some(bullet), Some(slot)) = (bullet_of(tag), levels.get_mut(level_index)) {
            *slot = Some(bullet);
        }
    });
    levels
}

/// Returns `first`, with missing levels from `other`.
pub(super) fn merge_levels(first: &LevelBullets, other: &LevelBullets) -> LevelBullets {
    std::array::from_fn(|level| first[level].or(other[level]))
}

/// The placeholder of a layout that a shape fills.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct SlidePlaceholder {
    pub(super) kind: String,
    pub(super) index: String,
}

impl SlidePlaceholder {
    pub(super) fn from_tag(tag: &XmlTag<'_>) -> Self {
        Self {
            kind: tag
                .attribute("type")
                .unwrap_or_else(|| "obj".into())
                .into_owned(),
            index: tag.value("idx"),
        }
    }

    /// True if it holds the slide's content, in the body style of the master.
    fn is_body(&self) -> bool {
        matches!(self.kind.as_str(), "body" | "obj" | "subTitle")
    }
}

/// A layout and its master.
#[derive(Default)]
pub(super) struct SlideLayout {
    placeholders: HashMap<String, LevelBullets>,
    kinds: HashMap<String, LevelBullets>,
    body: LevelBullets,
    /// The places of placeholders, by index, and by kind.
    places: HashMap<String, SlideArea>,
    kind_places: HashMap<String, SlideArea>,
}

impl SlideLayout {
    /// Reads the styles of a master and the places of its placeholders.
    pub(super) fn read_master(&mut self, text: &str) {
        let mut xml = XmlReader::new(text, None);
        let mut placed = (SlidePlaceholder::default(), ShapePlace::default());
        while let Some(tag) = xml.tag_within(0) {
            if tag.name() == "bodyStyle" {
                self.body = read_levels(&mut xml);
                return;
            }
            self.keep_place(&tag, &mut placed);
        }
    }

    /// Keeps the place of a placeholder, the first of each kind.
    fn keep_place(&mut self, tag: &XmlTag<'_>, placed: &mut (SlidePlaceholder, ShapePlace)) {
        match tag.name() {
            "sp" => *placed = Default::default(),
            "ph" => placed.0 = SlidePlaceholder::from_tag(tag),
            "off" | "ext" if !placed.0.kind.is_empty() => {
                placed.1.read(tag);
                let (kind, index) = (&placed.0.kind, &placed.0.index);
                if let Some(area) = placed.1.area()
                    && self.places.len() < MAX_PLACEHOLDERS
                {
                    self.kind_places.insert(kind.clone(), area);
                    if !index.is_empty() {
                        self.places.insert(index.clone(), area);
                    }
                    *placed = Default::default();
                }
            }
            _ => {}
        }
    }

    /// Returns the place that a layout or its master gives a placeholder.
    pub(super) fn place(&self, placeholder: &SlidePlaceholder) -> Option<SlideArea> {
        let by_kind = self.kind_places.get(&placeholder.kind);
        self.places.get(&placeholder.index).or(by_kind).copied()
    }

    /// Reads the placeholders of a layout.
    pub(super) fn read(&mut self, text: &str) {
        let mut placeholder = None;
        self.places.clear();
        let mut placed = (SlidePlaceholder::default(), ShapePlace::default());
        XmlReader::new(text, None).each_tag(|xml, tag| {
            self.keep_place(tag, &mut placed);
            match tag.name() {
                "sp" => placeholder = None,
                "ph" => placeholder = Some(SlidePlaceholder::from_tag(tag)),
                "lstStyle" if self.placeholders.len() < MAX_PLACEHOLDERS => {
                    let levels = read_levels(xml);
                    if let Some(of) = placeholder.take() {
                        self.kinds.entry(of.kind).or_insert(levels);
                        self.placeholders.insert(of.index, levels);
                    }
                }
                _ => {}
            }
        });
    }

    /// Returns the bullets of a placeholder.
    pub(super) fn levels(&self, placeholder: &SlidePlaceholder) -> LevelBullets {
        if !placeholder.is_body() {
            return LevelBullets::default();
        }
        let own_levels = if placeholder.index.is_empty() {
            self.kinds.get(&placeholder.kind)
        } else {
            self.placeholders.get(&placeholder.index)
        };
        merge_levels(own_levels.unwrap_or(&LevelBullets::default()), &self.body)
    }
}
