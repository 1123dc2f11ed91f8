//! Sites that have a better way than their pages.

use std::time::Instant;

use super::facts::{self, Source};
use super::failure::{self, Refusal};
use super::page::Page;
use super::reader;
use super::request::Asked;
use crate::contract::failure::Code;
use crate::web::allowed::Allowed;
use crate::web::client::Client;
use crate::web::native::{self, NativeError};

/// The page that another way leads to; `None` where there is none.
pub fn page(asked: &Asked, client: &Client, end: Instant) -> Result<Option<Page>, Refusal> {
    let Some(native) = native::route(&asked.url) else {
        return Ok(None);
    };
    if let Err(why) = Allowed::from_env().check(&asked.url) {
        return Err(failure::of_not_allowed(&why));
    }
    let found = match native.read(&client.for_services(), end) {
        Ok(found) => found,
        Err(NativeError::Fetch(error)) => return Err(failure::of_fetch(error, asked)),
        Err(error) => {
            let code = match &error {
                NativeError::NotFound(_) => Code::NotFound,
                NativeError::Blocked(_) => Code::Blocked,
                NativeError::AuthRequired(_) => Code::AuthRequired,
                NativeError::Empty(_) => Code::ContentEmpty,
                NativeError::Fetch(_) | NativeError::NotUnderstood(_) => Code::UpstreamUnavailable,
            };
            return Err(Refusal::new(code, error.to_string()));
        }
    };
    let mut page = Page {
        url: reader::shown(&asked.url),
        content_type: found.kind.to_owned(),
        markdown: true,
        title: reader::titled(&found.document.title),
        partial: found.partial,
        // What could not be read may be readable the next time.
        of_the_moment: found.partial,
        ..Page::default()
    };
    let source = Source {
        author: found.author.as_deref(),
        date: found.date.as_deref(),
        ..Source::at(&asked.url)
    };
    facts::add(&mut page, &source, &found.document.markdown, Some(client));
    page.fill(&found.document.markdown, asked);
    Ok(Some(page))
}
