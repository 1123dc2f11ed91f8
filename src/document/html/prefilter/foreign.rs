//! What is inside `svg` and `math`: of it the text alone is kept.
//!
//! Rules: HTML Living Standard, "The rules for parsing tokens in foreign content".

use super::{Category, Filter, category_of, tag};

impl<'a> Filter<'a> {
    /// A tag inside `svg` or `math`, of which the text alone is kept. `None` if the tag ends
    /// the other language.
    pub(super) fn foreign_start(
        &mut self,
        at: usize,
        name: &str,
        tag: &tag::Tag<'a>,
    ) -> Option<usize> {
        let ends = match category_of(name) {
            Category::Foreign => {
                self.foreign += usize::from(!tag.closed);
                false
            }
            Category::Plain | Category::Ruby | Category::Empty | Category::Media => {
                matches!(name, "span" | "sub" | "sup" | "ruby" | "meta" | "embed")
            }
            Category::Raw | Category::Title | Category::Template => {
                let end = tag::raw_end(self.page, tag.end, name).1;
                return Some(self.cut(at, if tag.closed { tag.end } else { end }, ""));
            }
            Category::Formatting if name == "a" => false,
            _ => true,
        };
        if ends {
            self.foreign = 0;
            return None;
        }
        let unseen = matches!(
            name,
            "desc" | "metadata" | "defs" | "annotation" | "annotation-xml"
        );
        if unseen && !tag.closed {
            let end = tag::raw_end(self.page, tag.end, name).1;
            return Some(self.cut(at, end, ""));
        }
        let apart = matches!(name, "text" | "tspan" | "foreignobject");
        Some(self.cut(at, tag.end, if apart { " " } else { "" }))
    }
}
