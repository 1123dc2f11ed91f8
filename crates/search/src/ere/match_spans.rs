//! Where the matches in a line begin and end, for whoever shows them to a person.

use std::ops::Range;
use std::sync::Arc;

use super::budget::SearchBudget;
use super::parser;
use super::search::LinearSearch;

/// A pattern, compiled for finding the extents of its matches.
#[derive(Debug)]
pub struct MatchExtents(LinearSearch);

impl MatchExtents {
    /// Compiles `pattern`; `None` for one with a back-reference, or that cannot be compiled.
    #[must_use]
    pub fn compile(pattern: &str) -> Option<Self> {
        let parsed = parser::parse(pattern).ok()?;
        if parsed.has_references {
            return None;
        }
        let budget = Arc::new(SearchBudget::new());
        LinearSearch::compile(&parsed.node, &budget).ok().map(Self)
    }

    /// The matches in `line` that are not empty; none if they take time to tell.
    #[must_use]
    pub fn find_all(&self, line: &[u8]) -> Vec<Range<usize>> {
        self.0.extents(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_match_of_a_line_is_found_whole() {
        for (pattern, line, expected) in [
            ("o", "foo", &[1..2, 2..3][..]),
            ("fo*", "a foo fo", &[2..5, 6..8]),
            ("(?i)B", "abB", &[1..2, 2..3]),
            ("x*", "aaa", &[]),
            ("^$", "", &[]),
        ] {
            let extents = MatchExtents::compile(pattern).unwrap();
            assert_eq!(extents.find_all(line.as_bytes()), expected, "{pattern}");
        }
        assert!(MatchExtents::compile(r"(a)\1").is_none());
        assert!(MatchExtents::compile("(").is_none());
    }
}
