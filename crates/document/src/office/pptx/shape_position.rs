//! Reads where a shape is on its slide.
//!
//! Rules: ISO/IEC 29500-1, 20.1.7.6.

use iki_markdown::xml::XmlTag;

/// A rectangle on a slide: left, top, width, height.
pub(super) type SlideArea = [i64; 4];

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
