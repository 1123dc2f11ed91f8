//! A client's message, read as far as the server has to know it, and bounded before anything is
//! built of it.
//!
//! The SDK builds every value of a message, several times over, and small ones take a hundred times
//! the memory of their JSON. It therefore gets an envelope: the message without the arguments of a
//! call, which the call's process reads as they came, and without what nobody reads.
//!
//! Rules: "Request object" of JSON-RPC 2.0.

use std::sync::{Arc, Mutex};

use hyper::body::Bytes;
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use serde_json::error::Category;
use serde_json::value::{RawValue, to_raw_value};

use iki_base::mutex::lock;
use iki_tools::contract::failure::Failure;

/// Maximum number of values in the arguments of a call, or in a batch.
const MAX_VALUES: usize = 50_000;

/// Maximum number of values in an envelope, and its maximum length in bytes. Icons of a client,
/// which are long strings, have room in it.
const MAX_ENVELOPE_VALUES: usize = 1000;
const MAX_ENVELOPE_BYTES: usize = 256 * 1024;

/// The method that calls a tool.
const CALL: &str = "tools/call";

/// The field by which a request without a handshake names its revision of the protocol.
const OWN_REVISION: &str = "\"io.modelcontextprotocol/protocolVersion\"";

/// The reason to refuse an id.
const WRONG_ID: &str = "`id` has to be a string or a whole number of 64 bits";

/// A message that can be handed on.
#[derive(Debug)]
pub struct IncomingMessage {
    /// Its method; `None` if it is an answer.
    pub method: Option<String>,
    /// Its id; null if it has none.
    pub id: Value,
    /// The message as the SDK gets it.
    pub envelope: Bytes,
    /// The arguments that are left out of it.
    pub arguments: Option<CallArguments>,
}

/// A kind of fault, which has its own code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// It is no JSON.
    Syntax,
    /// It is no message.
    Invalid,
    /// It asks for what its revision of the protocol does not have.
    NotOffered,
}

/// A message that cannot be handed on.
#[derive(Debug)]
pub struct MessageFault {
    /// The kind of fault.
    pub kind: FaultKind,
    /// True if it is a notification, which nobody may answer.
    pub is_notification: bool,
    /// Its id, if that could be read; else null.
    pub id: Value,
    /// A sentence that says what to do.
    pub reason: String,
}

impl MessageFault {
    fn not_json(id: Value, error: &serde_json::Error) -> Self {
        Self {
            kind: FaultKind::Syntax,
            ..Self::invalid(id, error.to_string())
        }
    }

    fn invalid(id: Value, reason: impl Into<String>) -> Self {
        Self {
            kind: FaultKind::Invalid,
            is_notification: false,
            id,
            reason: reason.into(),
        }
    }
}

/// A message as it comes. A field that occurs twice is an error, so that no later reader takes
/// another one than this does.
#[derive(Deserialize)]
struct RawMessage<'a> {
    #[serde(default)]
    jsonrpc: Option<String>,
    #[serde(default)]
    method: Option<String>,
    #[serde(default, borrow, deserialize_with = "given")]
    id: Option<&'a RawValue>,
    #[serde(default, borrow)]
    params: Option<&'a RawValue>,
    #[serde(default, deserialize_with = "given")]
    result: Option<IgnoredAny>,
    #[serde(default, deserialize_with = "given")]
    error: Option<IgnoredAny>,
}

/// A message as the SDK gets it.
#[derive(Serialize)]
struct MessageEnvelope<'a> {
    jsonrpc: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    params: Option<&'a RawValue>,
    /// For an answer: this server asks its clients nothing, and nobody reads what they say.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<EmptyError>,
}

/// An error of JSON-RPC that says nothing.
#[derive(Default, Serialize)]
struct EmptyError {
    code: i32,
    message: &'static str,
}

/// The parameters of a call, without those that nothing here reads.
#[derive(Deserialize, Serialize)]
struct CallParams<'a> {
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    name: Option<&'a RawValue>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    _meta: Option<&'a RawValue>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    arguments: Option<&'a RawValue>,
}

/// Deserializes a field that exists, even if it is null.
fn given<'de, D, T>(from: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    T::deserialize(from).map(Some)
}

