//! Messages between a call and its server about the cache, over a socket that only these two have:
//! each is its length and as many bytes, within a limit. Requests and replies have one form.

use std::time::Duration;

use super::CacheQuestion;

/// Maximum length of a message, in bytes.
const MAX_MESSAGE_BYTES: usize = 16 * 1024 * 1024;

/// The length of the number before a message: the message's own length.
pub const HEAD: usize = size_of::<u32>();

/// The purpose of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageKind {
    /// Asks for the answer to a question that is younger than the time.
    Get,
    /// Stores the bytes as an answer that is good for the time.
    Put,
    /// Forgets an answer.
    Forget,
    /// Asks for the turn to find an answer out.
    BeginTurn,
    /// Ends that turn.
    EndTurn,
    /// Asks for a persistent entry that was changed less than the time ago.
    Recall,
    /// Changes a persistent entry: the bytes are the version that is changed, zeros for none, and
    /// the new content, which is good for the time.
    Change,
    /// Refuses a turn or a change, or says that there is no answer or entry.
    Nothing,
    /// Confirms.
    Done,
    /// Passes an answer, which is as old as the time, or a persistent entry after its version.
    Found,
    /// Persistent entries cannot be had; the byte says why.
    Failed,
}

/// All kinds, in the order of their numbers.
const KINDS: [MessageKind; 11] = [
    MessageKind::Get,
    MessageKind::Put,
    MessageKind::Forget,
    MessageKind::BeginTurn,
    MessageKind::EndTurn,
    MessageKind::Recall,
    MessageKind::Change,
    MessageKind::Nothing,
    MessageKind::Done,
    MessageKind::Found,
    MessageKind::Failed,
];

/// A request or a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreMessage {
    /// The purpose.
    pub kind: MessageKind,
    /// The question that a request is about.
    pub question: CacheQuestion,
    /// A limit of age, or an age.
    pub time: Duration,
    /// The answer.
    pub bytes: Vec<u8>,
}

impl StoreMessage {
    /// A request about `question`, without bytes.
    pub fn request(kind: MessageKind, question: &CacheQuestion, time: Duration) -> Self {
        Self {
            kind,
            question: question.clone(),
            time,
            bytes: Vec::new(),
        }
    }

    /// A reply.
    pub fn reply(kind: MessageKind, time: Duration, bytes: Vec<u8>) -> Self {
        Self {
            kind,
            question: CacheQuestion::of_parts(Vec::new(), false),
            time,
            bytes,
        }
    }

    /// The message after its length; `None` if it is too long.
    pub fn encode(&self) -> Option<Vec<u8>> {
        let parts = self.question.parts();
        let time = u64::try_from(self.time.as_nanos()).unwrap_or(u64::MAX);
        let mut message = vec![0; HEAD];
        message.extend([self.kind as u8, u8::from(self.question.changes())]);
        message.extend(time.to_le_bytes());
        message.extend(u32::try_from(parts.len()).ok()?.to_le_bytes());
        message.extend_from_slice(parts);
        message.extend_from_slice(&self.bytes);
        let length = message.len() - HEAD;
        let head = u32::try_from(length)
            .ok()
            .filter(|_| length <= MAX_MESSAGE_BYTES)?;
        message[..HEAD].copy_from_slice(&head.to_le_bytes());
        Some(message)
    }

    /// Reads a message, without its length; `None` if it is malformed.
    pub fn decode(message: &[u8]) -> Option<Self> {
        let ([kind, changes], remainder) = message.split_first_chunk()?;
        let (time, remainder) = remainder.split_first_chunk()?;
        let (length, remainder) = remainder.split_first_chunk()?;
        let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
        let (parts, bytes) = remainder.split_at_checked(length)?;
        Some(Self {
            kind: *KINDS.get(usize::from(*kind))?,
            question: CacheQuestion::of_parts(parts.to_vec(), *changes == 1),
            time: Duration::from_nanos(u64::from_le_bytes(*time)),
            bytes: bytes.to_vec(),
        })
    }
}

/// The length of the message that follows; `None` if it is too great.
pub fn length(head: [u8; HEAD]) -> Option<usize> {
    let length = usize::try_from(u32::from_le_bytes(head)).ok()?;
    (length <= MAX_MESSAGE_BYTES).then_some(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put_message(bytes: Vec<u8>) -> StoreMessage {
        StoreMessage {
            kind: MessageKind::Put,
            question: CacheQuestion::new("test", 1).with("what", Some("\0any\n")),
            time: Duration::from_millis(1_800_123),
            bytes,
        }
    }

    #[test]
    fn a_message_is_read_as_it_was_written() {
        let mut changing = put_message(b"bytes\0".to_vec());
        changing.question = changing.question.that_changes();
        for message in KINDS.map(|kind| StoreMessage {
            kind,
            ..changing.clone()
        }) {
            let encoded = message.encode().unwrap();
            let (head, remainder) = encoded.split_first_chunk().unwrap();
            assert_eq!(length(*head), Some(remainder.len()));
            assert_eq!(StoreMessage::decode(remainder), Some(message));
        }
    }

    #[test]
    fn a_message_that_is_cut_unknown_or_too_long_is_none() {
        let whole = put_message(Vec::new()).encode().unwrap();
        let whole = &whole[HEAD..];
        for end in 0..whole.len() {
            assert_eq!(StoreMessage::decode(&whole[..end]), None, "{end} bytes");
        }
        let mut unknown = whole.to_vec();
        unknown[0] = 11;
        assert_eq!(StoreMessage::decode(&unknown), None);
        assert_eq!(put_message(vec![0; MAX_MESSAGE_BYTES]).encode(), None);
        assert_eq!(length(u32::MAX.to_le_bytes()), None);
    }
}
