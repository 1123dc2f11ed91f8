//! Metadata of a page: `meta` elements, title and blocks of JSON-LD, and the visible byline and
//! date.
//!
//! Rules: HTML Living Standard, "Tokenization" (through the reader of tags in front of the parser),
//! `meta`, `rel=author`, `time`; microdata's `itemprop`. One pass over the page's tags, without a
//! tree.

use memchr::memchr;

use super::dom::lists_any_case;
use super::tag::{self, HtmlTag};
use iki_base::wording::floor_boundary;
use iki_markdown::entities;

mod text;

pub(super) use self::text::read_element;

/// Maximum number of `meta` elements.
const MAX_METAS: usize = 4096;

/// Maximum length of their contents together, in bytes.
const MAX_CONTENTS_BYTES: usize = 256 * 1024;

/// Maximum length of a content, in bytes; longer ones are cut.
const MAX_CONTENT_BYTES: usize = 8 * 1024;

/// Maximum length of a name, in bytes; elements with longer names are ignored.
const MAX_NAME_BYTES: usize = 128;

/// Maximum number of blocks of JSON-LD.
const MAX_BLOCKS: usize = 64;

/// Maximum length of these together, in bytes.
const MAX_BLOCKS_BYTES: usize = 512 * 1024;

/// Maximum number of elements that are read for their text.
const MAX_ELEMENTS: usize = 64;

/// Maximum length of such an element, in bytes.
const MAX_ELEMENT_BYTES: usize = 2 * 1024;

/// Maximum distance of two names of one byline, in bytes.
const MAX_NAMES_DISTANCE: usize = 400;

/// Maximum number of names in a byline.
const MAX_NAMES: usize = 16;

/// Elements that end only at their own end tag, and show nothing that is declared.
const RAW_ELEMENTS: &str = "iframe noembed noframes noscript style template textarea xmp";

/// The attribute that names a `meta` element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetaKind {
    /// `name`: HTML's own.
    Name,
    /// `property`: that of the Open Graph protocol.
    Property,
    /// `itemprop`: microdata.
    ItemProp,
}

/// A `meta` element with a name and a content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetaElement {
    /// The attribute that names it.
    pub kind: MetaKind,
    /// The name, in lower case.
    pub name: String,
    /// The content, entities decoded, as long as 8 KiB.
    pub content: String,
}

/// The metadata of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeclaredMetadata<'a> {
    /// The text of `<title>`, entities decoded, whitespace collapsed.
    pub title: String,
    /// The `meta` elements, in the order of the page: at most 4,096 and 256 KiB.
    pub metas: Vec<MetaElement>,
    /// The scripts that hold JSON-LD, as they stand: at most 64 and 512 KiB.
    pub json_ld: Vec<&'a str>,
    /// The visible author names: the texts of `itemprop=author`, else of `rel=author`, else of
    /// elements with a byline class.
    pub byline: Vec<String>,
    /// The visible date of publication: the marked one, else the first `time` of its article.
    pub published: Option<String>,
}

/// Reads the metadata of `page`. Its time is proportional to the length of the page, and its memory
/// is bounded.
#[must_use]
pub fn read_declared(page: &str) -> DeclaredMetadata<'_> {
    let mut reader = DeclarationReader {
        page,
        ..DeclarationReader::default()
    };
    reader.run();
    reader.metadata
}

/// The mark of a byline, the clearest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum BylineMark {
    ItemProp,
    Rel,
    Class,
}

/// The mark of a date, the clearest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum DateMark {
    Published,
    InArticle,
}

#[derive(Default)]
struct DeclarationReader<'a> {
    page: &'a str,
    metadata: DeclaredMetadata<'a>,
    titled: bool,
    /// Number of open `svg` elements, whose titles are not the page's.
    drawings: usize,
    /// True once its article or main heading has begun.
    article: bool,
    contents: usize,
    blocks: usize,
    elements: usize,
    /// The mark of the byline found so far, and its end.
    byline: Option<(BylineMark, usize)>,
    published: Option<DateMark>,
}

