//! Removal of unseen characters from a command's output. A host is promised the output as it is; a
//! model could take for an instruction what no person has read.

use serde_json::{Map, Value};

use iki_base::unseen::{self, UnseenCount};
use iki_tools::contract::tool::{AccessScope, FieldRole, Tool};

/// Takes unseen characters out of the output of a `tool` that runs commands, and notes it; true if
/// there were any.
pub fn make_visible(tool: &Tool, answer: &mut Map<String, Value>) -> bool {
    if tool.scope != AccessScope::Machine {
        return false;
    }
    let mut taken = UnseenCount::default();
    let fields = tool.fields.iter();
    for (name, _) in fields.filter(|(_, part)| *part == FieldRole::Content) {
        if let Some(Value::String(output)) = answer.get_mut(*name) {
            let (visible, more) = unseen::remove(output);
            taken = taken.and(more);
            if more != UnseenCount::default() {
                *output = visible.into_owned();
            }
        }
    }
    let Some(remark) = taken.note("the output") else {
        return false;
    };
    add_note(answer, &remark);
    true
}

/// Adds a note to those of an answer.
pub fn add_note(answer: &mut Map<String, Value>, remark: &str) {
    let note = answer.get("note").and_then(Value::as_str);
    let note = note.map_or(remark.to_owned(), |note| format!("{note} {remark}"));
    answer.insert("note".to_owned(), note.into());
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use iki_tools::registry;

    fn made_visible(tool: &str, mut answer: Value) -> Value {
        let object = answer.as_object_mut().unwrap();
        make_visible(registry::find_tool(tool).unwrap(), object);
        answer
    }

    #[test]
    fn a_command_s_output_alone_is_made_visible() {
        assert_eq!(
            made_visible(
                "bash",
                json!({"output": "a\u{202e}b", "exit_code": 3, "note": "N."})
            ),
            json!({
                "output": "ab", "exit_code": 3,
                "note": "N. 1 unseen character (bidirectional override) was taken out of the output.",
            })
        );
        for (tool, answer) in [
            ("bash", json!({"output": "می\u{200c}شود", "exit_code": 0})),
            ("file_read", json!({"output": "a\u{202e}b"})),
        ] {
            assert_eq!(made_visible(tool, answer.clone()), answer);
        }
    }
}
