//! Copying between files so that holes stay holes (`lseek(2)`).

use std::fs::File;
use std::io::{self, Write};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::time::Instant;

use rustix::fs::{SeekFrom, copy_file_range, ftruncate, seek};
use rustix::io::{Errno, pread, retry_on_intr};

use iki_base::sparse_file::hole_end;

/// Bytes that are copied at a time where the kernel does not copy by itself.
const PIECE: usize = 128 * 1024;

/// The most that one call of the kernel copies, in bytes: even a slow disk has it in a second or
/// so.
const MAX_KERNEL_COPY: usize = 16 * 1024 * 1024;

/// The smallest hole, in bytes: the block that file systems keep account of.
pub const BLOCK: u64 = 4096;

/// The next part of `file` that holds data, from offset `at` on and before `end`. If the file
/// system does not know, everything is data.
pub fn next_data(file: &File, at: u64, end: u64) -> Option<Range<u64>> {
    if at >= end {
        return None;
    }
    let start = hole_end(file, at, end);
    let stop = match seek(file, SeekFrom::Hole(start)) {
        Ok(stop) if stop > start => stop,
        _ => end,
    };
    (start < end).then(|| start..stop.min(end))
}

/// Copies the bytes `from` of `source` to offset `to` of `copy`, which is empty there. If `sparse`,
/// only data is copied; `copy` becomes as long as if everything had been. Returns how much of
/// `from` there was, or was copied until `deadline`.
pub fn copy(
    source: &File,
    from: Range<u64>,
    copy: &File,
    to: u64,
    sparse: bool,
    deadline: Option<Instant>,
) -> Result<u64, Errno> {
    if !sparse {
        return copy_data(source, from, copy, to, deadline);
    }
    let mut at = from.start;
    while let Some(data) = next_data(source, at, from.end) {
        let length = data.end - data.start;
        let place = to + (data.start - from.start);
        let copied = copy_data(source, data.clone(), copy, place, deadline)?;
        if copied < length {
            return Ok(data.start - from.start + copied);
        }
        at = data.end;
    }
    let end = to + (from.end - from.start);
    if at < from.end {
        lengthen(copy, end)?;
    }
    Ok(from.end - from.start)
}

/// Makes `file` at least `length` bytes long.
pub fn lengthen(file: &File, length: u64) -> Result<(), Errno> {
    let is = u64::try_from(rustix::fs::fstat(file)?.st_size).unwrap_or(0);
    if is < length {
        ftruncate(file, length)?;
    }
    Ok(())
}

fn copy_data(
    source: &File,
    from: Range<u64>,
    copy: &File,
    to: u64,
    deadline: Option<Instant>,
) -> Result<u64, Errno> {
    let length = from.end - from.start;
    let is_late = || deadline.is_some_and(|end| Instant::now() >= end);
    let mut done = 0;
    while done < length {
        if is_late() {
            return Ok(done);
        }
        let (mut input, mut output) = (from.start + done, to + done);
        let most = usize::try_from(length - done)
            .unwrap_or(usize::MAX)
            .min(MAX_KERNEL_COPY);
        match copy_file_range(source, Some(&mut input), copy, Some(&mut output), most) {
            // Generated files look empty to the kernel (`copy_file_range(2)`, BUGS).
            Ok(0) => break,
            Ok(count) => done += count as u64,
            Err(Errno::INTR) => {}
            Err(
                errno @ (Errno::IO
                | Errno::NOSPC
                | Errno::DQUOT
                | Errno::FBIG
                | Errno::STALE
                | Errno::NOMEM),
            ) => return Err(errno),
            // The kernel does not copy between these two files.
            Err(_) => break,
        }
    }
    let mut buffer = Vec::new();
    if done < length {
        buffer.resize(PIECE, 0);
    }
    while done < length && !is_late() {
        let most = buffer
            .len()
            .min(usize::try_from(length - done).unwrap_or(usize::MAX));
        let count = read_at(source, &mut buffer[..most], from.start + done)?;
        if count == 0 {
            break;
        }
        write_at(copy, &buffer[..count], to + done)?;
        done += count as u64;
    }
    Ok(done)
}

/// Writes all of `bytes` at offset `at`.
pub fn write_at(file: &File, bytes: &[u8], at: u64) -> Result<(), Errno> {
    let written = file.write_all_at(bytes, at);
    written.map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))
}

