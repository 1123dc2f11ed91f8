//! Holes of sparse files: NULs that nobody wrote and no disk holds (`lseek(2)`).

use std::ops::Range;
use std::os::fd::AsFd;

use rustix::fs::{SeekFrom, fstat, seek};
use rustix::io::Errno;

/// The offset, at most `end`, up to which `file` has a hole from offset `offset` on: `offset`
/// itself where it has data, where it ends, or where the file system does not know. The file's own
/// position is moved.
#[must_use]
pub fn hole_end(file: &impl AsFd, offset: u64, end: u64) -> u64 {
    if offset >= end {
        return offset;
    }
    let data = match seek(file, SeekFrom::Data(offset)) {
        Ok(data) => data,
        // The rest of the file is a hole.
        Err(Errno::NXIO) => fstat(file).map_or(0, |stat| u64::try_from(stat.st_size).unwrap_or(0)),
        Err(_) => offset,
    };
    data.clamp(offset, end)
}

/// The next part of `file` that holds data, from offset `offset` on and before `end`. If the file
/// system does not know, everything is data.
#[must_use]
pub fn next_data(file: &impl AsFd, offset: u64, end: u64) -> Option<Range<u64>> {
    let start = hole_end(file, offset, end);
    if start >= end {
        return None;
    }
    let stop = match seek(file, SeekFrom::Hole(start)) {
        Ok(stop) if stop > start => stop,
        _ => end,
    };
    Some(start..stop.min(end))
}
