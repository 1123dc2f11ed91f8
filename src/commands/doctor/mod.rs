//! What stands between a host and the tools: where the links are, what a host finds there, whether
//! it answers, and what to do where it does not.
//!
//! Every file that a host would start is started here too, with `--schema` and a deadline; but what
//! a project has brought is listed alone, since whoever clones a repository and asks what is in it
//! has not agreed to run it. Each advice is one command for a shell, which helps when it is copied.

mod confinement;
mod identity;
mod keys;
mod laying;
mod network;
mod places;
mod probe;
mod research;
pub(super) mod shell;
mod tools;

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use places::Place;

use crate::console::color::{coloured, painted};
use crate::console::exit::ProgramExit;
use crate::console::{sanitize, say};
use crate::registry::Registry;

/// The colours of what is well, what is wrong, and headings (SGR parameters).
const GOOD: &str = "32";
const BAD: &str = "1;31";
const HEADING: &str = "1";

/// Looks at everything, and prints what there is and what to do. Exits 1 if anything is wrong. A
/// project's tools are started only if `run_project` says so.
pub fn run(known: Registry, run_project: bool) -> ProgramExit {
    let mut report = Report {
        colour: coloured(&io::stdout()),
        ..Report::default()
    };
    report.introduce();
    report.call_by_name();
    let places = places::all(known);
    report.places(&places);
    tools::report(&mut report, known, &places, run_project);
    keys::report(&mut report, known);
    research::report(&mut report, known);
    network::report(&mut report);
    confinement::report(&mut report);
    report.conclude()
}

/// What is said where a project has brought the file at `path`, which is not started: for tests of
/// tools that this program does not have.
#[cfg(test)]
pub fn said_of(known: Registry, path: PathBuf) -> String {
    let mut report = Report::default();
    let place = Place {
        owner: places::Owner::Project,
        directory: path.parent().unwrap_or(&path).to_owned(),
        files: Ok(vec![places::File {
            path,
            obstacle: None,
        }]),
        further: 0,
        exists: true,
    };
    tools::report(&mut report, known, &[place], false);
    keys::report(&mut report, known);
    let problems = report.problems.iter().chain(&report.hints);
    let advice = problems.map(|one| format!("{}\n-> {}\n", one.what, one.advice));
    advice.fold(report.text.clone(), |text, advice| text + &advice)
}

/// What has been seen.
#[derive(Default)]
struct Report {
    text: String,
    colour: bool,
    problems: Vec<Problem>,
    /// What is not wrong but worth knowing.
    hints: Vec<Problem>,
}

/// What is wrong, and the command that puts it right.
struct Problem {
    what: String,
    advice: String,
}

// What is called from everywhere in here is not copied there: the executable has a limit of size.
impl Report {
    #[inline(never)]
    fn line(&mut self, line: &str) {
        self.text.push_str(line.trim_end());
        self.text.push('\n');
    }

    #[inline(never)]
    fn heading(&mut self, heading: &str) {
        let heading = painted(heading, HEADING, self.colour);
        self.line(&format!("\n{heading}"));
    }

    fn problem(&mut self, what: impl Into<String>, advice: impl Into<String>) {
        self.note(true, what.into(), advice.into());
    }

    fn hint(&mut self, what: impl Into<String>, advice: impl Into<String>) {
        self.note(false, what.into(), advice.into());
    }

    #[inline(never)]
    fn note(&mut self, is_wrong: bool, what: String, advice: String) {
        let notes = if is_wrong {
            &mut self.problems
        } else {
            &mut self.hints
        };
        notes.push(Problem { what, advice });
    }

    fn introduce(&mut self) {
        let executable = std::env::current_exe().and_then(|path| path.canonicalize());
        let executable = executable.map_or_else(|error| error.to_string(), |path| shown(&path));
        let version = say::version();
        self.line(&format!("{}: {executable}", version.trim_end()));
    }

    /// Whether a shell finds the program that the installer has put into the prefix's `bin`.
    fn call_by_name(&mut self) {
        let Ok(executable) = std::env::current_exe() else {
            return;
        };
        let (Some(prefix), Some(name)) = (executable.ancestors().nth(3), executable.file_name())
        else {
            return;
        };
        let directory = prefix.join("bin");
        let path = std::env::var_os("PATH").unwrap_or_default();
        let is_found = |directory: &Path| same(&directory.join(name), &executable);
        if is_found(&directory) && !std::env::split_paths(&path).any(|one| is_found(&one)) {
            let what = format!(
                "a shell does not find ikigai-tools: {} is not on PATH",
                shown(&directory)
            );
            self.hint(
                what,
                format!("export PATH={}:\"$PATH\"", shell::word(&directory)),
            );
        }
    }

    fn places(&mut self, places: &[Place]) {
        self.heading("Places where hosts look; the first that has a tool wins");
        let on_path: Vec<PathBuf> = std::env::var_os("PATH")
            .map(|path| std::env::split_paths(&path).collect())
            .unwrap_or_default();
        for place in places {
            let directory = shown(&place.directory);
            let state = match &place.files {
                Err(error) => {
                    self.problem(
                        format!("{directory} cannot be listed: {error}"),
                        opened(&place.directory, error.kind()),
                    );
                    painted("cannot be listed", BAD, self.colour)
                }
                Ok(_) if !place.exists => "not there".to_owned(),
                Ok(files) if files.len() == 1 => "1 tool".to_owned(),
                Ok(files) => format!("{} tools", files.len() + place.further),
            };
            self.line(&format!(
                "  {:<8} {directory:<44} {state}",
                place.owner.name()
            ));
            if place.exists && on_path.iter().any(|one| same(one, &place.directory)) {
                let rest = on_path.iter().filter(|one| !same(one, &place.directory));
                let rest = std::env::join_paths(rest).unwrap_or_default();
                self.problem(
                    format!(
                        "{directory} is on PATH, where its `bash` and `grep` shadow the real ones; \
                         this takes it off in this shell, and belongs where it was put on"
                    ),
                    format!("export PATH={}", shell::word(Path::new(&rest))),
                );
            }
        }
    }

    fn conclude(mut self) -> ProgramExit {
        let problems = std::mem::take(&mut self.problems);
        let hints = std::mem::take(&mut self.hints);
        self.list("Not wrong, but to be known", &hints);
        self.list("To be put right", &problems);
        if problems.is_empty() {
            self.line("\nNothing is wrong.");
        }
        let printed = say::print(&self.text);
        if problems.is_empty() {
            printed
        } else {
            ProgramExit::Failure
        }
    }

    fn list(&mut self, heading: &str, problems: &[Problem]) {
        if problems.is_empty() {
            return;
        }
        self.heading(heading);
        for problem in problems {
            self.line(&format!("  {}", problem.what));
            self.line(&format!("    -> {}", problem.advice));
        }
    }
}

/// The command that lets a host list the place `directory`, which it cannot for an error of this
/// kind.
fn opened(directory: &Path, why: ErrorKind) -> String {
    match why {
        ErrorKind::PermissionDenied => {
            let barred = places::barred(directory);
            shell::chmod("u+rwx", barred.as_deref().unwrap_or(directory))
        }
        _ => shell::put_aside(directory, &[directory.to_owned()]),
    }
}

#[inline(never)]
fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// A path as a line on a terminal may have it.
#[inline(never)]
fn shown(path: &Path) -> String {
    sanitize::for_line(&path.to_string_lossy())
}

fn same(one: &Path, other: &Path) -> bool {
    one.canonicalize()
        .is_ok_and(|one| other.canonicalize().is_ok_and(|other| one == other))
}
