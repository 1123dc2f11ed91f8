//! What to do about a command that failed in `sh` for what only bash understands.
//!
//! Rules: the decisions on bash. Two things have to agree: the shell's own words at the end of the
//! output, as dash has them (the `sh` of Debian and its kin), and the command's text, in which the
//! construct stands where the shell reads it. What a program prints, or what is quoted for another
//! shell, is no reason. What `sh` silently takes for something else is tried in that shell.

use std::ffi::OsStr;
use std::process::Command;
use std::time::Duration;

use crate::shell::named::found_by_path;
use crate::shell::program::run_program;
use crate::shell::script::Script;

/// Commands that are part of bash and not of `sh`, and what does the same there.
const OF_BASH: [(&str, &str); 22] = [
    ("[[", "[ … ]"),
    ("source", ". ./FILE"),
    ("function", "NAME() { …; }"),
    ("let", ": $((…))"),
    ("declare", ""),
    ("typeset", ""),
    ("shopt", ""),
    ("mapfile", ""),
    ("readarray", ""),
    ("pushd", "cd"),
    ("popd", "cd"),
    ("dirs", ""),
    ("disown", ""),
    ("compgen", ""),
    ("complete", ""),
    ("coproc", ""),
    ("enable", ""),
    ("builtin", ""),
    ("caller", ""),
    ("time", ""),
    ("bind", ""),
    ("suspend", ""),
];

/// Programs that go by another name on some systems.
const OTHER_NAMES: [(&str, &str); 5] = [
    ("python", "python3"),
    ("pip", "pip3"),
    ("node", "nodejs"),
    ("fd", "fdfind"),
    ("bat", "batcat"),
];

/// The longest command that is looked into, in bytes: longer ones are data for the most part.
const LONGEST: usize = 64 * 1024;

/// How long a shell is tried for.
const TRIAL_TIMEOUT: Duration = Duration::from_secs(1);

/// A construct of bash's.
struct Construct {
    /// As it is written.
    what: String,
    /// What `sh` has instead; empty where that takes more than a word.
    instead: &'static str,
    /// The line of the command that the shell complained of, where it had to read the whole of a
    /// line before it could run any of it.
    line: Option<u64>,
}

impl Construct {
    fn new(what: impl Into<String>, instead: &'static str) -> Self {
        Self {
            what: what.into(),
            instead,
            line: None,
        }
    }
}

/// A sentence or two on why `command` failed in the system's `sh` and what to do, where that is
/// certain. It ended with `code`, and `tail` is the end of its output.
#[must_use]
pub fn advice(command: &str, tail: &[u8], code: i32) -> Option<String> {
    let tail = String::from_utf8_lossy(tail);
    let complaints = || tail.lines().filter_map(complaint);
    let suspect = ["&>", "{", "$'"].iter().any(|text| command.contains(text));
    let silent = complaints().next().is_none();
    if command.len() > LONGEST || (code == 0 && silent && !suspect) {
        return None;
    }
    let script = Script::read(command);
    let found = complaints().find_map(|(line, words)| {
        let mut construct = understood(&script, words)?;
        // What ends well is certain only where the shell names what it did not find.
        let names = words.starts_with("[: ") || words.starts_with("cannot open ");
        let certain = code != 0 || names || missing(words).is_some();
        construct.line = words.starts_with("Syntax error").then_some(line);
        certain.then_some(construct)
    });
    let trapped = || code != 0 && tail.lines().any(|line| line.ends_with(": bad trap"));
    found
        .or_else(|| trapped().then(|| construct_of_trap(&script)).flatten())
        .or_else(|| silently_other(&script, code))
        .map(|construct| sentence(&construct, command))
        .or_else(|| complaints().find_map(|(_, words)| by_another_name(&script, words)))
}

/// The number and the words of a complaint of the shell's: `sh: 1: words`.
fn complaint(line: &str) -> Option<(u64, &str)> {
    let (number, words) = line.strip_prefix("sh: ")?.split_once(": ")?;
    Some((number.parse().ok()?, words))
}

/// What the shell did not find. Where it may not look into a directory of `PATH`, it says so
/// instead.
fn missing(words: &str) -> Option<&str> {
    let found = words.strip_suffix(": not found");
    found.or_else(|| words.strip_suffix(": Permission denied"))
}

