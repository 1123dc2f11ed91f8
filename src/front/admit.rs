//! What a request may name where files outside some directories are out of bounds, decided before
//! the call.
//!
//! This is the half of a confinement that answers in words. Which fields name files, the tool's row
//! says; what lies within the directories, [`Roots`] says.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use crate::contract::tool::{AccessScope, Tool};
use crate::sandbox::confinement::{Confinement, Right};
use crate::sandbox::roots::{self, Roots};
use crate::search::steps::{PatternStart, starts};

/// Where a command starts, if a request says so: a field that the specification's schema does not
/// have.
pub const WORKDIR: &str = "workdir";

/// What a request names and may not have.
#[derive(Debug)]
pub struct PathRefusal<'a> {
    /// As it is written there.
    pub path: Cow<'a, str>,
    /// Where that leads, as far as it can be told.
    pub real: PathBuf,
    /// What was wanted.
    pub right: Right,
}

/// Lets a request pass, or says why not. `given` reads its fields, and relative names start `here`;
/// `outputs` are directories beside the readable ones, of which files may be read whose names are
/// known. Of a wildcard pattern the names before the first wildcard have to lie within, and no `..`
/// may follow one; whatever else it names is found by listing, which a confined call cannot do
/// outside.
pub fn check_request_paths<'a>(
    confinement: &Confinement,
    outputs: &Roots,
    tool: &Tool,
    here: &Path,
    given: impl Fn(&str) -> Option<&'a str>,
) -> Result<(), PathRefusal<'a>> {
    let right = if tool.hints.read_only || tool.scope == AccessScope::Machine {
        Right::Read
    } else {
        Right::Write
    };
    let within = match right {
        Right::Write => confinement.roots(),
        Right::Read | Right::Execute => confinement.readable(),
    };
    // The directories, or the outputs: whichever hold what is named.
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
            Some(path) if !may_start_in(confinement, &here.join(path)) => Err(refused(path)),
            _ => Ok(()),
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
            // Of the outputs only those can be read whose names are known.
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
            if !starts(text.as_bytes()).into_iter().any(lies_outside) {
                return Ok(());
            }
            // Alternatives lead to several places: what is spoken of is named before them.
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

/// Whether a command may read where it is to start.
fn may_start_in(confinement: &Confinement, path: &Path) -> bool {
    let real = roots::follow(path, |_| {});
    real.is_some_and(|real| confinement.grants(&real, Right::Read))
}

#[cfg(test)]
mod tests;
