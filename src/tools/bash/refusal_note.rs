//! The note in bash's answer on refusals by the confinement. A denial that the kernel's audit tells
//! is a fact; of a line in the output the note only says that the output speaks of it. Neither
//! recommends allowing anything that is not harmless.

use std::path::Path;

use crate::basics::wording::quoted_for_shell;
use crate::sandbox::confinement::audit::KernelDenial;
use crate::sandbox::confinement::{AccessRight, Confinement};
use crate::shell::output_claims::{LONGEST_PATH, OutputClaims};

/// The most refusals that are told one by one.
const MOST: usize = 3;

/// The length of what is told of them, in bytes, at most; the first is told in any case.
const LONGEST: usize = 420;

/// The words for a place that is never recommended.
const DO_WITHOUT: &str = "private, or more than a command should get: do without it";

/// A confined call that has ended.
#[derive(Clone, Copy)]
pub struct ConfinedCall<'a> {
    pub confinement: &'a Confinement,
    pub command: &'a str,
    pub code: i32,
}

impl ConfinedCall<'_> {
    /// The note, if anything was refused, as the kernel told, or as the output speaks of it.
    pub fn note(&self, denials: &[KernelDenial], claims: &OutputClaims) -> Option<String> {
        let network = (claims.network && self.code != 0).then(|| {
            let name = self.confinement.name_for_network();
            format!(
                "The output speaks of the network, which {name} takes from this call: do without \
                 it, or tell whoever set that up what you need."
            )
        });
        let refused = self.facts(denials, claims).or_else(|| self.spoken(claims));
        let sentences: Vec<String> = refused.into_iter().chain(network).collect();
        (!sentences.is_empty()).then(|| sentences.join(" "))
    }

    /// The denials that the kernel told. Programs try much that they can do without: a denial that
    /// did not make the command fail only matters where the command names the file itself, or the
    /// output speaks of a refusal.
    fn facts(&self, denials: &[KernelDenial], claims: &OutputClaims) -> Option<String> {
        let is_named = |path: &Path| {
            let name = path.file_name().and_then(|name| name.to_str());
            name.is_some_and(|name| self.command.contains(name))
        };
        let matters = |denial: &&KernelDenial| match denial {
            KernelDenial::File { path, right, .. } => {
                // A shell goes on to the next program of that name, and ends so if there is none.
                let failed = match right {
                    AccessRight::Execute => matches!(self.code, 126 | 127),
                    _ => self.code != 0,
                };
                failed || claims.refusal || is_named(path)
            }
            _ => true,
        };
        let all = denials.iter().filter(matters).map(|one| self.fact(one));
        let (mut told, mut can_be_allowed, mut left, mut length) = (Vec::new(), false, 0, 0);
        for (fact, is_allowed) in all {
            length += fact.len();
            if told.len() == MOST || (!told.is_empty() && length > LONGEST) {
                left += 1;
                continue;
            }
            told.push(fact);
            can_be_allowed |= is_allowed;
        }
        let more = match left {
            0 => String::new(),
            left => format!("; and {left} more"),
        };
        (!told.is_empty()).then(|| {
            format!(
                "The confinement of this call refused {}{more}.{}{}",
                told.join("; "),
                ask(can_be_allowed),
                self.bounds()
            )
        })
    }

    /// One refusal in words, and whether anything allows it.
    fn fact(&self, denial: &KernelDenial) -> (String, bool) {
        let (path, right, what, directory) = match denial {
            KernelDenial::File {
                path,
                right,
                name: true,
            } => {
                let what = "making, renaming or removing what is in";
                (path, *right, what, path.as_path())
            }
            KernelDenial::File { path, right, .. } => {
                let what = match right {
                    AccessRight::Read => "reading",
                    AccessRight::Execute => "running",
                    AccessRight::Write => "writing",
                };
                (path, *right, what, directory_of(path))
            }
            KernelDenial::Network => {
                let name = self.confinement.name_for_network();
                return (format!("the network ({name} takes it away)"), false);
            }
            other => {
                let what = match other {
                    KernelDenial::Signal => "a signal to a process that this call did not start",
                    KernelDenial::Trace => "looking into a process outside of it",
                    KernelDenial::Mount => "mounting and unmounting",
                    _ => "a socket of a process outside of it",
                };
                return (format!("{what} (nothing allows that)"), false);
            }
        };
        let allowed = self.allowed(right, directory);
        let how = allowed
            .as_ref()
            .map_or(DO_WITHOUT.to_owned(), |how| format!("allowed by {how}"));
        (format!("{what} {} ({how})", shown(path)), allowed.is_some())
    }

    /// The claims in the output of a command that failed.
    fn spoken(&self, claims: &OutputClaims) -> Option<String> {
        const SPEAKS: &str = "The output speaks of a refusal";
        if self.code == 0 || !claims.refusal {
            return None;
        }
        let bounds = self.bounds();
        let Some(outside) = &claims.outside else {
            // If it names paths that may be used, somebody else refused; the network has a sentence
            // of its own.
            let network = match self.confinement.name_for_network() {
                _ if self.confinement.has_network() => String::new(),
                name => format!(" It has no network ({name})."),
            };
            return (!claims.names_path && !claims.network).then(|| {
                format!("{SPEAKS}. This call is confined, which may be why.{bounds}{network}")
            });
        };
        let (kept, both) = match outside.right {
            AccessRight::Write => ("write", None),
            _ => ("read or write", Some(AccessRight::Read)),
        };
        let directory = directory_of(&outside.path);
        let rights = both.into_iter().chain([AccessRight::Write]);
        let how: Vec<String> = rights
            .filter_map(|right| self.allowed(right, directory))
            .collect();
        let allowed = match &how[..] {
            [] => DO_WITHOUT.to_owned(),
            how => format!("allowed by {}", how.join(", or, to write there, by ")),
        };
        Some(format!(
            "{SPEAKS}, and {} is outside of what this call may {kept} ({allowed}).{}{bounds}",
            shown(&outside.path),
            ask(!how.is_empty())
        ))
    }

    /// The words by which a right in `directory` is allowed, if that is harmless.
    fn allowed(&self, right: AccessRight, directory: &Path) -> Option<String> {
        let name = directory.to_str().filter(|name| is_plain(name))?;
        self.confinement
            .words_to_allow(right, directory, &quoted_for_shell(name))
    }

    /// The sentence on where the call may write.
    fn bounds(&self) -> String {
        let roots = self.confinement.roots().directories();
        if !self.confinement.confines_files() {
            return String::new();
        }
        let names: Vec<String> = roots.iter().take(3).map(|root| shown(root)).collect();
        let more = if roots.len() > 3 { " and others" } else { "" };
        if names.is_empty() {
            return String::from(" As it is, you may write in $TMPDIR alone.");
        }
        let names = names.join(", ");
        format!(" As it is, you may write in {names}{more} and in $TMPDIR.")
    }
}

/// The sentence on whom to ask.
fn ask(can_be_allowed: bool) -> &'static str {
    if can_be_allowed {
        " Only whoever set that up can allow more: tell them what you need."
    } else {
        ""
    }
}

/// The directory that would have to be allowed for `path`.
fn directory_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !path.is_dir() => parent,
        _ => path,
    }
}

/// A name can be quoted here: all of it is seen, and nothing in it ends the quotation.
fn is_plain(name: &str) -> bool {
    let is_seen = |one: char| "'\"\\".contains(one) || one.escape_debug().count() == 1;
    name.len() <= LONGEST_PATH && name.chars().all(|one| is_seen(one) && one != '`')
}

/// A path in a sentence.
fn shown(path: &Path) -> String {
    let name = path.to_string_lossy();
    if is_plain(&name) && !name.contains([' ', '"', '\'', '\\']) {
        return name.into_owned();
    }
    let cut = name.chars().take(LONGEST_PATH).collect::<String>();
    let more = if cut.len() < name.len() { "…" } else { "" };
    format!("{cut:?}{more}")
}

#[cfg(test)]
mod tests;
