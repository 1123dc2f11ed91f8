//! Reads XML as office documents and EPUB have it: elements by their local names, text with its
//! references decoded.
//!
//! Rules: XML 1.0. Only XML's five references, numeric ones and the names of HTML are expanded; a
//! document type is skipped. A document that is not well-formed is read as far as possible.

use std::borrow::Cow;
use std::time::Instant;

use encoding_rs::Encoding;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use crate::entities;
use crate::limits::StepClock;
use iki_base::wording::floor_boundary;

/// The deepest nesting of elements, because the names of all open ones are kept in memory.
const MAX_DEPTH: usize = 3000;

/// Limit of a text in another encoding than UTF-8, in bytes, because it may double.
const MAX_ENCODED: usize = 32 << 20;

/// A start tag.
pub struct XmlTag<'a>(BytesStart<'a>);

impl XmlTag<'_> {
    /// Local name.
    #[must_use]
    pub fn name(&self) -> &str {
        let name = self.0.name().into_inner();
        name.rsplit(':').next().unwrap_or(name)
    }

    /// Returns the value of the first attribute of this local name.
    #[must_use]
    pub fn attribute(&self, name: &str) -> Option<Cow<'_, str>> {
        self.find_attribute(|key| key.rsplit(':').next() == Some(name))
    }

    /// Returns the value of the first attribute of this local name that has a prefix, as those of
    /// relationships do.
    #[must_use]
    pub fn relation(&self, name: &str) -> Option<Cow<'_, str>> {
        self.find_attribute(|key| key.rsplit_once(':').is_some_and(|(_, key)| key == name))
    }

    fn find_attribute(&self, wanted: impl Fn(&str) -> bool) -> Option<Cow<'_, str>> {
        let mut attributes = self.0.attributes();
        let attributes = attributes.with_checks(false).filter_map(Result::ok);
        let mut attributes = attributes.filter(|attribute| wanted(attribute.key.into_inner()));
        let value = attributes.next()?.value;
        Some(if value.contains('&') {
            Cow::Owned(entities::decoded(&value))
        } else {
            value
        })
    }

    /// Returns the value of an attribute; empty if there is none.
    #[must_use]
    pub fn value(&self, name: &str) -> String {
        self.attribute(name).unwrap_or_default().into_owned()
    }

    /// True if an attribute has this value.
    #[must_use]
    pub fn says(&self, name: &str, value: &str) -> bool {
        self.attribute(name).as_deref() == Some(value)
    }

    /// True if an attribute is there and means yes.
    #[must_use]
    pub fn is_set(&self, name: &str) -> bool {
        self.attribute(name).is_some_and(|value| is_true(&value))
    }

    /// Returns the number in an attribute.
    #[must_use]
    pub fn number<T: std::str::FromStr>(&self, name: &str) -> Option<T> {
        self.attribute(name)?.trim().parse().ok()
    }

    /// True if a property is on, which is the default.
    #[must_use]
    pub fn is_on(&self) -> bool {
        self.attribute("val").is_none_or(|value| is_true(&value))
    }
}

/// True if an attribute's value means yes.
#[must_use]
pub fn is_true(value: &str) -> bool {
    !matches!(value, "0" | "false" | "off" | "none")
}

/// The next part of a document.
pub enum XmlEvent<'a> {
    /// An element begins.
    Open(XmlTag<'a>),
    /// An element ends.
    Close,
    /// Text, with its entities resolved.
    Text(Cow<'a, str>),
}

/// Reads a document front to back.
#[allow(clippy::struct_excessive_bools, reason = "each is said by itself")]
pub struct XmlReader<'a> {
    text: &'a str,
    reader: Reader<&'a [u8]>,
    depth: usize,
    clock: StepClock,
    is_over: bool,
    /// True if there was no time to read it whole.
    pub is_late: bool,
    /// True if it could not be read whole.
    pub is_broken: bool,
    /// True if a text was cut because it was too long.
    pub is_cut: bool,
}

impl<'a> XmlReader<'a> {
    /// Reads `text` until `end`.
    #[must_use]
    pub fn new(text: &'a str, end: Option<Instant>) -> Self {
        let mut reader = Reader::from_str(text);
        let config = reader.config_mut();
        config.expand_empty_elements = true;
        config.check_end_names = false;
        config.allow_unmatched_ends = true;
        config.allow_dangling_amp = true;
        Self {
            text,
            reader,
            depth: 0,
            clock: StepClock::new(end),
            is_over: false,
            is_late: false,
            is_broken: false,
            is_cut: false,
        }
    }

