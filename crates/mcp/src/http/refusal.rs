//! The refusal of a request: a status, and an error of JSON-RPC that says what to do.

use std::time::Duration;

use hyper::StatusCode;
use hyper::body::Bytes;
use hyper::header::{
    ALLOW, CONNECTION, CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE,
};
use hyper::http::Response;
use serde_json::{Value, json};

use crate::http::answer::{self, ResponseBody};

/// The errors of JSON-RPC that come before any method.
const PARSE_ERROR: i32 = -32700;
const METHOD_NOT_FOUND: i32 = -32601;
const INVALID_REQUEST: i32 = -32600;
const INTERNAL_ERROR: i32 = -32603;
/// An error of the server's own, of those that JSON-RPC leaves to it.
const SERVER_ERROR: i32 = -32000;

/// A request that is not carried out.
#[derive(Debug)]
pub struct HttpRefusal {
    status: StatusCode,
    code: i32,
    /// The request's own id, once that is known.
    id: Value,
    message: String,
    header: Option<Box<(HeaderName, HeaderValue)>>,
    /// The rest of the request is not read, so that no other can follow.
    closes_connection: bool,
}

impl HttpRefusal {
    /// With this status, for this reason: a sentence that says what to do.
    pub fn new(status: StatusCode, message: impl Into<String>) -> Self {
        let code = match status {
            StatusCode::BAD_REQUEST
            | StatusCode::NOT_FOUND
            | StatusCode::METHOD_NOT_ALLOWED
            | StatusCode::NOT_ACCEPTABLE
            | StatusCode::UNSUPPORTED_MEDIA_TYPE => INVALID_REQUEST,
            StatusCode::INTERNAL_SERVER_ERROR => INTERNAL_ERROR,
            _ => SERVER_ERROR,
        };
        Self {
            status,
            code,
            id: Value::Null,
            message: message.into(),
            header: None,
            closes_connection: false,
        }
    }

    /// The request's revision of the protocol has no such method.
    pub fn no_such_method(reason: impl Into<String>) -> Self {
        Self {
            code: METHOD_NOT_FOUND,
            ..Self::new(StatusCode::NOT_FOUND, reason)
        }
    }

    /// The body is not JSON.
    pub fn not_json(reason: impl Into<String>) -> Self {
        Self {
            code: PARSE_ERROR,
            ..Self::new(StatusCode::BAD_REQUEST, reason)
        }
    }

    /// The request has no token, or not the right one.
    pub fn unauthenticated(challenge: &'static str, message: &str) -> Self {
        Self::new(StatusCode::UNAUTHORIZED, message)
            .with(WWW_AUTHENTICATE, HeaderValue::from_static(challenge))
    }

    /// A method that this path does not have.
    pub fn wrong_method(allowed: &'static str) -> Self {
        Self::new(
            StatusCode::METHOD_NOT_ALLOWED,
            format!("this path takes {allowed} alone"),
        )
        .with(ALLOW, HeaderValue::from_static(allowed))
    }

    /// Too much at this moment: to be tried again after so long.
    pub fn retry_later(status: StatusCode, message: impl Into<String>, after: Duration) -> Self {
        let seconds = HeaderValue::from(after.as_secs().max(1));
        Self::new(status, message).with(RETRY_AFTER, seconds)
    }

    /// With this header as well.
    pub fn with(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.header = Some(Box::new((name, value)));
        self
    }

    /// Of the request with this id.
    pub fn with_id(mut self, id: Value) -> Self {
        self.id = id;
        self
    }

    /// With the rest of the request unread.
    pub fn unread(mut self) -> Self {
        self.closes_connection = true;
        self
    }

    /// The refusal, the request having been read completely.
    pub fn read(mut self) -> Self {
        self.closes_connection = false;
        self
    }

    /// Its body.
    fn body(&self) -> Vec<u8> {
        let error = json!({"code": self.code, "message": self.message});
        let object = json!({"jsonrpc": "2.0", "id": self.id, "error": error});
        object.to_string().into_bytes()
    }

    /// As it is sent.
    pub fn into_response(self) -> Response<ResponseBody> {
        let mut response = Response::new(answer::whole_body(Bytes::from(self.body())));
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if let Some(header) = self.header {
            let (name, value) = *header;
            headers.insert(name, value);
        }
        if self.closes_connection {
            headers.insert(CONNECTION, HeaderValue::from_static("close"));
        }
        response
    }

    /// Its bytes for a connection that is not used any further.
    pub fn into_bytes(self) -> Vec<u8> {
        let body = self.body();
        let reason = self.status.canonical_reason().unwrap_or_default();
        let mut bytes = format!(
            "HTTP/1.1 {} {reason}\r\ncontent-type: application/json\r\nretry-after: \
             1\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
            self.status.as_u16(),
            body.len()
        )
        .into_bytes();
        bytes.extend(body);
        bytes
    }
}
