//! Finds elements of a page by their classes, for lists of results.

use std::time::{Duration, Instant};

use html2md::{Handle, NodeData};

use super::{dom, parse};
use iki_base::wording::floor_boundary;

/// Maximum length of a page, in bytes; the rest is ignored.
const MAX_PAGE_BYTES: usize = 2 * 1024 * 1024;

/// Time limit for building its tree.
const PARSE_TIMEOUT: Duration = Duration::from_secs(2);

/// Maximum number of elements, because nested ones share their text, which a hostile page would
/// have read over and over.
const MAX_PICKED_ELEMENTS: usize = 500;

/// Maximum number of nodes read for the text of one element.
const MAX_TEXT_NODES: usize = 5_000;

/// An element with one of the classes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PickedElement {
    /// Index of the class that it has; the first of several.
    pub class: usize,
    /// Its text with whitespace collapsed.
    pub text: String,
    /// Its `href`.
    pub href: Option<String>,
}

/// Returns the elements of `page` with one of `classes`, in the order of the page, except those
/// within an element with one of `without`.
#[must_use]
pub fn find_by_class(page: &str, classes: &[&str], without: &[&str]) -> Vec<PickedElement> {
    let page = &page[..floor_boundary(page, MAX_PAGE_BYTES)];
    let tree = parse::parse(page, Some(Instant::now() + PARSE_TIMEOUT));
    let mut elements = Vec::new();
    let is_within = |node: &Handle| bears(node, without).is_none();
    for node in dom::nodes_within(&tree.document, is_within) {
        if is_within(&node)
            && let Some(class) = bears(&node, classes)
        {
            elements.push(PickedElement {
                class,
                text: text(&node),
                href: dom::attribute(&node, "href"),
            });
            if elements.len() == MAX_PICKED_ELEMENTS {
                break;
            }
        }
    }
    elements
}

/// Returns the index of the first of `classes` that the element has.
fn bears(node: &Handle, classes: &[&str]) -> Option<usize> {
    let names = dom::attribute(node, "class")?;
    let names: Vec<&str> = names.split_ascii_whitespace().collect();
    classes.iter().position(|class| names.contains(class))
}

/// Returns the text within `node` without scripts and styles.
fn text(node: &Handle) -> String {
    let mut all = String::new();
    let enters = |node: &Handle| !matches!(dom::name(node), "script" | "style");
    for node in dom::nodes_within(node, enters).take(MAX_TEXT_NODES) {
        match &node.data {
            NodeData::Text { contents } => all.push_str(&contents.borrow()),
            NodeData::Element { .. } if dom::name(&node) == "br" => all.push(' '),
            _ => {}
        }
    }
    all.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_found_by_class_in_the_order_of_the_page() {
        let page = "<div class='x ad'><a class=hit href=/no>no</a></div><p class='a hit'><a \
                    class='more hit' href='/1?a=b&amp;c'>one <b>&amp;</b>\n two</a><i \
                    class=side>x<script>y</script><br>z</i></p><div class=hitting>no</div>";
        let elements = find_by_class(page, &["hit", "side"], &["ad"]);
        let short: Vec<_> = elements
            .iter()
            .map(|one| (one.class, one.text.as_str(), one.href.as_deref()))
            .collect();
        assert_eq!(
            short,
            [
                (0, "one & twox z", None),
                (0, "one & two", Some("/1?a=b&c")),
                (1, "x z", None)
            ]
        );
    }

    #[test]
    fn a_hostile_page_costs_little() {
        let deep = "<div class=hit>".repeat(40_000);
        let start = Instant::now();
        assert_eq!(
            find_by_class(&deep, &["hit"], &[]).len(),
            MAX_PICKED_ELEMENTS
        );
        let wide = "<a class=x>".repeat(50_000);
        let _ = find_by_class(&wide, &["hit"], &["y"]);
        assert!(start.elapsed() < 3 * PARSE_TIMEOUT + PARSE_TIMEOUT);
    }
}
