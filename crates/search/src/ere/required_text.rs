//! Plain text of which every match of a pattern holds some, for finding the lines that
//! are worth a closer look. A line is the most that a match can span, so the text
//! may stand anywhere in the pattern.

use memchr::memmem::Finder;
use regex_automata::Input;
use regex_automata::meta::Regex;
use regex_syntax::hir::Hir;

use super::ast::PatternNode;
use super::hir::hir;
use super::search::build;

/// The bytes by which the text must be longer than one that the pattern starts with, because the
/// `regex` crate looks for that one by itself.
const MIN_EXTRA_BYTES: usize = 3;
/// The most texts that are looked for at once, and the length in bytes of the shortest of them:
/// more and shorter ones are in nearly every line.
const MAX_TEXTS: usize = 16;
const MIN_TEXT_BYTES: usize = 3;

/// Looks for the texts of which every match holds one.
#[derive(Clone, Debug)]
pub(super) struct RequiredFinder {
    engine: FinderEngine,
    /// True if looking for the texts first is likely to be faster than leaving it all to the
    /// `regex` crate.
    pub saves_time: bool,
}

#[derive(Clone, Debug)]
enum FinderEngine {
    /// For one text, as it is.
    Plain(Box<Finder<'static>>),
    /// For several, or in either case.
    Several(Regex),
}

impl RequiredFinder {
    /// Returns one for what every match holds; of several texts only if that saves time.
    pub fn for_pattern(node: &PatternNode) -> Option<Self> {
        let texts = required_texts(node)?;
        let shortest = shortest(&texts);
        let first = first_length(node);
        let is_longer = first == 0 || shortest >= first + MIN_EXTRA_BYTES;
        if let [RequiredText { text, fold: false }] = texts[..] {
            return Some(Self {
                engine: FinderEngine::Plain(Box::new(Finder::new(text).into_owned())),
                // A blank is in nearly every line.
                saves_time: is_longer && text != " ",
            });
        }
        if !is_longer || texts.len() > MAX_TEXTS || shortest < MIN_TEXT_BYTES {
            return None;
        }
        let literal = |text: &RequiredText<'_>| {
            hir(&PatternNode::Literal {
                text: text.text.to_owned(),
                fold: text.fold,
            })
        };
        let any = build(&Hir::alternation(texts.iter().map(literal).collect()));
        Some(Self {
            engine: FinderEngine::Several(any.ok()?),
            saves_time: true,
        })
    }

    /// Finds an offset within the first such text in `window` from `from` on.
    pub fn find_text(&self, window: &[u8], from: usize) -> Option<usize> {
        let unread = window.get(from..)?;
        match &self.engine {
            FinderEngine::Plain(finder) => Some(from + finder.find(unread)?),
            FinderEngine::Several(regex) => {
                let input = Input::new(window).earliest(true).span(from..window.len());
                // A line feed may follow where the text ends.
                regex.search_half(&input).map(|half| half.offset() - 1)
            }
        }
    }
}

/// Text that a match holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct RequiredText<'n> {
    text: &'n str,
    /// True if it may stand there in the other case.
    fold: bool,
}

impl RequiredText<'_> {
    /// True if whatever holds the other text holds this one.
    fn is_within(self, other: Self) -> bool {
        if self.fold {
            let all = other.text.to_ascii_lowercase();
            return all.contains(&self.text.to_ascii_lowercase());
        }
        !other.fold && other.text.contains(self.text)
    }
}

fn shortest(texts: &[RequiredText<'_>]) -> usize {
    texts.iter().map(|text| text.text.len()).min().unwrap_or(0)
}

/// Returns texts of which every match holds at least one: the longest that there are.
fn required_texts(node: &PatternNode) -> Option<Vec<RequiredText<'_>>> {
    match node {
        PatternNode::Literal { text, fold } if !text.contains('\n') => {
            Some(vec![RequiredText { text, fold: *fold }])
        }
        PatternNode::Group(node) => required_texts(node),
        PatternNode::Repeat { node, min, .. } if *min > 0 => required_texts(node),
        PatternNode::Concat(nodes) => {
            let worth = |texts: &Vec<RequiredText<'_>>| match texts[..] {
                [RequiredText { text, fold: false }] => text.len(),
                _ => shortest(texts).saturating_sub(MIN_TEXT_BYTES),
            };
            nodes.iter().filter_map(required_texts).max_by_key(worth)
        }
        PatternNode::Alternate(branches) => {
            let mut all: Vec<RequiredText<'_>> = Vec::new();
            for branch in branches {
                for text in required_texts(branch)? {
                    if !all.iter().any(|one| one.is_within(text)) {
                        all.retain(|one| !text.is_within(*one));
                        all.push(text);
                    }
                }
            }
            Some(all)
        }
        _ => None,
    }
}

/// Returns the length in bytes of the shortest text that a match may start with; zero if a match
/// may start with one of several characters.
pub(super) fn first_length(node: &PatternNode) -> usize {
    match node {
        PatternNode::Literal { text, .. } => text.len(),
        PatternNode::Group(node) => first_length(node),
        PatternNode::Repeat { node, min, .. } if *min > 0 => first_length(node),
        PatternNode::Concat(nodes) => nodes
            .iter()
            .find(|node| !matches!(node, PatternNode::Assertion(_)))
            .map_or(0, first_length),
        PatternNode::Alternate(branches) => branches.iter().map(first_length).min().unwrap_or(0),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::super::parser::parse;
    use super::super::simplify::simplify;
    use super::*;

    #[test]
    fn each_match_holds_one_of_the_texts_that_are_looked_for_first() {
        for (pattern, texts) in [
            ("[A-Z]+_SUSPEND", "_SUSPEND"),
            ("(?i)[a-z]+_suspend", "(?i)_suspend"),
            ("[a-z]+ (error|warning)", "error warning"),
            ("[a-z]+(_error|_ERROR_CODE|(?i)_err)", "(?i)_err"),
            ("[0-9]+(ab|cd)x", "x"),
            ("[0-9]+(error)?", ""),
            ("[0-9]+(error|[a-z])", ""),
        ] {
            let node = simplify(parse(pattern).unwrap().node);
            let required = required_texts(&node).unwrap_or_default();
            let spelled = |one: &RequiredText<'_>| {
                let fold = if one.fold { "(?i)" } else { "" };
                format!("{fold}{}", one.text)
            };
            let required: Vec<String> = required.iter().map(spelled).collect();
            assert_eq!(required.join(" "), texts, "{pattern}");
        }
    }

    #[test]
    fn a_text_is_found_in_either_case_and_at_the_end_of_its_line() {
        let find = |pattern: &str, window: &str| {
            let node = simplify(parse(pattern).unwrap().node);
            let finder = RequiredFinder::for_pattern(&node).unwrap();
            assert!(finder.saves_time, "{pattern}");
            let offset = finder.find_text(window.as_bytes(), 2)?;
            assert_eq!(finder.find_text(window.as_bytes(), window.len() + 1), None);
            Some(memchr::memchr_iter(b'\n', &window.as_bytes()[..offset]).count())
        };
        assert_eq!(find("(?i)[0-9]+_été", "x\nx\n3_ÉTÉ\n"), Some(2));
        assert_eq!(find("[0-9]+(_kelvin|_celsius)", "x\n3_celsius\n"), Some(1));
        assert_eq!(find("[0-9]+_kelvin", "x\nx\n"), None);
    }
}
