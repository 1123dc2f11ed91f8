//! Images: their source, alternative text and purpose.
//!
//! Rules: HTML Living Standard, `img` (`src`, `srcset`), and the attributes in which pages that
//! load images late keep the source.

use html2md::Handle;

use super::tag::{is_data, is_tiny};
use super::{address, dom};

/// Maximum side of an icon, in pixels.
const MAX_ICON_SIDE: u32 = 64;

/// Minimum side of a picture, in pixels.
const MIN_PICTURE_SIDE: u32 = 200;

/// An image as its attributes describe it.
#[derive(Default)]
pub(super) struct ImageElement {
    /// Its address; `None` if the page only has a `data:` URL.
    pub(super) source: Option<String>,
    pub(super) alt: String,
    pub(super) title: String,
    /// True if it is decoration: its `alt` is empty, or it has the size of an icon and no text.
    pub(super) decorates: bool,
}

impl ImageElement {
    /// Reads the image `node`; `None` for tracking pixels and spacers, which no reader is meant to
    /// see.
    pub(super) fn read(node: &Handle) -> Option<Self> {
        let mut image = Self::default();
        let (mut has_alt, mut unseen, mut spaces) = (false, false, false);
        let mut sides = [None; 2];
        dom::for_each_attribute(node, |name, value| match name {
            "alt" => {
                has_alt = true;
                value.clone_into(&mut image.alt);
            }
            "title" => value.clone_into(&mut image.title),
            "width" | "height" => {
                unseen |= is_tiny(value);
                sides[usize::from(name == "height")] = side(value);
            }
            "src" => spaces = is_spacer(value),
            _ => {}
        });
        image.source = source(node);
        if unseen || (spaces && image.source.is_none()) {
            return None;
        }
        let all = |test: fn(u32) -> bool| sides.iter().all(|side| side.is_some_and(test));
        let icon = all(|side| side <= MAX_ICON_SIDE);
        let picture = all(|side| side >= MIN_PICTURE_SIDE);
        let silent = image.alt.trim().is_empty();
        image.decorates = silent && (icon || (has_alt && !picture));
        Some(image)
    }
}

/// Parses a width or a height in pixels.
fn side(value: &str) -> Option<u32> {
    let value = value.trim();
    value.strip_suffix("px").unwrap_or(value).parse().ok()
}

/// File names of spacer images, without their extension.
const SPACER_NAMES: &str = "1x1 blank clear pixel s spacer trans";

/// True for the address of a spacer image or a tracking pixel.
fn is_spacer(address: &str) -> bool {
    let path = address.split(['?', '#']).next().unwrap_or_default();
    let name = path.rsplit('/').next().unwrap_or_default();
    name.rsplit_once('.').is_some_and(|(name, kind)| {
        kind.eq_ignore_ascii_case("gif") && dom::lists_any_case(SPACER_NAMES, name)
    }) || path.ends_with("facebook.com/tr")
}

/// Attributes in which pages that load images late keep the address.
const LATE_SOURCES: [&str; 3] = ["data-src", "data-lazy-src", "data-original"];

/// Returns the address of an image as the page has it; `None` if it only has a `data:` URL.
fn source(node: &Handle) -> Option<String> {
    let usable = |address: &str| {
        let address = address.trim();
        !address.is_empty() && !is_data(address) && !is_spacer(address)
    };
    let plain = |wanted: &str| dom::attribute(node, wanted).filter(|address| usable(address));
    let set = |wanted: &str| {
        let set = dom::attribute(node, wanted)?;
        address::first_of_set(&set)
            .filter(|address| usable(address))
            .map(str::to_owned)
    };
    // A page that loads an image late has a placeholder in its place until then.
    let late = |address: &String| address.contains(['/', '.']) && !address.contains('{');
    LATE_SOURCES
        .iter()
        .find_map(|name| plain(name).filter(late))
        .or_else(|| plain("src"))
        .or_else(|| {
            ["srcset", "data-srcset", "data-lazy-srcset"]
                .iter()
                .find_map(|name| set(name))
        })
}
