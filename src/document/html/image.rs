//! Images: where their source is.
//!
//! Rules: HTML Living Standard, `img` (`src`, `srcset`), and the attributes in which pages that
//! load images late keep the source.

use html2md::Handle;

use super::prefilter::tag::is_tiny;
use super::{address, dom};

/// Whether an image is one that nobody is meant to see: a pixel that counts who came by, or one
/// that takes up room.
pub(super) fn is_unseen(node: &Handle) -> bool {
    let unseen = |name: &str, value: &str| {
        (matches!(name, "width" | "height") && is_tiny(value)).then_some(())
    };
    dom::with_attributes(node, unseen).is_some() || {
        let spaces = |name: &str, value: &str| (name == "src" && is_spacer(value)).then_some(());
        dom::with_attributes(node, spaces).is_some() && source(node).is_none()
    }
}

/// Names of images that only take up room, without what comes after the point.
const SPACERS: &[&str] = &[
    "1x1",
    "blank",
    "clear",
    "pixel",
    "pixel_trans",
    "s",
    "shim",
    "spacer",
    "spaceball",
    "transparent",
    "trans",
    "tracking",
    "tracking-pixel",
];

/// Whether an address is that of an image that only takes up room.
fn is_spacer(address: &str) -> bool {
    let path = address.split(['?', '#']).next().unwrap_or_default();
    let name = path.rsplit('/').next().unwrap_or_default();
    name.rsplit_once('.').is_some_and(|(name, kind)| {
        kind.eq_ignore_ascii_case("gif")
            && SPACERS
                .iter()
                .any(|spacer| name.eq_ignore_ascii_case(spacer))
    }) || path.ends_with("facebook.com/tr")
}

/// The address of an image as the page has it; `None` if there is none but `data:`.
pub(super) fn source(node: &Handle) -> Option<String> {
    let usable = |address: &str| {
        let address = address.trim();
        let data = address
            .get(..5)
            .is_some_and(|start| start.eq_ignore_ascii_case("data:"));
        !address.is_empty() && !data && !is_spacer(address)
    };
    let plain = |wanted: &str| dom::attribute(node, wanted).filter(|address| usable(address));
    let set = |wanted: &str| {
        let set = dom::attribute(node, wanted)?;
        address::first_of_set(&set)
            .filter(|address| usable(address))
            .map(str::to_owned)
    };
    if dom::attribute(node, "src").as_deref() == Some("") {
        return Some(String::new());
    }
    plain("src")
        .or_else(|| plain("data-src"))
        .or_else(|| plain("data-original"))
        .or_else(|| set("srcset"))
        .or_else(|| set("data-srcset"))
}
