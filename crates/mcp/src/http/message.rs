//! A request's body: read completely, within its limits, and parsed as far as the gate needs in
//! order to know what it is.
//!
//! Rules: "Request object" and "Batch" of JSON-RPC 2.0; "Streamable HTTP" under "Transports" in the
//! protocol's specification, which has taken batches back.

use std::time::Duration;

use http_body_util::BodyExt;
use hyper::StatusCode;
use hyper::body::{Body, Bytes, Incoming};
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::error::Category;
use tokio::time::timeout;

use crate::access::HeldSlot;
use crate::http::refusal::HttpRefusal;

/// Maximum length of a body, in bytes.
pub const MAX_BODY_BYTES: usize = 4 * 1024 * 1024;

/// Time that a body may take.
const BODY_TIMEOUT: Duration = Duration::from_secs(30);

/// Bytes up to which a body is read without a permit for large ones.
const SMALL: usize = 64 * 1024;

/// Larger bodies that are read at the same time, from all senders together: they may fill no more
/// memory than these.
pub const MAX_CONCURRENT_LARGE_BODIES: usize = 16;

/// Takes a place for a large body, if there is one.
pub type TakeLargePlace<'a> = &'a (dyn Fn() -> Result<HeldSlot, HttpRefusal> + Send + Sync);

/// The method that calls a tool.
const CALL: &str = "tools/call";

/// The parts of a message that decide about its admission.
#[derive(Clone, Debug, PartialEq)]
pub struct IncomingMessage {
    /// Its method; `None` if it is an answer.
    pub method: Option<String>,
    /// Its id; null if it has none.
    pub id: Value,
}

impl IncomingMessage {
    /// True if it calls a tool.
    pub fn is_call(&self) -> bool {
        self.method.as_deref() == Some(CALL)
    }
}

/// Reads a body, for which there has to be one of the `large` places if it is large.
pub async fn read(body: Incoming, large: TakeLargePlace<'_>) -> Result<Bytes, HttpRefusal> {
    let declared = body.size_hint().lower();
    if usize::try_from(declared).map_or(true, |length| length > MAX_BODY_BYTES) {
        return Err(too_large());
    }
    let read = timeout(BODY_TIMEOUT, collect(body, declared, large)).await;
    read.unwrap_or_else(|_| {
        Err(HttpRefusal::new(
            StatusCode::REQUEST_TIMEOUT,
            format!(
                "the body did not come within {} seconds, and the connection is closed: send it again, on another",
                BODY_TIMEOUT.as_secs()
            ),
        )
        .unread())
    })
}

async fn collect(
    mut body: Incoming,
    declared: u64,
    large: TakeLargePlace<'_>,
) -> Result<Bytes, HttpRefusal> {
    let mut bytes = Vec::new();
    let mut place = None;
    if usize::try_from(declared).is_ok_and(|length| length > SMALL) {
        place = Some(large()?);
    }
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| {
            HttpRefusal::new(
                StatusCode::BAD_REQUEST,
                "the body broke off, or its parts are not as HTTP has them",
            )
            .unread()
        })?;
        let Some(data) = frame.data_ref() else {
            continue;
        };
        let length = bytes.len() + data.len();
        if length > MAX_BODY_BYTES {
            return Err(too_large());
        }
        if length > SMALL && place.is_none() {
            place = Some(large()?);
        }
        bytes.extend_from_slice(data);
    }
    Ok(Bytes::from(bytes))
}

fn too_large() -> HttpRefusal {
    let message = "the body is larger than 4 MiB: send less";
    HttpRefusal::new(StatusCode::PAYLOAD_TOO_LARGE, message).unread()
}

/// A message as it comes. A field that occurs twice is an error, so that no later reader takes
/// another one than this does.
#[derive(Deserialize)]
struct RawMessage {
    #[serde(default)]
    jsonrpc: Option<String>,
    #[serde(default)]
    method: Option<String>,
    #[serde(default, deserialize_with = "given")]
    id: Option<Value>,
    #[serde(default, deserialize_with = "given")]
    params: Option<Value>,
    #[serde(default, deserialize_with = "given")]
    result: Option<IgnoredAny>,
    #[serde(default, deserialize_with = "given")]
    error: Option<IgnoredAny>,
}

/// Deserializes a field that exists, even if it is null.
fn given<'de, D, T>(from: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    T::deserialize(from).map(Some)
}

