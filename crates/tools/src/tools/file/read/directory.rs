//! The entries of a directory, a line each, in the order of their bytes.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Instant;

use super::converted_text::ConvertedLines;
use super::lines::LineRange;
use crate::contract::failure::Failure;
use crate::contract::reply::Reply;
use crate::tools::file::failure;
use iki_base::wording::{count_noun, counted_as};
use iki_base::{control_spelling, unseen};
use iki_files::{self as files, DirectoryEntryKind, FileAccessError};

/// The most entries in one answer.
const MAX_ENTRIES: usize = 1000;

pub fn reply<'a>(wanted: &LineRange<'a>, end: Option<Instant>) -> Result<Reply<'a>, Failure> {
    let wanted = *wanted;
    let limit = wanted.limit.and_then(|limit| usize::try_from(limit).ok());
    let entry_limit = limit.map_or(MAX_ENTRIES, |limit| limit.min(MAX_ENTRIES));
    let page = files::list_directory(Path::new(wanted.path), wanted.first, entry_limit, end)
        .map_err(|error: FileAccessError| failure::from_access_error(wanted.path, &error))?;
    let mut text = String::new();
    for entry in &page.entries {
        let name = display_name(&entry.name);
        let _ = match &entry.kind {
            Some(DirectoryEntryKind::Directory) => writeln!(text, "{name}/"),
            Some(DirectoryEntryKind::File(size)) => {
                writeln!(text, "{name} ({})", count_noun(*size, "byte"))
            }
            Some(DirectoryEntryKind::Link(target)) => {
                writeln!(text, "{name} -> {}", display_name(target))
            }
            Some(DirectoryEntryKind::Other(kind)) => writeln!(text, "{name} ({kind})"),
            None => writeln!(text, "{name}"),
        };
    }
    Ok(Reply::new(move |object| {
        let lines = ConvertedLines {
            text: &text,
            first: page.first,
            total: page.total,
            cut: None,
        };
        if page.total > page.entries.len() as u64 && !page.entries.is_empty() {
            let entries = counted_as(page.total, "entry", "entries");
            object.note(format!("The directory has {entries}."));
        }
        lines.answer(object, &wanted, "directory")?;
        if page.total == 0 {
            object.nothing_found("empty directory")?;
        }
        Ok(())
    }))
}

/// A name on one line, with what cannot be seen in it spelled out.
fn display_name(name: &[u8]) -> String {
    let name = String::from_utf8_lossy(name);
    let mut text = String::new();
    for one in unseen::spelled(&name).chars() {
        if one.is_control() {
            control_spelling::spell(one, &mut text);
        } else {
            text.push(one);
        }
    }
    text
}
