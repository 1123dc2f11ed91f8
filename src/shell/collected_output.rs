//! Collecting output of any length: its beginning and its end in memory, all of it in a file.

use std::io::{self, Write};

use crate::shell::background_output::BackgroundOutput;
use crate::shell::kept_output::{KeptOutput, SavedPlace};

/// A writer that collects output.
#[derive(Debug)]
pub struct OutputCollector {
    /// Length in bytes up to which output is kept in memory whole; of longer output, so much of the
    /// end.
    most: usize,
    /// All of the output, or its beginning if it is longer than `most`.
    head: Vec<u8>,
    /// Its end, if it is longer than `most`.
    tail: Vec<u8>,
    bytes: u64,
    newlines: u64,
    whole: Option<KeptOutput>,
}

/// Output that was collected.
#[derive(Debug)]
pub struct CollectedOutput {
    /// Its beginning, of `most` bytes at least; all of it if there is no tail.
    pub head: Vec<u8>,
    /// Its end, of `most` bytes at least; `None` if the head is all of it.
    pub tail: Option<Vec<u8>>,
    /// Its length in bytes.
    pub bytes: u64,
    /// Number of newlines.
    pub newlines: u64,
    whole: Option<KeptOutput>,
}

impl OutputCollector {
    /// Collects up to `most` bytes, and of longer output so much of both ends.
    #[must_use]
    pub fn new(most: usize) -> Self {
        Self {
            most,
            head: Vec::new(),
            tail: Vec::new(),
            bytes: 0,
            newlines: 0,
            whole: None,
        }
    }

    /// Returns the output.
    #[must_use]
    pub fn finish(mut self) -> CollectedOutput {
        let surplus = self.tail.len().saturating_sub(self.most);
        self.tail.drain(..surplus);
        CollectedOutput {
            head: self.head,
            tail: self.whole.is_some().then_some(self.tail),
            bytes: self.bytes,
            newlines: self.newlines,
            whole: self.whole,
        }
    }

    /// Keeps the last `most` bytes at least, and twice as many at most.
    fn keep_end(&mut self, bytes: &[u8]) {
        let bytes = &bytes[bytes.len().saturating_sub(self.most)..];
        if self.tail.len() + bytes.len() > 2 * self.most {
            let surplus = (self.tail.len() + bytes.len()).saturating_sub(self.most);
            self.tail.drain(..surplus.min(self.tail.len()));
        }
        self.tail.extend_from_slice(bytes);
    }
}

impl CollectedOutput {
    /// Saves all of the output in a file, and returns where it is.
    #[must_use]
    pub fn save_whole(self) -> SavedPlace {
        let whole = self.whole.unwrap_or_else(|| {
            let mut whole = KeptOutput::begin();
            whole.append(&self.head);
            whole
        });
        whole.finish()
    }
}

impl CollectedOutput {
    /// Saves all of the output in a file that can go on.
    ///
    /// # Errors
    /// The reason why there is no such file.
    pub fn save_and_go_on(&mut self) -> Result<BackgroundOutput, String> {
        if let Some(whole) = self.whole.take() {
            return BackgroundOutput::go_on_in(whole, self.bytes);
        }
        let mut file = BackgroundOutput::begin()?;
        let _ = file.write_all(&self.head);
        Ok(file)
    }
}

impl Write for OutputCollector {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes += u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        let newlines = memchr::memchr_iter(b'\n', bytes).count();
        self.newlines += u64::try_from(newlines).unwrap_or(u64::MAX);
        if self.whole.is_none() {
            if self.head.len() + bytes.len() <= self.most {
                self.head.extend_from_slice(bytes);
                return Ok(bytes.len());
            }
            let mut whole = KeptOutput::begin();
            whole.append(&self.head);
            self.whole = Some(whole);
            self.tail.extend_from_slice(&self.head);
            let room = self.most - self.head.len();
            self.head.extend_from_slice(&bytes[..room]);
        }
        if let Some(whole) = &mut self.whole {
            whole.append(bytes);
        }
        self.keep_end(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_are_there_however_the_output_comes_and_memory_is_bounded() {
        let text: Vec<u8> = (0..9_000u32).map(|n| n.to_le_bytes()[0]).collect();
        for step in [1, 7, 99, 100, 101, 199, 200, 201, 5_000, 9_000] {
            let mut ends = OutputCollector::new(100);
            // No file: this is about memory.
            ends.whole = Some(KeptOutput::none());
            for piece in text.chunks(step) {
                ends.write_all(piece).unwrap();
                assert!(ends.tail.len() <= 200 && ends.head.len() <= 100);
            }
            let kept = ends.finish();
            assert_eq!(kept.tail.unwrap(), &text[8_900..], "{step}");
            assert_eq!(kept.bytes, 9_000);
        }
        let mut ends = OutputCollector::new(100);
        ends.write_all(&text[..100]).unwrap();
        let kept = ends.finish();
        assert_eq!((kept.head.as_slice(), kept.tail), (&text[..100], None));
    }
}
