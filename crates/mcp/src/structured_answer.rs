//! An answer as a program reads it: the object, and the object as text.
//!
//! Answers of the tools of research keep to the schema that is listed for them, but their errors do
//! not: an error is a sentence followed by an object, as their specification has it.

use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Map, Value, json};

use crate::call_answer::CallAnswer;
use iki_tools::contract::failure::ErrorCode;
use iki_tools::contract::tool::{EnvelopeFamily, Tool};

/// Seconds after which a call that took too long may be made again.
const RETRY_AFTER_SECONDS: u64 = 5;

/// The answer of `tool` as content and as an object.
pub fn result(tool: &Tool, answer: CallAnswer) -> CallToolResult {
    if answer.has_failed && tool.family == EnvelopeFamily::Research {
        return CallToolResult::error(vec![ContentBlock::text(error(&answer.object))]);
    }
    let mut result = CallToolResult::success(vec![ContentBlock::text(answer.text)]);
    result.is_error = Some(answer.has_failed);
    result.structured_content = Some(answer.object);
    result
}

/// An error of a tool of research: what happened and what to do, a blank line, and the same for
/// programs.
fn error(answer: &Value) -> String {
    let message = answer["error"].as_str().unwrap_or_default();
    let code = answer["error_code"].as_str().and_then(ErrorCode::from_name);
    let kind = code.unwrap_or(ErrorCode::ToolFailed).kind();
    let mut error = Map::new();
    error.insert("kind".to_owned(), kind.into());
    // The kind decides if the tool has said nothing, because it was ended or not asked.
    let passes = kind == ErrorCode::Timeout.kind();
    let retryable = answer["retryable"].as_bool().unwrap_or(passes);
    let waits = passes && answer["retryable"].is_null();
    let usual = match code {
        _ if retryable => "retry_after_delay",
        Some(ErrorCode::AuthMissing | ErrorCode::AuthInvalid) => "check_api_key",
        _ if kind == ErrorCode::ToolFailed.kind() => "report_bug",
        _ => "inform_user",
    };
    error.insert("retryable".to_owned(), retryable.into());
    for (name, usual) in [
        (
            "retryAfterSeconds",
            waits.then(|| RETRY_AFTER_SECONDS.into()),
        ),
        ("suggestedAction", Some(usual.into())),
        ("provider", None),
        ("alternatives", None),
        ("detail", None),
    ] {
        if let Some(value) = answer.get(name).cloned().or(usual) {
            error.insert(name.to_owned(), value);
        }
    }
    let mut sentence = message.to_owned();
    if let Some(note) = answer["note"].as_str()
        && !message.contains(note)
    {
        sentence.push(' ');
        sentence.push_str(note);
    }
    format!("{}\n\n{}", sentence.trim(), json!({"error": error}))
}

#[cfg(test)]
mod tests {
    use super::*;
    use iki_tools::tools;

    fn sent(tool: &Tool, object: &Value) -> Value {
        let answer = CallAnswer::new(object.to_string(), object.clone());
        let mut result = result(tool, answer);
        result.result_type = None;
        serde_json::to_value(result).unwrap()
    }

    #[test]
    fn an_answer_is_its_object_and_so_is_an_error_of_the_nine() {
        let of_research = json!({"urls": [], "query": "q", "note": "n"});
        assert_eq!(
            sent(&tools::web::search::TOOL, &of_research),
            json!({
                "content": [{"type": "text", "text": of_research.to_string()}],
                "structuredContent": of_research,
                "isError": false,
            })
        );
        for object in [
            json!({"success": true, "content": "c", "note": "n"}),
            json!({"success": false, "error": "e", "error_code": "HTTP_ERROR", "note": "n"}),
        ] {
            let failed = object["success"] == false;
            assert_eq!(
                sent(&tools::web::fetch::TOOL, &object),
                json!({
                    "content": [{"type": "text", "text": object.to_string()}],
                    "structuredContent": object,
                    "isError": failed,
                })
            );
        }
    }

    #[test]
    fn an_error_of_research_is_a_sentence_and_an_object_behind_a_blank_line() {
        let object = json!({
            "success": false, "error": "Too many.", "error_code": "RATE_LIMIT", "retryable": true,
            "retryAfterSeconds": 60, "suggestedAction": "retry_after_delay", "provider": "brave",
            "alternatives": ["exa"], "detail": "429", "note": "Wait.",
        });
        let result = sent(&tools::web::search::TOOL, &object);
        assert_eq!(result["isError"], true);
        assert_eq!(result.get("structuredContent"), None);
        assert_eq!(
            result["content"],
            json!([{"type": "text", "text": concat!(
                "Too many. Wait.\n\n",
                r#"{"error":{"kind":"rate_limited","retryable":true,"#,
                r#""retryAfterSeconds":60,"suggestedAction":"retry_after_delay","#,
                r#""provider":"brave","alternatives":["exa"],"detail":"429"}}"#,
            )}])
        );
        for (code, error_text) in [
            (
                "TIMEOUT",
                r#""network","retryable":true,"retryAfterSeconds":5,"suggestedAction":"retry_after_delay""#,
            ),
            (
                "INVALID_ARG",
                r#""validation","retryable":false,"suggestedAction":"inform_user""#,
            ),
            (
                "AUTH_MISSING",
                r#""config","retryable":false,"suggestedAction":"check_api_key""#,
            ),
            (
                "TOOL_FAILED",
                r#""internal","retryable":false,"suggestedAction":"report_bug""#,
            ),
            (
                "UNHEARD_OF",
                r#""internal","retryable":false,"suggestedAction":"report_bug""#,
            ),
        ] {
            let object = json!({"content": "c", "error": "e", "error_code": code});
            let result = sent(&tools::web::scrape::TOOL, &object);
            let text = result["content"][0]["text"].as_str().unwrap();
            assert_eq!(
                text,
                format!("e\n\n{{\"error\":{{\"kind\":{error_text}}}}}")
            );
        }
    }
}
