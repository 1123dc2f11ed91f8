//! Elements of a page by their classes: what a list of results is made of.

use std::rc::Rc;
use std::time::{Duration, Instant};

use html2md::{Handle, NodeData};

use super::{dom, parse};
use crate::document::boundary;

/// How much of a page is looked at, in bytes.
const MOST: usize = 2 * 1024 * 1024;

/// How long building its tree may take.
const TIME: Duration = Duration::from_secs(2);

/// How many elements are picked. Those within each other share their text, which a hostile page
/// would have read over and over.
const MOST_PICKED: usize = 500;

/// How many nodes are looked at for the text of one of them.
const MOST_NODES: usize = 5_000;

/// An element that bears one of the classes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PickedElement {
    /// Which of the classes, counted from zero; the first one of several.
    pub class: usize,
    /// Its text, blanks run together.
    pub text: String,
    /// Its `href`.
    pub href: Option<String>,
}

/// The elements of `page` that bear one of `classes`, in the order of the page, and none within
/// those that bear one of `without`.
#[must_use]
pub fn find_by_class(page: &str, classes: &[&str], without: &[&str]) -> Vec<PickedElement> {
    let page = &page[..boundary(page, MOST)];
    let (tree, _, _) = parse::parse(page, Some(Instant::now() + TIME));
    let mut found = Vec::new();
    let mut open = vec![Rc::clone(&tree.document)];
    while let Some(node) = open.pop() {
        if bears(&node, without).is_some() {
            continue;
        }
        if let Some(class) = bears(&node, classes) {
            found.push(PickedElement {
                class,
                text: text(&node),
                href: dom::attribute(&node, "href"),
            });
            if found.len() == MOST_PICKED {
                break;
            }
        }
        open.extend(node.children.borrow().iter().rev().map(Rc::clone));
    }
    found
}

/// Which of `classes` the element bears.
fn bears(node: &Handle, classes: &[&str]) -> Option<usize> {
    let own = dom::attribute(node, "class")?;
    let own: Vec<&str> = own.split_ascii_whitespace().collect();
    classes.iter().position(|class| own.contains(class))
}

/// The text within `node`; scripts and styles are none.
fn text(node: &Handle) -> String {
    let mut all = String::new();
    let mut open = vec![Rc::clone(node)];
    for _ in 0..MOST_NODES {
        let Some(node) = open.pop() else {
            break;
        };
        match &node.data {
            NodeData::Text { contents } => all.push_str(&contents.borrow()),
            NodeData::Element { .. } if matches!(dom::name(&node), "script" | "style") => continue,
            NodeData::Element { .. } if dom::name(&node) == "br" => all.push(' '),
            _ => {}
        }
        open.extend(node.children.borrow().iter().rev().map(Rc::clone));
    }
    all.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_found_by_class_in_the_order_of_the_page() {
        let page = "<div class='x ad'><a class=hit href=/no>no</a></div>\
            <p class='a hit'><a class='more hit' href='/1?a=b&amp;c'>one <b>&amp;</b>\n two</a>\
            <i class=side>x<script>y</script><br>z</i></p><div class=hitting>no</div>";
        let found = find_by_class(page, &["hit", "side"], &["ad"]);
        let short: Vec<_> = found
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
        let begin = Instant::now();
        assert_eq!(find_by_class(&deep, &["hit"], &[]).len(), MOST_PICKED);
        let wide = "<a class=x>".repeat(50_000);
        let _ = find_by_class(&wide, &["hit"], &["y"]);
        assert!(begin.elapsed() < 3 * TIME + TIME);
    }
}
