//! The ways in which a path differs from what was meant.

use std::env;
use std::ffi::OsStr;
use std::fs::{self, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::OFlags;

use super::unexpanded::unexpanded;
use iki_base::unicode_form::{in_other_form, spelled_json};

/// The kind of thing that a call wants at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathWant {
    /// An existing file.
    File,
    /// A name in an existing directory, whether the file exists or not.
    Name,
    /// A file or a directory that can be read.
    Any,
}

/// A way in which a path differs from what was meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathSlip {
    /// `~`, which only shells expand.
    Tilde,
    /// A variable such as `$HOME`, likewise.
    Variable,
    /// A `file:` URL.
    Url,
    /// A line number after the name: `a.ts:5`, `a.ts:5:10`, `a.ts#L5`, `a.ts(5)`.
    LineNumber(u64),
    /// Quotes, backticks, blanks or line ends around the path.
    Around,
    /// `\` between directories.
    Backslashes,
    /// `\` before blanks, as in shells.
    Escaped,
    /// `@` before the path, by which some agents mark files.
    At,
    /// `a/` or `b/` before the path, as in diffs.
    Diff,
    /// `/` before a path that is relative to the working directory.
    Root,
    /// The working directory's own name before the path.
    Repeated,
    /// Other directories before a path that exists relative to the working directory.
    Elsewhere,
    /// `/` after a file's path.
    SlashAtEnd,
    /// Letters with accents in the other Unicode form.
    UnicodeForm,
}

impl PathSlip {
    /// True if it is certain even if the meant path does not exist.
    fn is_sure(self) -> bool {
        matches!(self, Self::Tilde | Self::Variable | Self::Url)
    }

    /// True if `meant` is only a guess for `path`: any name can be a new file's, and many files may
    /// have the last name of a relative path.
    fn is_guess(self, path: &str, meant: &str, wants: PathWant) -> bool {
        let is_name = wants == PathWant::Name;
        match self {
            Self::Elsewhere if wants == PathWant::File => {
                !path.starts_with('/') && !meant.contains('/')
            }
            Self::LineNumber(_)
            | Self::UnicodeForm
            | Self::Diff
            | Self::At
            | Self::Backslashes
            | Self::Elsewhere => is_name,
            Self::Root | Self::Repeated => is_name && !meant.contains('/'),
            Self::SlashAtEnd => {
                is_name && !fs::metadata(meant).is_ok_and(|status| status.is_file())
            }
            _ => false,
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::Tilde => "~ is not expanded",
            Self::Variable => "Variables are not expanded",
            Self::Url => "It takes a path, not a URL",
            Self::LineNumber(_) => "The line number is not part of the name",
            Self::Around => "The path is surrounded by quotes, blanks or a line end",
            Self::Backslashes => "Directories are separated by /",
            Self::Escaped => "Blanks in a path need no backslash",
            Self::At => "The @ is not part of the path",
            Self::Diff => "The a/ and b/ in a diff are not directories",
            Self::Root => "It is below the working directory, not below /",
            Self::Repeated => {
                "Relative paths start in the working directory, whose name is left out"
            }
            Self::Elsewhere => "It is below the working directory",
            Self::SlashAtEnd => "A path that ends in / names a directory, and this is a file",
            Self::UnicodeForm => "Its accents are in the other Unicode normalization form there",
        }
    }
}

/// A path that was meant.
#[derive(Debug, PartialEq, Eq)]
pub struct MeantPath {
    /// The slip in the one that was sent.
    pub slip: PathSlip,
    /// The path, where it is known.
    pub path: Option<String>,
    /// True if the wanted thing is there.
    pub exists: bool,
    wants: PathWant,
}

impl MeantPath {
    /// Names the slip and the path to send, which `sent` writes as a call has it.
    #[must_use]
    pub fn advice(&self, sent: impl FnOnce(&str) -> String) -> String {
        let words = self.slip.words();
        let Some(path) = &self.path else {
            return format!("{words}: send the path itself.");
        };
        let missing = match self.wants {
            _ if self.exists => "",
            PathWant::Name => ", whose directory does not exist either",
            PathWant::File | PathWant::Any => ", which does not exist either",
        };
        format!("{words}: send {}{missing}.", spelled_json(sent(path)))
    }
}

