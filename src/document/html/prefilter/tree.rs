//! The open elements as the parser will have them, kept small: what a tag closes, how deep the
//! page is, and how often formatting that was never closed is opened again.
//!
//! Rules: HTML Living Standard, "Tree construction". Where this model is not exact it takes
//! the page to be deeper than it is, never shallower by more than a constant factor.

use super::category::{self, Category};

/// Elements that may be open at once; what would be deeper is flattened, as in browsers.
pub(super) const MAX_DEPTH: usize = 512;

/// Times that a page may have formatting opened again for it.
const FREE_REOPENINGS: usize = 1024;

/// Pieces of content that the parser may have to move out of a table.
const FREE_MOVES: usize = 256;

#[derive(Clone, Copy)]
pub(super) struct Open<'a> {
    pub(super) name: &'a str,
    pub(super) category: Category,
    /// Whether its tags are left out.
    silent: bool,
    /// Whether it is hidden.
    hidden: bool,
}

/// What becomes of an end tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// It closes something.
    Kept,
    /// It closes something whose tags are left out.
    Silent,
    /// The parser would pass over it.
    Dropped,
}

pub(super) struct Tree<'a> {
    stack: Vec<Open<'a>>,
    /// How many of each category the stack holds.
    counts: [u32; category::CATEGORIES],
    carried: Vec<&'a str>,
    reopenings: usize,
    moves: usize,
}

impl<'a> Tree<'a> {
    pub(super) fn new(page: usize) -> Self {
        Self {
            stack: Vec::new(),
            counts: [0; category::CATEGORIES],
            carried: Vec::new(),
            reopenings: FREE_REOPENINGS + page / 256,
            moves: FREE_MOVES,
        }
    }

