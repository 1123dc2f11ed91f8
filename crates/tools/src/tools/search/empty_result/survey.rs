//! A survey of all that lies below a directory: the number of names that match, and their places.
//!
//! Ordinary directories are read first, then those that hold what was built or fetched, then hidden
//! ones, until all is seen or time runs out. Links are not followed.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::BetterPattern;
use super::names::NameMatcher;
use iki_process::sandbox::confinement;

/// Names of directories whose content is built, fetched or kept by a program.
const GENERATED_DIRECTORIES: &str = "\
     .cache .git .gradle .hg .jj .mypy_cache .next .nuxt .pytest_cache .ruff_cache .svn \
     .terraform .tox .venv __pycache__ bower_components build dist node_modules target vendor \
     venv";

/// The timeout for counting generated files, of which there may be very many.
const GENERATED_TIMEOUT: Duration = Duration::from_millis(15);

/// Maximum number of hidden patterns, or of names in another case, that are listed.
const MAX_EXAMPLES: usize = 3;

/// Directories that are counted together.
#[derive(Debug, Default)]
struct SurveyedRegion {
    /// The uppermost directory, relative to the surveyed one.
    path: PathBuf,
    is_hidden: bool,
    is_generated: bool,
    /// The number of names in it and below that match.
    count: u64,
}

impl SurveyedRegion {
    /// Returns its place in the order of reading.
    fn turn(&self) -> usize {
        match (self.is_hidden, self.is_generated) {
            (true, _) => 2,
            (false, true) => 1,
            (false, false) => 0,
        }
    }
}

/// A directory that is still to be read.
#[derive(Default)]
struct PendingDirectory {
    /// Relative to the surveyed one.
    path: PathBuf,
    /// The index of the region that it belongs to.
    region: usize,
}

/// The number of matching names in ordinary directories and in generated ones.
type NameCounts = [u64; 2];

/// Names found below a directory.
#[derive(Debug)]
pub(super) struct NameSurvey<'a> {
    sought: &'a NameMatcher,
    /// All names that match and are not hidden.
    all: NameCounts,
    /// The ordinary directories as one, then each that is hidden or generated.
    regions: Vec<SurveyedRegion>,
    /// Hidden names in directories that are not hidden.
    hidden_names: u64,
    /// The first paths in ordinary directories that match if case is ignored, each with its depth:
    /// shallower ones come first, because file systems list names in orders of their own.
    other_case: BTreeSet<(usize, String)>,
    /// The matching names by extension, if the sought pattern matches every name.
    extensions: BTreeMap<String, NameCounts>,
    /// True for each turn that ran out of time.
    is_cut: [bool; 3],
}

impl<'a> NameSurvey<'a> {
    /// Surveys everything below `base`, until `until`.
    pub fn survey_directory(base: &Path, sought: &'a NameMatcher, until: Instant) -> Self {
        let mut survey = Self {
            sought,
            all: NameCounts::default(),
            regions: vec![SurveyedRegion::default()],
            hidden_names: 0,
            other_case: BTreeSet::new(),
            extensions: BTreeMap::new(),
            is_cut: [false; 3],
        };
        let mut pending: [VecDeque<PendingDirectory>; 3] = Default::default();
        pending[0].push_back(PendingDirectory::default());
        for turn in 0..pending.len() {
            let until = match turn {
                1 => until.min(Instant::now() + GENERATED_TIMEOUT),
                _ => until,
            };
            while let Some(directory) = pending[turn].pop_front() {
                if !survey.read_directory(base, &directory, until, &mut pending) {
                    survey.is_cut[turn] = true;
                    break;
                }
            }
        }
        survey
    }

    /// Counts the names in a directory; false if time is over. An unreadable one counts as empty.
    fn read_directory(
        &mut self,
        base: &Path,
        directory: &PendingDirectory,
        until: Instant,
        pending: &mut [VecDeque<PendingDirectory>; 3],
    ) -> bool {
        let path = base.join(&directory.path);
        let entries = match fs::read_dir(&path) {
            Ok(entries) if !confinement::masks_name(&path) => entries,
            _ => return Instant::now() < until,
        };
        for (index, entry) in entries.flatten().enumerate() {
            if index % 64 == 0 && Instant::now() >= until {
                return false;
            }
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            let name = entry.file_name();
            if kind.is_file() || !self.sought.counts_files_only {
                self.count_name(directory, &name);
            }
            if kind.is_dir() {
                let path = directory.path.join(&name);
                if let Some(region) = self.region_of(&path, &name, directory.region) {
                    let turn = self.regions[region].turn();
                    pending[turn].push_back(PendingDirectory { path, region });
                }
            }
        }
        true
    }

    /// Returns the region that the directory `name` in region `above` belongs to; `None` if no
    /// recommended pattern leads into it.
    fn region_of(&mut self, path: &Path, name: &OsStr, above: usize) -> Option<usize> {
        let is_hidden = name.as_bytes().starts_with(b".");
        let is_generated = GENERATED_DIRECTORIES.split(' ').any(|built| built == name)
            || self.regions[above].is_generated;
        match self.regions[above].turn() {
            1 if is_hidden => return None,
            0 if is_hidden || is_generated => {}
            2 if is_hidden => {}
            _ => return Some(above),
        }
        self.regions.push(SurveyedRegion {
            path: path.to_owned(),
            is_hidden,
            is_generated,
            count: 0,
        });
        Some(self.regions.len() - 1)
    }

