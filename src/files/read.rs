//! Reading a file whole, or some of its lines at the cost of those lines; passed on as it is read.

use std::error::Error;
use std::fmt;
use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;

use memchr::{memchr_iter, memrchr};
use rustix::fs::{Advice, OFlags, fadvise};
use rustix::io::Errno;

use super::environ;
use super::regular::{FileError, Reason, RegularFile};

/// How much is read at a time, in bytes: what stays in the processor's nearer caches until it is
/// passed on.
const WINDOW: usize = 256 * 1024;

/// Lines of a file. The first of them are read already, so that a file that cannot be read is known
/// before anything is passed on.
pub struct Content {
    file: RegularFile,
    window: Vec<u8>,
    /// The part of the window that is still to be passed on.
    ready: Range<usize>,
    /// How many lines after the window are wanted.
    to_take: u64,
    /// How many bytes of the file come after the window. Bytes that are appended meanwhile,
    /// perhaps by our own output, are not read. A generated file has no size.
    behind: u64,
}

/// Why a content was not passed on to its end.
#[derive(Debug)]
pub enum Interrupted {
    /// The file could be read no further.
    File(FileError),
    /// The content's receiver takes no more of it.
    Sink(io::Error),
}

impl fmt::Display for Interrupted {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(_) => write!(formatter, "the file could not be read to its end"),
            Self::Sink(_) => write!(formatter, "the content could not be passed on to its end"),
        }
    }
}

impl Error for Interrupted {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::File(error) => Some(error),
            Self::Sink(error) => Some(error),
        }
    }
}

/// Opens the file at `path` and reads up to line number `first` (from 1). `count` lines are wanted
/// from there on, or all. There are none beyond the end.
pub fn read(path: &Path, first: u64, count: Option<u64>) -> Result<Content, FileError> {
    let file = RegularFile::open(path, OFlags::RDONLY)?;
    if environ::is_own(&file) {
        return Err(FileError::Refused(Reason::new(
            "it is the environment of this very process, which may hold keys; bash with `env` \
             shows the rest of it",
        )));
    }
    if count.is_none() {
        // Only a hint: a kernel that ignores it reads ahead less.
        let _ = fadvise(&file.file, 0, None, Advice::Sequential);
    }
    let size = u64::try_from(file.stat.st_size).unwrap_or(0);
    let mut content = Content {
        behind: if size == 0 { u64::MAX } else { size },
        file,
        window: vec![0; WINDOW],
        ready: 0..0,
        to_take: count.unwrap_or(u64::MAX),
    };
    let mut to_skip = first.saturating_sub(1);
    while content.fill()? && to_skip > 0 {
        let chunk = &content.window[content.ready.clone()];
        content.ready.start = after_lines(chunk, &mut to_skip).unwrap_or(chunk.len());
    }
    content.cut();
    Ok(content)
}

impl Content {
    /// Passes the lines on to `sink`, reading as it goes.
    pub fn pass_on(mut self, sink: &mut impl Write) -> Result<(), Interrupted> {
        loop {
            let ready = std::mem::take(&mut self.ready);
            sink.write_all(&self.window[ready])
                .map_err(Interrupted::Sink)?;
            if self.to_take == 0 || !self.fill().map_err(Interrupted::File)? {
                return Ok(());
            }
            self.cut();
        }
    }

    /// Reads the next window, unless part of this one is left; returns whether there was anything.
    fn fill(&mut self) -> Result<bool, FileError> {
        while self.ready.is_empty() {
            let most = usize::try_from(self.behind).unwrap_or(WINDOW).min(WINDOW);
            match rustix::io::read(&self.file.file, &mut self.window[..most]) {
                Ok(0) => return Ok(false),
                Ok(length) => {
                    self.ready = 0..length;
                    self.behind -= length as u64;
                }
                Err(Errno::INTR) => {}
                Err(errno) => return Err(FileError::reading(errno)),
            }
        }
        Ok(true)
    }

    /// Cuts off the part of the window that is not wanted.
    fn cut(&mut self) {
        if self.to_take < u64::MAX
            && let Some(end) = after_lines(&self.window[self.ready.clone()], &mut self.to_take)
        {
            self.ready.end = self.ready.start + end;
        }
    }
}

/// The offset at which `count` lines of `chunk` end; if `chunk` holds fewer, `count` is reduced by
/// them.
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
