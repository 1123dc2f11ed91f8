//! A tool's row: the constants from which every front end and command takes what it needs to know.
//!
//! Envelopes and exit codes are agreed behaviour, see REFERENCE.md ("For hosts").

use std::borrow::Cow;

use serde_json::Value;

use crate::contract::failure::Failure;
use crate::contract::key_facts::PickedValues;
use crate::contract::reply::Reply;
use crate::contract::request::Request;
use iki_process::shell::CommandShell;
use iki_web::cache::CacheStore;

/// One row of the registry: everything that front ends and commands need to offer a tool.
pub struct Tool {
    /// The name in the schema, in `snake_case`: `file_read`.
    pub name: &'static str,
    /// The name of the installed link, in `kebab-case`: `file-read`, `web-fetch-tool`.
    pub link: &'static str,
    /// The family, which decides the envelope and the exit codes of a host's calls.
    pub family: EnvelopeFamily,
    /// The set of tools that it belongs to.
    pub set: ToolSet,
    /// True if a server serves it by default.
    pub is_served_by_default: bool,
    /// The JSON schema, as `--schema` prints it: the specification's.
    pub schema: &'static str,
    /// The schema for models and people: this program's own words, with bounds and defaults. It may
    /// have optional fields that the hosts' schema lacks; hosts may send them. `{shell}` in it
    /// stands for the shell's name ([`Tool::description_for_models`]).
    pub model_schema: &'static str,
    /// `model_schema` for programs that pass a model's calls on as a host does, if a host's call is
    /// answered differently.
    pub host_schema: Option<&'static str>,
    /// Fields that only a caller with another tool has, each with that tool.
    pub fields_beside: &'static [(&'static str, &'static str)],
    /// Names for fields that other programs of this name have, each with the tool's own. Those of
    /// other agents' tools are in one table for all (`contract/request/foreign_fields`).
    pub aliases: &'static [(&'static str, &'static str)],
    /// True if it colours parts of what it shows a person, where the terms of the call say so.
    pub colours_output: bool,
    /// Fields that only a server's calls can use: they are no flags.
    pub served_fields: &'static [&'static str],
    /// For completions: usual values, separated by blanks, of fields that take others too.
    pub values: &'static [(&'static str, &'static str)],
    /// The JSON schema of the answer's object, for programs that check it.
    pub output_schema: Option<&'static str>,
    /// True if an answer may link to content that was too large for it
    /// ([`artifact`](iki_web::cache::artifact)), which a server then lets its client read.
    pub links_artifacts: bool,
    /// A title for people, of a line at most: `Read a file`.
    pub title: &'static str,
    /// Effects of a call, for hosts that ask their user first.
    pub hints: ToolHints,
    /// Files that a request can name, for front ends that confine it.
    pub scope: AccessScope,
    /// Number of calls that a server may run at the same time, for tools that can take much memory;
    /// `None` sets no limit of the tool's own.
    pub max_concurrent_calls: Option<usize>,
    /// Text of `--help` and the manual page beyond the schema.
    pub manual: ToolManual,
    /// The account that the tool needs; without its credentials it answers `AUTH_MISSING`.
    pub account: Option<ProviderCredentials>,
    /// Roles of the answer's fields when it is shown as text. A field that is not named here is
    /// shown as `name: value`; those of the envelope (`success`, `error`, `error_code`) and `note`
    /// are the contract's, and no row names them.
    pub fields: &'static [(&'static str, FieldRole)],
    /// Exit codes of calls with flags.
    pub exit_codes: ExitCodes,
    /// A sentence on how to ask for less, added to long answers; empty if the tool has none.
    pub how_to_get_less: &'static str,
    /// The function behind [`Tool::run`].
    pub run: for<'a> fn(&'a Request<'a>) -> Result<Reply<'a>, Failure>,
    /// The function behind [`Tool::answer_from`], if answers are cached.
    pub from_cache: Option<CacheLookup>,
}

/// A lookup of a call's answer in a store: see [`Tool::answer_from`].
pub type CacheLookup =
    for<'a> fn(&'a Request<'a>, &dyn CacheStore) -> Option<Result<Reply<'a>, Failure>>;

impl Tool {
    /// The defaults of a local tool, for rows to override.
    pub const PLAIN: Self = Self {
        name: "",
        link: "",
        family: EnvelopeFamily::Local,
        set: ToolSet::Local,
        is_served_by_default: true,
        schema: "",
        model_schema: "",
        host_schema: None,
        fields_beside: &[],
        aliases: &[],
        colours_output: false,
        served_fields: &[],
        values: &[],
        output_schema: None,
        links_artifacts: false,
        title: "",
        hints: ToolHints::LOOKS,
        scope: AccessScope::Machine,
        max_concurrent_calls: None,
        manual: ToolManual(""),
        account: None,
        fields: &[],
        exit_codes: ExitCodes::USUAL,
        how_to_get_less: "",
        run: |_| Err(Failure::bad_request("")),
        from_cache: None,
    };

