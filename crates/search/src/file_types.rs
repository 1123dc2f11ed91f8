//! Kinds of files by the names that ripgrep has for them, as the crate `ignore` lists them.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::sync::atomic::{AtomicBool, Ordering};

use ignore::types::{Types, TypesBuilder};

/// Kinds of files, one of which a file has to be.
#[derive(Debug)]
pub struct FileTypes {
    all: Types,
    /// Names that are no kind, each true once a file has had it for its extension.
    extensions: Vec<(String, AtomicBool)>,
}

impl FileTypes {
    /// Reads names such as `py` and `rust`; any other name is an extension.
    ///
    /// # Errors
    /// A name is neither.
    pub fn parse<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<Self, String> {
        let mut builder = TypesBuilder::new();
        builder.add_defaults();
        let known = builder.definitions();
        let mut extensions = Vec::new();
        for name in names {
            let name = name
                .trim()
                .trim_start_matches(['*', '.'])
                .to_ascii_lowercase();
            if !known.iter().any(|one| one.name() == name) {
                let added = builder.add(&name, &format!("*.{name}"));
                added.map_err(|_| format!("{name:?} is no kind of files"))?;
                extensions.push((name.clone(), AtomicBool::new(false)));
            }
            builder.select(&name);
        }
        let all = builder.build().map_err(|error| error.to_string())?;
        Ok(Self { all, extensions })
    }

    /// The names that are neither a kind nor the extension of a file that was met.
    #[must_use]
    pub fn unmatched(&self) -> Vec<&str> {
        let is_unmatched = |one: &&(String, AtomicBool)| !one.1.load(Ordering::Relaxed);
        let unmatched = self.extensions.iter().filter(is_unmatched);
        unmatched.map(|(name, _)| &**name).collect()
    }

    /// True if a file of this name is of one of these kinds.
    pub(super) fn take(&self, name: &[u8]) -> bool {
        for (extension, has_matched) in &self.extensions {
            let before = name.strip_suffix(extension.as_bytes());
            if before.is_some_and(|before| before.ends_with(b".")) {
                has_matched.store(true, Ordering::Relaxed);
            }
        }
        let name = OsStr::from_bytes(name);
        self.all.matched(name, false).is_whitelist()
    }
}
