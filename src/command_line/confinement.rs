//! The flags that confine a call, the same for every tool and for `mcp`.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use clap::builder::{OsStringValueParser, TypedValueParser, ValueParser};
use clap::{Arg, ArgAction, ArgMatches, ValueHint};

use iki_process::sandbox::confinement::{self, ConfinementBounds, ConfinementSource};

/// The flag that takes the network away.
pub const NO_NETWORK: &str = "no-network";

/// The flag for directories in which a call may read and write.
const ROOT: &str = "root";

/// The flag for files and directories that a call may also read and execute.
const READ: &str = "read";

/// The variables with the same meaning as the flags, and what each does.
pub const ENVIRONMENT: [(&str, &str); 3] = [
    (
        confinement::ROOTS,
        "directories, separated by colons, to which files are confined, as by --root",
    ),
    (
        confinement::READ,
        "what may also be read and executed, as by --read; a flag replaces its variable",
    ),
    (
        confinement::NO_NETWORK,
        "unless empty or 0, nothing here may use the network, as by --no-network",
    ),
];

/// The flags.
pub fn flags() -> [Arg; 3] {
    [
        Arg::new(ROOT)
            .long(ROOT)
            .value_name("DIR")
            .action(ArgAction::Append)
            .value_hint(ValueHint::DirPath)
            .value_parser(place(confinement::directory))
            .help("Allow file access only in DIR, links resolved; repeatable"),
        Arg::new(READ)
            .long(READ)
            .value_name("DIR")
            .action(ArgAction::Append)
            .value_hint(ValueHint::FilePath)
            .value_parser(place(confinement::file_or_directory))
            .help("Also allow reading and running DIR, or a file; repeatable"),
        Arg::new(NO_NETWORK)
            .long(NO_NETWORK)
            .action(ArgAction::SetTrue)
            .help("Keep commands off the network"),
    ]
}

/// A parser of names of existing files, which need not be UTF-8.
fn place(find: fn(&OsStr) -> Result<PathBuf, String>) -> ValueParser {
    OsStringValueParser::new()
        .try_map(move |name| find(&name).map(|_| name))
        .into()
}

/// The bounds that the flags ask for, if any, combined with those of the environment.
pub fn bounds(matches: &ArgMatches) -> Option<ConfinementBounds> {
    let names = |flag: &str| -> Vec<OsString> {
        let names = matches.get_many::<OsString>(flag);
        names.into_iter().flatten().cloned().collect()
    };
    let bounds = ConfinementBounds {
        roots: names(ROOT),
        readable: names(READ),
        no_network: matches.get_flag(NO_NETWORK),
        source: ConfinementSource::Flags,
    };
    (!bounds.is_nothing()).then(|| bounds.or_environment())
}
