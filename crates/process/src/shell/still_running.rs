//! Naming the processes that were still running when a command's time was over.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use crate::sandbox::descendants::RunningProcess;
use iki_base::unseen;
use iki_base::wording::joined_words;

/// Maximum number of processes that are named.
const MAX_NAMED_PROCESSES: usize = 3;

/// Maximum length of a process's arguments as they are shown.
const MAX_SHOWN_ARGUMENT_CHARS: usize = 60;

/// Minimum length of a variable's value that is hidden: shorter ones are words of their own.
const MIN_SECRET_BYTES: usize = 6;

/// A process that was still running.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StillRunning {
    /// Its arguments, shortened.
    pub line: String,
    /// It did not end when it was asked to, and was killed.
    pub was_killed: bool,
}

/// Names the processes that were `running`: those farthest from the shell first, because the others
/// wait for them. A shell is left out if its children are named. `killed` are the ids of those that
/// had to be killed.
pub fn name_processes(mut running: Vec<RunningProcess>, was_killed: &[i32]) -> Vec<StillRunning> {
    let parents: Vec<i32> = running.iter().map(|one| one.parent).collect();
    running.retain(|one| !(parents.contains(&one.pid) && is_given_a_script(&one.arguments)));
    running.sort_unstable_by_key(|one| (std::cmp::Reverse(one.depth), one.pid));
    let mut named: Vec<StillRunning> = Vec::new();
    for one in &running {
        let line = shown_line(&one.arguments);
        let was_killed = was_killed.contains(&one.pid);
        if let Some(other) = named.iter_mut().find(|other| other.line == line) {
            other.was_killed |= was_killed;
        } else if named.len() < MAX_NAMED_PROCESSES {
            named.push(StillRunning { line, was_killed });
        }
    }
    named
}

/// True if a process was given a script as an argument (`-c`).
fn is_given_a_script(arguments: &[u8]) -> bool {
    let option = arguments.split(|byte| *byte == 0).nth(1);
    option.is_some_and(|option| option.starts_with(b"-") && option.ends_with(b"c"))
}

/// A process's arguments as they are shown: on one line, without unseen characters, and without the
/// secrets of this process's environment.
fn shown_line(arguments: &[u8]) -> String {
    let arguments = arguments.strip_suffix(b"\0").unwrap_or(arguments);
    let text = String::from_utf8_lossy(arguments);
    let (program, remainder) = text.split_once('\0').unwrap_or((&text, ""));
    let program = program.rsplit('/').find(|part| !part.is_empty());
    let mut text = format!("{} {remainder}", program.unwrap_or_default());
    for (name, value) in std::env::vars_os().filter(|(name, _)| sounds_secret(name)) {
        if let Some(value) = value.to_str().filter(|it| it.len() >= MIN_SECRET_BYTES) {
            text = text.replace(value, &format!("${}", name.display()));
        }
    }
    let words = joined_words(&text).replace('`', "'");
    let seen = unseen::visible(&words);
    match seen.char_indices().nth(MAX_SHOWN_ARGUMENT_CHARS) {
        Some((end, _)) => format!("{}…", &seen[..end]),
        None => seen.into_owned(),
    }
}

/// True if a variable may hold a secret, by its name.
fn sounds_secret(name: &OsStr) -> bool {
    const WORDS: [&[u8]; 6] = [b"KEY", b"TOKEN", b"SECRET", b"PASS", b"CREDENTIAL", b"AUTH"];
    let name = name.as_bytes().to_ascii_uppercase();
    let holds = |word: &&[u8]| memchr::memmem::find(&name, word).is_some();
    WORDS.iter().any(holds)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(pid: i32, parent: i32, depth: usize, arguments: &str) -> RunningProcess {
        RunningProcess {
            pid,
            parent,
            depth,
            arguments: arguments.as_bytes().to_vec(),
        }
    }

    fn lines(running: Vec<RunningProcess>) -> Vec<String> {
        let named = name_processes(running, &[]);
        named.into_iter().map(|one| one.line).collect()
    }

    #[test]
    fn what_the_others_wait_for_comes_first_and_a_shell_only_where_it_is_alone() {
        let shell = || process(2, 1, 2, "sh\0-c\0--\0git commit; true\0");
        let running = vec![
            shell(),
            process(3, 2, 3, "git\0commit\0"),
            process(4, 3, 4, "/bin/sh\0-c\0vim $@\0"),
            process(5, 4, 5, "/usr/bin/vim\0.git/COMMIT_EDITMSG\0"),
        ];
        assert_eq!(lines(running), ["vim .git/COMMIT_EDITMSG", "git commit"]);
        assert_eq!(lines(vec![shell()]), ["sh -c -- git commit; true"]);
    }

    #[test]
    fn many_alike_are_one_and_no_more_than_three_are_named() {
        let running = (2..9).map(|pid| process(pid, 1, 2, "cc1\0")).collect();
        let killed = name_processes(running, &[7]);
        let line = "cc1".to_owned();
        assert_eq!(
            killed,
            [StillRunning {
                line,
                was_killed: true
            }]
        );
        let running = (2..9).map(|pid| process(pid, 1, 2, &format!("cc{pid}\0")));
        assert_eq!(lines(running.collect()), ["cc2", "cc3", "cc4"]);
    }

    #[test]
    fn a_line_is_one_line_that_can_be_seen() {
        assert_eq!(
            shown_line(b"a\0b\nc\x1b[31m\0\xff`d`\0"),
            "a b c [31m \u{FFFD}'d'"
        );
        assert_eq!(
            shown_line("a\0\u{202E}b\u{200B}\u{E0041}c\0".as_bytes()),
            "a bc"
        );
        let long = shown_line(format!("/bin/a\0{}\0", "é".repeat(200)).as_bytes());
        assert_eq!(long.chars().count(), 61);
        assert!(long.starts_with("a é") && long.ends_with("é…"));
        assert_eq!(shown_line(b"-/\0"), "-");
    }
}
