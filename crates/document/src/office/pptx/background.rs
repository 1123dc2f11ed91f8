//! Finds the background of a slide's text, to distinguish white text on white from white text on a
//! picture.
//!
//! Rules: ISO/IEC 29500-1, 19.3.1.1 (backgrounds), 20.1.7.6 (places), 20.1.8 (fills), 20.1.6.2
//! (schemes of colours). A shape whose place is unknown counts as covering the whole slide.

use super::super::is_white;
use super::super::xml::{XmlReader, XmlTag};

/// Limit of the shapes that are looked at beneath a text.
const MAX_COVERS: usize = 1000;

/// A rectangle on a slide: left, top, width, height.
pub(super) type SlideArea = [i64; 4];

/// The area of a shape whose place is unknown.
const EVERYWHERE: SlideArea = [i64::MIN / 4, i64::MIN / 4, i64::MAX / 2, i64::MAX / 2];

/// The background and the shapes of a slide, with those of its layout and master.
#[derive(Clone, Default)]
pub(super) struct SlideBackground {
    /// True if the first background of the scheme is another colour than white.
    dark_scheme: bool,
    /// True if the background is another colour than white; `None` if unset.
    dark: Option<bool>,
    /// Pictures, and shapes of another colour.
    covers: Vec<SlideArea>,
    /// True if there are groups, which have coordinates of their own.
    groups: bool,
}

impl SlideBackground {
    /// Reads the background of a master with its theme.
    pub(super) fn read_master(master: &str, theme: &str) -> Self {
        let mut ground = Self::default();
        XmlReader::new(master, None).each_tag(|_, tag| {
            if tag.name() == "clrMap" {
                let first = tag.attribute("bg1");
                ground.dark_scheme |= first.is_some_and(|first| first != "lt1");
            }
        });
        let mut xml = XmlReader::new(theme, None);
        while let Some(tag) = xml.tag_within(0) {
            if tag.name() == "lt1" {
                ground.dark_scheme |= !ground.fills_white(&mut xml);
                break;
            }
        }
        ground.add_drawn(master);
        ground
    }

    /// Adds the background and shapes of a slide or a layout.
    pub(super) fn add_drawn(&mut self, text: &str) {
        let mut xml = XmlReader::new(text, None);
        while let Some(tag) = xml.tag_within(0) {
            match tag.name() {
                "bg" => self.dark = Some(!self.is_white(&mut xml)),
                "overrideClrMapping" => self.dark_scheme = true,
                "grpSp" => self.groups = true,
                "sp" | "pic" | "cxnSp" => {
                    let cover = self.cover(&mut xml);
                    if self.covers.len() < MAX_COVERS {
                        self.covers.extend(cover);
                    } else if cover.is_some() {
                        self.covers.push(EVERYWHERE);
                        return;
                    }
                }
                _ => {}
            }
        }
    }

    /// True if white text may be visible in this area.
    pub(super) fn shows_white(&self, area: Option<SlideArea>) -> bool {
        let area = area.filter(|_| !self.groups).unwrap_or(EVERYWHERE);
        let meets = |cover: &SlideArea| {
            [0, 1].into_iter().all(|at| {
                cover[at] < area[at].saturating_add(area[at + 2])
                    && area[at] < cover[at].saturating_add(cover[at + 2])
            })
        };
        self.dark.unwrap_or(self.dark_scheme) || self.covers.iter().any(meets)
    }

    /// True if the fill that was opened last is plain white.
    pub(super) fn fills_white(&self, xml: &mut XmlReader<'_>) -> bool {
        let mut white = false;
        xml.each_tag(|_, tag| {
            let value = tag.attribute("val").unwrap_or_default();
            white = match tag.name() {
                "srgbClr" => is_white(&value),
                "sysClr" => tag
                    .attribute("lastClr")
                    .map_or(value == "window", |colour| is_white(&colour)),
                "schemeClr" => matches!(&*value, "bg1" | "lt1") && !self.dark_scheme,
                "prstClr" => value == "white",
                "alpha" => white,
                // A transformation of that colour.
                _ => false,
            };
        });
        white
    }

    /// True if the background that was opened last is white.
    fn is_white(&self, xml: &mut XmlReader<'_>) -> bool {
        let mut white = false;
        xml.each_tag(|xml, tag| match tag.name() {
            "solidFill" => white = self.fills_white(xml),
            // The first fills of a theme are solid.
            "bgRef" => {
                let plain = tag.number::<u32>("idx").is_some_and(|index| index <= 1001);
                white = self.fills_white(xml) && plain;
            }
            "bgPr" => {}
            _ => xml.skip(),
        });
        white
    }

    /// Returns the area of the shape that was opened last, if its fill is not white.
    fn cover(&self, xml: &mut XmlReader<'_>) -> Option<SlideArea> {
        let (mut place, mut fill, mut themed) = (ShapePlace::default(), None, false);
        xml.each_tag(|xml, tag| match tag.name() {
            "solidFill" => fill = Some(!self.fills_white(xml)),
            "gradFill" | "blipFill" | "pattFill" | "grpFill" => {
                fill = Some(true);
                xml.skip();
            }
            "noFill" => fill = Some(false),
            "fillRef" => themed = tag.attribute("idx").is_some_and(|index| index != "0"),
            "ln" | "txBody" | "extLst" => xml.skip(),
            _ => place.read(tag),
        });
        let area = place.area().filter(|_| !self.groups);
        fill.unwrap_or(themed).then(|| area.unwrap_or(EVERYWHERE))
    }
}

/// The place of a shape, while it is read.
#[derive(Default)]
pub(super) struct ShapePlace {
    corner: Option<[i64; 2]>,
    extent: Option<[i64; 2]>,
}

impl ShapePlace {
    /// Reads one property of a shape.
    pub(super) fn read(&mut self, tag: &XmlTag<'_>) {
        let pair = |x: &str, y: &str| Some([tag.number(x)?, tag.number(y)?]);
        match tag.name() {
            "off" => self.corner = pair("x", "y"),
            "ext" => self.extent = self.extent.or(pair("cx", "cy")),
            _ => {}
        }
    }

    pub(super) fn area(&self) -> Option<SlideArea> {
        let ([x, y], [width, height]) = self.corner.zip(self.extent)?;
        Some([x, y, width, height])
    }
}