impl IncomingMessage {
    /// Reads a message.
    ///
    /// # Errors
    /// It is no message, or none that may be handed on.
    pub fn read(bytes: &Bytes) -> Result<Self, MessageFault> {
        let text = text_of(bytes)?;
        let raw: RawMessage<'_> =
            serde_json::from_str(text).map_err(|error| match error.classify() {
                Category::Syntax | Category::Eof | Category::Io => {
                    MessageFault::not_json(Value::Null, &error)
                }
                Category::Data => MessageFault::invalid(
                    Value::Null,
                    "it is no message of JSON-RPC: an object with `jsonrpc`, `method`, `id` and \
                     `params`, each once",
                ),
            })?;
        let id = raw.id.map_or(Ok(Value::Null), read_id)?;
        raw.hand_on(bytes, &id).map_err(|fault| MessageFault {
            is_notification: raw.method.is_some() && raw.id.is_none(),
            ..fault
        })
    }

    /// The fault of a message whose parameters the SDK does not know.
    pub fn as_malformed(&self) -> MessageFault {
        let reason = "it is not as the protocol has it: see the method's own parameters";
        MessageFault {
            is_notification: self.method.is_some() && self.id.is_null(),
            ..MessageFault::invalid(self.id.clone(), reason)
        }
    }

    /// True if it calls a tool.
    pub fn is_call(&self) -> bool {
        self.method.as_deref() == Some(CALL)
    }
}

impl RawMessage<'_> {
    /// The message, whose id is known, to be handed on.
    fn hand_on(&self, bytes: &Bytes, id: &Value) -> Result<IncomingMessage, MessageFault> {
        let invalid = |reason: &str| MessageFault::invalid(id.clone(), reason);
        if self.jsonrpc.as_deref() != Some("2.0") {
            return Err(invalid("`jsonrpc` has to be \"2.0\""));
        }
        let is_answer = self.result.is_some() || self.error.is_some();
        if self.method.is_some() == is_answer {
            return Err(invalid(
                "the message has to have a `method`, or else the `result` or the `error` of a \
                 request",
            ));
        }
        match id {
            Value::String(_) => {}
            Value::Number(number) if number.is_i64() => {}
            // An error of a request whose id could not be read has none.
            Value::Null if self.id.is_none() || self.error.is_some() => {}
            _ => {
                return Err(invalid(WRONG_ID));
            }
        }
        if self.params.is_some_and(|params| !is_object(params)) {
            return Err(invalid("`params` has to be an object"));
        }
        // The SDK refuses this with the method's name alone.
        if self.method.as_deref() == Some("ping")
            && self
                .params
                .is_some_and(|params| params.get().contains(OWN_REVISION))
        {
            return Err(MessageFault {
                kind: FaultKind::NotOffered,
                ..invalid(
                    "ping: a revision without a handshake has none; server/discover shows that \
                     the server is there",
                )
            });
        }
        let mut params = self.params.map(RawValue::to_owned);
        let mut arguments = None;
        if let (Some(CALL), Some(whole)) = (self.method.as_deref(), self.params) {
            let mut of_call: CallParams<'_> =
                serde_json::from_str(whole.get()).map_err(|error| {
                    MessageFault::invalid(id.clone(), format!("`params` cannot be read: {error}"))
                })?;
            if let Some(object) = of_call.arguments.filter(|given| is_object(given)) {
                arguments = Some(CallArguments::new(bytes, object));
                of_call.arguments = None;
            }
            params = to_raw_value(&of_call).ok();
        }
        let envelope = serde_json::to_vec(&MessageEnvelope {
            jsonrpc: "2.0",
            id: self.id.filter(|_| !id.is_null()),
            method: self.method.as_deref(),
            params: params.as_deref(),
            error: is_answer.then(EmptyError::default),
        });
        let envelope = envelope.map_err(|error| MessageFault::not_json(id.clone(), &error))?;
        if envelope.len() > MAX_ENVELOPE_BYTES || holds_more_than(&envelope, MAX_ENVELOPE_VALUES) {
            return Err(invalid(
                "the message is too large: all but the `arguments` of tools/call has to fit into \
                 256 KiB and 1,000 values",
            ));
        }
        // The bytes that the reader of the message passed over may be no text.
        serde_json::from_slice::<Value>(&envelope)
            .map_err(|error| MessageFault::not_json(id.clone(), &error))?;
        Ok(IncomingMessage {
            id: id.clone(),
            method: self.method.clone(),
            envelope: Bytes::from(envelope),
            arguments,
        })
    }
}

