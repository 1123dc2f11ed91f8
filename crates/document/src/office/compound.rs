//! Reads the streams of a compound file, in which Outlook keeps a message, and Office of before
//! 2007 its documents.
//!
//! Rules: MS-CFB. Chains are followed for no more steps than there are sectors.

use std::collections::HashMap;

use crate::kinds::FileKind;
use iki_base::signature::COMPOUND;
use iki_markdown::limits::MAX_FILE;

/// Numbers of sectors from this one on are marks, not places.
const MAX_SECTOR: u32 = 0xffff_fffa;

/// Limits of a file: entries of its directory, and bytes of one stream.
const MAX_ENTRIES: usize = 20_000;
const MAX_STREAM_BYTES: usize = MAX_FILE;

/// The size of an entry of the directory, in bytes.
const ENTRY_BYTES: usize = 128;

/// Streams below this size are kept in small sectors.
const MIN_REGULAR_STREAM_BYTES: usize = 4096;
const SMALL_SECTOR_BYTES: usize = 64;

#[derive(Clone)]
struct CompoundEntry {
    name: String,
    siblings: [u32; 2],
    child: u32,
    start: u32,
    size: usize,
}

pub(super) struct CompoundFile<'a> {
    bytes: &'a [u8],
    sector: usize,
    table: Vec<u32>,
    small_table: Vec<u32>,
    small: Vec<u8>,
    entries: Vec<CompoundEntry>,
}

/// The stream of a message's properties of fixed size.
pub(super) const MSG_STREAM: &str = "__properties_version1.0";

/// The mark of an encrypted presentation.
const ENCRYPTED_PPT_TOKEN: u32 = 0xf3d1_c4df;

/// Streams of the root, and the kinds of document that have them.
const KNOWN_STREAMS: [(&str, FileKind); 5] = [
    (MSG_STREAM, FileKind::Msg),
    ("WordDocument", FileKind::Doc),
    ("PowerPoint Document", FileKind::Ppt),
    ("Workbook", FileKind::Xls),
    ("Book", FileKind::Xls),
];

/// Returns the kind of a document.
pub(crate) fn kind_of(bytes: &[u8]) -> Option<FileKind> {
    let file = CompoundFile::open(bytes.starts_with(COMPOUND).then_some(bytes)?)?;
    let root = file.children(0);
    let has = |name: &str| root.keys().any(|known| known.eq_ignore_ascii_case(name));
    let mut known = KNOWN_STREAMS.into_iter();
    known.find(|(name, _)| has(name)).map(|(_, kind)| kind)
}

/// True if a document of this kind, which only installed programs read, needs a password.
///
/// Rules: MS-DOC 2.5.1 (`fEncrypted`), MS-PPT 2.3.2 (`headerToken`).
pub(crate) fn is_encrypted(bytes: &[u8], kind: FileKind) -> bool {
    let stream = |name: &str| CompoundFile::open(bytes)?.root_stream(name);
    match kind {
        FileKind::Doc => {
            let flags = stream("WordDocument").and_then(|text| text.get(11).copied());
            flags.is_some_and(|flags| flags & 1 == 1)
        }
        FileKind::Ppt => {
            stream("Current User").is_some_and(|user| read_number(&user, 12) == ENCRYPTED_PPT_TOKEN)
        }
        _ => false,
    }
}

fn read_number(bytes: &[u8], offset: usize) -> u32 {
    let bytes = bytes
        .get(offset..offset + 4)
        .and_then(|bytes| bytes.try_into().ok());
    bytes.map_or(u32::MAX, u32::from_le_bytes)
}

fn read_numbers(bytes: &[u8]) -> impl Iterator<Item = u32> {
    bytes.chunks_exact(4).map(|bytes| read_number(bytes, 0))
}

