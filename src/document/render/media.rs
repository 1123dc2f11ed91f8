//! Links, code around links, images and the boxes of tasks.
//!
//! Rules: `CommonMark` 0.31.2, "Links", "Code spans" and "Images"; GitHub Flavored Markdown 0.29, "Task list
//! items".

use html2md::Handle;

use super::super::inline::{Mode, Style};
use super::super::{code, dom, image, link};
use super::{Exit, Walk};

/// Addresses that a page may repeat without paying for them, in bytes: what a link's own tags pay for.
const SHORT: usize = 16;

impl Walk {
    pub(super) fn enter_link(&mut self, node: &Handle) -> Exit {
        let style = if self.in_signature {
            Style::None
        } else {
            self.link(node)
        };
        self.inline.push(style);
        Exit::Link
    }

    fn link(&mut self, node: &Handle) -> Style {
        let href = dom::with_attributes(node, |name, value| {
            (name == "href").then(|| (value.to_owned(), value.as_ptr() as usize))
        });
        let Some((href, place)) = href else {
            return Style::None;
        };
        if href.len() <= SHORT || self.addresses.insert(place) {
            self.inline.sheet.read(href.len());
        }
        let Some(address) = self.address(&href) else {
            return Style::None;
        };
        let title = dom::attribute(node, "title");
        if self.pays(address.len() + title.as_ref().map_or(0, String::len)) {
            Style::Link { address, title }
        } else {
            Style::None
        }
    }

    /// Whether the page pays for an address of `bytes`. Where it does not, the text stays.
    fn pays(&mut self, bytes: usize) -> bool {
        let pays = bytes <= SHORT || self.inline.sheet.affords(bytes);
        self.cuts.addresses |= !pays;
        pays
    }

    /// A code span cannot have links in it, and parted at each of them a signature is hard to read: it stays one span,
    /// and a link if it leads to one place. Code that is nothing but links stays links.
    pub(super) fn enter_code(&mut self, node: &Handle) -> Exit {
        let links = if self.inline.is_code() || dom::name(node) != "code" {
            None
        } else {
            code::links_within(node)
        };
        let Some(links) = links else {
            self.inline.enter_code();
            return Exit::Code;
        };
        let style = match &links[..] {
            [only] => self.link(only),
            _ => Style::None,
        };
        self.inline.push(style);
        self.inline.enter_code();
        self.in_signature = true;
        Exit::Signature
    }

    pub(super) fn leave_signature(&mut self) {
        self.in_signature = false;
        self.inline.leave_code();
        self.inline.pop();
    }

    /// A link without text still leads somewhere, unless it is to a place in this page.
    pub(super) fn leave_link(&mut self, node: &Handle) {
        let Some(Style::Link { address, title }) = self.inline.pop() else {
            return;
        };
        let href = dom::attribute(node, "href").unwrap_or_default();
        let text = dom::attribute(node, "aria-label")
            .or(title)
            .unwrap_or_default();
        if href.starts_with('#') || (text.trim().is_empty() && !node.children.borrow().is_empty()) {
            return;
        }
        let cell = self.inline.mode == Mode::Cell;
        let mut markup = format!("[{}]", image::escaped(&text, cell));
        link::write_target(&mut markup, &address, None, cell);
        if self.pays(markup.len()) {
            self.inline.raw(&markup);
        }
    }

    /// An address made absolute. The page's own spelling stays where the base would make the
    /// Markdown many times longer than the page, or where a long base has been copied often.
    fn address(&mut self, reference: &str) -> Option<String> {
        let base = self.base.as_str().len();
        let base = (self.joinable >= base).then(|| {
            self.joinable -= base;
            &self.base
        });
        let address = link::resolve(reference, base)?;
        let grown = address.len().saturating_sub(reference.len());
        if self.inline.sheet.grows(grown) {
            Some(address)
        } else {
            self.cuts.addresses = true;
            Some(reference.to_owned())
        }
    }

    pub(super) fn image(&mut self, node: &Handle) {
        let source = image::source(node);
        let address = source.and_then(|source| {
            self.inline.sheet.read(source.len());
            self.address(&source)
        });
        let cell = self.inline.mode == Mode::Cell;
        let alt = dom::attribute(node, "alt").unwrap_or_default();
        self.inline.sheet.read(alt.len());
        let title = dom::attribute(node, "title").filter(|title| !title.trim().is_empty());
        let rest = title.as_ref().map_or(0, String::len);
        self.inline.sheet.read(rest);
        let Some(address) = address.filter(|address| self.pays(address.len() + rest)) else {
            self.inline.text(&alt);
            return;
        };
        let mut markup = format!("![{}]", image::escaped(&alt, cell));
        link::write_target(&mut markup, &address, title.as_deref(), cell);
        self.inline.raw(&markup);
    }

    pub(super) fn input(&mut self, node: &Handle) {
        let checkbox = dom::attribute(node, "type")
            .is_some_and(|kind| kind.trim().eq_ignore_ascii_case("checkbox"));
        if checkbox {
            self.inline.task(dom::attribute(node, "checked").is_some());
        }
    }
}
