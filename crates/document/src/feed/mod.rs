//! The reader of feeds: RSS 2.0 and 1.0 (RDF) and Atom, as a list of linked titles.
//!
//! Rules: the RSS 2.0 specification, RDF Site Summary 1.0, RFC 4287 (Atom). A feed is rewritten as
//! HTML, so that titles, URLs and texts are treated like those of any page. Only character
//! references are expanded, never entities that the feed declares, and nothing is fetched.

use std::fmt::Write as _;

use memchr::memchr;
use quick_xml::errors::{Error, SyntaxError};
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;
use url::Url;

use iki_base::wording::floor_boundary;
use iki_html as page;
use iki_html::tag;
use iki_markdown::document::{Document, DocumentCuts};
use iki_markdown::entities;
use iki_markdown::xml::{XmlEvent, XmlReader};

#[cfg(test)]
mod tests;

/// Maximum number of items in the list.
const MAX_ITEMS: usize = 500;

/// Maximum length of a summary, in bytes.
const MAX_SUMMARY: usize = 300;

/// Maximum length of a title, date or URL, in bytes.
const MAX_VALUE: usize = 2000;

/// Bytes read of a text for its summary.
const MAX_TEXT: usize = 16 * 1024;

/// Maximum nesting of elements; a feed is read until it nests deeper.
const MAX_DEPTH: usize = 10_000;

/// Maximum number of open elements that one end tag closes.
const MAX_CLOSED_ELEMENTS: usize = 64;

/// Bytes at the beginning of a page in which RSS 1.0 must declare its namespace.
const ROOT_BYTES: usize = 4096;

/// Converts an RSS or Atom feed that was found at `base` into a list of linked titles; `None` if
/// `page` has another root element.
#[must_use]
pub fn convert_feed(page: &str, base: &Url) -> Option<Document> {
    if !is_feed(page) {
        return None;
    }
    let mut feed = FeedParser::default();
    feed.parse(page);
    let mut document = page::convert(&feed.page(base), base);
    document.title = plain_text(&feed.about.title);
    Some(document.cut(DocumentCuts {
        items: feed.more,
        ..DocumentCuts::default()
    }))
}

/// True if the root element of `page` is that of a feed.
pub(super) fn is_feed(page: &str) -> bool {
    let page = page.trim_start_matches('\u{feff}').trim_start();
    if !page.starts_with('<') {
        return false;
    }
    let mut xml = XmlReader::new(page, None);
    loop {
        match xml.next() {
            Some(XmlEvent::Text(text)) if text.trim().is_empty() => {}
            Some(XmlEvent::Open(root)) => {
                let start = &page[..floor_boundary(page, ROOT_BYTES)];
                return match root.name() {
                    "rss" | "feed" => true,
                    "RDF" => start.contains("/rss/"),
                    _ => false,
                };
            }
            _ => return false,
        }
    }
}

/// Texts of an item, or of the feed itself, as HTML.
#[derive(Default)]
struct FeedItem {
    title: String,
    link: String,
    /// Permanent link, which replaces a missing link.
    guid: String,
    /// Address and media type of its first enclosure.
    enclosure: Option<(String, String)>,
    /// `xml:base`, against which its links are resolved.
    base: String,
    date: String,
    text: String,
}

#[derive(Default)]
struct FeedParser {
    about: FeedItem,
    items: Vec<FeedItem>,
    more: usize,
    /// Names of the open elements.
    open: Vec<Box<str>>,
    /// Depths of the open item and the open feed: children of the item are read, or else those of
    /// the feed.
    item: Option<usize>,
    about_at: Option<usize>,
    /// The open child, with its depth.
    field: Option<(FeedField, usize)>,
    text: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum FeedField {
    Title,
    Link,
    Guid,
    Date,
    Text,
}

fn field_of(name: &str) -> Option<FeedField> {
    Some(match name {
        "title" => FeedField::Title,
        "link" => FeedField::Link,
        "guid" | "id" => FeedField::Guid,
        "pubDate" | "published" | "updated" | "dc:date" => FeedField::Date,
        "description" | "summary" | "subtitle" | "content" | "content:encoded" => FeedField::Text,
        _ => return None,
    })
}

impl FeedParser {
    fn parse(&mut self, page: &str) {
        let mut reader = Reader::from_str(page);
        let config = reader.config_mut();
        config.check_end_names = false;
        config.allow_unmatched_ends = true;
        config.allow_dangling_amp = true;
        loop {
            let place = reader.buffer_position();
            match reader.read_event() {
                Ok(Event::Start(_)) if self.open.len() >= MAX_DEPTH => return,
                Ok(Event::Start(tag)) => self.start(&tag),
                Ok(Event::Empty(tag)) => {
                    self.start(&tag);
                    self.end();
                }
                Ok(Event::End(tag)) => self.end_tag(tag.name().into_inner()),
                Ok(Event::Text(text)) => self.add_text(&text, false),
                Ok(Event::GeneralRef(name)) => self.add_text(&format!("&{};", &*name), false),
                Ok(Event::CData(text)) => self.add_text(&text, true),
                Ok(Event::Eof) => return,
                Ok(_) => {}
                Err(error) => {
                    // An unclosed section extends to the end of the feed.
                    if matches!(error, Error::Syntax(SyntaxError::UnclosedCData)) {
                        let place = usize::try_from(place).unwrap_or(usize::MAX);
                        let section = page.get(place..).unwrap_or_default();
                        let section = section.split_once("![CDATA[").map_or("", |(_, text)| text);
                        self.add_text(section, true);
                    }
                    return;
                }
            }
        }
    }

