//! The patterns that a survey recommends: each leads to what was counted, and into nothing that no
//! search should be sent into.

use super::BetterPattern;
use super::survey::{MOST_EXAMPLES, Survey};

/// The most directories that a recommended pattern names.
const MOST_PIECES: usize = 5;

impl Survey<'_> {
    /// Writes a pattern, below `prefix`, for the names in ordinary directories that leads into no
    /// others, or into those with the most; `below_only` leaves out names directly in the first.
    pub fn pattern(&self, prefix: &str, below_only: bool) -> Option<BetterPattern> {
        let text = &*self.sought.names.text;
        let found = |pattern, number| {
            let count = self.counted(number, 1);
            (number > 0).then_some(BetterPattern { pattern, count })
        };
        if !self.directories[0].above_built {
            return found(format!("{prefix}**/{text}"), self.directories[0].all);
        }
        // Whole directories that are in no other whole one, and single ones.
        let (mut whole, mut single) = (Vec::new(), Vec::new());
        for (at, directory) in self.directories.iter().enumerate() {
            let Some(path) = directory.path.as_deref() else {
                continue;
            };
            if directory.above_built {
                if directory.own > 0 && !(at == 0 && below_only) {
                    single.push((path, directory.own));
                }
            } else if self.directories[directory.parent].above_built && directory.all > 0 {
                whole.push((path, directory.all));
            }
        }
        keep_largest(&mut whole, MOST_PIECES);
        keep_largest(&mut single, MOST_PIECES - whole.len());
        let number = whole.iter().chain(&single).map(|(_, count)| count).sum();
        let mut pieces: Vec<String> = single
            .iter()
            .map(|(path, _)| match *path {
                "" => text.to_owned(),
                path => format!("{path}/{text}"),
            })
            .collect();
        if !whole.is_empty() {
            let paths = whole.iter().map(|(path, _)| (*path).to_owned()).collect();
            pieces.push(format!("{}/**/{text}", in_braces(paths)));
        }
        found(format!("{prefix}{}", in_braces(pieces)), number)
    }

    /// Writes patterns, below `prefix`, for the hidden names, and for the names in hidden
    /// directories, the most first.
    pub fn hidden(&self, prefix: &str) -> Vec<BetterPattern> {
        // `**` would lead into what is to be left out, too.
        let (deep, number) = if self.directories[0].above_built {
            ("", self.hidden_here)
        } else {
            ("**/", self.hidden_names)
        };
        let names = self.sought.hidden.as_ref().map(|hidden| BetterPattern {
            pattern: format!("{prefix}{deep}{}", hidden.text),
            count: self.counted(number, 1),
        });
        let directories = self.hidden.iter().filter_map(|region| {
            Some(BetterPattern {
                pattern: format!(
                    "{prefix}{}/**/{}",
                    region.path.as_ref()?,
                    self.sought.names.text
                ),
                count: self.counted(region.count, 2),
            })
        });
        let mut all: Vec<BetterPattern> = names.into_iter().chain(directories).collect();
        all.retain(|one| one.count.number > 0);
        all.sort_by_key(|found| std::cmp::Reverse(found.count.number));
        all.truncate(MOST_EXAMPLES);
        all
    }
}

/// Keeps the paths with the most names, in byte order.
fn keep_largest(pieces: &mut Vec<(&str, u64)>, most: usize) {
    pieces.sort_by_key(|(path, count)| (u64::MAX - count, *path));
    pieces.truncate(most);
    pieces.sort_unstable();
}

/// Writes one piece as it is, and several in braces.
fn in_braces(mut pieces: Vec<String>) -> String {
    if pieces.len() == 1 {
        return pieces.remove(0);
    }
    format!("{{{}}}", pieces.join(","))
}