    /// Counts a name if it matches, or would if it were not hidden or written in another case.
    fn count_name(&mut self, directory: &PendingDirectory, name: &OsStr) {
        let (sought, region) = (self.sought, &mut self.regions[directory.region]);
        let bytes = name.as_bytes();
        if sought.names.matches(bytes) {
            region.count += 1;
            if !region.is_hidden {
                self.all[region.turn()] += 1;
                if sought.is_every_name()
                    && let Some(extension) = extension(bytes)
                {
                    let names = self.extensions.entry(extension.to_owned()).or_default();
                    names[region.turn()] += 1;
                }
            }
        } else if let Some(hidden) = &sought.hidden
            && bytes.starts_with(b".")
        {
            self.hidden_names += u64::from(!region.is_hidden && hidden.matches(bytes));
        } else if directory.region == 0
            && sought.folded.matches(&bytes.to_ascii_lowercase())
            && let Some(path) = directory.path.join(name).to_str()
        {
            let depth = directory.path.components().count();
            self.other_case.insert((depth, path.to_owned()));
            if self.other_case.len() > MAX_EXAMPLES {
                self.other_case.pop_last();
            }
        }
    }

    /// Writes the pattern, below `prefix`, for the names in all directories that are not hidden.
    pub fn names_below(&self, prefix: &str) -> Option<BetterPattern> {
        self.counted_pattern(prefix, &self.sought.names.text, self.all)
    }

    /// Writes the pattern for the commonest extension, if the sought pattern matches every name.
    pub fn commonest_below(&self, prefix: &str) -> Option<BetterPattern> {
        let extensions = self.extensions.iter().rev();
        let (extension, names) = extensions
            .filter(|(_, names)| names[0] > 0)
            .max_by_key(|(_, names)| names[0])?;
        self.counted_pattern(prefix, &format!("*.{extension}"), *names)
    }

    /// Writes a pattern with the number of names that it matches.
    fn counted_pattern(
        &self,
        prefix: &str,
        name: &str,
        [ordinary, built]: NameCounts,
    ) -> Option<BetterPattern> {
        let mut places = BTreeSet::new();
        if built > 0 {
            let regions = self.regions.iter();
            let regions = regions.filter(|region| region.turn() == 1 && region.count > 0);
            let names = regions.filter_map(|region| region.path.file_name());
            places.extend(names.map(|one| one.to_string_lossy().into_owned()));
        }
        (ordinary + built > 0).then(|| BetterPattern {
            is_lower_bound: self.is_cut[0] || self.is_cut[1],
            pattern: format!("{prefix}**/{name}"),
            number: ordinary + built,
            generated: built,
            generated_in: places.into_iter().collect(),
        })
    }

    /// Writes patterns, below `prefix`, for the hidden names, and for the names in hidden
    /// directories, the commonest first; generated ones come last, or not at all.
    pub fn hidden(&self, prefix: &str, with_generated: bool) -> Vec<BetterPattern> {
        let names = self.sought.hidden.as_ref().map(|hidden| {
            let pattern = format!("{prefix}**/{}", hidden.text);
            (false, Reverse(self.hidden_names), pattern)
        });
        let regions = self.regions.iter().filter(|region| region.is_hidden);
        let regions = regions.filter_map(|region| {
            // No request can hold a path that is not UTF-8.
            let directory = prefixed(prefix, region.path.to_str()?);
            let pattern = format!("{directory}/**/{}", self.sought.names.text);
            Some((region.is_generated, Reverse(region.count), pattern))
        });
        let mut all: Vec<_> = names.into_iter().chain(regions).collect();
        all.retain(|(is_generated, number, _)| number.0 > 0 && (with_generated || !is_generated));
        all.sort_unstable();
        all.truncate(MAX_EXAMPLES);
        let patterns = all.into_iter().map(|(_, number, pattern)| BetterPattern {
            pattern,
            number: number.0,
            is_lower_bound: self.is_cut.contains(&true),
            ..BetterPattern::default()
        });
        patterns.collect()
    }

    /// Returns the first names, relative to `prefix`, that match if case is ignored.
    pub fn other_case(&self, prefix: &str) -> Vec<String> {
        let paths = self.other_case.iter();
        paths.map(|(_, path)| prefixed(prefix, path)).collect()
    }
}

/// Returns the extension, if it is one that a pattern can name.
fn extension(name: &[u8]) -> Option<&str> {
    let offset = memchr::memrchr(b'.', name).filter(|offset| *offset > 0)?;
    let extension = std::str::from_utf8(&name[offset + 1..]).ok()?;
    let plain = (1..=12).contains(&extension.len());
    (plain && extension.bytes().all(|one| one.is_ascii_alphanumeric())).then_some(extension)
}

/// Writes the pattern that matches only `path` below `prefix`.
fn prefixed(prefix: &str, path: &str) -> String {
    format!("{prefix}{}", escaped(path))
}

/// Writes a path as a pattern that matches only this path.
pub(super) fn escaped(path: &str) -> String {
    let mut text = String::new();
    for c in path.chars() {
        if matches!(c, '*' | '?' | '[' | '\\' | '{' | '}' | ',') {
            text.push('\\');
        }
        text.push(c);
    }
    text
}
