//! Fallback content of a page that shows almost nothing: its text for browsers without scripts,
//! then the text that it hides until a script runs, then the text of its data, and if there is
//! none, its navigation and a remark about the page.
//!
//! Rules: HTML Living Standard, `noscript`, `noframes`, `frame`, `meta` (`description`, `refresh`),
//! and `Location`. Hidden text is shown only if it is most of the page, and then only the largest
//! parts of it; in a page with visible text it stays hidden because instructions to models are put
//! there.

use std::cmp::Reverse;

use html2md::Handle;
use memchr::{memchr, memmem};
use url::Url;

use super::dom::{self, ElementKind};
use super::page_data::{self, ScriptData};
use super::prefilter::{WantedContent, media};
use super::source::{ConvertedPage, HtmlSource, PageSyntax};
use super::tag;
use super::tree::PageTree;
use super::{address, reveal};
use iki_base::wording::beginning;
use iki_markdown::document::DocumentCuts;
use iki_markdown::entities;
use iki_markdown::model::{DocumentModel, ModelBuilder, NodeContent, TextSlice};

/// Letters below which a page shows almost nothing.
pub(super) const EMPTY_PAGE_LETTERS: usize = 100;

/// Minimum letters of hidden text that is shown although the page has some visible text.
const MIN_HIDDEN_LETTERS: usize = 300;

/// Minimum letters of a text for browsers without scripts that replaces some visible text.
const MIN_NOSCRIPT_LETTERS: usize = 150;

/// Minimum ratio of hidden text to visible text at which hidden text is shown.
const HIDDEN_TO_VISIBLE_RATIO: usize = 10;

/// Maximum number of times that hidden text is searched for in text that was shown before.
const MAX_REVEALS: usize = 4;

/// Longest description in a remark, in bytes.
const MAX_DESCRIPTION_BYTES: usize = 1000;

/// Maximum number of frames in a remark.
const MAX_FRAMES: usize = 20;

/// Maximum number of scripts with data.
const MAX_DATA_SCRIPTS: usize = 64;

