//! Arguments of calls as a log may have them: without logins, keys and signatures in addresses, and
//! without this server's own keys. A password among the words of a query cannot be recognized.

use std::sync::LazyLock;

use regex::{Captures, Regex};
use rmcp::model::JsonObject;
use serde_json::Value;

use iki_web::credentials::SecretText;

/// The text in place of a redacted part.
const HIDDEN: &str = "[key]";

/// The ends of names whose values are secrets.
const SECRET: &str = "(?:key|token|secret|passw(?:or)?\
                      d|passphrase|pass|pwd|sig|signature|auth|authorization|credentials?\
                      |session|sessionid|sid|jwt)";

/// A login in an address, as far as browsers take one for it.
static LOGIN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#"(?i)((?:\b[a-z][a-z0-9+.-]*:)?[/\\]{2,}|\bhttps?:[/\\]*)[^ /\\?#"'<>]*@"#).ok()
});

/// A parameter of an address or a header whose name says that it is a secret.
static PARAMETER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let parameter = format!(r#"([?&;#][^\s?&;#="'<>]*{SECRET}=)[^\s&;#"'<>]+"#);
    let header =
        format!(r#"(\b[a-z-]*{SECRET}["']?\s*:\s*["']?(?:(?:bearer|basic|token)\s+)?)[^\s"']+"#);
    Regex::new(&format!("(?i){parameter}|{header}")).ok()
});

/// A name that says that its value is a secret.
static NAME: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(&format!("(?i){SECRET}$")).ok());

/// `arguments` without the values that must not be logged, such as `keys`.
pub fn redact_arguments(arguments: &JsonObject, keys: &[SecretText]) -> JsonObject {
    let fields = arguments.iter().map(|(name, value)| {
        let value = if !value.is_null() && NAME.as_ref().is_none_or(|secret| secret.is_match(name))
        {
            Value::from(HIDDEN)
        } else {
            without_secrets(value, keys)
        };
        (text(name, keys), value)
    });
    fields.collect()
}

fn without_secrets(value: &Value, keys: &[SecretText]) -> Value {
    match value {
        Value::String(string) => text(string, keys).into(),
        Value::Array(values) => values
            .iter()
            .map(|one| without_secrets(one, keys))
            .collect(),
        Value::Object(fields) => redact_arguments(fields, keys).into(),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

fn text(words: &str, keys: &[SecretText]) -> String {
    let (Some(login), Some(parameter)) = (&*LOGIN, &*PARAMETER) else {
        return HIDDEN.to_owned();
    };
    let keep_name = |captures: &Captures<'_>| {
        let name = captures
            .get(1)
            .or_else(|| captures.get(2))
            .map_or("", |name| name.as_str());
        format!("{name}{HIDDEN}")
    };
    let words = login.replace_all(words, |captures: &Captures<'_>| {
        format!("{}@", keep_name(captures))
    });
    let words = parameter.replace_all(&words, keep_name);
    keys.iter()
        .fold(words.into_owned(), |words, key| key.hide_in(&words))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn redact_text(input: &str) -> String {
        let keys = [SecretText::new("s3rv3r-own-k3y")];
        let arguments = json!({"url": [input]});
        let masked = redact_arguments(arguments.as_object().unwrap(), &keys);
        masked["url"][0].as_str().unwrap().to_owned()
    }

    #[test]
    fn what_an_address_has_of_secrets_is_not_shown() {
        for (input, expected) in [
            ("https://user:pw@host/x?q=1", "https://[key]@host/x?q=1"),
            (
                "see HTTPS:\\\\u:p@ss@host and //u:p@host",
                "see HTTPS:\\\\[key]@host and //[key]@host",
            ),
            ("https:u:p\tw@host", "https:[key]@host"),
            ("redis://:pw@host:1", "redis://[key]@host:1"),
            (
                "https://h/?api_key=a1&q=b&X-Amz-Signature=c#access_token=d",
                "https://h/?api_key=[key]&q=b&X-Amz-Signature=[key]#access_token=[key]",
            ),
            (
                "https://h/?token=a;Password=b",
                "https://h/?token=[key];Password=[key]",
            ),
            (
                "curl -H 'Authorization: Bearer abc' h",
                "curl -H 'Authorization: Bearer [key]' h",
            ),
            ("{\"x-api-key\": \"abc\"}", "{\"x-api-key\": \"[key]\"}"),
            ("find s3rv3r own k3y", "find [key]"),
        ] {
            assert_eq!(redact_text(input), expected);
        }
    }

    #[test]
    fn what_is_no_secret_stays() {
        for input in [
            "https://host/@user/x?q=me@host",
            "keys: how a session token is signed",
            "mail me@example.org // and you",
            "https://host/?keyword=a&tokens=3",
        ] {
            assert_eq!(redact_text(input), input);
        }
        let fields = json!({"query": "a", "password": "b", "num": 3});
        let masked = redact_arguments(fields.as_object().unwrap(), &[]);
        assert_eq!(
            Value::from(masked),
            json!({"query": "a", "password": "[key]", "num": 3})
        );
    }
}
