//! Tools that hosts find in these directories: the one that counts among several, and those that do
//! not answer.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::{Access, access};

use super::directories::{PROJECT, ToolDirectory, file_name, home_directory};
use super::{BAD, DoctorFinding, DoctorReport, GOOD, PLAIN, advice};
use crate::commands::{program, trust};
use iki_base::console::exit::PROGRAM;
use iki_base::console::sanitize::{display_path, for_line};
use iki_tools::contract::tool::{Tool, ToolSet};
use iki_tools::registry::Registry;

/// The time that a tool has for its schema.
const SCHEMA_TIMEOUT: Duration = Duration::from_secs(5);

/// Reports the tools of all directories. A project's are started only if `run_project` says so.
pub fn report(
    report: &mut DoctorReport,
    known: Registry,
    directories: &[ToolDirectory],
    run_project: bool,
) {
    report.heading("Tools");
    let mut survey = ToolSurvey {
        report,
        known,
        run_project,
        first: HashMap::new(),
        broken: HashSet::new(),
        compared: HashSet::new(),
    };
    for directory in directories {
        for file in directory.files() {
            survey.report_file(directory, file);
        }
    }
    if survey.first.is_empty() && survey.broken.is_empty() {
        survey.report.line("  none");
    }
    survey.report_missing(directories);
    survey.report_names_without_suffix();
    let is_left = |one: &ToolDirectory| !survey.may_start(one.owner) && !one.files().is_empty();
    if directories.iter().any(is_left) {
        let text = "the project's tools are not started here, because the project's authors could \
                    have put any program there. Once you have read them, this starts them with \
                    --schema";
        let advice = format!("{} doctor --run-project", advice::own_word());
        survey.report.hint(text, advice);
    }
}

/// The tool's name in a file's answer, and the words on it; `None` if it is not started.
type FileAnswer = Result<Option<(String, String)>, DoctorFinding>;

/// The tools that have been seen, by the names that hosts know.
struct ToolSurvey<'a> {
    report: &'a mut DoctorReport,
    /// The tools of this program.
    known: Registry,
    run_project: bool,
    /// The file that a host takes for each tool, and its owner.
    first: HashMap<String, (PathBuf, &'static str)>,
    /// The tools of which some file does not answer.
    broken: HashSet<String>,
    /// The files whose program has been compared with this one.
    compared: HashSet<PathBuf>,
}

