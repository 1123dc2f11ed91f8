//! Advice on a command that failed in `sh` because it is written for bash.
//!
//! Rules: the decisions on bash. Advice is given if the output has an error message of the shell,
//! in the words of dash (the `sh` of Debian and its relatives), and the command has the spelling
//! that the message is about, outside of single quotes; or if it has, outside of all quotes, what
//! dash takes for something else without an error.

use std::ffi::OsStr;

use crate::shell::command_shell::find_on_path;

/// Keywords and builtins of bash that `sh` takes for the names of programs.
const BASH_WORDS: &str = "[[ source function let declare typeset shopt mapfile readarray pushd \
                          popd disown time builtin enable compgen coproc";

/// Builtins of which bash has options that `sh` calls illegal.
const BASH_OPTIONS: &str = "set read wait export printf readonly unset ulimit";

/// Other syntax of bash: part of the error message, part of the command, and a name for it.
const BASH_SYNTAX: [(&str, &str, &str); 31] = [
    ("\"(\" unexpected", "function ", "function"),
    ("\"(\" unexpected", "=(", "NAME=(…)"),
    ("\"(\" unexpected", "<(", "<( )"),
    ("\"(\" unexpected", ">(", ">( )"),
    ("redirection unexpected", "<<<", "<<<"),
    ("redirection unexpected", "<(", "<( )"),
    ("redirection unexpected", ">(", ">( )"),
    ("\"}\" unexpected", "function ", "function"),
    ("Bad for loop variable", "for ((", "for (("),
    ("\"&\" unexpected", "|&", "|&"),
    ("word unexpected", "time (", "time (…)"),
    ("Bad substitution", "${", "${…}"),
    ("\"do\" unexpected", "select ", "select"),
    ("Bad fd number", ">& ", ">& FILE"),
    ("bad variable name", "local -", "local -X"),
    ("expecting EOF: \"", "#", "$((BASE#N))"),
    ("unexpected operator", " == ", "== in [ ]"),
    ("unexpected operator", "[ -v ", "[ -v … ]"),
    ("unexpected operator", "test -v ", "test -v"),
    (": not found", "((", "(( ))"),
    ("cannot open ", "(( ", "(( ))"),
    (": not found", "+=", "NAME+=…"),
    ("%q: invalid directive", "printf ", "printf %q"),
    ("%(: invalid directive", "printf ", "printf %(…)T"),
    ("expecting primary", "**", "$((… ** …))"),
    ("expecting primary", "++", "$((… ++))"),
    ("expecting primary", "--))", "$((… --))"),
    (" /dev/tcp/", "/dev/tcp/", "/dev/tcp/…"),
    (" /dev/udp/", "/dev/udp/", "/dev/udp/…"),
    ("exec: -a: not found", "exec -a ", "exec -a"),
    ("bad trap", "trap ", "trap … ERR"),
];

/// Variables that bash sets and `sh` does not.
const BASH_VARIABLES: &str =
    "RANDOM SRANDOM SECONDS EPOCHSECONDS UID EUID BASHPID PIPESTATUS OSTYPE HOSTTYPE";

/// Maximum length of a command that is examined: longer ones are mostly data.
const MAX_COMMAND_BYTES: usize = 64 * 1024;