/// Parses a body.
pub fn parse(bytes: &[u8]) -> Result<IncomingMessage, HttpRefusal> {
    let invalid = |message: &str| HttpRefusal::new(StatusCode::BAD_REQUEST, message);
    // The parser skips values that it does not keep without checking that they are text.
    let text = simdutf8::basic::from_utf8(bytes)
        .map_err(|_| HttpRefusal::not_json("the body is not UTF-8, and so no JSON"))?;
    let text = text.trim_start_matches([' ', '\t', '\r', '\n']);
    if text.starts_with('[') {
        return match serde_json::from_str::<IgnoredAny>(text) {
            Ok(_) => Err(invalid(
                "batches are not taken: send one message as one object, each in a request of its own",
            )),
            Err(error) => Err(not_json(&error)),
        };
    }
    let raw: RawMessage = serde_json::from_str(text).map_err(|error| match error.classify() {
        Category::Syntax | Category::Eof | Category::Io => not_json(&error),
        Category::Data => invalid(
            "the body is no message of JSON-RPC: an object with `jsonrpc`, `method`, `id` and `params`, \
             each once",
        ),
    })?;
    let known_id = match &raw.id {
        Some(id @ (Value::String(_) | Value::Number(_))) => id.clone(),
        _ => Value::Null,
    };
    let invalid = |message: &str| invalid(message).with_id(known_id.clone());
    if raw.jsonrpc.as_deref() != Some("2.0") {
        return Err(invalid("`jsonrpc` has to be \"2.0\""));
    }
    let is_answer = raw.result.is_some() || raw.error.is_some();
    if raw.method.is_some() == is_answer {
        return Err(invalid(
            "the message has to have a `method`, or else the `result` or the `error` of a request",
        ));
    }
    match &raw.id {
        None | Some(Value::String(_)) => {}
        Some(Value::Number(number)) if number.is_i64() || number.is_u64() => {}
        // An error of a request whose id could not be read.
        Some(Value::Null) if raw.error.is_some() => {}
        Some(_) => return Err(invalid("`id` has to be a string or a whole number")),
    }
    if !matches!(&raw.params, None | Some(Value::Object(_))) {
        return Err(invalid("`params` has to be an object"));
    }
    Ok(IncomingMessage {
        id: known_id,
        method: raw.method,
    })
}

fn not_json(error: &serde_json::Error) -> HttpRefusal {
    HttpRefusal::not_json(format!("the body is no JSON that can be read: {error}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_known_of_a_call_is_what_it_says() {
        let call = json!({"jsonrpc": "2.0", "id": "a", "method": "tools/call", "params": {
            "name": "scrape_page", "arguments": {"name": "x"},
        }});
        let message = parse(call.to_string().as_bytes()).unwrap();
        assert!(message.is_call() && message.id == "a");
        let other = br#" {"jsonrpc":"2.0","method":"notifications/cancelled"}"#;
        let message = parse(other).unwrap();
        assert!(!message.is_call() && message.id.is_null());
        for answer in [
            &br#"{"jsonrpc":"2.0","id":1,"result":{}}"#[..],
            br#"{"jsonrpc":"2.0","id":null,"error":{}}"#,
        ] {
            assert_eq!(parse(answer).unwrap().method, None);
        }
        // A name with escapes is the same name.
        let escaped = br#"{"jsonrpc":"2.0","id":1,"method":"tools\/c\u0061ll"}"#;
        assert!(parse(escaped).unwrap().is_call());
    }

    #[test]
    fn what_is_no_message_is_refused_by_json_rpc_s_errors() {
        let deep = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"x","params":{}{}}}"#,
            r#"{"a":"#.repeat(100_000),
            "}".repeat(100_000)
        );
        for (body, code) in [
            (&b""[..], PARSE),
            (b"{", PARSE),
            (b"{\"jsonrpc\":\"2.0\",\"method\":\"a\xff\"}", PARSE),
            (
                b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\",\"x\":\"\xc0\x80\"}",
                PARSE,
            ),
            (b"{\"jsonrpc\":\"2.0\",\0\"method\":\"a\"}", PARSE),
            (b"\0", PARSE),
            (b"{} {}", PARSE),
            (br#"{"jsonrpc":"2.0","id":1e999,"method":"a"}"#, PARSE),
            (deep.as_bytes(), PARSE),
            (b"[", PARSE),
            (b"[]", INVALID),
            (br#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, INVALID),
            (b"7", INVALID),
            (b"null", INVALID),
            (b"\"ping\"", INVALID),
            (b"{}", INVALID),
            (br#"{"id":1,"method":"ping"}"#, INVALID),
            (br#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, INVALID),
            (br#"{"jsonrpc":"2.0","id":1}"#, INVALID),
            (br#"{"jsonrpc":"2.0","id":1,"method":null}"#, INVALID),
            (br#"{"jsonrpc":"2.0","id":1,"method":7}"#, INVALID),
            (br#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, INVALID),
            (br#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, INVALID),
            (br#"{"jsonrpc":"2.0","id":[],"method":"ping"}"#, INVALID),
            (
                br#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}"#,
                INVALID,
            ),
            (
                br#"{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}"#,
                INVALID,
            ),
            (
                br#"{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call"}"#,
                INVALID,
            ),
        ] {
            let shown = String::from_utf8_lossy(&body[..body.len().min(80)]);
            let refusal = parse(body).expect_err(&shown);
            let said = format!("{refusal:?}");
            assert!(said.contains(&format!("code: {code}")), "{shown}: {said}");
            assert!(said.contains("status: 400"), "{shown}: {said}");
        }
    }

    const PARSE: i32 = -32700;
    const INVALID: i32 = -32600;
}
