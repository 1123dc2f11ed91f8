//! What stands between a host and the tools: where the links are, what a host finds there, whether it answers, and what
//! to do where it does not.
//!
//! Every file that a host would start is started here too, with `--schema` and a deadline.

mod keys;
mod places;
mod probe;

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

use super::flags::quoted;
use super::show::{coloured, painted};
use super::{Exit, PROGRAM, harmless, say};
use crate::tool::Tool;
use crate::toolbox::{self, TOOLS};
use crate::web::credentials::{Credentials, Name};
use places::{File, Obstacle, Owner, Place};

/// The colours of what is well, what is wrong, and headings (SGR parameters).
const GOOD: &str = "32";
const BAD: &str = "1;31";
const HEADING: &str = "1";

/// Looks at everything, and prints what there is and what to do. Exits 1 if anything is wrong.
pub fn run() -> Exit {
    let mut report = Report {
        colour: coloured(&io::stdout()),
        ..Report::default()
    };
    report.introduce();
    let places = places::all();
    report.places(&places);
    report.tools(&places);
    report.keys();
    report.conclude()
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

/// What is wrong, and what to do about it.
struct Problem {
    what: String,
    advice: String,
}

/// What has been seen of tools, which hosts know by name.
#[derive(Default)]
struct Known {
    /// What stands for a tool among those of all places.
    first: HashMap<String, PathBuf>,
    /// The tools of which something is there that does not answer.
    broken: HashSet<String>,
}

impl Report {
    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{}", line.trim_end());
    }

    fn heading(&mut self, heading: &str) {
        let heading = painted(heading, HEADING, self.colour);
        let _ = writeln!(self.text, "\n{heading}");
    }

    fn problem(&mut self, what: impl Into<String>, advice: impl Into<String>) {
        self.problems.push(Problem {
            what: what.into(),
            advice: advice.into(),
        });
    }

    fn introduce(&mut self) {
        let executable = std::env::current_exe().and_then(|path| path.canonicalize());
        let executable = executable.map_or_else(|error| error.to_string(), |path| shown(&path));
        let version = say::version();
        self.line(&format!("{}: {executable}", version.trim_end()));
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
                        "see its mode and owner: ls -ld shows them",
                    );
                    painted("cannot be listed", BAD, self.colour)
                }
                Ok(_) if !place.exists => "not there".to_owned(),
                Ok(files) if files.len() == 1 => "1 tool".to_owned(),
                Ok(files) => format!("{} tools", files.len()),
            };
            self.line(&format!(
                "  {:<8} {directory:<44} {state}",
                place.owner.name()
            ));
            if place.exists && on_path.iter().any(|one| same(one, &place.directory)) {
                self.problem(
                    format!(
                        "{directory} is on PATH, where its `bash` and `grep` shadow the real ones"
                    ),
                    "take it off PATH; ikigai-tools itself belongs there, in PREFIX/bin",
                );
            }
        }
    }

    fn tools(&mut self, places: &[Place]) {
        self.heading("Tools");
        let mut known = Known::default();
        for place in places {
            for file in place.files.iter().flatten() {
                self.tool(place.owner, file, &mut known);
            }
        }
        if known.first.is_empty() && known.broken.is_empty() {
            self.line("  none");
        }
        self.missing(places, &known);
    }

    fn tool(&mut self, owner: Owner, file: &File, known: &mut Known) {
        let path = shown(&file.path);
        let name = file_name(&file.path);
        let asked = match file.obstacle {
            Some(obstacle) => Err(self.obstructed(&path, obstacle)),
            None => probe::ask(&file.path).map_err(|fault| {
                let fault = harmless::line(&fault);
                self.problem(format!("{path} {fault}"), repair(&name));
                fault
            }),
        };
        let key = match &asked {
            Ok(answer) => answer.name.clone(),
            Err(_) => toolbox::find(&name)
                .map_or_else(|| name.replace('-', "_"), |tool| tool.name.to_owned()),
        };
        let (verdict, code) = match &asked {
            Ok(answer) => {
                self.compare(file, &answer.schema, &key);
                (format!("ok, {} ms", answer.took.as_millis()), GOOD)
            }
            Err(_) => ("WRONG".to_owned(), BAD),
        };
        let verdict = painted(&format!("{verdict:<12}"), code, self.colour);
        let standing = match known.first.get(&key) {
            // Hosts take the next one of that name, as if this one were not there.
            _ if asked.is_err() => {
                known.broken.insert(key);
                "passed over by hosts".to_owned()
            }
            Some(first) if first.parent() == file.path.parent() => {
                let first = shown(first);
                self.problem(
                    format!("{path} and {first} are the same tool, {key}"),
                    "remove one of them: a host may take either",
                );
                format!("again, beside {first}")
            }
            Some(first) => format!("shadowed by {}", shown(first)),
            None => {
                known.first.insert(key, file.path.clone());
                String::new()
            }
        };
        self.line(&format!(
            "  {:<24} {:<8} {verdict} {standing}",
            harmless::line(&name),
            owner.name(),
        ));
    }

    fn obstructed(&mut self, path: &str, obstacle: Obstacle) -> String {
        let (what, advice) = match obstacle {
            Obstacle::Dangling => (
                "leads nowhere",
                "remove it, or install again for that place",
            ),
            Obstacle::NotExecutable => ("is not executable", "make it so: chmod +x"),
        };
        self.problem(format!("{path} {what}"), format!("{advice} ({path})"));
        what.to_owned()
    }

    /// A link of ours to another version of this program is a trap: what one reads here is not what a host gets.
    fn compare(&mut self, file: &File, schema: &[u8], key: &str) {
        let target = file.path.canonicalize().unwrap_or_default();
        let ours = toolbox::find(key).filter(|_| file_name(&target) == PROGRAM);
        if ours.is_some_and(|tool| tool.schema.as_bytes() != schema) {
            self.problem(
                format!(
                    "{} describes itself otherwise than this version does",
                    shown(&file.path)
                ),
                format!(
                    "it leads to {}; install one version in both places",
                    shown(&target)
                ),
            );
        }
    }

    fn missing(&mut self, places: &[Place], known: &Known) {
        let missing: Vec<&Tool> = TOOLS
            .iter()
            .filter(|tool| !known.first.contains_key(tool.name))
            .filter(|tool| !known.broken.contains(tool.name))
            .collect();
        if missing.len() == TOOLS.len() {
            return self.problem(
                "no tool of this program is where a host looks",
                "install it: ./install.sh, with --user or --project for a person's or a project's own",
            );
        }
        // Where the others are is where one more belongs.
        let home = places.iter().find(|place| {
            let mut files = place.files.iter().flatten();
            files.any(|file| known.first.values().any(|path| *path == file.path))
        });
        let home = home.map_or_else(String::new, |place| shown(&place.directory));
        for tool in missing {
            self.line(&format!("  {:<24} {:<8} missing", tool.link, "-"));
            self.problem(
                format!("no host finds {}", tool.command()),
                format!("install again for that place, which is {home}"),
            );
        }
    }

    fn keys(&mut self) {
        self.heading("Keys");
        let credentials = Credentials::from_env();
        for (file, mode) in keys::exposed() {
            let file = file.to_string_lossy();
            self.problem(
                format!(
                    "{} holds keys, and its mode, {mode:o}, lets others at it",
                    harmless::line(&file)
                ),
                format!("chmod 600 {}", harmless::line(&quoted(&file))),
            );
        }
        for needs in keys::all() {
            let mut unset = Vec::new();
            let mut broken = None;
            for name in needs.names {
                let state = match keys::state(&credentials, *name) {
                    keys::State::There(place) => {
                        painted(&harmless::line(&place), GOOD, self.colour)
                    }
                    keys::State::Unset => {
                        unset.push(*name);
                        "not set".to_owned()
                    }
                    keys::State::Broken(reason) => {
                        broken = Some(reason);
                        painted("cannot be read", BAD, self.colour)
                    }
                };
                let tool = needs.tool.command();
                self.line(&format!("  {tool:<24} {:<24} {state}", name.variable));
            }
            match broken {
                Some(reason) => self.problem(
                    format!(
                        "{} finds no key: {}",
                        needs.tool.command(),
                        harmless::line(&reason)
                    ),
                    format!(
                        "put that file right; `{PROGRAM} help {}` names what it holds",
                        needs.tool.command()
                    ),
                ),
                None if unset.is_empty() => {}
                None => self.unset(&needs, &unset),
            }
        }
    }

    /// Half an account is a mistake; none at all may be a choice.
    fn unset(&mut self, needs: &keys::Needs, unset: &[Name]) {
        let half = unset.len() < needs.names.len();
        let tool = needs.tool.command();
        let ways = unset
            .iter()
            .map(|name| format!("{} or `{}`", name.variable, name.path.join(".")));
        let problem = Problem {
            what: if half {
                format!("{tool} has only a part of what it needs, and answers AUTH_MISSING")
            } else {
                format!("{tool} has no key, and answers AUTH_MISSING")
            },
            advice: format!(
                "set {} in ~/.config/ikigai/credentials.json. {}",
                ways.collect::<Vec<_>>().join(" and "),
                keys::where_to_get(needs.notice)
            ),
        };
        if half {
            self.problems.push(problem);
        } else {
            self.hints.push(problem);
        }
    }

    fn conclude(mut self) -> Exit {
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
            Exit::Failure
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

/// What to do about a tool called `name` that does not answer as it should.
fn repair(name: &str) -> &'static str {
    if toolbox::find(name).is_some() {
        "install again for that place, or remove it if it is another's"
    } else {
        "see to it with whoever made it; hosts pass it over"
    }
}

fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// A path as a line on a terminal may have it.
fn shown(path: &Path) -> String {
    harmless::line(&path.to_string_lossy())
}

fn same(one: &Path, other: &Path) -> bool {
    one.canonicalize()
        .is_ok_and(|one| other.canonicalize().is_ok_and(|other| one == other))
}
