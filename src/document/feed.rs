//! The reader of feeds: RSS 2.0 and 1.0 (RDF) and Atom, as a list of linked titles.
//!
//! Rules: the RSS 2.0 specification, RDF Site Summary 1.0, RFC 4287 (Atom). It becomes a page of
//! HTML, so that titles, addresses and texts go the way of any page. Nothing but the five
//! references of XML and those by number is ever expanded, and nothing is fetched.

use std::fmt::Write as _;

use memchr::memchr;
use quick_xml::errors::{Error, SyntaxError};
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;
use url::Url;

use super::html::tag;
use super::{Document, DocumentCuts, entities};
use crate::basics::words::floor_boundary;

/// The most items that are listed.
const MAX_ITEMS: usize = 500;

/// The longest summary, in bytes.
const MAX_SUMMARY: usize = 300;

/// The longest title, date or address, in bytes.
const MAX_VALUE: usize = 2000;

/// How much of a text is read for its summary, in bytes.
const MAX_TEXT: usize = 16 * 1024;

/// How many elements may be open: a feed that nests deeper is read as far as there.
const MAX_OPEN: usize = 10_000;

/// How far out an end tag may lie from the element that it ends.
const MAX_OUT: usize = 64;

/// Where the root element has to name what RSS 1.0 is, in bytes.
const ROOT_WITHIN: usize = 4096;

/// Reads `page` if it is a feed.
pub(super) fn read(page: &str, base: &Url) -> Option<Document> {
    if !is_feed(page) {
        return None;
    }
    let mut feed = Feed::default();
    feed.read(page);
    let mut document = super::convert(&feed.page(), base);
    document.title = plain(&feed.about.title);
    Some(document.cut(DocumentCuts {
        items: feed.more,
        ..DocumentCuts::default()
    }))
}

/// Reads XML that may not be well-formed.
fn reader(page: &str) -> Reader<&[u8]> {
    let mut reader = Reader::from_str(page);
    let config = reader.config_mut();
    config.check_end_names = false;
    config.allow_unmatched_ends = true;
    config.allow_dangling_amp = true;
    reader
}

/// Whether the root element of `page` is that of a feed.
pub(super) fn is_feed(page: &str) -> bool {
    let page = page.trim_start_matches('\u{feff}').trim_start();
    if !page.starts_with('<') {
        return false;
    }
    let mut reader = reader(page);
    loop {
        match reader.read_event() {
            Ok(Event::Start(root) | Event::Empty(root)) => {
                let start = &page[..floor_boundary(page, ROOT_WITHIN)];
                return match root.name().into_inner() {
                    "rss" | "feed" => true,
                    "rdf:RDF" => start.contains("/rss/"),
                    _ => false,
                };
            }
            Ok(Event::Text(text)) if text.trim().is_empty() => {}
            Ok(Event::Decl(_) | Event::PI(_) | Event::Comment(_) | Event::DocType(_)) => {}
            _ => return false,
        }
    }
}

/// What an item, or the feed itself, says; as HTML.
#[derive(Default)]
struct Item {
    title: String,
    link: String,
    /// What stands for the link where there is none.
    guid: String,
    date: String,
    text: String,
}

