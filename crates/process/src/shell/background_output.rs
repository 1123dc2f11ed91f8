//! The file into which a command in the background writes: beside those of long outputs, and as
//! they are, but that its oldest output makes room for the newest.
//!
//! Rules: the decisions on MCP and the command line (7).

use std::ffi::CStr;
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;

use rustix::fs::{AtFlags, FlockOperation, flock, renameat, unlinkat};

use crate::shell::kept_output::{KeptOutput, OutputFile, lock_directory, mark_in_use, new_file};
use iki_base::wording::count_noun;

/// Maximum number of bytes that are written before the room is asked for again.
const PIECE_BYTES: u64 = 1024 * 1024;

/// Bytes that it may have however many the other files have.
const GUARANTEED_BYTES: u64 = 1024 * 1024;

/// The first line of a file whose oldest output is gone.
const OMISSION_LINE: &[u8] = b"[... older output left out ...]\n";

/// Output that grows while its file is read.
pub struct BackgroundOutput {
    output: OutputFile,
    /// The bytes that may be written before the room is asked for again.
    room: u64,
    /// The bytes that were lost since the last that were written.
    lost: u64,
    is_in_line: bool,
    /// True if lines that may be overwritten follow the last that were written.
    has_held_lines: bool,
}

impl BackgroundOutput {
    /// Makes a new file. An error is the reason why there is none.
    pub fn start() -> Result<Self, String> {
        OutputFile::create().map(Self::new)
    }

    /// Goes on in the file of an output of `bytes` bytes, of which some may be lost.
    pub(super) fn go_on_in(output_so_far: KeptOutput, bytes: u64) -> Result<Self, String> {
        let mut output = output_so_far.into_continued_file().map(Self::new)?;
        output.lost = bytes.saturating_sub(output.output.written);
        Ok(output)
    }

    fn new(output: OutputFile) -> Self {
        mark_in_use(&output.file);
        Self {
            output,
            room: 0,
            lost: 0,
            is_in_line: false,
            has_held_lines: false,
        }
    }

    /// Its path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.output.path
    }

    /// Writes the last line.
    pub(crate) fn end_with(&mut self, line: &str) {
        let newline = if self.is_in_line { "\n" } else { "" };
        let _ = self.write_all(format!("{newline}{line}\n").as_bytes());
    }

    /// Shows lines that may be written over, until something else is written.
    pub(super) fn show_held_lines(&mut self, lines: &str) {
        let end = self.output.written;
        let _ = self.output.file.write_all_at(lines.as_bytes(), end);
        let _ = self.output.file.set_len(end + lines.len() as u64);
        self.has_held_lines = !lines.is_empty();
    }

    /// Finds room for `length` bytes, for which the oldest output may have to go.
    fn make_room(&mut self, length: u64) -> io::Result<()> {
        lock_directory(&self.output.all)?;
        let mut room = self.room_now();
        if room < length.max(PIECE_BYTES) && self.output.written > 0 {
            self.drop_older_half()?;
            room = self.room_now();
        }
        let _ = flock(&self.output.all, FlockOperation::Unlock);
        self.room = room.min(length.max(PIECE_BYTES));
        Ok(())
    }

    fn room_now(&self) -> u64 {
        let guaranteed = GUARANTEED_BYTES.saturating_sub(self.output.written);
        self.output.room().max(guaranteed)
    }

    /// Replaces the file by one of the newer half of its lines.
    fn drop_older_half(&mut self) -> io::Result<()> {
        self.output.file.set_len(self.output.written)?;
        let mut old = BufReader::new(&self.output.file);
        old.seek(SeekFrom::Start(self.output.written / 2))?;
        old.skip_until(b'\n')?;
        let (name, mut file) = new_file(&self.output.directory)?;
        let copied = file
            .write_all(OMISSION_LINE)
            .and_then(|()| io::copy(&mut old, &mut file))
            .and_then(|bytes| self.take_place(&name).map(|()| bytes));
        let Ok(bytes) = copied else {
            let _ = unlinkat(&self.output.directory, &name, AtFlags::empty());
            return copied.map(drop);
        };
        mark_in_use(&file);
        self.output.written = bytes + OMISSION_LINE.len() as u64;
        self.output.file = file;
        Ok(())
    }

    fn take_place(&self, name: &CStr) -> io::Result<()> {
        let directory = &self.output.directory;
        Ok(renameat(directory, name, directory, &self.output.name)?)
    }

    /// Writes `bytes` if there is room for them.
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let length = bytes.len() as u64;
        if self.room < length {
            self.make_room(length)?;
        }
        if self.room < length {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.output.file.write_all_at(bytes, self.output.written)?;
        self.room -= length;
        self.output.written += length;
        if std::mem::take(&mut self.has_held_lines) {
            self.output.file.set_len(self.output.written)?;
        }
        Ok(())
    }
}

/// A command is never ended because its output cannot be kept: what is lost is counted, and said as
/// soon as there is room again.
impl Write for BackgroundOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let bytes = &bytes[..bytes.len().min(64 * 1024)];
        if self.lost > 0 {
            let lost = count_noun(self.lost, "byte");
            let line = format!("\n[... {lost} not kept ...]\n");
            if self.append(line.as_bytes()).is_ok() {
                self.lost = 0;
            }
        }
        match self.append(bytes) {
            Ok(()) => self.is_in_line = !bytes.ends_with(b"\n"),
            Err(_) => self.lost += bytes.len() as u64,
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
