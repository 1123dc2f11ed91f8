//! Embedded content: frames, videos, audio and the like. The address and the title of each become a
//! link; its contents are for browsers that cannot show it.
//!
//! Rules: HTML Living Standard, "Embedded content".

use super::start_tag::StartTag;
use super::tag::TagAttribute;
use super::{PageFilter, TagCategory, memchr, tag};

/// Number of names of media elements with contents.
pub(super) const NAMES: usize = 4;

/// Element that stands for media in the tree. An element with that name in a page is renamed.
pub(in crate::document::html) const ELEMENT: &str = "x-media";

impl<'a> PageFilter<'a> {
    /// Replaces the media element whose start tag is at `at`; returns the offset behind it.
    pub(super) fn replace_media(&mut self, at: usize, name: &str, tag: StartTag<'a>) -> usize {
        let mut source = MediaAttributes::of(self.page, at, name);
        let object = name == "object";
        if object && source.address.is_none() {
            return self.pass_start(name, TagCategory::Wall, tag);
        }
        let void = name == "embed" || (self.xml && tag.closed);
        let inner = if void {
            None
        } else if name == "iframe" {
            Some(self.raw_end(tag.end, name))
        } else {
            self.media_end(tag.end, name)
        };
        let end = inner.map_or(tag.end, |(_, end)| end);
        if let Some((inner, _)) = inner
            && source.address.is_none()
        {
            source.address = first_source(&self.page[tag.end..inner]);
        }
        let shown = source
            .address
            .filter(|address| !tag.hides && is_followable(address));
        let Some(address) = shown.filter(|_| name != "canvas" && !source.tiny) else {
            if !void && inner.is_none() {
                self.tree.start_silent(tag.name, TagCategory::Plain);
            }
            return self.part_words(end);
        };
        if !self.tree.is_settled() {
            self.tree.before_content(false, &mut self.out);
        }
        self.out.push_characters(" ");
        let label = source.label.unwrap_or(match name {
            "video" => "Video",
            "audio" => "Audio",
            _ => "",
        });
        let attribute = |name, value| TagAttribute { name, value };
        let attributes = [attribute("href", address), attribute("title", label)];
        self.out.start(ELEMENT, &attributes);
        self.out.end(ELEMENT);
        self.part_words(end)
    }

    /// Returns the end of the contents and of the element: at the next end tag with that name.
    /// Without one the content behind the start tag is the page's.
    fn media_end(&mut self, from: usize, name: &str) -> Option<(usize, usize)> {
        let index = match name {
            "video" => 0,
            "audio" => 1,
            "object" => 2,
            _ => 3,
        };
        if self.endless[index] {
            return None;
        }
        let (inner, end) = self.raw_end(from, name);
        if inner == self.page.len() {
            self.endless[index] = true;
            return None;
        }
        Some((inner, end))
    }
}

/// The attributes of a media element as they stand in the page.
#[derive(Default)]
struct MediaAttributes<'a> {
    address: Option<&'a str>,
    label: Option<&'a str>,
    /// True if it is too small to be seen.
    tiny: bool,
}

impl<'a> MediaAttributes<'a> {
    fn of(page: &'a str, at: usize, element: &str) -> Self {
        let mut found = Self::default();
        let mut late = None;
        let _ = tag::read(page, at + 1, |name, value| {
            let value = value.trim();
            let is = |wanted: &str| name.eq_ignore_ascii_case(wanted);
            let source = if element == "object" { "data" } else { "src" };
            if value.is_empty() {
            } else if is(source) {
                found.address = found.address.or(Some(value));
            } else if is("data-src") || is("data-lazy-src") {
                late = late.or(Some(value));
            } else if is("title") {
                found.label = Some(value);
            } else if is("aria-label") {
                found.label = found.label.or(Some(value));
            } else if is("width") || is("height") {
                found.tiny |= tag::is_tiny(value);
            }
        });
        // Lazy frames have a placeholder as their source until a script runs.
        found.address = found
            .address
            .filter(|address| is_followable(address))
            .or(late);
        found
    }
}

/// Returns the address of the first `source` within a media element.
fn first_source(inner: &str) -> Option<&str> {
    let bytes = inner.as_bytes();
    let mut at = 0;
    while let Some(length) = memchr(b'<', &bytes[at..]) {
        at += length + 1;
        if tag::is_named(inner, at, "source") {
            let mut address = None;
            tag::read(inner, at, |name, value| {
                if name.eq_ignore_ascii_case("src") && !value.trim().is_empty() {
                    address = address.or(Some(value.trim()));
                }
            })?;
            if address.is_some() {
                return address;
            }
        }
    }
    None
}

/// True if an address can be followed: not an empty page, nor data within this one.
pub(in crate::document::html) fn is_followable(address: &str) -> bool {
    !["about:", "javascript:", "data:", "blob:"]
        .iter()
        .any(|scheme| {
            address
                .get(..scheme.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(scheme))
        })
        && !NOTHING.iter().any(|host| address.contains(host))
}

/// Hosts of tracking frames.
const NOTHING: &[&str] = &[
    "googletagmanager.com/",
    ".doubleclick.net/",
    "googlesyndication.com/",
];
