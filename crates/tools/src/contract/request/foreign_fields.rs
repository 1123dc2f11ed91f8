//! Fields of other agents' tools, by one table for all of ours (`field_rules`): those that a tool
//! has under another name, those that say how, where or whether something is done, and those that
//! only describe.
//!
//! Rules: the decisions on what was asked for, or refused. A name counts in any case, with
//! underscores and hyphens or without. A value that asks for just what is done costs nothing.

use std::borrow::Cow;
use std::path::Path;

use super::{FieldValue, Request, field_aliases, quote_value};
use crate::contract::call_terms::{Audience, CallTerms};
use crate::contract::failure::{ErrorCode, Failure};
use crate::contract::schema::Schema;
use crate::contract::tool::Tool;
use crate::secrets;
use iki_process::sandbox::confinement;
use iki_process::shell::CommandShell;

mod field_rules;

use field_rules::{DESCRIPTIONS, EXCLUSIVE, FieldRule, NEGATIONS, ONLY_NEW, OTHER_NAMES, RULES};
pub(super) use field_rules::{LAST_LINE, LINE_RANGE, OPPOSITES};

/// The meaning of a field that the tool does not have.
pub(super) enum ForeignField {
    /// Nothing, or what is done in any case.
    Idle,
    /// The tool's field of this meaning.
    Read(&'static str),
    /// Something that the tool does not do.
    Refused(Failure),
    /// Another name of this field of the tool, which is given as well.
    Beside(String),
    /// Not known.
    Unknown,
}

/// The meaning of the field `name` for `tool`, in a request that is one for the file `file_path`.
pub(super) fn meaning(
    tool: &Tool,
    (name, value): (&str, &FieldValue<'_>),
    request: &Request<'_>,
    (file_path, terms): (Option<&str>, &CallTerms),
) -> ForeignField {
    if DESCRIPTIONS.split_whitespace().any(|one| one == name) {
        return ForeignField::Idle;
    }
    let rule = find_rule(tool, name, value);
    let first = rule.and_then(|rule| rule.names.split_whitespace().next());
    let first = first.map(|first| first.trim_start_matches('*'));
    if let (Some(rule), Some(first)) = (rule, first)
        && rule.instead.is_empty()
        && rule.done == ["*"]
    {
        // The word means the number of all that there are.
        let is_all = value.as_text().trim().eq_ignore_ascii_case("all");
        if first == "expected_replacements" && is_all {
            return match request.flag("replace_all") {
                Ok(true) => ForeignField::Idle,
                _ => ForeignField::Refused(refusal(tool, name, "replace_all does")),
            };
        }
        return ForeignField::Read(first);
    }
    // A line before the first is a place to insert.
    let is_zero = matches!(value, FieldValue::Integer(0)) && first != Some("insert_line");
    let text = value.as_text();
    // A line end is itself.
    let text = text.trim_matches([' ', '\t']);
    let flag = flag_of_word(text);
    let asks_otherwise =
        flag == Some(false) && rule.is_some_and(|rule| rule.done.contains(&"true"));
    if (value.says_nothing() || is_zero) && !asks_otherwise {
        return ForeignField::Idle;
    }
    let Some((rule, first)) = rule.zip(first) else {
        return ForeignField::Unknown;
    };
    if rule.done.iter().any(|one| one.eq_ignore_ascii_case(text))
        || flag == Some(true) && rule.done.contains(&"true")
        || asks_for_what_is_done((first, text), request, file_path, terms)
    {
        return ForeignField::Idle;
    }
    // If the file is there is asked within the confinement.
    if rule.names == ONLY_NEW
        || tool.name == "file_write" && first == "mode" && EXCLUSIVE.contains(&text)
    {
        return ForeignField::Read("only if new");
    }
    if rule.instead.is_empty() {
        return ForeignField::Unknown;
    }
    let can_be_sent = |by: &str| by.is_empty() || terms.serves(by);
    let advice = rule.instead.iter().filter(|(by, _)| can_be_sent(by));
    let advice: Vec<&str> = advice.map(|(_, words)| *words).collect();
    ForeignField::Refused(refusal(tool, name, &advice.join("; ")))
}

/// The rule on a field: by its name, by a word in that or, where it has none of its own, by the
/// word that is its value.
fn find_rule(tool: &Tool, name: &str, value: &FieldValue<'_>) -> Option<&'static FieldRule> {
    let find = |is_meant: &dyn Fn(&str) -> bool| {
        let mut rules = RULES.iter().filter(|rule| rule.tools.contains(&tool.name));
        rules.find(|rule| rule.names.split_whitespace().any(is_meant))
    };
    let by_word = |text: &str| {
        let words = words_of_name(text);
        let is_word = |one: &str| words.iter().any(|word| word == one);
        let is_negated = NEGATIONS.into_iter().any(is_word);
        find(&|one| !is_negated && one.strip_prefix('*').is_some_and(is_word))
    };
    let by_value = || match value {
        FieldValue::Text(text) => by_word(text.trim()),
        _ => None,
    };
    find(&|one| is_same(one, name))
        .or_else(|| by_word(name))
        .or_else(by_value)
}

/// The words of which a name is made, in small letters; none for a text that is no name.
fn words_of_name(name: &str) -> Vec<String> {
    let is_part = |one: char| one.is_ascii_alphanumeric() || "_-".contains(one);
    let (mut words, mut before) = (vec![String::new()], ' ');
    for one in name.chars() {
        if !is_part(one) {
            return Vec::new();
        }
        if "_-".contains(one) || one.is_ascii_uppercase() && before.is_ascii_lowercase() {
            words.push(String::new());
        }
        if one.is_ascii_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.push(one.to_ascii_lowercase());
        }
        before = one;
    }
    words
}

/// The refusal of the field `name`, with advice on what does it.
pub(super) fn refusal(tool: &Tool, name: &str, advice: &str) -> Failure {
    let name = quote_value(name);
    let done = if tool.name == "bash" {
        "run"
    } else {
        "written"
    };
    let colon = if advice.is_empty() { "" } else { ": " };
    Failure::new(
        ErrorCode::InvalidArg,
        format!(
            "{} cannot do {name}, so nothing was {done}{colon}{advice}",
            tool.name
        ),
    )
}

/// The tool's own field that has this other name.
pub(super) fn own_name<'s>(schema: &'s Schema, name: &str) -> Option<&'s str> {
    let mut fields = schema.fields.iter().map(|field| &*field.name);
    if let Some(field) = fields.find(|field| is_same(field, name)) {
        return Some(field);
    }
    let has = |one: &str| schema.fields.iter().any(|field| field.name == one);
    let others = |others: &str| others.split_whitespace().any(|one| is_same(one, name));
    let mut rows = OTHER_NAMES.iter().filter(|(row_field, _)| has(row_field));
    let row = rows.find(|(_, names)| others(names));
    row.map(|(row_field, _)| *row_field)
}