/// Reads as much as there is, up to the length of `buffer`.
pub fn read_at(file: &File, buffer: &mut [u8], at: u64) -> Result<usize, Errno> {
    let mut count = 0;
    while count < buffer.len() {
        match retry_on_intr(|| pread(file, &mut buffer[count..], at + count as u64))? {
            0 => break,
            more => count += more,
        }
    }
    Ok(count)
}

/// Writes a file from its beginning. If the file is to be sparse, blocks of zeroes become holes.
pub struct SparseWriter<'a> {
    file: &'a File,
    at: u64,
    sparse: bool,
}

impl<'a> SparseWriter<'a> {
    /// Writes `file`, which is empty.
    pub fn new(file: &'a File, sparse: bool) -> Self {
        Self {
            file,
            at: 0,
            sparse,
        }
    }
}

impl SparseWriter<'_> {
    /// Leaves out so many bytes, which become a hole.
    pub fn skip(&mut self, length: u64) {
        self.at += length;
    }
}

impl Write for SparseWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let is_hole = |block: &[u8]| block.iter().all(|byte| *byte == 0);
        let count = if self.sparse {
            // One block at a time, the first only up to the next block boundary.
            let most = BLOCK - self.at % BLOCK;
            usize::try_from(most).map_or(bytes.len(), |most| bytes.len().min(most))
        } else {
            bytes.len()
        };
        let block = &bytes[..count];
        if !(self.sparse && is_hole(block)) {
            write_at(self.file, block, self.at)?;
        }
        self.at += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(lengthen(self.file, self.at)?)
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{FileExt, MetadataExt};

    use super::*;

    #[test]
    fn holes_are_copied_as_holes_wherever_they_come_to_lie() {
        const LENGTH: u64 = 32 << 20;
        let source = tempfile::tempfile().unwrap();
        source.set_len(LENGTH).unwrap();
        for at in [5, 9_000_000, 20_000_001] {
            source.write_all_at(b"data", at).unwrap();
        }
        for (from, to) in [(0..LENGTH, 0), (3..LENGTH, 10), (9_000_001..LENGTH - 7, 1)] {
            let made = tempfile::tempfile().unwrap();
            let length = from.end - from.start;
            let copied = copy(&source, from.clone(), &made, to, true, None);
            assert_eq!(copied, Ok(length));
            let status = made.metadata().unwrap();
            assert_eq!(status.len(), to + length);
            assert!(
                status.blocks() * 512 < 1 << 20,
                "{} blocks",
                status.blocks()
            );
            let (mut one, mut other) = (vec![0; 65536], vec![0; 65536]);
            for at in (0..length).step_by(65536) {
                let piece = usize::try_from((length - at).min(65536)).unwrap();
                source
                    .read_exact_at(&mut one[..piece], from.start + at)
                    .unwrap();
                made.read_exact_at(&mut other[..piece], to + at).unwrap();
                assert!(one[..piece] == other[..piece], "{from:?} at {at}");
            }
        }
    }

    #[test]
    fn blocks_of_zeroes_are_written_as_holes() {
        let mut content = vec![0; 3 << 20];
        content[5..9].copy_from_slice(b"data");
        content[2_000_000..2_000_004].copy_from_slice(b"data");
        for (sparse, piece) in [
            (false, 77_777),
            (true, 77_777),
            (true, 4096),
            (true, 5 << 20),
        ] {
            let made = tempfile::tempfile().unwrap();
            let mut writer = SparseWriter::new(&made, sparse);
            for piece in content.chunks(piece) {
                writer.write_all(piece).unwrap();
            }
            writer.flush().unwrap();
            let mut read = vec![1; content.len()];
            made.read_exact_at(&mut read, 0).unwrap();
            assert!(read == content);
            let status = made.metadata().unwrap();
            assert_eq!(status.len(), content.len() as u64);
            assert_eq!(status.blocks() * 512 < 1 << 20, sparse, "{piece}");
        }
    }

    #[test]
    fn what_is_not_there_is_not_copied() {
        for sparse in [false, true] {
            let (source, made) = (tempfile::tempfile().unwrap(), tempfile::tempfile().unwrap());
            source.write_all_at(b"0123456789", 0).unwrap();
            assert_eq!(copy(&source, 4..10, &made, 0, sparse, None), Ok(6));
            assert_eq!(copy(&source, 4..11, &made, 0, sparse, None), Ok(6));
        }
    }
}
