//! Reveals hidden elements that the page offers to show: panels of tabs, accordions, menu buttons
//! and slides of carousels. All other hidden elements stay hidden, because instructions to models
//! are put there.
//!
//! Rules: WAI-ARIA 1.2 (`aria-controls`, `aria-expanded`, `tabpanel`, `region`), the disclosure,
//! tabs, accordion and carousel patterns of its authoring practices, Bootstrap's `data-target`, and
//! the classes of common panels and carousels. A control counts only if readers can see it: one in
//! hidden text is ignored until that text is shown.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use html2md::{Handle, NodeData};

use super::css::HidingMethod;
use super::dom::{self, ElementKind, lists};

/// Maximum number of steps up the tree per page to find hidden ancestors of controls, and of steps
/// sideways to find the elements that they open.
const MAX_STEPS: usize = 1 << 20;

/// Maximum number of elements with one id that are shown together: some pages have one twice, for
/// wide and small screens.
const MAX_ELEMENTS_PER_ID: usize = 4;

/// Maximum number of open dialogs that are looked at.
const MAX_DIALOGS: usize = 16;

/// Classes of the slides of common carousels.
const SLIDE_CLASSES: &str = "carousel-item embla__slide flickity-slide glide__slide owl-item \
                             keen-slider__slide slick-slide splide__slide swiper-slide tns-item";

/// Parts of the classes of panels without their hyphens and underscores: accordions, answers and
/// tabs.
const PANEL_WORDS: &str =
    "accordion collaps faq tabcontent tabpane tabscontent tabspane togglecontent";

/// Elements that only their class may make panels, because they contain others.
const PANEL_ELEMENTS: &str = "article dd div dl fieldset figure form li ol section table tr ul";

/// Class of an element around a whole page that a script shows when it has run.
const LATE_ROOT_CLASS: &str = "easylockdown-content";

/// Parts of the classes of carousels, and ends of those of their slides.
const CAROUSEL_WORDS: &str = "carousel gallery slider slideshow swiper";
const SLIDE_WORDS: &str = "cell item slide";

/// Maximum number of levels from a control up to the sibling of the element that it opens.
const MAX_LEVELS_UP: usize = 3;

/// Classes of duplicate slides.
const COPIED_SLIDE_CLASSES: &str =
    "cloned glide__slide--clone slick-cloned splide__slide--clone swiper-slide-duplicate";

/// The hidden elements of a page, and its controls.
#[derive(Default)]
pub(super) struct HiddenElements {
    /// Hidden elements in the order of the page.
    pub(super) hidden: Vec<Handle>,
    /// Controls that offer to show others.
    pub(super) controls: Vec<Handle>,
    /// Dialogs that are not hidden themselves.
    dialogs: Vec<Handle>,
    /// True if an element has a style that may make its text invisible.
    pub(super) dims: bool,
}

impl HiddenElements {
    /// Records an element if it is hidden or a control.
    pub(super) fn record(&mut self, node: &Handle) {
        let (mut hides, mut offers) = (false, false);
        let mut is_dialog = dom::name(node) == "dialog";
        dom::for_each_attribute(node, |name, value| {
            hides |= dom::is_hider(name);
            self.dims |= name == "style";
            is_dialog |= dom::marks_dialog(name, value);
            offers = offers || offers_by(dom::name(node), name, value);
        });
        if hides {
            self.hidden.push(Rc::clone(node));
        } else if is_dialog && self.dialogs.len() < MAX_DIALOGS {
            self.dialogs.push(Rc::clone(node));
        }
        if offers {
            self.controls.push(Rc::clone(node));
        }
    }

    /// Shows the elements that the page offers to show, and those that a script fades in.
    pub(super) fn show_disclosed(&mut self, root: &Handle) {
        self.show_behind_dialogs(root);
        self.show_offered();
        if self.hidden.iter().any(is_faded) && is_much_faded(root) {
            self.hidden.retain(|node| {
                let is_shown = is_faded(node);
                if is_shown {
                    unhide(node);
                }
                !is_shown
            });
        }
    }

    /// Shows the page behind an open dialog, which hides it from screen readers by `aria-hidden`:
    /// a sibling of the dialog or of an element around it, with most of the text. All others that
    /// are so marked stay hidden.
    fn show_behind_dialogs(&mut self, root: &Handle) {
        let mut around: HashSet<*const ()> = HashSet::new();
        for dialog in self.dialogs.drain(..) {
            let path: Vec<Handle> = std::iter::successors(parent_of(&dialog), parent_of).collect();
            if !path.iter().any(dom::is_hidden) {
                around.extend(path.iter().map(node_id));
            }
        }
        let is_behind = |node: &Handle| {
            let parent = parent_of(node).filter(|parent| around.contains(&node_id(parent)));
            parent.is_some() && is_hidden_by_aria(node) && !dom::is_dialog(node)
        };
        if around.is_empty() || !self.hidden.iter().any(is_behind) {
            return;
        }
        let left_out =
            |node: &Handle| dom::is_dialog(node) || dom::kind(node) == Some(ElementKind::Dropped);
        let all = dom::letters_in(root, left_out);
        self.hidden.retain(|node| {
            let is_shown = is_behind(node) && 2 * dom::letters_in(node, left_out) > all;
            if is_shown {
                unhide(node);
            }
            !is_shown
        });
    }

