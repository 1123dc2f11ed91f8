//! Reads marked content: text that replaces what is drawn, hidden layers.
//!
//! Rules: ISO 32000-2, 8.11 (optional content), 14.6 (marked content), 14.9.4 (`ActualText`).

use lopdf::{Dictionary, Object};

use super::content::{ContentInterpreter, MAX_STATES};
use super::file::as_dict;
use super::lexer::PdfOperand;

/// Limit of a text string, in bytes.
const MAX_STRING: usize = 8192;

/// The properties of a marked-content sequence.
#[derive(Default)]
pub(super) struct MarkedContent {
    /// The replacement text, taken once it is written.
    pub(super) actual: Option<String>,
    pub(super) replaced: bool,
    pub(super) hidden: bool,
}

impl<'a> ContentInterpreter<'a> {
    pub(super) fn begin_marked_content(
        &mut self,
        operands: &[PdfOperand<'_>],
        resources: Option<&'a Dictionary>,
    ) {
        if self.marks.len() >= MAX_STATES {
            self.more_marks += 1;
            return;
        }
        let file = self.file;
        let tag = operands.first().and_then(PdfOperand::name);
        let mut mark = MarkedContent::default();
        match operands.get(1) {
            Some(PdfOperand::Name(name)) => {
                let properties =
                    resources.and_then(|resources| file.dict(resources, b"Properties"));
                let object = properties.and_then(|properties| properties.get(name).ok());
                let dict = object.and_then(|object| as_dict(file.resolve(object)));
                if tag == Some(b"OC") {
                    mark.hidden = self.is_off(object);
                }
                let actual = dict.and_then(|dict| file.get(dict, b"ActualText")?.as_str().ok());
                mark.actual = actual.map(text_string);
            }
            Some(dict @ PdfOperand::Dict(_)) => {
                let actual = dict.get(b"ActualText").and_then(PdfOperand::string);
                mark.actual = actual.map(text_string);
            }
            _ => {}
        }
        mark.replaced = mark.actual.is_some();
        self.marks.push(mark);
    }

    pub(super) fn end_marked_content(&mut self) {
        if self.more_marks > 0 {
            self.more_marks -= 1;
        } else {
            self.marks.pop();
        }
    }

    /// True if the content of this optional content group, or of all of these, is hidden.
    pub(super) fn is_off(&self, group: Option<&Object>) -> bool {
        let Some(group) = group.filter(|_| !self.drawn.off.is_empty()) else {
            return false;
        };
        let off = |group: &Object| {
            let id = group.as_reference();
            id.is_ok_and(|id| self.drawn.off.contains(&id))
        };
        if off(group) {
            return true;
        }
        let members = as_dict(self.file.resolve(group)).and_then(|dict| dict.get(b"OCGs").ok());
        match members {
            Some(Object::Array(groups)) => !groups.is_empty() && groups.iter().all(off),
            Some(group) => off(group),
            None => false,
        }
    }
}

/// Decodes a text string: UTF-16 or UTF-8 with a byte order mark, or else Latin.
pub(super) fn text_string(bytes: &[u8]) -> String {
    let bytes = &bytes[..bytes.len().min(MAX_STRING)];
    let decode = |encoding: &'static encoding_rs::Encoding, bytes: &[u8]| {
        encoding.decode_without_bom_handling(bytes).0.into_owned()
    };
    match bytes {
        [0xfe, 0xff, string @ ..] => decode(encoding_rs::UTF_16BE, string),
        [0xff, 0xfe, string @ ..] => decode(encoding_rs::UTF_16LE, string),
        [0xef, 0xbb, 0xbf, string @ ..] => decode(encoding_rs::UTF_8, string),
        string => decode(encoding_rs::WINDOWS_1252, string),
    }
}