    /// Closes the element with the name of an end tag, or else a child of an item that was opened
    /// last; within texts such a tag may be HTML that is not escaped.
    fn end_tag(&mut self, name: &str) {
        let mut open = self.open.iter().rev().take(MAX_CLOSED_ELEMENTS);
        let depth = self.open.len();
        match open.position(|open| **open == *name) {
            Some(out) => (0..=out).for_each(|_| self.end()),
            None if matches!(
                self.field,
                Some((field, level)) if level == depth && field != FeedField::Text
            ) =>
            {
                self.end();
            }
            None => {}
        }
    }

    /// Adds text to the open child: that of a CDATA section as HTML, any other with its references
    /// expanded.
    fn add_text(&mut self, text: &str, section: bool) {
        if self.field.is_none() || self.text.len() > MAX_TEXT {
            return;
        }
        let text = &text[..floor_boundary(text, MAX_TEXT)];
        if section {
            self.text.push_str(text);
        } else {
            self.text.push_str(&entities::decoded(text));
        }
    }

    fn start(&mut self, tag: &BytesStart<'_>) {
        let value = |names: &[&str]| {
            let mut attributes = tag.html_attributes();
            let mut attributes = attributes.with_checks(false).filter_map(Result::ok);
            let attribute = attributes.find(|one| names.contains(&one.key.into_inner()));
            attribute.map(|one| entities::decoded(&one.value).trim().to_owned())
        };
        let (href, base) = (value(&["href", "url"]), value(&["xml:base"]));
        let (href, base) = (href.unwrap_or_default(), base.unwrap_or_default());
        let rel = value(&["rel"]);
        let alternate = rel.as_deref().is_none_or(|rel| rel == "alternate");
        let name = tag.name().into_inner();
        self.open.push(name.into());
        let depth = self.open.len();
        let holder = self.item.or(self.about_at);
        let is_child = holder.is_some_and(|holder| holder + 1 == depth);
        let is_feed = matches!(name, "channel" | "feed") && self.about_at.is_none();
        if self.field.is_some() {
            self.text.push(' ');
        } else if matches!(name, "item" | "entry") && self.item.is_none() {
            self.item = Some(depth);
            if self.items.len() < MAX_ITEMS {
                self.items.push(FeedItem {
                    base,
                    ..FeedItem::default()
                });
            } else {
                self.more += 1;
            }
        } else if is_feed || depth == 1 {
            self.about_at = self.about_at.or(is_feed.then_some(depth));
            if !base.is_empty() {
                self.about.base = base;
            }
        } else if is_child && (name == "enclosure" || rel.as_deref() == Some("enclosure")) {
            if let Some(item) = self.current().filter(|_| !href.is_empty()) {
                let kind = value(&["type"]).unwrap_or_default();
                item.enclosure.get_or_insert((href, kind));
            }
        } else if is_child && let Some(field) = field_of(name) {
            let is_link = field == FeedField::Link;
            let is_id = name == "id" || value(&["isPermaLink"]).as_deref() == Some("false");
            if is_link && !href.is_empty() {
                if let Some(item) = self.current().filter(|item| item.link.is_empty())
                    && alternate
                {
                    item.link.push_str(&href);
                }
            } else if (field != FeedField::Guid || !is_id) && (!is_link || alternate) {
                self.field = Some((field, depth));
                self.text.clear();
            }
        }
    }

