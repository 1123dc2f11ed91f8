//! Text that a page has only in its data: its JSON-LD, or the state from which an application
//! builds the page.
//!
//! Rules: schema.org (`articleBody`, `text`, steps of recipes, questions and answers). Of a state,
//! whose names mean something only to its application, only prose is taken: strings of several
//! sentences or of markup around such.

use std::collections::HashSet;

use memchr::{memchr2, memmem};
use serde_json::Value;

use super::tag;

/// Maximum length of the text of a page's data, in bytes.
const MAX_TEXT_BYTES: usize = 512 * 1024;

/// Longest JSON-LD, in bytes.
const MAX_JSON_LD_BYTES: usize = 1024 * 1024;

/// Minimum words of a string that is prose, and letters of one in a script without spaces.
const MIN_PROSE_BLANKS: usize = 8;
const MIN_PROSE_LETTERS: usize = 30;

/// A script that holds data.
pub(super) enum ScriptData<'a> {
    JsonLd(&'a str),
    State(&'a str),
}

impl<'a> ScriptData<'a> {
    /// Reads the script with this `type` and this text; `None` if it holds no data.
    pub(super) fn parse(kind: &str, text: &'a str) -> Option<Self> {
        let kind = kind.split(';').next().unwrap_or_default().trim();
        if kind.eq_ignore_ascii_case("application/ld+json") {
            return Some(Self::JsonLd(text));
        }
        if kind.eq_ignore_ascii_case("application/json") {
            return Some(Self::State(text));
        }
        // `window.__STATE__ = {…}`
        let (name, value) = text.split_once('=')?;
        let name = name.trim();
        let is_state = name.len() <= 64 && name.contains("__") && !name.contains(['(', '{', ';']);
        let value = value.trim_start();
        (is_state && value.starts_with('{')).then_some(Self::State(value))
    }
}

/// Returns the text of the page's data as HTML, and where it was found; empty if there is none.
pub(super) fn text_of(scripts: &[ScriptData<'_>]) -> (String, &'static str) {
    let mut text = DataText::default();
    for script in scripts {
        if let ScriptData::JsonLd(json) = script
            && json.len() <= MAX_JSON_LD_BYTES
            && let Ok(value) = serde_json::from_str::<Value>(json.trim())
        {
            text.collect_json_ld("", &value);
        }
    }
    if !text.html.is_empty() {
        return (text.html, "its JSON-LD");
    }
    for script in scripts {
        if let ScriptData::State(json) = script {
            text.collect_state(json);
        }
    }
    (text.html, "the data of its script")
}

#[derive(Default)]
struct DataText {
    html: String,
    seen: HashSet<String>,
}

impl DataText {
    fn collect_json_ld(&mut self, name: &str, value: &Value) {
        match value {
            Value::String(text) => match name {
                "articleBody" | "text" | "recipeInstructions" => self.add(text),
                "recipeIngredient" => self.add_as(text, "li"),
                _ => {}
            },
            Value::Array(list) => list.iter().for_each(|one| self.collect_json_ld(name, one)),
            Value::Object(node) => {
                let is_question = node.get("@type").and_then(Value::as_str) == Some("Question");
                if is_question && let Some(name) = node.get("name").and_then(Value::as_str) {
                    self.add_as(name, "h2");
                }
                for (name, value) in node.iter().filter(|(name, _)| *name != "comment") {
                    self.collect_json_ld(name, value);
                }
            }
            _ => {}
        }
    }

    /// Adds the strings of a state that are prose, without keeping it: it may be as large as the
    /// page. Of a damaged state, what is before the damage counts.
    fn collect_state(&mut self, json: &str) {
        let bytes = json.as_bytes();
        let (mut offset, mut depth) = (0, 0_usize);
        while let Some(byte) = bytes.get(offset) {
            offset += 1;
            match byte {
                b'{' | b'[' => depth += 1,
                b'}' | b']' if depth <= 1 => return,
                b'}' | b']' => depth -= 1,
                b'"' => {
                    let Some(end) = string_end(bytes, offset) else {
                        return;
                    };
                    let string = json.get(offset - 1..end).unwrap_or_default();
                    offset = end;
                    let is_name = bytes[offset..].trim_ascii_start().starts_with(b":");
                    if !is_name
                        && let Ok(text) = serde_json::from_str::<String>(string)
                        && is_prose(&text)
                    {
                        self.add(&text);
                    }
                }
                _ => {}
            }
        }
    }

    /// Adds a text with its markup or, if it has none, its paragraphs.
    fn add(&mut self, text: &str) {
        if text.contains("</") || text.contains("<p>") || text.contains("<br") {
            self.add_as(text, "div");
        } else {
            for line in text.lines() {
                self.add_as(line, "p");
            }
        }
    }

    fn add_as(&mut self, text: &str, element: &str) {
        if self.html.len() + text.len() > MAX_TEXT_BYTES
            || text.trim().is_empty()
            || !self.seen.insert(text.to_owned())
        {
            return;
        }
        let escaped = text.replace('<', "&lt;");
        let text = if element == "div" { text } else { &escaped };
        self.html
            .extend(["<", element, ">", text, "</", element, ">"]);
    }
}

/// Returns the end of the string whose first quote ends at `from`.
fn string_end(json: &[u8], from: usize) -> Option<usize> {
    let mut offset = from;
    loop {
        offset += memchr2(b'"', b'\\', json.get(offset..)?)?;
        if json[offset] == b'"' {
            return Some(offset + 1);
        }
        offset += 2;
    }
}

/// True for a string of words and sentences, with or without markup.
fn is_prose(text: &str) -> bool {
    let (mut letters, mut blanks, mut others, mut ends) = (0, 0, 0, 0);
    let mut offset = 0;
    while offset < text.len() {
        let to =
            memmem::find(&text.as_bytes()[offset..], b"<").map_or(text.len(), |to| offset + to);
        for c in text[offset..to].chars() {
            match c {
                '.' | '!' | '?' | '。' | '！' | '？' | '।' => ends += 1,
                c if c.is_alphanumeric() => letters += 1,
                c if c.is_whitespace() => blanks += 1,
                ',' | ';' | ':' | '\'' | '"' | '-' | '’' | '、' | '，' => {}
                _ => others += 1,
            }
        }
        offset = if to < text.len() {
            tag::past(text, to, b'>')
        } else {
            to
        };
    }
    let words = blanks >= MIN_PROSE_BLANKS
        || (letters >= MIN_PROSE_LETTERS && !text.is_ascii() && blanks == 0);
    words && ends > 0 && 10 * others <= letters && letters >= 3 * blanks
}
