//! Where a pattern looks, and what there is that it does not look at.

use std::path::{Path, PathBuf};

use super::survey::{Sought, Survey};
use super::{Asked, Below, Reason, place};
use crate::sort::Sort;

/// Where a pattern looks.
pub(super) struct Looked {
    /// The directories at its beginning that are there, with a slash behind each.
    prefix: String,
    /// The first directory that it names and that is not there.
    pub missing: Option<PathBuf>,
    /// Whether it looks directly in there, and nowhere else.
    direct: bool,
    /// The names that it looks for.
    pub sought: Sought,
}

impl Looked {
    pub fn at(asked: &Asked<'_>) -> Self {
        let pattern = asked.pattern.trim_end_matches('/');
        let (directories, last) = at_last_slash(pattern);
        let absolute = pattern.starts_with('/');
        let mut prefix = String::from(if absolute { "/" } else { "" });
        let (mut missing, mut direct) = (None, true);
        for part in directories.split('/').filter(|part| !part.is_empty()) {
            if part.contains(['*', '?', '[', '{', '\\']) {
                direct = false;
                break;
            }
            let next = format!("{prefix}{part}/");
            let path = joined(asked.path, &next);
            if !path.is_dir() {
                missing = Some(joined(asked.path, next.trim_end_matches('/')));
                direct = false;
                break;
            }
            prefix = next;
        }
        // `**` at the end matches all that is below.
        direct &= last != "**";
        // Braces may hold whole paths, of which the last components count.
        let alternatives = crate::search::braces::alternatives(last.as_bytes()).unwrap_or_default();
        let last = if alternatives.iter().any(|one| one.contains(&b'/')) {
            let texts = alternatives
                .iter()
                .filter_map(|one| std::str::from_utf8(one).ok());
            // A set that nothing is in, is a front end's, and no alternative.
            let ends = texts.map(|one| at_last_slash(one).1);
            let mut ends: Vec<&str> = ends.filter(|one| *one != "[b-a]").collect();
            ends.arrange();
            ends.dedup();
            match &ends[..] {
                [one] => (*one).to_owned(),
                several => format!("{{{}}}", several.join(",")),
            }
        } else {
            last.to_owned()
        };
        Self {
            prefix,
            missing,
            direct,
            sought: Sought::new(&last, asked.files_only),
        }
    }

    /// Where there is what it looks for, apart from the files that have been searched already.
    pub fn survey(&self, asked: Asked<'_>, searched: Option<u64>) -> Option<Reason> {
        // Nobody wants to know what lies below the root of the file system.
        if self.prefix == "/" && self.missing.is_some() {
            return None;
        }
        let base = joined(asked.path, &self.prefix);
        let survey = Survey::of(&base, &self.sought, asked.until);
        let is_deep = asked.pattern.split('/').any(|part| part == "**");
        let more = survey.all().number > searched.unwrap_or(0);
        if more && !(is_deep && searched.is_some()) {
            let below_only = searched.is_some() && self.direct;
            let most = || survey.pattern_of_most(&self.prefix, below_only);
            if let Some(found) = survey.pattern(&self.prefix, below_only) {
                let missing = self.missing.as_ref();
                return Some(Reason::Below(Below {
                    directory: without_slash(&base),
                    direct: self.direct,
                    missing: missing.map(|path| path.to_string_lossy().into_owned()),
                    found,
                    most: self.sought.is_every_name().then(most).flatten(),
                    built: survey.built(),
                }));
            }
        }
        let hidden = survey.hidden(&self.prefix);
        if !hidden.is_empty() {
            return Some(Reason::Hidden(hidden));
        }
        if searched.is_some() {
            return None;
        }
        let built = survey.built();
        if !built.is_empty() {
            return Some(Reason::OnlyBuilt(built));
        }
        let other_case = survey.other_case();
        let with_prefix = |name: &String| format!("{}{name}", self.prefix);
        (!other_case.is_empty())
            .then(|| Reason::OtherCase(other_case.iter().map(with_prefix).collect()))
    }

    /// Names that are like the one that it looks for, and directories.
    pub fn similar(&self, asked: &Asked<'_>) -> Option<Reason> {
        if self.sought.is_wild() && self.missing.is_none() {
            return None;
        }
        let path = match &self.missing {
            Some(missing) => missing.clone(),
            None => joined(asked.path, asked.pattern),
        };
        let (nearest, file, similar) = place::nearest(&path, asked.until);
        if self.missing.is_some() {
            return Some(Reason::MissingDirectory {
                path: path.to_string_lossy().into_owned(),
                nearest,
                file,
                similar,
            });
        }
        (!similar.is_empty()).then_some(Reason::Similar(nearest, similar))
    }
}

/// The part of a pattern before the last slash that is in no braces, and the one behind it.
pub(super) fn at_last_slash(pattern: &str) -> (&str, &str) {
    let mut level = 0_usize;
    let mut slash = None;
    for (at, byte) in pattern.bytes().enumerate() {
        match byte {
            b'{' => level += 1,
            b'}' => level = level.saturating_sub(1),
            b'/' if level == 0 => slash = Some(at),
            _ => {}
        }
    }
    slash.map_or(("", pattern), |at| (&pattern[..at], &pattern[at + 1..]))
}

/// `path` and what lies below it.
pub(super) fn joined(path: &str, below: &str) -> PathBuf {
    let whole = Path::new(path).join(below);
    if whole.as_os_str().is_empty() {
        PathBuf::from(".")
    } else {
        whole
    }
}

/// A directory, as it is spoken of.
fn without_slash(directory: &Path) -> String {
    let text = directory.to_string_lossy();
    match text.trim_end_matches('/') {
        "" => text.into_owned(),
        trimmed => trimmed.to_owned(),
    }
}
