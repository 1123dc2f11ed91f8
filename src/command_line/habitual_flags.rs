//! Flags that people type from habit, as they are read (`habits` lists them): options here, or they
//! give advice with the line to type.

use std::ffi::OsString;

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command};
use serde_json::{Map, Value};

use crate::command_line::fields::PLACES;
use crate::command_line::habits::{HABITS, HabitualFlag, OF_ALL, RECURSIVE};
use crate::command_line::typed_values::{files_of_kind, flags_of_lines, has_upper_case, plain};
use iki_base::wording::quoted;
use iki_tools::contract::schema::SchemaField;
use iki_tools::contract::search_style::SearchStyle;
use iki_tools::contract::tool::Tool;

/// The words with which other programs' flags for colours say when to colour.
const COLOUR_WORDS: [(&str, Option<bool>); 5] = [
    ("always", Some(true)),
    ("ansi", Some(true)),
    ("never", Some(false)),
    ("auto", None),
    ("if-tty", None),
];

/// The flags of find(1) that are taken, which have one dash and several letters.
const FIND_FLAGS: &str = "-name -maxdepth -mindepth -print";

/// The habits of `tool`, and other agents' names for its fields that look like flags.
fn habits_of(tool: &Tool) -> impl Iterator<Item = (&'static str, HabitualFlag)> {
    let name = tool.command();
    let tables = HABITS
        .iter()
        .filter(move |(tools, _)| tools.split(' ').any(|one| one == name));
    let tables = tables.map(|(_, habits)| *habits).chain([OF_ALL]);
    let aliases = tool
        .aliases
        .iter()
        .filter(|(flag, _)| flag.starts_with('-'));
    let aliases = aliases.map(|&(flag, field)| (flag, HabitualFlag::Field(field)));
    tables.flatten().copied().chain(aliases)
}

/// The habits that are flags of their own.
pub(super) fn flags_of_their_own(
    tool: &Tool,
) -> impl Iterator<Item = (&'static str, HabitualFlag)> {
    let has_own_flag = |habit: &HabitualFlag| {
        !matches!(
            habit,
            HabitualFlag::Field(_) | HabitualFlag::Several(..) | HabitualFlag::Stdin(_)
        )
    };
    habits_of(tool).filter(move |(_, habit)| has_own_flag(habit))
}

/// The flags that no field has.
pub fn flags(tool: &Tool) -> impl Iterator<Item = Arg> {
    flags_of_their_own(tool).map(|(flags, habit)| {
        let arg = Arg::new(flags).hide(true);
        also_written(
            match habit {
                HabitualFlag::ServedNumber(_) => arg.action(ArgAction::Append),
                HabitualFlag::UsualValue
                | HabitualFlag::Behind(..)
                | HabitualFlag::StyleValue(_)
                | HabitualFlag::FileType(_)
                | HabitualFlag::LackingValue(..) => {
                    arg.action(ArgAction::Append).allow_hyphen_values(true)
                }
                HabitualFlag::Colour => arg
                    .action(ArgAction::Append)
                    .num_args(0..=1)
                    .require_equals(true)
                    .default_missing_value("auto")
                    .value_parser(COLOUR_WORDS.map(|(word, _)| word)),
                _ => arg.action(ArgAction::Count),
            },
            flags,
        )
    })
}

/// The option of `field`, written as habit has it as well.
pub fn option(tool: &Tool, field: &SchemaField, option: Arg) -> Arg {
    habits_of(tool).fold(option, |option, (flags, habit)| match habit {
        HabitualFlag::Field(name) if name == field.name => also_written(option, flags),
        HabitualFlag::Several(name, _) if name == field.name => {
            also_written(option, flags).action(ArgAction::Append)
        }
        _ => option,
    })
}