impl<'a> CompoundFile<'a> {
    pub(super) fn open(bytes: &'a [u8]) -> Option<Self> {
        let shift = *bytes.get(30)?;
        if !matches!(shift, 9 | 12) {
            return None;
        }
        let mut file = Self {
            bytes,
            sector: 1 << shift,
            table: Vec::new(),
            small_table: Vec::new(),
            small: Vec::new(),
            entries: Vec::new(),
        };
        let sectors = bytes.len() / file.sector + 1;
        let mut places: Vec<u32> = read_numbers(bytes.get(76..512)?).collect();
        let mut next = read_number(bytes, 68);
        // Further places of the table are in a chain of sectors of their own.
        for _ in 0..sectors {
            let Some(sector) = file.sector_at(next) else {
                break;
            };
            let mut more: Vec<u32> = read_numbers(sector).collect();
            next = more.pop().unwrap_or(u32::MAX);
            places.extend(more);
        }
        let places = places.into_iter().filter(|place| *place < MAX_SECTOR);
        for place in places.take(sectors) {
            file.table
                .extend(read_numbers(file.sector_at(place).unwrap_or_default()));
        }
        let directory = file.chain(read_number(bytes, 48), MAX_ENTRIES * ENTRY_BYTES);
        let small_table = file.chain(read_number(bytes, 60), MAX_STREAM_BYTES);
        file.small_table = read_numbers(&small_table).collect();
        file.entries = directory
            .chunks_exact(ENTRY_BYTES)
            .map(read_entry)
            .collect();
        let root = file.entries.first()?.clone();
        file.small = file.chain(root.start, root.size.min(MAX_STREAM_BYTES));
        Some(file)
    }

    fn sector_at(&self, place: u32) -> Option<&'a [u8]> {
        sector_of(self.bytes, self.sector, (place as usize).checked_add(1)?)
    }

    /// Returns the bytes of a chain of sectors, up to `limit`.
    fn chain(&self, start: u32, limit: usize) -> Vec<u8> {
        join_chain(&self.table, start, limit, |place| self.sector_at(place))
    }

    fn content(&self, entry: &CompoundEntry) -> Vec<u8> {
        let size = entry.size.min(MAX_STREAM_BYTES);
        if entry.size >= MIN_REGULAR_STREAM_BYTES {
            return self.chain(entry.start, size);
        }
        let unit = |place: u32| sector_of(&self.small, SMALL_SECTOR_BYTES, place as usize);
        join_chain(&self.small_table, entry.start, size, unit)
    }

    /// The entries of the storage at this index, by their names.
    pub(super) fn children(&self, storage: usize) -> HashMap<&str, usize> {
        let mut streams = HashMap::new();
        let Some(storage) = self.entries.get(storage) else {
            return streams;
        };
        let mut seen = vec![false; self.entries.len()];
        let mut open = vec![storage.child];
        while let Some(index) = open.pop() {
            let Some(entry) = self.entries.get(index as usize) else {
                continue;
            };
            if !std::mem::replace(&mut seen[index as usize], true) {
                streams.insert(entry.name.as_str(), index as usize);
                open.extend(entry.siblings);
            }
        }
        streams
    }

    /// The bytes of a stream of the root, whose names do not differ by case.
    pub(super) fn root_stream(&self, wanted: &str) -> Option<Vec<u8>> {
        let root = self.children(0);
        let mut streams = root.iter();
        let (_, index) = streams.find(|(name, _)| name.eq_ignore_ascii_case(wanted))?;
        Some(self.stream(*index))
    }

    /// The bytes of the stream at this index.
    pub(super) fn stream(&self, index: usize) -> Vec<u8> {
        let entry = self.entries.get(index);
        entry.map(|entry| self.content(entry)).unwrap_or_default()
    }
}

/// Returns the sector of this number; the last one may be cut.
fn sector_of(bytes: &[u8], size: usize, place: usize) -> Option<&[u8]> {
    let tail = bytes.get(place.checked_mul(size)?..)?;
    Some(&tail[..tail.len().min(size)]).filter(|unit| !unit.is_empty())
}

/// Joins the sectors of a chain, up to `limit` bytes.
fn join_chain<'s>(
    table: &[u32],
    start: u32,
    limit: usize,
    sector: impl Fn(u32) -> Option<&'s [u8]>,
) -> Vec<u8> {
    let (mut bytes, mut next) = (Vec::new(), start);
    for _ in 0..table.len() {
        let Some(sector) = sector(next).filter(|_| bytes.len() < limit) else {
            break;
        };
        bytes.extend_from_slice(sector);
        next = table.get(next as usize).copied().unwrap_or(u32::MAX);
    }
    bytes.truncate(limit);
    bytes
}

fn read_entry(bytes: &[u8]) -> CompoundEntry {
    let length = usize::from(u16::from_le_bytes([bytes[64], bytes[65]])).clamp(2, 64);
    let units = bytes[..length - 2].chunks_exact(2);
    let units: Vec<u16> = units
        .map(|unit| u16::from_le_bytes([unit[0], unit[1]]))
        .collect();
    CompoundEntry {
        name: String::from_utf16_lossy(&units),
        siblings: [read_number(bytes, 68), read_number(bytes, 72)],
        child: read_number(bytes, 76),
        start: read_number(bytes, 116),
        size: read_number(bytes, 120) as usize,
    }
}
