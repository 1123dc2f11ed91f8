//! Flags that people type out of habit, because the program of the same name has them: they are
//! options here, or give advice ([`Tool::habits`]).

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches};
use serde_json::{Map, Value};

use crate::command_line::fields::PLACES;
use iki_base::wording::quoted;
use iki_tools::contract::schema::SchemaField;
use iki_tools::contract::tool::{HabitualFlag, Tool};

/// The habits that are flags of their own.
fn flags_of_their_own(tool: &Tool) -> impl Iterator<Item = (&'static str, HabitualFlag)> {
    let own = |habit: &HabitualFlag| {
        !matches!(
            habit,
            HabitualFlag::Field(_) | HabitualFlag::Several(..) | HabitualFlag::Stdin(_)
        )
    };
    tool.all_habits().filter(move |(_, habit)| own(habit))
}

/// The flags that no field has.
pub fn flags(tool: &Tool) -> impl Iterator<Item = Arg> {
    flags_of_their_own(tool).map(|(flags, habit)| {
        let action = match habit {
            HabitualFlag::ServedNumber(_) => ArgAction::Append,
            _ => ArgAction::Count,
        };
        also_written(Arg::new(flags).action(action).hide(true), flags)
    })
}

/// The option of `field`, written as habit has it as well.
pub fn option(tool: &Tool, field: &SchemaField, option: Arg) -> Arg {
    tool.all_habits()
        .fold(option, |option, (flags, habit)| match habit {
            HabitualFlag::Field(name) if name == field.name => also_written(option, flags),
            HabitualFlag::Several(name, _) if name == field.name => {
                also_written(option, flags).action(ArgAction::Append)
            }
            _ => option,
        })
}

/// The value of the field for which `values` were typed.
///
/// # Errors
/// A value that means something else among others.
pub fn joined(tool: &Tool, field: &SchemaField, values: &[&str]) -> Result<String, String> {
    let mut forms = tool.all_habits().filter_map(|(_, habit)| match habit {
        HabitualFlag::Several(name, form) if name == field.name => Some(form),
        _ => None,
    });
    let (Some([before, between, behind]), [_, _, ..]) = (forms.next(), values) else {
        return Ok(values.concat());
    };
    // Their groups would be counted from the first pattern on; and an exclusion is not a file.
    let refers = |pair: &[u8]| pair[0] == b'\\' && pair[1].is_ascii_digit();
    let lonely = |value: &&&str| value.starts_with('!') || value.as_bytes().windows(2).any(refers);
    match values.iter().find(lonely) {
        Some(value) => Err(format!(
            "{} cannot be one of several values of --{}: give it in a call of its own",
            quoted(value),
            field.flag()
        )),
        None => Ok(format!("{before}{}{behind}", values.join(between))),
    }
}

/// True if `-` in the place of the field stands for stdin.
pub fn takes_stdin(tool: &Tool, field: &SchemaField) -> bool {
    let mut habits = tool.all_habits();
    habits.any(|(_, habit)| matches!(habit, HabitualFlag::Stdin(name) if name == field.name))
}

/// The flags that stand for a value of the field, as help adds them to its row.
pub fn of_values(tool: &Tool, field: &SchemaField) -> String {
    tool.all_habits()
        .fold(String::new(), |row, (flags, habit)| match habit {
            HabitualFlag::Value(name, value) if name == field.name => {
                let flag = flags.split(' ').next().unwrap_or(flags);
                format!("{row}; {flag} is --{} {value}", field.flag())
            }
            _ => row,
        })
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
    flags_of_their_own(tool)
        .any(|(flags, habit)| habit.served_field().is_some() && is_given(matches, flags))
}

fn is_given(matches: &ArgMatches, flags: &str) -> bool {
    matches.value_source(flags) == Some(ValueSource::CommandLine)
}

/// Adds to `request` what the flags mean.
///
/// # Errors
/// Advice on a flag that this program lacks; `words` are the words that the person has typed.
pub fn apply(
    tool: &Tool,
    matches: &ArgMatches,
    words: &[String],
    request: &mut Map<String, Value>,
) -> Result<(), String> {
    for (flags, habit) in flags_of_their_own(tool).filter(|(flags, _)| is_given(matches, flags)) {
        let flag = flags.split(' ').next().unwrap_or(flags);
        let name = tool.command();
        match habit {
            HabitualFlag::Value(field, value) => {
                request.entry(field).or_insert_with(|| value.into());
            }
            // The tool says what to do instead.
            HabitualFlag::Served(field) => {
                request.insert(field.to_owned(), true.into());
            }
            HabitualFlag::ServedNumber(field) => {
                request.insert(field.to_owned(), 1.into());
            }
            HabitualFlag::Lacking(why) => {
                let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
                return Err(format!(
                    "{name} has no {flag}: {why}. The system's own has: {name} {}",
                    words.join(" ")
                ));
            }
            HabitualFlag::Usual
            | HabitualFlag::Field(_)
            | HabitualFlag::Several(..)
            | HabitualFlag::Stdin(_) => {}
        }
    }
    Ok(())
}
