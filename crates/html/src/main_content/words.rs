//! Naming of elements: the words of class and id, the role, and the microdata type. Each word has a
//! score, the logarithm of the odds that text under it was content on pages with marked content.

use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash as _, Hasher as _};
use std::sync::LazyLock;

use html2md::Handle;

use super::hash::FnvHash;
use super::tags;
use crate::dom;

/// Maximum length of a word, in bytes.
const MAX_WORD_BYTES: usize = 20;

/// Maximum number of words of one element.
const MAX_WORDS: usize = 48;

/// Maximum number of cached namings of a page.
const MAX_CACHED_NAMINGS: usize = 4096;

/// The words with their scores in eighths, one word and number per line, written by
/// `benches/main_content/train.py`.
const WORD_SCORES: &str = include_str!("words.txt");

/// Groups of words, a line each: its name and its words. The distance from a block up to the
/// nearest element with a word of each group is a feature: a trained model depends on their order.
const GROUPS: &str = include_str!("groups.txt");

/// Number of groups.
pub(super) const GROUP_COUNT: usize = 20;

/// Part of a page that is not its content.
pub(super) const APART: u16 = 1;
/// Part that may be beside the content.
pub(super) const ASIDE: u16 = 2;
/// Note within the content.
pub(super) const NOTE: u16 = 4;

/// Part whose running text is about the page, its author or its site; lists, tables and code in it
/// may be content.
pub(super) const MARGINAL: u16 = 128;

/// Signature of a post, or of a function or a class.
pub(super) const SIGNATURE: u16 = 64;

/// Post of a forum or a comment, whose signature is its author's.
pub(super) const POST: u16 = 8;

/// Author, whose name may be a heading of the page's title.
pub(super) const AUTHOR: u16 = 16;

/// Comments of readers, and not those of documentation.
pub(super) const READERS: u16 = 32;

/// Part that is the content's own in few of the containers of content, and the site's elsewhere.
pub(super) const DOUBTFUL: u16 = 256;

/// Name of the one who wrote a post.
pub(super) const NAME: u16 = 512;

/// The parts and the words that name them. Comments are both apart and beside: their code is not
/// the page's either.
const PARTS: [(u16, &str); 11] = [
    (
        APART,
        "<nav @navigation nav navbar navigation %breadcrumblist breadcrumb breadcrumbs crumb \
         crumbs related recommended recommendations cookie cookies \
         consent gdpr onetrust share sharing sharedaddy addtoany social newsletter subscribe \
         subscription signup login review reviews testimonial testimonials author byline bio \
         advert ads advertisement sponsored promo promotion promotional cta cart popular trending \
         teaser teasers carousel pagination paging pager modal popup hidden <dialog @dialog \
         @search",
    ),
    (DOUBTFUL, "<footer @contentinfo footer <form @form"),
    (APART | ASIDE, "comment comments commentlist disqus respond"),
    (
        MARGINAL,
        "<header %author %creator %person banner btn button categories checkbox creator date \
         disclaimer excerpt extras meta posted posts print published secondary slide sr sticky \
         tag tags widget",
    ),
    (SIGNATURE, "signature"),
    (
        POST,
        "answer comment comments forum message messages msg post postbody posts reply thread \
         topic user",
    ),
    (AUTHOR, "author %author"),
    (
        NAME,
        "%author %creator %name author creator handle nick nickname poster user username",
    ),
    (READERS, "commentlist comments disqus discussion respond"),
    (ASIDE, "<aside @complementary aside sidebar"),
    (
        NOTE,
        "@note @doc-footnote admonition admonitionblock alert callout caution danger deprecated \
         deprecation footnote footnotes hint important note notecard tip warning",
    ),
];

#[derive(Clone, Copy, Default)]
struct WordEntry {
    /// Score in eighths.
    score: i8,
    /// One bit for each of its groups.
    groups: u32,
    /// One bit for each of its parts.
    parts: u16,
}

static WORDS: LazyLock<HashMap<&str, WordEntry>> = LazyLock::new(|| {
    let mut words: HashMap<&str, WordEntry> = HashMap::with_capacity(2048);
    for line in WORD_SCORES.lines() {
        if let Some((word, score)) = line.rsplit_once(' ')
            && let Ok(score) = score.parse()
        {
            words.entry(word).or_default().score = score;
        }
    }
    for (group, line) in GROUPS.lines().enumerate() {
        for name in line.split_ascii_whitespace().skip(1) {
            // A word belongs to the last group that names it.
            words.entry(name).or_default().groups = 1 << group;
        }
    }
    for (part, names) in PARTS {
        for name in names.split_ascii_whitespace() {
            words.entry(name).or_default().parts |= part;
        }
    }
    words
});

