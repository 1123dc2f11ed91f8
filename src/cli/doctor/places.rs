//! Where hosts look for tools, and what is there.
//!
//! A project's tools come before a person's own, and these before the system's (README.md, "For hosts").

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};

use crate::cli::PROGRAM;
use crate::toolbox;

/// Whose tools a place has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// The project's that is worked on: `.ikigai/tools`.
    Project,
    /// The person's: `~/.ikigai/tools`.
    User,
    /// The system's: `libexec/ikigai` under some prefix.
    System,
}

impl Owner {
    /// The owner's name in lists.
    pub fn name(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::User => "user",
            Self::System => "system",
        }
    }
}

/// A directory in which a host may look.
#[derive(Debug)]
pub struct Place {
    /// Whose tools these are.
    pub owner: Owner,
    /// The directory.
    pub directory: PathBuf,
    /// What is there, in the order of the names; why it could not be seen.
    pub files: Result<Vec<File>, String>,
    /// Whether the directory is there.
    pub exists: bool,
}

/// A file that a host may take for a tool.
#[derive(Debug)]
pub struct File {
    /// The file.
    pub path: PathBuf,
    /// Why it cannot be started.
    pub obstacle: Option<Obstacle>,
}

/// Why a file cannot be started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// A link to nothing.
    Dangling,
    /// Its mode says so.
    NotExecutable,
}

/// The places, the one that comes first before the others.
pub fn all() -> Vec<Place> {
    let mut candidates = Vec::new();
    if let Ok(here) = std::env::current_dir() {
        candidates.push((Owner::Project, here.join(".ikigai/tools")));
    }
    let home = dirs::home_dir();
    if let Some(home) = &home {
        candidates.push((Owner::User, home.join(".ikigai/tools")));
    }
    candidates.extend(system(home.as_deref()).map(|directory| (Owner::System, directory)));
    let mut seen = HashSet::new();
    candidates.retain(|(_, directory)| {
        seen.insert(
            directory
                .canonicalize()
                .unwrap_or_else(|_| directory.clone()),
        )
    });
    let look = |(owner, directory)| look(owner, directory);
    candidates.into_iter().map(look).collect()
}

/// Prefixes under which the system's tools may be: that of this executable, and the usual ones.
fn system(home: Option<&Path>) -> impl Iterator<Item = PathBuf> {
    let executable = std::env::current_exe().and_then(|path| path.canonicalize());
    let directory = executable
        .ok()
        .and_then(|path| path.parent().map(Path::to_owned));
    let beside = directory
        .as_ref()
        .filter(|directory| directory.ends_with("libexec/ikigai"));
    let beside = beside.cloned();
    let under = directory
        .as_ref()
        .filter(|directory| directory.ends_with("bin"))
        .and_then(|directory| directory.parent())
        .map(|prefix| prefix.join("libexec/ikigai"));
    let prefixes = home.map(|home| home.join(".local")).into_iter();
    let prefixes = prefixes.chain(["/usr/local", "/usr"].map(PathBuf::from));
    beside
        .into_iter()
        .chain(under)
        .chain(prefixes.map(|prefix| prefix.join("libexec/ikigai")))
}

fn look(owner: Owner, directory: PathBuf) -> Place {
    let (exists, files) = match fs::read_dir(&directory) {
        Err(error) if error.kind() == ErrorKind::NotFound => (false, Ok(Vec::new())),
        Err(error) => (true, Err(error.to_string())),
        Ok(entries) => {
            let names = entries.filter_map(|entry| entry.ok().map(|entry| entry.file_name()));
            let mut names: Vec<OsString> = names.collect();
            names.sort();
            let files = names
                .iter()
                .filter_map(|name| file(&directory, &name.to_string_lossy(), name));
            (true, Ok(files.collect()))
        }
    };
    Place {
        owner,
        directory,
        files,
        exists,
    }
}

/// The file called `name`, if a host may take it for a tool, or should.
fn file(directory: &Path, name: &str, exact: &OsString) -> Option<File> {
    // The executable that the links lead to is no tool.
    if name.starts_with('.') || name == PROGRAM {
        return None;
    }
    let path = directory.join(exact);
    let obstacle = match path.metadata() {
        Err(_) => Some(Obstacle::Dangling),
        Ok(status) if !status.is_file() => return None,
        Ok(_) if access(&path, Access::EXEC_OK).is_ok() => None,
        // Notes may lie here; but what is called like a tool is meant to be one.
        Ok(_) if toolbox::find(name).is_some() => Some(Obstacle::NotExecutable),
        Ok(_) => return None,
    };
    Some(File { path, obstacle })
}
