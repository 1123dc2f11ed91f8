//! Parsing that providers' replies have in common: JSON and error messages.

use std::borrow::Cow;

use serde_json::Value;

use super::failure::ProviderFailureKind;
use super::{ProviderRefusal, UnreadableReply};
use crate::body_text;
use crate::client::HttpResponse;
use iki_base::wording::on_one_line;

/// Maximum number of items of a list that are read: nobody asks for more, and each takes a hundred
/// times its length.
const MAX_ITEMS: usize = 500;

/// Maximum length of a message of a provider that is passed on, in characters.
const MAX_MESSAGE_CHARS: usize = 500;

/// Places of the message in a failed reply's JSON; the last one is Crossref's.
const MESSAGES: &str = "/error /error/detail /error/message /detail /detail/error /detail/message \
                        /message /message/0/message";

/// Parses a body as JSON, without its byte order mark, in UTF-8 or the charset that it declares.
/// Invalid UTF-8 becomes U+FFFD, so that one broken character does not lose the rest.
#[must_use]
pub fn json(reply: &HttpResponse) -> Option<Value> {
    let body = reply.body.as_slice();
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    if let Ok(sound) = serde_json::from_slice(body) {
        return Some(sound);
    }
    let declared = reply.content_type().unwrap_or_default().to_lowercase();
    let is_declared = declared.contains("charset=") && !declared.contains("utf-8");
    let is_wide = body.starts_with(b"\xff\xfe") || body.starts_with(b"\xfe\xff");
    let decoded = if is_declared || is_wide {
        body_text::read(body, reply.content_type(), "", reply.is_truncated).ok()
    } else {
        None
    };
    let text = match &decoded {
        Some(decoded) => Cow::from(&decoded.text),
        None => String::from_utf8_lossy(body),
    };
    serde_json::from_str(&mended(&text)).ok()
}

/// Replaces each escape of an unpaired surrogate with U+FFFD; cutting a text between the halves
/// leaves such escapes.
fn mended(text: &str) -> String {
    let mut mended = String::with_capacity(text.len());
    let mut remainder = text;
    while let Some(offset) = remainder.find('\\') {
        mended.push_str(&remainder[..offset]);
        remainder = &remainder[offset..];
        let low = |text: &str| matches!(escaped(text), Some(0xdc00..=0xdfff));
        let (replacement, length) = match escaped(remainder) {
            Some(0xd800..=0xdbff) if remainder.get(6..).is_some_and(low) => (&remainder[..12], 12),
            Some(0xd800..=0xdfff) => ("\\ufffd", 6),
            _ => {
                let next = remainder.chars().nth(1).map_or(0, char::len_utf8);
                (&remainder[..=next], 1 + next)
            }
        };
        mended.push_str(replacement);
        remainder = &remainder[length..];
    }
    mended + remainder
}

/// Returns the number of the escape that a text begins with.
fn escaped(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    u32::from_str_radix(digits, 16).ok()
}

/// Parses a body that must be a JSON object.
pub fn object(reply: &HttpResponse) -> Result<Value, UnreadableReply> {
    match json(reply) {
        Some(value @ Value::Object(_)) => Ok(value),
        _ => Err(UnreadableReply::Unknown),
    }
}

/// Returns a string of an object; empty if it has none.
#[must_use]
pub fn string<'a>(object: &'a Value, name: &str) -> &'a str {
    object.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// Returns a list of an object, as far as it is read; empty if it has none.
#[must_use]
pub fn list<'a>(object: &'a Value, name: &str) -> &'a [Value] {
    items(object.get(name)).unwrap_or_default()
}

/// Returns the items of a list that an answer must have, as far as they are read.
pub fn items(list: Option<&Value>) -> Result<&[Value], UnreadableReply> {
    let items = list.and_then(Value::as_array);
    let items = items.ok_or(UnreadableReply::Unknown)?;
    Ok(&items[..items.len().min(MAX_ITEMS)])
}

/// Returns the strings of a list.
#[must_use]
pub fn strings(list: Option<&Value>) -> Vec<String> {
    let items = items(list).unwrap_or_default().iter();
    items.filter_map(Value::as_str).map(str::to_owned).collect()
}

/// True if a failed reply has one of these words anywhere in its body, JSON or not, in whatever
/// case; they are in lower case.
#[must_use]
pub fn contains_any(reply: &HttpResponse, words: &[&str]) -> bool {
    let body = String::from_utf8_lossy(&reply.body).to_lowercase();
    words.iter().any(|word| body.contains(word))
}

/// Returns the message in a failed reply's JSON, in any of the usual places; empty if there is
/// none.
#[must_use]
pub fn error_message(reply: &HttpResponse) -> String {
    let Some(body) = json(reply) else {
        return String::new();
    };
    on_one_short_line(first_text(&body, MESSAGES).unwrap_or_default())
}

/// Returns the first text at one of these places of an error's JSON; the pointers have blanks
/// between them.
#[must_use]
pub fn first_text<'a>(json: &'a Value, pointers: &str) -> Option<&'a str> {
    let texts = pointers
        .split(' ')
        .filter_map(|pointer| json.pointer(pointer)?.as_str());
    texts.map(str::trim).find(|text| !text.is_empty())
}

