//! Tools that hosts find in these directories: the one that counts among several, and those that do
//! not answer.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use crate::commands::doctor::directories::{
    StartObstacle, ToolDirectory, ToolFile, ToolOwner, home_directory,
};
use crate::commands::doctor::probe::{ProgramIdentity, ask_for_schema, identify, own_program};
use crate::commands::doctor::{BAD, DoctorReport, GOOD, advice, display_path};
use crate::commands::trust;
use crate::console::color::painted;
use crate::console::exit::PROGRAM;
use crate::console::sanitize;
use crate::contract::tool::{Tool, ToolSet};
use crate::registry::Registry;

/// Reports the tools of all directories. A project's are started only if `run_project` says so.
pub fn report(
    report: &mut DoctorReport,
    known: Registry,
    directories: &[ToolDirectory],
    run_project: bool,
) {
    report.heading("Tools");
    let mut survey = ToolSurvey {
        known,
        run_project,
        first: HashMap::new(),
        broken: HashSet::new(),
        compared: HashSet::new(),
        left_unstarted: false,
    };
    for directory in directories {
        for file in directory.files.iter().flatten() {
            survey.report_file(report, directory, file);
        }
    }
    if survey.first.is_empty() && survey.broken.is_empty() {
        report.line("  none");
    }
    survey.report_missing(report, directories);
    survey.report_names_without_suffix(report);
    if survey.left_unstarted {
        report.hint(
            "the project's tools are not started here, because the project's authors could have put any \
             program there. Once you have read them, this starts them with --schema",
            format!("{} doctor --run-project", advice::word(&own_program())),
        );
    }
}

/// The tools that have been seen, by the names that hosts know.
struct ToolSurvey {
    /// The tools of this program.
    known: Registry,
    run_project: bool,
    /// The file that a host takes for each tool, and its owner.
    first: HashMap<String, (PathBuf, ToolOwner)>,
    /// The tools of which some file does not answer.
    broken: HashSet<String>,
    /// The files whose program has been compared with this one.
    compared: HashSet<PathBuf>,
    /// Some of a project's files were not started.
    left_unstarted: bool,
}

/// The answer of a file that was to be asked for its schema.
enum FileAnswer {
    Named(String, String),
    NotStarted,
    Wrong,
}

impl ToolSurvey {
    fn may_start(&self, owner: ToolOwner) -> bool {
        owner != ToolOwner::Project || self.run_project
    }

    fn report_file(
        &mut self,
        report: &mut DoctorReport,
        directory: &ToolDirectory,
        file: &ToolFile,
    ) {
        let name = file_name(&file.path);
        let presumed = || {
            let tool = self.known.find(&name);
            tool.map_or_else(|| name.replace('-', "_"), |tool| tool.name.to_owned())
        };
        let presumed = presumed();
        let (verdict, colour, standing) = match self.ask_file(report, directory, file) {
            FileAnswer::Named(key, took) => {
                (took, GOOD, self.standing(report, directory, file, key))
            }
            FileAnswer::NotStarted => {
                let standing = self.standing(report, directory, file, presumed);
                ("not started".to_owned(), GOOD, standing)
            }
            FileAnswer::Wrong => {
                // Hosts take the next one of that name, as if this one were not there.
                self.broken.insert(presumed);
                ("WRONG".to_owned(), BAD, "passed over by hosts".to_owned())
            }
        };
        let verdict = painted(&format!("{verdict:<12}"), colour, report.colour);
        report.line(&format!(
            "  {:<24} {:<8} {verdict} {standing}",
            sanitize::for_line(&name),
            directory.owner.name(),
        ));
    }

    fn ask_file(
        &mut self,
        report: &mut DoctorReport,
        directory: &ToolDirectory,
        file: &ToolFile,
    ) -> FileAnswer {
        if let Some(obstacle) = file.obstacle {
            self.report_obstacle(report, directory, file, obstacle);
            return FileAnswer::Wrong;
        }
        if !self.may_start(directory.owner) {
            self.left_unstarted = true;
            return FileAnswer::NotStarted;
        }
        if let Some(why) = trust::objection(&file.path) {
            let shown = display_path(&file.path);
            report.problem(
                format!("{why}: {shown} is not started here, but by hosts that this user runs"),
                advice::put_aside(&directory.path, &file.path),
            );
            return FileAnswer::NotStarted;
        }
        match ask_for_schema(&file.path) {
            Ok(answer) => {
                let target = file.target();
                if target.ends_with(PROGRAM) && self.compared.insert(target.clone()) {
                    report_if_older(report, &target);
                }
                let took = format!("ok, {} ms", answer.took.as_millis());
                FileAnswer::Named(answer.name, took)
            }
            Err(fault) => {
                report.problem(
                    format!(
                        "{} {}",
                        display_path(&file.path),
                        sanitize::for_line(&fault)
                    ),
                    self.repair_command(directory, &file.path),
                );
                FileAnswer::Wrong
            }
        }
    }

