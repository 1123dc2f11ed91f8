//! Images: where their source is.
//!
//! Rules: HTML Living Standard, `img` (`src`, `srcset`), and the attributes in which pages that
//! load images late keep the source.

use html2md::Handle;

use super::{address, dom};

/// The address of an image as the page has it; `None` if there is none but `data:`.
pub(super) fn source(node: &Handle) -> Option<String> {
    let usable = |address: &str| {
        let address = address.trim();
        let data = address
            .get(..5)
            .is_some_and(|start| start.eq_ignore_ascii_case("data:"));
        !address.is_empty() && !data
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