    /// Carries out one call, in two phases.
    ///
    /// 1. **It prepares, and may fail.** The request's fields are understood, the file is opened,
    ///    the page is fetched. Everything that can be refused is refused now, while nothing has
    ///    been written: the whole answer is then the [`Failure`].
    /// 2. **It streams, and may only fail as I/O does.** The returned [`Reply`] writes the
    ///    answer's fields when it is told to. The only error it returns is that its reader is gone.
    ///    If its own source fails midway, it ends the object with
    ///    [`AnswerObject::break_off`](crate::contract::reply::AnswerObject::break_off): the answer
    ///    so far stays, followed by `error` and `error_code`. Notes on omissions are written here
    ///    as well.
    ///
    /// # Errors
    /// The first phase failed.
    pub fn run<'a>(&self, request: &'a Request<'a>) -> Result<Reply<'a>, Failure> {
        let result = match request.refusal() {
            Some(refused) => Err(refused),
            None => (self.run)(request),
        };
        request.name_ignored(result)
    }

    /// The result of [`Tool::run`] if it needs nothing but `store`: a cached answer, a cached
    /// failure, the refusal of an invalid request. `None` if a provider or site would have to be
    /// asked. Waits for nothing but the store.
    #[must_use]
    pub fn answer_from<'a>(
        &self,
        request: &'a Request<'a>,
        store: &dyn CacheStore,
    ) -> Option<Result<Reply<'a>, Failure>> {
        let cached_answer = self.from_cache?(request, store)?;
        Some(request.name_ignored(cached_answer))
    }

    /// The schema for models and people, with the name of the shell that runs commands for them.
    #[must_use]
    pub fn description_for_models(&self) -> Cow<'static, str> {
        const SHELL: &str = "{shell}";
        if !self.model_schema.contains(SHELL) {
            return Cow::Borrowed(self.model_schema);
        }
        let shell = CommandShell::from_env(true, |_| false);
        let name = Value::from(shell.name().to_string_lossy()).to_string();
        self.model_schema
            .replace(SHELL, name.trim_matches('"'))
            .into()
    }

    /// The name that people type: the link's, without the `-tool` that some hosts want.
    #[must_use]
    pub fn command(&self) -> &'static str {
        self.link.strip_suffix("-tool").unwrap_or(self.link)
    }

    /// True if the answer has a field of this role.
    #[must_use]
    pub fn has(&self, part: FieldRole) -> bool {
        self.fields.iter().any(|(_, one)| *one == part)
    }

    /// True if answers are cached, so that people can ask for a new one
    /// ([`CallTerms::skips_cache`](crate::contract::call_terms::CallTerms::skips_cache)).
    #[must_use]
    pub fn keeps_answers(&self) -> bool {
        self.from_cache.is_some()
    }

    /// True if calls ask their server's cache, for answers or for research sessions.
    #[must_use]
    pub fn uses_cache(&self) -> bool {
        self.keeps_answers() || self.family == EnvelopeFamily::Research
    }

    /// The credentials that the tool needs; empty where it needs none.
    #[must_use]
    pub fn credentials(&self) -> &'static [Credential] {
        match &self.account {
            Some(account) => account.credentials,
            None => &[],
        }
    }
}

/// The effects of a call, as the Model Context Protocol's tool annotations have them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "the protocol has these four, and each is a question of its own"
)]
pub struct ToolHints {
    /// True if it changes nothing.
    pub read_only: bool,
    /// True if it may destroy what it changes.
    pub destructive: bool,
    /// True if repeating a call changes nothing more.
    pub idempotent: bool,
    /// True if it reaches beyond this machine's files.
    pub open_world: bool,
}

impl ToolHints {
    /// A tool that reads this machine's files.
    pub(crate) const LOOKS: Self = Self {
        read_only: true,
        destructive: false,
        idempotent: true,
        open_world: false,
    };
    /// A tool that reads from the network.
    pub const ASKS: Self = Self {
        open_world: true,
        ..Self::LOOKS
    };
}

/// The files that a request can name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessScope {
    /// All files of the user's: no front end can confine such a tool by its request.
    Machine,
    /// The file that this field names.
    File(&'static str),
    /// The files that match the field `pattern`, below the directory in the field `directory`.
    Paths {
        /// The field that names a directory or a file.
        directory: &'static str,
        /// The field that holds a wildcard pattern.
        pattern: &'static str,
    },
    /// The network, and no file.
    Network,
}