    fn is_ours(&self, path: &Path) -> bool {
        self.known.find(&file_name(path)).is_some()
    }

    /// The command that helps if the file at `path` does not answer as it should: a link with a
    /// tool's name leads to this program again, another file is kept elsewhere.
    fn repair_command(&self, directory: &ToolDirectory, path: &Path) -> String {
        if path.is_symlink() && self.is_ours(path) {
            advice::relink(path)
        } else {
            advice::put_aside(&directory.path, path)
        }
    }

    /// Reports an obstacle of a file: one finding for all files with the same cause.
    fn report_obstacle(
        &self,
        report: &mut DoctorReport,
        directory: &ToolDirectory,
        file: &ToolFile,
        obstacle: StartObstacle,
    ) {
        let target = file.target();
        let (shown, missing) = (display_path(&file.path), display_path(&target));
        match obstacle {
            StartObstacle::NotExecutable => report.problem(
                format!("{missing} is not executable"),
                advice::chmod("a+x", &target),
            ),
            // A program that was removed has left all its links.
            StartObstacle::Dangling if target.ends_with(PROGRAM) && self.is_ours(&file.path) => {
                let place = display_path(&directory.path);
                report.problem(
                    format!("links in {place} lead nowhere: {missing} cannot be reached"),
                    self.link_as_before(directory),
                );
            }
            StartObstacle::Dangling => report.problem(
                format!("{shown} leads nowhere: {missing} cannot be reached"),
                self.repair_command(directory, &file.path),
            ),
        }
    }

    /// The command that makes the links in `directory` anew, in the spelling that they have there.
    fn link_as_before(&self, directory: &ToolDirectory) -> String {
        let mut files = directory.files.iter().flatten();
        let is_respelled = |file: &ToolFile| {
            let tool = self.known.find(&file_name(&file.path));
            is_suffixed(&file.path) && tool.is_some_and(|tool| !tool.link.ends_with("-tool"))
        };
        let options = if files.any(is_respelled) {
            "--links-only --suffix "
        } else {
            "--links-only "
        };
        advice::link_all(options, &directory.path)
    }

    /// The relation of the file to others of the same tool, as a line of the list says it.
    fn standing(
        &mut self,
        report: &mut DoctorReport,
        directory: &ToolDirectory,
        file: &ToolFile,
        key: String,
    ) -> String {
        let Some((first, owner)) = self.first.get(&key) else {
            self.first.insert(key, (file.path.clone(), directory.owner));
            return String::new();
        };
        let shown = display_path(first);
        if first.parent() == file.path.parent() {
            // A name in `-tool` is registered by every host.
            let is_first_surplus = is_suffixed(&file.path) && !is_suffixed(first);
            let surplus = if is_first_surplus { first } else { &file.path };
            report.problem(
                format!(
                    "{} and {shown} are the same tool, {key}, of which a host may take either",
                    display_path(&file.path)
                ),
                advice::put_aside(&directory.path, surplus),
            );
            return format!("again, beside {shown}");
        }
        if self.known.find(&key).is_some()
            && self.compared.insert(first.clone())
            && matches!(
                identify(first, self.may_start(*owner)),
                ProgramIdentity::Foreign
            )
        {
            report.problem(
                format!(
                    "{shown} is not this program, and hosts take it instead of {}",
                    display_path(&file.path)
                ),
                advice::put_aside(first.parent().unwrap_or(first), first),
            );
        }
        format!("shadowed by {shown}")
    }

