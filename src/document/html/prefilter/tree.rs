//! The open elements as the parser will have them, kept small: what a tag closes, how deep the
//! page is, and how often formatting that was never closed is opened again.
//!
//! Rules: HTML Living Standard, "ElementStack construction". Where this model is not exact it takes
//! the page to be deeper than it is, never shallower by more than a constant factor.

use super::category::{self, ElementCategory};

/// Elements that may be open at once; what would be deeper is flattened, as in browsers.
pub(super) const MAX_DEPTH: usize = 512;

/// Times that a page may have formatting opened again for it.
const FREE_REOPENINGS: usize = 1024;

/// Pieces of content that the parser may have to move out of a table.
const FREE_MOVES: usize = 256;

#[derive(Clone, Copy)]
pub(super) struct OpenTag<'a> {
    pub(super) name: &'a str,
    pub(super) category: ElementCategory,
    /// Whether its tags are left out.
    silent: bool,
    /// Whether it is hidden.
    hidden: bool,
}

/// What becomes of an end tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EndTagOutcome {
    /// It closes something.
    Kept,
    /// It closes something whose tags are left out.
    Silent,
    /// The parser would pass over it.
    Dropped,
}

pub(super) struct ElementStack<'a> {
    stack: Vec<OpenTag<'a>>,
    /// How many of each category the stack holds.
    counts: [u32; category::CATEGORIES],
    carried: Vec<&'a str>,
    reopenings: usize,
    moves: usize,
}

impl<'a> ElementStack<'a> {
    pub(super) fn new(page: usize) -> Self {
        Self {
            stack: Vec::new(),
            counts: [0; category::CATEGORIES],
            carried: Vec::new(),
            reopenings: FREE_REOPENINGS + page / 256,
            moves: FREE_MOVES,
        }
    }

