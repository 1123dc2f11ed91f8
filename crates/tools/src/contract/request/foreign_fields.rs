//! Fields of other agents' tools, in one table for all of ours: those that a tool has under another
//! name, those that say how, where or whether something is done, and those that only describe.
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

/// Other names of fields, each behind the tool's own.
const OTHER_NAMES: [(&str, &str); 14] = [
    ("file_path", "path filename file absolute_path target_file"),
    ("old_string", "old_str old_text"),
    ("new_string", "new_str new_text"),
    ("replace_all", "allow_multiple"),
    ("content", "file_text contents"),
    ("offset", "start_line"),
    ("limit", "end_line"),
    ("command", "cmd"),
    (
        "workdir",
        "cwd cd dir dir_path directory working_directory working_dir",
    ),
    (
        "background",
        "is_background run_in_background blocking wait",
    ),
    ("pattern", "query"),
    ("path", "dir_path directory file_path"),
    ("ignore_case", "case_sensitive case_insensitive"),
    ("all", "respect_git_ignore"),
];

/// The other names whose value is the opposite of the field's.
pub(super) const OPPOSITES: [&str; 4] =
    ["blocking", "wait", "case_sensitive", "respect_git_ignore"];

/// The other name whose value is the last line, where the field has the number of lines.
pub(super) const LAST_LINE: &str = "end_line";

/// The name of a list of the first line and the last.
pub(super) const LINE_RANGE: &str = "view_range";

/// Fields that only describe a call, or that a client keeps for itself.
const DESCRIPTIONS: &str = "description explanation instruction instructions reason title thought \
    rationale justification security_risk requires_approval task_progress modified_by_user \
    sessionId toolCallId action chatInput";

/// The tools that write files.
const WRITERS: &[&str] = &["file_write", "file_edit"];

/// The tools that search.
const SEARCHES: &[&str] = &["grep", "glob"];

/// A rule on fields that say how, where or whether.
struct FieldRule {
    tools: &'static [&'static str],
    /// Their names, of which the first is the one by which the tool reads it, if it does.
    names: &'static str,
    /// Values that ask for what is done; `*` is any value. Where `true` is one, `false` asks for
    /// something else.
    done: &'static [&'static str],
    /// What does it instead, each behind the name of the tool that it takes, if any. Where nothing
    /// does, another value is ignored, and named.
    instead: &'static [(&'static str, &'static str)],
}

const fn rule(
    tools: &'static [&'static str],
    names: &'static str,
    done: &'static [&'static str],
    instead: &'static [(&'static str, &'static str)],
) -> FieldRule {
    FieldRule {
        tools,
        names,
        done,
        instead,
    }
}

const PLACE: (&str, &str) = (
    "file_edit",
    "file_edit finds a place by its text, the lines themselves as old_string; to insert, send a \
     line of the file as old_string, and that line with the new text as new_string",
);

const WHOLE: &[(&str, &str)] = &[
    ("", "file_write replaces all that the file holds"),
    ("file_edit", "file_edit changes a part"),
    ("bash", "bash has `>>` and `chmod`"),
];