/// A tool's manual beyond its schema, as written in `src/tools/manuals`: three parts with a line
/// `--` between them.
pub struct ToolManual(pub &'static str);

/// The variables that several manuals list, by their names only.
const SHARED_VARIABLES: &str = include_str!("../tools/manuals/shared_variables.txt");

impl ToolManual {
    /// The tool's purpose and behaviour, in a few lines.
    #[must_use]
    pub fn text(&self) -> &'static str {
        self.part(0)
    }

    /// A request that works anywhere.
    #[must_use]
    pub fn example(&self) -> &'static str {
        self.part(1)
    }

    /// The variables of the environment that the tool reads, apart from those of its account, and
    /// their meanings.
    pub fn environment(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let lines = self.part(2).lines();
        lines.filter_map(|line| variable(line).or_else(|| shared_variable(line)))
    }

    fn part(&self, index: usize) -> &'static str {
        let part = self.0.split("\n--\n").nth(index);
        part.unwrap_or_default().trim_end()
    }
}

/// A name and its meaning, on one line.
fn variable(line: &'static str) -> Option<(&'static str, &'static str)> {
    line.split_once(": ")
}

fn shared_variable(name: &str) -> Option<(&'static str, &'static str)> {
    let mut shared = SHARED_VARIABLES.lines().filter_map(variable);
    shared.find(|(one, _)| *one == name)
}

/// An account with a provider, whose credentials a tool needs.
pub struct ProviderCredentials {
    /// The credentials; the tool needs all of them.
    pub credentials: &'static [Credential],
    /// Text that a host shows its user if they are missing, in several lines.
    pub notice: &'static str,
    /// Their source, on one line.
    pub source: &'static str,
}

/// The names of a credential.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Credential {
    /// The variable of the environment.
    pub variable: &'static str,
    /// The names on the way to it in the credentials file.
    pub path: &'static [&'static str],
}

/// The role of an answer's field when the answer is shown as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldRole {
    /// The content asked for, as text: shown in whole lines.
    Output,
    /// The content asked for, a file's or a command's: passed on byte for byte.
    Content,
    /// Facts about the content: the values named here are shown after it as short lines
    /// ([`key_facts`](crate::contract::key_facts)). A person's pipe gets only the content.
    Aside(PickedValues),
    /// A list of objects: shown one after the other, each with its first field as heading.
    Results,
    /// The exit code of a command that was run: the process ends with it, and nothing is shown.
    ExitCode,
    /// The number of results: shown only if it is 0.
    Count,
    /// A field that repeats another, or is only of use to programs: not shown.
    Silent,
}

/// The exit codes of a tool's calls with flags, for scripts; 0 is success. The exit codes of a
/// host's calls follow from the family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExitCodes {
    /// Nothing was found ([`FieldRole::Count`]).
    pub nothing_found: u8,
    /// The call failed, at its beginning or midway.
    pub failed: u8,
    /// All codes with their meanings, one per line.
    pub meanings: &'static str,
}

impl ExitCodes {
    /// A tool for which an empty result is an ordinary answer.
    pub const USUAL: Self = Self {
        nothing_found: 0,
        failed: 1,
        meanings: "\
0: it was done
1: it was not done, or not to its end
2: the command line could not be understood",
    };
    /// A search, as grep(1) has it.
    pub(crate) const SEARCH: Self = Self {
        nothing_found: 1,
        failed: 2,
        meanings: "\
0: something was found
1: nothing was found
2: it was not done, or not to its end; or the command line could not be understood",
    };
    /// A program that runs others, as env(1) and timeout(1) have it: it exits with their code.
    pub(crate) const RUNS: Self = Self {
        nothing_found: 0,
        failed: 125,
        meanings: "\
0: the command ended with 0
2: the command line could not be understood
125: it was not done, or not to its end
other: that of the command which was run; 124 at the end of its time, 127 if it could not be run, \
                   128 + N if signal N ended it",
    };

    /// Each code with its meaning.
    pub fn pairs(self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.meanings
            .lines()
            .filter_map(|line| line.split_once(": "))
    }
}

/// The families of tools; they differ in their envelopes and exit codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EnvelopeFamily {
    /// bash, file-*, glob, grep: a failed operation is an answer, and exits 0.
    Local,
    /// web-*: `success` comes first, and a failed operation exits 1.
    Web,
    /// `web_search` and `scrape_page`: answers are the specification's objects without an envelope,
    /// failures and exit codes are those of the web tools.
    Research,
}

/// A set of tools that people ask for together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolSet {
    /// Tools for this machine.
    Local,
    /// Tools for the web, for hosts.
    Web,
    /// Tools for research on the web, separate from the hosts' tools: no host finds them unless
    /// their links were asked for.
    Research,
}

impl ToolSet {
    /// The sets' names on the command line.
    pub const NAMES: [(&'static str, Self); 3] = [
        ("local", Self::Local),
        ("web", Self::Web),
        ("research", Self::Research),
    ];
}
