//! A page's tokens on their way to the parser's tree builder: tags, and the text between them in
//! one piece each. Names, references and line ends are read here as by the parser's own tokenizer,
//! which goes from character to character.
//!
//! Rules: HTML Living Standard, "Tokenization": the data state, attribute values, character
//! references.

use std::borrow::Cow;

use html2md::RcDom;
use html5ever::interface::{Attribute, QualName};
use html5ever::tendril::{StrTendril, TendrilSink};
use html5ever::tokenizer::{Tag, TagKind, Token, TokenSink};
use html5ever::{LocalName, ParseOpts, Parser, ns, parse_document};
use memchr::memchr2;

use super::parse::CountingSink;
use super::reveal::HiddenElements;
use super::tag::TagAttribute;
use iki_markdown::entities;

pub(super) struct TokenEmitter {
    parser: Parser<CountingSink>,
    /// Text that has not been emitted, decoded.
    text: String,
    /// The emitted tokens as a page.
    #[cfg(test)]
    written: std::cell::RefCell<String>,
}

impl TokenEmitter {
    pub(super) fn new() -> Self {
        Self {
            parser: parse_document(CountingSink::default(), ParseOpts::default()),
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

    /// Emits text of the page, if there is room for it.
    pub(super) fn push_text(&mut self, text: &str) {
        if !self.is_full() {
            let text = normalized(text);
            self.text.push_str(&entities::decoded_in_text(&text));
        }
    }

    /// Emits text without references.
    pub(super) fn push_characters(&mut self, text: &str) {
        self.text.push_str(&normalized(text));
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
                let value = normalized(attribute.value);
                attrs.push(Attribute {
                    name: QualName::new(None, ns!(), local),
                    value: StrTendril::from_slice(&entities::decoded_in_attribute(&value)),
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
        if !self.text.is_empty() {
            self.emit(Token::CharacterTokens(StrTendril::from_slice(&self.text)));
            self.text.clear();
        }
    }
}

/// Returns the name of an element or an attribute in lower case.
fn local_name(name: &str) -> LocalName {
    if name.bytes().any(|byte| byte.is_ascii_uppercase()) {
        LocalName::from(name.to_ascii_lowercase())
    } else {
        LocalName::from(name)
    }
}

/// Returns a text with its line ends as line feeds, and without NUL.
fn normalized(text: &str) -> Cow<'_, str> {
    if memchr2(b'\r', 0, text.as_bytes()).is_none() {
        return Cow::Borrowed(text);
    }
    let lines = text.replace("\r\n", "\n").replace('\r', "\n");
    Cow::Owned(lines.replace('\0', ""))
}

#[cfg(test)]
mod tests;
