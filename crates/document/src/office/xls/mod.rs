//! The reader of XLS files (Excel 5.0 to 2003): each sheet becomes a heading and its tables.
//!
//! Rules: MS-XLS; before BIFF8, texts are in a code page. A workbook is a stream of records: what
//! holds for all sheets, then each of them.
//!
//! | module | what it is |
//! |---|---|
//! | `properties` | its title and author |
//! | `record` | the values in a record |
//! | `sheet` | the cells of a sheet |

use std::time::Instant;

use encoding_rs::WINDOWS_1252;
use iki_base::charset::Charset;

use self::record::RecordData;
use super::blocks::BlockWriter;
use super::compound::CompoundFile;
use super::rtf::tables::encoding_of_code_page;
use super::xlsx::format::CellFormats;
use super::xlsx::sheet::{CellBudget, MAX_SHEETS, SheetEntry};
use super::xlsx::strings::SharedStrings;
use crate::error::DocumentError;

mod properties;
pub(super) mod record;
mod sheet;

/// The records that begin and end a part of the stream, and the one that continues another.
const BEGIN: u16 = 0x0809;
const END: u16 = 0x000a;
const CONTINUE: u16 = 0x003c;

/// The version of Excel 97 to 2003, whose texts are in Unicode.
const BIFF8: u16 = 0x0600;

/// The records of a stream, each with those that continue it.
struct Records<'a>(&'a [u8]);

impl<'a> Records<'a> {
    fn part(&mut self) -> Option<(u16, &'a [u8])> {
        let (head, behind) = self.0.split_first_chunk::<4>()?;
        let [kind, length] = [[head[0], head[1]], [head[2], head[3]]].map(u16::from_le_bytes);
        let (data, behind) = behind.split_at_checked(length.into())?;
        self.0 = behind;
        Some((kind, data))
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = (u16, RecordData<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let (kind, data) = self.part()?;
        let mut more = Vec::new();
        while self.0.starts_with(&CONTINUE.to_le_bytes()) {
            let Some((_, data)) = self.part() else { break };
            more.push(data);
        }
        Some((kind, RecordData::new(data, more)))
    }
}

/// Settings that hold for all sheets.
#[derive(Default)]
struct Workbook {
    /// The encoding of texts that are not in Unicode.
    encoding: Option<Charset>,
    formats: CellFormats,
    strings: SharedStrings,
    /// The sheets, and where in the stream they begin.
    sheets: Vec<(SheetEntry, usize)>,
}

/// Reads the document.
pub(crate) fn read(bytes: &[u8], end: Option<Instant>) -> Result<BlockWriter, DocumentError> {
    let file = CompoundFile::open(bytes).ok_or(DocumentError::Damaged)?;
    let mut names = ["Workbook", "Book"].into_iter();
    let stream = names.find_map(|name| file.root_stream(name));
    let mut blocks = read_stream(&stream.ok_or(DocumentError::Damaged)?, end)?;
    let about = file.root_stream("\u{5}SummaryInformation");
    blocks.about = properties::read(&about.unwrap_or_default());
    Ok(blocks)
}

fn read_stream(stream: &[u8], end: Option<Instant>) -> Result<BlockWriter, DocumentError> {
    let mut blocks = BlockWriter::default();
    let book = read_workbook(stream)?;
    let mut budget = CellBudget::default();
    let mut hidden = 0;
    // Sheets do not overlap: together they are no longer than the stream.
    let mut left = stream.len();
    for (entry, start) in &book.sheets {
        if entry.hidden {
            hidden += 1;
            continue;
        }
        blocks.add_plain_heading(2, &entry.name);
        let tail = stream.get(*start..).unwrap_or_default();
        let tail = &tail[..tail.len().min(left)];
        let mut records = Records(tail);
        sheet::read(&mut records, &book, end, &mut budget, &mut blocks);
        left -= tail.len() - records.0.len();
    }
    blocks.is_cut |= book.strings.cut;
    blocks.add_left_out(hidden, "hidden sheet");
    Ok(blocks)
}

fn read_workbook(stream: &[u8]) -> Result<Workbook, DocumentError> {
    let mut book = Workbook::default();
    for (kind, mut data) in Records(stream) {
        match kind {
            END => break,
            // FilePass
            0x002f => return Err(DocumentError::Encrypted),
            _ => book.read_record(kind, &mut data).unwrap_or_default(),
        }
    }
    Ok(book)
}

impl Workbook {
    /// Reads a record; `None` if it is cut.
    fn read_record(&mut self, kind: u16, data: &mut RecordData<'_>) -> Option<()> {
        match kind {
            BEGIN if data.short()? < BIFF8 => {
                self.encoding = Some(Charset::Browsers(WINDOWS_1252));
            }
            // CodePage
            0x0042 if self.encoding.is_some() => {
                let page = match data.short()? {
                    0x8000 => 10_000,
                    page => page.into(),
                };
                self.encoding = encoding_of_code_page(page).or(self.encoding);
            }
            // Date1904
            0x0022 => self.formats.from_1904 = data.short()? == 1,
            // Format
            0x041e => {
                let id = data.short()?;
                let code = match self.encoding {
                    Some(_) => {
                        let count = data.byte()?;
                        data.text(count.into(), self.encoding)?
                    }
                    None => self.text(data)?,
                };
                self.formats.add_code(id.into(), &code);
            }
            // XF
            0x00e0 => {
                data.short()?;
                self.formats.add_cell(data.short()?.into());
            }
            // BoundSheet8
            0x0085 => {
                let start = data.long()? as usize;
                let [state, kind, count] = data.bytes()?;
                // Worksheets and macro sheets, no charts and no modules of Visual Basic.
                if kind <= 1 && self.sheets.len() < MAX_SHEETS {
                    let entry = SheetEntry {
                        name: data.text(count.into(), self.encoding)?,
                        relation: String::new(),
                        hidden: state & 3 != 0,
                    };
                    self.sheets.push((entry, start));
                }
            }
            // SST
            0x00fc => {
                data.skip(8);
                while let Some(text) = self.text(data) {
                    if !self.strings.push(&text) {
                        break;
                    }
                }
            }
            _ => {}
        }
        Some(())
    }

    /// Reads a text behind its length.
    fn text(&self, data: &mut RecordData<'_>) -> Option<String> {
        let count = data.short()?;
        data.text(count.into(), self.encoding)
    }
}

#[cfg(test)]
mod tests;
