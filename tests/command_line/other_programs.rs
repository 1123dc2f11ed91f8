//! Lines that begin with the name of another program: answered with the line to type, which runs
//! and does what was asked.

use std::fs;

use super::typed::{answers, room, typed};

#[test]
fn find_and_fd_lead_to_glob_or_to_themselves() {
    answers(&[
        ("it find . -name '*.rs'", 2, "ikigai-tools glob '*.rs'\n"),
        (
            "it find src -name '*.rs'",
            2,
            "ikigai-tools glob '*.rs' src\n",
        ),
        (
            "it find . -iname '*.RS'",
            2,
            "ikigai-tools glob -i '*.RS'\n",
        ),
        (
            "it find src -type f -name '*.rs' -print",
            2,
            "glob '*.rs' src\n",
        ),
        ("it find", 2, "ikigai-tools glob '*'\n"),
        (
            "it find . -name '*.rs' -mtime -1",
            2,
            r"bash 'find . -name '\''*.rs'\'' -mtime -1'",
        ),
        (
            "it find src -maxdepth 1",
            2,
            "bash 'find src -maxdepth 1'\n",
        ),
        ("it find . -type d", 2, "bash 'find . -type d'\n"),
        (
            "it find . -name a -o -name b",
            2,
            "bash 'find . -name a -o -name b'\n",
        ),
        (
            "it find src x.md -name a",
            2,
            "bash 'find src x.md -name a'\n",
        ),
        ("it fd lib", 2, "ikigai-tools glob '*lib*'\n"),
        ("it fd lib src", 2, "ikigai-tools glob '*lib*' src\n"),
        ("it fd -e rs", 2, "ikigai-tools glob '*.rs'\n"),
        ("it fd -ers", 2, "ikigai-tools glob '*.rs'\n"),
        ("it fd -e .rs", 2, "ikigai-tools glob '*.rs'\n"),
        ("it fd -e=rs", 2, "ikigai-tools glob '*.rs'\n"),
        ("it ll a -R", 2, "ikigai-tools bash 'ls -l a -R'\n"),
        (
            "it fd --extension=rs . src",
            2,
            "ikigai-tools glob '*.rs' src\n",
        ),
        ("it fd -t f -e js src", 2, "ikigai-tools glob '*src*.js'\n"),
        ("it fd -H -e js -e ts", 2, "ikigai-tools glob '*.{js,ts}'\n"),
        ("it fd -g '*.rs' src", 2, "ikigai-tools glob '*.rs' src\n"),
        ("it fd -t d lib", 2, "ikigai-tools bash 'fd -t d lib'\n"),
        ("it fd '^lib.*rs$'", 2, r"bash 'fd '\''^lib.*rs$'"),
    ]);
}

#[test]
fn names_of_other_programs_lead_to_the_tool() {
    answers(&[
        ("it cat notes.txt", 2, "ikigai-tools file-read notes.txt\n"),
        (
            "it head -5 notes.txt",
            2,
            "ikigai-tools file-read notes.txt --limit 5\n",
        ),
        (
            "it tail -n 5 notes.txt",
            2,
            "ikigai-tools file-read notes.txt --offset -5\n",
        ),
        (
            "it tail -n +2 notes.txt",
            2,
            "ikigai-tools file-read notes.txt --offset 2\n",
        ),
        (
            "it tail -3 notes.txt",
            2,
            "ikigai-tools file-read notes.txt --offset -3\n",
        ),
        (
            "it tail -c 5 notes.txt",
            2,
            "ikigai-tools bash 'tail -c 5 notes.txt'\n",
        ),
        (
            "it head -n -1 notes.txt",
            2,
            "ikigai-tools bash 'head -n -1 notes.txt'\n",
        ),
        (
            "it sed -n 2,3p notes.txt",
            2,
            "ikigai-tools file-read notes.txt --offset 2 --limit 2\n",
        ),
        (
            "it sed -n '4,$p' notes.txt",
            2,
            "ikigai-tools file-read notes.txt --offset 4\n",
        ),
        (
            "it sed -n /two/p notes.txt",
            2,
            "ikigai-tools bash 'sed -n /two/p notes.txt'\n",
        ),
        (
            "it sed -i 1s/one/1/ notes.txt",
            2,
            "ikigai-tools file-edit FILE OLD NEW\n",
        ),
        ("it rg -n two src", 2, "ikigai-tools grep -n two src\n"),
        ("it ls -la src", 2, "ikigai-tools file-read src\n"),
        ("it ls", 2, "ikigai-tools file-read .\n"),
        (
            "it curl -s https://example.org",
            2,
            "ikigai-tools web-fetch https://example.org\n",
        ),
        ("it sh -c 'echo hi'", 2, "ikigai-tools bash 'echo hi'\n"),
        ("it update", 2, "install the new version"),
        ("it uninstall", 2, "ikigai-tools link --remove DIR\n"),
        ("it --json grep two", 2, "ikigai-tools grep --json two\n"),
        (
            "it --root . bash pwd",
            2,
            "ikigai-tools bash --root . pwd\n",
        ),
        ("it -v", 0, "ikigai-tools "),
        ("it list --all", 0, "web-search-tool\n"),
        ("it man grep", 0, "PATTERN"),
        ("it man nonsense", 2, "no tool is called"),
    ]);
}

