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

use super::css::{HidingMethod, InlineStyle};
use super::dom::{self, ElementKind};
use super::prefilter::content_hints;

/// Maximum number of steps up the tree per page to find hidden ancestors of controls, and of steps
/// sideways to find the elements that they open.
const MAX_STEPS: usize = 1 << 20;

/// Maximum number of elements with one id that are shown together: some pages have one twice, for
/// wide and small screens.
const MAX_SAME: usize = 4;

/// Maximum number of open dialogs that are looked at.
const MAX_DIALOGS: usize = 16;

/// Classes of the slides of common carousels.
const SLIDES: &[&str] = &[
    "carousel-item",
    "embla__slide",
    "flickity-slide",
    "glide__slide",
    "keen-slider__slide",
    "owl-item",
    "slick-slide",
    "splide__slide",
    "swiper-slide",
    "tns-item",
];

/// Parts of the classes of panels: accordions, answers and tabs.
const PANELS: &[&str] = &[
    "accordion",
    "collaps",
    "faq",
    "tab-content",
    "tab-pane",
    "tab__content",
    "tab__pane",
    "tabpane",
    "tabs-content",
    "tabs-pane",
    "tabs__content",
    "tabs__pane",
    "toggle-content",
    "toggle__content",
    "toggle_content",
];

/// Elements that may be panels by their class alone, because they contain others.
const HOLDERS: &[&str] = &[
    "article", "dd", "div", "dl", "fieldset", "figure", "form", "li", "ol", "section", "table",
    "tr", "ul",
];

/// Classes of elements around a whole page that a script shows when it has run.
const ROOTS: &[&str] = &["easylockdown-content"];

/// Parts of the classes of carousels, and ends of those of their slides.
const CAROUSELS: &[&str] = &["carousel", "gallery", "slider", "slideshow", "swiper"];
const CELLS: &[&str] = &["cell", "item", "slide"];

/// Maximum number of levels from a control up to the sibling of the element that it opens.
const MAX_UP: usize = 3;