    pub(super) fn top(&self) -> Option<OpenTag<'a>> {
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
        self.has(ElementCategory::Table)
    }

    fn has(&self, category: ElementCategory) -> bool {
        self.counts[category as usize] > 0
    }

    fn push(&mut self, name: &'a str, category: ElementCategory) {
        self.counts[category as usize] += 1;
        self.stack.push(OpenTag {
            name,
            category,
            silent: false,
            hidden: false,
        });
    }

    /// Opens an element whose tags are left out.
    pub(super) fn start_silent(&mut self, name: &'a str, category: ElementCategory) {
        if self.stack.len() < MAX_DEPTH {
            self.counts[category as usize] += 1;
            self.stack.push(OpenTag {
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
    pub(super) fn before_content(&mut self, block: bool, fixes: &mut String) {
        if let Some(open) = self.top()
            && open.category.is_grid()
        {
            if self.moves > 0 {
                self.moves -= 1;
            } else {
                if open.category != ElementCategory::Row {
                    fixes.push_str("<tr>");
                    self.push("tr", ElementCategory::Row);
                }
                fixes.push_str("<td>");
                self.push("td", ElementCategory::Cell);
            }
        }
        if block || self.carried.is_empty() {
            return;
        }
        self.reopenings = self.reopenings.saturating_sub(self.carried.len());
        if self.reopenings == 0 {
            for name in self.carried.drain(..) {
                write_end_tag(name, fixes);
            }
            return;
        }
        for name in std::mem::take(&mut self.carried) {
            self.push(name, ElementCategory::Formatting);
        }
    }

    /// Closes whatever stands above `keep` open elements. Formatting is carried on.
    fn truncate(&mut self, keep: usize, fixes: &mut String) {
        for open in self.stack.drain(keep.min(self.stack.len())..).rev() {
            self.counts[open.category as usize] -= 1;
            if open.category == ElementCategory::Formatting {
                // A link is written in the block where it begins, so that its address stands there
                // once.
                let link = open.name.eq_ignore_ascii_case("a");
                if self.reopenings > 0 && !link {
                    self.carried.push(open.name);
                } else {
                    write_end_tag(open.name, fixes);
                }
            }
        }
    }

    /// The place of the nearest open element that `wanted` accepts and no wall hides.
    fn find(
        &self,
        wanted: impl Fn(&OpenTag) -> bool,
        wall: impl Fn(&OpenTag) -> bool,
    ) -> Option<usize> {
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
    pub(super) fn before_start(
        &mut self,
        name: &str,
        category: ElementCategory,
        fixes: &mut String,
    ) {
        if category.ends_paragraph()
            && self.has(ElementCategory::Paragraph)
            && let Some(at) = self.find(
                |open| open.category == ElementCategory::Paragraph,
                |open| open.category.is_wall() || open.category == ElementCategory::Button,
            )
        {
            self.truncate(at, fixes);
        }
        match category {
            ElementCategory::Item | ElementCategory::Term if self.has(category) => {
                let stops = |open: &OpenTag| {
                    open.category.is_special()
                        && open.category != ElementCategory::Paragraph
                        && !["div", "address"]
                            .iter()
                            .any(|n| open.name.eq_ignore_ascii_case(n))
                };
                if let Some(at) = self.find(|open| open.category == category, stops) {
                    self.truncate(at, fixes);
                }
            }
            ElementCategory::Heading
                if self.top().is_some_and(|open| open.category == category) =>
            {
                self.truncate(self.stack.len() - 1, fixes);
            }
            ElementCategory::Button if self.has(category) => {
                let at = self.find(
                    |open| open.category == category,
                    |open| open.category.is_wall(),
                );
                if let Some(at) = at {
                    self.truncate(at, fixes);
                }
            }
            ElementCategory::Ruby => {
                let annotates = |open: &OpenTag| open.name.eq_ignore_ascii_case("ruby");
                if self
                    .top()
                    .is_some_and(|open| open.category == ElementCategory::Ruby)
                    && self
                        .find(annotates, |open| open.category.is_wall())
                        .is_some()
                {
                    self.truncate(self.stack.len() - 1, fixes);
                }
            }
            ElementCategory::Section
            | ElementCategory::Caption
            | ElementCategory::Row
            | ElementCategory::Cell => {
                let holder = |open: &OpenTag| match category {
                    ElementCategory::Cell => open.category.is_grid(),
                    ElementCategory::Row => matches!(
                        open.category,
                        ElementCategory::Section | ElementCategory::Table
                    ),
                    _ => open.category == ElementCategory::Table,
                };
                if let Some(at) = self.find(holder, |open| open.category == ElementCategory::Table)
                {
                    self.truncate(at + 1, fixes);
                }
            }
            ElementCategory::Formatting
                if name.eq_ignore_ascii_case("a")
                    && self.end("a", ElementCategory::Formatting, fixes) == EndTagOutcome::Kept =>
            {
                fixes.push_str("</a>");
            }
            _ => {}
        }
    }

    /// Opens an element. Where it would be too deep, all that is open is closed first, so that
    /// it stands beside the outermost.
    pub(super) fn start(&mut self, name: &'a str, category: ElementCategory, fixes: &mut String) {
        if self.stack.len() >= MAX_DEPTH {
            for name in self.carried.drain(..) {
                write_end_tag(name, fixes);
            }
            for open in self.stack.drain(..).rev().filter(|open| !open.silent) {
                write_end_tag(open.name, fixes);
            }
            self.counts = [0; category::CATEGORIES];
        }
        self.push(name, category);
    }

    /// Does what an end tag does to what is open.
    pub(super) fn end(
        &mut self,
        name: &str,
        category: ElementCategory,
        fixes: &mut String,
    ) -> EndTagOutcome {
        let same =
            |open: &OpenTag| open.category == category && open.name.eq_ignore_ascii_case(name);
        let found = match category {
            _ if !self.has(category) => None,
            ElementCategory::Formatting => self.find(same, |open| open.category.is_wall()),
            ElementCategory::Plain | ElementCategory::Ruby => {
                self.find(same, |open| open.category.is_special())
            }
            ElementCategory::Heading => self.find(
                |open| open.category == category,
                |open| open.category.is_wall(),
            ),
            ElementCategory::Item => self.find(same, |open| {
                open.category.is_wall() || matches!(open.name, "ul" | "ol" | "UL" | "OL")
            }),
            ElementCategory::Paragraph => self.find(same, |open| {
                open.category.is_wall() || open.category == ElementCategory::Button
            }),
            ElementCategory::Table
            | ElementCategory::Section
            | ElementCategory::Row
            | ElementCategory::Cell
            | ElementCategory::Caption => {
                self.find(same, |open| open.category == ElementCategory::Table)
            }
            _ => self.find(same, |open| open.category.is_wall()),
        };
        let Some(at) = found else {
            if category == ElementCategory::Formatting
                && let Some(at) = self
                    .carried
                    .iter()
                    .rposition(|open| open.eq_ignore_ascii_case(name))
            {
                self.carried.remove(at);
                return EndTagOutcome::Kept;
            }
            return EndTagOutcome::Dropped;
        };
        let ending = if self.stack[at].silent {
            EndTagOutcome::Silent
        } else {
            EndTagOutcome::Kept
        };
        if category == ElementCategory::Formatting
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
                write_end_tag(open.name, fixes);
            }
        }
        true
    }
}

/// Writes an end tag.
pub(super) fn write_end_tag(name: &str, fixes: &mut String) {
    fixes.push_str("</");
    fixes.push_str(name);
    fixes.push('>');
}
