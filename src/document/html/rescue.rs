//! A page of which next to nothing would be left: what it has for browsers without scripts, then
//! what it hides until a script runs, and where there is no text at all, its navigation, and what
//! can be said of it.
//!
//! Rules: HTML Living Standard, `noscript`, `noframes`, `frame`, and `meta` (`description`,
//! `refresh`). Hidden text counts here only where it is most of the page, and of that what is most
//! of it: what hides in a page that has a text of its own stays hidden.

use std::fmt::Write as _;
use std::rc::Rc;

use html2md::{Handle, NodeData, RcDom};
use html5ever::interface::{ElementFlags, QualName, TreeSink};
use html5ever::{local_name, ns};
use memchr::{memchr, memmem};

use super::dom::{self, ElementKind};
use super::prefilter::{media, tag};
use super::{ConvertedPage, DocumentCuts, DocumentModel, HtmlSource, PageTree, reveal};
use crate::basics::words::beginning;
use crate::sort::Sort;

/// Letters of a page with fewer of which next to nothing is left.
pub(super) const LITTLE: usize = 100;

/// Letters that hidden text has at least, to be the text of a page that shows some.
const MUCH: usize = 300;

/// Letters that a text for browsers without scripts has at least, beside another.
const SOME: usize = 150;

/// How many times longer hidden text is at least than what is shown.
const TIMES: usize = 10;

/// How often what stood in shown text is shown in turn.
const ROUNDS: usize = 4;

/// The longest description that is repeated, in bytes.
const MAX_DESCRIPTION: usize = 1000;

/// The most frames that are named.
const MAX_FRAMES: usize = 20;

/// Reads a page once more of which `model` is all that was found in its `tree`.
pub(super) fn rescue(
    source: &HtmlSource,
    mut tree: PageTree,
    mut model: DocumentModel,
) -> ConvertedPage {
    let mut cuts = DocumentCuts::default();
    let has = |word: &str| memmem::find(source.page.as_bytes(), word.as_bytes()).is_some();
    let about = About::of(source.page);
    // What stands beside frames is not shown where they are.
    let is_notice = |model: &DocumentModel| {
        (about.scripts && is_notice(model))
            || (!about.frames.is_empty() && model.count_letters(LITTLE) < LITTLE)
    };
    let letters_of = |model: &DocumentModel| match model {
        model if is_notice(model) => 0,
        model => model.count_letters(LITTLE),
    };
    if ["<noscript", "<NOSCRIPT", "<noframes", "<NOFRAMES"]
        .iter()
        .any(|name| has(name))
    {
        let again = source.parse(true);
        let (found, cut) = source.walk(&again);
        let (had, has) = (letters_of(&model), found.count_letters(usize::MAX));
        let more = has.saturating_sub(had);
        if more > 0 && (had == 0 || more >= SOME.max(had)) && !is_notice(&found) {
            (tree, model, cuts) = (again, found, cut);
        }
    }
    for _ in 0..ROUNDS {
        let letters = letters_of(&model);
        if letters == LITTLE || cuts.time || !unveil(&tree.tree.document, letters) {
            break;
        }
        (model, cuts) = source.walk(&tree);
    }
    let silent = model.count_letters(1) == 0 || is_notice(&model);
    let mut navigates = false;
    if silent && !cuts.time && show_navigation(&tree.tree) {
        let (found, cut) = source.walk(&tree);
        navigates = found.count_letters(usize::MAX) > model.count_letters(usize::MAX);
        if navigates {
            (model, cuts) = (found, cut);
        }
    }
    let remark = remark(source, &about, silent, navigates);
    ConvertedPage {
        model,
        cuts,
        remark,
        beside_text: !silent,
    }
}

