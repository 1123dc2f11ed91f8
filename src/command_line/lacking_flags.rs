//! Advice on flags that people type from habit and that this program lacks, with the line to type
//! instead.

use clap::ArgMatches;

use crate::command_line::habits::HabitualFlag;
use crate::command_line::habitual_flags::{flags_of_their_own, is_given};
use iki_base::wording::quoted;
use iki_tools::contract::tool::Tool;

/// Advice on a flag that this program lacks, if one of `words`, those that the person has typed, is
/// one.
pub fn advise(tool: &Tool, matches: &ArgMatches, words: &[String]) -> Option<String> {
    let given = flags_of_their_own(tool).find_map(|(flags, habit)| match habit {
        HabitualFlag::Lacking(program, why) | HabitualFlag::LackingValue(program, why) => {
            is_given(matches, flags).then_some((flags, program, why))
        }
        _ => None,
    });
    let (flags, program, why) = given?;
    let is_typed = |flag: &&str| {
        let is_cluster = |word: &String| {
            !word.starts_with("--") && word.starts_with('-') && word.contains(&flag[1..])
        };
        let is_word = |word: &String| word.split('=').next() == Some(*flag);
        words.iter().any(is_word) || (flag.len() == 2 && words.iter().any(is_cluster))
    };
    let flag = flags
        .split(' ')
        .find(is_typed)
        .or(flags.split(' ').next())?;
    let typed = |field: &str| {
        let mut values = matches.get_many::<String>(field).into_iter().flatten();
        values.next().cloned()
    };
    let in_place = |field: &str| {
        let word = matches.try_get_one::<String>(&format!("{field} without its name"));
        word.ok().flatten().cloned()
    };
    let value = matches.try_get_many::<String>(flags).ok().flatten();
    let value = value
        .and_then(|mut values| values.next())
        .map_or("", String::as_str);
    let kind = value.get(..1).filter(|kind| "fdl".contains(kind));
    let why = why.replace("{kind}", kind.unwrap_or("f"));
    let mut why = why.replace("{value}", &quoted(value));
    for (name, field, otherwise) in [
        ("{pattern}", "pattern", ""),
        ("{glob}", "glob", "'*'"),
        ("{file}", "file_path", "FILE"),
        ("{place}", "path", "."),
    ] {
        if why.contains(name) {
            let mut value = typed(field).or_else(|| in_place(field));
            if name == "{place}" {
                // find's place comes first, where the pattern stands here.
                let first = || typed("pattern").and_then(|_| in_place("pattern"));
                value = value.or_else(first);
                // The line's own quotes are single ones.
                value = value.map(|place| {
                    if quoted(&place) == place {
                        place
                    } else {
                        format!("\"{place}\"")
                    }
                });
                why = why.replace(name, value.as_deref().unwrap_or(otherwise));
                continue;
            }
            // As fd has it, whose pattern is an expression.
            if tool.name == "glob" && value.as_deref().is_none_or(|pattern| pattern == ".") {
                value = Some("*".to_owned());
            }
            let is_quoted = why.contains(&format!("'{name}")) || why.contains(&format!("\"{name}"));
            let value = value.map(|value| if is_quoted { value } else { quoted(&value) });
            why = why.replace(name, value.as_deref().unwrap_or(otherwise));
        }
    }
    let name = tool.command();
    let mut advice = format!("{name} has no {flag}: {}", why.trim_end());
    if !program.is_empty() {
        let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
        let whose = if program == name {
            "The system's own has".to_owned()
        } else {
            format!("{program} has")
        };
        advice = format!("{advice}. {whose}: {program} {}", words.join(" "));
    }
    Some(advice)
}
