//! Replies to a request: the head first, then the body up to the client's limit.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ureq::http::{HeaderMap, HeaderValue, header};
use url::Url;

use super::body::{self, BodyLimit};
use super::dial::ExchangeState;
use super::error::{FetchError, ReceivedPart};
use super::unpack_gzip;
use super::{ERROR_BODY_TIMEOUT, MAX_ERROR_BODY, fault};
use crate::guard::{CheckedAddr, Guard, HopTarget};

/// A reply, whatever its status.
#[derive(Debug)]
pub struct HttpResponse {
    /// Status code.
    pub status: u16,
    /// Reason phrase: the server's, or the standard one if the server gave none.
    pub reason: String,
    /// Final URL, without user and password.
    pub url: Url,
    /// Body, decoded, up to [`MAX_BODY`](super::MAX_BODY) bytes or the client's
    /// [limit](super::HttpClient::with_body_limit).
    pub body: Vec<u8>,
    /// True if the body was longer.
    pub is_truncated: bool,
    /// State of the guard after this call, which judges the requests of the page itself.
    pub guard: Guard,
    headers: HeaderMap,
}

impl HttpResponse {
    /// Returns the value of the first header of that name, if it is readable text.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// Returns the readable values of all headers of a name, in their order.
    pub fn headers(&self, name: &str) -> impl Iterator<Item = &str> {
        let all = self.headers.get_all(name).iter();
        all.filter_map(|value| value.to_str().ok())
    }

    /// Returns the status as `404: Not Found`, to follow `HTTP`.
    #[must_use]
    pub fn status_text(&self) -> String {
        if self.reason.is_empty() {
            return format!("HTTP {}", self.status);
        }
        format!("HTTP {}: {}", self.status, self.reason)
    }

    /// Replaces a body that is a gzip file by what is packed in it, of which nobody has declared
    /// the type; of another file than a document or a text, only the type becomes known. Of a
    /// damaged file the text before the damage is taken; another one stays.
    pub fn unpack(&mut self) {
        let Some(unpacked) = unpack_gzip(&self.body) else {
            return;
        };
        self.headers.remove(header::CONTENT_TYPE);
        if let Some((kind, _)) = unpacked.other_file() {
            let kind = HeaderValue::try_from(format!("{kind}+gzip"));
            self.headers
                .extend(kind.map(|kind| (header::CONTENT_TYPE, kind)));
        } else {
            self.is_truncated = unpacked.cuts.size_limit.is_some();
            self.body = unpacked.bytes;
            if unpacked.cuts.packed_end {
                let notice = unpacked.cuts.notices().concat();
                self.body.extend(format!("\n[{notice}]\n").bytes());
            }
        }
    }

    /// Returns the value of `Content-Type`.
    #[must_use]
    pub fn content_type(&self) -> Option<&str> {
        self.header("content-type")
    }
}

/// Head of a hop's answer, with the body still unread.
pub(super) struct HopResponse {
    pub target: HopTarget,
    pub addrs: Vec<CheckedAddr>,
    pub location: Option<String>,
    pub status: u16,
    pub reason: String,
    pub headers: HeaderMap,
    pub body: ureq::Body,
    pub exchange: Arc<ExchangeState>,
}

impl HopResponse {
    /// Reads the body; a status of 400 or more is an error.
    pub fn finish(
        self,
        url: Url,
        guard: Guard,
        (total, limit): (Duration, BodyLimit),
    ) -> Result<HttpResponse, FetchError> {
        let failed = self.status >= 400;
        let limit = if failed {
            BodyLimit::new(MAX_ERROR_BODY)
        } else {
            limit
        };
        if failed {
            self.exchange.finish_by(Instant::now() + ERROR_BODY_TIMEOUT);
        }
        let codings: Vec<&str> = self
            .headers
            .get_all(header::CONTENT_ENCODING)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .collect();
        let codings = codings.join(",");
        let length = self.body.content_length();
        let read = body::read(self.body.into_reader(), Some(&codings), length, limit);
        let body = match read {
            Ok(body) => body,
            // The status matters more than the reason why its page could not be read.
            Err(broken) if failed => body::DecodedBody {
                bytes: broken.bytes,
                is_truncated: true,
            },
            Err(broken) => {
                let mut error = fault::describe_body(&broken.error, &self.target, total);
                let kind = self.headers.get(header::CONTENT_TYPE);
                error.received = (!broken.bytes.is_empty()).then(|| ReceivedPart {
                    bytes: broken.bytes,
                    content_type: kind.and_then(|kind| Some(kind.to_str().ok()?.to_owned())),
                });
                return Err(error.into());
            }
        };
        let response = HttpResponse {
            status: self.status,
            reason: self.reason,
            url,
            body: body.bytes,
            is_truncated: body.is_truncated,
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

/// Cleans a reason phrase for a message: one line of printable text, 200 characters at most.
pub(super) fn tidy_reason(text: &str) -> String {
    let text: String = text.chars().filter(|c| !c.is_control()).take(200).collect();
    text.trim().to_owned()
}