/// Classes of duplicate slides.
const COPIES: &[&str] = &[
    "cloned",
    "glide__slide--clone",
    "slick-cloned",
    "splide__slide--clone",
    "swiper-slide-duplicate",
];

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
        let NodeData::Element { name, attrs, .. } = &node.data else {
            return;
        };
        let (mut hides, mut offers) = (false, false);
        let mut is_dialog = &*name.local == "dialog";
        for attr in attrs.borrow().iter() {
            let attribute = &*attr.name.local;
            let hiding = dom::hides(attribute, &attr.value);
            hides |= hiding;
            self.dims |= attribute == "style" && !hiding;
            is_dialog |= dom::marks_dialog(attribute, &attr.value);
            offers = offers || offers_by(&name.local, attribute, &attr.value);
        }
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
        let faded = |node: &Handle| hiding(node) == Some(HidingMethod::Faded);
        if self.hidden.iter().any(faded) && is_much_faded(root) {
            self.hidden.retain(|node| {
                let shown = faded(node);
                if shown {
                    unhide(node);
                }
                !shown
            });
        }
    }

    /// Shows the page behind an open dialog, which hides it from screen readers by `aria-hidden`:
    /// an element beside the dialog or beside one around it, with most of the text. All others that
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
            let shown = is_behind(node) && 2 * dom::letters_in(node, left_out) > all;
            if shown {
                unhide(node);
            }
            !shown
        });
    }

    fn show_offered(&mut self) {
        let mut by_id: HashMap<String, Vec<usize>> = HashMap::new();
        let mut by_node: HashMap<*const (), usize> = HashMap::new();
        let mut shown = vec![false; self.hidden.len()];
        for (index, node) in self.hidden.iter().enumerate() {
            let said = PanelAttributes::of(node);
            by_node.insert(node_id(node), index);
            if said.is_panel {
                shown[index] = true;
            }
            if let Some(id) = said.id {
                let same = by_id.entry(id).or_default();
                if same.len() < MAX_SAME {
                    same.push(index);
                }
            }
        }
        let mut steps = MAX_STEPS;
        let mut beside_steps = MAX_STEPS;
        // Controls that are hidden themselves, by the index of the element that hides them.
        let mut waiting: HashMap<usize, Vec<usize>> = HashMap::new();
        let mut offers: Vec<(Handle, Vec<usize>)> = Vec::new();
        if !self.hidden.is_empty() {
            for control in self.controls.drain(..) {
                let mut targets = find_targets(&control, &by_id);
                if targets.is_empty() && opens_unnamed(&control) {
                    let beside = find_beside(&control, &mut beside_steps);
                    targets.extend(beside.and_then(|node| by_node.get(&node_id(&node))));
                }
                if !targets.is_empty() {
                    offers.push((control, targets));
                }
            }
        }
        let mut ready: Vec<usize> = Vec::new();
        let hider = |from: &Handle, shown: &[bool], steps: &mut usize| {
            let mut node = Some(Rc::clone(from));
            while let Some(here) = node {
                if *steps == 0 {
                    return Err(());
                }
                *steps -= 1;
                match by_node.get(&node_id(&here)) {
                    Some(index) if !shown[*index] => return Ok(Some(*index)),
                    _ => node = parent_of(&here),
                }
            }
            Ok(None)
        };
        for (at, (control, targets)) in offers.iter().enumerate() {
            match hider(control, &shown, &mut steps) {
                Ok(None) => ready.extend(targets),
                Ok(Some(hider)) => waiting.entry(hider).or_default().push(at),
                Err(()) => break,
            }
        }
        while let Some(index) = ready.pop() {
            if std::mem::replace(&mut shown[index], true) {
                continue;
            }
            for at in waiting.remove(&index).unwrap_or_default() {
                match hider(&self.hidden[index], &shown, &mut steps) {
                    Ok(None) => ready.extend(&offers[at].1),
                    Ok(Some(hider)) => waiting.entry(hider).or_default().push(at),
                    Err(()) => {}
                }
            }
        }
        let mut shown = shown.into_iter();
        self.hidden.retain(|node| {
            let shown = shown.next().unwrap_or_default();
            if shown {
                unhide(node);
            }
            !shown
        });
    }
}

/// True if an element is hidden by `aria-hidden` and by nothing else.
fn is_hidden_by_aria(node: &Handle) -> bool {
    let (mut aria, mut others) = (false, false);
    let _: Option<()> = dom::with_attributes(node, |name, value| {
        let hides = dom::hides(name, value);
        aria |= hides && name == "aria-hidden";
        others |= hides && name != "aria-hidden";
        None
    });
    aria && !others
}

/// Returns how an element is hidden by its style, if nothing else hides it.
fn hiding(node: &Handle) -> Option<HidingMethod> {
    let mut hiding = None;
    let other = dom::with_attributes(node, |name, value| {
        if name == "style" {
            hiding = InlineStyle::of(value).hiding(false);
            return None;
        }
        dom::hides(name, value).then_some(())
    });
    hiding.filter(|_| other.is_none())
}

/// Elements around the content of a page.
const FRAME: [&str; 5] = ["aside", "footer", "header", "nav", "noscript"];

/// True if more than a third of a page's letters are faded, because then a script fades them in.
fn is_much_faded(root: &Handle) -> bool {
    let (mut letters, mut faded) = (0, 0);
    let mut open = vec![(Rc::clone(root), false)];
    while let Some((node, within)) = open.pop() {
        if let NodeData::Text { contents } = &node.data {
            let text = contents.borrow();
            let found = text.chars().filter(|c| c.is_alphanumeric()).count();
            letters += found;
            faded += if within { found } else { 0 };
        } else if !is_framed(&node) {
            let within = match dom::is_hidden(&node).then(|| hiding(&node)) {
                None => within,
                Some(Some(HidingMethod::Faded)) => true,
                Some(_) => continue,
            };
            let children = node.children.borrow();
            open.extend(children.iter().map(|child| (Rc::clone(child), within)));
        }
    }
    3 * faded > letters
}

