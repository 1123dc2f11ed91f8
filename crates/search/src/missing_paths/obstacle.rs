//! The part of a path from which on it leads nowhere.

use std::fs;
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, Instant};

use super::similar::similar_names;

/// The timeout for listing a directory to find names similar to a mistyped one.
const LISTING_TIMEOUT: Duration = Duration::from_millis(30);

/// The obstacle at which a path ends.
#[derive(Debug, PartialEq, Eq)]
pub enum PathObstacle {
    /// It leads to a directory.
    Directory,
    /// This part of it is a file, not a directory.
    NoDirectory(PathBuf),
    /// It is a symbolic link to this, which does not exist.
    Dangling(PathBuf),
    /// This part of it does not exist.
    Missing {
        /// The part, up to the missing name.
        part: PathBuf,
        /// True if that is the whole path: only the file itself is missing.
        is_whole_path: bool,
        /// Existing paths with similar names, the likeliest first.
        similar: Vec<PathBuf>,
    },
}

/// Finds the obstacle at which `path` ends; `None` if it leads to a file, or that is not known.
/// Names in a directory are only suggested if `may_suggest` allows it.
#[must_use]
pub fn path_obstacle(path: &Path, may_suggest: fn(&Path) -> bool) -> Option<PathObstacle> {
    if fs::metadata(path).is_ok_and(|status| status.is_dir()) {
        return Some(PathObstacle::Directory);
    }
    let parts: Vec<Component<'_>> = path.components().collect();
    let mut part = PathBuf::new();
    for (index, one) in parts.iter().enumerate() {
        let above = part.clone();
        part.push(one);
        match fs::metadata(&part) {
            Ok(status) if status.is_dir() => {}
            Ok(_) if index + 1 < parts.len() => return Some(PathObstacle::NoDirectory(part)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                if let Ok(to) = fs::read_link(&part) {
                    return Some(PathObstacle::Dangling(to));
                }
                let remainder: PathBuf = parts[index + 1..].iter().collect();
                let name = one.as_os_str().to_str().filter(|_| may_suggest(&above));
                let until = Instant::now() + LISTING_TIMEOUT;
                let names = name.map(|name| similar_names(&above, name, &remainder, until));
                let paths = names.into_iter().flatten().map(|name| above.join(name));
                let similar = paths.map(|path| match remainder.as_os_str() {
                    remainder if remainder.is_empty() => path,
                    remainder => path.join(remainder),
                });
                let similar = similar.collect();
                let is_whole_path = index + 1 == parts.len();
                return Some(PathObstacle::Missing {
                    part,
                    is_whole_path,
                    similar,
                });
            }
            Ok(_) | Err(_) => return None,
        }
    }
    None
}