/// Has what leads through a site be text like any other, since there is none besides: tables of
/// contents are written so, too. Whether there is such a thing.
fn show_navigation(tree: &RcDom) -> bool {
    let mut found = false;
    let mut open = vec![tree.document.clone()];
    while let Some(node) = open.pop() {
        for child in &mut *node.children.borrow_mut() {
            if dom::name(child) == "nav" && !dom::is_hidden(child) {
                let name = QualName::new(None, ns!(html), local_name!("div"));
                let shown = tree.create_element(name, Vec::new(), ElementFlags::default());
                for inner in &*child.children.borrow() {
                    inner.parent.set(Some(Rc::downgrade(&shown)));
                }
                shown.children.replace(child.children.take());
                shown.parent.set(Some(Rc::downgrade(&node)));
                *child = shown;
                found = true;
            }
            if !is_dropped(child) {
                open.push(child.clone());
            }
        }
    }
    found
}

/// What stands beside "JavaScript" where a page says that it takes it, in the languages in which
/// most do: parts of words for to need, to enable, to be disabled, to support and the like.
const DEMANDS: &str = "need|require|enable|turn on|switch on|disabled|activ|aktiv|allow|\
    support|must|without|work|erforder|benötig|ohne |habilit|abilit|necess|requier|requis|\
    sans |включ|启用|啟用|有効";

/// Whether all that is shown, of a page with scripts, is that a script is needed or running.
fn is_notice(model: &DocumentModel) -> bool {
    let letters = model.count_letters(MUCH);
    if letters == MUCH {
        return false;
    }
    let text = model.beginning(4 * MUCH).to_lowercase();
    (text.contains("javascript") && DEMANDS.split('|').any(|word| text.contains(word)))
        || (letters < 32 && (text.contains("loading") || text.contains("please wait")))
}

/// Shows what is hidden, if that is most of the page: as many of the outermost hidden elements as
/// hold half of it, those that hold most first.
fn unveil(root: &Handle, letters: usize) -> bool {
    let mut hidden: Vec<(usize, Handle)> = Vec::new();
    let mut open = vec![root.clone()];
    while let Some(node) = open.pop() {
        if dom::is_hidden(&node) {
            hidden.push((letters_in(&node), node));
        } else if !is_dropped(&node) {
            open.extend(node.children.borrow().iter().rev().cloned());
        }
    }
    let all: usize = hidden.iter().map(|(letters, _)| letters).sum();
    if all == 0 || (letters > 0 && all < MUCH.max(letters * TIMES)) {
        return false;
    }
    hidden.arrange_by_key(|(letters, _)| usize::MAX - letters);
    let mut shown = 0;
    for (letters, node) in hidden {
        if 2 * shown >= all {
            break;
        }
        shown += letters;
        reveal::unhide(&node);
    }
    true
}

fn is_dropped(node: &Handle) -> bool {
    dom::kind(node) == Some(ElementKind::Dropped)
}

fn letters_in(node: &Handle) -> usize {
    let mut letters = 0;
    let mut open = vec![node.clone()];
    while let Some(node) = open.pop() {
        if let NodeData::Text { contents } = &node.data {
            let text = contents.borrow();
            letters += text.chars().filter(|c| c.is_alphanumeric()).count();
        } else if !is_dropped(&node) {
            open.extend(node.children.borrow().iter().cloned());
        }
    }
    letters
}

/// What a page without text says of itself, as it stands in the page.
#[derive(Default)]
struct About<'a> {
    /// Whether it is a page and not a piece of one.
    is_page: bool,
    scripts: bool,
    description: Option<&'a str>,
    leads: Option<&'a str>,
    frames: Vec<&'a str>,
}

