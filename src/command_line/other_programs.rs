//! Names of other programs that people type in a tool's place, each with the line to type.

use std::ffi::OsString;

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
    let plain = || words.iter().filter(|word| !word.starts_with('-'));
    let first = |otherwise: &str| {
        plain()
            .next()
            .map_or(otherwise.to_owned(), |word| quoted(word))
    };
    let (what, call) = match name {
        "rg" | "ag" | "ack" | "egrep" => ("grep searches in files", typed("grep", &words)),
        "fgrep" => ("grep searches in files", typed("grep -F", &words)),
        "cat" | "less" | "more" | "bat" | "nl" => (
            "file-read shows a file",
            format!("file-read {}", first("FILE")),
        ),
        "head" | "tail" | "sed" => some_lines(name, &words),
        "ls" | "dir" | "ll" | "tree" => (
            "file-read shows a directory",
            format!("file-read {}", first(".")),
        ),
        "find" => ("glob finds files by name", found_by_name(&words)),
        "fd" | "locate" => {
            let pattern = plain()
                .next()
                .map_or("*".to_owned(), |name| format!("*{name}*"));
            ("glob finds files by name", typed("glob", &[pattern]))
        }
        "curl" | "wget" | "http" => {
            let url = plain().find(|word| word.contains('.') || word.contains("://"));
            let url = url.map_or("URL".to_owned(), |url| quoted(url));
            ("web-fetch shows a page", format!("web-fetch {url}"))
        }
        "sh" | "zsh" | "dash" | "exec" | "run" | "shell" => {
            ("bash runs a command", command_line_of(&words))
        }
        "patch" => edit(),
        "tee" | "touch" => (
            "file-write writes a file",
            format!("file-write {} -", first("FILE")),
        ),
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
        None => {
            let line = typed(name, words);
            ("bash runs a command", typed("bash", &[line]))
        }
    }
}

/// The call for some lines of a file, if nothing else is asked for.
fn lines_of_file(name: &str, words: &[String]) -> Option<String> {
    let is_file = |word: &&String| {
        !word.starts_with('-') && word.parse::<u64>().is_err() && flags_of_lines(word).is_none()
    };
    let file = words.iter().find(is_file);
    let file = file.map_or("FILE".to_owned(), |file| quoted(file));
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
    -iregex -regextype -executable -readable -writable -user -group -nouser -newer -newermt \
    -anewer -cnewer -mtime -mmin -atime -amin -ctime -cmin -size -path -ipath -wholename -perm \
    -prune -not -links -inum -samefile -lname -xdev -mount -quit -depth";

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

/// The call that finds what find(1) is asked for by its name.
fn found_by_name(words: &[String]) -> String {
    let is_name = |word: &String| word == "-name" || word == "-iname";
    let name = words
        .iter()
        .position(is_name)
        .and_then(|index| words.get(index + 1));
    let pattern = name.map_or("*", String::as_str).to_owned();
    let place = words
        .first()
        .filter(|one| *one != "." && !one.starts_with('-'));
    let words: Vec<String> = [pattern].into_iter().chain(place.cloned()).collect();
    typed("glob", &words)
}

/// The call that runs what a shell is asked to run.
fn command_line_of(words: &[String]) -> String {
    match words {
        [] => "bash COMMAND".to_owned(),
        [flag, command, ..] if flag == "-c" => typed("bash", std::slice::from_ref(command)),
        words => typed("bash", &[words.join(" ")]),
    }
}
