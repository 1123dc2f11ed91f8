//! Whether the web searches have their keys. No key is ever shown.

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

/// The lines of a notice that say where keys are to be had.
pub fn where_to_get(notice: &str) -> String {
    let lines = notice.lines().filter(|line| line.starts_with("Get "));
    lines.collect::<Vec<_>>().join("; ")
}