/// A sentence on why `command` failed in the system's `sh` and what to do. `tail` is the end of its
/// output.
#[must_use]
pub fn advise_on_failure(command: &str, tail: &[u8]) -> Option<String> {
    let tail = String::from_utf8_lossy(tail);
    // A here-document may contain anything.
    if command.len() > MAX_COMMAND_BYTES || command.replace("<<<", "").contains("<<") {
        return None;
    }
    let unquoted: String = command.split('\'').step_by(2).collect();
    let is_echoed = |option: &&str| {
        let mut lines = tail.lines();
        unquoted.contains(&format!("echo {option}")) && lines.any(|line| line.starts_with(*option))
    };
    if ["-e ", "-ne ", "-en "].iter().any(is_echoed) {
        return Some(ECHO.to_owned());
    }
    // Nothing fails there.
    let plain = without_quotes(command, "'\"");
    if plain.contains("&>") && is_dash() {
        return Some(BOTH_STREAMS.to_owned());
    }
    let mut messages = tail.lines().filter_map(parse_message);
    if let Some(name) = messages
        .clone()
        .find_map(|words| sig_name(&unquoted, words))
    {
        return Some(format!(
            "The shell here is sh, which has no SIG before the names of signals: write `{name}`."
        ));
    }
    let syntax = messages.find_map(|words| find_bash_syntax(&unquoted, words));
    let silent = || {
        let text = find_silent_syntax(&plain).map(str::to_owned);
        let syntax = text.or_else(|| find_silent_expansion(&without_quotes(command, "'")));
        syntax.filter(|_| is_dash())
    };
    let syntax = syntax.or_else(silent)?;
    let how = if find_on_path(OsStr::new("bash")).is_some() {
        "run it as bash -c '…', with each ' in it written '\\'' (or have IKIGAI_SHELL=bash set for \
         this tool), or write it for sh"
    } else {
        "there is no bash here either: write it for sh"
    };
    Some(format!(
        "The shell here is sh, and `{syntax}` is bash's; {how}."
    ))
}

/// Advice on an option of `echo` that bash reads as one.
const ECHO: &str = "The shell here is sh, whose echo prints -e and reads escapes without it; \
                    printf '%b\\n' does the same in every shell.";

/// Advice on a redirection of both streams that only bash reads as one.
const BOTH_STREAMS: &str = "The shell here is sh, in which `&>` starts the command in the \
                            background and empties the file: write `>FILE 2>&1`.";

/// True if the system's `sh` is dash, whose words these are.
fn is_dash() -> bool {
    let shell = std::fs::canonicalize("/bin/sh");
    shell.is_ok_and(|shell| shell.file_name() == Some(OsStr::new("dash")))
}

/// The words of an error message of the shell: `sh: 1: words`; one of them has no beginning.
fn parse_message(line: &str) -> Option<&str> {
    if line.starts_with("trap: ") {
        return Some(line);
    }
    let (number, words) = line.strip_prefix("sh: ")?.split_once(": ")?;
    number.parse::<u64>().is_ok().then_some(words)
}

/// The name of a signal after the SIG that the error message `words` is about.
fn sig_name<'a>(command: &'a str, words: &'a str) -> Option<&'a str> {
    let named_in = |text: &'a str| {
        let mut parts = text.split(|c: char| !c.is_ascii_alphanumeric());
        parts.find_map(|part| part.strip_prefix("SIG").filter(|name| !name.is_empty()))
    };
    match words {
        // The message names no more than the letter.
        "kill: Illegal option -S" => named_in(command),
        _ if words.starts_with("trap: ") || words.starts_with("kill: invalid ") => named_in(words),
        _ => None,
    }
}

/// `command` with a NUL in place of each character that is escaped, within one of these `quotes`,
/// or part of a comment.
fn without_quotes(command: &str, quotes: &str) -> String {
    let (mut quote, mut is_escaped, mut is_comment, mut before) = (None, false, false, ' ');
    let mask = |c: char| {
        let begins = before.is_whitespace() || ";&|()".contains(before);
        is_comment |= begins && c == '#' && quote.is_none() && !is_escaped;
        is_comment &= c != '\n';
        before = c;
        match quote {
            _ if is_comment || std::mem::take(&mut is_escaped) => '\0',
            Some(open) if open == c => {
                quote = None;
                c
            }
            None if matches!(c, '\'' | '"') => {
                quote = Some(c);
                c
            }
            None | Some('"') if c == '\\' => {
                is_escaped = true;
                '\0'
            }
            Some(open) if quotes.contains(open) => '\0',
            _ => c,
        }
    };
    command.chars().map(mask).collect()
}

