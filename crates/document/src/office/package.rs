//! Reads the parts of a zip file, within limits, and the relationships between them.
//!
//! Rules: APPNOTE.TXT 6.3.10 (zip), ECMA-376-2 (Open Packaging Conventions: part names,
//! relationships). Only parts of the file itself are read: whatever else is pointed to is an
//! address, and a path that leaves the file is ignored.

use std::collections::HashMap;
use std::io::{Cursor, Read};
use std::time::Instant;

use memchr::memmem;
use zip::ZipArchive;
use zip::result::ZipError;

use crate::error::DocumentError;
use iki_markdown::limits::is_past;
use iki_markdown::xml::{self, XmlReader};

/// Limit of a file's entries.
const MAX_ENTRIES: usize = 20_000;

/// Limit of all parts that are read, in bytes once decompressed.
const MAX_TOTAL: usize = 256 << 20;

/// Signatures of a record in a zip file's directory, and of the end of a directory with 64-bit
/// numbers.
pub(crate) const RECORD_SIGNATURE: &[u8] = b"PK\x01\x02";
pub(crate) const END_64_SIGNATURE: &[u8] = b"PK\x06\x06";

/// The beginning of a zip file without members.
pub(crate) const EMPTY_ZIP: &[u8] = b"PK\x05\x06";

/// A zip file.
pub(crate) struct ZipPackage<'a> {
    archive: ZipArchive<Cursor<&'a [u8]>>,
    /// Index of each entry, by its name in lower case.
    entries: HashMap<String, usize>,
    left: usize,
    /// Limit of one part, in bytes once decompressed.
    part: usize,
    end: Option<Instant>,
    /// True if a part could not be read whole because it is damaged.
    pub(crate) is_damaged: bool,
    /// True if something was left out because there was too much of it.
    pub(crate) is_cut: bool,
    /// True if a part was left out because it needs a password.
    pub(crate) is_locked: bool,
}

/// A relationship of a part.
struct PartRelationship {
    /// Last segment of its type, as `hyperlink`.
    kind: String,
    /// Name of another part, or an address outside of the file.
    target: String,
    is_outside: bool,
}

/// The relationships of a part, by their identifiers and in their order.
#[derive(Default)]
pub(crate) struct PartRelationships {
    by_id: HashMap<String, PartRelationship>,
    order: Vec<String>,
}

impl PartRelationships {
    /// Returns the part that a relationship points to.
    pub(crate) fn part(&self, id: &str) -> Option<&str> {
        let relation = self.by_id.get(id).filter(|relation| !relation.is_outside);
        relation.map(|relation| &*relation.target)
    }

    /// Returns the address that a relationship points to.
    pub(crate) fn address(&self, id: &str) -> Option<&str> {
        let relation = self.by_id.get(id).filter(|relation| relation.is_outside);
        relation.map(|relation| &*relation.target)
    }

    /// Returns the first part of a kind.
    pub(crate) fn first(&self, kind: &str) -> Option<&str> {
        self.all(kind).next()
    }

    /// Returns the parts of a kind.
    pub(crate) fn all<'a>(&'a self, kind: &str) -> impl Iterator<Item = &'a str> {
        let is_one = move |id: &&String| self.by_id.get(*id).is_some_and(|of| of.kind == kind);
        let ids = self.order.iter().filter(is_one);
        ids.filter_map(|id| self.part(id))
    }
}

impl<'a> ZipPackage<'a> {
    /// Opens a file; its parts are read up to `part` bytes.
    pub(crate) fn open(
        bytes: &'a [u8],
        part: usize,
        end: Option<Instant>,
    ) -> Result<Self, DocumentError> {
        if claims_too_much(bytes) {
            return Err(DocumentError::TooCostly);
        }
        let archive = ZipArchive::new(Cursor::new(bytes)).map_err(|_| DocumentError::Damaged)?;
        let mut entries = HashMap::with_capacity(archive.len());
        for (index, name) in archive.file_names_raw().enumerate() {
            let name = String::from_utf8_lossy(name).replace('\\', "/");
            let name = name.trim_start_matches('/').to_lowercase();
            entries.entry(name).or_insert(index);
        }
        Ok(Self {
            archive,
            entries,
            left: MAX_TOTAL,
            part,
            end,
            is_damaged: false,
            is_cut: false,
            is_locked: false,
        })
    }

    fn entry(&self, name: &str) -> Option<usize> {
        self.entries.get(&name.to_lowercase()).copied()
    }