    fn show_offered(&mut self) {
        let mut by_id: HashMap<String, Vec<usize>> = HashMap::new();
        let mut by_node: HashMap<*const (), usize> = HashMap::new();
        let mut shown_nodes = vec![false; self.hidden.len()];
        for (index, node) in self.hidden.iter().enumerate() {
            let (id, is_panel) = panel_attributes(node);
            by_node.insert(node_id(node), index);
            shown_nodes[index] = is_panel;
            if let Some(id) = id {
                let same = by_id.entry(id).or_default();
                if same.len() < MAX_ELEMENTS_PER_ID {
                    same.push(index);
                }
            }
        }
        let mut offers: Vec<(Handle, Vec<usize>)> = Vec::new();
        let mut steps = MAX_STEPS;
        if !self.hidden.is_empty() {
            for control in self.controls.drain(..) {
                let mut targets = find_targets(&control, &by_id);
                if targets.is_empty() && opens_unnamed(&control) {
                    let beside = find_beside(&control, &mut steps);
                    targets.extend(beside.and_then(|node| by_node.get(&node_id(&node))));
                }
                if !targets.is_empty() {
                    offers.push((control, targets));
                }
            }
        }
        steps = MAX_STEPS;
        let mut is_within_hidden = |control: &Handle, shown_nodes: &[bool]| {
            let mut around = std::iter::successors(Some(Rc::clone(control)), parent_of);
            around.any(|node| {
                steps = steps.saturating_sub(1);
                let index = by_node.get(&node_id(&node));
                steps == 0 || index.is_some_and(|index| !shown_nodes[*index])
            })
        };
        // A control that is hidden itself counts as soon as another one shows it.
        let mut waiting = usize::MAX;
        while waiting > offers.len() {
            waiting = offers.len();
            offers.retain(|(control, targets)| {
                let waits = is_within_hidden(control, &shown_nodes);
                for target in targets.iter().filter(|_| !waits) {
                    shown_nodes[*target] = true;
                }
                waits
            });
        }
        let mut shown_nodes = shown_nodes.into_iter();
        self.hidden.retain(|node| {
            let is_shown = shown_nodes.next().unwrap_or_default();
            if is_shown {
                unhide(node);
            }
            !is_shown
        });
    }
}

/// Returns the value of the attribute with this name, if nothing else hides the element.
fn sole_hider(node: &Handle, wanted: &str) -> Option<String> {
    let others = |name: &str, _: &str| dom::is_hider(name) && name != wanted;
    dom::attribute(node, wanted).filter(|_| !dom::has_attribute(node, others))
}

/// True if an element is hidden by `aria-hidden` and by nothing else.
fn is_hidden_by_aria(node: &Handle) -> bool {
    sole_hider(node, "aria-hidden").is_some()
}

/// True if an element is hidden by its opacity and by nothing else.
fn is_faded(node: &Handle) -> bool {
    sole_hider(node, dom::HIDING).as_deref() == Some(HidingMethod::Faded.name())
}

/// Elements around the content of a page.
const FRAME_ELEMENTS: [&str; 5] = ["aside", "footer", "header", "nav", "noscript"];

/// True if more than a third of a page's letters are faded, because then a script fades them in.
fn is_much_faded(root: &Handle) -> bool {
    let (mut letters, mut faded) = (0, 0);
    let mut open = vec![(Rc::clone(root), false)];
    while let Some((node, within)) = open.pop() {
        if let NodeData::Text { contents } = &node.data {
            let count = dom::count_letters(&contents.borrow());
            letters += count;
            faded += if within { count } else { 0 };
        } else if !is_framed(&node) {
            let is_hidden = dom::is_hidden(&node);
            if is_hidden && !is_faded(&node) {
                continue;
            }
            let within = within || is_hidden;
            let children = node.children.borrow();
            open.extend(children.iter().map(|child| (Rc::clone(child), within)));
        }
    }
    3 * faded > letters
}

/// True if the text of this element is not content.
fn is_framed(node: &Handle) -> bool {
    dom::kind(node) == Some(ElementKind::Dropped)
        || FRAME_ELEMENTS.contains(&dom::name(node))
        || dom::attribute(node, dom::ORIGINAL_NAME)
            .is_some_and(|name| FRAME_ELEMENTS.contains(&&*name))
}

