//! Kinds of files by the names that ripgrep has for them, as the crate `ignore` lists them.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use ignore::types::{Types, TypesBuilder};

/// Kinds of files, one of which a file has to be.
#[derive(Clone, Debug)]
pub struct FileTypes(Types);

impl FileTypes {
    /// Reads names such as `py` and `rust`; any other name is an extension.
    ///
    /// # Errors
    /// A name is neither.
    pub fn of<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<Self, String> {
        let mut builder = TypesBuilder::new();
        builder.add_defaults();
        let known = builder.definitions();
        for name in names {
            let name = name
                .trim()
                .trim_start_matches(['*', '.'])
                .to_ascii_lowercase();
            if !known.iter().any(|one| one.name() == name) {
                let added = builder.add(&name, &format!("*.{name}"));
                added.map_err(|_| format!("{name:?} is no kind of files"))?;
            }
            builder.select(&name);
        }
        builder.build().map(Self).map_err(|error| error.to_string())
    }

    /// True if a file of this name is of one of these kinds.
    pub(super) fn take(&self, name: &[u8]) -> bool {
        self.0
            .matched(OsStr::from_bytes(name), false)
            .is_whitelist()
    }
}