/// Converts a page again with its fallback content; `model` is the result of the first conversion
/// of its `tree`.
pub(super) fn convert_with_fallback(
    source: &HtmlSource,
    mut tree: PageTree,
    mut model: DocumentModel,
) -> ConvertedPage {
    let mut cuts = DocumentCuts::default();
    let has = |word: &str| memmem::find(source.page.as_bytes(), word.as_bytes()).is_some();
    let mut about = PageClues::scan(source.page);
    // Browsers that show frames do not show the text next to them.
    let is_notice = |model: &DocumentModel| {
        (about.scripts && is_notice(model))
            || (!about.frames.is_empty()
                && model.count_letters(EMPTY_PAGE_LETTERS) < EMPTY_PAGE_LETTERS)
    };
    let letters_of = |model: &DocumentModel| match model {
        model if is_notice(model) => 0,
        model => model.count_letters(EMPTY_PAGE_LETTERS),
    };
    if ["<noscript", "<NOSCRIPT", "<noframes", "<NOFRAMES"]
        .iter()
        .any(|name| has(name))
    {
        let again = source.parse(WantedContent::Scriptless);
        let (fallback, cut) = source.walk(&again);
        let (had, has) = (letters_of(&model), fallback.count_letters(usize::MAX));
        let more = has.saturating_sub(had);
        if more > 0 && (had == 0 || more >= MIN_NOSCRIPT_LETTERS.max(had)) && !is_notice(&fallback)
        {
            (tree, model, cuts) = (again, fallback, cut);
        }
    }
    for _ in 0..MAX_REVEALS {
        let letters = letters_of(&model);
        if letters == EMPTY_PAGE_LETTERS || cuts.time || !unveil(&tree.tree.document, letters) {
            break;
        }
        (model, cuts) = source.walk(&tree);
    }
    let mut origin = None;
    let letters = letters_of(&model);
    if letters < EMPTY_PAGE_LETTERS && !cuts.time {
        let (text, stands_in) = page_data::text_of(&about.data);
        let hidden_source = HtmlSource {
            page: &text,
            syntax: PageSyntax::Html,
            ..*source
        };
        let (fallback, cut) = hidden_source.walk(&hidden_source.parse(WantedContent::Shown));
        let least = match letters {
            0 => EMPTY_PAGE_LETTERS / 2,
            letters => MIN_NOSCRIPT_LETTERS.max(letters * HIDDEN_TO_VISIBLE_RATIO),
        };
        if fallback.count_letters(usize::MAX) >= least {
            let title = std::mem::take(&mut model.title);
            let mut both = ModelBuilder::for_source(source.page.len());
            if letters > 0 {
                both.append(&model, |_, _| None);
            }
            both.append(&fallback, |_, _| None);
            (model, cuts) = (both.finish(title), cuts.and(cut));
            origin = Some(stands_in);
        }
    }
    let silent = origin.is_none() && (model.count_letters(1) == 0 || is_notice(&model));
    let mut navigates = false;
    if silent && !cuts.time && (has("<nav") || has("<NAV")) {
        // There is no other text, and tables of contents are marked up as navigation, too.
        let (fallback, cut) = source.walk(&source.parse(WantedContent::Navigation));
        navigates = fallback.count_letters(usize::MAX) > model.count_letters(usize::MAX);
        if navigates {
            (model, cuts) = (fallback, cut);
        }
    }
    if silent && about.executed == 1 {
        about.leads = about.leads.or(about.script_leads);
    }
    let remark = remark(source, &about, silent, navigates, origin);
    // Nobody sees a page that is replaced at once.
    let leads = about.leads.filter(|_| silent || about.leads_at_once);
    let refresh = leads.and_then(|address| source.elsewhere(address));
    ConvertedPage {
        model,
        cuts,
        remark,
        has_text_beside: !silent,
        is_from_data: origin.is_some(),
        is_of_frames: silent && !about.frames.is_empty(),
        refresh,
        ..ConvertedPage::default()
    }
}

/// Parts of words that pages put next to "JavaScript" when they require it, in the most frequent
/// languages: to need, to enable, to be disabled, to support and the like.
const DEMAND_WORDS: &str = "need|require|enable|turn on|switch \
     on|disabled|activ|aktiv|allow|support|must|without|work|erforder|benötig|ohne \
     |habilit|abilit|necess|requier|requis|sans |включ|启用|啟用|有効";

/// True if a page with scripts shows only that a script is required or running.
fn is_notice(model: &DocumentModel) -> bool {
    let letters = model.count_letters(MIN_HIDDEN_LETTERS);
    if letters == MIN_HIDDEN_LETTERS {
        return false;
    }
    let text = model.beginning(4 * MIN_HIDDEN_LETTERS).to_lowercase();
    (text.contains("javascript") && DEMAND_WORDS.split('|').any(|word| text.contains(word)))
        || (letters < 32 && (text.contains("loading") || text.contains("please wait")))
}

/// Shows the largest hidden elements, which together hold half of the hidden text, if the hidden
/// text is most of the page; false if nothing is shown.
fn unveil(root: &Handle, letters: usize) -> bool {
    // A dialog that is not open is not a substitute for the page.
    let mut hidden: Vec<(usize, Handle)> =
        dom::nodes_within(root, |node| !dom::is_hidden(node) && !is_dropped(node))
            .filter(|node| dom::is_hidden(node) && !dom::is_dialog(node))
            .map(|node| (dom::letters_in(&node, is_dropped), node))
            .collect();
    let all: usize = hidden.iter().map(|(letters, _)| letters).sum();
    if all == 0 || (letters > 0 && all < MIN_HIDDEN_LETTERS.max(letters * HIDDEN_TO_VISIBLE_RATIO))
    {
        return false;
    }
    hidden.sort_by_key(|(letters, _)| Reverse(*letters));
    let mut shown_letters = 0;
    for (letters, node) in hidden {
        if 2 * shown_letters >= all {
            break;
        }
        shown_letters += letters;
        reveal::unhide(&node);
    }
    true
}

