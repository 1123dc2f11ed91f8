//! What bash says of commands that fail in `sh` for what only bash understands, and of no others.

use crate::common::messages::TextRow;
use crate::common::{self, Answer, tool};
use serde_json::json;

/// Calls are made in a directory of their own: what `sh` takes for something else may make files.
fn run(command: &str) -> Answer {
    let here = common::directory();
    let call = tool("bash").with(&json!({ "command": command }));
    call.in_directory(here.path()).run()
}

/// Whether `sh` is dash, whose words these are.
fn sh_is_dash() -> bool {
    let target = std::fs::canonicalize("/bin/sh").unwrap();
    let dash = target.file_name().is_some_and(|name| name == "dash");
    if !dash {
        common::skip("sh is not dash here");
    }
    dash
}

/// Whether this machine's `sh` does what only bash did once: newer ones learn of it.
fn sh_can(command: &str) -> bool {
    let here = common::directory();
    let mut sh = std::process::Command::new("/bin/sh");
    let run = sh.args(["-c", command]).current_dir(here.path()).output();
    let run = run.unwrap();
    run.stderr.is_empty() && run.stdout.starts_with(b"works")
}

/// Commands that only bash understands, with the name of what is bash's in them.
const ONLY_BASH: &[(&str, &str)] = &[
    ("[[ a == a ]] && echo works", "[["),
    (
        "x=$(true)\nif [[ -n works ]]; then echo works; fi; exit 1",
        "[[",
    ),
    ("if [[ -n x ]]; then echo works; else echo wrong; fi", "[["),
    ("a=(works b); echo ${a[0]}", "NAME=(…)"),
    ("cat <<< works", "<<<"),
    (
        "echo works >/tmp/x.$$; source /tmp/x.$$; rm /tmp/x.$$",
        "source",
    ),
    ("set -euo pipefail; echo works", "set -o pipefail"),
    ("cat <(echo works)", "<( )"),
    ("while read -r a; do echo $a; done < <(echo works)", "<( )"),
    ("function f { echo works; }; f", "function"),
    ("function f() { echo works; }; f", "function"),
    ("[ a == a ] && echo works", "== in [ ]"),
    ("let x=1; echo works; exit 1", "let"),
    ("x=works; echo ${x:0:5}", "${…}"),
    ("x=Works; echo \"${x,,}\"", "${…}"),
    ("for ((i=0;i<1;i++)); do echo works; done", "for (("),
    ("declare -A m; m[a]=works; echo ${m[a]}", "declare"),
    ("echo works |& cat", "|&"),
    ("n=1; if (( n > 0 )); then echo works; fi", "(( ))"),
    (
        "n=1; if (( $n == 1 )); then echo works; else exit 1; fi",
        "(( ))",
    ),
    ("n=1; if (( n < 3 )); then echo works; fi", "(( ))"),
    ("n=1; (( n <= 3 )) && echo works", "(( ))"),
    ("x=1; [ -v x ] && echo works", "[ -v … ]"),
    ("read -a x < /etc/passwd && echo works", "read -a"),
    ("time (echo works)", "time (…)"),
    ("((x++)); false; echo works; exit 1", "(( ))"),
    ("x=wor; x+=ks; echo $x", "NAME+=…"),
    ("printf '%q\\n' works", "printf %q"),
    ("[ $((2**3)) = 8 ] && echo works", "$((… ** …))"),
    ("true & wait -n; echo works", "wait -n"),
    ("f() { echo works; }; export -f f; bash -c f", "export -f"),
    ("trap 'echo works' ERR; false", "trap … ERR"),
    ("builtin echo works", "builtin"),
    ("printf -v x works; echo $x", "printf -v"),
    ("f() { local -a x; echo works; }; f", "local -X"),
    ("x=1; test -v x && echo works", "test -v"),
    ("select x in works; do echo $x; done; echo works", "select"),
    ("echo works >& out; cat out", ">& FILE"),
    ("i=1; echo works $((i++)); [ $i = 2 ]", "$((… ++))"),
    ("i=1; echo works $((--i)); [ $((i--)) = 0 ]", "$((… --))"),
    ("echo works > >(cat); wait $!", ">( )"),
    ("echo works $((16#ff)); [ $((16#ff)) = 255 ]", "$((BASE#N))"),
];

/// Asserts that a note says that `what` is bash's.
#[track_caller]
fn is_bash_s(what: &str, note: &str) {
    note.assert_row_at("bash", "what only bash understands", &[(what, "<what>")]);
}

