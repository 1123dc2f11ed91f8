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

/// Where a command starts, if a request says so: a field that the specification's schema does not
/// have.
pub const WORKDIR: &str = "workdir";

/// What a request names and may not have.
#[derive(Debug)]
pub struct Refused<'a> {
    /// As it is written there.
    pub path: Cow<'a, str>,
    /// Where that leads, as far as it can be told.
    pub real: PathBuf,
    /// What was wanted.
    pub right: Right,
}

/// A field that is to be replaced, and by what.
type Rewritten = Option<(&'static str, String)>;

/// Lets a request pass, or says why not. `given` reads its fields, and relative names start `here`;
/// `outputs` are directories beside the readable ones, of which files may be read whose names are
/// known. A wildcard pattern comes back, rewritten so that it means the same and finds names by
/// listing directories alone, which a confined call cannot do outside.
pub fn admit<'a>(
    confinement: &Confinement,
    outputs: &Roots,
    tool: &Tool,
    here: &Path,
    given: impl Fn(&str) -> Option<&'a str>,
) -> Result<Rewritten, Refused<'a>> {
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
            .find(|within| within.hold(path))
    };
    let masked = |path: &Path| {
        let real = roots::follow(path, |_| {});
        real.is_some_and(|real| confinement.masks(&real, right))
    };
    let refused = |path: &'a str| {
        let real = roots::follow(&here.join(path), |_| {});
        Refused {
            path: Cow::Borrowed(path),
            real: real.unwrap_or_else(|| here.join(path)),
            right,
        }
    };
    match tool.scope {
        AccessScope::Network => Ok(None),
        AccessScope::Machine => match given(WORKDIR) {
            Some(path) if !may_start_in(confinement, &here.join(path)) => Err(refused(path)),
            _ => Ok(None),
        },
        AccessScope::File(field) => match given(field) {
            Some(path) if masked(&here.join(path)) || holding(&here.join(path)).is_none() => {
                Err(refused(path))
            }
            _ => Ok(None),
        },
        AccessScope::Paths { directory, pattern } => {
            let path = given(directory).unwrap_or_default();
            let base = here.join(path);
            if masked(&base) {
                return Err(refused(path));
            }
            let within = holding(&base).ok_or_else(|| refused(path))?;
            // Of the outputs only those can be read whose names are known.
            if !confinement.readable().hold(&base) && base.is_dir() {
                return Err(refused(path));
            }
            let Some(text) = given(pattern) else {
                return Ok(None);
            };
            // Wildcards stand for names below the directory that is named before them.
            let wild = |part: &str| part.contains(['*', '?', '[', '{', '\\']);
            let named = text.split_inclusive('/').take_while(|part| !wild(part));
            let place = base.join(named.collect::<String>());
            let listed = within.listed(&base, text);
            let listed = listed.filter(|_| !masked(&place)).ok_or_else(|| Refused {
                real: roots::follow(&place, |_| {}).unwrap_or(place),
                ..refused(text)
            })?;
            Ok(Some((pattern, listed)))
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
