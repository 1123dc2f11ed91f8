//! Markdown line by line: prefixes of quotes and list items, markers, and what stands between
//! two blocks.
//!
//! Rules: `CommonMark` 0.31.2, "Container blocks". Markdown is at most twice as long as its
//! source and a constant: prefixes, which a deep document could multiply, are paid from a credit
//! that grows with what has been read, and are left off where it is used up; so are addresses.
//! Where something else was multiplied, [`Lines::full`] ends the writing, and [`Lines::finish`]
//! takes away what was too much.

use crate::basics::words::floor_boundary;
use crate::document::ALLOWANCE;

/// What must stand between the last line and the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    None,
    Line,
    Blank,
}

/// The blocks that a container holds, as far as their neighbours matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Block {
    None,
    Text,
    /// A paragraph that goes on from a term: `: definition`.
    Definition,
    Heading,
    Fence,
    Rule,
    Quote,
    /// A list, the last character of its markers, and whether it may follow a line of text
    /// without a blank line.
    List(char, bool),
    Item,
    Table,
    /// A note that the text points to.
    Note,
}

/// What holds blocks, and what it puts between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Holder {
    /// The page, a quote, an item of a loose list: blank lines between blocks.
    Loose,
    /// An item of a tight list: blank lines only where two blocks would otherwise be one.
    TightItem,
    /// A list whose items follow each other line by line.
    TightList,
}

struct Container {
    holder: Holder,
    prefix: usize,
    filled: bool,
    last: Block,
    /// What came last before `last`, and what had to stand behind it.
    before: (Block, Gap),
}

/// A marker that the next line bears in place of the prefix from `at` on.
struct Marker {
    at: usize,
    text: String,
}

/// Bytes of prefix that a page may cost before it has been read.
const FIRST_CREDIT: usize = 1024;

/// Bytes that absolute addresses may add to any page; to a longer page, what its length leaves.
const FIRST_GROWTH: usize = ALLOWANCE - FIRST_CREDIT - NOTICES;

/// Bytes kept for what is said of a cut.
const NOTICES: usize = 1024;

/// Bytes of credit that addresses leave for the prefixes of what comes after them.
const RESERVE: usize = 4096;

pub(super) struct Lines {
    /// The Markdown so far.
    pub(super) out: String,
    /// What lines begin with.
    pub(super) prefix: String,
    common: usize,
    gap: Gap,
    stack: Vec<Container>,
    markers: Vec<Marker>,
    credit: usize,
    /// What the credit, and so the Markdown, cannot exceed.
    most: usize,
    /// Bytes that absolute addresses may still add.
    growth: usize,
}

impl Lines {
    pub(super) fn new(page: usize) -> Self {
        let root = Container {
            holder: Holder::Loose,
            prefix: 0,
            filled: false,
            last: Block::None,
            before: (Block::None, Gap::None),
        };
        Self {
            out: String::with_capacity(page / 2),
            prefix: String::new(),
            common: 0,
            gap: Gap::None,
            stack: vec![root],
            markers: Vec::new(),
            credit: FIRST_CREDIT,
            most: page.saturating_mul(2).saturating_add(FIRST_CREDIT),
            growth: FIRST_GROWTH,
        }
    }

    /// Notes that `bytes` of the page have been read: each pays for two of Markdown.
    pub(super) fn read(&mut self, bytes: usize) {
        self.credit = self.most.min(self.credit + 2 * bytes);
    }

    /// Whether `bytes` that the page does not hold itself may still be written.
    pub(super) fn affords(&self, bytes: usize) -> bool {
        self.out.len() + bytes <= self.credit
    }

    /// Takes `bytes` that an absolute address adds; whether there were so many left.
    pub(super) fn grows(&mut self, bytes: usize) -> bool {
        let granted = self.growth >= bytes;
        if granted {
            self.growth -= bytes;
            self.credit += bytes;
            self.most += bytes;
        }
        // What was granted for others is no credit for this one.
        granted || self.affords(bytes + RESERVE + FIRST_GROWTH - self.growth)
    }

    /// Whether so much has been written that the page's length allows no more.
    pub(super) fn full(&self) -> bool {
        self.out.len() > self.most
    }