/// The messages of a batch.
///
/// # Errors
/// It is no array of JSON with a message in it, or holds too much.
pub fn split_batch(bytes: &Bytes) -> Result<Vec<Bytes>, MessageFault> {
    let text = text_of(bytes)?;
    serde_json::from_str::<IgnoredAny>(text)
        .map_err(|error| MessageFault::not_json(Value::Null, &error))?;
    let invalid = |reason: &str| MessageFault::invalid(Value::Null, reason);
    if holds_more_than(text.as_bytes(), MAX_VALUES) {
        return Err(invalid(
            "a batch may hold 50,000 values: send fewer messages at a time",
        ));
    }
    let messages: Vec<&RawValue> =
        serde_json::from_str(text).map_err(|error| MessageFault::not_json(Value::Null, &error))?;
    if messages.is_empty() {
        return Err(invalid("the batch is empty"));
    }
    let messages = messages.iter();
    Ok(messages
        .map(|message| bytes.slice_ref(message.get().as_bytes()))
        .collect())
}

/// The text of a message, which the parser does not check where it keeps nothing.
fn text_of(bytes: &Bytes) -> Result<&str, MessageFault> {
    simdutf8::basic::from_utf8(bytes).map_err(|_| MessageFault {
        kind: FaultKind::Syntax,
        ..MessageFault::invalid(Value::Null, "it is not UTF-8")
    })
}

/// An id, of which nothing is built that is none.
fn read_id(raw: &RawValue) -> Result<Value, MessageFault> {
    if raw.get().starts_with(['[', '{']) {
        return Err(MessageFault::invalid(Value::Null, WRONG_ID));
    }
    serde_json::from_str(raw.get()).map_err(|error| MessageFault::not_json(Value::Null, &error))
}

fn is_object(value: &RawValue) -> bool {
    value.get().starts_with('{')
}

/// True if a piece of JSON holds more values than `limit`. Names are not counted, and an empty
/// array or object counts twice.
fn holds_more_than(json: &[u8], limit: usize) -> bool {
    let (mut count, mut remainder) = (1, json);
    while let Some((first, behind)) = remainder.split_first() {
        remainder = match first {
            b'"' => behind_string(behind),
            b',' | b'[' | b'{' => {
                count += 1;
                behind
            }
            _ => behind,
        };
        if count > limit {
            return true;
        }
    }
    false
}

/// The bytes behind a string, of which `remainder` is everything behind its opening quote.
fn behind_string(mut remainder: &[u8]) -> &[u8] {
    while let Some(offset) = memchr::memchr2(b'"', b'\\', remainder) {
        let is_end = remainder[offset] == b'"';
        remainder = remainder
            .get(offset + if is_end { 1 } else { 2 }..)
            .unwrap_or_default();
        if is_end {
            return remainder;
        }
    }
    &[]
}

/// The arguments of a call on their way to its process, beside the message that they came in. They
/// are there once: whoever takes them has their memory.
#[derive(Clone, Debug)]
pub struct CallArguments(Arc<Mutex<Result<Bytes, TooManyValues>>>);

#[derive(Debug)]
struct TooManyValues;

/// The arguments of a call that has none.
pub const NO_ARGUMENTS: Bytes = Bytes::from_static(b"{}");

impl CallArguments {
    /// The arguments `object`, which is a part of `message`.
    fn new(message: &Bytes, object: &RawValue) -> Self {
        let json = object.get().as_bytes();
        let arguments = if holds_more_than(json, MAX_VALUES) {
            Err(TooManyValues)
        } else {
            Ok(message.slice_ref(json))
        };
        Self(Arc::new(Mutex::new(arguments)))
    }

    /// Takes the arguments, as JSON.
    ///
    /// # Errors
    /// They are more than a call may have.
    pub fn take(&self) -> Result<Bytes, Failure> {
        let taken = std::mem::replace(&mut *lock(&self.0), Ok(NO_ARGUMENTS));
        taken.map_err(|TooManyValues| {
            Failure::bad_request(
                "the arguments hold more than 50,000 values: send less in one call",
            )
        })
    }
}
