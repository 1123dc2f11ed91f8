//! A page's tokens on their way to the parser's tree builder: tags, and the text between them in
//! one piece each. Names, references and line ends are read here as by the parser's own tokenizer,
//! which goes from character to character.
//!
//! Rules: HTML Living Standard, "Tokenization": the data state, attribute values, character
//! references.

use html2md::RcDom;
use html5ever::interface::{Attribute, QualName};
use html5ever::tendril::{StrTendril, TendrilSink};
use html5ever::tokenizer::{Tag, TagKind, Token, TokenSink};
use html5ever::{LocalName, ParseOpts, Parser, ns, parse_document};
use memchr::{memchr2, memchr3, memrchr2};

use super::parse::CountingSink;
use super::prefilter::tag::TagAttribute;
use super::reveal::HiddenElements;
use crate::basics::words::floor_boundary;
use crate::document::entities;

/// Length of the block of a page that texts and values share, in bytes. The whole block stays in
/// memory as long as any slice of it does.
const BLOCK: usize = 16 * 1024;

/// Maximum distance of the end of a piece of text from the reference or the line end that it must
/// not part, in bytes.
const LONGEST_REFERENCE: usize = 64;

pub(super) struct TokenEmitter<'a> {
    page: &'a str,
    parser: Parser<CountingSink>,
    /// Byte offset of the block, and a copy of it that texts and values share.
    at: usize,
    block: StrTendril,
    /// Text that has not been emitted: as it stands in the page, or decoded.
    slice: &'a str,
    text: String,
    /// The emitted tokens as a page.
    #[cfg(test)]
    written: std::cell::RefCell<String>,
}

impl<'a> TokenEmitter<'a> {
    pub(super) fn new(page: &'a str) -> Self {
        Self {
            page,
            parser: parse_document(CountingSink::default(), ParseOpts::default()),
            at: 0,
            block: StrTendril::new(),
            slice: "",
            text: String::new(),
            #[cfg(test)]
            written: std::cell::RefCell::default(),
        }
    }

    /// Returns the tree and its hidden elements.
    pub(super) fn finish(mut self) -> (RcDom, HiddenElements) {
        self.flush();
        self.parser.finish()
    }

    /// True if the tree is too large.
    pub(super) fn is_full(&self) -> bool {
        self.parser.tokenizer.sink.sink.is_full()
    }

    /// Emits a document type, which the parser's own tokenizer reads.
    pub(super) fn push_doctype(&mut self, doctype: &str) {
        self.flush();
        self.parser.process(StrTendril::from_slice(doctype));
        #[cfg(test)]
        self.written.borrow_mut().push_str(doctype);
    }

    /// Emits text of the page, as much as there is room for.
    pub(super) fn push_text(&mut self, text: &'a str) {
        let mut rest = text;
        while !rest.is_empty() && !self.is_full() {
            let (piece, behind) = rest.split_at(piece_end(rest));
            rest = behind;
            if self.slice.len() + self.text.len() > BLOCK {
                self.flush();
            }
            let decoded = memchr3(b'&', b'\r', 0, piece.as_bytes()).is_some();
            if !decoded && self.slice.is_empty() && self.text.is_empty() {
                self.slice = piece;
            } else {
                self.text.push_str(std::mem::take(&mut self.slice));
                decode(piece, false, &mut self.text);
            }
        }
    }

    /// Emits text without references.
    pub(super) fn push_characters(&mut self, text: &str) {
        self.text.push_str(std::mem::take(&mut self.slice));
        if memchr2(b'\r', 0, text.as_bytes()).is_none() {
            self.text.push_str(text);
        } else {
            let lines = text.replace("\r\n", "\n").replace('\r', "\n");
            self.text.push_str(&lines.replace('\0', ""));
        }
    }

    /// Emits a comment.
    pub(super) fn push_comment(&mut self, text: &str) {
        self.flush();
        self.emit(Token::CommentToken(StrTendril::from_slice(text)));
    }