/// The words of a command line with those forms of other programs that a parser of options cannot
/// know: `-5` for a number of lines, `--color always`, find's `-name`.
pub fn as_options(tool: &Tool, command: &Command, args: &[OsString]) -> Vec<OsString> {
    let (mut words, mut takes_next) = (Vec::<OsString>::new(), false);
    let arguments = args.len();
    let mut args = args.iter().peekable();
    while let Some(arg) = args.next() {
        let Some(word) = arg
            .to_str()
            .filter(|word| !takes_next && word.starts_with('-'))
        else {
            takes_next = false;
            words.push(arg.clone());
            continue;
        };
        if word == "--" {
            words.push(arg.clone());
            words.extend(args.cloned());
            break;
        }
        let next = args
            .peek()
            .and_then(|next| next.to_str())
            .unwrap_or_default();
        let number = |word: &str| word.parse::<u32>().is_ok();
        let name = tool.command();
        let new = match (name, word) {
            (_, "--color" | "--colour") if COLOUR_WORDS.iter().any(|(when, _)| *when == next) => {
                format!(
                    "{word}={}",
                    args.next()
                        .and_then(|next| next.to_str())
                        .unwrap_or_default()
                )
            }
            ("grep", _) if number(&word[1..]) => format!("--context={}", &word[1..]),
            ("grep", "-d") if ["skip", "read", "recurse"].contains(&next) => {
                "--directories".to_owned()
            }
            // Alone it asks for help.
            ("grep", _) if arguments > 1 && has_letter(command, word, 'h') => {
                let others = word.replacen('h', "", 1);
                let others = if others == "-" { "" } else { &*others };
                format!("--no-filename {others}").trim_end().to_owned()
            }
            ("file-read", _) if number(&word[1..]) => format!("--limit={}", &word[1..]),
            ("file-read", "-n") if number(next) => {
                args.next();
                format!("--limit={next}")
            }
            ("file-read", "-n") if flags_of_lines(next).is_some() => {
                args.next();
                flags_of_lines(next).unwrap_or_default()
            }
            ("glob", "-iname") => "--ignore-case --name".to_owned(),
            ("glob", _) if FIND_FLAGS.split(' ').any(|flag| flag == word) => format!("-{word}"),
            _ => word.to_owned(),
        };
        if new == word {
            words.push(arg.clone());
        } else {
            words.extend(new.split(' ').map(OsString::from));
        }
        takes_next = takes_value(command, new.rsplit(' ').next().unwrap_or_default());
    }
    words
}

/// True if `letter` is one of the flags in `word`, and no part of the value of one before it.
fn has_letter(command: &Command, word: &str, letter: char) -> bool {
    let flags = word
        .strip_prefix('-')
        .filter(|flags| !flags.starts_with('-'));
    let before = flags
        .and_then(|flags| flags.split_once(letter))
        .map(|(before, _)| before);
    before.is_some_and(|before| {
        let mut flags = before.chars();
        flags.all(|flag| flag.is_ascii_alphabetic() && !takes_value(command, &format!("-{flag}")))
    })
}

/// True if the flag that `word` ends with takes the next word as its value.
pub fn takes_value(command: &Command, word: &str) -> bool {
    if !word.starts_with('-') {
        return false;
    }
    let long = word.strip_prefix("--");
    let short = word.chars().last();
    command.get_arguments().any(|arg| {
        let is_meant = match long {
            Some(long) => {
                arg.get_long() == Some(long)
                    || arg.get_all_aliases().is_some_and(|all| all.contains(&long))
            }
            None => {
                arg.get_short() == short
                    || arg
                        .get_all_short_aliases()
                        .is_some_and(|all| short.is_some_and(|short| all.contains(&short)))
            }
        };
        is_meant
            && matches!(arg.get_action(), ArgAction::Set | ArgAction::Append)
            && !arg.is_require_equals_set()
    })
}

/// The value of the field for which `values` were typed.
///
/// # Errors
/// A value that means something else among others.
pub fn joined(
    tool: &Tool,
    matches: &ArgMatches,
    field: &SchemaField,
    values: &[&str],
) -> Result<String, String> {
    let values: Vec<String> = values
        .iter()
        .map(|value| as_pattern(tool, matches, field, value))
        .collect();
    let mut forms = habits_of(tool).filter_map(|(_, habit)| match habit {
        HabitualFlag::Several(name, form) if name == field.name => Some(form),
        _ => None,
    });
    let (Some([before, between, behind]), [_, _, ..]) = (forms.next(), &values[..]) else {
        return Ok(values.concat());
    };
    // Their groups would be counted from the first pattern on; and an exclusion is not a file.
    let refers = |pair: &[u8]| pair[0] == b'\\' && pair[1].is_ascii_digit();
    let lonely =
        |value: &&String| value.starts_with('!') || value.as_bytes().windows(2).any(refers);
    match values.iter().find(lonely) {
        Some(value) => Err(format!(
            "{} cannot be one of several values of --{}: give it in a call of its own",
            quoted(value),
            field.flag()
        )),
        None => Ok(format!("{before}{}{behind}", values.join(between))),
    }
}