impl ToolSurvey<'_> {
    fn may_start(&self, owner: &str) -> bool {
        owner != PROJECT || self.run_project
    }

    fn is_ours(&self, file: &Path) -> bool {
        self.known.find_tool(&file_name(file)).is_some()
    }

    fn report_file(&mut self, directory: &ToolDirectory, file: &Path) {
        let name = file_name(file);
        let presumed = match self.known.find_tool(&name) {
            Some(tool) => tool.name.to_owned(),
            None => name.replace('-', "_"),
        };
        let (colour, verdict, rank_among_duplicates) = match self.ask_file(directory, file) {
            Ok(answer) => {
                let (key, verdict) = answer.unwrap_or((presumed, "not started".to_owned()));
                (
                    GOOD,
                    verdict,
                    self.rank_among_duplicates(directory, file, key),
                )
            }
            Err((text, advice)) => {
                self.report.problem(text, advice);
                // Hosts take the next one of that name, as if this one were not there.
                self.broken.insert(presumed);
                (BAD, "WRONG".to_owned(), "passed over by hosts".to_owned())
            }
        };
        let subject = format!("{:<24} {:<8}", for_line(&name), directory.owner);
        let state = format!("{verdict:<12} {rank_among_duplicates}");
        self.report.row(&subject, colour, &state);
    }

    fn ask_file(&mut self, directory: &ToolDirectory, file: &Path) -> FileAnswer {
        let path_text = display_path(file);
        let is_ours = self.is_ours(file);
        // A link with a tool's name leads to this program again, another file is kept elsewhere.
        let relink = || advice::replace("ln -sfn", file);
        let relink = (is_ours && file.is_symlink()).then(relink);
        let repair = relink.unwrap_or_else(|| advice::put_aside(file));
        let Ok(target) = file.canonicalize() else {
            let target = directory.path.join(file.read_link().unwrap_or_default());
            let missing = format!("{} cannot be reached", display_path(&target));
            // A program that was removed has left all its links, which are one finding.
            if is_ours && target.ends_with(PROGRAM) {
                let place = display_path(&directory.path);
                let text = format!("links in {place} lead nowhere: {missing}");
                return Err((text, self.link_as_before(directory)));
            }
            return Err((format!("{path_text} leads nowhere: {missing}"), repair));
        };
        if access(&target, Access::EXEC_OK).is_err() {
            let text = format!("{} is not executable", display_path(&target));
            return Err((text, advice::chmod("a+x", &target)));
        }
        if !self.may_start(directory.owner) {
            return Ok(None);
        }
        if let Some(why) = trust::objection(file) {
            let text = format!("{why}: {path_text} is started by hosts of this user, and not here");
            self.report.problem(text, advice::put_aside(file));
            return Ok(None);
        }
        let started = Instant::now();
        let name = program::ask_for_schema(file, SCHEMA_TIMEOUT)
            .map_err(|fault| (format!("{path_text} {}", for_line(&fault)), repair))?;
        let took = format!("ok, {} ms", started.elapsed().as_millis());
        Ok(Some((name, took)))
    }

    /// The command that makes the links in `directory` anew, in the spelling that they have there.
    fn link_as_before(&self, directory: &ToolDirectory) -> String {
        let is_respelled = |file: &PathBuf| {
            let tool = self.known.find_tool(&file_name(file));
            is_suffixed(file) && tool.is_some_and(|tool| !tool.link.ends_with("-tool"))
        };
        let suffix = directory.files().iter().any(is_respelled);
        let suffix = if suffix { "--suffix " } else { "" };
        advice::link_all(&format!("--links-only {suffix}"), &directory.path)
    }

    /// The relation of `file` to others of the tool `key`, as a line of the list says it.
    fn rank_among_duplicates(
        &mut self,
        directory: &ToolDirectory,
        file: &Path,
        key: String,
    ) -> String {
        let Some((first, owner)) = self.first.get(&key) else {
            self.first.insert(key, (file.to_owned(), directory.owner));
            return String::new();
        };
        let (path_text, first_shown) = (display_path(file), display_path(first));
        if self.known.find_tool(&key).is_some()
            && self.compared.insert(first.clone())
            && !program::is_this_program(first, self.may_start(owner))
        {
            let text =
                format!("{first_shown} is not this program, but taken instead of {path_text}");
            self.report.problem(text, advice::put_aside(first));
        }
        format!("shadowed by {first_shown}")
    }

    /// Reports the tools that no host finds. That is wrong if some are found, or if the program was
    /// installed for hosts. MCP clients, for which a package may have brought it, need no links.
    fn report_missing(&mut self, directories: &[ToolDirectory]) {
        let is_seen =
            |tool: &&Tool| self.first.contains_key(tool.name) || self.broken.contains(tool.name);
        // Those of research are there on request: if one of them is, all should be.
        let mut seen = self.known.iter().filter(is_seen);
        let has_research = seen.any(|tool| tool.set == ToolSet::Research);
        let wanted: Vec<&Tool> = self.known.linked(has_research).collect();
        let missing = wanted.iter().filter(|tool| !is_seen(tool));
        let missing: Vec<&Tool> = missing.copied().collect();
        if missing.len() == wanted.len() {
            return self.report_none();
        }
        // A missing link belongs into the directory of the others.
        let is_home = |one: &&ToolDirectory| {
            let is_ours = |file: &PathBuf| self.is_ours(file);
            one.owner != PROJECT && one.files().iter().any(is_ours)
        };
        let advice = match directories.iter().rev().find(is_home) {
            Some(home) => self.link_as_before(home),
            None => advice::link_all("", &usual_directory()),
        };
        for tool in missing {
            let subject = format!("{:<24} {:<8}", tool.link, "-");
            self.report.row(&subject, PLAIN, "missing");
            let text = format!("no host finds {}", tool.command());
            self.report.problem(text, advice.clone());
        }
    }

    /// Reports that hosts find no tool.
    fn report_none(&mut self) {
        const NONE: &str = "no tool of this program is where a host looks";
        const CLIENTS: &str = "MCP clients and the command line need no links";
        let program_path = program::own_program().unwrap_or_default();
        let directory = usual_directory();
        // npx and uvx fetch a program to be called once, into caches that may lie anywhere.
        let mut parts = program_path.iter();
        let is_cached = dirs::cache_dir().is_some_and(|caches| program_path.starts_with(caches))
            || parts.any(|part| part == "_npx" || part == "archive-v0");
        if program_path.parent() == Some(&directory) {
            self.report.problem(NONE, advice::link_all("", &directory));
        } else if is_cached {
            self.report.hint(
                format!(
                    "{NONE}; {CLIENTS}. This program lies in a cache, where no link should lead"
                ),
                "uv tool install, pip install, npm install --global or ./install.sh keep it in \
                 one place",
            );
        } else {
            self.report.hint(
                format!("{NONE}; {CLIENTS}. For a host (with --remove they go again)"),
                advice::link_all("--links-only ", &directory),
            );
        }
    }

    /// Names the tools that the published ikigai does not find: it registers executables by names
    /// that end in `-tool`, and no others.
    fn report_names_without_suffix(&mut self) {
        let lines = self.known.iter().filter_map(|tool| {
            let (path, owner) = self.first.get(tool.name)?;
            let is_found = *owner == PROJECT || is_suffixed(path);
            (!is_found).then_some((tool.command(), path))
        });
        let (names, paths): (Vec<&str>, Vec<&PathBuf>) = lines.unzip();
        let Some(directory) = paths.first().and_then(|path| path.parent()) else {
            return;
        };
        // The files of the system's packages are left as they are.
        let is_packaged = directory.starts_with("/usr") && !directory.starts_with("/usr/local");
        let packaged_home = home_directory().filter(|_| is_packaged);
        let directory =
            packaged_home.map_or(directory.to_owned(), |home| home.join(".ikigai/tools"));
        let names = names.join(", ");
        self.report.hint(
            format!(
                "the published ikigai registers only names that end in -tool, and so it does not \
                 find {names}"
            ),
            advice::link_all("--links-only --suffix ", &directory),
        );
    }
}

/// The directory for the links if there are none yet: that of this program, if it is one.
fn usual_directory() -> PathBuf {
    let program_path = program::own_program().unwrap_or_default();
    let beside = program_path
        .parent()
        .filter(|one| one.ends_with("libexec/ikigai"));
    if let Some(beside) = beside {
        return beside.to_owned();
    }
    let prefix = home_directory().map(|home| home.join(".local"));
    prefix.unwrap_or("/usr/local".into()).join("libexec/ikigai")
}

fn is_suffixed(path: &Path) -> bool {
    file_name(path).ends_with("-tool")
}
