//! Names of other programs that people type in a tool's place, each with the line to type.

use std::ffi::OsString;
use std::path::Path;

use crate::command_line::typed_values::flags_of_lines;
use iki_base::console::exit::PROGRAM;
use iki_base::wording::quoted;
use iki_tools::registry::Registry;

/// The line to type for `name` with `args`, which is no tool and no command of this program.
pub fn advise(tools: Registry, name: &str, args: &[OsString]) -> Option<String> {
    let words: Vec<String> = args
        .iter()
        .map(|arg| arg.to_string_lossy().into_owned())
        .collect();
    let (what, call) = match name {
        "rg" | "ag" | "ack" | "egrep" => ("grep searches in files", typed("grep", &words)),
        "fgrep" => ("grep searches in files", typed("grep -F", &words)),
        "cat" | "less" | "more" | "bat" | "ls" | "dir" | "ll" | "tree" | "curl" | "wget"
        | "http" => lead_of_one_word(name, &words).unwrap_or_else(|| {
            // bash has no alias where it runs a command.
            run_as_typed(if name == "ll" { "ls -l" } else { name }, &words)
        }),
        "head" | "tail" | "sed" => some_lines(name, &words),
        "find" | "fd" | "locate" => {
            let call = if name == "find" {
                glob_for_find(&words)
            } else {
                glob_for_fd(&words)
            };
            match call {
                Some(call) => ("glob finds files by name", typed("glob", &call)),
                None => run_as_typed(name, &words),
            }
        }
        "sh" | "zsh" | "dash" => match &words[..] {
            [flag, command] if flag == "-c" => (
                "bash runs a command",
                typed("bash", std::slice::from_ref(command)),
            ),
            [] => ("bash runs a command", "bash COMMAND".to_owned()),
            words => run_as_typed(name, words),
        },
        "exec" | "run" | "shell" => match &words[..] {
            [] => ("bash runs a command", "bash COMMAND".to_owned()),
            [command] => (
                "bash runs a command",
                typed("bash", std::slice::from_ref(command)),
            ),
            [program, words @ ..] => run_as_typed(program, words),
        },
        "patch" => edit(),
        "tee" => {
            // bash has no stdin to pass on.
            return Some(format!(
                "file-write writes what stdin has: {PROGRAM} file-write FILE -. The system's own \
                 has: {}",
                typed("tee", &words)
            ));
        }
        "uninstall" | "remove" => ("links are removed", "link --remove DIR".to_owned()),
        "install" | "setup" | "init" => ("links are installed", "link DIR".to_owned()),
        "serve" | "server" | "start" => ("a server for MCP", "mcp".to_owned()),
        "update" | "upgrade" | "self-update" => {
            return Some(format!(
                "{PROGRAM} does not replace itself: install the new version as this one was \
                 (install.sh, a package), then `{PROGRAM} doctor`"
            ));
        }
        _ if name.starts_with('-') => {
            let index = words
                .iter()
                .position(|word| tools.find_tool(word).is_some())?;
            let (before, remainder) = words.split_at(index);
            let (tool, behind) = remainder.split_first()?;
            let flags = [&[name.to_owned()], before, behind].concat();
            ("options stand behind the tool's name", typed(tool, &flags))
        }
        _ => return None,
    };
    Some(format!("{what}: {PROGRAM} {call}"))
}

/// `invocation` and `words`, as they are typed.
fn typed(invocation: &str, words: &[String]) -> String {
    words.iter().fold(invocation.to_owned(), |line, word| {
        line + " " + &quoted(word)
    })
}

/// The call that replaces text.
fn edit() -> (&'static str, String) {
    let call = "file-edit FILE OLD NEW".to_owned();
    ("file-edit replaces text", call)
}

/// Programs whose call with one word at most is a tool's: their flags that change nothing here, by
/// letters and whole, what the tool does, the tool, and the word in the place of none.
const OF_ONE_WORD: [(&str, &str, &str, [&str; 3]); 5] = [
    ("cat less more", "u", "", SHOWN_FILE),
    ("bat", "pP", "--plain --paging=never", SHOWN_FILE),
    (
        "ls dir ll",
        "aAlhFpk1",
        "--all --almost-all",
        ["file-read shows a directory", "file-read", "."],
    ),
    (
        "tree",
        "",
        "",
        ["glob finds files by name", "glob '*'", "."],
    ),
    (
        "curl wget http",
        "sSLfgGq",
        "-qO- --silent --location --fail",
        SHOWN_PAGE,
    ),
];

const SHOWN_FILE: [&str; 3] = ["file-read shows a file", "file-read", "FILE"];

const SHOWN_PAGE: [&str; 3] = ["web-fetch shows a page", "web-fetch", "URL"];

