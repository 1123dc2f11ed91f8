//! Diagnosis of an installation: the links, the tools that a host finds there, their answers, and
//! the command that repairs each fault.
//!
//! Every file that a host would start is started here too, with `--schema` and a deadline; but what
//! a project has brought is only listed, because its authors could have put any program there. Each
//! advice is one command for a shell, which helps when it is copied.

pub(super) mod advice;
mod confinement;
mod directories;
mod keys;
mod network;
pub(super) mod probe;
mod research;
mod tools;

use std::io;
use std::path::{Path, PathBuf};

use directories::ToolDirectory;

use crate::console::color::{coloured, painted};
use crate::console::exit::ProgramExit;
use crate::console::{sanitize, say};
use crate::registry::Registry;

/// The colours of good news, bad news and headings (SGR parameters).
const GOOD: &str = "32";
const BAD: &str = "1;31";
const HEADING: &str = "1";

/// Checks everything, and prints the findings and the commands that help. Exits 1 if anything is
/// wrong. A project's tools are started only if `run_project` says so.
pub fn run(known: Registry, run_project: bool) -> ProgramExit {
    let mut report = DoctorReport {
        colour: coloured(&io::stdout()),
        ..DoctorReport::default()
    };
    let executable = std::env::current_exe().and_then(|path| path.canonicalize());
    let executable = executable.map_or_else(|error| error.to_string(), |path| display_path(&path));
    report.line(&format!("{}: {executable}", say::version().trim_end()));
    report.check_bin_on_path();
    let directories = directories::find_all(known);
    report.list_directories(&directories);
    tools::report(&mut report, known, &directories, run_project);
    keys::report(&mut report, known);
    research::report(&mut report, known);
    network::report(&mut report);
    confinement::report(&mut report);
    report.conclude()
}

/// The report on a file at `path` that a project has brought: for tests of tools that this program
/// does not have.
#[cfg(test)]
pub fn report_on_project_file(known: Registry, path: PathBuf) -> String {
    let mut report = DoctorReport::default();
    let directory = ToolDirectory {
        owner: directories::ToolOwner::Project,
        path: path.parent().unwrap_or(&path).to_owned(),
        files: Ok(vec![directories::ToolFile {
            path,
            obstacle: None,
        }]),
        exists: true,
    };
    tools::report(&mut report, known, &[directory], false);
    keys::report(&mut report, known);
    let findings = report.problems.iter().chain(&report.hints);
    let advice = findings.map(|one| format!("{}\n-> {}\n", one.text, one.advice));
    advice.fold(report.text.clone(), |text, advice| text + &advice)
}

/// The findings so far, and the text about them.
#[derive(Default)]
struct DoctorReport {
    text: String,
    colour: bool,
    problems: Vec<DoctorFinding>,
    /// Findings that are not wrong but worth knowing.
    hints: Vec<DoctorFinding>,
}

/// A finding, and the command that repairs it.
#[derive(PartialEq)]
struct DoctorFinding {
    text: String,
    advice: String,
}

impl DoctorReport {
    #[inline(never)]
    fn line(&mut self, line: &str) {
        self.text.push_str(line.trim_end());
        self.text.push('\n');
    }

    fn heading(&mut self, heading: &str) {
        let heading = painted(heading, HEADING, self.colour);
        self.line(&format!("\n{heading}"));
    }

    /// Adds a fault, once.
    #[inline(never)]
    fn problem(&mut self, text: impl Into<String>, advice: impl Into<String>) {
        let (text, advice) = (text.into(), advice.into());
        let problem = DoctorFinding { text, advice };
        if !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }

    #[inline(never)]
    fn hint(&mut self, text: impl Into<String>, advice: impl Into<String>) {
        let (text, advice) = (text.into(), advice.into());
        self.hints.push(DoctorFinding { text, advice });
    }

    /// Hints at a `bin` of the prefix that no shell finds, though the program is there.
    fn check_bin_on_path(&mut self) {
        let Ok(executable) = std::env::current_exe() else {
            return;
        };
        let (Some(prefix), Some(name)) = (executable.ancestors().nth(3), executable.file_name())
        else {
            return;
        };
        let directory = prefix.join("bin");
        let is_found = |directory: &Path| same(&directory.join(name), &executable);
        if is_found(&directory) && !path_directories().iter().any(|one| is_found(one)) {
            self.hint(
                format!(
                    "a shell does not find ikigai-tools: {} is not on PATH",
                    display_path(&directory)
                ),
                format!("export PATH={}:\"$PATH\"", advice::word(&directory)),
            );
        }
    }

    fn list_directories(&mut self, directories: &[ToolDirectory]) {
        self.heading("Places where hosts look; the first that has a tool wins");
        let on_path = path_directories();
        for directory in directories {
            let shown = display_path(&directory.path);
            let state = match &directory.files {
                Err(error) => {
                    self.problem(
                        format!("{shown} cannot be listed: {error}"),
                        advice::chmod("u+rwx", &directory.path),
                    );
                    painted("cannot be listed", BAD, self.colour)
                }
                Ok(_) if !directory.exists => "not there".to_owned(),
                Ok(files) if files.len() == 1 => "1 tool".to_owned(),
                Ok(files) => format!("{} tools", files.len()),
            };
            self.line(&format!(
                "  {:<8} {shown:<44} {state}",
                directory.owner.name()
            ));
            let is_here = |one: &&PathBuf| same(one, &directory.path);
            if directory.exists && on_path.iter().any(|one| is_here(&one)) {
                let rest = on_path.iter().filter(|one| !is_here(one));
                let rest = std::env::join_paths(rest).unwrap_or_default();
                self.problem(
                    format!(
                        "{shown} is on PATH, where its `bash` and `grep` shadow the real ones; \
                         this takes it off in this shell, and belongs where it was put on"
                    ),
                    format!("export PATH={}", advice::word(Path::new(&rest))),
                );
            }
        }
    }

    fn conclude(mut self) -> ProgramExit {
        let problems = std::mem::take(&mut self.problems);
        let hints = std::mem::take(&mut self.hints);
        self.list("Worth knowing", &hints);
        self.list("To fix", &problems);
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

    fn list(&mut self, heading: &str, findings: &[DoctorFinding]) {
        if findings.is_empty() {
            return;
        }
        self.heading(heading);
        for finding in findings {
            self.line(&format!("  {}", finding.text));
            self.line(&format!("    -> {}", finding.advice));
        }
    }
}

fn path_directories() -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).collect()
}

/// A path in one line, without control characters that a terminal would obey.
#[inline(never)]
fn display_path(path: &Path) -> String {
    sanitize::for_line(&path.to_string_lossy())
}

fn same(one: &Path, other: &Path) -> bool {
    one.canonicalize()
        .is_ok_and(|one| other.canonicalize().is_ok_and(|other| one == other))
}
