//! An answer as a model reads it: plain text, and one last line in brackets if there is more to
//! say. In a long answer of which a part was left out, a first line says how to go on, too.
//!
//! Clients show a model the JSON of an object as one line full of `\n`, and cut it in the middle;
//! plain text they show as it is. The tool's row says which field is which ([`Tool::fields`]).

use std::fmt::Write as _;

use rmcp::model::ContentBlock;
use serde_json::Value;

use crate::clients::ClientProfile;
use iki_base::control_spelling;
use iki_tools::contract::answer_limit::TextMeasure;
use iki_tools::contract::envelope;
use iki_tools::contract::failure::ErrorCode;
use iki_tools::contract::key_facts;
use iki_tools::contract::reply::{AHEAD, EMPTY, IMAGE};
use iki_tools::contract::tool::{FieldRole, Tool};

/// The fields with a place of their own.
const SPECIAL_FIELDS: [&str; 3] = [AHEAD, EMPTY, IMAGE];

/// The text for an empty answer of a tool that has no words of its own for it.
const EMPTY_OUTPUT_TEXT: &str = "no output";

/// The answer `object` of `tool` as content for the model of `client`, at most `longest` bytes of
/// text in this measure.
pub fn content(
    tool: &Tool,
    object: &Value,
    client: &ClientProfile,
    (longest, measure): (Option<usize>, TextMeasure),
) -> Vec<ContentBlock> {
    // The tool has spelled what it was asked for; messages and notes may quote files, too.
    let mut text = control_spelling::spelled(&text(tool, object, client)).into_owned();
    if let Some(longest) = longest {
        // The tool has kept to the limit: this cuts the words around its text.
        text.truncate(measure.prefix(text.as_bytes(), longest));
    }
    let image = object[IMAGE].as_object().map(|image| {
        let part = |name: &str| image[name].as_str().unwrap_or_default().to_owned();
        ContentBlock::image(part("data"), part("mime_type"))
    });
    image
        .into_iter()
        .chain(std::iter::once(ContentBlock::text(text)))
        .collect()
}

/// The text: the content, why there is no more of it, and further remarks.
fn text(tool: &Tool, object: &Value, client: &ClientProfile) -> String {
    let mut text = body(tool, object);
    if let Some(ahead) = object[AHEAD].as_str() {
        text.insert_str(0, &format!("[{ahead}]\n"));
    }
    let mut sentences = Vec::new();
    if let Some(error) = object["error"].as_str() {
        let code = object["error_code"].as_str().unwrap_or_default();
        end_line(&mut text);
        let _ = write!(text, "{error} ({code})");
        if code == ErrorCode::AuthMissing.as_str() {
            sentences.push(format!(
                "Some clients pass no variables on to their servers: a key is handed over with {}.",
                client.keys
            ));
        }
    }
    if let Some(code) = exit_code(tool, object) {
        sentences.insert(0, format!("exit code {code}"));
    }
    if let Some(note) = object["note"].as_str() {
        sentences.push(note.to_owned());
    }
    if object["error"].is_string() {
        advise(object, &mut sentences);
    }
    if text.is_empty() {
        let nothing = object[EMPTY].as_str();
        let nothing = nothing.or(sentences.is_empty().then_some(EMPTY_OUTPUT_TEXT));
        if let Some(nothing) = nothing {
            sentences.insert(0, nothing.to_owned());
        }
    }
    if let Some(last) = sentences.pop() {
        end_line(&mut text);
        text.push('[');
        for one in sentences {
            let _ = write!(text, "{}; ", one.strip_suffix('.').unwrap_or(&one));
        }
        let _ = write!(text, "{last}]");
    }
    text
}

/// Says of an error when the same may work, and where else to ask. The message may have said so
/// already, in words that are not read here; the word for programs (`suggestedAction`) is not for
/// models.
fn advise(object: &Value, sentences: &mut Vec<String>) {
    if let Some(seconds) = object["retryAfterSeconds"].as_u64() {
        sentences.push(format!("try again in {seconds} seconds"));
    }
    let others = object["alternatives"].as_array().into_iter().flatten();
    let others: Vec<&str> = others.filter_map(Value::as_str).collect();
    if !others.is_empty() {
        sentences.push(format!("others to try: {}", others.join(", ")));
    }
}

