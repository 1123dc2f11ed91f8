//! Writes Markdown line by line: prefixes of quotes and list items, markers, and the space between
//! two blocks.
//!
//! Rules: `CommonMark` 0.31.2, "Container blocks". Markdown is at most twice as long as its source
//! plus a constant. Prefixes, which a deep document could multiply, are paid from a credit that
//! grows with the source read, and are left off when it is used up; so are addresses. If something
//! else was multiplied, [`MarkdownLines::is_full`] ends the writing and [`MarkdownLines::finish`]
//! removes the excess.

use crate::document::ALLOWANCE;
use iki_base::wording::floor_boundary;

/// The separation between the last line and the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum LineGap {
    None,
    Line,
    Blank,
}

/// The kinds of blocks, as far as their neighbours matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MarkdownBlock {
    None,
    Text,
    /// A paragraph that continues a term: `: definition`.
    Definition,
    Heading,
    Fence,
    Rule,
    Quote,
    /// A list: the last character of its markers, and whether it may follow a line of text without
    /// a blank line.
    List(char, bool),
    Item,
    Table,
    /// A footnote.
    Note,
}

/// The kinds of containers, by what they put between their blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ContainerKind {
    /// The page, a quote or an item of a loose list: blank lines between blocks.
    Loose,
    /// An item of a tight list: blank lines only where two blocks would otherwise be one.
    TightItem,
    /// A list whose items follow each other without blank lines.
    TightList,
}

struct OpenContainer {
    holder: ContainerKind,
    prefix: usize,
    filled: bool,
    last: MarkdownBlock,
    /// The block before `last`, and the gap after it.
    before: (MarkdownBlock, LineGap),
}

/// A marker that the next line carries in place of the prefix from `offset` on.
struct PendingMarker {
    offset: usize,
    text: String,
}

/// Bytes of prefix that may be written before any of the page has been read.
const FIRST_CREDIT: usize = 1024;

/// Bytes that absolute addresses may add to any page, however short.
const FIRST_GROWTH: usize = ALLOWANCE - FIRST_CREDIT - NOTICES;

/// Bytes reserved for the notices about cuts.
const NOTICES: usize = 1024;

/// Bytes of credit that addresses leave for the prefixes of later lines.
const RESERVE: usize = 4096;

pub(super) struct MarkdownLines {
    pub(super) out: String,
    /// The prefix of each line.
    pub(super) prefix: String,
    common: usize,
    gap: LineGap,
    stack: Vec<OpenContainer>,
    markers: Vec<PendingMarker>,
    credit: usize,
    /// Upper bound of the credit, and so of the Markdown, in bytes.
    max_bytes: usize,
    /// Bytes that absolute addresses may still add.
    growth: usize,
}

impl MarkdownLines {
    pub(super) fn new(page: usize) -> Self {
        let root = OpenContainer {
            holder: ContainerKind::Loose,
            prefix: 0,
            filled: false,
            last: MarkdownBlock::None,
            before: (MarkdownBlock::None, LineGap::None),
        };
        Self {
            out: String::with_capacity(page / 2),
            prefix: String::new(),
            common: 0,
            gap: LineGap::None,
            stack: vec![root],
            markers: Vec::new(),
            credit: FIRST_CREDIT,
            max_bytes: page.saturating_mul(2).saturating_add(FIRST_CREDIT),
            growth: FIRST_GROWTH,
        }
    }

    /// Adds the credit for `bytes` of the page: each pays for two of Markdown.
    pub(super) fn add_credit(&mut self, bytes: usize) {
        self.credit = self.max_bytes.min(self.credit + 2 * bytes);
    }

    /// True if `bytes` that are not in the page may still be written.
    pub(super) fn affords(&self, bytes: usize) -> bool {
        self.out.len() + bytes <= self.credit
    }

    /// Takes the `bytes` that an absolute address adds; returns false if fewer are left.
    pub(super) fn take_growth(&mut self, bytes: usize) -> bool {
        let granted = self.growth >= bytes;
        if granted {
            self.growth -= bytes;
            self.credit += bytes;
            self.max_bytes += bytes;
        }
        // Credit granted for other addresses does not count for this one.
        granted || self.affords(bytes + RESERVE + FIRST_GROWTH - self.growth)
    }

