//! Links, code around links, images and the checkboxes of tasks.
//!
//! Rules: HTML Living Standard, `a`, `img`, `input`, and the `aria-label` attribute.

use html2md::Handle;

use super::super::dom::{self, ElementKind};
use super::super::flow::FlowMode;
use super::super::{address, code, image, original_image};
use super::{ElementExit, TreeWalk, useless_links};
use iki_markdown::model::{AddressId, NodeContent, TextSlice};

/// Length up to which attributes are stored once per copy, in bytes: the tags of the element pay
/// for that.
const MAX_COPIED_BYTES: usize = 16;

/// Number of elements around an image that are searched for a figure.
const MAX_FIGURE_LEVELS: usize = 8;

impl TreeWalk {
    /// Begins a link; `None` if it is useless to a reader.
    pub(super) fn enter_link(&mut self, node: &Handle) -> Option<ElementExit> {
        if useless_links::is_useless_link(node, matches!(self.flow.mode, FlowMode::Heading(_))) {
            return None;
        }
        let link = if self.in_signature {
            None
        } else {
            self.link_content(node)
        };
        if link.is_some() && !self.flow.is_code() && self.is_in_a_row() {
            self.flow.add_space();
        }
        self.link_has_text = useless_links::append_label(node, &mut self.link_text);
        self.flow.push(link);
        Some(ElementExit::Link)
    }

    /// True if the link directly follows another one in a list: outside of paragraphs, or as one of
    /// at least three.
    fn is_in_a_row(&self) -> bool {
        let Some(frame) = self.stack.last() else {
            return false;
        };
        let children = frame.node.children.borrow();
        let is_link = |back: usize| {
            let index = frame.next.checked_sub(back);
            index
                .and_then(|index| children.get(index))
                .is_some_and(|child| {
                    dom::kind(child) == Some(ElementKind::Link)
                        && dom::attribute(child, "href").is_some()
                })
        };
        // The link itself is the child before `next`.
        is_link(2) && (dom::name(&frame.node) != "p" || is_link(0) || is_link(3))
    }

    /// Adds a link to embedded content.
    pub(super) fn add_media(&mut self, node: &Handle) {
        let address = dom::attribute(node, "href").unwrap_or_default();
        let Some(address) = self.keep_address(&address) else {
            return;
        };
        let label = dom::attribute(node, "title").unwrap_or_default();
        self.flow.read(label.len());
        let label = match label.trim() {
            "" => self.flow.build.address_text(address),
            label => self.flow.build.keep(label),
        };
        if self.flow.is_code() || self.flow.in_link() {
            self.flow.add_leaf(NodeContent::Text(label));
            return;
        }
        self.flow.push(Some(NodeContent::Link {
            address,
            title: TextSlice::default(),
        }));
        self.flow.pop_link(label);
    }

    fn link_content(&mut self, node: &Handle) -> Option<NodeContent> {
        let address = dom::with_attributes(node, |name, value| {
            let useful = name == "href" && !address::is_share_form(value);
            useful.then(|| self.shared_address(value))
        })??;
        let title = dom::attribute(node, "title").unwrap_or_default();
        let title = self.flow.build.keep(&title);
        Some(NodeContent::Link { address, title })
    }

    /// Stores an address, made absolute; `None` if it cannot be followed. It stays as the page has
    /// it if a long base would make all addresses many times longer than the page.
    fn keep_address(&mut self, reference: &str) -> Option<AddressId> {
        self.flow.read(reference.len());
        let length = self.base.as_str().len();
        let base = (self.joinable >= length).then(|| {
            self.joinable -= length;
            &self.base
        });
        let reference = &*address::without_tracking(reference);
        let here = (!self.here.is_empty()).then_some(&*self.here);
        let here = here.filter(|_| base.is_some() || !self.base_given);
        address::resolve(reference, base, here, self.base_given).map(|absolute| {
            let grown = absolute.len().saturating_sub(reference.len());
            let build = &mut self.flow.build;
            if grown > self.growable {
                self.cuts.addresses = true;
                return build.keep_address(None, reference);
            }
            self.growable -= grown;
            let absolute = (absolute != reference).then_some(&*absolute);
            build.keep_address(absolute, reference)
        })
    }

