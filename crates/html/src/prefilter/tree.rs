//! The open elements as the parser will have them, within bounds: the elements that a tag closes,
//! the depth of the page, and the number of times that unclosed formatting is reopened.
//!
//! Rules: HTML Living Standard, "Tree construction". If this model is inexact, it takes the page to
//! be deeper than it is, never shallower by more than a constant factor.

use super::super::dom::lists_any_case;
use super::super::tokens::TokenEmitter;
use super::category::{self, TagCategory};

/// Maximum number of open elements; deeper ones are flattened, as in browsers.
pub(super) const MAX_DEPTH: usize = 512;

/// Number of reopenings of formatting that any page may have.
const FREE_REOPENINGS: usize = 1024;

/// Number of pieces of content that the parser may have to move out of a table.
const FREE_MOVES: usize = 256;

/// Number of elements in which code is looked for.
const MAX_CODE_LEVELS: usize = 8;

#[derive(Clone, Copy)]
pub(super) struct OpenTag<'a> {
    pub(super) name: &'a str,
    pub(super) category: TagCategory,
    /// True if its tags are removed.
    silent: bool,
    hidden: bool,
    verbatim: bool,
}

/// The effect of an end tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EndTagOutcome {
    /// It closes an element.
    Kept,
    /// It closes an element whose tags are removed.
    Silent,
    /// The parser would ignore it.
    Dropped,
}

#[derive(Default)]
pub(super) struct ElementStack<'a> {
    stack: Vec<OpenTag<'a>>,
    /// Number of open elements of each category.
    counts: [u32; category::CATEGORY_COUNT],
    /// Number of open elements in which whitespace counts.
    verbatim: usize,
    carried: Vec<&'a str>,
    reopenings: usize,
    moves: usize,
}

impl<'a> ElementStack<'a> {
    pub(super) fn new(page: usize) -> Self {
        Self {
            reopenings: FREE_REOPENINGS + page / 256,
            moves: FREE_MOVES,
            ..Self::default()
        }
    }

