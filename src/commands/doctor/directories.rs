//! Directories in which hosts look for tools, and the files there.
//!
//! A project's tools come before a person's own, and these before the system's (REFERENCE.md, "For
//! hosts").

use std::ffi::OsString;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};

use crate::console::exit::PROGRAM;
use crate::registry::Registry;
use crate::sort::Sort;

/// The owner of a directory's tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolOwner {
    /// The project that is worked on: `.ikigai/tools`.
    Project,
    /// The person: `~/.ikigai/tools`.
    User,
    /// The system: `libexec/ikigai` under some prefix.
    System,
}

impl ToolOwner {
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
pub struct ToolDirectory {
    /// The owner.
    pub owner: ToolOwner,
    /// The directory.
    pub path: PathBuf,
    /// The files, sorted by name, or the reason why they cannot be seen.
    pub files: Result<Vec<ToolFile>, io::Error>,
    /// False if the directory does not exist.
    pub exists: bool,
}

/// A file that a host may take for a tool.
#[derive(Debug)]
pub struct ToolFile {
    /// The file.
    pub path: PathBuf,
    /// The reason why it cannot be started.
    pub obstacle: Option<StartObstacle>,
}

/// The reason why a file cannot be started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartObstacle {
    /// A link to nothing, or to a directory that may not be entered.
    Dangling,
    /// Its mode says so.
    NotExecutable,
}

/// The directories in the order of precedence.
///
/// A project's folder that is, by a link or since the project is the home directory, a folder that
/// is looked at anyway is that one: its tools are not what the project has brought.
pub fn find_all(known: Registry) -> Vec<ToolDirectory> {
    let home = home_directory();
    let here = std::env::current_dir().ok();
    let folder = |owner, parent: &Path| (owner, parent.join(".ikigai/tools"));
    let project = here.as_deref().map(|one| folder(ToolOwner::Project, one));
    let user = home.as_deref().map(|one| folder(ToolOwner::User, one));
    let system = system_directories(home.as_deref());
    let system = system.map(|directory| (ToolOwner::System, directory));
    let mut found: Vec<(PathBuf, ToolOwner, PathBuf)> = Vec::new();
    for (owner, directory) in project.into_iter().chain(user).chain(system) {
        let real = directory.canonicalize();
        let real = real.unwrap_or_else(|_| directory.clone());
        match found.iter_mut().find(|(other, ..)| *other == real) {
            Some((_, first @ ToolOwner::Project, _)) => *first = owner,
            Some(_) => {}
            None => found.push((real, owner, directory)),
        }
    }
    let list = |(_, owner, directory)| list_files(known, owner, directory);
    found.into_iter().map(list).collect()
}

/// The home directory. One that is relative would be wherever the program is called, in a project
/// too.
pub fn home_directory() -> Option<PathBuf> {
    dirs::home_dir().filter(|home| home.is_absolute())
}

/// The directory beside this executable or under its prefix, and those under the usual prefixes.
fn system_directories(home: Option<&Path>) -> impl Iterator<Item = PathBuf> {
    const UNDER_PREFIX: &str = "libexec/ikigai";
    let executable = std::env::current_exe().and_then(|path| path.canonicalize());
    let directory = executable
        .ok()
        .and_then(|path| Some(path.parent()?.to_owned()));
    let own = directory.and_then(|directory| {
        if directory.ends_with("bin") {
            Some(directory.parent()?.join(UNDER_PREFIX))
        } else {
            directory.ends_with(UNDER_PREFIX).then_some(directory)
        }
    });
    let prefixes = home.map(|home| home.join(".local")).into_iter();
    let prefixes = prefixes.chain(["/usr/local", "/usr"].map(PathBuf::from));
    own.into_iter()
        .chain(prefixes.map(|prefix| prefix.join(UNDER_PREFIX)))
}

fn list_files(known: Registry, owner: ToolOwner, path: PathBuf) -> ToolDirectory {
    let (exists, files) = match names_in(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => (false, Ok(Vec::new())),
        Err(error) => (true, Err(error)),
        Ok(names) => {
            let files = names
                .iter()
                .filter_map(|name| tool_file(known, &path, name));
            (true, Ok(files.collect()))
        }
    };
    ToolDirectory {
        owner,
        path,
        files,
        exists,
    }
}

/// The names in `directory`, sorted. Names that lead to nothing, because the directory may not be
/// entered, are an error.
fn names_in(directory: &Path) -> io::Result<Vec<OsString>> {
    let names = fs::read_dir(directory)?.filter_map(|entry| entry.ok().map(|one| one.file_name()));
    let mut names: Vec<OsString> = names.collect();
    access(directory, Access::EXEC_OK)?;
    names.arrange();
    Ok(names)
}

/// The file called `name`, if a host may take it for a tool, or should.
fn tool_file(known: Registry, directory: &Path, name: &OsString) -> Option<ToolFile> {
    let path = directory.join(name);
    let name = name.to_string_lossy();
    // The executable that the links lead to is not a tool.
    if name.starts_with('.') || name == PROGRAM {
        return None;
    }
    let obstacle = match path.metadata() {
        Err(_) => Some(StartObstacle::Dangling),
        Ok(status) if !status.is_file() => return None,
        Ok(_) if access(&path, Access::EXEC_OK).is_ok() => None,
        // Notes may lie here; but a file that is called like a tool is meant to be one.
        Ok(_) if known.find(&name).is_some() => Some(StartObstacle::NotExecutable),
        Ok(_) => return None,
    };
    Some(ToolFile { path, obstacle })
}

impl ToolFile {
    /// The file that this one leads to, whether it is there or not.
    pub fn target(&self) -> PathBuf {
        let path = &self.path;
        path.canonicalize()
            .unwrap_or_else(|_| match (path.parent(), path.read_link()) {
                (Some(directory), Ok(target)) => directory.join(target),
                _ => path.clone(),
            })
    }
}