/// True if the text of this element is not content.
fn is_framed(node: &Handle) -> bool {
    dom::kind(node) == Some(ElementKind::Dropped)
        || FRAME.contains(&dom::name(node))
        || dom::attribute(node, content_hints::NAME).is_some_and(|name| FRAME.contains(&&*name))
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
    let _: Option<()> = dom::with_attributes(control, |name, value| {
        let expands = name == "aria-expanded";
        opens |= expands && is_false(value);
        names |= !expands && offers_by(dom::name(control), name, value);
        None
    });
    opens && !names
}

/// Returns the element that directly follows a control or one of the elements around it.
fn find_beside(control: &Handle, steps: &mut usize) -> Option<Handle> {
    let mut node = Rc::clone(control);
    for _ in 0..MAX_UP {
        let around = parent_of(&node)?;
        let children = around.children.borrow();
        let mut looked_at = children.iter().take(*steps);
        let at = looked_at.position(|child| Rc::ptr_eq(child, &node));
        *steps -= at.map_or(*steps, |at| at + 1);
        let at = at?;
        for next in &children[at + 1..] {
            match &next.data {
                NodeData::Element { .. } => return Some(Rc::clone(next)),
                NodeData::Text { contents } if !contents.borrow().trim().is_empty() => return None,
                _ => *steps = steps.checked_sub(1)?,
            }
        }
        drop(children);
        node = around;
    }
    None
}

/// True for a class of panels or slides.
fn is_panel(class: &str) -> bool {
    let class = class.to_ascii_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| class.contains(word));
    let last = class.rsplit(['-', '_']).next().unwrap_or_default();
    has(PANELS) || (CELLS.contains(&last) && has(CAROUSELS))
}

/// Returns the hidden elements that a control offers to show.
fn find_targets(control: &Handle, by_id: &HashMap<String, Vec<usize>>) -> Vec<usize> {
    let mut targets = Vec::new();
    let NodeData::Element { name, attrs, .. } = &control.data else {
        return targets;
    };
    for attr in attrs.borrow().iter() {
        if offers_by(&name.local, &attr.name.local, &attr.value) {
            for id in attr.value.split_ascii_whitespace() {
                let id = id.strip_prefix('#').unwrap_or(id);
                if let Some(found) = by_id.get(id) {
                    targets.extend(found);
                }
            }
        }
    }
    targets
}

/// The attributes of a hidden element that decide if it is shown.
struct PanelAttributes {
    id: Option<String>,
    is_panel: bool,
}

impl PanelAttributes {
    fn of(node: &Handle) -> Self {
        let mut said = Self {
            id: None,
            is_panel: false,
        };
        let mut copy = false;
        // The class of a paragraph, or of an inline element, is no evidence.
        let holds = HOLDERS.contains(&dom::name(node));
        let _: Option<()> = dom::with_attributes(node, |name, value| {
            match name {
                "id" => said.id = Some(value.to_owned()),
                "role" => {
                    let role = value.trim();
                    said.is_panel |= role.eq_ignore_ascii_case("tabpanel")
                        || role.eq_ignore_ascii_case("region");
                }
                "aria-roledescription" => {
                    said.is_panel |= value.trim().eq_ignore_ascii_case("slide");
                }
                "class" => {
                    for word in value.split_ascii_whitespace() {
                        said.is_panel |= SLIDES.contains(&word)
                            || ROOTS.contains(&word)
                            || (holds && is_panel(word));
                        copy |= COPIES.contains(&word);
                    }
                }
                _ => {}
            }
            None
        });
        // While a dialog is open, `aria-hidden` marks the page behind it.
        said.is_panel |= dom::name(node) == "main" && is_hidden_by_aria(node);
        said.is_panel &= !copy;
        said
    }
}

/// Removes the attributes that hide an element.
pub(super) fn unhide(node: &Handle) {
    if let NodeData::Element { attrs, .. } = &node.data {
        attrs
            .borrow_mut()
            .retain(|attr| !dom::hides(&attr.name.local, &attr.value));
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
