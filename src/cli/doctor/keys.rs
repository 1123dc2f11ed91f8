//! Whether the web searches have their keys. No key is ever shown.

use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use crate::tool::Tool;
use crate::tools::{web_search_brave, web_search_google};
use crate::web::credentials::{Credentials, Name, Source};
use crate::web::search::{brave, google};

/// A search and the credentials that it needs.
pub struct Needs {
    /// The tool.
    pub tool: Tool,
    /// What it needs, all of it.
    pub names: &'static [Name],
    /// Where to get it, and how to say it.
    pub notice: &'static str,
}

/// The tools that need keys.
pub fn all() -> [Needs; 2] {
    [
        Needs {
            tool: web_search_brave::TOOL,
            names: &[brave::KEY],
            notice: brave::SETUP_NOTICE,
        },
        Needs {
            tool: web_search_google::TOOL,
            names: &[google::KEY, google::ENGINE],
            notice: google::SETUP_NOTICE,
        },
    ]
}

/// What is known of a credential.
pub enum State {
    /// It is there; the text says where.
    There(String),
    /// It is not set anywhere.
    Unset,
    /// The credentials file cannot be used; the text says why.
    Broken(String),
}

/// How the credential called `name` stands.
pub fn state(credentials: &Credentials<'_>, name: Name) -> State {
    match credentials.source(name) {
        Ok(Source::Environment) => State::There("set in the environment".to_owned()),
        Ok(Source::File(file)) => State::There(format!("set in {}", file.display())),
        Err(missing) => missing.problem.map_or(State::Unset, State::Broken),
    }
}

/// The files that hold keys and that others than their owner can read or change, each with its mode.
pub fn exposed() -> Vec<(PathBuf, u32)> {
    // A key in the environment hides the file from a search, and from nobody else.
    let file_only = |name: &str| {
        let is_key = all()
            .iter()
            .any(|needs| needs.names.iter().any(|one| one.variable == name));
        std::env::var(name).ok().filter(|_| !is_key)
    };
    let credentials = Credentials::from_vars(&file_only, dirs::home_dir());
    let mut files = Vec::new();
    for name in all().iter().flat_map(|needs| needs.names) {
        if let Ok(Source::File(file)) = credentials.source(*name)
            && let Ok(status) = file.metadata()
            && status.mode() & 0o077 != 0
            && !files.iter().any(|(other, _)| *other == file)
        {
            files.push((file, status.mode() & 0o7777));
        }
    }
    files
}

/// The lines of a notice that say where keys are to be had.
pub fn where_to_get(notice: &str) -> String {
    let lines = notice.lines().filter(|line| line.starts_with("Get "));
    lines.collect::<Vec<_>>().join("; ")
}
