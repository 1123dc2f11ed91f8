//! End tags: those that pass, and the tags that the parser needs before them.

use super::super::tag;
use super::{EndTagOutcome, MAX_KNOWN_NAME_BYTES, PageFilter, TagCategory, known_name, renamed};

impl PageFilter<'_> {
    /// Reads the end tag at `offset`; returns the offset after it.
    pub(super) fn end_tag(&mut self, offset: usize) -> usize {
        let mut space = [0; MAX_KNOWN_NAME_BYTES];
        let end = tag::name_end(self.page, offset + 2);
        let name = known_name(&self.page[offset + 2..end], &mut space);
        self.is_at_line_start = false;
        let seen = self.tree.is_seen_on_top(name);
        // Attributes of an end tag are skipped like those of a start tag.
        let Some(tag) = tag::read(self.page, offset + 2) else {
            return self.page.len();
        };
        let category = match self.category_of(name) {
            TagCategory::Media if name == "object" => TagCategory::Wall,
            TagCategory::Media => TagCategory::Plain,
            category => category,
        };
        if self.foreign > 0 && (!matches!(name, "p" | "br") || self.is_in_hidden_html()) {
            self.foreign_end(offset, name);
            return tag.end;
        }
        self.foreign = 0;
        self.hidden_foreign = None;
        let out = &mut self.out;
        match category {
            TagCategory::Root => {}
            TagCategory::Choice | TagCategory::Styled => {
                let name = renamed(name).unwrap_or(name);
                let is_kept = self.tree.end(name, TagCategory::Plain, out) == EndTagOutcome::Kept;
                if is_kept {
                    out.end(name);
                }
                if !is_kept && category == TagCategory::Choice {
                    out.push_characters(" ");
                }
                return tag.end;
            }
            TagCategory::Void if self.xml => return tag.end,
            TagCategory::Void if name == "br" => self.tree.before_content(false, out),
            TagCategory::Form => {
                if self.tree.end("div", TagCategory::Block, out) != EndTagOutcome::Dropped {
                    out.end("div");
                }
                return tag.end;
            }
            TagCategory::Paragraph => {
                if self.tree.end(name, category, out) == EndTagOutcome::Dropped {
                    self.tree.before_content(false, out);
                }
            }
            TagCategory::Formatting if !self.tree.formats() => {
                // Open formatting can only be closed, never reopened.
                if self.tree.end(name, category, out) == EndTagOutcome::Dropped {
                    return tag.end;
                }
            }
            _ => {
                if self.tree.end(tag.name, category, out) != EndTagOutcome::Kept {
                    return tag.end;
                }
            }
        }
        out.end(tag.name);
        self.note_line_start(category, name, seen);
        tag.end
    }
}
