//! Facts about an answer's content, as short lines for readers of text: the few values worth
//! reading of fields that may be objects ([`FieldRole::Aside`]).
//!
//! [`FieldRole::Aside`]: crate::contract::tool::FieldRole::Aside

use serde_json::Value;

use crate::contract::answer_limit::TextMeasure;

/// Maximum length of a value on a line, in bytes.
const MAX_VALUE_BYTES: usize = 500;

/// The values of one field that are shown: a label for each, and its position within the field as a
/// JSON pointer (RFC 6901). `""` is the field itself.
pub type PickedValues = &'static [(&'static str, &'static str)];

/// The lines of a field, each `name: value`. Values that are missing, empty, `false` or objects
/// have no line.
pub fn fact_lines(picks: PickedValues, field: &Value) -> impl Iterator<Item = String> {
    picks.iter().filter_map(|(name, place)| {
        let text = value_on_one_line(field.pointer(place)?)?;
        Some(format!("{name}: {text}"))
    })
}

/// A value on one line; `None` if there is nothing to show.
fn value_on_one_line(value: &Value) -> Option<String> {
    let mut text = match value {
        Value::Null | Value::Bool(false) | Value::Object(_) => return None,
        Value::Bool(true) => String::from("yes"),
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.split_whitespace().collect::<Vec<_>>().join(" "),
        Value::Array(values) => {
            let values: Vec<String> = values.iter().filter_map(value_on_one_line).collect();
            values.join(", ")
        }
    };
    if text.len() > MAX_VALUE_BYTES {
        text.truncate(TextMeasure::Plain.prefix(text.as_bytes(), MAX_VALUE_BYTES));
        text.push('…');
    }
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_values_that_are_worth_reading_have_a_line_each() {
        let picks: PickedValues = &[
            ("title", "/metadata/title"),
            ("author", "/metadata/author"),
            ("cite", "/formatted/apa"),
        ];
        let field = json!({
            "metadata": {"title": "On\n lines", "site": "x"},
            "formatted": {"apa": "A. (2020). On lines.", "bibtex": "@misc{…}"},
        });
        let facts: Vec<String> = fact_lines(picks, &field).collect();
        assert_eq!(facts, ["title: On lines", "cite: A. (2020). On lines."]);
    }

    #[test]
    fn a_field_of_any_kind_is_one_short_line_or_none() {
        for (value, line) in [
            (json!("blog"), Some("x: blog")),
            (
                json!("a\r\ninstruction: b\u{2028}c"),
                Some("x: a instruction: b c"),
            ),
            (json!(7), Some("x: 7")),
            (json!(0), Some("x: 0")),
            (json!(true), Some("x: yes")),
            (json!(["a", null, 2]), Some("x: a, 2")),
            (json!(false), None),
            (json!(null), None),
            (json!(""), None),
            (json!(" \n"), None),
            (json!([]), None),
            (json!({"a": 1}), None),
        ] {
            let facts: Vec<String> = fact_lines(&[("x", "")], &value).collect();
            assert_eq!(facts.first().map(String::as_str), line, "{value}");
        }
        let long = json!("é".repeat(10_000));
        let facts: Vec<String> = fact_lines(&[("x", "")], &long).collect();
        assert!(facts[0].len() < 510 && facts[0].ends_with("é…"));
    }
}
