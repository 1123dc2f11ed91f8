//! Paths of requests: how they are named in an answer, and which other file one may be a slip of.

use std::path::Path;

use iki_process::sandbox::confinement;
use iki_search::missing_paths::{self, PathObstacle, PathWant};

/// True if `path` is written as an address of HTTP.
pub fn is_web_address(path: &str) -> bool {
    path.starts_with("https://") || path.starts_with("http://")
}

/// A path as it can be sent.
pub fn quoted(path: &Path) -> String {
    format!("{:?}", path.to_string_lossy())
}

/// The file that is there and that `path`, which is not there, may be a slip of: the one that a
/// reader would be told of, unless both may well be meant.
pub fn similar_path(path: &str) -> Option<String> {
    let reach = confinement::is_within_reach;
    let obstacle = missing_paths::path_obstacle(Path::new(path), reach)?;
    let PathObstacle::Missing {
        part,
        is_whole_path,
        similar,
    } = obstacle
    else {
        return None;
    };
    // Below a directory that is there, a path that ends like another's is one of its own.
    let is_below = part
        .parent()
        .is_some_and(|above| above.file_name().is_some());
    let is_slip = |meant: &String| !(is_below && path.ends_with(&format!("/{meant}")));
    let meant = missing_paths::meant_path(path, PathWant::File, reach).filter(|meant| meant.exists);
    let meant = meant.and_then(|meant| meant.path).filter(is_slip);
    meant.or_else(|| {
        let similar = similar.into_iter().next()?;
        // Files side by side have names that are alike.
        let is_slip = !is_whole_path || missing_paths::has_same_letters(&part, &similar);
        is_slip.then(|| similar.to_string_lossy().into_owned())
    })
}

/// The last part of `path`, as answers name a file.
pub fn base_name(path: &str) -> &str {
    let trimmed = path.trim_end_matches('/');
    trimmed.rsplit_once('/').map_or(trimmed, |(_, name)| name)
}