/// A line in brackets about a page that is `silent`, without text or without any but what
/// `navigates`, and about one with few words that leads elsewhere; `None` if there is nothing to be
/// said of it.
fn remark(
    source: &HtmlSource,
    about: &About<'_>,
    silent: bool,
    navigates: bool,
) -> Option<DocumentModel> {
    // A page that is to be read again leads nowhere.
    let leads = about
        .leads
        .filter(|address| source.base.join(address).ok().as_ref() != Some(source.base));
    let beyond = leads.is_some() || !about.frames.is_empty();
    if !about.is_page || (!silent && !beyond) || (navigates && !about.scripts && !beyond) {
        return None;
    }
    let mut line = String::from("<p>[");
    if silent {
        line.push_str(if navigates {
            "Beside its navigation this page shows no text"
        } else {
            "This page shows no text"
        });
        if about.scripts {
            line.push_str(" without JavaScript, which was not run");
        }
        line.push('.');
    }
    if let Some(description) = about.description.filter(|_| silent) {
        let description = beginning(description, MAX_DESCRIPTION).replace('<', "&lt;");
        let _ = write!(line, " It describes itself: \"{description}\".");
    }
    let mut it = if silent { " It" } else { "This page" };
    if let Some(address) = leads {
        line.extend([it, " leads to "]);
        media::write_link(address, "", &mut line);
        it = " It";
    }
    for (at, address) in about.frames.iter().enumerate() {
        if at == 0 {
            line.extend([it, " is made of frames: "]);
        } else {
            line.push_str(", ");
        }
        media::write_link(address, "", &mut line);
    }
    line.push_str("]</p>");
    let source = HtmlSource {
        page: &line,
        ..*source
    };
    // The filter would take the media for the page's.
    Some(source.walk(&source.parse_filtered(&line)).0)
}

impl<'a> About<'a> {
    fn of(page: &'a str) -> Self {
        let mut about = Self::default();
        let bytes = page.as_bytes();
        let mut at = 0;
        while let Some(length) = memchr(b'<', &bytes[at..]) {
            at += length + 1;
            if bytes[at..].starts_with(b"!--") {
                at = tag::comment_end(page, at + 3);
                continue;
            }
            let is = |name: &str| tag::is_named(page, at, name);
            if is("script") {
                about.is_page = true;
                about.scripts = true;
                at = tag::raw_end(page, at, "script").1;
            } else if is("meta") || is("frame") {
                let meta = is("meta");
                match about.tag(page, at, meta) {
                    Some(end) => at = end,
                    None => break,
                }
            } else if is("html") || is("body") {
                about.is_page = true;
            }
        }
        about
    }

    /// Notes what the `meta` or `frame` says whose name begins at `at`; returns where it ends.
    fn tag(&mut self, page: &'a str, at: usize, meta: bool) -> Option<usize> {
        let (mut name, mut content, mut source) = ("", "", "");
        let tag = tag::read(page, at, |attribute, value| {
            let is = |wanted: &str| attribute.eq_ignore_ascii_case(wanted);
            if is("name") || is("property") || is("http-equiv") {
                name = value.trim();
            } else if is("content") {
                content = value.trim();
            } else if is("src") {
                source = value.trim();
            }
            false
        })?;
        if meta {
            self.meta(name, content);
        } else {
            self.is_page = true;
            if !source.is_empty() && media::is_followable(source) && self.frames.len() < MAX_FRAMES
            {
                self.frames.push(source);
            }
        }
        Some(tag.end)
    }

    fn meta(&mut self, name: &str, content: &'a str) {
        if content.is_empty() {
            return;
        }
        if name.eq_ignore_ascii_case("description")
            || (name.eq_ignore_ascii_case("og:description") && self.description.is_none())
        {
            self.is_page = true;
            self.description = Some(content);
        } else if name.eq_ignore_ascii_case("refresh")
            && let Some((_, address)) = content.split_once([';', ','])
        {
            self.is_page = true;
            // `0; url='x'`, as well as `0;x`.
            let address = address.trim_start();
            let address = match address.get(..3) {
                Some(word) if word.eq_ignore_ascii_case("url") => address[3..]
                    .trim_start()
                    .strip_prefix('=')
                    .unwrap_or(address),
                _ => address,
            };
            let address = address.trim().trim_matches(['\'', '"']);
            self.leads = Some(address)
                .filter(|address| !address.is_empty() && media::is_followable(address));
        }
    }
}
