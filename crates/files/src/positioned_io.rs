//! Reading, writing and copying at offsets, with system calls only.

use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::time::Instant;

use rustix::fs::copy_file_range;
use rustix::io::{Errno, pread, retry_on_intr};

/// Bytes that are copied at a time where the kernel does not copy by itself.
const PIECE: usize = 128 * 1024;

/// The most that one call of the kernel copies, in bytes: even a slow disk has it in a second or
/// so.
const MAX_KERNEL_COPY: usize = 16 * 1024 * 1024;

/// Copies the bytes `from` of `source` to offset `to` of `copy`. Returns how much of `from` there
/// was, or was copied until `deadline`.
pub fn copy(
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
        let limit = usize::try_from(length - done)
            .unwrap_or(usize::MAX)
            .min(MAX_KERNEL_COPY);
        match copy_file_range(source, Some(&mut input), copy, Some(&mut output), limit) {
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
        let limit = buffer
            .len()
            .min(usize::try_from(length - done).unwrap_or(usize::MAX));
        let count = read_at(source, &mut buffer[..limit], from.start + done)?;
        if count == 0 {
            break;
        }
        write_at(copy, &buffer[..count], to + done)?;
        done += count as u64;
    }
    Ok(done)
}

/// Writes all of `bytes` at `offset`.
pub fn write_at(file: &File, bytes: &[u8], offset: u64) -> Result<(), Errno> {
    let written = file.write_all_at(bytes, offset);
    written.map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))
}

/// Reads as much as there is, up to the length of `buffer`.
pub fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> Result<usize, Errno> {
    let mut count = 0;
    while count < buffer.len() {
        match retry_on_intr(|| pread(file, &mut buffer[count..], offset + count as u64))? {
            0 => break,
            more => count += more,
        }
    }
    Ok(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_there_is_not_copied() {
        let (source, made) = (tempfile::tempfile().unwrap(), tempfile::tempfile().unwrap());
        source.write_all_at(b"0123456789", 0).unwrap();
        assert_eq!(copy(&source, 4..10, &made, 0, None), Ok(6));
        assert_eq!(copy(&source, 4..11, &made, 0, None), Ok(6));
    }
}
