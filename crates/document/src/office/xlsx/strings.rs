//! Reads the texts that cells share.
//!
//! Rules: ISO/IEC 29500-1, 18.4.

use super::super::inlines::{InlineContent, RunStyle};
use crate::symbol_font::SymbolFont;
use iki_markdown::xml::XmlReader;

/// Limits: bytes of all texts, and number of texts.
const MAX_TEXT: usize = 32 << 20;
const MAX_TEXTS: usize = 2_000_000;

/// Limit of a cell's text, in bytes: spreadsheets allow 32,767 characters.
pub(super) const MAX_CELL: usize = 160 * 1024;

/// The texts in one string, with the end of each.
#[derive(Default)]
pub(in super::super) struct SharedStrings {
    text: String,
    ends: Vec<u32>,
    /// True if some were left out.
    pub(in super::super) cut: bool,
}

impl SharedStrings {
    pub(super) fn read(text: &str) -> Self {
        let mut strings = Self::default();
        let mut xml = XmlReader::new(text, None);
        while let Some(tag) = xml.tag_within(0) {
            if tag.name() != "si" {
                continue;
            }
            if !strings.push(&rich_text(&mut xml)) {
                break;
            }
        }
        strings
    }

    /// Adds a text; false if there is no room for it.
    pub(in super::super) fn push(&mut self, text: &str) -> bool {
        self.cut = self.text.len() > MAX_TEXT || self.ends.len() > MAX_TEXTS;
        if !self.cut {
            self.text.push_str(text);
            let end = u32::try_from(self.text.len()).unwrap_or(u32::MAX);
            self.ends.push(end);
        }
        !self.cut
    }

    /// Returns the text at an index.
    pub(in super::super) fn get(&self, index: usize) -> Option<&str> {
        let end = *self.ends.get(index)? as usize;
        let start = index
            .checked_sub(1)
            .map_or(0, |before| self.ends[before] as usize);
        self.text.get(start..end)
    }
}

/// Returns the text of the element that was opened last, without its phonetic form.
pub(super) fn rich_text(xml: &mut XmlReader<'_>) -> String {
    let (mut all, mut length) = (InlineContent::default(), 0);
    let mut style = RunStyle::default();
    xml.each_tag(|xml, tag| match tag.name() {
        "t" => {
            let text = xml.text_within(MAX_CELL);
            length += text.len();
            if length <= MAX_CELL {
                all.add_text(&style, &decode_escapes(&text));
            }
        }
        "r" => style = RunStyle::default(),
        "vertAlign" => style.raised = tag.says("val", "superscript"),
        "rFont" => style.symbols = SymbolFont::named(&tag.value("val")),
        "rPh" | "phoneticPr" => xml.skip(),
        _ => {}
    });
    all.plain()
}

/// Decodes the escapes `_x000D_` of characters that XML cannot hold.
fn decode_escapes(text: &str) -> String {
    let mut all = String::with_capacity(text.len());
    let mut unread = text;
    while let Some(escape) = unread.find("_x") {
        let code = unread
            .get(escape + 2..escape + 6)
            .filter(|_| unread.as_bytes().get(escape + 6) == Some(&b'_'));
        let code = code.filter(|code| code.bytes().all(|byte| byte.is_ascii_hexdigit()));
        all.push_str(&unread[..escape]);
        let Some(code) = code else {
            all.push_str("_x");
            unread = &unread[escape + 2..];
            continue;
        };
        let code = u32::from_str_radix(code, 16).unwrap_or_default();
        match char::from_u32(code) {
            Some('\r') | None => {}
            Some(c) if c.is_control() && c != '\n' && c != '\t' => {}
            Some(c) => all.push(c),
        }
        unread = &unread[escape + 7..];
    }
    all.push_str(unread);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_lose_their_escapes_and_their_pronunciation() {
        let strings = SharedStrings::read(
            "<sst><si><t>a_x000D__x005F_b \
             _xyz</t></si><si><r><rPr><b/></rPr><t>c</t></r><r><t>d</t></r><rPh><t>no</t></rPh></\
             si><si/></sst>",
        );
        assert_eq!(strings.get(0), Some("a_b _xyz"));
        assert_eq!(strings.get(1), Some("cd"));
        assert_eq!(strings.get(2), Some(""));
        assert_eq!(strings.get(3), None);
    }
}
