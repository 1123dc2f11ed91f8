//! The note in bash's answer on refusals by the confinement. Denials reported by the kernel's audit
//! are stated as facts; a line of output is only reported as what the output says, because a page
//! or a package may have printed it. Neither recommends allowing anything that may do harm.

use std::path::Path;

use iki_base::wording::quoted_for_shell;
use iki_process::sandbox::confinement::audit::KernelDenial;
use iki_process::sandbox::confinement::{AccessRight, Confinement};
use iki_process::shell::refusal_messages::{MAX_PATH_BYTES, RefusalMessages};

/// Maximum number of denials that are listed.
const MAX_NAMED_DENIALS: usize = 3;

/// The words for a place that is never recommended.
const DO_WITHOUT: &str = "private, or too broad to allow: work without it";

/// A confined call that has ended.
#[derive(Clone, Copy)]
pub struct ConfinedCall<'a> {
    pub confinement: &'a Confinement,
    pub command: &'a str,
    pub code: i32,
}

impl ConfinedCall<'_> {
    /// The note, if the kernel or the output reports that something was refused.
    pub fn note(&self, denials: &[KernelDenial], messages: &RefusalMessages) -> Option<String> {
        let network = (messages.has_network_failure && self.code != 0).then(|| {
            let name = self.confinement.name_for_network();
            format!(
                "The output reports a network failure, and {name} turns the network off for this \
                 call. Work without it, or ask whoever set that."
            )
        });
        let refused = self.describe_denials(denials, messages);
        let refused = refused.or_else(|| self.describe_messages(messages));
        let sentences: Vec<String> = refused.into_iter().chain(network).collect();
        (!sentences.is_empty()).then(|| sentences.join(" "))
    }

    /// The denials that the kernel reported. Programs try much that they can do without: a denial
    /// that did not make the command fail only matters if the command names the file itself, or the
    /// output reports a refusal.
    fn describe_denials(
        &self,
        denials: &[KernelDenial],
        messages: &RefusalMessages,
    ) -> Option<String> {
        let is_named = |path: &Path| {
            let name = path.file_name().and_then(|name| name.to_str());
            name.is_some_and(|name| self.command.contains(name))
        };
        let matters = |denial: &&KernelDenial| match denial {
            KernelDenial::File { path, right, .. } => {
                // A shell tries the next program of that name, and ends with this code if there is
                // none.
                let failed = match right {
                    AccessRight::Execute => matches!(self.code, 126 | 127),
                    _ => self.code != 0,
                };
                failed || messages.has_refusal || is_named(path)
            }
            _ => true,
        };
        let all: Vec<&KernelDenial> = denials.iter().filter(matters).collect();
        let named = all.iter().take(MAX_NAMED_DENIALS);
        let (named, allowed): (Vec<String>, Vec<bool>) =
            named.map(|denial| self.describe_denial(denial)).unzip();
        let more = match all.len() - named.len() {
            0 => String::new(),
            more => format!("; and {more} more"),
        };
        (!named.is_empty()).then(|| {
            format!(
                "The confinement of this call refused {}{more}.{}{}",
                named.join("; "),
                whom_to_ask(allowed.contains(&true)),
                self.describe_writable_paths()
            )
        })
    }

    /// One denial in words, and whether anything allows it.
    fn describe_denial(&self, denial: &KernelDenial) -> (String, bool) {
        let (path, right, what, directory) = match denial {
            KernelDenial::File {
                path,
                right,
                concerns_name: true,
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
        (
            format!("{what} {} ({how})", display_path(path)),
            allowed.is_some(),
        )
    }

    /// The refusals of which the output of a failed command speaks.
    fn describe_messages(&self, messages: &RefusalMessages) -> Option<String> {
        const REPORTS: &str = "The output reports a refusal";
        if self.code == 0 || !messages.has_refusal {
            return None;
        }
        let writable = self.describe_writable_paths();
        let Some(outside) = &messages.outside else {
            // If it names paths that may be used, the refusal was somebody else's; the network has
            // a sentence of its own.
            let network = match self.confinement.name_for_network() {
                _ if self.confinement.has_network() => String::new(),
                name => format!(" It has no network ({name})."),
            };
            return (!messages.names_path && !messages.has_network_failure).then(|| {
                format!("{REPORTS}. This call is confined, which may be why.{writable}{network}")
            });
        };
        let (verb, both) = match outside.right {
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
            "{REPORTS}, and {} is outside of what this call may {verb} ({allowed}).{}{writable}",
            display_path(&outside.path),
            whom_to_ask(!how.is_empty())
        ))
    }

    /// The words by which a right in `directory` is allowed, if that is harmless.
    fn allowed(&self, right: AccessRight, directory: &Path) -> Option<String> {
        let name = directory.to_str().filter(|name| is_plain(name))?;
        self.confinement
            .words_to_allow(right, directory, &quoted_for_shell(name))
    }

    /// The sentence on where the call may write.
    fn describe_writable_paths(&self) -> String {
        let roots = self.confinement.roots().directories();
        if !self.confinement.confines_files() {
            return String::new();
        }
        let names: Vec<String> = roots
            .iter()
            .take(3)
            .map(|root| display_path(root))
            .collect();
        let more = if roots.len() > 3 { " and others" } else { "" };
        if names.is_empty() {
            return String::from(" For now you can write only in $TMPDIR.");
        }
        let names = names.join(", ");
        format!(" For now you can write only in {names}{more} and in $TMPDIR.")
    }
}

/// The sentence on whom to ask.
fn whom_to_ask(can_be_allowed: bool) -> &'static str {
    if can_be_allowed {
        " Only whoever set up the confinement can allow more: tell them what you need."
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
    name.len() <= MAX_PATH_BYTES && name.chars().all(|one| is_seen(one) && one != '`')
}

/// A path in a sentence.
fn display_path(path: &Path) -> String {
    let name = path.to_string_lossy();
    if is_plain(&name) && !name.contains([' ', '"', '\'', '\\']) {
        return name.into_owned();
    }
    let cut = name.chars().take(MAX_PATH_BYTES).collect::<String>();
    let more = if cut.len() < name.len() { "…" } else { "" };
    format!("{cut:?}{more}")
}

#[cfg(test)]
mod tests;