#[test]
fn what_only_bash_understands_is_named_and_works_as_the_note_says() {
    if !sh_is_dash() {
        return;
    }
    for &(command, what) in ONLY_BASH {
        let answer = run(command);
        let note = answer.note();
        if sh_can(command) {
            assert_eq!(note, "", "{command}");
            continue;
        }
        is_bash_s(what, &note);
        let quoted = command.replace('\'', r"'\''");
        let again = run(&format!("bash -c '{quoted}'"));
        assert_eq!(again.note(), "", "{command}");
        let output = again.field("output");
        assert!(output.contains("works"), "{output}");
        assert!(!output.contains("sh: 1: "), "{output}");
    }
}

#[test]
fn a_signal_with_sig_before_its_name_is_told_to_be_written_without() {
    if !sh_is_dash() {
        return;
    }
    for (command, name) in [
        ("trap 'echo x' SIGINT", "INT"),
        ("trap 'echo x' EXIT SIGTERM; echo works", "TERM"),
        ("sleep 9 & kill -SIGKILL $!", "KILL"),
        ("sleep 9 & kill -s SIGKILL $!", "KILL"),
    ] {
        let note = run(command).note();
        let row = "a signal that has SIG before its name";
        note.assert_row_at("bash", row, &[(name, "<signal>")]);
        assert_eq!(run(&command.replace("SIG", "")).note(), "", "{command}");
    }
}

#[test]
fn what_does_something_else_without_an_error_is_named_as_well() {
    if !sh_is_dash() {
        return;
    }
    let note = run("echo works &> file; echo $?").note();
    note.assert_row("bash", "output and errors into a file, as bash has it");
    for (command, what) in [
        ("mkdir -p src/{a,b}; ls src", "{a,b}"),
        ("rm -rf build/{a,b}; echo ok", "{a,b}"),
        ("touch x.{c,h} && echo done # {}", "{a,b}"),
        ("cp conf{,.bak}", "{a,b}"),
        ("ls {\"a b\",'c'}.txt", "{a,b}"),
        ("ls {${x},y}", "{a,b}"),
        ("grep -r x --include=*.{js,ts} .", "{a,b}"),
        ("for i in {1..2}; do echo $i; done; exit 1", "{1..9}"),
        ("echo {a..e} {00..10..5}", "{1..9}"),
        ("echo $'a\\tb'", "$'…'"),
        ("echo hi >f; x=$(<f); echo \"[$x]\"", "$(<FILE)"),
        ("echo hi >f; echo \"$(< f)\"", "$(<FILE)"),
        ("echo \"$RANDOM\"", "$RANDOM"),
        ("sleep $((RANDOM % 1))", "$RANDOM"),
        ("((x=1)); echo \"[$x]\"", "(( ))"),
        ("[ \"$EUID\" = 0 ] || echo no", "$EUID"),
        ("echo x >/dev/tcp/127.0.0.1/1", "/dev/tcp/…"),
        ("printf 'it'\\''s %s' x$'\\n'", "$'…'"),
    ] {
        is_bash_s(what, &run(command).note());
    }
    for command in [
        "echo '{a,b}' \"{1..3}\" \\{a,b\\} {'a,b'} \"x\"'{a,b}'",
        "awk '{print $1,$2}' /dev/null; awk \"{print \\$1,\\$2}\" /dev/null",
        "x=a; y=b; echo ${x},${y} \"${x:-{a,b}}\" {$x}",
        "echo git stash@{0} HEAD@{1} @{u}..HEAD v1^{} HEAD^{tree}",
        "echo '{\"a\":1,\"b\":[1,2]}'; echo \"{\\\"a\\\":1,\\\"b\\\":2}\"",
        "find . -maxdepth 0 -exec echo {} \\;",
        "echo a | xargs -I{} echo {},{}",
        "echo --format={{.Id}},{{.Name}} -f={{range .x}}",
        "x={a,b}; f() { echo a,b; }; f # mkdir {a,b} $'x'",
        "echo \"it's\" # don't {a,b}\ntrue",
        "echo \"5$\"'a' '$'a 'b' \"$'x'\" \\$'x' $$'x'",
        "echo http://localhost/{a,b} {a, b}",
        "echo works >file 2>&1; cat file",
        "echo 'a &> b'",
        "RANDOM=4; echo $RANDOM",
        "echo '$RANDOM $(<f)' \"\\$RANDOM\"",
        "((echo x); echo y); ((x=1; echo $x))",
        "x=$(cat <f 2>&1); echo $x RANDOM",
        "echo \"a (UID 0) {UID} x\"",
        "echo \"a &> b\"",
        "true && true; echo 1>&2",
    ] {
        assert_eq!(run(command).note(), "", "{command}");
    }
}

