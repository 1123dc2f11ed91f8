//! The list of a zip file: the names and sizes of what is in it. Nothing of it is unpacked.

use std::fmt::Write as _;

use super::markdown::block_fence;
use super::office::package::ZipPackage;
use super::{Document, DocumentError, FileLimits};
use iki_base::wording::{count_noun, counted_as, thousands};

/// Maximum number of names in a list.
const MAX_NAMES: usize = 200;

/// Maximum length of a name in a list, in characters.
const MAX_NAME_CHARS: usize = 300;

/// Lists a zip file.
pub(super) fn read(bytes: &[u8], limits: &FileLimits) -> Result<Document, DocumentError> {
    let mut package = ZipPackage::open(bytes, limits.part, limits.end)?;
    let (count, listed) = package.list(MAX_NAMES);
    if listed.is_empty() {
        return Ok(Document {
            markdown: "This zip file is empty.".to_owned(),
            ..Document::default()
        });
    }
    let mut list = String::new();
    for (name, size) in &listed {
        let plain = |c: char| {
            if c.is_control() {
                char::REPLACEMENT_CHARACTER
            } else {
                c
            }
        };
        let name: String = name.chars().take(MAX_NAME_CHARS).map(plain).collect();
        let _ = if name.ends_with('/') {
            writeln!(list, "{name}")
        } else {
            writeln!(list, "{name} ({})", count_noun(*size, "byte"))
        };
    }
    let left = count.saturating_sub(listed.len()) as u64;
    if left > 0 {
        let _ = writeln!(list, "… and {} more", thousands(left));
    }
    let (mark, length) = block_fence(&list);
    let fence = mark.to_string().repeat(length);
    let entries = counted_as(count as u64, "entry", "entries");
    let markdown = format!(
        "This zip file has {entries}. These are their names; to read them, unpack it.\n\n\
         {fence}\n{list}{fence}"
    );
    Ok(Document {
        markdown,
        ..Document::default()
    })
}

#[cfg(test)]
mod tests {
    use super::{FileLimits, read};
    use crate::FileKind;

    #[test]
    fn an_empty_file_is_called_so() {
        let empty = [b"PK\x05\x06".as_slice(), &[0; 18]].concat();
        assert_eq!(FileKind::detect(&empty), Some(FileKind::Zip));
        let document = read(&empty, &FileLimits::default()).unwrap();
        assert_eq!(document.markdown, "This zip file is empty.");
    }
}