#[test]
fn the_lines_for_other_programs_run_and_do_what_was_asked() {
    let room = room();
    for (line, shown) in [
        ("it cat notes.txt", "Two"),
        ("it cat notes.txt x.md", "# two"),
        ("it cat -n notes.txt", "3\ttwo"),
        ("it ls -la src", "lib.rs"),
        ("it ls -I lib.rs src", "main.rs"),
        ("it ls 'src/*.rs'", "src/lib.rs"),
        ("it ls notes.txt", "notes.txt"),
        ("it head -n 1 notes.txt", "one"),
        ("it head -n 1 notes.txt x.md", "==> x.md"),
        ("it head -qn 1 notes.txt x.md", "# two"),
        ("it tail -n 1 notes.txt", "after"),
        ("it tail --bytes=3 notes.txt", "er"),
        ("it sed -n -e 2p notes.txt", "Two"),
        ("it find . -type d", "./src"),
        ("it find . -maxdepth 1 -name '*.md'", "x.md"),
        ("it find . -path '*src*'", "src/lib.rs"),
        ("it find . -name x.md -o -name lib.rs", "src/lib.rs"),
        ("it find . -iname '*.RS'", "lib.rs"),
        ("it find src", "lib.rs"),
        ("it fd -e rs", "src/lib.rs"),
        ("it fd -g '*.rs'", "src/lib.rs"),
        ("it fd rs src", "src/lib.rs"),
        ("it fd . src", "src/lib.rs"),
        ("it tree src", "lib.rs"),
        ("it sh script.sh", "from script"),
        ("it sh -c 'echo $1' a b", "b\n"),
        ("it run printf '%s-' 'a b'", "a b-"),
        ("it wc -l notes.txt", "5 notes.txt"),
        ("it sort -r 'notes.txt'", "two\none"),
        ("it touch new.txt", ""),
        ("it touch notes.txt", ""),
        ("it bash 'echo hi' there", "hi there"),
        ("it bash -c echo hi", "hi"),
        ("it bash -c 'echo $1' a b", "b\n"),
        ("it grep -T foo two", "notes.txt"),
    ] {
        let (code, said) = typed(room.path(), line);
        assert_eq!(code, 2, "{line}: {said}");
        let first = said.lines().next().unwrap();
        let call = match first.split_once("ikigai-tools bash ") {
            Some((_, call)) => format!("bash {call}"),
            None if line.contains(" -T ") => {
                let glob = first.rsplit_once(": ").unwrap().1;
                format!("grep two {glob}")
            }
            None => first.rsplit_once(": ikigai-tools ").unwrap().1.to_owned(),
        };
        let (code, answer) = typed(room.path(), &format!("it {call}"));
        assert_eq!(code, 0, "{line}: {call}: {answer}");
        assert!(answer.contains(shown), "{line}: {call}: {answer}");
    }
    let notes = fs::read_to_string(room.path().join("notes.txt")).unwrap();
    assert!(notes.starts_with("one\n") && room.path().join("new.txt").exists());
}

#[test]
fn what_no_tool_does_is_run_by_bash_as_it_was_typed() {
    answers(&[
        ("it tree -L 2 src", 2, "ikigai-tools bash 'tree -L 2 src'\n"),
        (
            "it bat -r 2:3 notes.txt",
            2,
            "bash 'bat -r 2:3 notes.txt'\n",
        ),
        (
            "it bat -p notes.txt",
            2,
            "ikigai-tools file-read notes.txt\n",
        ),
        ("it less +G notes.txt", 2, "bash 'less +G notes.txt'\n"),
        ("it cat -", 2, "ikigai-tools file-read -\n"),
        (
            "it cat http://a.b/",
            2,
            "ikigai-tools web-fetch http://a.b/\n",
        ),
        ("it fd -t d deep", 2, "ikigai-tools bash 'fd -t d deep'\n"),
        ("it fd -d 2 rs", 2, "ikigai-tools bash 'fd -d 2 rs'\n"),
        ("it fd -E src rs", 2, "ikigai-tools bash 'fd -E src rs'\n"),
        ("it fd rs -x cat", 2, "ikigai-tools bash 'fd rs -x cat'\n"),
        (
            "it curl -X DELETE http://a.b/",
            2,
            "bash 'curl -X DELETE http://a.b/'\n",
        ),
        (
            "it curl -d x http://a.b/",
            2,
            "bash 'curl -d x http://a.b/'\n",
        ),
        ("it curl -fsSL a.b/x", 2, "ikigai-tools web-fetch a.b/x\n"),
        (
            "it tee -a notes.txt",
            2,
            "The system's own has: tee -a notes.txt\n",
        ),
        (
            "it nosuch-program status",
            2,
            "bash 'nosuch-program status'\nTools: bash",
        ),
        ("it help wc", 2, "Tools: bash"),
    ]);
    for line in ["it git status", "it docker-x ps", "it cp a b", "it pwd"] {
        let (code, said) = typed(room().path(), line);
        let command = line.strip_prefix("it ").unwrap();
        assert!(code == 2 && !said.contains("did you mean"), "{said}");
        assert!(said.contains(" bash ") && said.contains(command), "{said}");
    }
}