/// True if one of the words of an attribute is `word`.
fn has_word(value: Option<&str>, word: &str) -> bool {
    value.is_some_and(|value| {
        value
            .split_ascii_whitespace()
            .any(|one| one.eq_ignore_ascii_case(word))
    })
}

/// Classes of bylines.
const BYLINE_CLASSES: &str = "byline byline-name byline__name author author-name article-author \
                              entry-author post-author p-author";

fn is_byline(class: Option<&str>) -> bool {
    // A quick test first, because most classes contain neither.
    class.is_some_and(|class| class.contains("uthor") || class.contains("yline"))
        && BYLINE_CLASSES.split(' ').any(|word| has_word(class, word))
}

impl<'a> DeclarationReader<'a> {
    fn run(&mut self) {
        let bytes = self.page.as_bytes();
        let mut offset = 0;
        while let Some(length) = memchr(b'<', &bytes[offset..]) {
            let open = offset + length;
            let next = match bytes.get(open + 1) {
                Some(b'!') if bytes[open..].starts_with(b"<!--") => {
                    Some(tag::comment_end(self.page, open + 4))
                }
                Some(b'!' | b'?') => Some(tag::past(self.page, open, b'>')),
                Some(b'/') => self.end_tag(open),
                Some(byte) if byte.is_ascii_alphabetic() => self.start_tag(open),
                Some(_) => Some(open + 1),
                None => None,
            };
            match next {
                Some(next) => offset = next,
                // The rest is an unfinished tag, or text.
                None => break,
            }
        }
    }

    fn end_tag(&mut self, open: usize) -> Option<usize> {
        let starts = self.page.as_bytes().get(open + 2);
        if !starts.is_some_and(u8::is_ascii_alphabetic) {
            return Some(tag::past(self.page, open, b'>'));
        }
        if self.drawings > 0 && tag::is_named(self.page, open + 2, "svg") {
            self.drawings -= 1;
        }
        tag::read(self.page, open + 2).map(|tag| tag.end)
    }

    /// Reads the start tag at `open`; returns the offset after it, or after the element.
    fn start_tag(&mut self, open: usize) -> Option<usize> {
        let tag = tag::read(self.page, open + 1)?;
        let is = |name: &str| tag.name.eq_ignore_ascii_case(name);
        match tag.name.len() {
            2 if is("h1") => self.article = true,
            3 if is("svg") => self.drawings += usize::from(!tag.closed),
            4 if is("meta") => {
                self.keep_meta(&tag);
                return Some(tag.end);
            }
            4 if is("main") => self.article = true,
            4 if is("time") => self.read_time(&tag),
            5 if is("title") => {
                let (text, end) = self.raw_text(&tag);
                if self.drawings == 0 && !self.titled {
                    self.titled = true;
                    self.metadata.title =
                        text::collapsed(&text[..floor_boundary(text, MAX_CONTENT_BYTES)]);
                }
                return Some(end);
            }
            6 if is("script") => {
                let (text, end) = self.raw_text(&tag);
                self.keep_json_ld(&tag, text);
                return Some(end);
            }
            7 if is("article") => self.article = true,
            9 if is("plaintext") => return None,
            _ if lists_any_case(RAW_ELEMENTS, tag.name) => return Some(self.raw_text(&tag).1),
            _ => {}
        }
        self.read_byline(&tag);
        Some(tag.end)
    }

    /// Returns the contents of an element that ends only at its end tag, and the offset after it.
    fn raw_text(&self, tag: &HtmlTag<'a>) -> (&'a str, usize) {
        let (text, end) = tag::raw_end(self.page, tag.end, tag.name);
        (&self.page[tag.end..text], end)
    }