/// Which construct in `script` the shell complained of with `words`.
fn understood(script: &Script, words: &str) -> Option<Construct> {
    if let Some(word) = missing(words) {
        return not_found(script, word);
    }
    if let Some((command, option)) = words.split_once(": Illegal option ") {
        return option_of(script, command, option);
    }
    let first = |constructs: &[(&'static str, &'static str)]| {
        let found = constructs.iter().find(|(text, _)| script.has(text));
        found.map(|(text, instead)| Construct::new(*text, instead))
    };
    match words {
        r#"Syntax error: "(" unexpected"# => parenthesis(script),
        "Syntax error: redirection unexpected" => first(&[
            ("<<<", "printf '%s\\n' TEXT | COMMAND"),
            ("<(", "COMMAND | …"),
            (">(", "… | COMMAND"),
        ]),
        r#"Syntax error: "}" unexpected"# => script
            .calls("function")
            .then(|| Construct::new("function", "NAME() { …; }")),
        "Syntax error: Bad for loop variable" => first(&[("for ((", ""), ("for((", "")]),
        r#"Syntax error: "&" unexpected"# => first(&[("|&", "2>&1 |"), (";&", "")]),
        "Syntax error: Bad fd number" => first(&[(">&", ">FILE 2>&1")]),
        r#"Syntax error: "do" unexpected"# => {
            script.calls("select").then(|| Construct::new("select", ""))
        }
        "Bad substitution" => substitution(script),
        "[: -v: unexpected operator" => Some(Construct::new("[ -v … ]", "[ -n \"${NAME+x}\" ]")),
        _ if words.starts_with("cannot open ") => compared(script, words),
        _ if words.starts_with("printf: %q") => Some(Construct::new("printf %q", "")),
        _ if words.ends_with(": unexpected operator")
            && (words.starts_with("[: ") || words.starts_with("test: "))
            && script.has(" == ") =>
        {
            Some(Construct::new("== in [ ]", "="))
        }
        _ if words.starts_with("arithmetic expression: ") && script.has("$((") => {
            first(&[("**", ""), ("++", ""), ("--", "")])
        }
        _ => None,
    }
}

fn not_found(script: &Script, word: &str) -> Option<Construct> {
    if let Some((word, instead)) = OF_BASH.iter().find(|(name, _)| *name == word) {
        return script.calls(word).then(|| Construct::new(*word, instead));
    }
    let name = |text: &str| {
        let mut bytes = text.bytes();
        bytes
            .next()
            .is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_')
            && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    let (left, _) = word.split_once('=').unwrap_or((word, ""));
    if word.contains('=') && left.strip_suffix('+').is_some_and(name) && script.has("+=") {
        return Some(Construct::new("+=", ""));
    }
    let element = left.strip_suffix(']').and_then(|left| left.split_once('['));
    if word.contains('=') && element.is_some_and(|(array, _)| name(array)) && script.has("]=") {
        return Some(Construct::new("NAME[…]=", ""));
    }
    if opens_arithmetic(script, word) {
        return Some(Construct::new("(( ))", ": $((…)), or [ … ]"));
    }
    None
}

/// Whether `word`, which the shell did not find, stands where `((` opens a calculation.
fn opens_arithmetic(script: &Script, word: &str) -> bool {
    let number = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    script.opens("((").any(|inner| {
        let inner = inner.trim_ascii_start();
        inner.starts_with(word.as_bytes()) || (number && inner.starts_with(b"$"))
    })
}

/// `(( a < b ))`, in which `sh` reads a file to take input from.
fn compared(script: &Script, words: &str) -> Option<Construct> {
    let file = words.strip_prefix("cannot open ")?;
    let (file, _) = file.rsplit_once(": ")?;
    let compares = |inner: &[u8]| {
        let end = memchr::memmem::find(inner, b"))").unwrap_or(inner.len());
        let inner = String::from_utf8_lossy(&inner[..end]);
        let right = inner.split_once('<').map(|pair| pair.1);
        let target = right.and_then(|right| right.split_whitespace().next());
        target.is_some_and(|target| target == file || target.starts_with('$'))
    };
    script
        .opens("((")
        .any(compares)
        .then(|| Construct::new("(( ))", ": $((…)), or [ … ]"))
}

/// Options that commands of the shell's own have in bash and not in `sh`.
fn option_of(script: &Script, command: &str, option: &str) -> Option<Construct> {
    let options = match command {
        "set" if option == "-o pipefail" => {
            return Some(Construct::new("set -o pipefail", ""));
        }
        "kill" if option == "-S" && script.has("kill -SIG") => {
            return Some(Construct::new(
                "kill -SIGNAME",
                "kill -NAME, as in kill -TERM",
            ));
        }
        "set" => "ETPH",
        "read" => "adeinNpstu",
        "printf" => "v",
        "export" => "fn",
        "wait" => "fnp",
        "unset" => "n",
        "jobs" => "nrsx",
        "hash" => "dlpt",
        _ => return None,
    };
    let letter = option.strip_prefix('-')?;
    (letter.len() == 1 && options.contains(letter) && script.calls(command))
        .then(|| Construct::new(format!("{command} {option}"), ""))
}

/// What bash opens with a parenthesis.
fn parenthesis(script: &Script) -> Option<Construct> {
    if script.calls("function") {
        return Some(Construct::new("function", "NAME() { …; }"));
    }
    let is_name = |byte: Option<u8>| {
        byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || b"_]+".contains(&byte))
    };
    if script.places("=(").any(|at| is_name(script.before(at))) {
        return Some(Construct::new("NAME=(…)", ""));
    }
    for (text, what) in [("<(", "<( )"), (">(", ">( )")] {
        if script.has(text) {
            return Some(Construct::new(what, ""));
        }
    }
    let patterns = ["!(", "@(", "?(", "*(", "+("];
    let pattern = patterns.into_iter().find(|text| script.has(text))?;
    Some(Construct::new(format!("{pattern} )"), ""))
}