/// Features of an element's naming.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ElementNaming {
    /// True if it has a class or an id.
    pub(super) has_words: bool,
    /// One bit for each group of its words.
    pub(super) groups: u32,
    /// One bit for each part that its tag, role and class name.
    pub(super) parts: u16,
    /// Kind of block that it makes, as a number that a trained model depends on.
    pub(super) block_kind: u8,
    /// One bit for each category of its name and its role.
    pub(super) categories: u32,
    /// Lowest score of its words in eighths, or 0.
    pub(super) low: i8,
    /// Highest score of its words in eighths, or 0.
    pub(super) high: i8,
    /// Hash of its name and the first word of its class, or of its id if it has no class.
    pub(super) shape: u64,
}

/// The namings of a page's elements, cached by their attributes.
#[derive(Default)]
pub(super) struct NamingCache {
    known: HashMap<u64, ElementNaming>,
    token: String,
}

/// The naming attributes of one element.
#[derive(Default)]
pub(super) struct NamingAttributes {
    class: String,
    id: String,
    role: String,
    property: String,
    kind: String,
}

impl NamingAttributes {
    pub(super) fn read(node: &Handle) -> Self {
        let mut naming = Self::default();
        dom::for_each_attribute(node, |name, value| {
            let place = match name {
                "class" => &mut naming.class,
                "id" => &mut naming.id,
                "role" => &mut naming.role,
                "itemprop" => &mut naming.property,
                "itemtype" => &mut naming.kind,
                _ => return,
            };
            place.push_str(value);
        });
        naming
    }

    /// Calls `note` with each word in the form of the table, and true if it is of the id.
    pub(super) fn each_token(
        &self,
        tag: &str,
        token: &mut String,
        mut note: impl FnMut(&str, bool),
    ) {
        let mut left = MAX_WORDS;
        let mut note = |token: &str, of_id: bool| {
            if token.len() <= MAX_WORD_BYTES && left > 0 {
                left -= 1;
                note(token, of_id);
            }
        };
        token.clear();
        token.push('<');
        token.push_str(tag);
        note(token, false);
        if !self.role.is_empty() {
            token.clear();
            token.push('@');
            token.push_str(&self.role);
            note(token, false);
        }
        let kind = self.kind.rsplit('/').next().unwrap_or_default();
        for property in self
            .property
            .split_whitespace()
            .chain(kind.split_whitespace())
        {
            token.clear();
            token.push('%');
            token.push_str(&property.to_lowercase());
            note(token, false);
        }
        for (names, of_id) in [(&self.class, false), (&self.id, true)] {
            token.clear();
            let mut lower = false;
            for byte in names.bytes().chain([b' ']) {
                let letter = byte.is_ascii_alphabetic();
                if !letter || (lower && byte.is_ascii_uppercase()) {
                    if token.len() > 1 {
                        note(token, of_id);
                    }
                    token.clear();
                }
                lower = byte.is_ascii_lowercase();
                if letter {
                    token.push(char::from(byte.to_ascii_lowercase()));
                }
            }
        }
    }

    fn shape(&self, tag: &str) -> u64 {
        let first = |names: &'_ str| names.split_ascii_whitespace().next().map(str::to_owned);
        let first = first(&self.class).or_else(|| first(&self.id));
        let mut hash = FnvHash::from_text(tag);
        hash.push('.');
        first.unwrap_or_default().chars().for_each(|c| hash.push(c));
        hash.end()
    }
}

impl NamingCache {
    /// Returns the naming of `node`, whose name is `tag`.
    pub(super) fn called(&mut self, node: &Handle, tag: &str) -> ElementNaming {
        let key = naming_key(node, tag);
        if let Some(called) = self.known.get(&key) {
            return *called;
        }
        let naming = NamingAttributes::read(node);
        let mut called = ElementNaming {
            has_words: !(naming.class.trim().is_empty() && naming.id.trim().is_empty()),
            block_kind: tags::block_kind(tag),
            categories: tags::categories(tag) | tags::categories_of_role(&naming.role),
            shape: naming.shape(tag),
            ..ElementNaming::default()
        };
        naming.each_token(tag, &mut self.token, |token, of_id| {
            if let Some(word) = WORDS.get(token) {
                called.groups |= word.groups;
                // The id of a section is made of its heading's words.
                called.parts |= if of_id { 0 } else { word.parts };
                called.low = called.low.min(word.score);
                called.high = called.high.max(word.score);
            }
        });
        if self.known.len() < MAX_CACHED_NAMINGS {
            self.known.insert(key, called);
        }
        called
    }
}

/// Returns a hash of an element's name and naming attributes.
fn naming_key(node: &Handle, tag: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    tag.hash(&mut hasher);
    dom::for_each_attribute(node, |name, value| {
        let place = match name {
            "class" => 0_u8,
            "id" => 1,
            "role" => 2,
            "itemprop" => 3,
            "itemtype" => 4,
            _ => return,
        };
        place.hash(&mut hasher);
        value.as_bytes().hash(&mut hasher);
    });
    hasher.finish()
}
