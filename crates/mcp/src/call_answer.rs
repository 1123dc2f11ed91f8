//! The answer of one call, as its process wrote it.

use serde_json::Value;

use iki_tools::contract::envelope;
use iki_tools::contract::failure::Failure;
use iki_tools::contract::reply::{LINK, META};
use iki_tools::contract::tool::Tool;

/// The answer of a tool.
#[derive(Clone, Debug)]
pub struct CallAnswer {
    /// The object as the tool wrote it, without the fields that are passed on separately.
    pub text: String,
    /// The object.
    pub object: Value,
    /// The field that the protocol passes on separately, for the client and not for the model.
    pub meta: Option<Value>,
    /// A resource that the answer links to.
    pub link: Option<Value>,
    /// True if the answer says that the tool failed.
    pub has_failed: bool,
}

impl CallAnswer {
    /// The answer that is `object`, which the tool wrote as `text`.
    pub fn new(mut text: String, mut object: Value) -> Self {
        let mut beside = |name| object.as_object_mut()?.shift_remove(name);
        let (meta, link) = (beside(META), beside(LINK));
        if meta.is_some() || link.is_some() {
            text = object.to_string();
        }
        Self {
            has_failed: envelope::has_failed(&object),
            text,
            object,
            meta,
            link,
        }
    }

    /// The code of the error, if the answer is one.
    pub fn code(&self) -> Option<&str> {
        let code = || self.object["error_code"].as_str();
        self.has_failed.then(|| code().unwrap_or("FAILED"))
    }

    /// An answer in the tool's place, in the form of its own errors.
    pub fn refusal(tool: &Tool, failure: &Failure) -> Self {
        let text = envelope::failure_text(tool.family, failure);
        let object = serde_json::from_str(&text).unwrap_or_default();
        Self::new(text, object)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use iki_tools::contract::failure::ErrorCode;
    use iki_tools::registry;

    #[test]
    fn an_answer_fails_by_its_error_and_not_by_an_exit_code() {
        for (object, failed) in [
            (json!({"output": "", "exit_code": 1}), false),
            (json!({"output": "error"}), false),
            (json!({"error": "x", "error_code": "NOT_FOUND"}), true),
            (json!({"output": "x", "error": "midway"}), true),
            (json!({"success": false, "error": "x"}), true),
            (json!({"success": true, "results": []}), false),
        ] {
            assert_eq!(
                CallAnswer::new(String::new(), object.clone()).has_failed,
                failed,
                "{object}"
            );
        }
    }

    #[test]
    fn what_stands_beside_an_answer_is_no_part_of_it() {
        let plain = json!({"z": 1, "a": {"_meta": 2}});
        // As the tool wrote it, blanks and all.
        let answer = CallAnswer::new(String::from("{ }"), plain.clone());
        assert_eq!((&*answer.text, &answer.object), ("{ }", &plain));
        assert_eq!((answer.meta, answer.link), (None, None));
        let object =
            json!({"z": 1, "_meta": {"cached": true}, "_link": {"uri": "u"}, "a": {"_meta": 2}});
        let answer = CallAnswer::new(object.to_string(), object);
        assert_eq!(answer.text, r#"{"z":1,"a":{"_meta":2}}"#);
        assert_eq!(answer.object, plain);
        assert_eq!(answer.meta, Some(json!({"cached": true})));
        assert_eq!(answer.link, Some(json!({"uri": "u"})));
    }

    #[test]
    fn a_refusal_has_the_form_of_the_tool_s_own_errors() {
        let tool = registry::find_tool("grep").unwrap();
        let answer = CallAnswer::refusal(tool, &Failure::new(ErrorCode::Timeout, "too long"));
        assert_eq!(
            answer.text,
            r#"{"error":"too long","error_code":"TIMEOUT"}"#
        );
        assert!(answer.has_failed);
    }
}