/// `value` of the field as a pattern: plain text is escaped, if a flag says that it is plain.
pub fn as_pattern(tool: &Tool, matches: &ArgMatches, field: &SchemaField, value: &str) -> String {
    let is_plain = field.name == "pattern"
        && flags_of_their_own(tool)
            .any(|(flags, habit)| matches!(habit, HabitualFlag::Plain) && is_given(matches, flags));
    if is_plain {
        plain(value)
    } else {
        value.to_owned()
    }
}

/// True if `-` in the place of the field stands for stdin.
pub fn takes_stdin(tool: &Tool, field: &SchemaField) -> bool {
    let mut habits = habits_of(tool);
    habits.any(|(_, habit)| matches!(habit, HabitualFlag::Stdin(name) if name == field.name))
}

/// The flags that stand for a value of the field, as help adds them to its row.
pub fn of_values(tool: &Tool, field: &SchemaField) -> String {
    habits_of(tool).fold(String::new(), |row, (flags, habit)| match habit {
        HabitualFlag::Value(name, value) if name == field.name && value != "true" => {
            let flag = flags.split(' ').next().unwrap_or(flags);
            format!("{row}; {flag} is --{} {value}", field.flag())
        }
        _ => row,
    })
}

/// The flags that no field has and that do something, as help lists them.
pub fn further(tool: &Tool) -> String {
    let does_something = |habit: &HabitualFlag| {
        matches!(
            habit,
            HabitualFlag::Style(_)
                | HabitualFlag::StyleValue(_)
                | HabitualFlag::Pattern(_)
                | HabitualFlag::Plain
                | HabitualFlag::SmartCase
                | HabitualFlag::FileType(_)
                | HabitualFlag::Behind(..)
        )
    };
    let further = flags_of_their_own(tool).filter(|(_, habit)| does_something(habit));
    let flags: Vec<String> = further.map(|(flags, _)| flags.replace(' ', "/")).collect();
    flags.join(" ")
}

/// The letter of the field's flag, if it has one.
pub fn short(tool: &Tool, field: &SchemaField) -> Option<char> {
    option(tool, field, Arg::new(PLACES)).get_short()
}

/// `arg` with `flags` as further spellings, the first of one letter being shown.
fn also_written(arg: Arg, flags: &'static str) -> Arg {
    flags.split(' ').fold(arg, |arg, flag| {
        match (flag.strip_prefix("--"), arg.get_short()) {
            (Some(long), _) if arg.get_long().is_none() => arg.long(long),
            (Some(long), _) => arg.alias(long),
            (None, None) => arg.short(flag.chars().nth(1)),
            (None, Some(_)) => arg.short_alias(flag.chars().nth(1)),
        }
    })
}

/// True if one of the flags was typed.
pub fn are_given(tool: &Tool, matches: &ArgMatches) -> bool {
    flags_of_their_own(tool).any(|(flags, _)| is_given(matches, flags))
}

/// True if a flag was typed that only a server's calls have; such a call needs nothing else.
pub fn ask_a_server(tool: &Tool, matches: &ArgMatches) -> bool {
    flags_of_their_own(tool).any(|(flags, habit)| {
        let is_served = matches!(
            habit,
            HabitualFlag::Served(_) | HabitualFlag::ServedNumber(_)
        );
        is_served && is_given(matches, flags)
    })
}