/// True for a control, which opens a part of the page.
pub(super) fn is_control(node: &Handle) -> bool {
    let mut offers = false;
    dom::for_each_attribute(node, |name, value| {
        offers |= offers_by(dom::name(node), name, value);
    });
    offers
}

/// True if an attribute makes its element a control.
fn offers_by(element: &str, attribute: &str, value: &str) -> bool {
    match attribute {
        "aria-controls" | "data-target" | "data-bs-target" | "popovertarget" | "commandfor" => true,
        "aria-expanded" => is_false(value),
        "href" => element == "a" && value.len() > 1 && value.starts_with('#'),
        _ => false,
    }
}

fn is_false(value: &str) -> bool {
    value.trim().eq_ignore_ascii_case("false")
}

/// True for a control that opens an unnamed element.
fn opens_unnamed(control: &Handle) -> bool {
    let (mut opens, mut names) = (false, false);
    dom::for_each_attribute(control, |name, value| {
        let expands = name == "aria-expanded";
        opens |= expands && is_false(value);
        names |= !expands && offers_by(dom::name(control), name, value);
    });
    opens && !names
}

/// Returns the element that directly follows a control or one of the elements around it.
fn find_beside(control: &Handle, steps: &mut usize) -> Option<Handle> {
    let mut node = Rc::clone(control);
    for _ in 0..MAX_LEVELS_UP {
        let around = parent_of(&node)?;
        let children = around.children.borrow();
        *steps = steps.checked_sub(children.len())?;
        let index = children.iter().position(|child| Rc::ptr_eq(child, &node))?;
        let mut behind = children[index + 1..].iter();
        if let Some(next) = behind.find(|next| !dom::is_blank(next)) {
            return dom::kind(next).map(|_| Rc::clone(next));
        }
        drop(children);
        node = around;
    }
    None
}

/// True for a class of panels or slides.
fn is_panel_class(class: &str) -> bool {
    let class = class.to_ascii_lowercase();
    let joined = class.replace(['-', '_'], "");
    let has = |words: &str| words.split(' ').any(|word| joined.contains(word));
    let last = class.rsplit(['-', '_']).next().unwrap_or_default();
    has(PANEL_WORDS) || (lists(SLIDE_WORDS, last) && has(CAROUSEL_WORDS))
}

/// Returns the hidden elements that a control offers to show.
fn find_targets(control: &Handle, by_id: &HashMap<String, Vec<usize>>) -> Vec<usize> {
    let mut targets = Vec::new();
    dom::for_each_attribute(control, |name, value| {
        if offers_by(dom::name(control), name, value) {
            let ids = value.split_ascii_whitespace();
            let elements = ids.filter_map(|id| by_id.get(id.strip_prefix('#').unwrap_or(id)));
            targets.extend(elements.flatten());
        }
    });
    targets
}

/// Returns the ID of a hidden element, and true if its attributes say that the page offers to show
/// it.
fn panel_attributes(node: &Handle) -> (Option<String>, bool) {
    let (mut id, mut is_copy) = (None, false);
    // While a dialog is open, `aria-hidden` marks the page behind it.
    let mut is_panel = dom::name(node) == "main" && is_hidden_by_aria(node);
    // The class of a paragraph, or of an inline element, is not evidence.
    let holds = lists(PANEL_ELEMENTS, dom::name(node));
    dom::for_each_attribute(node, |name, value| {
        let is = |wanted: &str| value.trim().eq_ignore_ascii_case(wanted);
        match name {
            "id" => id = Some(value.to_owned()),
            "role" => is_panel |= is("tabpanel") || is("region"),
            "aria-roledescription" => is_panel |= is("slide"),
            "class" => {
                for word in value.split_ascii_whitespace() {
                    is_panel |= lists(SLIDE_CLASSES, word)
                        || word == LATE_ROOT_CLASS
                        || (holds && is_panel_class(word));
                    is_copy |= lists(COPIED_SLIDE_CLASSES, word);
                }
            }
            _ => {}
        }
    });
    (id, is_panel && !is_copy)
}

/// Removes the attributes that hide an element.
pub(super) fn unhide(node: &Handle) {
    if let NodeData::Element { attrs, .. } = &node.data {
        attrs
            .borrow_mut()
            .retain(|attr| !dom::is_hider(&attr.name.local));
    }
}

/// Returns the identity of a node.
pub(super) fn node_id(node: &Handle) -> *const () {
    Rc::as_ptr(node).cast()
}

/// Returns the element around `node`.
pub(super) fn parent_of(node: &Handle) -> Option<Handle> {
    let weak = node.parent.take();
    let parent = weak.as_ref().and_then(std::rc::Weak::upgrade);
    node.parent.set(weak);
    parent
}