    fn end(&mut self) {
        let open = self.open.len();
        if let Some((field, depth)) = self.field {
            if depth == open {
                self.field = None;
                self.store_field(field);
            } else {
                self.text.push(' ');
            }
        } else if self.item == Some(open) {
            self.item = None;
        } else if self.about_at == Some(open) {
            // The items of RSS 1.0 follow the closed channel.
            self.about_at = Some(usize::MAX - 1);
        }
        self.open.pop();
    }

    fn current(&mut self) -> Option<&mut FeedItem> {
        if self.item.is_none() {
            Some(&mut self.about)
        } else if self.more == 0 {
            self.items.last_mut()
        } else {
            None
        }
    }

    fn store_field(&mut self, field: FeedField) {
        let mut text = std::mem::take(&mut self.text);
        // Some feeds escape the marks of a CDATA section.
        if text.trim_start().starts_with("<![CDATA[") {
            text = text.replace("<![CDATA[", "").replace("]]>", "");
        }
        let Some(item) = self.current() else {
            return;
        };
        let text_of_field = match field {
            FeedField::Title => &mut item.title,
            FeedField::Link => &mut item.link,
            FeedField::Guid => &mut item.guid,
            FeedField::Date => &mut item.date,
            FeedField::Text => &mut item.text,
        };
        // The first of several counts: a summary comes before the whole text, and the publication
        // date before the date of a change.
        if text_of_field.is_empty() {
            let limit = if field == FeedField::Text {
                MAX_TEXT
            } else {
                MAX_VALUE
            };
            text_of_field.push_str(text[..floor_boundary(&text, limit)].trim());
        }
    }

    /// Writes the feed as a page.
    fn page(&self, address: &Url) -> String {
        let based = |base: &Url, more: &str| base.join(more).unwrap_or_else(|_| base.clone());
        let feed = based(address, &self.about.base);
        let mut page = String::new();
        let about = summarize(&self.about.text);
        if !about.is_empty() {
            let _ = write!(page, "<p>{}</p>", escape_html(&about));
        }
        page.push_str("<ul>");
        for item in &self.items {
            let text = summarize(&item.text);
            let mut title = plain_text(&item.title);
            let base = based(&feed, &item.base);
            let resolved = |link: &str| {
                let joined = (base != *address).then(|| base.join(link).ok()).flatten();
                joined.map_or_else(|| link.to_owned(), String::from)
            };
            let link = [&item.link, &item.guid]
                .into_iter()
                .find(|link| !link.is_empty())
                .map(|link| resolved(link));
            if title.is_empty() {
                title = link.clone().unwrap_or_default();
            }
            page.push_str("<li>");
            match link {
                Some(link) => write_link(&link, &title, &mut page),
                None => page.push_str(&escape_html(&title)),
            }
            if !item.date.is_empty() {
                let _ = write!(page, " ({})", escape_html(&plain_text(&item.date)));
            }
            if let Some((address, kind)) = &item.enclosure {
                page.push(' ');
                let label = if kind.is_empty() { "Enclosure" } else { kind };
                write_link(&resolved(address), label, &mut page);
            }
            if !text.is_empty() && text != title {
                let _ = write!(page, "<br>{}", escape_html(&text));
            }
            page.push_str("</li>");
        }
        page.push_str("</ul>");
        if self.items.is_empty() {
            page.push_str("<p>[This feed has no items.]</p>");
        }
        page
    }
}

fn write_link(address: &str, label: &str, page: &mut String) {
    let address = escape_html(address).replace('"', "&quot;");
    let _ = write!(page, "<a href=\"{address}\">{}</a>", escape_html(label));
}

fn escape_html(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

/// Removes the tags from a text that may contain HTML, and puts it on one line.
fn plain_text(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut offset = 0;
    while let Some(length) = memchr(b'<', &text.as_bytes()[offset..]) {
        let open = offset + length;
        plain.push_str(&text[offset..open]);
        let next = text.as_bytes().get(open + 1);
        if next.is_some_and(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'/' | b'!')) {
            plain.push(' ');
            offset = tag::past(text, open, b'>');
        } else {
            plain.push('<');
            offset = open + 1;
        }
    }
    plain.push_str(&text[offset..]);
    let plain = entities::decoded(&plain);
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the beginning of a text, cut between words.
fn summarize(text: &str) -> String {
    let mut plain = plain_text(text);
    if plain.len() > MAX_SUMMARY {
        let limit = floor_boundary(&plain, MAX_SUMMARY);
        let end = plain[..limit].rfind(' ').unwrap_or(limit);
        plain.truncate(end);
        plain.push('\u{2026}');
    }
    plain
}
