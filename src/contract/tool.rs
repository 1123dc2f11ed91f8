//! What a tool is: one row of constants, from which every front end and command takes what it needs
//! to know.
//!
//! Envelopes and exit codes follow the decisions on the host's calls, 1 to 3.

use crate::cache::CacheStore;
use crate::contract::aside::PickedValues;
use crate::contract::failure::Failure;
use crate::contract::reply::Reply;
use crate::contract::request::Request;

/// One row of the registry: everything that front ends and commands need to offer a tool.
pub struct Tool {
    /// The name in the schema, in `snake_case`: `file_read`.
    pub name: &'static str,
    /// The name of the installed link, in `kebab-case`: `file-read`, `web-fetch-tool`.
    pub link: &'static str,
    /// Whose rules envelope and exit code follow.
    pub family: Family,
    /// With which others it is asked for together.
    pub set: ToolSet,
    /// Whether a server offers it where nobody has chosen.
    pub offered: bool,
    /// The JSON schema, as `--schema` prints it: the specification's.
    pub schema: &'static str,
    /// The same in words for models and people, true to this program, with bounds and defaults.
    /// It may have optional fields that a host's requests have not: see
    /// [`Reader::may_send_more`](crate::contract::terms::Audience::may_send_more).
    pub model_schema: &'static str,
    /// The JSON schema of the object that a call answers with, for programs that check it; none
    /// where answers are taken as they are.
    pub output_schema: Option<&'static str>,
    /// The field by which a request bounds the answer itself, in bytes: where it is given, a server
    /// does not cut the answer to what its client lets through. None where there is no such field.
    pub own_limit: Option<&'static str>,
    /// Whether an answer may link to what was too large for it
    /// ([`artifact`](crate::cache::artifact)), which a server then lets its client read.
    pub artifacts: bool,
    /// What a person sees where there is room for a line: `Read a file`.
    pub title: &'static str,
    /// What a call does to the world, for hosts that ask their user first.
    pub hints: ToolHints,
    /// What of the machine a request can name, for front ends that confine it.
    pub scope: AccessScope,
    /// How many calls a server may run at the same time, where a call can take much memory; `None`
    /// sets no limit beside the server's.
    pub at_once: Option<usize>,
    /// What `--help` and the manual page say beyond the schema.
    pub manual: ToolManual,
    /// The account without which the tool answers `AUTH_MISSING`; none where it needs no
    /// credentials.
    pub account: Option<Account>,
    /// How the answer's fields read as text. A field that is not named here is shown as `name:
    /// value`; those of the envelope (`success`, `error`, `error_code`) and `note` are the
    /// contract's, and no row names them.
    pub fields: &'static [(&'static str, FieldRole)],
    /// How a call that is made of flags exits.
    pub exits: ExitCodes,
    /// How to ask for less, in a sentence, for whoever gets a long answer; empty where no answer of
    /// the tool grows long.
    pub less: &'static str,
    /// A call that shows that the installed tool works; none where that takes a network.
    pub sample: Option<SampleCall>,
    /// What [`Tool::run`] calls.
    pub run: Run,
    /// What [`Tool::answer_from`] calls; none where answers are not kept.
    pub from_cache: Option<FromCache>,
}

/// The first phase of a call, which comes back with the second one: see [`Tool::run`].
pub type Run = for<'a> fn(&'a Request<'a>) -> Result<Reply<'a>, Failure>;

/// What a store has to say of a call: see [`Tool::answer_from`].
pub type FromCache =
    for<'a> fn(&'a Request<'a>, &dyn CacheStore) -> Option<Result<Reply<'a>, Failure>>;

impl Tool {
    /// Carries out one call, in two phases.
    ///
    /// 1. **It prepares, and may fail.** The request's fields are understood, the file is opened,
    ///    the page is fetched. Whatever can be refused is refused now, while nothing has been
    ///    written: the whole answer is then the [`Failure`].
    /// 2. **It streams, and may only fail as I/O does.** The [`Reply`] that comes back writes the
    ///    answer's fields when it is told to. Its reader may be gone by then, and that is the one
    ///    error it returns. Should its own source break off midway, it ends the object with
    ///    [`Object::break_off`](crate::contract::reply::Object::break_off): what has been answered
    ///    stands, and `error` and `error_code` behind it say why no more came. Notes on what was
    ///    left out are written here as well.
    ///
    /// # Errors
    /// The first phase failed.
    pub fn run<'a>(&self, request: &'a Request<'a>) -> Result<Reply<'a>, Failure> {
        (self.run)(request)
    }

