//! An answer that is too large for a message: it is stored as an artifact, and the answer links to
//! it.
//!
//! Rules: the specification's linking of large payloads. The tool decides which of its answers are
//! linked, and who may be answered with a link.

use std::io;
use std::time::SystemTime;

use serde_json::{Value, json};

use crate::contract::reply::{AnswerObject, LINK};
use iki_web::cache::{CacheStore, artifact};
use iki_web::date;

/// Minimum length of an answer that is linked, in bytes.
const MIN_LINKED_BYTES: usize = 24_576;

/// Media type of an answer's object.
pub const JSON: &str = "application/json";

/// An answer that may be too large for a message.
pub struct LargeAnswer {
    /// Its media type.
    pub mime_type: &'static str,
    /// All of it.
    pub text: Vec<u8>,
    /// A sentence for the model in its place.
    pub summary: String,
    /// A sentence for the client's user.
    pub description: &'static str,
}

/// Link to an answer: the answer in its place, and the link itself.
pub struct LinkedAnswer {
    answer: Value,
    link: Value,
}

/// Stores a large answer; `None` if it is not large, or cannot be stored.
pub fn link(store: &dyn CacheStore, large: &LargeAnswer) -> Option<LinkedAnswer> {
    if large.text.len() < MIN_LINKED_BYTES {
        return None;
    }
    let resource = artifact::store_content(store, large.mime_type, &large.text)?.address();
    let expires = SystemTime::now() + artifact::LIFETIME;
    Some(LinkedAnswer {
        answer: json!({
            "resource": resource,
            "bytes": large.text.len(),
            "mimeType": large.mime_type,
            "summary": large.summary,
            "expiresAt": date::rfc_3339(expires),
            "linked": true,
        }),
        link: json!({
            "uri": resource,
            "name": "research-artifact",
            "title": large.summary,
            "description": large.description,
            "mimeType": large.mime_type,
            "size": large.text.len(),
        }),
    })
}

/// Returns the whole answer that `write` writes, as one object without limits.
pub fn whole_object(
    write: impl FnOnce(&mut AnswerObject<'_>) -> io::Result<()>,
) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    let mut object = AnswerObject::open(&mut text)?;
    write(&mut object)?;
    object.close()?;
    Ok(text)
}

impl LinkedAnswer {
    /// Writes the answer with the link.
    pub fn write(&self, object: &mut AnswerObject<'_>) -> io::Result<()> {
        for (name, value) in self.answer.as_object().into_iter().flatten() {
            object.field(name, value)?;
        }
        object.field_for_server(LINK, &self.link)
    }
}
