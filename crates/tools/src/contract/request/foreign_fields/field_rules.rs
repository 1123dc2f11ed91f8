//! The table of other agents' fields: their names for ours, and what those ask for that say how,
//! where or whether something is done.
//!
//! Rules: the decisions on what was asked for, or refused.

/// Other names of fields, each behind the tool's own.
pub(super) const OTHER_NAMES: [(&str, &str); 14] = [
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
        "is_background run_in_background async run_async detach detached blocking wait",
    ),
    ("pattern", "query"),
    ("path", "dir_path directory file_path"),
    ("ignore_case", "case_sensitive case_insensitive"),
    ("all", "respect_git_ignore"),
];

/// The other names whose value is the opposite of the field's.
pub(in crate::contract::request) const OPPOSITES: [&str; 4] =
    ["blocking", "wait", "case_sensitive", "respect_git_ignore"];

/// The other name whose value is the last line, where the field has the number of lines.
pub(in crate::contract::request) const LAST_LINE: &str = "end_line";

/// The name of a list of the first line and the last.
pub(in crate::contract::request) const LINE_RANGE: &str = "view_range";

/// Fields that only describe a call, or that a client keeps for itself.
pub(super) const DESCRIPTIONS: &str = "description explanation instruction instructions reason \
                                       title thought rationale justification security_risk \
                                       requires_approval task_progress modified_by_user sessionId \
                                       toolCallId action chatInput";

/// The tools that write files.
const WRITERS: &[&str] = &["file_write", "file_edit"];

/// The tools that search.
const SEARCHES: &[&str] = &["grep", "glob"];

/// Fields by which `file_write` leaves a file alone that is there.
pub(super) const ONLY_NEW: &str = "if_exists on_exists on_conflict no_clobber create_only \
                                   *exclusive if_not_exists no_overwrite skip_existing \
                                   skip_if_exists fail_if_exists create_new only_if_new";

/// Words that turn the meaning of a name around.
pub(super) const NEGATIONS: [&str; 6] = ["no", "not", "skip", "without", "dont", "disable"];

/// The modes in which a file is opened only if it is new.
pub(super) const EXCLUSIVE: [&str; 4] = ["x", "xt", "xb", "wx"];

/// A rule on fields that say how, where or whether.
pub(super) struct FieldRule {
    pub(super) tools: &'static [&'static str],
    /// Their names, of which the first is the one by which the tool reads it, if it does. Behind
    /// `*` is a word that stands for all names that have it, and for fields without a rule whose
    /// value is made of it.
    pub(super) names: &'static str,
    /// Values that ask for what is done; `*` is any value. Where `true` is one, `false` asks for
    /// something else.
    pub(super) done: &'static [&'static str],
    /// What does it instead, each behind the name of the tool that it takes, if any. Where nothing
    /// does, another value is ignored, and named.
    pub(super) instead: &'static [(&'static str, &'static str)],
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
pub(super) static RULES: [FieldRule; 44] = [
    rule(
        &["file_write"],
        "*append at_end to_end",
        &[],
        &[
            ("file_read", "read the file, and write all of it"),
            ("bash", "bash appends with `>>`"),
        ],
    ),
    rule(
        &["file_edit"],
        "*append at_end to_end",
        &[],
        &[
            (
                "",
                "send the file's last line as old_string, and that line with the new text as \
                 new_string",
            ),
            ("bash", "bash appends with `>>`"),
        ],
    ),
    rule(
        &["file_write"],
        "mode write_mode open_mode flag flags",
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
        "dry_run *preview *simulate check_only validate_only diff_only plan_only test_only",
        &[],
        &[
            ("bash", "try it on a copy, which bash makes (`cp`)"),
            ("", "without this field the change is made"),
        ],
    ),
    rule(
        WRITERS,
        "insert_line *insert *prepend position",
        &["replace"],
        &[PLACE],
    ),
    rule(
        WRITERS,
        "line lines line_number start_line end_line first_line last_line from_line to_line \
         view_range line_range",
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
        "*base64",
        &[],
        &[
            ("", "a text is written as it is sent"),
            ("bash", "bash has `base64 -d`"),
        ],
    ),
    rule(
        &["file_write"],
        "*merge *patch *delete *rename *move",
        &[],
        WHOLE,
    ),
    rule(&["file_write"], "truncate", &["true"], WHOLE),
    rule(
        WRITERS,
        "new_path output_path output_file new_file_path destination save_as rename_to",
        &[],
        &[
            ("", "what is written is the file at file_path"),
            ("bash", "bash has `cp` and `mv`"),
        ],
    ),
    rule(
        WRITERS,
        "line_ending line_endings eol newline newlines",
        &["preserve", "keep"],
        &[(
            "",
            "send the line ends themselves in the text; in a file of CRLF lines file_edit takes \
             LF for CRLF",
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
        "*backup",
        &[],
        &[
            ("", "nothing is kept of what is replaced"),
            ("bash", "copy it first with bash (`cp -p`)"),
        ],
    ),
    rule(
        &["file_write"],
        "overwrite replace overwrite_existing replace_existing allow_overwrite",
        &["*"],
        &[],
    ),
    rule(
        &["file_write"],
        "create create_if_missing create_if_not_exists",
        &["*"],
        &[],
    ),
    rule(
        &["file_write"],
        ONLY_NEW,
        &["overwrite", "replace", "write"],
        &[],
    ),
    rule(
        &["file_write"],
        "create_dirs create_directories create_parents make_dirs make_parents mkdir mkdirs parents",
        &["*"],
        &[],
    ),
    rule(
        &["file_edit"],
        "expected_replacements expected_occurrences expected_matches count expected_count \
         max_replacements",
        &["*"],
        &[],
    ),
    rule(
        &["file_edit"],
        "occurrence occurrences instance limit first_only only_first",
        &[],
        &[(
            "",
            "file_edit replaces the only occurrence, or with replace_all all of them; add lines \
             from around the one that is meant to old_string",
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
        "ignore_case case_insensitive fuzzy whole_word whole_words match_whole_word",
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
        &["create", "create_file", "write", "write_file", "overwrite"],
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
        "args arguments argv",
        &[],
        &[("", "write them into the command (`COMMAND ARGUMENT…`)")],
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
    rule(
        &["bash"],
        "timeout_seconds timeout_secs timeout_sec",
        &["*"],
        &[],
    ),
    rule(
        &["grep"],
        "-n n line_number line_numbers show_line_numbers -H with_filename",
        &["true", "false"],
        &[],
    ),
    rule(
        &["grep"],
        "-E regex regexp use_regex use_regexp is_regex is_regexp",
        &["true"],
        &[],
    ),
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