/// The rules. The first that has the tool and the name counts.
static RULES: [FieldRule; 37] = [
    rule(
        &["file_write"],
        "append",
        &[],
        &[
            ("file_read", "read the file, and write all of it"),
            ("bash", "bash appends with `>>`"),
        ],
    ),
    rule(
        &["file_edit"],
        "append",
        &[],
        &[
            (
                "",
                "send the file's last line as old_string, and that line with the new text as new_string",
            ),
            ("bash", "bash appends with `>>`"),
        ],
    ),
    rule(
        &["file_write"],
        "mode write_mode",
        &[
            "w",
            "wt",
            "wb",
            "w+",
            "write",
            "overwrite",
            "rewrite",
            "replace",
            "create",
            "text",
        ],
        WHOLE,
    ),
    rule(
        &["file_edit"],
        "mode edit_mode",
        &["edit", "replace", "str_replace", "r+", "text"],
        &[
            ("", "file_edit replaces old_string with new_string"),
            ("bash", "bash has `>>` and `chmod`"),
        ],
    ),
    rule(
        WRITERS,
        "dry_run preview simulate",
        &[],
        &[
            ("bash", "try it on a copy, which bash makes (`cp`)"),
            ("", "without this field the change is made"),
        ],
    ),
    rule(
        WRITERS,
        "insert_line insert_at insert_after insert_before",
        &[],
        &[PLACE],
    ),
    rule(
        WRITERS,
        "line lines line_number start_line end_line view_range line_range",
        &[],
        &[PLACE],
    ),
    rule(
        WRITERS,
        "encoding charset",
        &["utf-8", "utf8"],
        &[
            ("", "new text is UTF-8"),
            (
                "file_edit",
                "file_edit keeps to the encoding of a file where it is known, without this field",
            ),
            ("bash", "bash has `iconv`"),
        ],
    ),
    rule(
        WRITERS,
        "line_ending line_endings eol newline newlines",
        &["preserve", "keep"],
        &[(
            "",
            "send the line ends themselves in the text; in a file of CRLF lines file_edit takes LF for \
         CRLF",
        )],
    ),
    rule(
        WRITERS,
        "permissions file_mode chmod owner",
        &[],
        &[
            ("", "a file keeps its own, and a new one has the usual"),
            ("bash", "bash has `chmod`"),
        ],
    ),
    rule(
        WRITERS,
        "backup create_backup make_backup",
        &[],
        &[
            ("", "nothing is kept of what is replaced"),
            ("bash", "copy it first with bash (`cp -p`)"),
        ],
    ),
    rule(&["file_write"], "overwrite", &["*"], &[]),
    rule(
        &["file_write"],
        "create_dirs create_directories make_dirs mkdirs parents",
        &["*"],
        &[],
    ),
    rule(
        &["file_edit"],
        "expected_replacements count expected_count max_replacements",
        &["*"],
        &[],
    ),
    rule(
        &["file_edit"],
        "occurrence occurrences instance",
        &[],
        &[(
            "",
            "file_edit replaces the only occurrence, or with replace_all all of them; add lines from \
         around the one that is meant to old_string",
        )],
    ),
    rule(
        &["file_edit"],
        "regex is_regex use_regex regexp pattern",
        &[],
        &[
            ("", "old_string is plain text"),
            ("bash", "bash has `sed` and `perl`"),
        ],
    ),
    rule(
        &["file_edit"],
        "ignore_case case_insensitive fuzzy",
        &[],
        &[
            ("", "old_string is found as it is sent, and in no other way"),
            ("bash", "bash has `sed` with the flag I"),
        ],
    ),
    rule(
        &["file_edit"],
        "case_sensitive exact strict",
        &["true"],
        &[],
    ),
    rule(
        &["file_write"],
        "command",
        &["create", "write", "overwrite"],
        &[PLACE],
    ),
    rule(
        &["file_edit"],
        "command",
        &["str_replace", "edit", "replace", "multi_edit"],
        &[
            PLACE,
            ("file_write", "file_write makes a file"),
            ("file_read", "file_read shows one"),
        ],
    ),
    rule(
        WRITERS,
        "cwd directory dir dir_path workdir working_directory working_dir",
        &["."],
        &[("", "send the whole path as file_path")],
    ),
    rule(
        &["bash"],
        "dry_run preview simulate",
        &[],
        &[(
            "",
            "the command would be run; many programs have a flag for it (`make -n`, `rsync -n`)",
        )],
    ),
    rule(
        &["bash"],
        "stdin input",
        &[],
        &[(
            "",
            "stdin is empty; write the text into the command (`printf '%s' 'TEXT' | COMMAND`)",
        )],
    ),
    rule(
        &["bash"],
        "env environment env_vars environment_variables",
        &[],
        &[("", "write it into the command (`NAME=VALUE COMMAND`)")],
    ),
    rule(
        &["bash"],
        "user sudo run_as as_root",
        &[],
        &[("", "write it into the command (`sudo -n COMMAND`)")],
    ),
    rule(
        &["bash"],
        "session_id session shell_id terminal_id",
        &[],
        &[(
            "",
            "each call is a new shell; write what belongs together into one command",
        )],
    ),
    rule(
        &["bash"],
        "sandbox sandboxed sandbox_mode",
        &[
            "danger-full-access",
            "off",
            "disabled",
            "no",
            "require_escalated",
        ],
        &[(
            "",
            "a call has the rights that its server was started with (`--root` takes some away)",
        )],
    ),
    rule(
        &["bash"],
        "shell",
        &[],
        &[("", "write it into the command (`SHELL -c '…'`)")],
    ),
    rule(
        &["bash"],
        "login yield_time_ms max_output_tokens restart sandbox_permissions \
         with_escalated_permissions dangerously_disable_sandbox",
        &["*"],
        &[],
    ),
    rule(&["bash"], "timeout_ms timeout_milliseconds", &["*"], &[]),
    rule(&["bash"], "timeout_seconds timeout_secs", &["*"], &[]),
    rule(
        &["grep"],
        "-n n line_number line_numbers show_line_numbers -H with_filename",
        &["true", "false"],
        &[],
    ),
    rule(&["grep"], "-E regex is_regex is_regexp", &["true"], &[]),
    rule(
        SEARCHES,
        "-r -R recursive hidden include_hidden",
        &["true"],
        &[],
    ),
    rule(&["glob"], "case_sensitive", &["true"], &[]),
    rule(&["file_read"], "encoding charset", &["utf-8", "utf8"], &[]),
    rule(
        &["file_read"],
        "mode command",
        &["r", "rt", "read", "text", "view"],
        &[],
    ),
];

