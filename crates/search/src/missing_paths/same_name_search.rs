//! Other files with the name of a missing one.

use std::collections::{BTreeSet, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The timeout of the search.
const SEARCH_TIMEOUT: Duration = Duration::from_millis(50);

/// Maximum number of places that are listed.
const MAX_PLACES_LISTED: usize = 3;

/// Directories that are not entered, because programs generate or fetch what is in them.
const SKIPPED_DIRECTORIES: [&str; 3] = [".git", "node_modules", "target"];

/// Places of a file's name.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct NamePlaces {
    /// The first of them, each with its depth: shallower ones come first, because file systems list
    /// names in orders of their own.
    pub paths: BTreeSet<(usize, PathBuf)>,
    /// The number of all that were found.
    pub count: u64,
    /// True if time ran out before all directories were read.
    pub is_cut: bool,
}

/// Finds files with the name of `path`, which is missing: below the working directory or, for an
/// absolute path elsewhere, below its nearest existing parent. A place is only listed if
/// `may_suggest` allows it.
#[must_use]
pub fn places_of_name(path: &Path, may_suggest: fn(&Path) -> bool) -> NamePlaces {
    let mut places = NamePlaces::default();
    let Some(name) = path.file_name() else {
        return places;
    };
    let here = std::env::current_dir().unwrap_or_default();
    let is_below = path.is_relative() || path.starts_with(&here);
    let nearest = || path.ancestors().skip(1).find(|above| above.is_dir());
    let base = if is_below { Some(&*here) } else { nearest() };
    let until = Instant::now() + SEARCH_TIMEOUT;
    let mut pending: VecDeque<PathBuf> = base.map(Path::to_owned).into_iter().collect();
    while let Some(directory) = pending.pop_front() {
        if !may_suggest(&directory) {
            continue;
        }
        for (index, entry) in fs::read_dir(&directory)
            .into_iter()
            .flatten()
            .flatten()
            .enumerate()
        {
            if index % 64 == 0 && Instant::now() >= until {
                places.is_cut = true;
                return places;
            }
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            let other = entry.file_name();
            if kind.is_dir() {
                if !SKIPPED_DIRECTORIES
                    .iter()
                    .any(|left_out| other == *left_out)
                {
                    pending.push_back(entry.path());
                }
            } else if other == name && kind.is_file() && may_suggest(&entry.path()) {
                places.count += 1;
                let place = entry.path();
                // As a call would name it.
                let told = place.strip_prefix(&here).unwrap_or(&place).to_owned();
                places.paths.insert((told.components().count(), told));
                if places.paths.len() > MAX_PLACES_LISTED {
                    places.paths.pop_last();
                }
            }
        }
    }
    places
}