    /// True if there is a part of this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.entry(name).is_some()
    }

    /// Returns the number of entries, and the names of the first `limit` with their sizes once
    /// decompressed.
    pub(crate) fn list(&mut self, limit: usize) -> (usize, Vec<(String, u64)>) {
        let count = self.archive.len();
        let listed = (0..count.min(limit)).filter_map(|index| {
            let name = self.archive.name_for_index(index)?.ok()?.into_owned();
            let size = self
                .archive
                .by_index_raw(index)
                .map_or(0, |file| file.size());
            Some((name, size))
        });
        let listed = listed.collect();
        (count, listed)
    }

    /// Deadline for reading.
    pub(crate) fn end(&self) -> Option<Instant> {
        self.end
    }

    /// Returns the text of a part, as much of it as can be read; `None` if there is none.
    pub(crate) fn text(&mut self, name: &str) -> Option<String> {
        Some(xml::decoded(self.bytes(name)?))
    }

    /// Returns the text of the first part of a kind; empty if there is none.
    pub(crate) fn related(&mut self, relations: &PartRelationships, kind: &str) -> String {
        let name = relations.first(kind);
        name.and_then(|name| self.text(name)).unwrap_or_default()
    }

    /// Returns the bytes of a part, as many as can be read.
    pub(crate) fn bytes(&mut self, name: &str) -> Option<Vec<u8>> {
        let entry = self.entry(name)?;
        let limit = if is_past(self.end) {
            0
        } else {
            self.part.min(self.left)
        };
        let mut bytes = Vec::new();
        let file = match self.archive.by_index(entry) {
            Ok(file) => file,
            Err(ZipError::UnsupportedArchive(reason)) => {
                self.is_locked |= reason == ZipError::PASSWORD_REQUIRED;
                self.is_damaged |= reason != ZipError::PASSWORD_REQUIRED;
                return None;
            }
            Err(_) => {
                self.is_damaged = true;
                return None;
            }
        };
        // The readable bytes of a damaged part stay.
        let read = file.take(limit as u64 + 1).read_to_end(&mut bytes);
        self.is_damaged |= read.is_err();
        self.is_cut |= bytes.len() > limit;
        bytes.truncate(limit);
        self.left -= bytes.len();
        Some(bytes)
    }

    /// Reads the relationships of a part, or those of the package if the name is empty.
    pub(crate) fn relations(&mut self, part: &str) -> PartRelationships {
        let (folder, name) = part.rsplit_once('/').unwrap_or(("", part));
        let slash = if folder.is_empty() { "" } else { "/" };
        let mut relations = PartRelationships::default();
        let Some(text) = self.text(&format!("{folder}{slash}_rels/{name}.rels")) else {
            return relations;
        };
        XmlReader::new(&text, self.end).each_tag(|_, tag| {
            let is_outside = tag.says("TargetMode", "External");
            let target = tag.attribute("Target").and_then(|target| {
                if is_outside {
                    return Some(target.into_owned());
                }
                resolve_part_name(folder, &target)
            });
            if let (Some(id), Some(target)) = (tag.attribute("Id"), target)
                && tag.name() == "Relationship"
                && relations.by_id.len() < MAX_ENTRIES
            {
                let kind = tag.attribute("Type").unwrap_or_default();
                let relation = PartRelationship {
                    kind: kind.rsplit('/').next().unwrap_or_default().to_owned(),
                    target,
                    is_outside,
                };
                relations.order.push(id.clone().into_owned());
                relations.by_id.insert(id.into_owned(), relation);
            }
        });
        relations
    }
}

/// True if a file claims too many entries. Each would take memory before any is looked at.
fn claims_too_much(bytes: &[u8]) -> bool {
    let records = memmem::find_iter(bytes, RECORD_SIGNATURE).take(MAX_ENTRIES + 1);
    let large = |offset: usize| {
        // Number of entries on this disk, and in all.
        [24, 32].into_iter().any(|field| {
            let number = bytes.get(offset + field..offset + field + 8);
            let number = number.and_then(|number| number.try_into().ok());
            number.is_some_and(|number| u64::from_le_bytes(number) > MAX_ENTRIES as u64)
        })
    };
    records.count() > MAX_ENTRIES || memmem::find_iter(bytes, END_64_SIGNATURE).any(large)
}

/// Returns the name of the part that `target` means in a part of `folder`; `None` if it leaves the
/// file.
pub(crate) fn resolve_part_name(folder: &str, target: &str) -> Option<String> {
    let target = target.replace('\\', "/");
    let path = target.split(['?', '#']).next().unwrap_or_default();
    let mut parts: Vec<&str> = match path.strip_prefix('/') {
        Some(_) => Vec::new(),
        None => folder.split('/').filter(|part| !part.is_empty()).collect(),
    };
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    (!parts.is_empty()).then(|| parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_stays_within_the_file() {
        for (folder, target, wanted) in [
            ("word", "media/a.png", Some("word/media/a.png")),
            ("ppt/slides", "../charts/c.xml", Some("ppt/charts/c.xml")),
            ("ppt/slides", "/ppt/a.xml", Some("ppt/a.xml")),
            ("word", "../../etc/passwd", None),
            ("", "../a", None),
            ("word", "..", None),
            ("OEBPS", "a.xhtml#b", Some("OEBPS/a.xhtml")),
        ] {
            assert_eq!(
                resolve_part_name(folder, target).as_deref(),
                wanted,
                "{target}"
            );
        }
    }
}