/// True if a flag says that directories are searched, whatever stdin holds.
pub fn say_where(tool: &Tool, matches: &ArgMatches) -> bool {
    flags_of_their_own(tool).any(|(flags, habit)| {
        let says = flags == RECURSIVE || matches!(habit, HabitualFlag::FileType(_));
        says && is_given(matches, flags)
    })
}

pub(super) fn is_given(matches: &ArgMatches, flags: &str) -> bool {
    matches.value_source(flags) == Some(ValueSource::CommandLine)
}

/// When to colour, as a flag says.
pub fn colour(matches: &ArgMatches) -> Option<bool> {
    let (flags, _) = OF_ALL.first()?;
    let word = matches.get_many::<String>(flags)?.next_back()?;
    COLOUR_WORDS.iter().find(|(one, _)| one == word)?.1
}

/// Adds to `request` and `style` what the flags mean.
///
/// # Errors
/// A value that the flag does not take.
pub fn apply(
    tool: &Tool,
    matches: &ArgMatches,
    request: &mut Map<String, Value>,
    style: &mut SearchStyle,
) -> Result<(), String> {
    for (flags, habit) in flags_of_their_own(tool).filter(|(flags, _)| is_given(matches, flags)) {
        let values = || matches.get_many::<String>(flags).into_iter().flatten();
        match habit {
            HabitualFlag::Value(field, value) => {
                request.entry(field).or_insert_with(|| value.into());
            }
            HabitualFlag::Behind(field, before) => {
                let all = values().map(|value| value.trim_start_matches('.'));
                let value = match &all.collect::<Vec<_>>()[..] {
                    [.., last] if field != "pattern" => (*last).to_owned(),
                    [only] => (*only).to_owned(),
                    several => format!("{{{}}}", several.join(",")),
                };
                request.insert(field.to_owned(), format!("{before}{value}").into());
            }
            // The tool says what to do instead.
            HabitualFlag::Served(field) => {
                request.insert(field.to_owned(), true.into());
            }
            HabitualFlag::ServedNumber(field) => {
                request.insert(field.to_owned(), 1.into());
            }
            HabitualFlag::Style(change) => change(style),
            HabitualFlag::StyleValue(change) => {
                for value in values() {
                    if !change(style, value) {
                        let flag = flags.split(' ').next_back().unwrap_or(flags);
                        return Err(format!("{} is no value of {flag} here", quoted(value)));
                    }
                }
            }
            HabitualFlag::FileType(field) => {
                let mut kinds = Vec::new();
                for value in values() {
                    kinds.push(files_of_kind(value).ok_or_else(|| {
                        format!(
                            "no kind of files is called {}: -g {}",
                            quoted(value),
                            quoted(&format!("!*.{value}"))
                        )
                    })?);
                }
                let globs = match &kinds[..] {
                    [only] => only.clone(),
                    kinds => format!("{{{}}}", kinds.join(",")),
                };
                if request.insert(field.to_owned(), globs.into()).is_some() {
                    return Err(format!(
                        "--{field} and a kind of files are given in two calls"
                    ));
                }
            }
            HabitualFlag::Pattern(rewritten) => {
                if let Some(Value::String(pattern)) = request.get_mut("pattern") {
                    *pattern = rewritten(pattern);
                }
            }
            HabitualFlag::SmartCase => {
                let pattern = request.get("pattern").and_then(Value::as_str);
                if pattern.is_some_and(|pattern| !has_upper_case(pattern)) {
                    request.insert("ignore_case".to_owned(), true.into());
                }
            }
            HabitualFlag::Usual
            | HabitualFlag::UsualValue
            | HabitualFlag::Colour
            | HabitualFlag::Plain
            | HabitualFlag::Field(_)
            | HabitualFlag::Several(..)
            | HabitualFlag::Lacking(..)
            | HabitualFlag::LackingValue(..)
            | HabitualFlag::Stdin(_) => {}
        }
    }
    Ok(())
}

/// True if a flag that is given has the field's value, so that no word has it.
pub fn gives(tool: &Tool, matches: &ArgMatches, field: &SchemaField) -> bool {
    flags_of_their_own(tool).any(|(flags, habit)| {
        matches!(habit, HabitualFlag::Behind(name, _) if name == field.name)
            && is_given(matches, flags)
    })
}
