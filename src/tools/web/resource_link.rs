//! An answer that is too large for a message: it is stored as an artifact, and the answer links to
//! it.
//!
//! Rules: the specification's linking of large payloads. The tool decides which of its answers are
//! linked, and who may be answered with a link.

use std::io;
use std::time::SystemTime;

use serde_json::json;

use crate::cache::{CacheStore, artifact};
use crate::contract::reply::{LINK, Object};
use crate::web::date;

/// Shortest text of an answer that is linked, in bytes.
const LARGE: usize = 24_576;

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

/// Link to an answer.
pub struct LinkedAnswer {
    resource: String,
    bytes: usize,
    mime_type: &'static str,
    summary: String,
    description: &'static str,
    expires_at: String,
}

/// Stores a large answer; `None` if it is not large, or cannot be stored.
pub fn link(store: &dyn CacheStore, answer: LargeAnswer) -> Option<LinkedAnswer> {
    if answer.text.len() < LARGE {
        return None;
    }
    let id = artifact::put(store, answer.mime_type, &answer.text)?;
    let expires = SystemTime::now() + artifact::LIFETIME;
    Some(LinkedAnswer {
        resource: id.address(),
        bytes: answer.text.len(),
        mime_type: answer.mime_type,
        summary: answer.summary,
        description: answer.description,
        expires_at: date::rfc_3339(expires),
    })
}

/// Returns the whole answer that `write` writes, as one object without limits.
pub fn whole_object(write: impl FnOnce(&mut Object<'_>) -> io::Result<()>) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    let mut object = Object::open(&mut text)?;
    write(&mut object)?;
    object.close()?;
    Ok(text)
}

impl LinkedAnswer {
    /// Writes the answer with the link.
    pub fn write(&self, object: &mut Object<'_>) -> io::Result<()> {
        object.field("resource", &self.resource)?;
        object.field("bytes", &self.bytes)?;
        object.field("mimeType", self.mime_type)?;
        object.field("summary", &self.summary)?;
        object.field("expiresAt", &self.expires_at)?;
        object.field("linked", &true)?;
        object.field_for_server(
            LINK,
            &json!({
                "uri": self.resource,
                "name": "research-artifact",
                "title": self.summary,
                "description": self.description,
                "mimeType": self.mime_type,
                "size": self.bytes,
            }),
        )
    }
}