    pub(super) fn top(&self) -> Option<Open<'a>> {
        self.stack.last().copied()
    }

    /// Notes that the element that was opened last is hidden.
    pub(super) fn hide_top(&mut self) {
        if let Some(open) = self.stack.last_mut() {
            open.hidden = true;
        }
    }

    /// Whether the element that was opened last has this name and is shown, so that its end tag
    /// ends it and a reader sees where.
    pub(super) fn is_seen_on_top(&self, name: &str) -> bool {
        self.top()
            .is_some_and(|open| !open.hidden && open.name.eq_ignore_ascii_case(name))
    }

    /// Whether the next text or tag may need something done first.
    pub(super) fn is_settled(&self) -> bool {
        self.carried.is_empty() && !self.top().is_some_and(|open| open.category.is_grid())
    }

    /// Whether a table is open, so that rows and cells mean something.
    pub(super) fn in_table(&self) -> bool {
        self.has(Category::Table)
    }

    fn has(&self, category: Category) -> bool {
        self.counts[category as usize] > 0
    }

    fn push(&mut self, name: &'a str, category: Category) {
        self.counts[category as usize] += 1;
        self.stack.push(Open {
            name,
            category,
            silent: false,
            hidden: false,
        });
    }

    /// Opens an element whose tags are left out.
    pub(super) fn start_silent(&mut self, name: &'a str, category: Category) {
        if self.stack.len() < MAX_DEPTH {
            self.counts[category as usize] += 1;
            self.stack.push(Open {
                name,
                category,
                silent: true,
                hidden: false,
            });
        }
    }

    /// Whether formatting elements still count.
    pub(super) fn formats(&self) -> bool {
        self.reopenings > 0
    }

    /// Content comes. Formatting that was not closed is opened again by the parser, unless the
    /// content is the start of a block.
    pub(super) fn content(&mut self, block: bool, fixes: &mut String) {
        if let Some(open) = self.top()
            && open.category.is_grid()
        {
            if self.moves > 0 {
                self.moves -= 1;
            } else {
                if open.category != Category::Row {
                    fixes.push_str("<tr>");
                    self.push("tr", Category::Row);
                }
                fixes.push_str("<td>");
                self.push("td", Category::Cell);
            }
        }
        if block || self.carried.is_empty() {
            return;
        }
        self.reopenings = self.reopenings.saturating_sub(self.carried.len());
        if self.reopenings == 0 {
            for name in self.carried.drain(..) {
                end(name, fixes);
            }
            return;
        }
        for name in std::mem::take(&mut self.carried) {
            self.push(name, Category::Formatting);
        }
    }

    /// Closes whatever stands above `keep` open elements. Formatting is carried on.
    fn truncate(&mut self, keep: usize, fixes: &mut String) {
        for open in self.stack.drain(keep.min(self.stack.len())..).rev() {
            self.counts[open.category as usize] -= 1;
            if open.category == Category::Formatting {
                // A link is written in the block where it begins, so that its address stands there
                // once.
                let link = open.name.eq_ignore_ascii_case("a");
                if self.reopenings > 0 && !link {
                    self.carried.push(open.name);
                } else {
                    end(open.name, fixes);
                }
            }
        }
    }

    /// The place of the nearest open element that `wanted` accepts and no wall hides.
    fn find(&self, wanted: impl Fn(&Open) -> bool, wall: impl Fn(&Open) -> bool) -> Option<usize> {
        for (at, open) in self.stack.iter().enumerate().rev() {
            if wanted(open) {
                return Some(at);
            }
            if wall(open) {
                return None;
            }
        }
        None
    }

    /// Does what the start tag does to what is open, before its element is opened. Ends that
    /// the page leaves out and the parser needs are written to `fixes`.
    pub(super) fn before_start(&mut self, name: &str, category: Category, fixes: &mut String) {
        if category.ends_paragraph()
            && self.has(Category::Paragraph)
            && let Some(at) = self.find(
                |open| open.category == Category::Paragraph,
                |open| open.category.is_wall() || open.category == Category::Button,
            )
        {
            self.truncate(at, fixes);
        }
        match category {
            Category::Item | Category::Term if self.has(category) => {
                let stops = |open: &Open| {
                    open.category.is_special()
                        && open.category != Category::Paragraph
                        && !["div", "address"]
                            .iter()
                            .any(|n| open.name.eq_ignore_ascii_case(n))
                };
                if let Some(at) = self.find(|open| open.category == category, stops) {
                    self.truncate(at, fixes);
                }
            }
            Category::Heading if self.top().is_some_and(|open| open.category == category) => {
                self.truncate(self.stack.len() - 1, fixes);
            }
            Category::Button if self.has(category) => {
                let at = self.find(
                    |open| open.category == category,
                    |open| open.category.is_wall(),
                );
                if let Some(at) = at {
                    self.truncate(at, fixes);
                }
            }
            Category::Ruby => {
                let annotates = |open: &Open| open.name.eq_ignore_ascii_case("ruby");
                if self
                    .top()
                    .is_some_and(|open| open.category == Category::Ruby)
                    && self
                        .find(annotates, |open| open.category.is_wall())
                        .is_some()
                {
                    self.truncate(self.stack.len() - 1, fixes);
                }
            }
            Category::Section | Category::Caption | Category::Row | Category::Cell => {
                let holder = |open: &Open| match category {
                    Category::Cell => open.category.is_grid(),
                    Category::Row => matches!(open.category, Category::Section | Category::Table),
                    _ => open.category == Category::Table,
                };
                if let Some(at) = self.find(holder, |open| open.category == Category::Table) {
                    self.truncate(at + 1, fixes);
                }
            }
            Category::Formatting
                if name.eq_ignore_ascii_case("a")
                    && self.end("a", Category::Formatting, fixes) == Ending::Kept =>
            {
                fixes.push_str("</a>");
            }
            _ => {}
        }
    }

    /// Opens an element. Where it would be too deep, all that is open is closed first, so that
    /// it stands beside the outermost.
    pub(super) fn start(&mut self, name: &'a str, category: Category, fixes: &mut String) {
        if self.stack.len() >= MAX_DEPTH {
            for name in self.carried.drain(..) {
                end(name, fixes);
            }
            for open in self.stack.drain(..).rev().filter(|open| !open.silent) {
                end(open.name, fixes);
            }
            self.counts = [0; category::CATEGORIES];
        }
        self.push(name, category);
    }

    /// Does what an end tag does to what is open.
    pub(super) fn end(&mut self, name: &str, category: Category, fixes: &mut String) -> Ending {
        let same = |open: &Open| open.category == category && open.name.eq_ignore_ascii_case(name);
        let found = match category {
            _ if !self.has(category) => None,
            Category::Formatting => self.find(same, |open| open.category.is_wall()),
            Category::Plain | Category::Ruby => self.find(same, |open| open.category.is_special()),
            Category::Heading => self.find(
                |open| open.category == category,
                |open| open.category.is_wall(),
            ),
            Category::Item => self.find(same, |open| {
                open.category.is_wall() || matches!(open.name, "ul" | "ol" | "UL" | "OL")
            }),
            Category::Paragraph => self.find(same, |open| {
                open.category.is_wall() || open.category == Category::Button
            }),
            Category::Table
            | Category::Section
            | Category::Row
            | Category::Cell
            | Category::Caption => self.find(same, |open| open.category == Category::Table),
            _ => self.find(same, |open| open.category.is_wall()),
        };
        let Some(at) = found else {
            if category == Category::Formatting
                && let Some(at) = self
                    .carried
                    .iter()
                    .rposition(|open| open.eq_ignore_ascii_case(name))
            {
                self.carried.remove(at);
                return Ending::Kept;
            }
            return Ending::Dropped;
        };
        let ending = if self.stack[at].silent {
            Ending::Silent
        } else {
            Ending::Kept
        };
        if category == Category::Formatting
            && self.stack[at..]
                .iter()
                .any(|open| open.category.is_special())
        {
            self.counts[category as usize] -= 1;
            self.stack.remove(at);
        } else {
            let above = self.stack.len() - at;
            if above > 1 {
                self.truncate(at + 1, fixes);
            }
            self.counts[category as usize] -= 1;
            self.stack.pop();
        }
        ending
    }

    /// Closes the nearest open element of that name and all that stands in it, though their own
    /// ends are missing; whether there is one whose tags the parser gets.
    pub(super) fn end_through(&mut self, name: &str, fixes: &mut String) -> bool {
        let found = self.find(|open| open.name == name, |open| open.category.is_wall());
        let Some(at) = found.filter(|at| !self.stack[*at].silent) else {
            return false;
        };
        for open in self.stack.drain(at..).rev() {
            self.counts[open.category as usize] -= 1;
            if !open.silent {
                end(open.name, fixes);
            }
        }
        true
    }
}

/// Writes an end tag.
pub(super) fn end(name: &str, fixes: &mut String) {
    fixes.push_str("</");
    fixes.push_str(name);
    fixes.push('>');
}
