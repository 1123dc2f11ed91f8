//! Checks what Redis sends before memory is allocated for it: no more replies than were asked for,
//! only of the kinds that can answer, none longer than an entry. The client library would take in
//! as much as is announced, for as long as it comes.
//!
//! Rules: "RESP protocol description" of Redis, in its second version; the requests made here are
//! answered with lines, numbers and strings alone.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::MAX_VALUE_BYTES;

/// Maximum length of a line, which is an error's.
const LINE: usize = 4096;

/// The number of replies that are still to come; sender and reader share it.
#[derive(Clone, Debug)]
pub struct ExpectedReplies(Arc<AtomicUsize>);

impl ExpectedReplies {
    /// Expects this many.
    pub fn new(replies: usize) -> Self {
        Self(Arc::new(AtomicUsize::new(replies)))
    }

    /// Expects this many more.
    pub fn add(&self, replies: usize) {
        self.0.fetch_add(replies, Ordering::Relaxed);
    }

    /// Counts one reply as received; false if none was expected.
    fn take(&self) -> bool {
        let less = |expected: usize| expected.checked_sub(1);
        let taken = self
            .0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
        taken.is_ok()
    }
}

/// A stream that fails at the first reply that was not expected.
pub struct ReplyStream<S> {
    stream: S,
    expected: ExpectedReplies,
    position: ReplyPosition,
}

/// The place in a reply that the stream has reached.
#[derive(Debug)]
enum ReplyPosition {
    Beginning,
    /// In a line; its digits, if it has any, are a string's size.
    Line {
        length: usize,
        digits: Option<String>,
    },
    /// In a string, this many bytes before its end.
    Content(usize),
}

impl<S> ReplyStream<S> {
    /// The replies of `stream`.
    pub fn new(stream: S, expected: ExpectedReplies) -> Self {
        Self {
            stream,
            expected,
            position: ReplyPosition::Beginning,
        }
    }

    /// Passes over the bytes that have come; `None` if they are not a reply that was expected.
    fn check_bytes(&mut self, mut bytes: &[u8]) -> Option<()> {
        while let Some((first, rest)) = bytes.split_first() {
            match &mut self.position {
                ReplyPosition::Beginning => {
                    let digits = match first {
                        b'+' | b'-' | b':' => None,
                        b'$' => Some(String::new()),
                        _ => return None,
                    };
                    self.expected.take().then_some(())?;
                    self.position = ReplyPosition::Line { length: 0, digits };
                    bytes = rest;
                }
                ReplyPosition::Line { length, digits } => {
                    let end = memchr::memchr(b'\n', bytes);
                    let line = &bytes[..end.unwrap_or(bytes.len())];
                    bytes = &bytes[line.len() + usize::from(end.is_some())..];
                    *length += line.len();
                    if *length > LINE {
                        return None;
                    }
                    if let Some(digits) = digits {
                        digits.push_str(std::str::from_utf8(line).ok()?);
                    }
                    if end.is_some() {
                        self.position = match digits.as_deref().map(str::trim_end) {
                            None | Some("-1") => ReplyPosition::Beginning,
                            Some(size) => {
                                let size: usize = size.parse().ok()?;
                                (size <= MAX_VALUE_BYTES).then_some(())?;
                                ReplyPosition::Content(size + b"\r\n".len())
                            }
                        };
                    }
                }
                ReplyPosition::Content(left) => {
                    let come = bytes.len().min(*left);
                    bytes = &bytes[come..];
                    *left -= come;
                    if *left == 0 {
                        self.position = ReplyPosition::Beginning;
                    }
                }
            }
        }
        Some(())
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for ReplyStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(context, buffer))?;
        let come = buffer.filled().get(before..).unwrap_or_default();
        Poll::Ready(self.check_bytes(come).ok_or_else(|| {
            let bad = "what has come is no reply to what was asked";
            io::Error::new(io::ErrorKind::InvalidData, bad)
        }))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for ReplyStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(expected: usize, pieces: &[&[u8]]) -> bool {
        let mut replies = ReplyStream::new((), ExpectedReplies::new(expected));
        pieces
            .iter()
            .all(|piece| replies.check_bytes(piece).is_some())
    }

    #[test]
    fn what_was_asked_for_is_taken_however_it_is_cut() {
        let all = b"+OK\r\n:-2\r\n$-1\r\n$0\r\n\r\n$4\r\n+\r\n$\r\n-ERR no\r\n";
        for end in 0..=all.len() {
            assert!(taken(6, &[&all[..end], &all[end..]]), "{end}");
        }
        let bytes: Vec<&[u8]> = all.chunks(1).collect();
        assert!(taken(6, &bytes) && !taken(5, &bytes));
        let longest = format!("${MAX_VALUE_BYTES}\r\n");
        assert!(taken(
            1,
            &[longest.as_bytes(), &vec![b'x'; MAX_VALUE_BYTES], b"\r\n"]
        ));
    }

    #[test]
    fn what_is_too_long_or_was_not_asked_for_is_not_taken() {
        let long = [b"+", &[b'x'; LINE + 1][..]].concat();
        for bad in [
            &b"$8589934592\r\n"[..],
            b"$99999999999999999999999999\r\n",
            b"$-2\r\n",
            b"$\r\n",
            b"$1x\r\n",
            b"$\xff\r\n",
            b"*2147483647\r\n",
            b"*1\r\n+OK\r\n",
            b"%1\r\n",
            b"|1\r\n",
            b">1\r\n",
            b"=8\r\ntxt:text\r\n",
            b"_\r\n",
            b"HTTP/1.1 400 Bad Request\r\n",
            &long,
        ] {
            assert!(!taken(9, &[bad]), "{}", String::from_utf8_lossy(bad));
        }
        let over = format!("${}\r\n", MAX_VALUE_BYTES + 1);
        assert!(!taken(1, &[over.as_bytes()]));
    }
}
