//! Names that the caller leaves out of a walk, each pattern as a line of a `.gitignore` where the
//! walk begins would have it.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// Patterns of names to be left out.
#[derive(Debug)]
pub struct Exclusions(Vec<Exclusion>);

/// One of them.
#[derive(Debug)]
struct Exclusion {
    /// The pattern as the caller wrote it, if it is to be told that it leaves nothing out.
    written: Option<String>,
    rule: Gitignore,
    /// True once it has left a name out, or brought one back.
    has_matched: AtomicBool,
}

impl Exclusions {
    /// Reads patterns, each as it is told if it leaves nothing out, and as a line of a
    /// `.gitignore`.
    ///
    /// # Errors
    /// One of them is not a pattern; the reason in words.
    pub fn parse(
        patterns: impl IntoIterator<Item = (Option<String>, String)>,
    ) -> Result<Self, String> {
        let read = |(written, line): (Option<String>, String)| {
            let mut builder = GitignoreBuilder::new(".");
            // A name may begin like a comment.
            let escape = if line.starts_with('#') { "\\" } else { "" };
            let added = builder.add_line(None, &format!("{escape}{line}"));
            let rule = added.and_then(|builder| builder.build());
            Ok(Exclusion {
                written,
                rule: rule.map_err(|error| error.to_string())?,
                has_matched: AtomicBool::new(false),
            })
        };
        patterns
            .into_iter()
            .map(read)
            .collect::<Result<_, _>>()
            .map(Self)
    }

    /// True if one of them leaves out this path, relative to where the walk begins.
    #[must_use]
    pub fn leave_out(&self, path: &[u8], is_directory: bool) -> bool {
        let path = Path::new(OsStr::from_bytes(path));
        let mut leaves_out = false;
        for one in &self.0 {
            let matched = one.rule.matched(path, is_directory);
            if matched.is_ignore() || matched.is_whitelist() && leaves_out {
                one.has_matched.store(true, Ordering::Relaxed);
                leaves_out = matched.is_ignore();
            }
        }
        leaves_out
    }

    /// Those that have left nothing out so far.
    #[must_use]
    pub fn unmatched(&self) -> Vec<&str> {
        let unmatched = |one: &&Exclusion| !one.has_matched.load(Ordering::Relaxed);
        let unmatched = self.0.iter().filter(unmatched);
        unmatched.filter_map(|one| one.written.as_deref()).collect()
    }
}