/// The syntax of bash in the command without its quotes that `sh` takes for text.
fn find_silent_syntax(plain: &str) -> Option<&'static str> {
    let is_quote = |(offset, _): (usize, &str)| !plain[..offset].ends_with('$');
    if plain.match_indices("$'").any(is_quote) {
        return Some("$'…'");
    }
    let mut words = plain.split(|c: char| c.is_whitespace() || ";&|()<>`".contains(c));
    words.find_map(|word| {
        let (name, _) = word.split_once('=').unwrap_or_default();
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let is_assignment = !name.is_empty() && name.chars().all(is_name);
        // curl reads braces in an address itself.
        (!is_assignment && !word.contains("://")).then_some(())?;
        let mut braces = word
            .match_indices('{')
            .filter(|(offset, _)| !word[..*offset].ends_with('$'));
        braces.find_map(|(offset, _)| expanded_brace(&word[offset..]))
    })
}

/// The expansion of bash in the command without what is in single quotes that is empty in `sh`, or
/// the assignment that is lost there.
fn find_silent_expansion(command: &str) -> Option<String> {
    if command.contains("$(<") {
        return Some("$(<FILE)".to_owned());
    }
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut arithmetic = command
        .match_indices("((")
        .filter(|(start, _)| !command[..*start].ends_with('$'))
        .filter_map(|(start, _)| command[start + 2..].split_once("))"));
    let is_assignment = |(text, _): (&str, &str)| {
        let (name, value) = text.split_once('=').unwrap_or_default();
        let name = name.trim_end_matches(['+', '-', '*', '/', '%']);
        let is_value = |c: char| is_name(c) || "$+-*/%()".contains(c);
        !name.is_empty() && name.chars().all(is_name) && value.chars().all(is_value)
    };
    if arithmetic.any(is_assignment) {
        return Some("(( ))".to_owned());
    }
    let is_expanded = |name: &&str| {
        let mut places = command.match_indices(name).filter(|(start, _)| {
            ["$", "${", "(("]
                .iter()
                .any(|before| command[..*start].ends_with(before))
                && !command[start + name.len()..].starts_with(is_name)
        });
        let is_set = || command.contains(&format!("{name}=")) || std::env::var_os(name).is_some();
        places.next().is_some() && !is_set()
    };
    let mut names = BASH_VARIABLES.split_whitespace();
    names.find(is_expanded).map(|name| format!("${name}"))
}

/// The name of the brace expansion that `word` begins with, if it is one.
fn expanded_brace(word: &str) -> Option<&'static str> {
    let (mut depth, mut has_comma) = (0, false);
    let end = word.find(|c| {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' => has_comma |= depth == 1,
            _ => {}
        }
        depth == 0
    })?;
    let ends: Vec<&str> = word[1..end].split("..").collect();
    let is_end = |end: &&str| {
        end.parse::<i64>().is_ok() || end.len() == 1 && end.starts_with(char::is_alphabetic)
    };
    let is_sequence = (2..=3).contains(&ends.len()) && ends.iter().all(is_end);
    if has_comma {
        return Some("{a,b}");
    }
    is_sequence.then_some("{1..9}")
}

/// The syntax of bash in the command that the error message `words` is about.
fn find_bash_syntax(command: &str, words: &str) -> Option<String> {
    // If a directory of `PATH` may not be searched, the shell reports that instead.
    let missing = words.strip_suffix(": not found");
    let missing = missing.or_else(|| words.strip_suffix(": Permission denied"));
    if let Some(word) = BASH_WORDS.split(' ').find(|word| Some(*word) == missing) {
        let mut parts = command.split(|c: char| c.is_whitespace() || ";&|()`".contains(c));
        return parts.any(|part| part == word).then(|| word.to_owned());
    }
    if let Some((name, option)) = words.split_once(": Illegal option ")
        && BASH_OPTIONS.split(' ').any(|one| one == name)
        && command.contains(&format!("{name} -"))
    {
        return Some(format!("{name} {option}"));
    }
    let is_arithmetic = |offset: usize| command[..offset].ends_with('$');
    let mut forms = BASH_SYNTAX.into_iter().filter(|(message, text, _)| {
        words.contains(message)
            && command
                .match_indices(text)
                .any(|(offset, _)| !is_arithmetic(offset))
    });
    forms.next().map(|(_, _, name)| name.to_owned())
}
