//! A page's tokens for the parser's tree builder. Ordinary tags, text and references are read here
//! in larger steps than by the parser's own tokenizer, which goes from character to character and
//! splits text at each line end. All other markup is left to it.
//!
//! Rules: HTML Living Standard, "Tokenization": the data state and the states from a tag's name to
//! its end.

use std::borrow::Cow;
use std::ops::Range;
use std::time::Instant;

use html5ever::interface::{Attribute, QualName};
use html5ever::tendril::{StrTendril, TendrilSink};
use html5ever::tokenizer::{Tag, TagKind, Token, TokenSink};
use html5ever::{LocalName, ParseOpts, Parser, ns, parse_document};
use memchr::{memchr, memchr2, memmem};

use super::parse::{CountingSink, ParseLimit, piece_end};
use super::prefilter::tag;
use crate::basics::words::floor_boundary;
use crate::document::entities;

/// Length of the block of a page that texts and values share, in bytes. The whole block stays in
/// memory as long as any slice of it does.
const PART: usize = 64 * 1024;

pub(super) struct PageTokenizer<'a> {
    page: &'a str,
    /// Byte offset of the first unread byte.
    at: usize,
    parser: Parser<CountingSink>,
    /// Deadline for reading all of it.
    end: Option<Instant>,
    /// The piece of the page after which the bounds are checked next.
    piece: Range<usize>,
    /// The block of the page that holds the piece, and a copy of it that texts and values share.
    part: Range<usize>,
    shared: StrTendril,
    /// The attributes of the current tag.
    attributes: Vec<tag::TagAttribute<'a>>,
    /// Buffer for a text with its references decoded.
    decoded: String,
    /// True if the text so far ends in a carriage return, to which a line feed would belong.
    returned: bool,
}

/// Result of reading a token: done, or left to the parser's own tokenizer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TokenOutcome {
    Done,
    Left,
}

impl<'a> PageTokenizer<'a> {
    pub(super) fn new(page: &'a str, end: Option<Instant>) -> Self {
        let piece = 0..piece_end(page);
        let part = 0..floor_boundary(page, PART);
        Self {
            page,
            at: 0,
            parser: parse_document(CountingSink::default(), ParseOpts::default()),
            end,
            shared: StrTendril::from_slice(&page[part.clone()]),
            part,
            piece,
            attributes: Vec::new(),
            decoded: String::new(),
            returned: false,
        }
    }

    /// Reads the page until a bound is reached. A page with a NUL or a byte order mark is read by
    /// the parser's own tokenizer as a whole, because that looks for the mark at the beginning of
    /// each piece.
    pub(super) fn read(&mut self) -> Result<(), ParseLimit> {
        let bytes = self.page.as_bytes();
        let special =
            memchr(0, bytes).is_some() || memmem::find(bytes, "\u{feff}".as_bytes()).is_some();
        if special {
            return self.read_slowly();
        }
        while let Some(byte) = bytes.get(self.at) {
            let read = match byte {
                b'<' => self.read_markup()?,
                _ => self.read_text()?,
            };
            if read == TokenOutcome::Left {
                return self.read_slowly();
            }
        }
        Ok(())
    }

    /// Reads the rest of the page by the parser's own tokenizer.
    pub(super) fn read_slowly(&mut self) -> Result<(), ParseLimit> {
        self.leave_to_parser(self.page.len())
    }

    pub(super) fn into_parser(self) -> Parser<CountingSink> {
        self.parser
    }

    /// Leaves the page up to `to` to the parser's own tokenizer, which is then in its data state or
    /// at the end of the page.
    fn leave_to_parser(&mut self, to: usize) -> Result<(), ParseLimit> {
        while self.at < to {
            self.check_limits_before(self.at + 1)?;
            let end = to.min(self.piece.end);
            let text = StrTendril::from_slice(&self.page[self.at..end]);
            self.parser.process(text);
            self.at = end;
        }
        Ok(())
    }

    /// Checks the bounds after each piece that ends before `to`.
    fn check_limits_before(&mut self, to: usize) -> Result<(), ParseLimit> {
        while self.piece.end < to {
            self.parser.tokenizer.sink.sink.check_limits(self.end)?;
            let from = self.piece.end;
            self.piece = from..from + piece_end(&self.page[from..]);
            if self.piece.end > self.part.end {
                self.part = from..from + floor_boundary(&self.page[from..], PART);
                self.shared = StrTendril::from_slice(&self.page[self.part.clone()]);
            }
        }
        Ok(())
    }

    fn emit(&self, token: Token) {
        // The result only matters for script and raw-text tags, which are not read here.
        let _ = self.parser.tokenizer.sink.process_token(token, 1);
    }

    /// Returns a piece of the page, sharing memory if it lies within the current block.
    fn share_slice(&self, range: Range<usize>) -> StrTendril {
        let length = range.len();
        if range.start < self.part.start || range.end > self.part.end {
            return StrTendril::from_slice(&self.page[range]);
        }
        let offset = range.start - self.part.start;
        match (u32::try_from(offset), u32::try_from(length)) {
            (Ok(offset), Ok(length)) => self.shared.subtendril(offset, length),
            _ => StrTendril::from_slice(&self.page[range]),
        }
    }