/// Returns the error in an answer without results that came with a status of success; empty if it
/// only says that nothing was found. `None` if there is no error.
#[must_use]
pub fn complaint(reply: &HttpResponse) -> Option<String> {
    let status = reply.status_text();
    if reply.status != 200 {
        return Some(status);
    }
    let Some(Value::Object(body)) = json(reply) else {
        return None;
    };
    let fails = |name: &str| match body.get(name) {
        None | Some(Value::Null | Value::Bool(false)) => false,
        Some(Value::String(text)) => !text.is_empty(),
        Some(Value::Array(all)) => !all.is_empty(),
        // Crossref's is its answer.
        Some(Value::Object(_)) => name != "message",
        Some(_) => true,
    };
    let failed = ["error", "errors", "detail", "message"]
        .into_iter()
        .any(fails)
        || body.get("success") == Some(&Value::Bool(false));
    if !failed {
        return None;
    }
    let text = error_message(reply);
    let lower = text.to_lowercase();
    if lower.contains("any results") || lower.contains("no results") {
        return Some(String::new());
    }
    if text.is_empty() {
        return Some(format!("it says so without a reason ({status})"));
    }
    Some(format!("{text} ({status})"))
}

/// Builds the refusal for an error that only its message explains: a rejected request if the status
/// says so, otherwise an error of the provider.
#[must_use]
pub fn upstream_refusal(title: &str, reply: &HttpResponse) -> ProviderRefusal {
    let status = reply.status_text();
    let text = match error_message(reply) {
        text if text.is_empty() => format!("{title} search failed: {status}"),
        text => format!("{title} search failed: {text} ({status})"),
    };
    let kind = match reply.status {
        408 | 425 | 500.. => ProviderFailureKind::Upstream,
        _ => ProviderFailureKind::Rejected,
    };
    ProviderRefusal::new(kind, text)
}

/// Builds the refusal for a rejected key.
#[must_use]
pub fn rejected_key_refusal(title: &str, reply: &HttpResponse) -> ProviderRefusal {
    let text = format!("{title} rejected the API key ({}).", why(reply));
    ProviderRefusal::new(ProviderFailureKind::AuthInvalid, text)
}

/// Interprets a status by its general meaning: 401 and 403 a rejected key, 402 an exhausted quota,
/// 429 too many requests.
#[must_use]
pub fn by_status(title: &str, reply: &HttpResponse) -> ProviderRefusal {
    match reply.status {
        401 | 403 => rejected_key_refusal(title, reply),
        402 => quota_refusal(title, reply),
        429 => rate_limit_refusal(title, reply),
        _ => upstream_refusal(title, reply),
    }
}

/// An exhausted quota; the wait is in the answer, if anywhere.
pub const QUOTA: ProviderFailureKind = ProviderFailureKind::RateLimited {
    seconds: 0,
    is_quota: true,
};

/// Too many requests; the wait is in the answer.
pub const THROTTLED: ProviderFailureKind = ProviderFailureKind::too_fast(0);

/// Builds the refusal for an exhausted quota.
#[must_use]
pub fn quota_refusal(title: &str, reply: &HttpResponse) -> ProviderRefusal {
    let why = why(reply);
    let why = why.trim_end_matches('.');
    let text = format!("The search quota of {title} is used up ({why}).");
    ProviderRefusal::new(QUOTA, text)
}

/// Builds the refusal for too many requests.
#[must_use]
pub fn rate_limit_refusal(title: &str, reply: &HttpResponse) -> ProviderRefusal {
    let why = why(reply);
    let why = why.trim_end_matches('.');
    let text = format!("{title} asks for slower searching ({why}).");
    ProviderRefusal::new(THROTTLED, text)
}

fn why(reply: &HttpResponse) -> String {
    match error_message(reply) {
        text if text.is_empty() => reply.status_text(),
        text => text,
    }
}

/// Puts a provider's message on one line, and shortens it.
#[must_use]
pub fn on_one_short_line(message: &str) -> String {
    on_one_line(message)
        .chars()
        .take(MAX_MESSAGE_CHARS)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_character_is_replaced_and_all_else_stays() {
        for (text, expected) in [
            (r#""cut \ud83d""#, "cut \u{fffd}"),
            (r#""cut \ude00 x""#, "cut \u{fffd} x"),
            (r#""\ud83d\ude00 \ud83d\u0041""#, "\u{1f600} \u{fffd}A"),
            (r#""a \\ud83d \n \"\ud83d\"""#, "a \\ud83d \n \"\u{fffd}\""),
        ] {
            let read: Value = serde_json::from_str(&mended(text)).unwrap();
            assert_eq!(read, expected, "{text}");
        }
        for odd in ["", "\\", "\\u", "\\ud83d\\u", "é\\é", "\\ud83d\\"] {
            assert!(mended(odd).len() >= odd.len().min(1), "{odd}");
        }
    }
}