    pub(super) fn top(&self) -> Option<OpenTag<'a>> {
        self.stack.last().copied()
    }

    /// The open elements, from the innermost on.
    pub(super) fn innermost(&self) -> impl Iterator<Item = OpenTag<'a>> {
        self.stack.iter().rev().copied()
    }

    /// Marks the element that was opened last as hidden.
    pub(super) fn hide_top(&mut self) {
        if let Some(open) = self.stack.last_mut() {
            open.hidden = true;
        }
    }

    /// True if the element that was opened last has this name and is visible, so that its end tag
    /// ends it visibly.
    pub(super) fn is_seen_on_top(&self, name: &str) -> bool {
        self.top()
            .is_some_and(|open| !open.hidden && open.name.eq_ignore_ascii_case(name))
    }

    /// True if the next text or tag needs no fixes.
    pub(super) fn is_settled(&self) -> bool {
        self.carried.is_empty() && !self.top().is_some_and(|open| open.category.is_grid())
    }

    /// True if a table is open, so that rows and cells have a meaning.
    pub(super) fn in_table(&self) -> bool {
        self.has(TagCategory::Table)
    }

    fn has(&self, category: TagCategory) -> bool {
        self.counts[category as usize] > 0
    }

    fn push(&mut self, name: &'a str, category: TagCategory, silent: bool) {
        self.counts[category as usize] += 1;
        self.stack.push(OpenTag {
            name,
            category,
            silent,
            hidden: false,
            verbatim: false,
        });
    }

    /// Removes an element that is open no more from the counts.
    fn count_out(&mut self, open: OpenTag<'_>) {
        self.counts[open.category as usize] -= 1;
        self.verbatim -= usize::from(open.verbatim);
    }

    /// Marks the element that was opened last as one in which whitespace counts.
    pub(super) fn keep_whitespace(&mut self) {
        if let Some(open) = self.stack.last_mut() {
            self.verbatim += usize::from(!std::mem::replace(&mut open.verbatim, true));
        }
    }

    /// True within code, as far as its innermost elements tell.
    pub(super) fn is_code(&self) -> bool {
        let around = self.stack.iter().rev().take(MAX_CODE_LEVELS);
        let is_code = |open: &OpenTag| matches!(open.name, "code" | "kbd" | "samp" | "tt" | "var");
        self.is_verbatim() || around.into_iter().any(is_code)
    }

    /// True if whitespace counts here.
    pub(super) fn is_verbatim(&self) -> bool {
        self.verbatim > 0
    }

    /// Opens an element whose tags are removed.
    pub(super) fn start_silent(&mut self, name: &'a str, category: TagCategory) {
        if self.stack.len() < MAX_DEPTH {
            self.push(name, category, true);
        }
    }

    /// True while formatting elements are kept.
    pub(super) fn formats(&self) -> bool {
        self.reopenings > 0
    }

    /// Prepares for content. The parser reopens unclosed formatting, unless the content is the
    /// start of a block.
    pub(super) fn before_content(&mut self, block: bool, out: &mut TokenEmitter) {
        if let Some(open) = self.top()
            && open.category.is_grid()
        {
            if self.moves > 0 {
                self.moves -= 1;
            } else {
                if open.category != TagCategory::Row {
                    out.start("tr", &[]);
                    self.push("tr", TagCategory::Row, false);
                }
                out.start("td", &[]);
                self.push("td", TagCategory::Cell, false);
            }
        }
        if block || self.carried.is_empty() {
            return;
        }
        self.reopenings = self.reopenings.saturating_sub(self.carried.len());
        if self.reopenings == 0 {
            for name in self.carried.drain(..) {
                out.end(name);
            }
            return;
        }
        for name in std::mem::take(&mut self.carried) {
            self.push(name, TagCategory::Formatting, false);
        }
    }

    /// Closes the elements above the first `keep`. Formatting is carried on.
    fn truncate(&mut self, keep: usize, out: &mut TokenEmitter) {
        for open in self
            .stack
            .split_off(keep.min(self.stack.len()))
            .into_iter()
            .rev()
        {
            self.count_out(open);
            if open.category == TagCategory::Formatting {
                // A link is written only in the block where it begins, so that its address is
                // written once.
                let link = open.name.eq_ignore_ascii_case("a");
                if self.reopenings > 0 && !link {
                    self.carried.push(open.name);
                } else {
                    out.end(open.name);
                }
            }
        }
    }

    /// Returns the index of the nearest open element that `wanted` accepts, unless a wall is
    /// nearer.
    fn find_open(
        &self,
        wanted: impl Fn(&OpenTag) -> bool,
        wall: impl Fn(&OpenTag) -> bool,
    ) -> Option<usize> {
        for (index, open) in self.stack.iter().enumerate().rev() {
            if wanted(open) {
                return Some(index);
            }
            if wall(open) {
                return None;
            }
        }
        None
    }

    /// Applies the effect of a start tag on the open elements, before its own is opened. Missing
    /// end tags that the parser needs are emitted.
    pub(super) fn before_start(
        &mut self,
        name: &str,
        category: TagCategory,
        out: &mut TokenEmitter,
    ) {
        if category.ends_paragraph()
            && self.has(TagCategory::Paragraph)
            && let Some(index) = self.find_open(
                |open| open.category == TagCategory::Paragraph,
                |open| open.category.is_wall() || open.category == TagCategory::Button,
            )
        {
            self.truncate(index, out);
        }
        let same = |open: &OpenTag| open.category == category;
        let is_wall = |open: &OpenTag| open.category.is_wall();
        let on_top = self.top().filter(same).map(|_| self.stack.len() - 1);
        let closed = match category {
            TagCategory::Item | TagCategory::Term if self.has(category) => {
                self.find_open(same, |open| {
                    open.category.is_special()
                        && open.category != TagCategory::Paragraph
                        && !lists_any_case("div address", open.name)
                })
            }
            TagCategory::Heading => on_top,
            TagCategory::Button if self.has(category) => self.find_open(same, is_wall),
            TagCategory::Ruby => {
                let annotates = |open: &OpenTag| open.name.eq_ignore_ascii_case("ruby");
                on_top.filter(|_| self.find_open(annotates, is_wall).is_some())
            }
            TagCategory::Section | TagCategory::Caption | TagCategory::Row | TagCategory::Cell => {
                let holder = |open: &OpenTag| match category {
                    TagCategory::Cell => open.category.is_grid(),
                    TagCategory::Row => {
                        matches!(open.category, TagCategory::Section | TagCategory::Table)
                    }
                    _ => open.category == TagCategory::Table,
                };
                let holder = self.find_open(holder, |open| open.category == TagCategory::Table);
                holder.map(|index| index + 1)
            }
            _ => None,
        };
        if let Some(index) = closed {
            self.truncate(index, out);
        }
        if name.eq_ignore_ascii_case("a") && self.end("a", category, out) == EndTagOutcome::Kept {
            out.end("a");
        }
    }

    /// Opens an element. If it would be too deep, all open elements are closed first, so that it
    /// becomes a sibling of the outermost.
    pub(super) fn start(&mut self, name: &'a str, category: TagCategory, out: &mut TokenEmitter) {
        if self.stack.len() >= MAX_DEPTH {
            for name in self.carried.drain(..) {
                out.end(name);
            }
            for open in self.stack.drain(..).rev().filter(|open| !open.silent) {
                out.end(open.name);
            }
            self.counts = [0; category::CATEGORY_COUNT];
            self.verbatim = 0;
        }
        self.push(name, category, false);
    }

    /// Applies the effect of an end tag on the open elements.
    pub(super) fn end(
        &mut self,
        name: &str,
        category: TagCategory,
        out: &mut TokenEmitter,
    ) -> EndTagOutcome {
        let is_heading = category == TagCategory::Heading;
        let same = |open: &OpenTag| {
            open.category == category && (is_heading || open.name.eq_ignore_ascii_case(name))
        };
        let stops = |open: &OpenTag| match category {
            TagCategory::Plain | TagCategory::Ruby => open.category.is_special(),
            TagCategory::Table
            | TagCategory::Section
            | TagCategory::Row
            | TagCategory::Cell
            | TagCategory::Caption => open.category == TagCategory::Table,
            _ if open.category.is_wall() => true,
            TagCategory::Item => matches!(open.name, "ul" | "ol" | "UL" | "OL"),
            TagCategory::Paragraph => open.category == TagCategory::Button,
            _ => false,
        };
        let element_index = self
            .has(category)
            .then(|| self.find_open(same, stops))
            .flatten();
        let Some(index) = element_index else {
            if category == TagCategory::Formatting
                && let Some(index) = self
                    .carried
                    .iter()
                    .rposition(|open| open.eq_ignore_ascii_case(name))
            {
                self.carried.remove(index);
                return EndTagOutcome::Kept;
            }
            return EndTagOutcome::Dropped;
        };
        let ending = if self.stack[index].silent {
            EndTagOutcome::Silent
        } else {
            EndTagOutcome::Kept
        };
        let mut above = self.stack[index..].iter();
        if category != TagCategory::Formatting || !above.any(|open| open.category.is_special()) {
            self.truncate(index + 1, out);
        }
        let open = self.stack.remove(index);
        self.count_out(open);
        ending
    }
}