    /// What [`Tool::run`] would come back with, as far as `store` alone tells: an answer that was
    /// kept, a failure that was kept, the refusal of a request that makes no sense. `None` where
    /// somebody else would have to be asked. It waits for nobody.
    #[must_use]
    pub fn answer_from<'a>(
        &self,
        request: &'a Request<'a>,
        store: &dyn CacheStore,
    ) -> Option<Result<Reply<'a>, Failure>> {
        self.from_cache?(request, store)
    }

    /// The name that people type: the link's, without the `-tool` that some hosts want.
    #[must_use]
    pub fn command(&self) -> &'static str {
        self.link.strip_suffix("-tool").unwrap_or(self.link)
    }

    /// Whether the answer has a field that reads so.
    #[must_use]
    pub fn has(&self, part: FieldRole) -> bool {
        self.fields.iter().any(|(_, one)| *one == part)
    }

    /// Whether answers are kept for a while, so that people can ask for one that was not
    /// ([`Terms::no_cache`](crate::contract::terms::Terms::no_cache)).
    #[must_use]
    pub fn keeps_answers(&self) -> bool {
        self.from_cache.is_some()
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

/// What a call does to the world, in the words of the Model Context Protocol's tool annotations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "the protocol has these four, and each is a question of its own"
)]
pub struct ToolHints {
    /// It changes nothing.
    pub read_only: bool,
    /// What it changes may be lost.
    pub destructive: bool,
    /// The same call made again changes nothing more.
    pub idempotent: bool,
    /// It reaches beyond this machine's files.
    pub open_world: bool,
}

impl ToolHints {
    /// A tool that looks at this machine's files.
    pub const LOOKS: Self = Self {
        read_only: true,
        destructive: false,
        idempotent: true,
        open_world: false,
    };
    /// A tool that asks the world.
    pub const ASKS: Self = Self {
        open_world: true,
        ..Self::LOOKS
    };
}

/// What of the machine a request can name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessScope {
    /// Everything that the user can touch: no front end can confine it.
    Machine,
    /// The file that this field names.
    File(&'static str),
    /// What the wildcards in the field `pattern` name, from the directory that the field
    /// `directory` names.
    Paths {
        /// The field that names a directory, or a file.
        directory: &'static str,
        /// The field that holds a wildcard pattern.
        pattern: &'static str,
    },
    /// The network, and no file.
    Network,
}

/// What a person wants to know of a tool and its schema does not say.
pub struct ToolManual {
    /// What the tool does and what to expect of it, in a few lines.
    pub text: &'static str,
    /// A request that works anywhere.
    pub example: &'static str,
    /// The variables of the environment that the tool reads, beside those of its account, and what
    /// each does.
    pub environment: &'static [(&'static str, &'static str)],
}

/// An account with somebody else, whose credentials a tool needs.
pub struct Account {
    /// What it needs, all of it.
    pub credentials: &'static [Credential],
    /// What a host shows its user where they are missing, in several lines.
    pub notice: &'static str,
    /// Where they are to be had, on one line.
    pub source: &'static str,
}

/// The names of a credential.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Credential {
    /// The variable of the environment.
    pub variable: &'static str,
    /// The way to it in the credentials file, name by name.
    pub path: &'static [&'static str],
}

/// How a field of an answer reads as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldRole {
    /// What was asked for, as text: shown as it is, in whole lines.
    Output,
    /// What was asked for, which is not the tool's own: shown as it is, and handed on byte for
    /// byte.
    Content,
    /// What is known beside the content: shown behind it, of each field the values that are named
    /// here, as short lines ([`aside`](crate::contract::aside)). A person's pipe gets the content
    /// alone.
    Aside(PickedValues),
    /// A list of objects: shown one under the other, each with its first field as heading.
    Results,
    /// The exit code of a command that was run: the process ends with it, and nothing is shown.
    ExitCode,
    /// How much was found: shown where that is nothing.
    Count,
    /// What another part says already, or what is of use to programs alone: not shown.
    Silent,
}

/// How a call that is made of flags exits, for scripts; 0 is that all was done. A host's calls exit
/// by their family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExitCodes {
    /// Nothing was found ([`FieldRole::Count`]).
    pub nothing_found: u8,
    /// It was not done, or not to its end.
    pub failed: u8,
}

impl ExitCodes {
    /// A tool for which nothing found is an answer like any other.
    pub const USUAL: Self = Self {
        nothing_found: 0,
        failed: 1,
    };
    /// A search, as grep(1) has it.
    pub const SEARCH: Self = Self {
        nothing_found: 1,
        failed: 2,
    };
    /// A program that runs others, as env(1) and timeout(1) have it: theirs is the exit code.
    pub const RUNS: Self = Self {
        nothing_found: 0,
        failed: 125,
    };
}

/// A call that needs nothing but an empty directory.
pub struct SampleCall {
    /// A file that is there, its name and its content.
    pub file: Option<(&'static str, &'static str)>,
    /// The request.
    pub request: &'static str,
    /// A part of the answer.
    pub answer: &'static str,
}

/// The families of the specification; they differ in their envelopes and exit codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// bash, file-*, glob, grep: a failed operation is an answer, and exits 0.
    Local,
    /// web-*: `success` comes first, and a failed operation exits 1.
    Web,
    /// `web_search` and `scrape_page`: an answer is the specification's object as it stands, a
    /// failure and the exit codes are those of the web tools.
    Research,
}

/// A set of tools, which people ask for together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolSet {
    /// What works on this machine.
    Local,
    /// What asks the web, for hosts.
    Web,
    /// What asks the web as a system of its own, beside the hosts' tools: no host finds it unless
    /// its link was asked for.
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
