//! Directories in which hosts look for tools, and the files there.
//!
//! A project's tools come before a person's own, and these before the system's (REFERENCE.md, "For
//! hosts").

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};

use crate::commands::doctor::{BAD, DoctorReport, PLAIN, advice};
use crate::commands::program::{own_program, path_directories, same_file, shell_word};
use iki_base::console::exit::PROGRAM;
use iki_base::console::sanitize::display_path;
use iki_tools::registry::Registry;

/// The owner of the tools in the folder of the project that is worked on.
pub const PROJECT: &str = "project";

/// A directory in which a host may look.
#[derive(Debug)]
pub struct ToolDirectory {
    /// The owner: the project, the `user`, or the `system` under some prefix.
    pub owner: &'static str,
    /// The directory.
    pub path: PathBuf,
    /// The files that a host may take for tools, sorted by name, or the reason why they cannot be
    /// seen.
    pub files: io::Result<Vec<PathBuf>>,
}

impl ToolDirectory {
    /// The files, as far as they can be seen.
    pub fn files(&self) -> &[PathBuf] {
        self.files.as_deref().unwrap_or_default()
    }

    /// Adds the directory to the list, and faults of its own.
    pub fn report(&self, report: &mut DoctorReport) {
        let path_text = display_path(&self.path);
        let (colour, state) = match &self.files {
            Err(error) if error.kind() == ErrorKind::NotFound => (PLAIN, "not there".to_owned()),
            Err(error) => {
                let text = format!("{path_text} cannot be listed: {error}");
                report.problem(text, advice::chmod("u+rwx", &self.path));
                (BAD, "cannot be listed".to_owned())
            }
            Ok(files) if files.len() == 1 => (PLAIN, "1 tool".to_owned()),
            Ok(files) => (PLAIN, format!("{} tools", files.len())),
        };
        let subject = format!("{:<8} {path_text:<44}", self.owner);
        report.row(&subject, colour, &state);
        let on_path = path_directories();
        let others = on_path.iter().filter(|one| !same_file(one, &self.path));
        let others: Vec<&PathBuf> = others.collect();
        if others.len() < on_path.len() {
            let others = std::env::join_paths(others).unwrap_or_default();
            let text = format!(
                "{path_text} is on PATH, where its `bash` and `grep` shadow the real ones; this \
                 takes it off in this shell, and belongs where it was put on"
            );
            let advice = format!("export PATH={}", shell_word(Path::new(&others)));
            report.problem(text, advice);
        }
    }
}

/// The directories in the order of precedence.
///
/// A project's folder that is, by a link or since the project is the home directory, a folder that
/// is looked at anyway is that one: its tools are not what the project has brought.
pub fn find_all(known: Registry) -> Vec<ToolDirectory> {
    let here = std::env::current_dir().ok();
    let home = home_directory();
    let below = |directory: &Option<PathBuf>, name| Some(directory.as_deref()?.join(name));
    // Beside this executable, or under its prefix.
    let program_path = own_program().unwrap_or_default();
    let program_directory = program_path.parent();
    let bin = program_directory.filter(|parent| parent.ends_with("bin"));
    let beside = program_directory.filter(|parent| parent.ends_with("libexec/ikigai"));
    let beside = bin
        .and_then(|bin| Some(bin.parent()?.join("libexec/ikigai")))
        .or_else(|| beside.map(Path::to_owned));
    let places = [
        (PROJECT, below(&here, ".ikigai/tools")),
        ("user", below(&home, ".ikigai/tools")),
        ("system", beside),
        ("system", below(&home, ".local/libexec/ikigai")),
        ("system", Some("/usr/local/libexec/ikigai".into())),
        ("system", Some("/usr/libexec/ikigai".into())),
    ];
    let mut all: Vec<(PathBuf, ToolDirectory)> = Vec::new();
    let places = places.into_iter();
    for (owner, path) in places.filter_map(|(owner, path)| Some((owner, path?))) {
        let real = path.canonicalize().unwrap_or_else(|_| path.clone());
        match all.iter_mut().find(|(other, _)| *other == real) {
            Some((_, first)) if first.owner == PROJECT => first.owner = owner,
            Some(_) => {}
            None => {
                let files = list_files(known, &path);
                all.push((real, ToolDirectory { owner, path, files }));
            }
        }
    }
    all.into_iter().map(|(_, directory)| directory).collect()
}

/// The home directory. One that is relative would be wherever the program is called, in a project
/// too.
pub fn home_directory() -> Option<PathBuf> {
    dirs::home_dir().filter(|home| home.is_absolute())
}

/// The files in `directory` that a host may take for tools, or should. Names that lead to nothing,
/// because the directory may not be entered, are an error.
fn list_files(known: Registry, directory: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(directory)?;
    access(directory, Access::EXEC_OK)?;
    let files = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut files: Vec<PathBuf> = files.filter(|file| may_be_tool(known, file)).collect();
    files.sort_unstable();
    Ok(files)
}

fn may_be_tool(known: Registry, file: &Path) -> bool {
    let name = file_name(file);
    // The executable that the links lead to is not a tool.
    if name.starts_with('.') || name == PROGRAM {
        return false;
    }
    // Notes may lie here; but a file that is called like a tool is meant to be one.
    let is_meant = || access(file, Access::EXEC_OK).is_ok() || known.find_tool(&name).is_some();
    file.metadata()
        .map_or(true, |status| status.is_file() && is_meant())
}

/// The file's name.
pub fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}