/// The call of the tool that does what such a program is asked for; `None` if it is asked for more.
fn lead_of_one_word(name: &str, words: &[String]) -> Option<(&'static str, String)> {
    let (_, letters, flags, lead) = OF_ONE_WORD
        .into_iter()
        .find(|(names, ..)| names.split(' ').any(|one| one == name))?;
    let is_usual = |flag: &str| {
        let of_letters = flag.strip_prefix('-').filter(|all| !all.starts_with('-'));
        flags.split(' ').any(|one| one == flag)
            || of_letters.is_some_and(|all| all.chars().all(|one| letters.contains(one)))
    };
    let is_flag = |word: &&String| word.len() > 1 && word.starts_with(['-', '+']);
    let (given, plain): (Vec<&String>, Vec<&String>) = words.iter().partition(is_flag);
    if !given.into_iter().all(|flag| is_usual(flag)) {
        return None;
    }
    let is_page = |word: &str| word.contains("://") || lead == SHOWN_PAGE && word.contains('.');
    let word = match plain[..] {
        [] => return Some((lead[0], format!("{} {}", lead[1], lead[2]))),
        [word] => word,
        _ => return None,
    };
    let is_listing = lead[2] == ".";
    let [what, call, _] = if is_page(word) {
        SHOWN_PAGE
    } else if is_listing && word.contains(['*', '?', '[']) {
        ["glob finds files by name", "glob", ""]
    } else if lead == SHOWN_PAGE || is_listing && !Path::new(word).is_dir() {
        return None;
    } else {
        lead
    };
    Some((what, format!("{call} {}", quoted(word))))
}

/// The call for what head(1), tail(1) and sed(1) are asked for.
fn some_lines(name: &str, words: &[String]) -> (&'static str, String) {
    let is_replacement = |word: &String| {
        let mut characters = word
            .trim_start_matches(|c: char| c.is_ascii_digit())
            .chars();
        let delimiter = characters
            .next()
            .filter(|one| *one == 's')
            .and_then(|_| characters.next());
        delimiter.is_some_and(|one| characters.filter(|other| *other == one).count() == 2)
    };
    let is_edit = |word: &String| word.starts_with("-i") || is_replacement(word);
    match lines_of_file(name, words) {
        Some(call) => ("file-read shows lines of a file", call),
        None if name == "sed" && (words.is_empty() || words.iter().any(is_edit)) => edit(),
        None => run_as_typed(name, words),
    }
}

/// The call for what no tool does, but the other program itself.
pub fn run_as_typed(name: &str, words: &[String]) -> (&'static str, String) {
    let line = typed(name, words);
    ("bash runs a command", typed("bash", &[line]))
}

/// The call for some lines of a file, if nothing else is asked for.
fn lines_of_file(name: &str, words: &[String]) -> Option<String> {
    let is_number = |word: &str| word.trim_start_matches(['-', '+']).parse::<u64>().is_ok();
    let is_file = |word: &&String| {
        !is_number(word)
            && (*word == "-" || !word.starts_with('-'))
            && flags_of_lines(word).is_none()
    };
    let is_flag = |word: &String| {
        let value = word.strip_prefix("--lines=").or(word.strip_prefix("-n"));
        value.is_some_and(|value| value.is_empty() || is_number(value))
            || word == "--lines"
            || word.starts_with('-') && is_number(word)
    };
    let files: Vec<&String> = words.iter().filter(is_file).collect();
    let mut flags = words
        .iter()
        .filter(|word| word.len() > 1 && word.starts_with('-'));
    if files.len() > 1 || !flags.all(is_flag) {
        return None;
    }
    let file = files.first().map_or("FILE".to_owned(), |file| quoted(file));
    let lines = if name == "sed" {
        let is_quiet = words.iter().any(|word| word == "-n");
        let range = words.iter().find(|word| word.ends_with('p'));
        flags_of_lines(range.filter(|_| is_quiet)?)?
    } else {
        let before = std::iter::once("").chain(words.iter().map(String::as_str));
        let numbers = words.iter().zip(before).filter_map(|(word, before)| {
            let number = word.strip_prefix("--lines=").or(word.strip_prefix("-n"));
            // In an old form the number itself is the flag.
            let is_flag = number.is_none() && !["-n", "--lines"].contains(&before);
            let old = word.strip_prefix('-').filter(|_| is_flag);
            let number = number.or(old).unwrap_or(word);
            number.parse::<i64>().is_ok().then_some(number)
        });
        let number = numbers.last().unwrap_or("10");
        let is_in_bytes = |word: &String| word.starts_with("-c") || word.starts_with("--bytes");
        if words.iter().any(is_in_bytes) {
            return None;
        }
        match (name, number.strip_prefix('+'), number.strip_prefix('-')) {
            ("tail", Some(first), _) => format!("--offset {first}"),
            ("tail", None, last) => format!("--offset -{}", last.unwrap_or(number)),
            (_, _, Some(_)) => return None,
            (_, more, None) => format!("--limit {}", more.unwrap_or(number)),
        }
    };
    Some(format!("file-read {file} {lines}"))
}