/// The meaning of a field that the tool does not have.
pub(super) enum ForeignField {
    /// Nothing, or what is done in any case.
    Idle,
    /// The tool's field of this meaning.
    Read(&'static str),
    /// Something that the tool does not do.
    Refused(Failure),
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
    let mut rules = RULES.iter().filter(|rule| rule.tools.contains(&tool.name));
    let rule = rules.find(|rule| rule.names.split_whitespace().any(|one| is_same(one, name)));
    let first = rule.and_then(|rule| rule.names.split_whitespace().next());
    if let (Some(rule), Some(first)) = (rule, first)
        && rule.instead.is_empty()
        && rule.done == ["*"]
    {
        return ForeignField::Read(first);
    }
    // A line before the first is a place to insert.
    let is_zero = matches!(value, FieldValue::Integer(0)) && first != Some("insert_line");
    let text = value.as_text();
    // A line end is itself.
    let text = text.trim_matches([' ', '\t']);
    let asks_otherwise =
        text.eq_ignore_ascii_case("false") && rule.is_some_and(|rule| rule.done.contains(&"true"));
    if (value.says_nothing() || is_zero) && !asks_otherwise {
        return ForeignField::Idle;
    }
    let Some((rule, first)) = rule.zip(first) else {
        return ForeignField::Unknown;
    };
    if rule.done.iter().any(|one| one.eq_ignore_ascii_case(text))
        || asks_for_what_is_done((first, text), request, file_path, terms)
    {
        return ForeignField::Idle;
    }
    if rule.instead.is_empty() {
        return ForeignField::Unknown;
    }
    let can_be_sent = |by: &str| by.is_empty() || terms.serves(by);
    let advice = rule.instead.iter().filter(|(by, _)| can_be_sent(by));
    let advice: Vec<&str> = advice.map(|(_, words)| *words).collect();
    ForeignField::Refused(refusal(tool, name, &advice.join("; ")))
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
    let mut rows = OTHER_NAMES.iter().filter(|(own, _)| has(own));
    let own = rows.find(|(_, names)| others(names));
    own.map(|(own, _)| *own)
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
        "occurrence" => {
            let words: &[&str] = match request.flag("replace_all") {
                Ok(true) => &["all"],
                _ => &["1", "-1", "first", "last"],
            };
            words.contains(&value)
        }
        "cwd" => {
            let here = std::env::current_dir().unwrap_or_default();
            let is_here = || here.join(value).canonicalize().ok() == here.canonicalize().ok();
            file_path.is_some_and(|path| path.starts_with('/')) || is_here()
        }
        "sandbox" => confinement::current().is_some(),
        "shell" => {
            let is_ours = terms.reader != Audience::Host;
            let shell = CommandShell::from_env(is_ours, secrets::withheld());
            let name = Path::new(value).file_name();
            name.is_some_and(|name| name == "sh" || name == shell.name())
        }
        _ => false,
    }
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
                text.eq_ignore_ascii_case("false")
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