    /// The Markdown, no longer than the page's length allows, and whether there was more.
    pub(super) fn finish(mut self) -> (String, bool) {
        let full = self.full();
        if full {
            let end = floor_boundary(&self.out, self.most);
            self.out.truncate(end);
            let end = self.out.rfind('\n').unwrap_or(end);
            self.out.truncate(end);
            self.out.truncate(self.out.trim_end().len());
        }
        (self.out, full)
    }

    /// The block that came last in the innermost container.
    pub(super) fn last(&self) -> Block {
        self.stack
            .last()
            .map_or(Block::None, |container| container.last)
    }

    /// Whether the next line is the first of an item.
    pub(super) fn at_marker(&self) -> bool {
        !self.markers.is_empty()
    }

    /// Whether the innermost container is an item of a list, or a list.
    pub(super) fn in_list(&self) -> bool {
        !self.prefix.is_empty() && !self.prefix.ends_with("> ")
    }

    /// Says that `next` follows in the innermost container.
    pub(super) fn announce(&mut self, next: Block) {
        let Some(container) = self.stack.last_mut() else {
            return;
        };
        container.before = (container.last, self.gap);
        if container.filled {
            let gap = between(container.holder, container.last, next);
            self.gap = self.gap.max(gap);
        }
        container.last = next;
    }

    /// Opens a container whose lines begin with `prefix`, the first of them with `marker`.
    pub(super) fn open(&mut self, holder: Holder, prefix: &str, marker: Option<String>) {
        let at = self.prefix.len();
        self.stack.push(Container {
            holder,
            prefix: at,
            filled: false,
            last: Block::None,
            before: (Block::None, Gap::None),
        });
        self.prefix.push_str(prefix);
        if let Some(text) = marker {
            self.markers.push(Marker { at, text });
        }
    }

    /// Closes the innermost container. Of one that held nothing there is no trace, unless it is a
    /// note: something points to that.
    pub(super) fn close(&mut self) {
        let Some(Container {
            prefix: at, filled, ..
        }) = self.stack.last()
        else {
            return;
        };
        let (at, mut filled) = (*at, *filled);
        if self.prefix.len() > at
            && let Some(marker) = self.markers.pop_if(|marker| marker.at == at)
            && marker.text.starts_with("[^")
        {
            self.markers.push(marker);
            self.markers_alone();
            filled = true;
        }
        if self.stack.len() > 1 {
            self.stack.pop();
            if let Some(around) = self.stack.last_mut().filter(|_| !filled) {
                (around.last, self.gap) = around.before;
            }
        }
        self.prefix.truncate(at);
        self.common = self.common.min(at);
    }

    /// Writes a line of markers that nothing follows, fewer of them where they would be a rule.
    fn markers_alone(&mut self) {
        self.line();
        let mut end = self.out.trim_end_matches(' ').len();
        while ["- - -", "* * *"]
            .iter()
            .any(|rule| self.out[..end].ends_with(rule))
        {
            end -= 2;
        }
        self.out.truncate(end);
    }

    /// Whether each line of `code`, and a fence of so many bytes before and behind it, may begin as
    /// lines do here.
    pub(super) fn affords_lines(&self, code: &str, fence: usize) -> bool {
        let prefix = self.prefix.len();
        // A blank line may come first.
        let mut length = self.out.len() + 2 + 2 * prefix + fence;
        let mut credit = self.credit;
        for line in code.split('\n') {
            length += 1 + prefix;
            if length > credit {
                return false;
            }
            length += line.len();
            credit = self.most.min(credit + 2 * (line.len() + 1));
        }
        length + 1 + prefix <= credit
    }

    /// Has the next lines begin with nothing; returns what they would have begun with.
    pub(super) fn without_prefix(&mut self) -> String {
        if self.at_marker() {
            self.gap = Gap::Blank;
            self.markers_alone();
        }
        std::mem::take(&mut self.prefix)
    }