/// The tests and actions of find(1) that glob has in no form.
const OF_FIND: &str = "-type -xtype -print0 -printf -ls -delete -exec -execdir -ok -empty -regex \
                       -iregex -regextype -executable -readable -writable -user -group -nouser \
                       -newer -newermt -anewer -cnewer -mtime -mmin -atime -amin -ctime -cmin \
                       -size -path -ipath -wholename -perm -prune -not -links -inum -samefile \
                       -lname -xdev -mount -quit -depth";

/// The line to type for words in the place of glob's that only find(1) understands.
pub fn advise_on_find(args: &[OsString]) -> Option<String> {
    let words: Option<Vec<&str>> = args.iter().map(|arg| arg.to_str()).collect();
    let mut words = words?;
    let flag = words
        .iter()
        .find(|word| OF_FIND.split_whitespace().any(|one| one == **word))?;
    let flag = (*flag).to_owned();
    for index in 1..words.len() {
        // Kinds have one letter there.
        if words[index - 1].ends_with("type") {
            words[index] = words[index].get(..1).unwrap_or(words[index]);
        }
    }
    let index = words.iter().position(|word| word.starts_with('-'))?;
    let (before, behind) = words.split_at(index);
    let is_pattern = |word: &&&str| word.contains(['*', '?', '[']);
    let pattern = before
        .iter()
        .find(is_pattern)
        .map(|pattern| ["-name", *pattern]);
    let places: Vec<&str> = before
        .iter()
        .filter(|word| !is_pattern(word))
        .copied()
        .collect();
    let places = if places.is_empty() { vec!["."] } else { places };
    let line = places
        .into_iter()
        .chain(pattern.into_iter().flatten())
        .chain(behind.iter().copied());
    let line = line.map(str::to_owned).collect::<Vec<_>>();
    let call = typed("bash", &[typed("find", &line)]);
    Some(format!("glob has no {flag}. find has: {PROGRAM} {call}"))
}

/// The words for glob that find what find(1) is asked for; `None` if it is asked for more than a
/// name.
fn glob_for_find(words: &[String]) -> Option<Vec<String>> {
    let (mut call, mut pattern, mut is_of_files) = (Vec::new(), None, false);
    let (place, tests) = match words {
        [place, tests @ ..] if !place.starts_with(['-', '(', '!']) => (Some(place), tests),
        tests => (None, tests),
    };
    let mut tests = tests.iter().map(String::as_str).peekable();
    while let Some(test) = tests.next() {
        match test {
            "-name" | "-iname" if pattern.is_none() => {
                pattern = Some(tests.next()?.to_owned());
                call.extend((test == "-iname").then(|| "-i".to_owned()));
            }
            "-type" if tests.next_if_eq(&"f").is_some() => is_of_files = true,
            "-print" => {}
            _ => return None,
        }
    }
    // glob names directories as well, which seldom have a file's name.
    if is_of_files && pattern.is_none() {
        return None;
    }
    call.push(pattern.unwrap_or_else(|| "*".to_owned()));
    call.extend(place.filter(|place| *place != ".").cloned());
    Some(call)
}

/// The words for glob that find what fd(1) is asked for; `None` if it is asked for more than a part
/// of a name and extensions.
fn glob_for_fd(words: &[String]) -> Option<Vec<String>> {
    let (mut plain, mut extensions) = (Vec::new(), Vec::new());
    let (mut is_glob, mut call) = (false, Vec::new());
    let mut words = words.iter().map(String::as_str);
    while let Some(word) = words.next() {
        match word {
            "-e" | "--extension" => extensions.push(words.next()?.trim_start_matches('.')),
            "-g" | "--glob" => is_glob = true,
            "-t" | "--type" if !matches!(words.next(), Some("f" | "file")) => return None,
            "-t" | "--type" | "-tf" | "--type=f" | "-H" | "--hidden" => {}
            "-i" | "--ignore-case" | "-I" | "--no-ignore" | "-u" => call.push(word.to_owned()),
            _ if !word.starts_with('-') => plain.push(word),
            _ => {
                let value = word.strip_prefix("--extension=");
                let value = value.or_else(|| word.strip_prefix("-e"))?;
                extensions.push(value.trim_start_matches(['=', '.']));
            }
        }
    }
    let (pattern, place) = match plain[..] {
        [] => ("", None),
        [pattern] => (pattern, None),
        [pattern, place] => (pattern, Some(place)),
        _ => return None,
    };
    let is_expression = pattern.contains(|one: char| r"\^$*+?()[]{}|".contains(one));
    let ending = match extensions[..] {
        [] => String::new(),
        [only] => format!(".{only}"),
        _ => format!(".{{{}}}", extensions.join(",")),
    };
    call.push(match (pattern, is_glob) {
        ("" | ".", _) => format!("*{ending}"),
        (_, true) if ending.is_empty() => pattern.to_owned(),
        (_, false) if !is_expression => format!("*{pattern}*{ending}"),
        _ => return None,
    });
    call.extend(place.map(str::to_owned));
    Some(call)
}