#[test]
fn a_directory_of_path_that_may_not_be_entered_is_no_hindrance() {
    if !sh_is_dash() {
        return;
    }
    let place = common::public_directory();
    let closed = place.path().join("closed");
    std::fs::create_dir(&closed).unwrap();
    let nothing = std::os::unix::fs::PermissionsExt::from_mode(0o000);
    std::fs::set_permissions(&closed, nothing).unwrap();
    let path = format!(
        "{}:{}",
        std::env::var("PATH").unwrap(),
        common::text(&closed)
    );
    let answer = tool("bash")
        .unprivileged()
        .with(&json!({"command": "[[ a ]]"}))
        .env("PATH", path)
        .run();
    assert!(answer.field("output").ends_with("Permission denied"));
    is_bash_s("[[", &answer.note());
}

#[test]
fn without_bash_the_note_does_not_recommend_it() {
    if !sh_is_dash() {
        return;
    }
    let empty = common::directory();
    let answer = tool("bash")
        .with(&json!({"command": "[[ a ]]"}))
        .env("PATH", empty.path())
        .run();
    answer.note().assert_row("bash", "a machine without bash");
}

#[test]
fn nothing_is_said_where_that_is_not_the_reason() {
    for command in [
        "false",
        "exit 127",
        "nonexistent-program",
        "echo 'sh: 1: [[: not found'; exit 127",
        "echo 'sh: 1: source: not found' >&2; exit 127",
        "cat <<'E'\nsh: 1: [[: not found\n[[ x ]]\nE\nexit 1",
        "bash -c '[[ a == b ]]'",
        "bash -c \"[[ a == b ]]\"",
        "bash -c 'a=(1 2); exit 2'",
        "bash <<'E'\na=(1 2)\nexit 3\nE",
        "grep -c '\\[\\[' /etc/passwd",
        "grep '{1..3}' /etc/passwd; echo '{1..3}'; exit 1",
        "awk 'BEGIN { exit 1 }'",
        "echo foo (bar)",
        "if true",
        "echo \"unterminated",
        "[ a = b ]",
        "ls /nonexistent",
        "x=${y:-a}; exit 4",
        "echo '{1..3}' \"{1..3}\"; mkdir x",
        "printf %s '&>' \"&>\" '&'",
        "echo '$' a 'b'",
        "echo http://localhost/{a,b}",
        "((echo a); echo b)",
        "( (nonexistent-program) ); exit 127",
        "((cat) < 3); exit 2",
        "cat < 3; exit 2",
        "kill -S 1",
        "git log -1 HEAD@{0} 2>/dev/null; true",
        "x=1; echo $((x + 1)) ${x}; { echo y; }",
        "awk 'BEGIN { for (i = 1; i < 3; i++) print i }'",
        "find . -maxdepth 0 -exec echo {} +",
        "echo ${#x}; exit 1",
        "sh -c 'exit 2'",
        "find . -name x -exec true {} \\; ; exit 1",
        "make 2>/dev/null; exit 2",
        "echo $((1+1)); exit 1",
        "true && echo a & wait; exit 1",
        "echo 'sh: 1: Syntax error: \"(\" unexpected'; exit 2",
        "echo '${x:0:1}' 'sh: 1: Bad substitution'; exit 2",
    ] {
        let answer = run(command);
        assert_eq!(answer.note(), "", "{command}");
    }
}

#[test]
fn a_shell_of_the_caller_s_choice_is_not_talked_about() {
    let answer = tool("bash")
        .with(&json!({"command": "[[ a == b ]]"}))
        .env("IKIGAI_SHELL", "/bin/sh")
        .run();
    assert_eq!(answer.note(), "");
}

#[test]
fn words_that_sh_takes_for_programs_or_text_are_explained() {
    if !sh_is_dash() {
        return;
    }
    for (command, advice) in [
        (r#"echo -e "a\nb""#, "printf '%b\\n'"),
        ("echo -ne x; exit 3", "printf '%b\\n'"),
    ] {
        let note = run(command).note();
        assert!(note.contains(advice), "{command}: {note}");
    }
    for command in ["echo x -e y", "printf '%s\\n' '-e text'", "echo '-e text'"] {
        assert_eq!(run(command).json().get("note"), None, "{command}");
    }
}
