//! The open elements as the parser will have them, kept small: what a tag closes, how deep the
//! page is, and how often formatting that was never closed is opened again.
//!
//! Rules: HTML Living Standard, "Tree construction". Where this model is not exact it takes
//! the page to be deeper than it is, never shallower by more than a constant factor.

use super::sort::{self, Sort};

/// Elements that may be open at once; what would be deeper is flattened, as in browsers.
pub(super) const MAX_DEPTH: usize = 512;

/// Times that a page may have formatting opened again for it.
const FREE_REOPENINGS: usize = 1024;

/// Pieces of content that the parser may have to move out of a table.
const FREE_MOVES: usize = 256;

#[derive(Clone, Copy)]
pub(super) struct Open<'a> {
    pub(super) name: &'a str,
    pub(super) sort: Sort,
    /// Whether its tags are left out.
    silent: bool,
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
    /// How many of each sort the stack holds.
    counts: [u32; sort::SORTS],
    carried: Vec<&'a str>,
    reopenings: usize,
    moves: usize,
}

impl<'a> Tree<'a> {
    pub(super) fn new(page: usize) -> Self {
        Self {
            stack: Vec::new(),
            counts: [0; sort::SORTS],
            carried: Vec::new(),
            reopenings: FREE_REOPENINGS + page / 256,
            moves: FREE_MOVES,
        }
    }

    pub(super) fn top(&self) -> Option<Open<'a>> {
        self.stack.last().copied()
    }

    /// Whether the next text or tag may need something done first.
    pub(super) fn is_settled(&self) -> bool {
        self.carried.is_empty() && !self.top().is_some_and(|open| open.sort.is_grid())
    }

    /// Whether a table is open, so that rows and cells mean something.
    pub(super) fn in_table(&self) -> bool {
        self.has(Sort::Table)
    }

    fn has(&self, sort: Sort) -> bool {
        self.counts[sort as usize] > 0
    }

    fn push(&mut self, name: &'a str, sort: Sort) {
        self.counts[sort as usize] += 1;
        self.stack.push(Open {
            name,
            sort,
            silent: false,
        });
    }

    /// Opens an element whose tags are left out.
    pub(super) fn start_silent(&mut self, name: &'a str, sort: Sort) {
        if self.stack.len() < MAX_DEPTH {
            self.counts[sort as usize] += 1;
            self.stack.push(Open {
                name,
                sort,
                silent: true,
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
            && open.sort.is_grid()
        {
            if self.moves > 0 {
                self.moves -= 1;
            } else {
                if open.sort != Sort::Row {
                    fixes.push_str("<tr>");
                    self.push("tr", Sort::Row);
                }
                fixes.push_str("<td>");
                self.push("td", Sort::Cell);
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
            self.push(name, Sort::Formatting);
        }
    }

    /// Closes whatever stands above `keep` open elements. Formatting is carried on.
    fn truncate(&mut self, keep: usize, fixes: &mut String) {
        for open in self.stack.drain(keep.min(self.stack.len())..).rev() {
            self.counts[open.sort as usize] -= 1;
            if open.sort == Sort::Formatting {
                // A link is written in the block where it begins, so that its address stands there once.
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
    pub(super) fn before_start(&mut self, name: &str, sort: Sort, fixes: &mut String) {
        if sort.ends_paragraph()
            && self.has(Sort::Paragraph)
            && let Some(at) = self.find(
                |open| open.sort == Sort::Paragraph,
                |open| open.sort.is_wall() || open.sort == Sort::Button,
            )
        {
            self.truncate(at, fixes);
        }
        match sort {
            Sort::Item | Sort::Term if self.has(sort) => {
                let stops = |open: &Open| {
                    open.sort.is_special()
                        && open.sort != Sort::Paragraph
                        && !["div", "address"]
                            .iter()
                            .any(|n| open.name.eq_ignore_ascii_case(n))
                };
                if let Some(at) = self.find(|open| open.sort == sort, stops) {
                    self.truncate(at, fixes);
                }
            }
            Sort::Heading if self.top().is_some_and(|open| open.sort == sort) => {
                self.truncate(self.stack.len() - 1, fixes);
            }
            Sort::Button if self.has(sort) => {
                let at = self.find(|open| open.sort == sort, |open| open.sort.is_wall());
                if let Some(at) = at {
                    self.truncate(at, fixes);
                }
            }
            Sort::Ruby => {
                let annotates = |open: &Open| open.name.eq_ignore_ascii_case("ruby");
                if self.top().is_some_and(|open| open.sort == Sort::Ruby)
                    && self.find(annotates, |open| open.sort.is_wall()).is_some()
                {
                    self.truncate(self.stack.len() - 1, fixes);
                }
            }
            Sort::Section | Sort::Caption | Sort::Row | Sort::Cell => {
                let holder = |open: &Open| match sort {
                    Sort::Cell => open.sort.is_grid(),
                    Sort::Row => matches!(open.sort, Sort::Section | Sort::Table),
                    _ => open.sort == Sort::Table,
                };
                if let Some(at) = self.find(holder, |open| open.sort == Sort::Table) {
                    self.truncate(at + 1, fixes);
                }
            }
            Sort::Formatting
                if name.eq_ignore_ascii_case("a")
                    && self.end("a", Sort::Formatting, fixes) == Ending::Kept =>
            {
                fixes.push_str("</a>");
            }
            _ => {}
        }
    }

    /// Opens an element. Where it would be too deep, all that is open is closed first, so that
    /// it stands beside the outermost.
    pub(super) fn start(&mut self, name: &'a str, sort: Sort, fixes: &mut String) {
        if self.stack.len() >= MAX_DEPTH {
            for name in self.carried.drain(..) {
                end(name, fixes);
            }
            for open in self.stack.drain(..).rev().filter(|open| !open.silent) {
                end(open.name, fixes);
            }
            self.counts = [0; sort::SORTS];
        }
        self.push(name, sort);
    }

    /// Does what an end tag does to what is open.
    pub(super) fn end(&mut self, name: &str, sort: Sort, fixes: &mut String) -> Ending {
        let same = |open: &Open| open.sort == sort && open.name.eq_ignore_ascii_case(name);
        let found = match sort {
            _ if !self.has(sort) => None,
            Sort::Formatting => self.find(same, |open| open.sort.is_wall()),
            Sort::Plain | Sort::Ruby => self.find(same, |open| open.sort.is_special()),
            Sort::Heading => self.find(|open| open.sort == sort, |open| open.sort.is_wall()),
            Sort::Item => self.find(same, |open| {
                open.sort.is_wall() || matches!(open.name, "ul" | "ol" | "UL" | "OL")
            }),
            Sort::Paragraph => self.find(same, |open| {
                open.sort.is_wall() || open.sort == Sort::Button
            }),
            Sort::Table | Sort::Section | Sort::Row | Sort::Cell | Sort::Caption => {
                self.find(same, |open| open.sort == Sort::Table)
            }
            _ => self.find(same, |open| open.sort.is_wall()),
        };
        let Some(at) = found else {
            if sort == Sort::Formatting
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
        if sort == Sort::Formatting && self.stack[at..].iter().any(|open| open.sort.is_special()) {
            self.counts[sort as usize] -= 1;
            self.stack.remove(at);
        } else {
            let above = self.stack.len() - at;
            if above > 1 {
                self.truncate(at + 1, fixes);
            }
            self.counts[sort as usize] -= 1;
            self.stack.pop();
        }
        ending
    }
}

fn end(name: &str, fixes: &mut String) {
    fixes.push_str("</");
    fixes.push_str(name);
    fixes.push('>');
}