/// The path that was meant by `path`, if it has one of the known slips. A path is only suggested
/// if `may_suggest` allows it.
#[must_use]
pub fn meant_path(
    path: &str,
    wants: PathWant,
    may_suggest: fn(&Path) -> bool,
) -> Option<MeantPath> {
    let mut slips = slips(path);
    slips.retain(|(slip, meant)| !slip.is_guess(path, meant, wants));
    let there = |path: &String| may_suggest(Path::new(path)) && is_there(path, wants);
    // Two slips at once, such as a line number within quotes, are reported as the first of them.
    for (slip, once) in &slips {
        let twice = self::slips(once).into_iter().filter(|(slip, meant)| {
            *slip != PathSlip::Elsewhere && !slip.is_guess(once, meant, wants)
        });
        let mut paths = std::iter::once(once.clone()).chain(twice.map(|(_, path)| path));
        if let Some(path) = paths.find(there) {
            return Some(MeantPath {
                slip: *slip,
                path: Some(path),
                exists: true,
                wants,
            });
        }
    }
    let sure = slips.into_iter().find(|(slip, _)| slip.is_sure());
    let sure = sure.map(|(slip, meant)| (slip, Some(meant)));
    // The value of a variable may not be known.
    let (slip, meant) = match sure {
        Some(sure) => sure,
        None => unexpanded(path.trim()).map(|_| (PathSlip::Variable, None))?,
    };
    Some(MeantPath {
        slip,
        // A search only recommends what it has seen.
        path: meant.filter(|meant| wants != PathWant::Any && may_suggest(Path::new(meant))),
        exists: false,
        wants,
    })
}

fn is_there(path: &str, wants: PathWant) -> bool {
    match wants {
        PathWant::File => fs::metadata(path).is_ok_and(|status| !status.is_dir()),
        PathWant::Name => !path.is_empty() && has_directory(Path::new(path)),
        PathWant::Any => is_readable(path),
    }
}

/// True if the directory of `path` exists, and `path` itself is not a directory.
fn has_directory(path: &Path) -> bool {
    let parent = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    parent.unwrap_or(Path::new(".")).is_dir() && !path.is_dir()
}

/// True if `path` leads to a readable file or directory. If the kernel confines the process, this
/// reveals nothing about paths outside.
fn is_readable(path: &str) -> bool {
    if !fs::metadata(path).is_ok_and(|status| status.is_dir() || status.is_file()) {
        return false;
    }
    // A FIFO that has taken its place meanwhile is not waited for.
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(flags.bits().cast_signed());
    options.open(path).is_ok()
}

/// The ways to read `path` otherwise than it is written.
#[must_use]
pub fn slips(path: &str) -> Vec<(PathSlip, String)> {
    let mut guesses = Vec::new();
    let mut add = |slip, meant: Option<String>| {
        let other = meant.filter(|meant| !meant.is_empty() && meant != path);
        guesses.extend(other.map(|meant| (slip, meant)));
    };
    add(PathSlip::Around, Some(without_quotes(path).to_owned()));
    add(PathSlip::Url, from_url(path));
    let unexpanded = unexpanded(path.trim());
    if let Some(unexpanded) = &unexpanded {
        let slip = if unexpanded.is_tilde {
            PathSlip::Tilde
        } else {
            PathSlip::Variable
        };
        add(slip, unexpanded.path());
    }
    if let Some((file, line)) = without_line_number(path) {
        add(PathSlip::LineNumber(line), Some(file.to_owned()));
    }
    add(PathSlip::UnicodeForm, in_other_form(path));
    add(PathSlip::At, path.strip_prefix('@').map(str::to_owned));
    let diff = path.strip_prefix("a/").or_else(|| path.strip_prefix("b/"));
    add(PathSlip::Diff, diff.map(str::to_owned));
    add(PathSlip::Escaped, Some(path.replace("\\ ", " ")));
    add(PathSlip::Backslashes, Some(path.replace('\\', "/")));
    let trimmed = path.trim_end_matches('/');
    add(PathSlip::SlashAtEnd, Some(trimmed.to_owned()));
    let relative = path.trim_start_matches('/');
    add(PathSlip::Root, Some(relative.to_owned()));
    // The rest of a path that leads up is not known.
    let leads_down = unexpanded.is_none() && path.split('/').all(|part| part != "..");
    let mut remainder = leads_down.then_some(relative);
    let here = env::current_dir().unwrap_or_default();
    let mut repeats = here.file_name().and_then(OsStr::to_str);
    while let Some((first, behind)) = remainder.and_then(|path| path.split_once('/')) {
        let slip = match repeats.take() {
            Some(name) if name == first => PathSlip::Repeated,
            _ => PathSlip::Elsewhere,
        };
        add(slip, Some(behind.to_owned()));
        remainder = Some(behind);
    }
    guesses
}

