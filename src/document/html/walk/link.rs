//! Links, code around links, images and the boxes of tasks.
//!
//! Rules: HTML Living Standard, `a`, `img`, `input`, and the `aria-label` attribute.

use std::hash::{DefaultHasher, Hash, Hasher};

use html2md::Handle;

use super::super::dom::{self, ElementKind};
use super::super::flow::FlowMode;
use super::super::{address, code, image, resized};
use super::{ElementExit, TreeWalk, anchor_links};
use crate::document::model::{AddressId, Content, Slice};

/// Attributes that are kept as often as they come, in bytes: what an element's own tags pay for.
const SHORT: usize = 16;

/// Links without text that are kept for a page that has nothing else.
const MAX_EMPTY: usize = 64;

/// Images for decoration that are kept for a page that has nothing else.
const MAX_DECORATION: usize = 64;

/// Elements around an image that are looked at for a figure.
const MAX_AROUND: usize = 8;

/// What stands for a link without text.
enum LinkLabel {
    Text(Slice),
    Blank,
    /// A text that stood for a copy of the link already.
    Copy,
}

impl TreeWalk {
    /// Begins a link; `None` if it is of no use to a reader.
    pub(super) fn enter_link(&mut self, node: &Handle) -> Option<ElementExit> {
        if anchor_links::is_useless(node, matches!(self.flow.mode, FlowMode::Heading(_))) {
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
        self.link_says = anchor_links::says(node, &mut self.link_text);
        self.flow.push(link);
        Some(ElementExit::Link)
    }

    fn hash_of(&self, address: AddressId) -> u64 {
        let build = &self.flow.build;
        let mut hasher = DefaultHasher::new();
        build.kept(build.address_text(address)).hash(&mut hasher);
        hasher.finish()
    }

    /// Whether the link that begins directly follows another one in what looks like a list: in
    /// anything but a paragraph, or as one of three and more.
    fn is_in_a_row(&self) -> bool {
        let Some(frame) = self.stack.last() else {
            return false;
        };
        let children = frame.node.children.borrow();
        let is_link = |back: usize| {
            let at = frame.next.checked_sub(back);
            at.and_then(|at| children.get(at)).is_some_and(|child| {
                dom::kind(child) == Some(ElementKind::Link)
                    && dom::attribute(child, "href").is_some()
            })
        };
        // The link that begins is the one before `next`.
        is_link(2) && (dom::name(&frame.node) != "p" || is_link(0) || is_link(3))
    }

    /// Frames, films and the like: a link to what they show.
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
            self.flow.add_leaf(Content::Text(label));
            return;
        }
        self.flow.push(Some(Content::Link {
            address,
            title: Slice::default(),
        }));
        self.flow.pop_link(Some(label));
    }

    /// A page of nothing but links that hold nothing, or images that mean nothing: they are what it
    /// has.
    pub(super) fn write_leftovers(&mut self) {
        for address in std::mem::take(&mut self.decoration) {
            self.flow.add_leaf(Content::Image {
                address,
                alt: Slice::default(),
                title: Slice::default(),
            });
            self.flow.add_space();
        }
        for address in std::mem::take(&mut self.empty) {
            self.flow.push(Some(Content::Link {
                address,
                title: Slice::default(),
            }));
            self.flow.pop_link(None);
        }
        self.flow.end();
    }

    fn link_content(&mut self, node: &Handle) -> Option<Content> {
        let address = dom::with_attributes(node, |name, value| {
            let useful = name == "href" && !address::is_share_form(value);
            useful.then(|| self.shared_address(value))
        })??;
        let title = dom::with_attributes(node, |name, value| {
            (name == "title").then(|| self.keep_attribute(value))
        });
        Some(Content::Link {
            address,
            title: title.unwrap_or_default(),
        })
    }

    /// Keeps an attribute's value, one that is shared only once.
    fn keep_attribute(&mut self, value: &str) -> Slice {
        let place = value.as_ptr() as usize;
        if value.len() <= SHORT {
            return self.flow.build.keep(value);
        }
        let build = &mut self.flow.build;
        *self
            .attributes
            .entry(place)
            .or_insert_with(|| build.keep(value))
    }

    /// Keeps an address, made absolute; `None` if it leads nowhere. It stays as the page has it
    /// where the base would make all addresses many times longer than the page, or where a long
    /// base has been copied often.
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

    /// Keeps an address like [`TreeWalk::keep_address`], one that is shared only once.
    fn shared_address(&mut self, reference: &str) -> Option<AddressId> {
        if reference.len() <= SHORT {
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

    /// A code span cannot have links in it, and parted at each of them a signature is hard to read:
    /// it stays one span, and a link if it leads to one place. Code that is nothing but links stays
    /// links.
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

    /// Keeps the text that stands for a link, unless it stood for a copy of the link already.
    fn keep_label(&mut self, value: &str) -> LinkLabel {
        let text = value.trim();
        let place = value.as_ptr() as usize;
        if text.is_empty() {
            LinkLabel::Blank
        } else if value.len() > SHORT && !self.labels.insert(place) {
            LinkLabel::Copy
        } else {
            self.flow.read(text.len());
            LinkLabel::Text(self.flow.build.keep(text))
        }
    }

    /// A link without text still leads somewhere, unless it is to a place in this page: its label
    /// stands for its text.
    pub(super) fn leave_link(&mut self, node: &Handle) {
        if !self.flow.is_empty_link() {
            self.flow.pop();
            return;
        }
        let here =
            |name: &str, value: &str| (name == "href" && value.starts_with('#')).then_some(());
        if dom::with_attributes(node, here).is_some() {
            self.flow.pop();
            return;
        }
        let mut label = |wanted: &str| {
            dom::with_attributes(node, |name, value| {
                (name == wanted).then(|| self.keep_label(value))
            })
        };
        let label = label("aria-label").or_else(|| label("title"));
        match label {
            Some(LinkLabel::Text(text)) => self.flow.pop_link(Some(text)),
            Some(LinkLabel::Copy) => self.flow.pop(),
            _ => {
                if node.children.borrow().is_empty()
                    && self.empty.len() < MAX_EMPTY
                    && self.flow.build.is_empty()
                    && let Some(Content::Link { address, .. }) = self.flow.last_style()
                {
                    self.empty.push(address);
                }
                self.flow.pop();
            }
        }
    }

    pub(super) fn add_image(&mut self, node: &Handle) {
        let Some(image) = image::ImageElement::of(node) else {
            return;
        };
        self.flow.read(image.alt.len() + image.title.len());
        let in_link = self.flow.in_link();
        // A link's own text says where it leads; its image is one for the eye.
        if in_link && self.link_says {
            let said = self.link_text.contains(image.alt.trim());
            self.add_stand_in(if said { "" } else { &image.alt });
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
            if self.decoration.len() < MAX_DECORATION && self.flow.build.is_empty() {
                self.decoration.push(address);
            }
            self.flow.add_space();
            return;
        }
        // An image that was there before is what its text says.
        let hash = self.hash_of(address);
        if !self.images.insert(hash) {
            self.add_stand_in(&image.alt);
            return;
        }
        let title = image.title.trim();
        let title = if image.alt.contains(title) { "" } else { title };
        let alt = self.flow.build.keep(&image.alt);
        let title = self.flow.build.keep(title);
        self.flow.add_leaf(Content::Image {
            address,
            alt,
            title,
        });
    }

    /// What stands for an image, in its place.
    fn add_stand_in(&mut self, alt: &str) {
        self.flow.add_space();
        self.flow.add_text(alt);
        self.flow.add_space();
    }

    /// Keeps the address of an image, not that of a copy made to measure.
    fn keep_image_address(&mut self, source: &str) -> Option<AddressId> {
        let original = resized::original(source);
        self.keep_address(&original)
    }

    /// Whether what stands here is part of a figure.
    fn in_figure(&self) -> bool {
        let mut around = self.stack.iter().rev().take(MAX_AROUND);
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