#[derive(Default)]
struct Feed {
    about: Item,
    items: Vec<Item>,
    more: usize,
    /// The names of the elements that are open.
    open: Vec<Box<str>>,
    /// Where the element is open whose children count: the item, or else the feed.
    item: Option<usize>,
    about_at: Option<usize>,
    /// The child that is open: its name, its depth.
    field: Option<(Field, usize)>,
    text: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Field {
    Title,
    Link,
    Guid,
    Date,
    Text,
}

fn field_of(name: &str) -> Option<Field> {
    Some(match name {
        "title" => Field::Title,
        "link" => Field::Link,
        "guid" | "id" => Field::Guid,
        "pubDate" | "published" | "updated" | "dc:date" => Field::Date,
        "description" | "summary" | "subtitle" | "content" | "content:encoded" => Field::Text,
        _ => return None,
    })
}

/// Whether an element is one of HTML, of which feeds may hold some that nobody has escaped.
fn is_html(name: &str) -> bool {
    matches!(
        name,
        "a" | "b"
            | "blockquote"
            | "br"
            | "code"
            | "dd"
            | "div"
            | "dl"
            | "dt"
            | "em"
            | "figure"
            | "font"
            | "h1"
            | "h2"
            | "h3"
            | "h4"
            | "h5"
            | "h6"
            | "hr"
            | "i"
            | "iframe"
            | "img"
            | "li"
            | "ol"
            | "p"
            | "pre"
            | "small"
            | "span"
            | "strong"
            | "sub"
            | "sup"
            | "table"
            | "tbody"
            | "td"
            | "th"
            | "tr"
            | "u"
            | "ul"
    )
}

impl Feed {
    fn read(&mut self, page: &str) {
        let mut reader = reader(page);
        loop {
            let place = reader.buffer_position();
            match reader.read_event() {
                Ok(Event::Start(_)) if self.open.len() >= MAX_OPEN => return,
                Ok(Event::Start(tag)) => self.start(&tag),
                Ok(Event::Empty(tag)) => {
                    self.start(&tag);
                    self.end();
                }
                Ok(Event::End(tag)) => self.end_tag(tag.name().into_inner()),
                Ok(Event::Text(text)) => self.say(&text, false),
                Ok(Event::GeneralRef(name)) => self.say(&format!("&{};", &*name), false),
                Ok(Event::CData(text)) => self.say(&text, true),
                Ok(Event::Eof) => return,
                Ok(_) => {}
                Err(error) => {
                    // What is left of a section that nobody has closed is its text.
                    if matches!(error, Error::Syntax(SyntaxError::UnclosedCData)) {
                        let place = usize::try_from(place).unwrap_or(usize::MAX);
                        let rest = page.get(place..).unwrap_or_default();
                        let rest = rest.split_once("![CDATA[").map_or("", |(_, text)| text);
                        self.say(rest, true);
                    }
                    return;
                }
            }
        }
    }

    /// Ends what an end tag means: the element of its name, or else the one that was opened last,
    /// unless that holds others, or the tag is one of HTML.
    fn end_tag(&mut self, name: &str) {
        let out = self
            .open
            .iter()
            .rev()
            .take(MAX_OUT)
            .position(|open| **open == *name);
        let holds = ["item", "entry", "channel", "feed", "rss", "rdf:RDF"];
        let last = self.open.last().map_or("", |open| &**open);
        match out {
            Some(out) => (0..=out).for_each(|_| self.end()),
            None if holds.contains(&last) || is_html(name) => {}
            None => self.end(),
        }
    }

    /// Text of the page: as HTML where it stands in a section, else with its references.
    fn say(&mut self, text: &str, section: bool) {
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
        let (mut href, mut alternate, mut permalink) = (String::new(), true, true);
        let mut attributes = tag.html_attributes();
        for attribute in attributes.with_checks(false).filter_map(Result::ok) {
            match attribute.key.into_inner() {
                "href" => href = attribute.value.into_owned(),
                "rel" => alternate = attribute.value == "alternate",
                "isPermaLink" => permalink = attribute.value != "false",
                _ => {}
            }
        }
        let name = tag.name().into_inner();
        self.open.push(name.into());
        let depth = self.open.len();
        if self.field.is_some() {
            self.text.push(' ');
        } else if matches!(name, "item" | "entry") && self.item.is_none() {
            self.item = Some(depth);
            if self.items.len() < MAX_ITEMS {
                self.items.push(Item::default());
            } else {
                self.more += 1;
            }
        } else if matches!(name, "channel" | "feed") && self.about_at.is_none() {
            self.about_at = Some(depth);
        } else if let Some(parent) = self.item.or(self.about_at)
            && parent + 1 == depth
            && let Some(field) = field_of(name)
        {
            let is_id = name == "id" || !permalink;
            if field == Field::Link && !href.is_empty() {
                let value = entities::decoded(&href);
                if let Some(item) = self
                    .current()
                    .filter(|item| alternate && item.link.is_empty())
                {
                    item.link.push_str(value.trim());
                }
            } else if (field != Field::Guid || !is_id) && (field != Field::Link || alternate) {
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
                self.keep(field);
            } else {
                self.text.push(' ');
            }
        } else if self.item == Some(open) {
            self.item = None;
        } else if self.about_at == Some(open) {
            // An item of RSS 1.0 stands beside what is said of the feed.
            self.about_at = Some(usize::MAX - 1);
        }
        self.open.pop();
    }

    fn current(&mut self) -> Option<&mut Item> {
        if self.item.is_none() {
            Some(&mut self.about)
        } else if self.more == 0 {
            self.items.last_mut()
        } else {
            None
        }
    }

