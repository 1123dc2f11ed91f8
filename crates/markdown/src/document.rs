//! A converted page or file, and what is missing from it.

use url::Url;

/// Numbers of blocks outside of the main content that may belong to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OmittedBlocks {
    /// Headings.
    pub headings: u32,
    /// Items of lists.
    pub items: u32,
    /// Paragraphs.
    pub paragraphs: u32,
    /// Fields of forms with choices.
    pub fields: u32,
}

/// A page as Markdown.
#[allow(clippy::struct_excessive_bools, reason = "each is asked by itself")]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Document {
    /// Title with its whitespace collapsed; empty if there is none.
    pub title: String,
    /// Body as Markdown, without a newline at its end, never longer than twice the page and
    /// [`ALLOWANCE`]. What had to be left out is said at its end, in brackets.
    pub markdown: String,
    /// Byte offset in [`Document::markdown`] from which on the words are not the page's own: a
    /// remark on a page that shows no text, or few words and leads elsewhere, and the words for
    /// [`Document::cuts`]; `None` if there are none.
    pub remark: Option<usize>,
    /// True if the page shows no text of its own, or only one that asks for a script.
    pub is_silent: bool,
    /// True if the text comes from the page's JSON-LD or script data because the page shows none.
    pub is_from_data: bool,
    /// True if the page shows nothing but frames, whose addresses are named.
    pub is_of_frames: bool,
    /// Address to which the page's `refresh` leads, if the page is empty, or has almost nothing and
    /// leads there at once.
    pub refresh: Option<Url>,
    /// Number of lines before the part that the page's address names, if it has that part.
    pub section: Option<usize>,
    /// Author, if the file names one.
    pub author: Option<String>,
    /// Creation date, if the file has one: ISO 8601, or as the file spells it.
    pub date: Option<String>,
    /// Parts that are missing from the Markdown, whose end says the same in words.
    pub cuts: DocumentCuts,
    /// Headings and list items outside of a page's main content that may belong to it.
    pub omitted: OmittedBlocks,
    /// The remark on the programs that have read it or its scanned pages, which stands at the end
    /// too; a later attempt may read more of these if it is `is_transient`.
    pub remark_on_programs: Option<String>,
    /// True if a later attempt may read more.
    pub is_transient: bool,
}

impl Document {
    /// The part of the Markdown that is the page's own.
    #[must_use]
    pub fn own_text(&self) -> &str {
        &self.markdown[..self.remark.unwrap_or(self.markdown.len())]
    }

    /// True if the page itself shows text.
    #[must_use]
    pub fn has_text(&self) -> bool {
        !self.is_silent && !self.markdown.is_empty()
    }

    /// Adds a remark of one line on the programs that have read it or its scanned pages, of which
    /// `unread` were not read; a later attempt may read more of them if it was `late`.
    #[must_use]
    pub fn with_remark_on_programs(mut self, remark: String, unread: usize, late: bool) -> Self {
        self.remark.get_or_insert(self.markdown.len());
        self.markdown.extend(["\n\n[", &remark, "]"]);
        self.remark_on_programs = Some(remark);
        self.cuts.scans += unread;
        self.is_transient |= late;
        self
    }

    /// Adds further cuts, in words too.
    #[must_use]
    pub fn cut(mut self, cuts: DocumentCuts) -> Self {
        for notice in cuts.notices() {
            self.remark.get_or_insert(self.markdown.len());
            if !self.markdown.is_empty() {
                self.markdown.push_str("\n\n");
            }
            self.markdown.extend(["[", &notice, "]"]);
        }
        self.cuts = self.cuts.and(cuts);
        self
    }
}

/// Bytes by which Markdown may exceed twice its page: room for the absolute addresses of a short
/// page and for the notices about cuts.
pub const ALLOWANCE: usize = 64 * 1024;

/// Parts of a page or file that are missing from its Markdown. These are fields because a page's
/// text could imitate the notices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "each is said by itself")]
pub struct DocumentCuts {
    /// The end of the page, for lack of memory.
    pub memory: bool,
    /// The end of the page, for lack of time.
    pub time: bool,
    /// The end of the page, because the Markdown would have been too long.
    pub length: bool,
    /// Addresses that would have made the Markdown too long.
    pub addresses: bool,
    /// Parts of a damaged file that could not be read.
    pub damage: bool,
    /// Number of scanned pages that were not read.
    pub scans: usize,
    /// Number of feed items that are not listed.
    pub items: usize,
    /// Number of characters that the file's fonts do not identify.
    pub characters: usize,
    /// The end of the file, of which only so many MiB were read.
    pub size_limit: Option<usize>,
    /// The end of a gzip file, which is damaged or missing.
    pub packed_end: bool,
}

impl DocumentCuts {
    /// True if the end of the page, or a part of the file, is missing.
    #[must_use]
    pub fn are_of_content(self) -> bool {
        self.lack_end() || self.damage || self.scans > 0
    }

    /// True if the end is missing, so that nobody knows how many lines there are.
    #[must_use]
    pub fn lack_end(self) -> bool {
        let is_unread = self.size_limit.is_some() || self.packed_end;
        self.memory || self.time || self.length || is_unread
    }

    /// The union of both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            memory: self.memory || other.memory,
            time: self.time || other.time,
            length: self.length || other.length,
            addresses: self.addresses || other.addresses,
            damage: self.damage || other.damage,
            scans: self.scans + other.scans,
            items: self.items + other.items,
            characters: self.characters + other.characters,
            size_limit: self.size_limit.or(other.size_limit),
            packed_end: self.packed_end || other.packed_end,
        }
    }

    /// A sentence for each kind of cut.
    #[must_use]
    pub fn notices(self) -> Vec<String> {
        let all = [
            (
                self.items > 0,
                &*format!("{} more items are not listed.", self.items),
            ),
            (
                self.characters > 0,
                &*format!(
                    "Missing: {} characters, of which the file's fonts do not say which they are.",
                    self.characters
                ),
            ),
            (
                self.damage,
                "The file is damaged: a part of it could not be read.",
            ),
            (
                self.addresses,
                "Some links are left as the page has them, or without their address: with it this \
                 would be more than twice as long as the page.",
            ),
            (
                self.length,
                "Cut off: the rest would make this more than twice as long as the page.",
            ),
            (
                self.memory,
                "Cut off: there are too many elements for all to be converted.",
            ),
            (
                self.time,
                "Cut off: there was no time to convert all of it. Ask for it again.",
            ),
            (
                self.size_limit.is_some(),
                &*format!(
                    "Cut off: only the first {} MiB were read.",
                    self.size_limit.unwrap_or_default()
                ),
            ),
            (
                self.packed_end,
                "Cut off: the rest of the gzip file is damaged or missing.",
            ),
        ];
        let cuts = all.into_iter().filter(|(cut, _)| *cut);
        cuts.map(|(_, notice)| notice.to_owned()).collect()
    }
}