/// The fields that are text, and the list of results; after a blank line, the other fields.
fn body(tool: &Tool, object: &Value) -> String {
    let mut text = String::new();
    let mut asides = Vec::new();
    for (name, value) in object.as_object().into_iter().flatten() {
        let part = tool.fields.iter().find(|(field, _)| field == name);
        match (part.map(|(_, part)| *part), value) {
            (Some(FieldRole::Output | FieldRole::Content), Value::String(output)) => {
                end_line(&mut text);
                text.push_str(output);
            }
            (Some(FieldRole::Results), Value::Array(results)) => {
                for (index, result) in results.iter().enumerate() {
                    add_result(&mut text, index + 1, result);
                }
            }
            (Some(FieldRole::Aside(picks)), value) => {
                asides.extend(key_facts::fact_lines(picks, value));
            }
            (Some(_), _) => {}
            (None, _) if envelope::is_envelope_field(name) || SPECIAL_FIELDS.contains(&&**name) => {
            }
            (None, value) => {
                end_line(&mut text);
                let plain = value.as_str().map_or(value.to_string(), str::to_owned);
                let _ = write!(text, "{name}: {plain}");
            }
        }
    }
    if !asides.is_empty() && !text.is_empty() {
        end_line(&mut text);
        text.push('\n');
    }
    text.push_str(&asides.join("\n"));
    text
}

/// One of several results, each of its fields on a line.
fn add_result(text: &mut String, number: usize, result: &Value) {
    end_line(text);
    let fields = result.as_object().into_iter().flatten();
    let lines = fields.map(|(_, value)| {
        let line = value.as_str().map_or(value.to_string(), str::to_owned);
        line.replace(['\n', '\r'], " ")
    });
    for (index, line) in lines.filter(|line| !line.is_empty()).enumerate() {
        let _ = match index {
            0 => write!(text, "{number}. {line}"),
            _ => write!(text, "\n   {line}"),
        };
    }
}

/// The exit code of a command that was run, if it is worth a word.
fn exit_code(tool: &Tool, object: &Value) -> Option<u64> {
    let mut fields = tool.fields.iter();
    let (name, _) = fields.find(|(_, part)| *part == FieldRole::ExitCode)?;
    object[name].as_u64().filter(|code| *code != 0)
}