    /// Number of open elements.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Returns the next event; `None` at the end, or if nothing more can be read.
    #[expect(
        clippy::should_implement_trait,
        reason = "it is asked for more than its events between two of them"
    )]
    pub fn next(&mut self) -> Option<XmlEvent<'a>> {
        loop {
            self.is_late |= self.clock.is_past();
            if self.is_over || self.is_late {
                return None;
            }
            let Ok(event) = self.reader.read_event() else {
                return self.stop(true);
            };
            return Some(match event {
                Event::Start(tag) => {
                    self.depth += 1;
                    if self.depth > MAX_DEPTH {
                        return self.stop(true);
                    }
                    XmlEvent::Open(XmlTag(tag))
                }
                Event::End(_) => {
                    self.depth = self.depth.saturating_sub(1);
                    XmlEvent::Close
                }
                Event::Text(text) => XmlEvent::Text(text.into_inner()),
                Event::CData(text) => XmlEvent::Text(text.into_inner()),
                Event::GeneralRef(name) => {
                    XmlEvent::Text(entities::decoded(&format!("&{};", &*name)).into())
                }
                Event::Eof => return self.stop(self.depth > 0),
                _ => continue,
            });
        }
    }

    fn stop(&mut self, is_broken: bool) -> Option<XmlEvent<'a>> {
        self.is_broken |= is_broken;
        self.is_over = true;
        None
    }

    /// Returns the next event within the element that is the `level`-th open one; `None` at its
    /// end.
    pub fn within(&mut self, level: usize) -> Option<XmlEvent<'a>> {
        let item = self.next()?;
        (self.depth >= level).then_some(item)
    }

    /// Returns the next start tag within the element that is the `level`-th open one.
    pub fn tag_within(&mut self, level: usize) -> Option<XmlTag<'a>> {
        loop {
            if let XmlEvent::Open(tag) = self.within(level)? {
                return Some(tag);
            }
        }
    }

    /// Calls `each` with every start tag within the element that was opened last.
    pub fn each_tag(&mut self, mut each: impl FnMut(&mut Self, &XmlTag<'a>)) {
        let level = self.depth;
        while let Some(tag) = self.tag_within(level) {
            each(self, &tag);
        }
    }

    /// Skips the rest of the element that was opened last.
    pub fn skip(&mut self) {
        let level = self.depth;
        while self.within(level).is_some() {}
    }

    /// Skips the rest of the element that was opened last, and returns its source.
    pub fn skip_to_source(&mut self) -> &'a str {
        let start = self.position();
        self.skip();
        let source = self.text.get(start..self.position()).unwrap_or_default();
        // Without the end tag.
        source.rfind("</").map_or(source, |end| &source[..end])
    }

    /// Returns all text within the element that was opened last, up to `limit` bytes.
    pub fn text_within(&mut self, limit: usize) -> String {
        let level = self.depth;
        let mut all = String::new();
        while let Some(item) = self.within(level) {
            if let XmlEvent::Text(text) = item {
                let room = floor_boundary(&text, limit - all.len());
                self.is_cut |= room < text.len();
                all.push_str(&text[..room]);
            }
        }
        all
    }

    /// Byte offset after the last event.
    #[must_use]
    pub fn position(&self) -> usize {
        usize::try_from(self.reader.buffer_position()).unwrap_or(usize::MAX)
    }
}

/// Decodes an XML document: UTF-8, UTF-16 by its byte order mark or its first character, or the
/// encoding that it declares.
#[must_use]
pub fn decoded(mut bytes: Vec<u8>) -> String {
    let encoding = match bytes.as_slice() {
        [0xef, 0xbb, 0xbf, ..] => {
            bytes.drain(..3);
            encoding_rs::UTF_8
        }
        [0xff, 0xfe, ..] | [b'<', 0, ..] => encoding_rs::UTF_16LE,
        [0xfe, 0xff, ..] | [0, b'<', ..] => encoding_rs::UTF_16BE,
        _ => declared_encoding(&bytes).unwrap_or(encoding_rs::UTF_8),
    };
    if encoding == encoding_rs::UTF_8 {
        return String::from_utf8(bytes)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    }
    bytes.truncate(MAX_ENCODED);
    encoding.decode(&bytes).0.into_owned()
}

/// Returns the encoding that a document declares in its first line.
#[must_use]
pub fn declared_encoding(bytes: &[u8]) -> Option<&'static Encoding> {
    let start = &bytes[..bytes.len().min(200)];
    let start = start.strip_prefix(b"<?xml")?;
    let start = &start[..memchr::memchr(b'>', start)?];
    let offset = memchr::memmem::find(start, b"encoding")?;
    let mut parts = start[offset..].split(|byte| matches!(byte, b'"' | b'\''));
    let label = parts.nth(1)?;
    Encoding::for_label(label)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(xml: &str) -> String {
        let mut xml = XmlReader::new(xml, None);
        let mut all = String::new();
        while let Some(item) = xml.next() {
            if let XmlEvent::Text(text) = item {
                all.push_str(&text);
            }
        }
        all
    }

    #[test]
    fn nothing_is_expanded_but_references_that_everybody_knows() {
        let bomb = "<!DOCTYPE a [<!ENTITY x 'xxxxxxxxxx'><!ENTITY f SYSTEM 'file:///etc/passwd'>]>\
                    <a>&x;&f;&amp;&#65;&lt;&nbsp;<![CDATA[<b>]]></a>";
        assert_eq!(texts(bomb), "&x;&f;&A<\u{a0}<b>");
    }

    #[test]
    fn what_is_not_well_formed_is_read_as_far_as_it_goes() {
        assert_eq!(texts("<a>x & y</b></c>z<d"), "x & yz");
        assert_eq!(texts("<a b=c d='e' f>x"), "x");
    }

    #[test]
    fn bytes_become_text_as_they_declare() {
        let latin = b"<?xml version='1.0' encoding='ISO-8859-1'?><a>\xe9</a>".to_vec();
        assert_eq!(texts(&decoded(latin)), "\u{e9}");
        let wide: Vec<u8> = "\u{feff}<a>\u{e9}</a>"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        assert_eq!(texts(&decoded(wide)), "\u{e9}");
        assert_eq!(
            texts(&decoded(b"\xef\xbb\xbf<a>\xff</a>".to_vec())),
            "\u{fffd}"
        );
    }

    #[test]
    fn attributes_go_by_their_local_names() {
        let mut xml = XmlReader::new("<p:sldId id=\"256\" r:id='r&amp;1'/>", None);
        let Some(XmlEvent::Open(tag)) = xml.next() else {
            panic!("an element opens");
        };
        assert_eq!(tag.name(), "sldId");
        assert_eq!(tag.number("id"), Some(256));
        assert_eq!(tag.relation("id").as_deref(), Some("r&1"));
    }
}
