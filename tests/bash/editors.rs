//! Commands that would wait for a person: editors, pagers, questions.

use serde_json::json;

use super::ending::has_program;
use crate::common::messages::TextRow;
use crate::common::{directory, tool};

#[test]
fn what_would_wait_for_a_person_fails_at_once_or_passes_on() {
    let here = directory();
    let ask = |command: &str| {
        let call = tool("bash").with(&json!({ "command": command }));
        let call = call.env("EDITOR", "sleep 60").env("PAGER", "sleep 60");
        let call = call.env("GIT_EDITOR", "sleep 60").env("TERM", "xterm");
        call.in_directory(here.path()).run().json()
    };
    let shown = ask("echo $TERM $PAGER $GIT_PAGER $GIT_TERMINAL_PROMPT");
    assert_eq!(shown["output"], "dumb cat cat 0");
    for editor in ["EDITOR", "VISUAL", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR"] {
        // As git and others run it.
        let edited = ask(&format!(
            "sh -c \"${editor} \\\"\\$@\\\"\" \"${editor}\" file"
        ));
        let output = edited["output"].as_str().unwrap();
        let use_instead = match editor {
            "GIT_SEQUENCE_EDITOR" => "GIT_SEQUENCE_EDITOR=COMMAND for the list, or GIT_EDITOR=true",
            _ => "-m TEXT, --no-edit, GIT_EDITOR=true or EDITOR=COMMAND",
        };
        assert_eq!(output, format!("No editor here: use {use_instead}."));
        assert_eq!(edited["exit_code"], 1, "{edited}");
    }
    // As vi does without a terminal: it reads keys from its own output.
    let waited = ask("cp \"$(command -v sleep)\" vi; ./vi 60 <&2; echo \"then $?\"");
    let output = waited["output"].as_str().unwrap();
    output.assert_row("bash", "a program that waits for keys");
    let left_alone = ask("cp vi other; ./other 1.5 <&2 && ./vi 1.5; echo \"then $?\"");
    assert_eq!(left_alone["output"], "then 0");
    let own = ask("EDITOR='echo mine' PAGER=less; echo \"$EDITOR $PAGER\"");
    assert_eq!(own["output"], "echo mine less");
}

#[test]
fn an_editor_that_the_command_assigns_is_run() {
    if !has_program("git") {
        return;
    }
    let here = directory();
    let run = |command: &str| {
        let call = tool("bash").with(&json!({ "command": command }));
        let call = call.env("GIT_EDITOR", "sleep 60").env("HOME", here.path());
        call.in_directory(here.path()).run()
    };
    let made = run(
        "git init -q -b master . && git config user.name n && git config user.email e && \
         for n in 1 2 3; do git commit -q --allow-empty -m c$n || exit; done",
    );
    assert_eq!(made.field("output"), "");
    let rename = "sed -i 1s/c/d/";
    for assigned in [
        format!("GIT_EDITOR='{rename}' git"),
        format!("EDITOR='{rename}' git"),
        format!("VISUAL='{rename}' EDITOR=false git"),
        format!("export EDITOR='{rename}'; git"),
        format!("git -c core.editor='{rename}'"),
        format!("EDITOR=false git -c core.editor='{rename}'"),
    ] {
        let shown = run(&format!(
            "git checkout -q --detach master; {assigned} commit -q --amend --allow-empty; \
             git log -1 --format=%s"
        ));
        assert_eq!(shown.field("output"), "d3", "{assigned}");
    }
    let drop_last = "sed -i 2d";
    for (assigned, left) in [
        ("GIT_EDITOR=true git".to_owned(), "3"),
        ("EDITOR=: git".to_owned(), "3"),
        ("git -c core.editor=true".to_owned(), "3"),
        (format!("GIT_SEQUENCE_EDITOR='{drop_last}' git"), "2"),
        (format!("git -c sequence.editor='{drop_last}'"), "2"),
        (
            format!("GIT_EDITOR=false git -c sequence.editor='{drop_last}'"),
            "2",
        ),
    ] {
        let shown = run(&format!(
            "git checkout -q --detach master; {assigned} rebase -q -i --keep-empty HEAD~2; \
             git rev-list --count HEAD"
        ));
        assert_eq!(shown.field("output"), left, "{assigned}");
    }
    // A setting in a file is nobody's assignment, and an editor that asks for the editor gets none.
    for command in [
        "git config core.editor true; git commit --amend --allow-empty",
        "git checkout -q master; git config sequence.editor true; \
         git rebase -i --keep-empty HEAD~2",
        "EDITOR='sh -c \"$VISUAL\"' git commit --amend --allow-empty",
    ] {
        let refused = run(command).json();
        let output = refused["output"].as_str().unwrap();
        assert!(
            output.starts_with("No editor here: "),
            "{command}: {refused}"
        );
        assert_eq!(output.matches("No editor here").count(), 1, "{refused}");
        assert_eq!(refused["exit_code"], 1, "{refused}");
    }
    let own = run("printf 'a\n' >f; EDITOR='sed -i s/a/b/' sh -c \"$VISUAL f\"; cat f");
    assert_eq!(own.field("output"), "b");
}
