//! End tags: those that pass, and the fixes that the parser needs before them.

use super::{
    EndTagOutcome, MEANING, PageFilter, TagCategory, foreign, meaning, renamed, tag, tree,
};

impl PageFilter<'_> {
    /// Filters the end tag at `at`; returns the offset behind it.
    pub(super) fn end_tag(&mut self, at: usize) -> usize {
        let mut space = [0; MEANING];
        let end = tag::name_end(self.page, at + 2);
        let name = meaning(&self.page[at + 2..end], &mut space);
        self.fresh = false;
        let seen = self.tree.is_seen_on_top(name);
        // Attributes of an end tag are skipped like those of a start tag.
        let Some(tag) = tag::read(self.page, at + 2, |_, _| false) else {
            return self.replace(at, self.page.len(), "");
        };
        let category = match self.category_of(name) {
            TagCategory::Media if name == "object" => TagCategory::Wall,
            TagCategory::Media => TagCategory::Plain,
            category => category,
        };
        if self.foreign > 0 && !matches!(category, TagCategory::Paragraph | TagCategory::Void) {
            if category == TagCategory::Foreign {
                self.foreign -= 1;
            }
            self.draws_text &= !foreign::draws_text(name) && name != "svg";
            return self.replace(at, tag.end, if name == "text" { " " } else { "" });
        }
        let mut fixes = String::new();
        match category {
            TagCategory::Root => {}
            TagCategory::Choice | TagCategory::Styled => {
                let ending = renamed(name).map(|name| {
                    let ending = self.tree.end(name, TagCategory::Plain, &mut fixes);
                    if ending == EndTagOutcome::Kept {
                        tree::write_end_tag(name, &mut fixes);
                    } else if ending == EndTagOutcome::Dropped
                        && self.tree.end_through(name, &mut fixes)
                    {
                        return EndTagOutcome::Kept;
                    }
                    ending
                });
                if ending != Some(EndTagOutcome::Kept) && category == TagCategory::Choice {
                    fixes.push(' ');
                }
                return self.replace(at, tag.end, &fixes);
            }
            TagCategory::Void if self.xml => return self.replace(at, tag.end, ""),
            TagCategory::Void if name == "br" => {
                self.tree.before_content(false, &mut fixes);
            }
            TagCategory::Form | TagCategory::Choices => {
                if self.tree.end("div", TagCategory::Block, &mut fixes) == EndTagOutcome::Dropped {
                    return self.replace(at, tag.end, "");
                }
                fixes.push_str("</div>");
                return self.replace(at, tag.end, &fixes);
            }
            TagCategory::Paragraph => {
                if self.tree.end(name, category, &mut fixes) == EndTagOutcome::Dropped {
                    self.tree.before_content(false, &mut fixes);
                }
            }
            TagCategory::Formatting if !self.tree.formats() => {
                // Open formatting can only be closed, never reopened.
                if self.tree.end(name, category, &mut fixes) == EndTagOutcome::Dropped {
                    return self.replace(at, tag.end, "");
                }
            }
            _ => {
                let ending = self.tree.end(tag.name, category, &mut fixes);
                if ending == EndTagOutcome::Silent {
                    return self.replace(at, tag.end, &fixes);
                }
                if ending == EndTagOutcome::Dropped {
                    return self.replace(at, tag.end, "");
                }
            }
        }
        self.insert_fixes(at, &fixes);
        self.note_line_start(category, name, seen);
        if tag.dropped {
            self.replace(at, at, "</");
            self.out.push_str(tag.name);
            self.out.push('>');
            self.copied = tag.end;
        }
        tag.end
    }
}
