//! The list of a zip file: the names and sizes of what is in it. Nothing of it is unpacked.

use std::fmt::Write as _;

use memchr::memmem;

use super::office::package::{EMPTY_ZIP, END_64_SIGNATURE, RECORD_SIGNATURE, ZipPackage};
use crate::error::DocumentError;
use iki_base::wording::{count_noun, counted_as, thousands};
use iki_markdown::document::Document;
use iki_markdown::limits::FileLimits;
use iki_markdown::writer::block_fence;

/// Maximum number of names in a list.
const MAX_NAMES: usize = 200;

/// Maximum length of a name in a list, in characters.
const MAX_NAME_CHARS: usize = 300;

/// Lists a zip file.
pub(super) fn read(bytes: &[u8], limits: &FileLimits) -> Result<Document, DocumentError> {
    let (count, listed) = match ZipPackage::open(bytes, limits.part, limits.end) {
        Ok(mut package) => package.list(MAX_NAMES),
        Err(error @ DocumentError::TooCostly) => first_entries(bytes).ok_or(error)?,
        Err(error) => return Err(error),
    };
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
        "This zip file has {entries}. These are their names; to read them, unpack \
         it.\n\n{fence}\n{list}{fence}"
    );
    Ok(Document {
        markdown,
        ..Document::default()
    })
}

/// Returns the number of entries of a file that has too many to be opened, and the names of the
/// first with their sizes once decompressed; `None` if its directory is not where it should be.
/// From 65,535 entries on the numbers are in a record of their own.
fn first_entries(bytes: &[u8]) -> Option<(usize, Vec<(String, u64)>)> {
    let number = |offset: usize, length: usize| {
        let field = bytes.get(offset..offset.checked_add(length)?)?.iter();
        let value = field
            .rev()
            .fold(0, |value, byte| value << 8 | u64::from(*byte));
        usize::try_from(value).ok()
    };
    let end = memmem::rfind(bytes, EMPTY_ZIP)?;
    let (mut count, mut record) = (number(end + 10, 2)?, number(end + 16, 4)?);
    if count == 0xffff || record == 0xffff_ffff {
        let end = memmem::rfind(bytes, END_64_SIGNATURE)?;
        (count, record) = (number(end + 32, 8)?, number(end + 48, 8)?);
    }
    let mut listed = Vec::new();
    while listed.len() < MAX_NAMES && bytes.get(record..)?.starts_with(RECORD_SIGNATURE) {
        let (name, size) = (record + 46, number(record + 24, 4)?);
        let behind = name + number(record + 28, 2)?;
        let text = String::from_utf8_lossy(bytes.get(name..behind)?);
        listed.push((text.into_owned(), size as u64));
        record = behind + number(record + 30, 2)? + number(record + 32, 2)?;
    }
    (!listed.is_empty()).then_some((count, listed))
}

#[cfg(test)]
mod tests {
    use super::{RECORD_SIGNATURE, read};
    use crate::kinds::FileKind;
    use iki_markdown::limits::FileLimits;

    #[test]
    fn an_empty_file_is_called_so() {
        let empty = [b"PK\x05\x06".as_slice(), &[0; 18]].concat();
        assert_eq!(FileKind::detect(&empty), Some(FileKind::Zip));
        let document = read(&empty, &FileLimits::default()).unwrap();
        assert_eq!(document.markdown, "This zip file is empty.");
    }

    #[test]
    fn of_too_many_entries_the_first_are_listed() {
        let (count, mut file) = (30_000_u16, b"PK\x03\x04".to_vec());
        for index in 0..count {
            let name = format!("f{index}.txt");
            let length = u8::try_from(name.len()).unwrap();
            let mut record = [RECORD_SIGNATURE, &[0; 42]].concat();
            (record[24], record[28]) = (7, length);
            file.extend([&record, name.as_bytes()].concat());
        }
        let mut end = [b"PK\x05\x06".as_slice(), &[0; 18]].concat();
        end[10..12].copy_from_slice(&count.to_le_bytes());
        end[16] = 4;
        file.extend(end);
        assert_eq!(FileKind::detect(&file), Some(FileKind::Zip));
        let markdown = read(&file, &FileLimits::default()).unwrap().markdown;
        assert!(
            markdown.starts_with("This zip file has 30,000 entries. "),
            "{markdown}"
        );
        let list = "\nf0.txt (7 bytes)\nf1.txt (7 bytes)\n";
        assert!(markdown.contains(list), "{markdown}");
        assert!(markdown.contains("\nf199.txt (7 bytes)\n… and 29,800 more\n"));
    }
}
