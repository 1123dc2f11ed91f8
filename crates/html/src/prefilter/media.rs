//! Embedded content: frames, videos, audio and the like. The address and the title of each become a
//! link; its contents are for browsers that cannot show it.
//!
//! Rules: HTML Living Standard, "Embedded content".

use super::super::tag::TagAttribute;
use memchr::memmem;

use super::super::declared::read_element;
use super::super::{dom, tag};
use super::start_tag::StartTag;
use super::{PageFilter, TagCategory, memchr};
use iki_base::wording::floor_boundary;

/// Maximum length of a `noscript` with an image, and of what is looked at on each side, in bytes.
const MAX_NOSCRIPT_BYTES: usize = 8 * 1024;

impl<'a> PageFilter<'a> {
    /// Replaces the media element whose start tag is at `offset`; returns the offset after it.
    pub(super) fn replace_media(&mut self, offset: usize, name: &str, tag: StartTag<'a>) -> usize {
        let read = tag::read(self.page, offset + 1);
        let value = |name: &str| {
            let value = read.as_ref()?.get(name)?.trim();
            Some(value).filter(|value| !value.is_empty())
        };
        let object = name == "object";
        // Lazy frames have a placeholder as their source until a script runs.
        let mut source = value(if object { "data" } else { "src" })
            .filter(|address| is_followable(address))
            .or_else(|| value("data-src"))
            .or_else(|| value("data-lazy-src"));
        // In a book, what stands in for an object is its text.
        if object && (source.is_none() || self.in_book) {
            return self.pass_start(name, TagCategory::Wall, tag);
        }
        let void = name == "embed" || (self.xml && tag.closed);
        let inner = if void {
            None
        } else if name == "iframe" {
            Some(self.raw_end(tag.end, tag.name))
        } else {
            self.media_end(&tag)
        };
        let end = inner.map_or(tag.end, |(_, end)| end);
        if let Some((inner, _)) = inner
            && source.is_none()
        {
            source = first_of(&self.page[tag.end..inner], "source", "src");
        }
        let is_tiny = |side| value(side).is_some_and(tag::is_tiny);
        let hides = tag.hides || name == "canvas" || is_tiny("width") || is_tiny("height");
        let followable = source.filter(|address| !hides && is_followable(address));
        let Some(address) = followable else {
            if !void && inner.is_none() {
                self.tree.start_silent(tag.name, TagCategory::Plain);
            }
            return self.part_words(end);
        };
        if !self.tree.is_settled() {
            self.tree.before_content(false, &mut self.out);
        }
        self.out.push_characters(" ");
        let image = inner
            .filter(|_| object)
            .and_then(|(inner, _)| first_of(&self.page[tag.end..inner], "img", "alt"));
        let label = value("title").or_else(|| value("aria-label")).or(image);
        let label = label.unwrap_or(match name {
            "video" => "Video",
            "audio" => "Audio",
            _ => "",
        });
        let attribute = |name, value| TagAttribute { name, value };
        let attributes = [attribute("href", address), attribute("title", label)];
        self.out.start(dom::MEDIA_ELEMENT, &attributes);
        self.out.end(dom::MEDIA_ELEMENT);
        self.part_words(end)
    }

    /// Returns the offset of the image that is all there is in the `noscript` at `offset`, and the
    /// offset after that: an image that a script shows, and not one beside another or a script,
    /// which counts visits.
    pub(super) fn image_of_noscript(&self, offset: usize) -> Option<(usize, usize)> {
        let page = self.page;
        let noscript = tag::read(page, offset + 1)?;
        let (text, end) = read_element(page, &noscript, MAX_NOSCRIPT_BYTES)?;
        let inner = &page[noscript.end..end];
        let start = memmem::find(inner.as_bytes(), b"<img")?;
        let alt = tag::read(inner, start + 1)?.get("alt")?.trim();
        let before = &page[floor_boundary(page, offset.saturating_sub(MAX_NOSCRIPT_BYTES))..offset];
        let behind = &page[end..floor_boundary(page, end + MAX_NOSCRIPT_BYTES)];
        // Quotation marks and the like may be references in one of the two.
        let part = alt
            .split(['&', ';', '\'', '"'])
            .max_by_key(|part| part.len())?;
        let is_content = text.is_empty()
            && !part.is_empty()
            && !["</script>", "-->"]
                .iter()
                .any(|end| before.trim_end().ends_with(end))
            && ![before, behind]
                .iter()
                .any(|beside| memmem::find(beside.as_bytes(), part.as_bytes()).is_some());
        is_content.then_some((noscript.end + start, end))
    }

    /// Returns the end of the contents and of the element: at the next end tag with that name.
    /// Without one the content after the start tag is the page's.
    fn media_end(&mut self, tag: &StartTag<'a>) -> Option<(usize, usize)> {
        let is_endless = |name: &&str| name.eq_ignore_ascii_case(tag.name);
        if self.endless.iter().any(is_endless) {
            return None;
        }
        let (inner, end) = self.raw_end(tag.end, tag.name);
        if inner == self.page.len() {
            self.endless.push(tag.name);
            return None;
        }
        Some((inner, end))
    }
}

/// Returns the first value of an attribute of the elements with a name within a media element.
fn first_of<'a>(inner: &'a str, name: &str, attribute: &str) -> Option<&'a str> {
    let bytes = inner.as_bytes();
    let mut offset = 0;
    while let Some(length) = memchr(b'<', &bytes[offset..]) {
        offset += length + 1;
        if tag::is_named(inner, offset, name) {
            let value = tag::read(inner, offset)?.get(attribute).unwrap_or_default();
            if !value.trim().is_empty() {
                return Some(value.trim());
            }
        }
    }
    None
}

/// True if an address can be followed: not an empty page, nor data within this one.
pub(crate) fn is_followable(address: &str) -> bool {
    !["about:", "javascript:", "data:", "blob:"]
        .iter()
        .any(|scheme| {
            address
                .get(..scheme.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(scheme))
        })
        && !TRACKING_HOSTS.iter().any(|host| address.contains(host))
}

/// Hosts of tracking frames.
const TRACKING_HOSTS: &[&str] = &[
    "googletagmanager.com/",
    ".doubleclick.net/",
    "googlesyndication.com/",
];