    /// Reports the tools that no host finds. That is wrong if some are found, or if the program was
    /// installed for hosts. MCP clients, for which a package may have brought it, need no links.
    fn report_missing(&self, report: &mut DoctorReport, directories: &[ToolDirectory]) {
        let is_seen =
            |tool: &&Tool| self.first.contains_key(tool.name) || self.broken.contains(tool.name);
        // Those of research are there on request: if one of them is, all should be.
        let has_research = self
            .known
            .into_iter()
            .any(|tool| tool.set == ToolSet::Research && is_seen(&tool));
        let wanted: Vec<&Tool> = self.known.linked(has_research).collect();
        let missing = wanted.iter().copied().filter(|tool| !is_seen(tool));
        let missing: Vec<&Tool> = missing.collect();
        if missing.len() == wanted.len() {
            return report_none(report);
        }
        // A missing link belongs into the directory of the others.
        let is_home = |one: &&ToolDirectory| {
            let mut files = one.files.iter().flatten();
            one.owner != ToolOwner::Project && files.any(|file| self.is_ours(&file.path))
        };
        let home = directories.iter().rev().find(is_home);
        let advice = home.map_or_else(
            || advice::link_all("", &usual_directory()),
            |home| self.link_as_before(home),
        );
        for tool in missing {
            report.line(&format!("  {:<24} {:<8} missing", tool.link, "-"));
            report.problem(format!("no host finds {}", tool.command()), advice.clone());
        }
    }

    /// Names the tools that the published ikigai does not find: it registers executables by names
    /// that end in `-tool`, and no others.
    fn report_names_without_suffix(&self, report: &mut DoctorReport) {
        let found = self.known.into_iter().filter_map(|tool| {
            let (path, owner) = self.first.get(tool.name)?;
            let is_found = *owner == ToolOwner::Project || is_suffixed(path);
            (!is_found).then_some((tool.command(), path))
        });
        let (names, paths): (Vec<&str>, Vec<&PathBuf>) = found.unzip();
        let Some(directory) = paths.first().and_then(|path| path.parent()) else {
            return;
        };
        // The files of the system's packages are left as they are.
        let is_packaged = directory.starts_with("/usr") && !directory.starts_with("/usr/local");
        let directory = match home_directory().filter(|_| is_packaged) {
            Some(home) => home.join(".ikigai/tools"),
            None => directory.to_owned(),
        };
        report.hint(
            format!(
                "the published ikigai registers only names that end in -tool, and so it does not find {}",
                names.join(", ")
            ),
            advice::link_all("--links-only --suffix ", &directory),
        );
    }
}

/// Reports that the links lead to an older version: a host then gets other tools than are read of
/// here.
fn report_if_older(report: &mut DoctorReport, program: &Path) {
    if let ProgramIdentity::Older(version) = identify(program, true) {
        report.problem(
            format!(
                "{} is {PROGRAM} {}, older than this one",
                display_path(program),
                sanitize::for_line(&version)
            ),
            advice::replace_program(program),
        );
    }
}

/// Reports that hosts find no tool.
fn report_none(report: &mut DoctorReport) {
    const NONE: &str = "no tool of this program is where a host looks";
    const CLIENTS: &str = "MCP clients and the command line need none";
    let own = own_program();
    // npx and uvx fetch a program to be called once, into caches that may have been moved anywhere.
    let mut parts = own.iter();
    let is_cached = dirs::cache_dir().is_some_and(|caches| own.starts_with(caches))
        || parts.any(|part| part == "_npx" || part == "archive-v0");
    if is_beside_links(&own) {
        report.problem(NONE, advice::link_all("", &usual_directory()));
    } else if is_cached {
        report.hint(
            format!("{NONE}; {CLIENTS}. This program lies in a cache, where no link should lead"),
            "uv tool install, pip install, npm install --global or ./install.sh keep it in one place",
        );
    } else {
        report.hint(
            format!("{NONE}; {CLIENTS}. For a host (with --remove they go again)"),
            advice::link_all("--links-only ", &usual_directory()),
        );
    }
}

fn is_beside_links(own: &Path) -> bool {
    own.parent()
        .is_some_and(|one| one.ends_with("libexec/ikigai"))
}

/// The directory for the links if there are none yet.
fn usual_directory() -> PathBuf {
    let own = own_program();
    match (own.parent(), home_directory()) {
        (Some(beside), _) if is_beside_links(&own) => beside.to_owned(),
        (_, Some(home)) => home.join(".local/libexec/ikigai"),
        _ => PathBuf::from("/usr/local/libexec/ikigai"),
    }
}

fn is_suffixed(path: &Path) -> bool {
    file_name(path).ends_with("-tool")
}

fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}