    /// Reads text up to the next tag or the end of the piece.
    fn read_text(&mut self) -> Result<TokenOutcome, ParseLimit> {
        self.check_limits_before(self.at + 1)?;
        let bytes = self.page.as_bytes();
        let from = self.at;
        let rest = &bytes[from..self.piece.end];
        // Only a reference with which the piece begins, without other markup behind it, may
        // continue in the next piece.
        let next = bytes.get(self.piece.end);
        if rest[0] == b'&'
            && from == self.piece.start
            && next.is_some_and(|next| !matches!(next, b'<' | b'&'))
        {
            return Ok(TokenOutcome::Left);
        }
        let to = memchr(b'<', rest).map_or(self.piece.end, |length| from + length);
        self.at = to;
        let text = &self.page[from..to];
        if !self.returned && memchr2(b'&', b'\r', text.as_bytes()).is_none() {
            self.emit(Token::CharacterTokens(self.share_slice(from..to)));
            return Ok(TokenOutcome::Done);
        }
        let fed = self.returned && text.starts_with('\n');
        self.returned = text.ends_with('\r');
        let text = if fed { &text[1..] } else { text };
        // A parse error token stops html5ever from dropping the newline after `<pre>`.
        let open = text.starts_with('&')
            && entities::reference(&text[1..], false).is_some_and(|reference| !reference.ended);
        if open {
            self.emit(Token::ParseError(Cow::Borrowed("")));
        }
        self.decoded.clear();
        decode(text, false, &mut self.decoded);
        let text = StrTendril::from_slice(&self.decoded);
        self.emit(Token::CharacterTokens(text));
        Ok(TokenOutcome::Done)
    }

    /// Reads the markup that begins at the current `<`.
    fn read_markup(&mut self) -> Result<TokenOutcome, ParseLimit> {
        self.returned = false;
        let bytes = self.page.as_bytes();
        let at = self.at;
        match bytes.get(at + 1) {
            Some(byte) if byte.is_ascii_alphabetic() => self.read_tag(at + 1, TagKind::StartTag),
            Some(b'/') if bytes.get(at + 2).is_some_and(u8::is_ascii_alphabetic) => {
                self.read_tag(at + 2, TagKind::EndTag)
            }
            Some(b'!') => {
                let word = bytes.get(at + 2..at + 9);
                let doctype = word.is_some_and(|word| word.eq_ignore_ascii_case(b"doctype"));
                match memchr(b'>', &bytes[at..]).filter(|_| doctype) {
                    Some(length) => self
                        .leave_to_parser(at + length + 1)
                        .map(|()| TokenOutcome::Done),
                    None => Ok(TokenOutcome::Left),
                }
            }
            Some(b'/' | b'?') | None => Ok(TokenOutcome::Left),
            Some(_) => {
                self.check_limits_before(at + 1)?;
                self.at = at + 1;
                self.emit(Token::CharacterTokens(StrTendril::from_slice("<")));
                Ok(TokenOutcome::Done)
            }
        }
    }

    /// Reads the tag whose name begins at `at`.
    fn read_tag(&mut self, at: usize, kind: TagKind) -> Result<TokenOutcome, ParseLimit> {
        let page = self.page;
        let name_end = tag::name_end(page, at);
        let mut attributes = std::mem::take(&mut self.attributes);
        attributes.clear();
        let scanned = tag::scan(page, name_end, |attribute| attributes.push(attribute));
        self.attributes = attributes;
        let Some((end, closed)) = scanned else {
            return Ok(TokenOutcome::Left);
        };
        let name = local_name(&page[at..name_end]);
        if kind == TagKind::StartTag {
            match &*name {
                "title" if !self.is_plain_title(end) => return Ok(TokenOutcome::Left),
                "iframe" | "math" | "noembed" | "noframes" | "noscript" | "plaintext"
                | "script" | "style" | "svg" | "textarea" | "xmp" => return Ok(TokenOutcome::Left),
                _ => {}
            }
        }
        self.check_limits_before(end)?;
        let mut attrs: Vec<Attribute> = Vec::with_capacity(self.attributes.len());
        for attribute in &self.attributes {
            let local = local_name(attribute.name);
            if attrs.iter().all(|other| other.name.local != local) {
                attrs.push(Attribute {
                    name: QualName::new(None, ns!(), local),
                    value: self.attribute_value(attribute.value),
                });
            }
        }
        self.at = end;
        self.emit(Token::TagToken(Tag {
            kind,
            name,
            self_closing: closed,
            had_duplicate_attributes: attrs.len() < self.attributes.len(),
            attrs,
        }));
        Ok(TokenOutcome::Done)
    }

    /// True if the `title` whose start tag ends at `from` has an end tag and contains no `<`.
    fn is_plain_title(&self, from: usize) -> bool {
        let (end, _) = tag::raw_end(self.page, from, "title");
        end < self.page.len() && memchr(b'<', &self.page.as_bytes()[from..end]).is_none()
    }

    /// Returns the value of an attribute with its references decoded.
    fn attribute_value(&self, value: &str) -> StrTendril {
        if memchr2(b'&', b'\r', value.as_bytes()).is_some() {
            let mut decoded = String::with_capacity(value.len());
            decode(value, true, &mut decoded);
            return StrTendril::from_slice(&decoded);
        }
        let from = (value.as_ptr() as usize).wrapping_sub(self.page.as_ptr() as usize);
        if value.is_empty() {
            return StrTendril::new();
        }
        self.share_slice(from..from + value.len())
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

/// Writes a text with its references decoded and its line ends as line feeds.
fn decode(text: &str, in_attribute: bool, out: &mut String) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(length) = memchr2(b'&', b'\r', &bytes[at..]) {
        out.push_str(&text[at..at + length]);
        at += length + 1;
        if bytes[at - 1] == b'\r' {
            out.push('\n');
            at += usize::from(bytes.get(at) == Some(&b'\n'));
        } else if let Some(reference) = entities::reference(&text[at..], in_attribute) {
            out.extend(reference.characters.into_iter().flatten());
            at += reference.length;
        } else {
            out.push('&');
        }
    }
    out.push_str(&text[at..]);
}

#[cfg(test)]
mod tests;