fn is_dropped(node: &Handle) -> bool {
    dom::kind(node) == Some(ElementKind::Dropped)
}

/// Clues in the source of a page about its content, for a remark.
#[derive(Default)]
struct PageClues<'a> {
    /// True for a whole page, false for a fragment.
    is_page: bool,
    scripts: bool,
    description: Option<&'a str>,
    /// The address to which its `refresh` leads.
    leads: Option<&'a str>,
    leads_at_once: bool,
    /// The address to which its only script leads.
    script_leads: Option<&'a str>,
    /// Number of its scripts that are executed.
    executed: usize,
    data: Vec<ScriptData<'a>>,
    frames: Vec<&'a str>,
}

/// Writes a line in brackets about a page without text (`silent`), or with nothing but navigation
/// (`navigates`), or about one with little text that leads elsewhere; `None` if there is nothing to
/// report.
fn remark(
    source: &HtmlSource,
    about: &PageClues<'_>,
    silent: bool,
    navigates: bool,
    origin: Option<&str>,
) -> Option<DocumentModel> {
    let elsewhere = |addresses: &[&str]| -> Vec<Url> {
        let addresses = addresses.iter();
        addresses
            .filter_map(|address| source.elsewhere(address))
            .collect()
    };
    let leads = elsewhere(about.leads.as_slice());
    let frames = elsewhere(&about.frames);
    let beyond = !leads.is_empty() || !frames.is_empty();
    let tells = silent || beyond || origin.is_some();
    if !about.is_page || !tells || (navigates && !about.scripts && !beyond) {
        return None;
    }
    let mut sentences: Vec<String> = Vec::new();
    if let Some(origin) = origin {
        sentences.push(format!(
            "This page shows next to no text. What is above stands in {origin}."
        ));
    }
    if silent {
        let subject = if navigates {
            "Apart from its navigation, this page"
        } else {
            "This page"
        };
        let reason = if about.scripts {
            " without JavaScript, which was not run"
        } else {
            ""
        };
        sentences.push(format!("{subject} shows no text{reason}."));
        sentences.extend(about.description.map(|description| {
            let description = beginning(description, MAX_DESCRIPTION_BYTES);
            let description = entities::decoded_in_attribute(description);
            format!("It describes itself: \"{description}\".")
        }));
    }
    let mut line = format!("[{}", sentences.join(" "));
    let mut build = ModelBuilder::default();
    build.open(NodeContent::Paragraph);
    for (verb, addresses) in [("leads to ", leads), ("is made of frames: ", frames)] {
        for (index, url) in addresses.iter().enumerate() {
            line.push_str(match index {
                0 if line == "[" => "This page ",
                0 => " It ",
                _ => ", ",
            });
            line.push_str(if index == 0 { verb } else { "" });
            add_text(&mut build, &line);
            line.clear();
            let address = build.keep_address(None, &address::without_tracking(url.as_str()));
            let title = TextSlice::default();
            build.open(NodeContent::Link { address, title });
            build.add(NodeContent::Text(build.address_text(address)));
            build.close();
        }
    }
    line.push(']');
    add_text(&mut build, &line);
    Some(build.finish(String::new()))
}

fn add_text(build: &mut ModelBuilder, text: &str) {
    build.count_source(text.len());
    let text = build.keep(text);
    build.add(NodeContent::Text(text));
}

impl HtmlSource<'_> {
    /// Resolves an address to which the page leads; `None` if that is the page itself.
    fn elsewhere(&self, address: &str) -> Option<Url> {
        let address = entities::decoded_in_attribute(address);
        let url = self.base.join(&address).ok()?;
        (url != *self.base).then_some(url)
    }
}

