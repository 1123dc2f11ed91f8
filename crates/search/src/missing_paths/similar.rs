//! Names in a directory that are like one that is missing there.

use std::fs;
use std::path::Path;
use std::time::Instant;

/// Maximum number of names of a directory that are compared with a mistyped one.
const MAX_NAMES_COMPARED: usize = 20_000;

/// Maximum number of similar names that are listed.
const MAX_SIMILAR_NAMES: usize = 3;

/// Minimum length of a name that is looked for within others.
const MIN_PART_BYTES: usize = 3;

/// The names in `directory` that are similar to `name` and below which `remainder` exists, the most
/// similar first, as far as they are found before `until`.
#[must_use]
pub(super) fn similar_names(
    directory: &Path,
    name: &str,
    remainder: &Path,
    until: Instant,
) -> Vec<String> {
    let directory = if directory.as_os_str().is_empty() {
        Path::new(".")
    } else {
        directory
    };
    let wanted = name.to_lowercase();
    let mut scored: Vec<(f64, String)> = Vec::new();
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    for (index, entry) in entries.take(MAX_NAMES_COMPARED).enumerate() {
        if index % 64 == 63 && Instant::now() >= until {
            break;
        }
        let Ok(other) = entry.file_name().into_string() else {
            continue;
        };
        if let Some(likeness) = likeness(&wanted, &other.to_lowercase()) {
            scored.push((likeness, other));
        }
    }
    scored
        .sort_unstable_by(|one, other| other.0.total_cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
    let is_there = |name: &String| {
        let path = directory.join(name);
        remainder.as_os_str().is_empty() || fs::symlink_metadata(path.join(remainder)).is_ok()
    };
    let names = scored.into_iter().map(|(_, name)| name).filter(is_there);
    names.take(MAX_SIMILAR_NAMES).collect()
}

/// True if the names of both have the same letters and digits, but for case.
#[must_use]
pub fn has_same_letters(one: &Path, other: &Path) -> bool {
    let name = |path: &Path| path.file_name()?.to_str().map(str::to_lowercase);
    match (name(one), name(other)) {
        (Some(one), Some(other)) => letters(&one).eq(letters(&other)),
        _ => false,
    }
}

fn letters(name: &str) -> impl Iterator<Item = char> {
    name.chars().filter(|c| c.is_alphanumeric())
}

/// The likeness of two names in small letters, at most 1; `None` if they are not alike.
fn likeness(one: &str, other: &str) -> Option<f64> {
    if letters(one).eq(letters(other)) {
        return Some(1.0);
    }
    let (stem, extension) = one.rsplit_once('.').unwrap_or((one, ""));
    let (other_stem, other_extension) = other.rsplit_once('.').unwrap_or((other, ""));
    if stem == other_stem && !stem.is_empty() {
        return Some(0.9);
    }
    // An extension in common does not make two names alike.
    let (name, other_name) = if extension == other_extension {
        (stem, other_stem)
    } else {
        (one, other)
    };
    let (length, other_length) = (name.chars().count(), other_name.chars().count());
    let longer = length.max(other_length);
    let limit = (longer * 3 / 10).max(1);
    // Names of very different length are no slips of each other.
    if length.abs_diff(other_length) <= limit {
        let distance = strsim::damerau_levenshtein(name, other_name);
        if distance <= limit && distance < longer {
            #[expect(clippy::cast_precision_loss, reason = "names are short")]
            return Some(0.8 - distance as f64 / longer as f64 / 10.0);
        }
    }
    let is_part = one.len() >= MIN_PART_BYTES && other.starts_with(one)
        || stem.len() >= MIN_PART_BYTES && other.contains(stem);
    is_part.then_some(0.5)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_alike_as_they_are_mistyped() {
        for (one, other) in [
            ("readme.md", "readme.md"),
            ("config.yml", "config.yaml"),
            ("index.js", "index.ts"),
            ("main", "main.rs"),
            ("user_service.py", "user-service.py"),
            ("databse.go", "database.go"),
            ("xx.txt", "x.txt"),
            ("user.py", "user_service.py"),
        ] {
            assert!(likeness(one, other).is_some(), "{one} {other}");
        }
        for (one, other) in [
            ("main.rs", "lib.rs"),
            ("a.txt", "b.txt"),
            ("abc.txt", "xbz.txt"),
            ("x", "xylophone.c"),
        ] {
            assert!(likeness(one, other).is_none(), "{one} {other}");
        }
    }
}