    /// Emits a start tag.
    pub(super) fn start(&mut self, name: &str, attributes: &[TagAttribute<'_>]) {
        self.flush();
        let mut attrs: Vec<Attribute> = Vec::with_capacity(attributes.len());
        for attribute in attributes {
            let local = local_name(attribute.name);
            if attrs.iter().all(|other| other.name.local != local) {
                attrs.push(Attribute {
                    name: QualName::new(None, ns!(), local),
                    value: self.attribute_value(attribute.value),
                });
            }
        }
        self.emit_tag(TagKind::StartTag, name, attrs);
    }

    /// Emits an end tag.
    pub(super) fn end(&mut self, name: &str) {
        self.flush();
        self.emit_tag(TagKind::EndTag, name, Vec::new());
    }

    fn emit_tag(&self, kind: TagKind, name: &str, attrs: Vec<Attribute>) {
        self.emit(Token::TagToken(Tag {
            kind,
            name: local_name(name),
            self_closing: false,
            had_duplicate_attributes: false,
            attrs,
        }));
    }

    fn emit(&self, token: Token) {
        #[cfg(test)]
        tests::write(&token, &mut self.written.borrow_mut());
        // The result only matters for the tokenizer's state, and none of its own is used.
        let _ = self.parser.tokenizer.sink.process_token(token, 1);
    }

    /// Emits the text so far.
    fn flush(&mut self) {
        let text = match std::mem::take(&mut self.slice) {
            "" if self.text.is_empty() => return,
            "" => StrTendril::from_slice(&self.text),
            slice => self.share(slice),
        };
        self.text.clear();
        self.emit(Token::CharacterTokens(text));
    }

    /// Returns a slice of the page, sharing memory.
    fn share(&mut self, slice: &str) -> StrTendril {
        let from = (slice.as_ptr() as usize).wrapping_sub(self.page.as_ptr() as usize);
        if from.saturating_add(slice.len()) > self.page.len() || slice.len() > BLOCK / 2 {
            return StrTendril::from_slice(slice);
        }
        if from < self.at || from + slice.len() > self.at + self.block.len() {
            self.at = from;
            let rest = &self.page[from..];
            self.block = StrTendril::from_slice(&rest[..floor_boundary(rest, BLOCK)]);
        }
        match (u32::try_from(from - self.at), u32::try_from(slice.len())) {
            (Ok(offset), Ok(length)) => self.block.subtendril(offset, length),
            _ => StrTendril::from_slice(slice),
        }
    }

    /// Returns the value of an attribute with its references decoded.
    fn attribute_value(&mut self, value: &str) -> StrTendril {
        if memchr3(b'&', b'\r', 0, value.as_bytes()).is_none() {
            return self.share(value);
        }
        let mut decoded = String::with_capacity(value.len());
        decode(value, true, &mut decoded);
        StrTendril::from_slice(&decoded)
    }
}

/// Returns the end of the first piece of a text, within no reference and no line end.
fn piece_end(text: &str) -> usize {
    let most = floor_boundary(text, BLOCK);
    if most == text.len() {
        return most;
    }
    let from = most - LONGEST_REFERENCE.min(most);
    memrchr2(b'&', b'\r', &text.as_bytes()[from..most]).map_or(most, |at| from + at)
}

/// Returns the name of an element or an attribute in lower case.
fn local_name(name: &str) -> LocalName {
    if name.bytes().any(|byte| byte.is_ascii_uppercase()) {
        LocalName::from(name.to_ascii_lowercase())
    } else {
        LocalName::from(name)
    }
}

/// Writes a text with its references decoded, its line ends as line feeds, and without NUL.
fn decode(text: &str, in_attribute: bool, out: &mut String) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(length) = memchr3(b'&', b'\r', 0, &bytes[at..]) {
        out.push_str(&text[at..at + length]);
        at += length + 1;
        match bytes[at - 1] {
            0 => {}
            b'\r' => {
                out.push('\n');
                at += usize::from(bytes.get(at) == Some(&b'\n'));
            }
            _ => match entities::reference(&text[at..], in_attribute) {
                Some(reference) => {
                    out.extend(reference.characters.into_iter().flatten());
                    at += reference.length;
                }
                None => out.push('&'),
            },
        }
    }
    out.push_str(&text[at..]);
}

#[cfg(test)]
mod tests;