    fn keep_meta(&mut self, tag: &HtmlTag<'a>) {
        let Some(content) = tag.get("content") else {
            return;
        };
        for (kind, name) in [
            (MetaKind::Name, tag.get("name")),
            (MetaKind::Property, tag.get("property")),
            (MetaKind::ItemProp, tag.get("itemprop")),
        ] {
            let Some(name) = name
                .map(str::trim)
                .filter(|name| !name.is_empty() && name.len() <= MAX_NAME_BYTES)
            else {
                continue;
            };
            let content = &content[..floor_boundary(content, MAX_CONTENT_BYTES)];
            if self.metadata.metas.len() == MAX_METAS
                || self.contents + content.len() > MAX_CONTENTS_BYTES
            {
                return;
            }
            self.contents += content.len();
            self.metadata.metas.push(MetaElement {
                kind,
                name: entities::decoded_in_attribute(name).to_lowercase(),
                content: entities::decoded_in_attribute(content).into_owned(),
            });
        }
    }

    fn keep_json_ld(&mut self, tag: &HtmlTag<'a>, text: &'a str) {
        let kind = tag.get("type").unwrap_or_default();
        let kind = kind.split(';').next().unwrap_or_default().trim();
        if kind.eq_ignore_ascii_case("application/ld+json")
            && self.metadata.json_ld.len() < MAX_BLOCKS
            && self.blocks + text.len() <= MAX_BLOCKS_BYTES
        {
            self.blocks += text.len();
            self.metadata.json_ld.push(text);
        }
    }

    fn read_time(&mut self, tag: &HtmlTag<'a>) {
        let marked = tag.get("pubdate").is_some() || has_word(tag.get("itemprop"), "datePublished");
        let mark = if marked {
            DateMark::Published
        } else if self.article {
            DateMark::InArticle
        } else {
            return;
        };
        if self.published.is_some_and(|published| published <= mark) {
            return;
        }
        let written = match tag.get("datetime") {
            Some(written) => Some(entities::decoded_in_attribute(written).into_owned()),
            None => self.element_text(tag).map(|(text, _)| text),
        };
        self.set_published(mark, written);
    }

    fn set_published(&mut self, mark: DateMark, written: Option<String>) {
        if let Some(written) = written.filter(|written| !written.trim().is_empty()) {
            self.published = Some(mark);
            self.metadata.published = Some(written);
        }
    }

    /// Reads the byline or the date of publication that an element shows.
    fn read_byline(&mut self, tag: &HtmlTag<'a>) {
        if let Some(content) = tag.get("content")
            && has_word(tag.get("itemprop"), "datePublished")
            && self.published != Some(DateMark::Published)
        {
            let written = entities::decoded_in_attribute(content).into_owned();
            self.set_published(DateMark::Published, Some(written));
        }
        let mark = if has_word(tag.get("itemprop"), "author") {
            BylineMark::ItemProp
        } else if has_word(tag.get("rel"), "author") {
            BylineMark::Rel
        } else if is_byline(tag.get("class")) {
            BylineMark::Class
        } else {
            return;
        };
        if tag.get("hidden").is_some()
            || tag.get("style").is_some_and(|style| style.contains("none"))
            || tag.closed
            || tag.name.eq_ignore_ascii_case("link")
        {
            return;
        }
        let more = match self.byline {
            Some((known_mark, _)) if known_mark < mark => return,
            Some((known_mark, end)) if known_mark == mark => {
                // Later bylines are those of comments and of other articles; one within the first
                // has been read with it.
                if tag.end > end + MAX_NAMES_DISTANCE || tag.end < end {
                    return;
                }
                true
            }
            _ => false,
        };
        let Some((text, end)) = self.element_text(tag) else {
            return;
        };
        if text.is_empty() {
            return;
        }
        if !more {
            self.metadata.byline.clear();
        }
        if self.metadata.byline.len() < MAX_NAMES && !self.metadata.byline.contains(&text) {
            self.metadata.byline.push(text);
        }
        self.byline = Some((mark, end));
    }

    /// Returns the text of a small element and its end, until too many have been read.
    fn element_text(&mut self, tag: &HtmlTag<'a>) -> Option<(String, usize)> {
        if self.elements == MAX_ELEMENTS {
            return None;
        }
        self.elements += 1;
        read_element(self.page, tag, MAX_ELEMENT_BYTES)
    }
}

#[cfg(test)]
mod tests;
