//! The patterns that a survey recommends: each leads to what was counted, and into nothing that no
//! search should be sent into.

use super::{Directory, MOST_EXAMPLES, Survey};
use crate::search::nothing::{Count, Found};
use crate::sort::Sort;

/// The most directories that a recommended pattern names.
const MOST_PIECES: usize = 5;

impl Survey<'_> {
    /// A pattern, below `prefix`, for the names in ordinary directories that leads into no others;
    /// `below_only` leaves out those directly in the directory. None, where there are none.
    pub fn pattern(&self, prefix: &str, below_only: bool) -> Option<Found> {
        let count = |at: usize| (self.directories[at].own, self.directories[at].all);
        self.cover(prefix, &self.sought.names.text, below_only, &count)
    }

    /// The same for those with the extension that most of them have, if they do not all have it.
    pub fn pattern_of_most(&self, prefix: &str, below_only: bool) -> Option<Found> {
        let mut all: Vec<(&[u8], u64)> = Vec::new();
        for directory in &self.directories {
            for (extension, count) in &directory.extensions {
                match all.iter_mut().find(|(known, _)| known == extension) {
                    Some((_, sum)) => *sum += count,
                    None => all.push((extension, *count)),
                }
            }
        }
        all.arrange_by_key(|(extension, count)| (u64::MAX - count, *extension));
        let (extension, _) = *all.first()?;
        let text = format!("*.{}", std::str::from_utf8(extension).ok()?);
        let own = |directory: &Directory| {
            let mut known = directory.extensions.iter();
            known
                .find(|(known, _)| known == extension)
                .map_or(0, |(_, count)| *count)
        };
        let mut sums: Vec<u64> = self.directories.iter().map(own).collect();
        for at in (1..sums.len()).rev() {
            sums[self.directories[at].parent] += sums[at];
        }
        let count = |at: usize| (own(&self.directories[at]), sums[at]);
        self.cover(prefix, &text, below_only, &count)
    }

    /// A pattern for the component `text` that leads to all ordinary directories in which `count`
    /// (in the directory itself; there and below) finds something, or to those with the most.
    fn cover(
        &self,
        prefix: &str,
        text: &str,
        below_only: bool,
        count: &dyn Fn(usize) -> (u64, u64),
    ) -> Option<Found> {
        let at_least = !self.whole.0;
        if !self.directories[0].above_built {
            let number = count(0).1;
            let found = Found {
                pattern: format!("{prefix}**/{text}"),
                count: Count { number, at_least },
            };
            return (number > 0).then_some(found);
        }
        // Whole directories that are in no other whole one, and single ones.
        let (mut whole, mut single) = (Vec::new(), Vec::new());
        for (at, directory) in self.directories.iter().enumerate() {
            let (own, all) = count(at);
            let Some(path) = &directory.path else {
                continue;
            };
            if directory.above_built {
                if own > 0 && !(at == 0 && below_only) {
                    single.push((path, own));
                }
            } else if self.directories[directory.parent].above_built && all > 0 {
                whole.push((path, all));
            }
        }
        let largest = |pieces: &mut Vec<(&String, u64)>, most: usize| {
            pieces.arrange_by_key(|(path, count)| (u64::MAX - count, *path));
            pieces.truncate(most);
            pieces.arrange();
        };
        largest(&mut whole, MOST_PIECES);
        largest(&mut single, MOST_PIECES - whole.len());
        let number = whole.iter().chain(&single).map(|(_, count)| count).sum();
        let mut pieces: Vec<String> = single
            .iter()
            .map(|(path, _)| {
                if path.is_empty() {
                    text.to_owned()
                } else {
                    format!("{path}/{text}")
                }
            })
            .collect();
        match &whole[..] {
            [] => {}
            [(path, _)] => pieces.push(format!("{path}/**/{text}")),
            several => {
                let paths: Vec<&str> = several.iter().map(|(path, _)| path.as_str()).collect();
                pieces.push(format!("{{{}}}/**/{text}", paths.join(",")));
            }
        }
        let pattern = match &pieces[..] {
            [] => return None,
            [piece] => format!("{prefix}{piece}"),
            several => format!("{prefix}{{{}}}", several.join(",")),
        };
        let count = Count { number, at_least };
        Some(Found { pattern, count })
    }

    /// Patterns, below `prefix`, for the hidden names, and for the names in hidden directories, the
    /// most first.
    pub fn hidden(&self, prefix: &str) -> Vec<Found> {
        let mut all = Vec::new();
        // `**` would lead into what is to be left out, too.
        let (deep, number) = if self.directories[0].above_built {
            ("", self.hidden_here)
        } else {
            ("**/", self.hidden_names)
        };
        if let (Some(hidden), 1..) = (&self.sought.hidden, number) {
            all.push(Found {
                pattern: format!("{prefix}{deep}{}", hidden.text),
                count: Count {
                    number,
                    at_least: !self.whole.0,
                },
            });
        }
        let at_least = !self.whole.1;
        for group in self.hidden.iter().filter(|group| group.count > 0) {
            if let Some(path) = &group.path {
                all.push(Found {
                    pattern: format!("{prefix}{path}/**/{}", self.sought.names.text),
                    count: Count {
                        number: group.count,
                        at_least,
                    },
                });
            }
        }
        all.arrange_by_key(|found| u64::MAX - found.count.number);
        all.truncate(MOST_EXAMPLES);
        all
    }

    /// Directories that hold what was built, and how many names match there, the most first.
    pub fn built(&self) -> Vec<(String, Count)> {
        let groups = self.built.iter().filter(|group| group.count > 0);
        let count = |number| Count {
            number,
            at_least: !self.whole.2,
        };
        let mut all: Vec<(String, Count)> = groups
            .filter_map(|group| Some((group.path.clone()?, count(group.count))))
            .collect();
        all.arrange_by_key(|(_, count)| u64::MAX - count.number);
        all.truncate(MOST_EXAMPLES);
        all
    }
}
