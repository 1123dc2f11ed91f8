//! Lines that begin with the name of another program: answered with the line to type, which runs
//! and does what was asked.

use std::fs;

use super::typed::{room, typed};

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