/// True if the value of such a field asks for what is done in this call.
fn asks_for_what_is_done(
    (field, value): (&str, &str),
    request: &Request<'_>,
    file_path: Option<&str>,
    terms: &CallTerms,
) -> bool {
    match field {
        "line_ending" => {
            let content = request.text("content").ok().flatten();
            let is_lf = ["lf", "\\n", "\n", "unix"].contains(&&*value.to_ascii_lowercase());
            is_lf && content.is_some_and(|content| !content.contains('\r'))
        }
        "encoding" => {
            let texts = ["content", "old_string", "new_string"];
            let is_ascii = |name: &&str| {
                request
                    .text(name)
                    .is_ok_and(|text| text.is_none_or(str::is_ascii))
            };
            let is_named = ["ascii", "us-ascii"].contains(&&*value.to_ascii_lowercase());
            is_named && !request.has("edits") && texts.iter().all(is_ascii)
        }
        "occurrence" => {
            let words: &[&str] = match request.flag("replace_all") {
                Ok(true) => &["all"],
                _ => &["1", "-1", "first", "last", "true"],
            };
            words.contains(&value)
        }
        "new_path" => file_path == Some(value),
        "cwd" => {
            let here = std::env::current_dir().unwrap_or_default();
            let is_here = || here.join(value).canonicalize().ok() == here.canonicalize().ok();
            file_path.is_some_and(|path| path.starts_with('/')) || is_here()
        }
        "sandbox" => confinement::current().is_some(),
        "shell" => is_shell_in_use(value, terms),
        _ => false,
    }
}

/// True if `shell` names the one in which commands run.
pub(super) fn is_shell_in_use(shell: &str, terms: &CallTerms) -> bool {
    let is_ours = terms.reader != Audience::Host;
    let in_use = CommandShell::from_env(is_ours, secrets::withheld());
    let name = Path::new(shell).file_name();
    name.is_some_and(|name| name == "sh" || name == in_use.name())
}

/// The flag for which this word stands.
pub(super) fn flag_of_word(text: &str) -> Option<bool> {
    let is_one_of = |words: [&str; 4]| {
        let mut words = words.iter();
        words.any(|word| word.eq_ignore_ascii_case(text.trim()))
    };
    let is_set = is_one_of(["true", "yes", "on", "always"]);
    (is_set || is_one_of(["false", "no", "off", "never"])).then_some(is_set)
}

/// True if both are the same name, but for case, underscores and hyphens.
pub(super) fn is_same(one: &str, other: &str) -> bool {
    // Flags of one letter are themselves: `-r` and `-R` are not `r`.
    if one.len() < 3 || other.len() < 3 {
        return one == other;
    }
    let letters = |name: &str| -> Vec<u8> {
        let bytes = name.bytes().filter(|byte| !b"_-".contains(byte));
        bytes.map(|byte| byte.to_ascii_lowercase()).collect()
    };
    letters(one) == letters(other)
}

impl FieldValue<'_> {
    /// True if it asks for nothing: null, false, an empty value, a word for nothing.
    fn says_nothing(&self) -> bool {
        match self {
            Self::Bool(is_set) => !is_set,
            Self::Text(text) => {
                let text = text.trim_matches([' ', '\t']);
                let is_all = text.eq_ignore_ascii_case("all");
                flag_of_word(text) == Some(false)
                    || text.is_empty()
                    || field_aliases::is_word_for_nothing(text) && !is_all
            }
            Self::Object(object) => object.fields.is_empty(),
            other => other.is_empty(),
        }
    }

    /// A number, a word or a flag as text.
    pub(super) fn as_text(&self) -> Cow<'_, str> {
        match self {
            Self::Bool(flag) => flag.to_string().into(),
            Self::Integer(number) => number.to_string().into(),
            Self::Real(number) => number.to_string().into(),
            Self::Text(text) => (&**text).into(),
            _ => "".into(),
        }
    }
}
