//! A request's body: read completely, within its limits, and parsed beside the thread that serves
//! all others.
//!
//! Rules: "Batch" of JSON-RPC 2.0; "Streamable HTTP" under "Transports" in the protocol's
//! specification, which has taken batches back.

use std::fmt::Display;
use std::time::Duration;

use http_body_util::BodyExt;
use hyper::StatusCode;
use hyper::body::{Body, Bytes, Incoming};
use serde::de::IgnoredAny;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use crate::access::HeldSlot;
use crate::http::refusal::HttpRefusal;
use crate::incoming_message::{FaultKind, IncomingMessage};

/// Maximum length of a body, in bytes.
const MAX_BODY_BYTES: usize = 4 * 1024 * 1024;

/// Time that a body may take.
const BODY_TIMEOUT: Duration = Duration::from_secs(30);

/// Bytes up to which a body is read without a permit for large ones, and parsed at once.
const SMALL: usize = 64 * 1024;

/// Large bodies that are parsed at the same time.
static PARSERS: Semaphore = Semaphore::const_new(2);

/// Larger bodies that are read and parsed at the same time, from all senders together: they may
/// fill no more memory than these.
pub const MAX_CONCURRENT_LARGE_BODIES: usize = 16;

/// Takes a place for a large body, if there is one.
pub type TakeLargePlace<'a> = &'a (dyn Fn() -> Result<HeldSlot, HttpRefusal> + Send + Sync);

/// Reads a body, for which there has to be one of the `large` places if it is large; that place is
/// held until the body has been parsed.
pub async fn read(
    body: Incoming,
    large: TakeLargePlace<'_>,
) -> Result<(Bytes, Option<HeldSlot>), HttpRefusal> {
    let declared = body.size_hint().lower();
    if usize::try_from(declared).map_or(true, |length| length > MAX_BODY_BYTES) {
        return Err(too_large());
    }
    let read = timeout(BODY_TIMEOUT, collect(body, declared, large)).await;
    read.unwrap_or_else(|_| {
        Err(HttpRefusal::new(
            StatusCode::REQUEST_TIMEOUT,
            format!(
                "the body did not come within {} seconds, and the connection is closed: send it \
                 again, on another",
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
) -> Result<(Bytes, Option<HeldSlot>), HttpRefusal> {
    let declared = usize::try_from(declared).unwrap_or(0);
    let mut place = None;
    if declared > SMALL {
        place = Some(large()?);
    }
    let mut bytes = Vec::with_capacity(declared);
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
    Ok((Bytes::from(bytes), place))
}

fn too_large() -> HttpRefusal {
    let message = "the body is larger than 4 MiB: send less";
    HttpRefusal::new(StatusCode::PAYLOAD_TOO_LARGE, message).unread()
}

/// Parses a body. A large one keeps only its own sender waiting.
pub async fn parse(bytes: Bytes) -> Result<IncomingMessage, HttpRefusal> {
    if bytes.len() <= SMALL {
        return parse_at_once(&bytes);
    }
    let turn = PARSERS.acquire().await;
    let parsed = spawn_blocking(move || parse_at_once(&bytes)).await;
    drop(turn);
    parsed.unwrap_or_else(|_| {
        let message = "the body could not be read: send it again";
        Err(HttpRefusal::new(StatusCode::INTERNAL_SERVER_ERROR, message))
    })
}

fn parse_at_once(bytes: &Bytes) -> Result<IncomingMessage, HttpRefusal> {
    if bytes.trim_ascii_start().starts_with(b"[") {
        return match serde_json::from_slice::<IgnoredAny>(bytes) {
            Ok(_) => Err(HttpRefusal::new(
                StatusCode::BAD_REQUEST,
                "batches are not taken: send one message as one object, each in a request of its \
                 own",
            )),
            Err(error) => Err(not_json(&error)),
        };
    }
    IncomingMessage::read(bytes).map_err(|fault| {
        let refusal = match fault.kind {
            FaultKind::Syntax => not_json(&fault.reason),
            FaultKind::Invalid => HttpRefusal::new(StatusCode::BAD_REQUEST, fault.reason),
            FaultKind::NotOffered => HttpRefusal::no_such_method(fault.reason),
        };
        refusal.with_id(fault.id)
    })
}

fn not_json(reason: &dyn Display) -> HttpRefusal {
    HttpRefusal::not_json(format!("the body is no JSON that can be read: {reason}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn parse(body: &[u8]) -> Result<IncomingMessage, HttpRefusal> {
        parse_at_once(&Bytes::copy_from_slice(body))
    }

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
        let nested = |depth: usize| {
            let (open, close) = (r#"{"a":"#.repeat(depth), "}".repeat(depth));
            format!(r#"{{"jsonrpc":"2.0","id":1,"method":"x","params":{open}0{close}}}"#)
        };
        let (deep, deeper) = (nested(200), nested(100_000));
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
            (deeper.as_bytes(), INVALID),
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
            let excerpt = String::from_utf8_lossy(&body[..body.len().min(80)]);
            let refusal = parse(body).expect_err(&excerpt);
            let message = format!("{refusal:?}");
            assert!(
                message.contains(&format!("code: {code}")),
                "{excerpt}: {message}"
            );
            assert!(message.contains("status: 400"), "{excerpt}: {message}");
        }
    }

    const PARSE: i32 = -32700;
    const INVALID: i32 = -32600;
}
