//! What comes back of a request: its head first, and its body as far as the call keeps it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ureq::http::{HeaderMap, header};
use url::Url;

use super::body::{self, BodyLimit};
use super::dial::ExchangeState;
use super::error::{FetchError, Received};
use super::{ERROR_BODY, MAX_ERROR_BODY, fault};
use crate::web::guard::{CheckedAddr, Guard, HopTarget};

/// What came back, whatever its status.
#[derive(Debug)]
pub struct Response {
    /// The status code.
    pub status: u16,
    /// The reason phrase: the server's, or the standard one where the server gave none.
    pub reason: String,
    /// Where it came from in the end, without user and password.
    pub url: Url,
    /// The body, decoded, up to [`MAX_BODY`](super::MAX_BODY) bytes or what the client
    /// [keeps](super::Client::keeping).
    pub body: Vec<u8>,
    /// True if there was more of it.
    pub truncated: bool,
    /// What the guard knows after this call: it judges whatever the page asks for in its turn.
    pub guard: Guard,
    headers: HeaderMap,
}

impl Response {
    /// A header's value, of the first header of that name, where it is readable text.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// The values of all headers of a name that are readable text, in their order.
    pub fn headers(&self, name: &str) -> impl Iterator<Item = &str> {
        let all = self.headers.get_all(name).iter();
        all.filter_map(|value| value.to_str().ok())
    }

    /// `404: Not Found` behind `HTTP`.
    #[must_use]
    pub fn status_text(&self) -> String {
        if self.reason.is_empty() {
            return format!("HTTP {}", self.status);
        }
        format!("HTTP {}: {}", self.status, self.reason)
    }

    /// The value of `Content-Type`.
    #[must_use]
    pub fn content_type(&self) -> Option<&str> {
        self.header("content-type")
    }
}

/// The head of an answer, its body still on the wire.
pub(super) struct HopResponse {
    pub target: HopTarget,
    pub addrs: Vec<CheckedAddr>,
    pub location: Option<String>,
    pub status: u16,
    pub reason: String,
    pub headers: HeaderMap,
    pub body: ureq::Body,
    pub talk: Arc<ExchangeState>,
}

impl HopResponse {
    /// Reads the body; a status of 400 or more is an error.
    pub fn finish(
        self,
        url: Url,
        guard: Guard,
        (total, most): (Duration, BodyLimit),
    ) -> Result<Response, FetchError> {
        let failed = self.status >= 400;
        let most = if failed {
            BodyLimit::of(MAX_ERROR_BODY)
        } else {
            most
        };
        if failed {
            self.talk.finish_by(Instant::now() + ERROR_BODY);
        }
        let codings: Vec<&str> = self
            .headers
            .get_all(header::CONTENT_ENCODING)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .collect();
        let codings = codings.join(",");
        let length = self.body.content_length();
        let read = body::read(self.body.into_reader(), Some(&codings), length, most);
        let body = match read {
            Ok(body) => body,
            // The status is worth more than why its page could not be read.
            Err(broken) if failed => body::Body {
                bytes: broken.bytes,
                truncated: true,
            },
            Err(broken) => {
                let mut error = fault::describe_body(&broken.error, &self.target, total);
                let kind = self.headers.get(header::CONTENT_TYPE);
                error.received = (!broken.bytes.is_empty()).then(|| Received {
                    bytes: broken.bytes,
                    content_type: kind.and_then(|kind| Some(kind.to_str().ok()?.to_owned())),
                });
                return Err(error.into());
            }
        };
        let response = Response {
            status: self.status,
            reason: self.reason,
            url,
            body: body.bytes,
            truncated: body.truncated,
            guard,
            headers: self.headers,
        };
        if failed {
            Err(FetchError::Status(Box::new(response)))
        } else {
            Ok(response)
        }
    }
}

/// A reason phrase fit for a message: one line of printable text, 200 characters at most.
pub(super) fn tidy_reason(text: &str) -> String {
    let text: String = text.chars().filter(|c| !c.is_control()).take(200).collect();
    text.trim().to_owned()
}
