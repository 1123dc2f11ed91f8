//! Reading a file whole, or a window of its lines at the cost of the window.

use std::path::Path;

use memchr::{memchr_iter, memrchr};
use rustix::fs::{Advice, OFlags, fadvise};
use rustix::io::Errno;

use super::regular::{FileError, Reason, RegularFile};

/// How much is read at once, in bytes.
const WINDOW: usize = 256 * 1024;

/// The whole content of the file at `path`.
pub fn read(path: &Path) -> Result<Vec<u8>, FileError> {
    let file = RegularFile::open(path, OFlags::RDONLY)?;
    rest_of(&file, file.size())
}

/// The lines of the file at `path` from number `first` (from 1) on: `count` of them, or all. Beyond the end: nothing.
pub fn read_lines(path: &Path, first: u64, count: Option<u64>) -> Result<Vec<u8>, FileError> {
    let file = RegularFile::open(path, OFlags::RDONLY)?;
    let mut window = vec![0; WINDOW];
    let mut lines = Vec::new();
    let mut to_skip = first - 1;
    let mut to_take = count.unwrap_or(u64::MAX);
    while to_take > 0 {
        let length = fill(&file, &mut window)?;
        if length == 0 {
            break;
        }
        let mut chunk = &window[..length];
        if to_skip > 0 {
            match after_lines(chunk, &mut to_skip) {
                Some(start) => chunk = &chunk[start..],
                None => continue,
            }
            if count.is_none() {
                lines.extend_from_slice(chunk);
                let read = u64::try_from(lines.len()).unwrap_or(0);
                lines.extend(rest_of(&file, file.size().saturating_sub(read))?);
                return Ok(lines);
            }
        }
        let end = after_lines(chunk, &mut to_take).unwrap_or(chunk.len());
        lines.extend_from_slice(&chunk[..end]);
    }
    Ok(lines)
}

/// Where `count` lines of `chunk` end, if they do; otherwise `count` is what is left of them.
fn after_lines(chunk: &[u8], count: &mut u64) -> Option<usize> {
    let here = memchr_iter(b'\n', chunk).count() as u64;
    if here < *count {
        *count -= here;
        return None;
    }
    let end = if here == *count {
        memrchr(b'\n', chunk)
    } else {
        usize::try_from(*count - 1)
            .ok()
            .and_then(|nth| memchr_iter(b'\n', chunk).nth(nth))
    };
    *count = 0;
    end.map(|newline| newline + 1)
}

/// All that is left to read of `file`; `expected` bytes, if it keeps its word.
fn rest_of(file: &RegularFile, expected: u64) -> Result<Vec<u8>, FileError> {
    // Only a hint: a kernel that does not take it reads ahead less.
    let _ = fadvise(&file.file, 0, None, Advice::Sequential);
    let too_large = || FileError::Read(Reason::new("it does not fit in memory"));
    let expected = usize::try_from(expected).map_err(|_| too_large())?;
    let mut content = Vec::new();
    content
        .try_reserve_exact(expected.saturating_add(1))
        .map_err(|_| too_large())?;
    loop {
        if content.capacity() - content.len() == 0 {
            content.try_reserve(WINDOW).map_err(|_| too_large())?;
        }
        match rustix::io::read(&file.file, rustix::buffer::spare_capacity(&mut content)) {
            Ok(0) => return Ok(content),
            Ok(_) | Err(Errno::INTR) => {}
            Err(errno) => return Err(FileError::reading(errno)),
        }
    }
}

fn fill(file: &RegularFile, window: &mut [u8]) -> Result<usize, FileError> {
    loop {
        match rustix::io::read(&file.file, &mut *window) {
            Ok(length) => return Ok(length),
            Err(Errno::INTR) => {}
            Err(errno) => return Err(FileError::reading(errno)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_across_chunks() {
        let mut count = 3;
        assert_eq!(after_lines(b"a\nb\nc", &mut count), None);
        assert_eq!(count, 1);
        assert_eq!(after_lines(b"c\nd\n", &mut count), Some(2));
        assert_eq!(count, 0);
        let mut count = 2;
        assert_eq!(after_lines(b"a\nb\n", &mut count), Some(4));
    }
}
