//! The files that a server's callers have seen, so that an answer can say that somebody else has
//! changed a file that its caller replaces.

use std::collections::HashMap;
use std::sync::Mutex;

use serde_json::{Map, Value};

use crate::access::TokenOwner;
use crate::unseen_characters::add_note;
use iki_base::mutex::lock;
use iki_tools::call::reported_file::{FIELD, ReportedFile};
use iki_tools::contract::tool::Tool;

/// Maximum number of remembered files; beyond that all are forgotten.
const MAX_FILES: usize = 4096;

const FOREIGN_CHANGE_NOTE: &str =
    "The file had changed since you last saw it here, and that is replaced too.";

/// The states of files as callers, by their tokens, have seen them.
#[derive(Default)]
pub struct SeenFiles(Mutex<HashMap<(Option<String>, String), String>>);

impl SeenFiles {
    /// Takes the reported file out of `answer` and remembers its state. If the call has replaced
    /// what its caller has not seen, a note says so. True if the answer was changed.
    pub fn note_foreign_change(
        &self,
        tool: &Tool,
        owner: Option<&TokenOwner>,
        answer: &mut Map<String, Value>,
    ) -> bool {
        let Some(file) = answer.shift_remove(FIELD) else {
            return false;
        };
        let Ok(file) = serde_json::from_value::<ReportedFile>(file) else {
            return true;
        };
        let key = (owner.map(|owner| owner.name().to_owned()), file.path);
        let mut seen = lock(&self.0);
        let is_other = seen
            .get(&key)
            .is_some_and(|seen| Some(seen) != file.before.as_ref());
        // Such a call leaves nothing of the old content.
        let replaces = !tool.hints.read_only && tool.hints.idempotent;
        if replaces && is_other && file.before.is_some() {
            add_note(answer, FOREIGN_CHANGE_NOTE);
        }
        let state = if tool.hints.read_only {
            file.before
        } else {
            // An edit does not see the changes of others that it leaves.
            file.after.filter(|_| replaces || !is_other)
        };
        if seen.len() >= MAX_FILES {
            seen.clear();
        }
        if let Some(state) = state {
            seen.insert(key, state);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use iki_tools::tools::file::{edit, read, write};

    #[test]
    fn only_whoever_saw_a_file_is_told_that_others_have_changed_it() {
        let seen = SeenFiles::default();
        let call = |tool: &Tool, owner: &str, before: Value, after: &str| {
            let file = json!({"path": "/f", "before": before, "after": after});
            let mut answer = json!({"output": "o", FIELD: file});
            let answer = answer.as_object_mut().unwrap();
            assert!(seen.note_foreign_change(tool, Some(&TokenOwner::new(owner)), answer));
            assert_eq!(answer.get(FIELD), None);
            answer.contains_key("note")
        };
        assert!(!call(&write::TOOL, "anna", json!("0"), "1"));
        assert!(!call(&write::TOOL, "bert", json!("1"), "2"));
        assert!(call(&write::TOOL, "anna", json!("2"), "3"));
        assert!(!call(&write::TOOL, "anna", json!("3"), "4"));
        assert!(!call(&read::TOOL, "bert", json!("4"), "4"));
        assert!(!call(&edit::TOOL, "bert", json!("4"), "5"));
        assert!(!call(&write::TOOL, "bert", json!("5"), "6"));
        // An edit among others' changes leaves them unseen.
        assert!(!call(&edit::TOOL, "anna", json!("6"), "7"));
        assert!(call(&write::TOOL, "anna", json!("7"), "8"));
        // There is nothing left to be replaced.
        assert!(!call(&write::TOOL, "anna", json!(null), "9"));
        assert!(!seen.note_foreign_change(&write::TOOL, None, &mut Map::new()));
    }
}