    /// Stores an address like [`TreeWalk::keep_address`], but only once if copies of the element
    /// share it.
    fn shared_address(&mut self, reference: &str) -> Option<AddressId> {
        if reference.len() <= MAX_COPIED_BYTES {
            return self.keep_address(reference);
        }
        let place = reference.as_ptr() as usize;
        if let Some(known) = self.addresses.get(&place) {
            return *known;
        }
        let address = self.keep_address(reference);
        self.addresses.insert(place, address);
        address
    }

    /// Begins code. A code span cannot contain links, and a signature split at each link is hard to
    /// read: it stays one span, and becomes a link if it has one target. Code that consists of
    /// links stays links.
    pub(super) fn enter_code(&mut self, node: &Handle) -> ElementExit {
        let links = if self.flow.is_code() || dom::name(node) != "code" {
            None
        } else {
            code::links_within(node)
        };
        let Some(links) = links else {
            self.flow.enter_code();
            return ElementExit::Code;
        };
        let link = match &links[..] {
            [only] => self.link_content(only),
            _ => None,
        };
        self.flow.push(link);
        self.flow.enter_code();
        self.in_signature = true;
        ElementExit::Signature
    }

    pub(super) fn leave_signature(&mut self) {
        self.in_signature = false;
        self.flow.leave_code();
        self.flow.pop();
    }

    /// Stores the label of a link; `None` if it is blank, or a copy of the link has it already.
    fn keep_label(&mut self, value: &str) -> Option<TextSlice> {
        let text = value.trim();
        let place = value.as_ptr() as usize;
        if text.is_empty() || (value.len() > MAX_COPIED_BYTES && !self.labels.insert(place)) {
            return None;
        }
        self.flow.read(text.len());
        Some(self.flow.build.keep(text))
    }

    /// Ends a link. One without text gets its label as text, unless its target is in this page.
    pub(super) fn leave_link(&mut self, node: &Handle) {
        if !self.flow.is_empty_link() || useless_links::leads_into_page(node) {
            self.flow.pop();
            return;
        }
        let mut label = |wanted: &str| {
            dom::with_attributes(node, |name, value| {
                (name == wanted).then(|| self.keep_label(value))?
            })
        };
        match label("aria-label").or_else(|| label("title")) {
            Some(text) => self.flow.pop_link(text),
            None => self.flow.pop(),
        }
    }

    pub(super) fn add_image(&mut self, node: &Handle) {
        let Some(image) = image::ImageElement::read(node) else {
            return;
        };
        self.flow.read(image.alt.len() + image.title.len());
        let in_link = self.flow.in_link();
        // Within a link with text of its own, an image is decoration.
        if in_link && self.link_has_text {
            let is_repeated = self.link_text.contains(image.alt.trim());
            self.add_stand_in(if is_repeated { "" } else { &image.alt });
            return;
        }
        let Some(address) = image
            .source
            .as_deref()
            .and_then(|source| self.keep_image_address(source))
        else {
            self.flow.add_text(&image.alt);
            return;
        };
        if image.decorates && !in_link && !self.in_figure() {
            self.flow.add_space();
            return;
        }
        // A repeated image becomes its text.
        let build = &self.flow.build;
        let address_shown = build.kept_text(build.address_text(address)).to_owned();
        if !self.images.insert(address_shown) {
            self.add_stand_in(&image.alt);
            return;
        }
        let title = image.title.trim();
        let title = if image.alt.contains(title) { "" } else { title };
        let alt = self.flow.build.keep(&image.alt);
        let title = self.flow.build.keep(title);
        self.flow.add_leaf(NodeContent::Image {
            address,
            alt,
            title,
        });
    }

    /// Adds the text of an image in its place.
    fn add_stand_in(&mut self, alt: &str) {
        self.flow.add_space();
        self.flow.add_text(alt);
        self.flow.add_space();
    }

    /// Stores the address of an image, or of its original if it is a resized copy.
    fn keep_image_address(&mut self, source: &str) -> Option<AddressId> {
        let original = original_image::original(source);
        self.keep_address(&original)
    }

    /// True within a figure.
    fn in_figure(&self) -> bool {
        let mut around = self.stack.iter().rev().take(MAX_FIGURE_LEVELS);
        around.any(|frame| dom::name(&frame.node) == "figure")
    }

    pub(super) fn add_input(&mut self, node: &Handle) {
        let checkbox = dom::attribute(node, "type")
            .is_some_and(|kind| kind.trim().eq_ignore_ascii_case("checkbox"));
        if checkbox {
            self.flow.task(dom::attribute(node, "checked").is_some());
        }
    }
}