/// Returns the address in a `refresh`: of `0; url='x'`, as well as of `0;x`.
pub(crate) fn refresh_target(content: &str) -> Option<&str> {
    let (_, address) = content.split_once([';', ','])?;
    let address = address.trim_start();
    let address = match address.get(..3) {
        Some(word) if word.eq_ignore_ascii_case("url") => address[3..]
            .trim_start()
            .strip_prefix('=')
            .unwrap_or(address),
        _ => address,
    };
    let address = address.trim().trim_matches(['\'', '"']);
    Some(address).filter(|address| !address.is_empty() && media::is_followable(address))
}

/// Maximum length of a script that does nothing but lead elsewhere, in bytes.
const MAX_LEADING_SCRIPT_BYTES: usize = 1000;

/// Returns the address to which a short script leads whatever happens: that of
/// `location.replace("/a")`, `window.location = "/a"` and the like.
fn script_target(script: &str) -> Option<&str> {
    if script.len() > MAX_LEADING_SCRIPT_BYTES || script.contains("if") || script.contains('?') {
        return None;
    }
    let (_, unread) = script.split_once("location")?;
    let unread = unread.trim_start();
    let unread = [".replace", ".assign", ".href"]
        .iter()
        .find_map(|way| unread.strip_prefix(way))
        .unwrap_or(unread);
    let unread = unread.trim_start().strip_prefix(['=', '('])?.trim_start();
    let quote = unread.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let (address, behind) = unread[1..].split_once(quote)?;
    let is_whole =
        behind.trim_start().is_empty() || behind.trim_start().starts_with([')', ';', '\n', '}']);
    let is_plain = !address.is_empty() && !address.contains('\\') && media::is_followable(address);
    (is_whole && is_plain).then_some(address)
}

impl<'a> PageClues<'a> {
    fn scan(page: &'a str) -> Self {
        let mut about = Self::default();
        let bytes = page.as_bytes();
        let mut offset = 0;
        while let Some(length) = memchr(b'<', &bytes[offset..]) {
            offset += length + 1;
            if bytes[offset..].starts_with(b"!--") {
                offset = tag::comment_end(page, offset + 3);
                continue;
            }
            let is = |name: &&str| tag::is_named(page, offset, name);
            let Some(name) = ["script", "meta", "frame", "html", "body"]
                .into_iter()
                .find(is)
            else {
                continue;
            };
            about.is_page |= name != "meta";
            let Some(tag) = tag::read(page, offset) else {
                break;
            };
            let value = |name: &str| tag.get(name).unwrap_or_default().trim();
            offset = tag.end;
            match name {
                "script" => {
                    about.scripts = true;
                    let (to, end) = tag::raw_end(page, tag.end, "script");
                    let text = &page[tag.end..to];
                    let is_executed = !value("type").contains("json");
                    about.executed += usize::from(is_executed);
                    about.script_leads = about.script_leads.or_else(|| script_target(text));
                    if about.data.len() < MAX_DATA_SCRIPTS {
                        about.data.extend(ScriptData::parse(value("type"), text));
                    }
                    offset = end;
                }
                "meta" => {
                    let mut names = ["name", "property", "http-equiv"].into_iter();
                    let name = names.find_map(|name| tag.get(name)).unwrap_or_default();
                    about.read_meta(name.trim(), value("content"));
                }
                "frame" => {
                    let address = value("src");
                    if !address.is_empty()
                        && media::is_followable(address)
                        && about.frames.len() < MAX_FRAMES
                    {
                        about.frames.push(address);
                    }
                }
                _ => {}
            }
        }
        about
    }

    fn read_meta(&mut self, name: &str, content: &'a str) {
        if content.is_empty() {
            return;
        }
        if name.eq_ignore_ascii_case("description")
            || (name.eq_ignore_ascii_case("og:description") && self.description.is_none())
        {
            self.is_page = true;
            self.description = Some(content);
        } else if name.eq_ignore_ascii_case("refresh")
            && let Some(address) = refresh_target(content)
        {
            self.is_page = true;
            self.leads = Some(address);
            self.leads_at_once = content.starts_with('0');
        }
    }
}
