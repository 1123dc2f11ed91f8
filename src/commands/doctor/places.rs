//! Where hosts look for tools, and what is there.
//!
//! A project's tools come before a person's own, and these before the system's (REFERENCE.md, "For
//! hosts").

use std::ffi::OsString;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};
use rustix::io::Errno;

use crate::console::exit::PROGRAM;
use crate::registry::Registry;
use crate::sort::Sort;

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

/// The most files of a place that are looked at: hosts send the schemas of all of them to a model.
const MOST_FILES: usize = 200;

/// A directory in which a host may look.
#[derive(Debug)]
pub struct Place {
    /// Whose tools these are.
    pub owner: Owner,
    /// The directory.
    pub directory: PathBuf,
    /// What is there, in the order of the names; why it could not be seen.
    pub files: Result<Vec<File>, io::Error>,
    /// How many further files are there, which are not looked at.
    pub further: usize,
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
    /// A directory on the way to where it leads may not be entered.
    Barred,
    /// Its mode says so.
    NotExecutable,
}

/// The places, the one that comes first before the others.
///
/// A project's folder that is, by a link or since the project is the home directory, a folder that
/// is looked at anyway is that one: what lies there is not what the project has brought.
pub fn all(known: Registry) -> Vec<Place> {
    let mut candidates = Vec::new();
    if let Ok(here) = std::env::current_dir() {
        candidates.push((Owner::Project, here.join(".ikigai/tools")));
    }
    let home = home();
    if let Some(home) = &home {
        candidates.push((Owner::User, home.join(".ikigai/tools")));
    }
    candidates.extend(system(home.as_deref()).map(|directory| (Owner::System, directory)));
    let mut places: Vec<(PathBuf, Owner, PathBuf)> = Vec::new();
    for (owner, directory) in candidates {
        let real = directory.canonicalize();
        let real = real.unwrap_or_else(|_| directory.clone());
        match places.iter_mut().find(|(other, ..)| *other == real) {
            Some((_, first @ Owner::Project, _)) => *first = owner,
            Some(_) => {}
            None => places.push((real, owner, directory)),
        }
    }
    let look = |(_, owner, directory)| look(known, owner, directory);
    places.into_iter().map(look).collect()
}

/// The home directory. One that is relative would be wherever the program is called, in a project
/// too.
pub fn home() -> Option<PathBuf> {
    dirs::home_dir().filter(|home| home.is_absolute())
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

fn look(known: Registry, owner: Owner, directory: PathBuf) -> Place {
    let mut further = 0;
    let (exists, files) = match names(&directory) {
        Err(error) if error.kind() == ErrorKind::NotFound => (false, Ok(Vec::new())),
        Err(error) => (true, Err(error)),
        Ok(names) => {
            let files = names
                .iter()
                .filter_map(|name| file(known, &directory, name));
            let mut files: Vec<File> = files.collect();
            further = files.len().saturating_sub(MOST_FILES);
            files.truncate(MOST_FILES);
            (true, Ok(files))
        }
    };
    Place {
        owner,
        directory,
        files,
        further,
        exists,
    }
}

/// The names in `directory`, sorted. Names that lead to nothing, since the directory may not be
/// entered, are an error.
fn names(directory: &Path) -> io::Result<Vec<OsString>> {
    let names = fs::read_dir(directory)?.filter_map(|entry| entry.ok().map(|one| one.file_name()));
    let mut names: Vec<OsString> = names.collect();
    access(directory, Access::EXEC_OK)?;
    names.arrange();
    Ok(names)
}

/// The file called `name`, if a host may take it for a tool, or should.
fn file(known: Registry, directory: &Path, name: &OsString) -> Option<File> {
    let path = directory.join(name);
    let name = name.to_string_lossy();
    // The executable that the links lead to is not a tool.
    if name.starts_with('.') || name == PROGRAM {
        return None;
    }
    let obstacle = match path.metadata() {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => Some(Obstacle::Barred),
        Err(_) => Some(Obstacle::Dangling),
        Ok(status) if !status.is_file() => return None,
        Ok(_) if access(&path, Access::EXEC_OK).is_ok() => None,
        // Notes may lie here; but what is called like a tool is meant to be one.
        Ok(_) if known.find(&name).is_some() => Some(Obstacle::NotExecutable),
        Ok(_) => return None,
    };
    Some(File { path, obstacle })
}

/// What stands in the way of `file`: the directory that may not be entered, or else where the file
/// leads.
pub fn cause(file: &File) -> PathBuf {
    let path = &file.path;
    let target = path.canonicalize();
    let target = target.unwrap_or_else(|_| match (path.parent(), path.read_link()) {
        (Some(directory), Ok(target)) => directory.join(target),
        _ => path.clone(),
    });
    match file.obstacle {
        Some(Obstacle::Barred) => barred(&target).unwrap_or(target),
        _ => target,
    }
}

/// The first directory on the way to `path` that may not be entered.
pub fn barred(path: &Path) -> Option<PathBuf> {
    let above: Vec<&Path> = path.ancestors().skip(1).collect();
    let mut above = above.into_iter().rev();
    let barred = above.find(|directory| access(*directory, Access::EXEC_OK) == Err(Errno::ACCESS));
    barred.map(Path::to_owned)
}