    /// True if the page's length allows no more.
    pub(super) fn is_full(&self) -> bool {
        self.out.len() > self.max_bytes
    }

    /// Returns the Markdown, no longer than the page's length allows, and whether something was
    /// cut.
    pub(super) fn finish(mut self) -> (String, bool) {
        let full = self.is_full();
        if full {
            let end = floor_boundary(&self.out, self.max_bytes);
            self.out.truncate(end);
            let end = self.out.rfind('\n').unwrap_or(end);
            self.out.truncate(end);
            self.out.truncate(self.out.trim_end().len());
        }
        (self.out, full)
    }

    /// The last block of the innermost container.
    pub(super) fn last_block(&self) -> MarkdownBlock {
        self.stack
            .last()
            .map_or(MarkdownBlock::None, |container| container.last)
    }

    /// True if the next line is the first of an item.
    pub(super) fn at_marker(&self) -> bool {
        !self.markers.is_empty()
    }

    /// True if the innermost container is a list or an item.
    pub(super) fn in_list(&self) -> bool {
        !self.prefix.is_empty() && !self.prefix.ends_with("> ")
    }

    /// Announces that `next` follows in the innermost container.
    pub(super) fn announce_block(&mut self, next: MarkdownBlock) {
        let Some(container) = self.stack.last_mut() else {
            return;
        };
        container.before = (container.last, self.gap);
        if container.filled {
            let gap = gap_between(container.holder, container.last, next);
            self.gap = self.gap.max(gap);
        }
        container.last = next;
    }

    /// Opens a container whose lines begin with `prefix`, and the first of them with `marker`.
    pub(super) fn open(&mut self, holder: ContainerKind, prefix: &str, marker: Option<String>) {
        let offset = self.prefix.len();
        self.stack.push(OpenContainer {
            holder,
            prefix: offset,
            filled: false,
            last: MarkdownBlock::None,
            before: (MarkdownBlock::None, LineGap::None),
        });
        self.prefix.push_str(prefix);
        if let Some(text) = marker {
            self.markers.push(PendingMarker { offset, text });
        }
    }

    /// Closes the innermost container. An empty one leaves no trace, unless it is a footnote,
    /// because something refers to that.
    pub(super) fn close(&mut self) {
        let Some(OpenContainer {
            prefix: offset,
            filled,
            ..
        }) = self.stack.last()
        else {
            return;
        };
        let (offset, mut filled) = (*offset, *filled);
        if self.prefix.len() > offset
            && let Some(marker) = self.markers.pop_if(|marker| marker.offset == offset)
            && marker.text.starts_with("[^")
        {
            self.markers.push(marker);
            self.begin_line();
            self.out.truncate(self.out.trim_end_matches(' ').len());
            filled = true;
        }
        if self.stack.len() > 1 {
            self.stack.pop();
            if let Some(around) = self.stack.last_mut().filter(|_| !filled) {
                (around.last, self.gap) = around.before;
            }
        }
        self.prefix.truncate(offset);
        self.common = self.common.min(offset);
    }

    /// Begins a line, after the gap that must separate it from the last.
    pub(super) fn begin_line(&mut self) {
        if !self.out.is_empty() {
            self.out.push('\n');
            if self.gap == LineGap::Blank {
                let quotes = self.prefix[..self.common.min(self.prefix.len())].trim_end();
                if self.out.len() + quotes.len() < self.credit {
                    self.out.push_str(quotes);
                }
                self.out.push('\n');
            }
        }
        self.gap = LineGap::Line;
        let affordable = self.affords(self.prefix.len());
        let mut offset = 0;
        for marker in self.markers.drain(..) {
            if affordable {
                self.out
                    .push_str(&self.prefix[offset..marker.offset.max(offset)]);
                offset = (marker.offset + marker.text.len()).min(self.prefix.len());
            }
            self.out.push_str(&marker.text);
        }
        if affordable {
            self.out.push_str(&self.prefix[offset..]);
        }
        self.common = self.prefix.len();
        for container in self.stack.iter_mut().rev() {
            if container.filled {
                break;
            }
            container.filled = true;
        }
    }