/// Takes away quotes and blanks around `text`.
fn without_quotes(text: &str) -> &str {
    let around = |one: char| one.is_whitespace() || "\"'`<>".contains(one);
    text.trim_matches(around)
}

/// The path of a `file:` URL.
fn from_url(path: &str) -> Option<String> {
    let (scheme, tail) = path.trim().split_once(':')?;
    if !scheme.eq_ignore_ascii_case("file") {
        return None;
    }
    let tail = match tail.strip_prefix("//") {
        Some(tail) => tail.strip_prefix("localhost").unwrap_or(tail),
        None => tail,
    };
    let decoded = percent_encoding::percent_decode_str(tail).decode_utf8();
    Some(decoded.ok()?.into_owned())
}

/// A path without its trailing line number, as compilers, editors and web pages write it, and that
/// number.
fn without_line_number(path: &str) -> Option<(&str, u64)> {
    let path = path.trim_end_matches([':', ' ']);
    if let Some((file, place)) = path.rsplit_once('#') {
        let place = place.trim_start_matches(['L', 'l', 'C']);
        let digits = place.bytes().take_while(u8::is_ascii_digit).count();
        let line = place[..digits].parse().ok()?;
        return Some((file, line));
    }
    let mut shortest = None;
    let in_brackets = path
        .strip_suffix(')')
        .filter(|path| path.ends_with(|last: char| last.is_ascii_digit()));
    let mut file = in_brackets.unwrap_or(path);
    // A column follows the line, and a range may.
    while let Some((before, number)) = file.rsplit_once([':', ',', '(']) {
        let number = number.trim().trim_start_matches(['L', 'l']);
        let number = number.split('-').next().unwrap_or_default();
        let Ok(number) = number.parse() else {
            break;
        };
        shortest = Some(number);
        file = before;
    }
    shortest
        .filter(|_| !file.is_empty())
        .map(|line| (file, line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_read_as_they_were_meant() {
        for (path, slip, meant) in [
            ("a.ts:5", PathSlip::LineNumber(5), "a.ts"),
            ("src/a.ts:5:10", PathSlip::LineNumber(5), "src/a.ts"),
            ("a.ts:5-10", PathSlip::LineNumber(5), "a.ts"),
            ("a.ts:L5", PathSlip::LineNumber(5), "a.ts"),
            ("a.ts#L5", PathSlip::LineNumber(5), "a.ts"),
            ("a.ts#L5-L9", PathSlip::LineNumber(5), "a.ts"),
            ("a.ts:12:", PathSlip::LineNumber(12), "a.ts"),
            ("a.ts(12)", PathSlip::LineNumber(12), "a.ts"),
            ("a.ts(12,5)", PathSlip::LineNumber(12), "a.ts"),
            ("file:///tmp/a%20b", PathSlip::Url, "/tmp/a b"),
            ("file://localhost/tmp/a", PathSlip::Url, "/tmp/a"),
            ("\"a.ts\"\n", PathSlip::Around, "a.ts"),
            ("@src/a.ts", PathSlip::At, "src/a.ts"),
            ("b/src/a.ts", PathSlip::Diff, "src/a.ts"),
            ("src\\a.ts", PathSlip::Backslashes, "src/a.ts"),
            ("my\\ file", PathSlip::Escaped, "my file"),
            ("/src/a.ts", PathSlip::Root, "src/a.ts"),
            ("/work/src/a.ts", PathSlip::Elsewhere, "src/a.ts"),
        ] {
            let guesses = slips(path);
            assert!(
                guesses.contains(&(slip, meant.to_owned())),
                "{path}: {guesses:?}"
            );
        }
        for path in [
            "a.ts",
            "src/a-5.ts",
            "a:b",
            "#",
            ":5",
            "C++#",
            "",
            "f()",
            "a (b)",
        ] {
            let guesses = slips(path);
            assert!(
                !guesses
                    .iter()
                    .any(|(slip, _)| matches!(slip, PathSlip::LineNumber(_))),
                "{path}: {guesses:?}"
            );
        }
    }
}
