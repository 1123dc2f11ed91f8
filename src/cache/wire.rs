//! What a call and its server say to each other about the cache, over a socket that only they have:
//! each message is its length and as many bytes, within a limit.

use std::time::Duration;

use super::{Entry, Question};

/// The longest message, in bytes.
pub const LONGEST: usize = 16 * 1024 * 1024;

/// The length of what stands before a message: its own length.
pub const HEAD: usize = size_of::<u32>();

/// What a call asks.
#[derive(Debug, PartialEq, Eq)]
pub enum Request<B> {
    /// For the answer to a question that is younger than this.
    Get(Question, Duration),
    /// To keep an answer that is good for so long.
    Put(Question, Duration, B),
    /// To forget one.
    Forget(Question),
    /// For the turn to find one out.
    Turn(Question),
    /// That its turn be over.
    Over(Question),
}

/// What it is told.
#[derive(Debug, PartialEq, Eq)]
pub enum Reply {
    /// There is none.
    Nothing,
    /// That is done.
    Done,
    /// This was found.
    Found(Entry),
}

impl<B: AsRef<[u8]>> Request<B> {
    /// The message, its length before it; `None` where that is too great.
    pub fn message(&self) -> Option<Vec<u8>> {
        let (kind, question, time, bytes) = match self {
            Self::Get(question, longest) => (0, question, *longest, &[][..]),
            Self::Put(question, good_for, bytes) => (1, question, *good_for, bytes.as_ref()),
            Self::Forget(question) => (2, question, Duration::ZERO, &[][..]),
            Self::Turn(question) => (3, question, Duration::ZERO, &[][..]),
            Self::Over(question) => (4, question, Duration::ZERO, &[][..]),
        };
        let parts = question.parts();
        let length = u32::try_from(parts.len()).ok()?;
        message(&[
            &[kind, u8::from(question.changes())],
            &nanoseconds(time),
            &length.to_le_bytes(),
            parts,
            bytes,
        ])
    }
}

impl Request<Vec<u8>> {
    /// Reads a message, without its length; `None` if it is none.
    pub fn read(message: &[u8]) -> Option<Self> {
        let ([kind, changes], rest) = message.split_first_chunk::<2>()?;
        let (time, rest) = rest.split_first_chunk()?;
        let time = Duration::from_nanos(u64::from_le_bytes(*time));
        let (length, rest) = rest.split_first_chunk()?;
        let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
        let (parts, bytes) = rest.split_at_checked(length)?;
        let question = Question::of_parts(parts.to_vec(), *changes == 1);
        Some(match kind {
            0 => Self::Get(question, time),
            1 => Self::Put(question, time, bytes.to_vec()),
            2 => Self::Forget(question),
            3 => Self::Turn(question),
            4 => Self::Over(question),
            _ => return None,
        })
    }
}

impl Reply {
    /// The message, its length before it; `None` where that is too great.
    pub fn message(&self) -> Option<Vec<u8>> {
        match self {
            Self::Nothing => message(&[&[0]]),
            Self::Done => message(&[&[1]]),
            Self::Found(entry) => message(&[&[2], &nanoseconds(entry.age), &entry.bytes]),
        }
    }

    /// Reads a message, without its length; `None` if it is none.
    pub fn read(message: &[u8]) -> Option<Self> {
        match message {
            [0] => Some(Self::Nothing),
            [1] => Some(Self::Done),
            [2, rest @ ..] => {
                let (age, bytes) = rest.split_first_chunk()?;
                Some(Self::Found(Entry {
                    bytes: bytes.to_vec(),
                    age: Duration::from_nanos(u64::from_le_bytes(*age)),
                }))
            }
            _ => None,
        }
    }
}

/// The length that stands before a message; `None` where it is too great.
pub fn length(head: [u8; HEAD]) -> Option<usize> {
    let length = usize::try_from(u32::from_le_bytes(head)).ok()?;
    (length <= LONGEST).then_some(length)
}

fn message(parts: &[&[u8]]) -> Option<Vec<u8>> {
    let length: usize = parts.iter().map(|part| part.len()).sum();
    if length > LONGEST {
        return None;
    }
    let mut message = Vec::with_capacity(HEAD + length);
    message.extend_from_slice(&u32::try_from(length).ok()?.to_le_bytes());
    for part in parts {
        message.extend_from_slice(part);
    }
    Some(message)
}

fn nanoseconds(time: Duration) -> [u8; 8] {
    u64::try_from(time.as_nanos())
        .unwrap_or(u64::MAX)
        .to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask() -> Question {
        Question::new("test", 1).with("what", Some("\0any\n"))
    }

    fn content(message: &[u8]) -> &[u8] {
        let (head, rest) = message.split_first_chunk().unwrap();
        assert_eq!(length(*head), Some(rest.len()));
        rest
    }

    #[test]
    fn what_is_said_is_understood_as_it_was_meant() {
        let time = Duration::from_millis(1_800_123);
        for request in [
            Request::Get(ask(), time),
            Request::Get(ask().that_changes(), Duration::ZERO),
            Request::Put(ask(), time, b"bytes\0".to_vec()),
            Request::Put(ask(), time, Vec::new()),
            Request::Forget(ask()),
            Request::Turn(ask()),
            Request::Over(ask().that_changes()),
        ] {
            let message = request.message().unwrap();
            assert_eq!(Request::read(content(&message)).unwrap(), request);
        }
        let entry = |bytes: &[u8]| Entry {
            bytes: bytes.to_vec(),
            age: time,
        };
        for reply in [
            Reply::Nothing,
            Reply::Done,
            Reply::Found(entry(b"")),
            Reply::Found(entry(b"\0\x01")),
        ] {
            let message = reply.message().unwrap();
            assert_eq!(Reply::read(content(&message)).unwrap(), reply);
        }
    }

    #[test]
    fn what_is_no_message_or_too_long_is_none() {
        let whole = Request::Put(ask(), Duration::ZERO, Vec::new());
        let whole = whole.message().unwrap();
        let whole = content(&whole);
        for end in 0..whole.len() {
            assert_eq!(Request::read(&whole[..end]), None, "{end} bytes");
        }
        let mut unknown = whole.to_vec();
        unknown[0] = 9;
        assert_eq!(Request::read(&unknown), None);
        for wrong in [&[][..], &[3], &[0, 0], &[2, 1, 1, 1]] {
            assert_eq!(Reply::read(wrong), None);
        }
        let long = vec![0; LONGEST];
        assert_eq!(Request::Put(ask(), Duration::ZERO, long).message(), None);
        assert_eq!(length(u32::MAX.to_le_bytes()), None);
    }
}
