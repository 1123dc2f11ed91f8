//! The search of a person's standard input, which passes through as it comes.

use std::cell::Cell;
use std::io::{self, Read};
use std::sync::atomic::Ordering;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::answer::GrepAnswer;
use super::search::FileSearcher;
use super::shared_search::SharedSearch;
use iki_base::console::streams::RawStdin;
use iki_search::ere::RegexMatcher;
use iki_search::scan::ByteSource;

/// The name of standard input in an answer, as grep(1) has it.
const NAME: &str = "(standard input)";

/// The most that is read at once, in bytes.
const MAX_READ_BYTES: usize = 1 << 20;

/// The note on an empty standard input, which nobody has named.
pub const WAS_EMPTY: &str = "stdin was empty, and the directory was not searched: add .";

/// The note on a standard input that is a document or packed.
pub const IS_NO_TEXT: &str = "The bytes of stdin were searched, not its text: it begins as a gzip \
                              file or a document. `gzip -cd |` before this unpacks the one, a \
                              path in place of stdin reads either.";

/// Standard input from where it stands.
struct StandardInput<'a> {
    /// True as long as nothing has come.
    is_empty: &'a Cell<bool>,
}

impl ByteSource for StandardInput<'_> {
    fn read(&mut self, buffer: &mut Vec<u8>) -> Result<usize, Errno> {
        let length = buffer.len();
        let room = (buffer.capacity() - length).min(MAX_READ_BYTES);
        buffer.resize(length + room, 0);
        let result = loop {
            match RawStdin.read(&mut buffer[length..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => break result,
            }
        };
        let count = result.as_ref().copied().unwrap_or(0);
        buffer.truncate(length + count);
        self.is_empty.set(self.is_empty.get() && count == 0);
        result.map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))
    }
}

/// Searches it to its end, or until nothing more is shown, and returns true if it was empty. Lines
/// are shown before the next bytes are waited for.
pub fn search(
    shared: &SharedSearch,
    matcher: &RegexMatcher,
    answer: &mut GrepAnswer<'_, '_>,
) -> io::Result<bool> {
    let quiet = shared.options.style.is_quiet;
    let is_empty = Cell::new(true);
    let source = StandardInput {
        is_empty: &is_empty,
    };
    FileSearcher::new(shared, matcher).search_stream(NAME, source, |chunk| {
        let goes_on = answer.add(chunk)?;
        if !has_more() {
            answer.show_now()?;
        }
        let is_enough =
            shared.full.load(Ordering::Relaxed) || (quiet && answer.matching_lines() > 0);
        Ok(goes_on && !is_enough)
    })?;
    Ok(is_empty.get())
}

/// True if there is something to read at once.
fn has_more() -> bool {
    let stdin = rustix::stdio::stdin();
    let at_once = Timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    let mut ready = [PollFd::new(&stdin, PollFlags::IN)];
    poll(&mut ready, Some(&at_once)).is_ok_and(|ready| ready > 0)
}