fn end_line(text: &mut String) {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::clients;
    use iki_tools::registry;

    fn answer_text(tool: &str, object: &Value) -> String {
        text(
            registry::find_tool(tool).unwrap(),
            object,
            clients::find_client(""),
        )
    }

    #[test]
    fn what_was_asked_for_stands_there_as_it_is() {
        for (tool, object, expected) in [
            ("bash", json!({"output": "a\nb", "exit_code": 0}), "a\nb"),
            ("file_read", json!({"output": "a\nb\n"}), "a\nb\n"),
            (
                "web_fetch",
                json!({"success": true, "url": "u", "title": "t", "content": "# c"}),
                "# c",
            ),
            ("grep", json!({"output": "f:1: x", "count": 1}), "f:1: x"),
            (
                "file_edit",
                json!({"output": "Replaced 1 occurrence in f", "replacements": 1}),
                "Replaced 1 occurrence in f",
            ),
        ] {
            assert_eq!(answer_text(tool, &object), expected);
        }
    }

    #[test]
    fn what_else_there_is_to_say_is_the_last_line_in_brackets() {
        for (tool, object, expected) in [
            (
                "bash",
                json!({"output": "a", "exit_code": 3}),
                "a\n[exit code 3]",
            ),
            ("bash", json!({"output": "", "exit_code": 0}), "[no output]"),
            (
                "bash",
                json!({"output": "", "exit_code": 1}),
                "[exit code 1]",
            ),
            (
                "bash",
                json!({"output": "a\n", "exit_code": 124, "note": "Ended."}),
                "a\n[exit code 124; Ended.]",
            ),
            (
                "grep",
                json!({"output": "", "count": 0, "empty": "no matches in 412 files"}),
                "[no matches in 412 files]",
            ),
            (
                "grep",
                json!({"output": "", "count": 0, "note": "No such path."}),
                "[No such path.]",
            ),
            (
                "file_read",
                json!({"output": "a\n", "note": "lines 1–1; go on with offset 2"}),
                "a\n[lines 1–1; go on with offset 2]",
            ),
            (
                "file_read",
                json!({"output": "a\n", "ahead": "go on with 2", "note": "Old. go on with 2"}),
                "[go on with 2]\na\n[Old. go on with 2]",
            ),
        ] {
            assert_eq!(answer_text(tool, &object), expected);
        }
    }

    #[test]
    fn an_error_is_its_sentence_its_code_and_its_note() {
        let object = json!({"error": "File not found: x", "error_code": "FILE_NOT_FOUND", "note": "Did you mean y?"});
        assert_eq!(
            answer_text("file_read", &object),
            "File not found: x (FILE_NOT_FOUND)\n[Did you mean y?]"
        );
        let object = json!({"output": "begun", "error": "the disk", "error_code": "READ_FAILED"});
        assert_eq!(
            answer_text("file_read", &object),
            "begun\nthe disk (READ_FAILED)"
        );
        let object = json!({"success": false, "error": "No key", "error_code": "AUTH_MISSING"});
        assert!(
            answer_text("web_search_brave", &object).contains("[Some clients pass no variables on")
        );
    }

    #[test]
    fn an_error_says_what_may_be_done_about_it_whatever_its_message_says() {
        for error in ["Too many requests", "Wait 60 seconds, or ask exa, tavily"] {
            let object = json!({
                "success": false, "error": error, "error_code": "RATE_LIMIT", "retryable": true,
                "retryAfterSeconds": 60, "suggestedAction": "retry_after_delay",
                "provider": "brave", "alternatives": ["exa", "tavily"], "detail": "429",
            });
            assert_eq!(
                answer_text("web_search", &object),
                format!(
                    "{error} (RATE_LIMIT)\n[try again in 60 seconds; others to try: exa, tavily]"
                )
            );
        }
        let object = json!({
            "success": false, "error": "e", "error_code": "AUTH_MISSING", "note": "N.",
            "alternatives": ["exa"],
        });
        let keys = clients::find_client("").keys;
        assert!(
            answer_text("web_search", &object)
                .ends_with(&format!("with {keys}; N; others to try: exa]"))
        );
        let object =
            json!({"success": false, "error": "e", "error_code": "BLOCKED", "retryable": false});
        assert_eq!(answer_text("scrape_page", &object), "e (BLOCKED)");
    }

    #[test]
    fn results_are_a_short_list() {
        let object = json!({"success": true, "count": 2, "results": [
            {"title": "One", "url": "https://a/", "snippet": "first\nline"},
            {"title": "Two", "url": "https://b/", "snippet": ""},
        ]});
        assert_eq!(
            answer_text("web_search_brave", &object),
            "1. One\n   https://a/\n   first line\n2. Two\n   https://b/"
        );
        let none = json!({"success": true, "results": [], "count": 0});
        assert_eq!(answer_text("web_search_brave", &none), "[no output]");
    }

    #[test]
    fn what_is_known_beside_the_content_stands_behind_it_in_lines() {
        let mut tool = iki_tools::tools::web::scrape::TOOL;
        tool.fields = &[
            (
                "meta",
                FieldRole::Aside(&[("title", "/title"), ("cite", "/apa")]),
            ),
            ("content", FieldRole::Content),
            ("cut", FieldRole::Aside(&[("cut", "")])),
        ];
        let render = |object: Value| text(&tool, &object, clients::find_client(""));
        let meta = json!({"title": "T\nU", "bibtex": "@misc", "apa": "A. (n.d.)."});
        assert_eq!(
            render(json!({"meta": meta, "content": "# c", "cut": false, "note": "More."})),
            "# c\n\ntitle: T U\ncite: A. (n.d.).\n[More.]"
        );
        assert_eq!(
            render(json!({"content": "# c\n", "cut": true})),
            "# c\n\ncut: yes"
        );
        assert_eq!(
            render(json!({"meta": meta, "content": ""})),
            "title: T U\ncite: A. (n.d.)."
        );
        assert_eq!(render(json!({"meta": {}, "content": "# c"})), "# c");
    }

    #[test]
    fn an_image_comes_before_its_words() {
        let object =
            json!({"output": "PNG image", "image": {"mime_type": "image/png", "data": "AAAA"}});
        let tool = registry::find_tool("file_read").unwrap();
        let blocks = serde_json::to_value(content(
            tool,
            &object,
            clients::find_client(""),
            (None, TextMeasure::Plain),
        ))
        .unwrap();
        assert_eq!(
            blocks[0],
            json!({"type": "image", "data": "AAAA", "mimeType": "image/png"})
        );
        assert_eq!(blocks[1]["text"], "PNG image");
    }
}
