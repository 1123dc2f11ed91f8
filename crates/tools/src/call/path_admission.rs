//! The paths that a request may name when files outside some directories are out of bounds, decided
//! before the call.
//!
//! This is the half of a confinement that answers in words. The tool's row says which fields name
//! files; [`RootSet`] says what lies within the directories.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use crate::contract::tool::{AccessScope, Tool};
use iki_process::sandbox::confinement::{AccessRight, Confinement};
use iki_process::sandbox::roots::{self, RootSet};
use iki_search::glob_pattern::{PatternStart, pattern_starts};

/// The field that names a command's directory; the specification's schema does not have it.
pub const WORKDIR: &str = "workdir";

/// A path that a request names and may not have.
#[derive(Debug)]
pub struct PathRefusal<'a> {
    /// The path as the request has it.
    pub path: Cow<'a, str>,
    /// The path that it leads to, as far as it can be resolved.
    pub real: PathBuf,
    /// The access that was wanted.
    pub right: AccessRight,
}

/// Admits a request, or refuses it. `given` reads its fields, and relative names start `here`;
/// `outputs` are further directories, of which files may be read only by their full names, and in
/// which a command may start. The names in a wildcard pattern before the first wildcard have to lie
/// within, and no `..` may follow a wildcard; all its other matches are found by listing, which a
/// confined call cannot do outside.
pub fn check_request_paths<'a>(
    confinement: &Confinement,
    outputs: &RootSet,
    tool: &Tool,
    here: &Path,
    given: impl Fn(&str) -> Option<&'a str>,
) -> Result<(), PathRefusal<'a>> {
    let right = if tool.hints.read_only || tool.scope == AccessScope::Machine {
        AccessRight::Read
    } else {
        AccessRight::Write
    };
    let within = confinement.roots_for(right);
    // The directories or the outputs, whichever hold the path.
    let holding = |path: &Path| {
        [within, outputs]
            .into_iter()
            .find(|within| within.contains_resolved(path))
    };
    let masked = |path: &Path| {
        let real = roots::follow(path, |_| {});
        real.is_some_and(|real| confinement.masks(&real, right))
    };
    let refused = |path: &'a str| {
        let real = roots::follow(&here.join(path), |_| {});
        PathRefusal {
            path: Cow::Borrowed(path),
            real: real.unwrap_or_else(|| here.join(path)),
            right,
        }
    };
    match tool.scope {
        AccessScope::Network => Ok(()),
        AccessScope::Machine => match given(WORKDIR) {
            Some(path) => {
                let place = here.join(path);
                let may_start = outputs.contains_resolved(&place);
                if may_start || may_start_in(confinement, &place) {
                    return Ok(());
                }
                Err(refused(path))
            }
            None => Ok(()),
        },
        AccessScope::File(field) => match given(field) {
            Some(path) if masked(&here.join(path)) || holding(&here.join(path)).is_none() => {
                Err(refused(path))
            }
            _ => Ok(()),
        },
        AccessScope::Paths { directory, pattern } => {
            let path = given(directory).unwrap_or_default();
            let base = here.join(path);
            if masked(&base) {
                return Err(refused(path));
            }
            let within = holding(&base).ok_or_else(|| refused(path))?;
            // Files among the outputs can be read only by their full names.
            if !confinement.readable().contains_resolved(&base) && base.is_dir() {
                return Err(refused(path));
            }
            let Some(text) = given(pattern) else {
                return Ok(());
            };
            let lies_outside = |start: PatternStart| {
                let place = base.join(start.path);
                start.leads_up || masked(&place) || !within.contains_resolved(&place)
            };
            if !pattern_starts(text.as_bytes())
                .into_iter()
                .any(lies_outside)
            {
                return Ok(());
            }
            // Alternatives lead to several places: the message has the part of the name before
            // them.
            let is_plain = |part: &&str| !part.contains(['*', '?', '[', '{', '\\']);
            let named = text.split_inclusive('/').take_while(is_plain);
            let place = base.join(named.collect::<String>());
            Err(PathRefusal {
                real: roots::follow(&place, |_| {}).unwrap_or(place),
                ..refused(text)
            })
        }
    }
}

/// True if a command may read the directory that it starts in.
fn may_start_in(confinement: &Confinement, path: &Path) -> bool {
    let real = roots::follow(path, |_| {});
    real.is_some_and(|real| confinement.grants(&real, AccessRight::Read))
}

#[cfg(test)]
mod tests;