    /// Begins a line, after whatever has to stand between it and the last.
    pub(super) fn line(&mut self) {
        if !self.out.is_empty() {
            self.out.push('\n');
            if self.gap == Gap::Blank {
                let quotes = self.prefix[..self.common.min(self.prefix.len())].trim_end();
                if self.out.len() + quotes.len() < self.credit {
                    self.out.push_str(quotes);
                }
                self.out.push('\n');
            }
        }
        self.gap = Gap::Line;
        let affordable = self.affords(self.prefix.len());
        let mut at = 0;
        for marker in self.markers.drain(..) {
            if affordable {
                self.out.push_str(&self.prefix[at..marker.at.max(at)]);
                at = (marker.at + marker.text.len()).min(self.prefix.len());
            }
            self.out.push_str(&marker.text);
        }
        if affordable {
            self.out.push_str(&self.prefix[at..]);
        }
        self.common = self.prefix.len();
        for container in self.stack.iter_mut().rev() {
            if container.filled {
                break;
            }
            container.filled = true;
        }
    }

    /// Begins a line that may be blank, inside a block whose lines are kept as they are.
    pub(super) fn verbatim_line(&mut self, line: &str) {
        if line.is_empty() {
            self.out.push('\n');
            let quotes = self.prefix.trim_end();
            if self.out.len() + quotes.len() < self.credit {
                self.out.push_str(quotes);
            }
        } else {
            self.line();
            self.out.push_str(line);
        }
    }
}

fn between(holder: Holder, last: Block, next: Block) -> Gap {
    match (holder, last, next) {
        // One line after the other, they would be one quote.
        (Holder::TightItem, Block::Quote, Block::Quote) => Gap::Blank,
        (Holder::TightList, _, _)
        | (_, Block::Text, Block::Definition)
        | (
            Holder::TightItem,
            _,
            Block::Fence | Block::Quote | Block::Heading | Block::Rule | Block::List(_, true),
        )
        | (Holder::TightItem, Block::Fence | Block::Heading | Block::Rule, _) => Gap::Line,
        _ => Gap::Blank,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(lines: &mut Lines, text: &str) {
        lines.announce(Block::Text);
        lines.line();
        lines.out.push_str(text);
    }

    #[test]
    fn a_quote_marks_its_blank_lines_and_not_those_around_it() {
        let mut lines = Lines::new(0);
        text(&mut lines, "a");
        lines.announce(Block::Quote);
        lines.open(Holder::Loose, "> ", None);
        text(&mut lines, "b");
        text(&mut lines, "c");
        lines.close();
        text(&mut lines, "d");
        assert_eq!(lines.out, "a\n\n> b\n>\n> c\n\nd");
    }

    #[test]
    fn items_that_open_together_share_their_first_line() {
        let mut lines = Lines::new(0);
        lines.announce(Block::List('-', true));
        lines.open(Holder::TightList, "", None);
        lines.announce(Block::Item);
        lines.open(Holder::TightItem, "  ", Some("- ".to_owned()));
        lines.announce(Block::List('.', true));
        lines.open(Holder::TightList, "", None);
        lines.announce(Block::Item);
        lines.open(Holder::TightItem, "   ", Some("1. ".to_owned()));
        text(&mut lines, "a");
        text(&mut lines, "b");
        lines.close();
        lines.announce(Block::Item);
        lines.open(Holder::TightItem, "   ", Some("2. ".to_owned()));
        text(&mut lines, "c");
        lines.close();
        assert_eq!(lines.out, "- 1. a\n\n     b\n  2. c");
    }

    #[test]
    fn what_held_nothing_leaves_no_trace() {
        let mut lines = Lines::new(0);
        text(&mut lines, "a");
        lines.announce(Block::List('-', true));
        lines.open(Holder::TightList, "", None);
        lines.announce(Block::Item);
        lines.open(Holder::TightItem, "  ", Some("- ".to_owned()));
        lines.close();
        lines.close();
        assert_eq!(lines.last(), Block::Text);
        lines.announce(Block::Note);
        lines.open(Holder::Loose, "    ", Some("[^1]: ".to_owned()));
        lines.close();
        assert_eq!(lines.out, "a\n\n[^1]:");
    }

    #[test]
    fn a_prefix_that_is_longer_than_what_was_read_is_left_off() {
        let mut lines = Lines::new(0);
        for _ in 0..1000 {
            lines.open(Holder::Loose, "> ", None);
        }
        text(&mut lines, "a");
        assert_eq!(lines.out, "a");
    }
}