    /// Writes a line, which may be blank, of a block that is kept as it is.
    pub(super) fn write_verbatim_line(&mut self, line: &str) {
        if line.is_empty() {
            self.out.push('\n');
            let quotes = self.prefix.trim_end();
            if self.out.len() + quotes.len() < self.credit {
                self.out.push_str(quotes);
            }
        } else {
            self.begin_line();
            self.out.push_str(line);
        }
    }
}

fn gap_between(holder: ContainerKind, last: MarkdownBlock, next: MarkdownBlock) -> LineGap {
    match (holder, last, next) {
        // Without a blank line they would be read as one quote.
        (ContainerKind::TightItem, MarkdownBlock::Quote, MarkdownBlock::Quote) => LineGap::Blank,
        (ContainerKind::TightList, _, _)
        | (_, MarkdownBlock::Text, MarkdownBlock::Definition)
        | (
            ContainerKind::TightItem,
            _,
            MarkdownBlock::Fence
            | MarkdownBlock::Quote
            | MarkdownBlock::Heading
            | MarkdownBlock::Rule
            | MarkdownBlock::List(_, true),
        )
        | (
            ContainerKind::TightItem,
            MarkdownBlock::Fence | MarkdownBlock::Heading | MarkdownBlock::Rule,
            _,
        ) => LineGap::Line,
        _ => LineGap::Blank,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(lines: &mut MarkdownLines, text: &str) {
        lines.announce_block(MarkdownBlock::Text);
        lines.begin_line();
        lines.out.push_str(text);
    }

    #[test]
    fn a_quote_marks_its_blank_lines_and_not_those_around_it() {
        let mut lines = MarkdownLines::new(0);
        text(&mut lines, "a");
        lines.announce_block(MarkdownBlock::Quote);
        lines.open(ContainerKind::Loose, "> ", None);
        text(&mut lines, "b");
        text(&mut lines, "c");
        lines.close();
        text(&mut lines, "d");
        assert_eq!(lines.out, "a\n\n> b\n>\n> c\n\nd");
    }

    #[test]
    fn items_that_open_together_share_their_first_line() {
        let mut lines = MarkdownLines::new(0);
        lines.announce_block(MarkdownBlock::List('-', true));
        lines.open(ContainerKind::TightList, "", None);
        lines.announce_block(MarkdownBlock::Item);
        lines.open(ContainerKind::TightItem, "  ", Some("- ".to_owned()));
        lines.announce_block(MarkdownBlock::List('.', true));
        lines.open(ContainerKind::TightList, "", None);
        lines.announce_block(MarkdownBlock::Item);
        lines.open(ContainerKind::TightItem, "   ", Some("1. ".to_owned()));
        text(&mut lines, "a");
        text(&mut lines, "b");
        lines.close();
        lines.announce_block(MarkdownBlock::Item);
        lines.open(ContainerKind::TightItem, "   ", Some("2. ".to_owned()));
        text(&mut lines, "c");
        lines.close();
        assert_eq!(lines.out, "- 1. a\n\n     b\n  2. c");
    }

    #[test]
    fn what_held_nothing_leaves_no_trace() {
        let mut lines = MarkdownLines::new(0);
        text(&mut lines, "a");
        lines.announce_block(MarkdownBlock::List('-', true));
        lines.open(ContainerKind::TightList, "", None);
        lines.announce_block(MarkdownBlock::Item);
        lines.open(ContainerKind::TightItem, "  ", Some("- ".to_owned()));
        lines.close();
        lines.close();
        assert_eq!(lines.last_block(), MarkdownBlock::Text);
        lines.announce_block(MarkdownBlock::Note);
        lines.open(ContainerKind::Loose, "    ", Some("[^1]: ".to_owned()));
        lines.close();
        assert_eq!(lines.out, "a\n\n[^1]:");
    }

    #[test]
    fn a_prefix_that_is_longer_than_what_was_read_is_left_off() {
        let mut lines = MarkdownLines::new(0);
        for _ in 0..1000 {
            lines.open(ContainerKind::Loose, "> ", None);
        }
        text(&mut lines, "a");
        assert_eq!(lines.out, "a");
    }
}
