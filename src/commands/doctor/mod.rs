//! Diagnosis of an installation: the links, the tools that a host finds there, their answers, and
//! the command that repairs each fault.
//!
//! Every file that a host would start is started here too, with `--schema` and a deadline; but what
//! a project has brought is only listed, because its authors could have put any program there. Each
//! advice is one command for a shell, which helps when it is copied.

mod advice;
mod confinement;
mod directories;
mod tools;
mod web;

use std::io;

use crate::commands::program;
use iki_base::console::color::{coloured, painted};
use iki_base::console::exit::ProgramExit;
use iki_base::console::program_output;
use iki_base::console::sanitize::display_path;
use iki_tools::registry::Registry;

/// The colours of good news, bad news, headings and other text (SGR parameters).
const GOOD: &str = "32";
const BAD: &str = "1;31";
const HEADING: &str = "1";
const PLAIN: &str = "";

/// Checks everything, and prints the findings and the commands that help. Exits 1 if anything is
/// wrong. A project's tools are started only if `run_project` says so.
pub fn run(known: Registry, run_project: bool) -> ProgramExit {
    let mut report = DoctorReport {
        colour: coloured(&io::stdout()),
        ..DoctorReport::default()
    };
    let path = program::own_program();
    let path_text = path.as_deref().map_or_else(String::clone, display_path);
    report.line(&format!(
        "{}: {path_text}",
        program_output::version().trim_end()
    ));
    let directories = directories::find_all(known);
    report.heading("Places where hosts look; the first that has a tool wins");
    for directory in &directories {
        directory.report(&mut report);
    }
    tools::report(&mut report, known, &directories, run_project);
    web::report_keys(&mut report, known);
    web::report_research(&mut report, known);
    web::report_helpers(&mut report);
    web::report_network(&mut report);
    confinement::report(&mut report);
    report.conclude()
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
type DoctorFinding = (String, String);

impl DoctorReport {
    fn line(&mut self, line: &str) {
        self.text.push_str(line.trim_end());
        self.text.push('\n');
    }

    fn heading(&mut self, heading: &str) {
        let heading = painted(heading, HEADING, self.colour);
        self.line(&format!("\n{heading}"));
    }

    /// Adds a line of a list: the subject, and its state in this colour.
    fn row(&mut self, subject: &str, colour: &str, state: &str) {
        let state = painted(state, colour, self.colour && !colour.is_empty());
        self.line(&format!("  {subject:<24} {state}"));
    }

    /// Adds a fault, once.
    fn problem(&mut self, text: impl Into<String>, advice: impl Into<String>) {
        let problem = (text.into(), advice.into());
        if !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }

    fn hint(&mut self, text: impl Into<String>, advice: impl Into<String>) {
        self.hints.push((text.into(), advice.into()));
    }

    fn conclude(mut self) -> ProgramExit {
        let hints = std::mem::take(&mut self.hints);
        let problems = std::mem::take(&mut self.problems);
        self.list("Worth knowing", &hints);
        self.list("To fix", &problems);
        if !problems.is_empty() {
            program_output::print(&self.text);
            return ProgramExit::Failure;
        }
        self.line("\nNothing is wrong.");
        program_output::print(&self.text)
    }

    fn list(&mut self, heading: &str, findings: &[DoctorFinding]) {
        if !findings.is_empty() {
            self.heading(heading);
        }
        for (text, advice) in findings {
            self.line(&format!("  {text}\n    -> {advice}"));
        }
    }
}

/// Reports for tests of tools that this program does not have.
#[cfg(test)]
pub mod fixture {
    use super::directories::{PROJECT, ToolDirectory};
    use super::{DoctorReport, Registry, tools, web};

    /// The report on a file of this `name` that a project has brought.
    pub fn report_on_project_file(known: Registry, name: &str) -> String {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join(name);
        std::fs::copy("/bin/sh", &file).unwrap();
        let directory = ToolDirectory {
            owner: PROJECT,
            path: place.path().to_owned(),
            files: Ok(vec![file]),
        };
        let mut report = DoctorReport::default();
        tools::report(&mut report, known, &[directory], false);
        web::report_keys(&mut report, known);
        let findings = report.problems.iter().chain(&report.hints);
        let advice = findings.map(|(text, advice)| format!("{text}\n-> {advice}\n"));
        advice.fold(report.text.clone(), |text, advice| text + &advice)
    }
}
