//! Fields of an item in the API's JSON, as text and as HTML.

use serde_json::Value;

use crate::search::html_text;
use crate::site_apis::{
    MAX_TEXT_BYTES, address_of, day_and_minute, escaped, name_of, number, single_line,
};
use iki_base::wording::{beginning, counted_as};

/// True if the item can be shown.
pub(super) fn is_there(item: &Value) -> bool {
    let marked = |field: &str| item.get(field).and_then(Value::as_bool) == Some(true);
    item.is_object() && !marked("deleted") && !marked("dead")
}

/// Returns the numbers in a list of an object, each once.
pub(super) fn ids(object: &Value, field: &str) -> Vec<u64> {
    let list = object.get(field).and_then(Value::as_array);
    let mut seen = Vec::new();
    for id in list.into_iter().flatten().filter_map(Value::as_u64) {
        // A list may be very long; no more of it is read than can be shown.
        if seen.len() >= 1000 {
            break;
        }
        if !seen.contains(&id) {
            seen.push(id);
        }
    }
    seen
}

/// Returns the score as text, such as `3 points`.
pub(super) fn points(item: &Value) -> Option<String> {
    number(item, "score").map(|score| counted_as(score, "point", "points"))
}

/// Returns points, author, time and number of comments, as far as an item has them.
pub(super) fn summary(item: &Value, whole: bool) -> String {
    let points = points(item).filter(|_| whole);
    let author = name_of(item, "by");
    let first = match (points, author) {
        (Some(points), Some(author)) => Some(format!("{points} by {author}")),
        (points, author) => points.or(author),
    };
    let time = number(item, "time").and_then(day_and_minute);
    let comments = number(item, "descendants").filter(|_| whole);
    let comments = comments.map(|number| counted_as(number, "comment", "comments"));
    let parts = [first, time.map(|(_, minute)| minute), comments];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    parts.join(", ")
}

/// Returns the first paragraph of a user's text, on one line.
pub(super) fn first_paragraph(item: &Value) -> String {
    let text = item.get("text").and_then(Value::as_str).unwrap_or_default();
    let text = beginning(text, MAX_TEXT_BYTES);
    let text = text.split("<p>").next().unwrap_or_default();
    single_line(&html_text::text(text))
}

/// Returns an item as a list shows it: its title, and below that points, author and the like.
pub(super) fn list_entry(item: &Value) -> String {
    let id = number(item, "id").unwrap_or_default();
    let here = format!("item?id={id}");
    let url = address_of(item).unwrap_or(&here);
    let title = name_of(item, "title").unwrap_or_else(|| {
        let text = first_paragraph(item);
        let text: String = text.chars().take(200).collect();
        if text.is_empty() {
            "A comment".to_owned()
        } else {
            text
        }
    });
    let told = summary(item, true);
    format!(
        "<li><a href=\"{}\">{}</a><br>{} (<a href=\"{here}\">thread</a>)</li>",
        escaped(url),
        escaped(&title),
        escaped(&told)
    )
}
