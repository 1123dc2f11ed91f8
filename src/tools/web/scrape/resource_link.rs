//! A raw answer that is too large for a message: it is stored as an artifact, and the answer links
//! to it.
//!
//! Rules: the specification's linking of large payloads.

use std::io;
use std::time::SystemTime;

use serde_json::json;

use super::answer;
use super::page::ScrapedPage;
use crate::basics::words::counted;
use crate::cache::{CacheStore, artifact};
use crate::contract::reply::{LINK, Object};
use crate::contract::terms::Terms;
use crate::web::date;

/// Shortest JSON of an answer that is linked, in bytes.
const LARGE: usize = 24_576;

/// Media type of an artifact, which is the whole answer.
const MIME_TYPE: &str = "application/json";

/// Link to a raw answer.
pub struct LinkedAnswer {
    resource: String,
    bytes: usize,
    summary: String,
    expires_at: String,
    content_bytes: usize,
}

/// Creates the link that replaces the answer of `page`; `None` if the answer stays: it is not raw,
/// not large, the client does not accept links, or there is no store.
pub fn of(
    page: &ScrapedPage,
    terms: &Terms,
    store: Option<&dyn CacheStore>,
) -> Option<LinkedAnswer> {
    if !page.raw || !terms.served {
        return None;
    }
    let store = store?;
    let text = json(page).ok()?;
    if text.len() < LARGE {
        return None;
    }
    let id = artifact::put(store, MIME_TYPE, &text)?;
    let expires = SystemTime::now() + artifact::LIFETIME;
    let whole = if page.truncated {
        ", cut at max_length"
    } else {
        ""
    };
    let kind = match page.content_type.as_str() {
        "" => "no declared type",
        kind => kind,
    };
    Some(LinkedAnswer {
        resource: id.address(),
        bytes: text.len(),
        summary: format!(
            "Raw answer of {} ({kind}, {}{whole}): read the resource for all of it.",
            page.url,
            counted(
                u64::try_from(page.content.len()).unwrap_or(u64::MAX),
                "byte"
            ),
        ),
        expires_at: date::rfc_3339(expires),
        content_bytes: page.whole,
    })
}

/// Returns the whole answer, as one object.
fn json(page: &ScrapedPage) -> io::Result<Vec<u8>> {
    let mut text = Vec::with_capacity(page.content.len() + page.content.len() / 8 + 1024);
    let mut object = Object::open(&mut text)?;
    answer::write(&mut object, page)?;
    object.close()?;
    Ok(text)
}

impl LinkedAnswer {
    /// Writes the answer with the link.
    pub fn write(&self, object: &mut Object<'_>) -> io::Result<()> {
        object.field("resource", &self.resource)?;
        object.field("bytes", &self.bytes)?;
        object.field("mimeType", MIME_TYPE)?;
        object.field("summary", &self.summary)?;
        object.field("expiresAt", &self.expires_at)?;
        object.field("linked", &true)?;
        object.field("contentSizeBytes", &self.content_bytes)?;
        object.field_for_server(
            LINK,
            &json!({
                "uri": self.resource,
                "name": "research-artifact",
                "title": self.summary,
                "description": "The whole raw answer, as JSON; it can be read until it expires.",
                "mimeType": MIME_TYPE,
                "size": self.bytes,
            }),
        )
    }
}