/// An expansion that `sh` does not have: `${x:0:2}`, `${x//a/b}`, `${a[0]}`, `${!x}`.
fn substitution(script: &Script) -> Option<Construct> {
    let found = script.expansions().find(|text| {
        let length = text.first() == Some(&b'#') && text.get(1) != Some(&b'}');
        let text = &text[usize::from(length)..];
        let in_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let name = text.iter().take_while(|byte| in_name(byte)).count();
        match &text[name..] {
            [b'!', ..] => name == 0,
            [b'[' | b'/' | b'^' | b',' | b'@', ..] => name > 0,
            [b':', next, ..] => name > 0 && !b"-=?+".contains(next),
            _ => false,
        }
    })?;
    let end = memchr::memchr(b'}', found).unwrap_or(found.len()).min(30);
    let text = String::from_utf8_lossy(&found[..end]);
    let text = text.replace('\u{1}', "…");
    Some(Construct::new(format!("${{{text}}}"), ""))
}

fn construct_of_trap(script: &Script) -> Option<Construct> {
    let named = ["ERR", "DEBUG", "RETURN"];
    let name = named.into_iter().find(|name| script.has(name))?;
    script
        .calls("trap")
        .then(|| Construct::new(format!("trap … {name}"), ""))
}

/// What the shell does not complain of and takes for something else: whether it does is tried.
fn silently_other(script: &Script, code: i32) -> Option<Construct> {
    let word = script.braces().find_map(|word| {
        let word = std::str::from_utf8(word).ok()?;
        // Some programs take words with commas in braces apart themselves. Where all went well,
        // only those count that make what they are told to.
        let makes = || script.calls("mkdir") || script.calls("touch");
        (code != 0 || word.contains("..") || makes()).then(|| word.to_owned())
    });
    if let Some(word) = word
        && fails("[ \"$(echo {1..2})\" = '1 2' ]")
    {
        return Some(Construct::new(word, ""));
    }
    let has = |text: &str| script.places(text).next().is_some();
    let quoted = script.has_quoted_dollar();
    if quoted && fails("[ $'x' = x ]") {
        return Some(Construct::new("$'…'", "\"$(printf '…')\""));
    }
    if has("&>") && fails("x=$({ echo y; } &>/dev/null; wait); [ -z \"$x\" ]") {
        return Some(Construct::new("&>", ">FILE 2>&1"));
    }
    None
}

/// Whether the system's shell, asked with `question`, says no.
fn fails(question: &str) -> bool {
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", question]);
    run_program(&shell, TRIAL_TIMEOUT, 1024).is_ok_and(|done| done.code != 0)
}

/// The name that a program has here which was not found by the one in `words`.
fn by_another_name(script: &Script, words: &str) -> Option<String> {
    let missing = missing(words)?;
    let (missing, other) = OTHER_NAMES.iter().find(|(name, _)| *name == missing)?;
    found_by_path(OsStr::new(other))?;
    script
        .calls(missing)
        .then(|| format!("There is no `{missing}` here, but there is `{other}`."))
}

fn sentence(construct: &Construct, command: &str) -> String {
    let Construct {
        what,
        instead,
        line,
    } = construct;
    let bash = if found_by_path(OsStr::new("bash")).is_some() {
        let quotes = if command.contains('\'') {
            ", with each ' in it written '\\''"
        } else {
            ""
        };
        format!(
            "run it as bash -c '…'{quotes} (or have IKIGAI_SHELL=bash set for this tool), or write \
             it for sh"
        )
    } else {
        String::from("there is no bash here either: write it for sh")
    };
    let instead = match *instead {
        "" => String::new(),
        instead => format!(": {instead}"),
    };
    let before = match line {
        Some(line) if *line > 1 => " The lines before the one complained of have been run.",
        _ => "",
    };
    format!("The shell here is sh, and `{what}` is bash's; {bash}{instead}.{before}")
}