    fn keep(&mut self, field: Field) {
        let text = std::mem::take(&mut self.text);
        let Some(item) = self.current() else {
            return;
        };
        let kept = match field {
            Field::Title => &mut item.title,
            Field::Link => &mut item.link,
            Field::Guid => &mut item.guid,
            Field::Date => &mut item.date,
            Field::Text => &mut item.text,
        };
        // The first of several counts: a summary before the whole text, the date of publication
        // before that of a change.
        if kept.is_empty() {
            let most = if field == Field::Text {
                MAX_TEXT
            } else {
                MAX_VALUE
            };
            kept.push_str(text[..floor_boundary(&text, most)].trim());
        }
    }

    /// The feed as a page.
    fn page(&self) -> String {
        let mut page = String::new();
        let about = summary(&self.about.text);
        if !about.is_empty() {
            let _ = write!(page, "<p>{}</p>", escaped(&about));
        }
        page.push_str("<ul>");
        for item in &self.items {
            let text = summary(&item.text);
            let mut title = plain(&item.title);
            let link = [&item.link, &item.guid]
                .into_iter()
                .find(|link| !link.is_empty());
            if title.is_empty() {
                title = link.cloned().unwrap_or_default();
            }
            page.push_str("<li>");
            match link {
                Some(link) => {
                    let link = escaped(link).replace('"', "&quot;");
                    let _ = write!(page, "<a href=\"{link}\">{}</a>", escaped(&title));
                }
                None => page.push_str(&escaped(&title)),
            }
            if !item.date.is_empty() {
                let _ = write!(page, " ({})", escaped(&plain(&item.date)));
            }
            if !text.is_empty() && text != title {
                let _ = write!(page, "<br>{}", escaped(&text));
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

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

/// A text that may hold HTML, without its tags and in one line.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(length) = memchr(b'<', &text.as_bytes()[at..]) {
        let open = at + length;
        plain.push_str(&text[at..open]);
        let next = text.as_bytes().get(open + 1);
        if next.is_some_and(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'/' | b'!')) {
            plain.push(' ');
            at = tag::past(text, open, b'>');
        } else {
            plain.push('<');
            at = open + 1;
        }
    }
    plain.push_str(&text[at..]);
    let plain = entities::decoded(&plain);
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The beginning of a text, cut between words.
fn summary(text: &str) -> String {
    let mut plain = plain(text);
    if plain.len() > MAX_SUMMARY {
        let most = floor_boundary(&plain, MAX_SUMMARY);
        let end = plain[..most].rfind(' ').unwrap_or(most);
        plain.truncate(end);
        plain.push('\u{2026}');
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn markdown(page: &str) -> Option<(String, String)> {
        let base = Url::parse("https://example.com/feed/").unwrap();
        read(page, &base).map(|document| (document.title, document.markdown))
    }

    fn check(page: &str, title: &str, wanted: &str) {
        let wanted = (title.to_owned(), wanted.to_owned());
        assert_eq!(markdown(page), Some(wanted), "{page}");
    }

    #[test]
    fn rss_is_a_list_of_linked_titles() {
        check(
            "<?xml version='1.0'?><!-- x --><rss version='2.0'><channel><title>News &amp; more</title>\
             <link>https://example.com/</link><description>All of it</description>\
             <item><title>A &lt;b&gt;bold&lt;/b&gt; one</title><link>https://example.com/1?a=b&amp;utm_source=rss</link>\
             <pubDate>Sun, 22 Nov 2026</pubDate><description><![CDATA[<p>Some <i>words</i> &amp; more</p>]]></description></item>\
             <item><title><![CDATA[AT&T]]></title><guid>https://example.com/2</guid></item>\
             <item><title>c</title><guid isPermaLink='false'>x</guid></item></channel></rss>",
            "News & more",
            "All of it\n\n- [A bold one](https://example.com/1?a=b) (Sun, 22 Nov 2026)  \n  Some words & more\n\
             - [AT&T](https://example.com/2)\n- c",
        );
    }

    #[test]
    fn atom_is_a_list_of_linked_titles() {
        check(
            "<feed xmlns='http://www.w3.org/2005/Atom'><title>T</title><link rel='self' href='/feed'/>\
             <entry><title type='html'>a</title><link rel='edit' href='/e'/><link href='/1'/><id>urn:x</id>\
             <updated>2026-11-22</updated><content type='xhtml'><div><p>b</p><p>c</p></div></content></entry></feed>",
            "T",
            "- [a](https://example.com/1) (2026-11-22)  \n  b c",
        );
    }

    #[test]
    fn rdf_is_a_list_of_linked_titles() {
        check(
            "<rdf:RDF xmlns:rdf='x' xmlns='http://purl.org/rss/1.0/'><channel><title>T</title></channel>\
             <item><title>a</title><link>/1</link><dc:date>2026</dc:date></item></rdf:RDF>",
            "T",
            "- [a](https://example.com/1) (2026)",
        );
    }

    #[test]
    fn a_broken_feed_gives_what_it_has() {
        let item = |title: &str| {
            format!("<item><title>{title}</title><link>https://example.com/1?a=1&b=2</link></item>")
        };
        let next = "<item><title>c</title></item>";
        let page = |body: &str| {
            format!(
                "<?xml version='1.0' encoding='ISO-8859-1'?><rss><channel><title>T</title>{body}</channel></rss>"
            )
        };
        let link = "[A & B](https://example.com/1?a=1&b=2)";
        for (body, wanted) in [
            // References that are none, and names that only HTML knows.
            (item("A & B") + next, format!("- {link}\n- c")),
            (item("A &amp; B&nbsp;") + next, format!("- {link}\n- c")),
            (
                item("A &foo; B") + next,
                "- [A \\&foo; B](https://example.com/1?a=1&b=2)\n- c".to_owned(),
            ),
            // HTML that nobody has escaped.
            (
                format!(
                    "<item><title>a</title><description><p>b<br>c <img src=x></description></item>{next}"
                ),
                "- a  \n  b c\n- c".to_owned(),
            ),
            (
                format!("<item><title>a</title><description>b</p> c</description></item>{next}"),
                "- a  \n  b c\n- c".to_owned(),
            ),
            // End tags that are wrong, missing, or too many.
            (
                format!("<item><title>a</titel></item>{next}"),
                "- a\n- c".to_owned(),
            ),
            (
                format!("<item><title>a</title></item></item></x>{next}"),
                "- a\n- c".to_owned(),
            ),
            (
                format!("<item><title>a<b></title></item>{next}"),
                "- a\n- c".to_owned(),
            ),
            // What breaks off.
            (
                format!("{next}<item><title>a</title><description><![CDATA[<p>b"),
                "- c\n- a".to_owned(),
            ),
            (
                format!("{next}<item><title>a</title><desc"),
                "- c\n- a".to_owned(),
            ),
            (format!("{next}<!-- x"), "- c".to_owned()),
        ] {
            check(&page(&body), "T", &wanted);
        }
    }

    #[test]
    fn items_that_are_not_listed_are_counted_and_no_item_says_so() {
        let base = Url::parse("https://example.com/").unwrap();
        let said = "[12 more items are not listed.]";
        let item = format!("<item><title>{said}</title></item>");
        let page = |items: usize| format!("<rss><channel>{}", item.repeat(items));
        let whole = super::read(&page(1), &base).unwrap();
        assert_eq!(whole.markdown, format!("- {said}"));
        assert_eq!(
            (whole.cuts, whole.own()),
            (DocumentCuts::default(), &*whole.markdown)
        );
        let cut = super::read(&page(MAX_ITEMS + 3), &base).unwrap();
        assert_eq!(cut.cuts.items, 3);
        let end = "\n\n[3 more items are not listed.]";
        assert_eq!(cut.markdown, format!("{}{end}", cut.own()));
    }

    #[test]
    fn what_is_no_feed_is_none() {
        for page in [
            "",
            "<html><rss>",
            "<rsss>",
            "{\"rss\":1}",
            "<rdf:RDF xmlns='x'>",
            "<!-- ",
        ] {
            assert_eq!(markdown(page), None, "{page}");
        }
    }

    #[test]
    fn a_hostile_feed_expands_nothing_and_stays_small() {
        let bomb = "<!DOCTYPE rss [<!ENTITY a 'SECRET'><!ENTITY b '&a;&a;&a;'><!ENTITY c SYSTEM 'file:///etc/passwd'>]>\
             <rss><channel><item><title>&b;&c;</title></item></channel></rss>";
        let (_, read) = markdown(bomb).unwrap();
        assert!(
            !read.contains("SECRET") && !read.contains("root:"),
            "{read}"
        );
        for piece in [
            "<item><title>a</title>",
            "<item><title>a</title></item>",
            "<a>",
            "<![CDATA[",
            "<!--",
            "<item ",
        ] {
            let page = format!("<rss><channel>{}", piece.repeat(200_000));
            let (_, read) = markdown(&page).unwrap();
            assert!(read.len() < 64 * 1024, "{piece}");
        }
    }
}
