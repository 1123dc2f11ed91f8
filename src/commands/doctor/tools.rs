//! What hosts find in the places: which file is which tool, which of several counts, and whether it
//! answers.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use crate::command_line::fields;
use crate::commands::doctor::identity::Identity;
use crate::commands::doctor::places::{File, Obstacle, Owner, Place};
use crate::commands::doctor::{
    BAD, GOOD, Report, file_name, identity, laying, places, probe, shell, shown,
};
use crate::commands::trust;
use crate::console::color::painted;
use crate::console::exit::PROGRAM;
use crate::console::sanitize;
use crate::contract::tool::{Tool, ToolSet};
use crate::registry::Registry;

/// Puts down the tools of all places. A project's are started only if `run_project` says so.
pub fn report(report: &mut Report, known: Registry, places: &[Place], run_project: bool) {
    report.heading("Tools");
    let mut tools = Tools::new(known, run_project);
    for place in places {
        for file in place.files.iter().flatten() {
            tools.file(report, place, file);
        }
        if place.further > 0 {
            let further = format!("and {} more, not looked at", place.further);
            report.line(&format!("  {further:<24} {:<8}", place.owner.name()));
        }
    }
    if tools.first.is_empty() && tools.broken.is_empty() {
        report.line("  none");
    }
    tools.obstructed(report);
    tools.of_others(report);
    tools.replaced(report);
    tools.shadowing(report);
    tools.missing(report, places);
    tools.without_suffix(report, places);
    tools.not_started(report);
}

/// What has been seen of tools, which hosts know by name.
struct Tools {
    /// The tools of this program.
    known: Registry,
    run_project: bool,
    /// What stands for a tool among those of all places.
    first: HashMap<String, Winner>,
    /// The tools of which something is there that does not answer.
    broken: HashSet<String>,
    /// What stands in somebody's way, and whose.
    obstructed: Vec<(Obstacle, PathBuf, Vec<PathBuf>)>,
    /// Programs that describe tools of ours otherwise than this version does, and the tools'
    /// files.
    otherwise: Vec<(PathBuf, Vec<PathBuf>)>,
    /// Tools of ours that are taken instead of others, in the order in which that was seen.
    shadowing: Vec<(String, PathBuf)>,
    /// The reasons not to start files that others may have put there, and these files.
    of_others: Vec<(String, Vec<PathBuf>)>,
    /// The number of a project's files that were not started.
    not_started: usize,
}

/// What a host takes for a tool.
struct Winner {
    path: PathBuf,
    owner: Owner,
}

impl Tools {
    fn new(known: Registry, run_project: bool) -> Self {
        Self {
            known,
            run_project,
            first: HashMap::new(),
            broken: HashSet::new(),
            obstructed: Vec::new(),
            otherwise: Vec::new(),
            shadowing: Vec::new(),
            of_others: Vec::new(),
            not_started: 0,
        }
    }

    fn may_start(&self, owner: Owner) -> bool {
        owner != Owner::Project || self.run_project
    }

    fn file(&mut self, report: &mut Report, place: &Place, file: &File) {
        let name = file_name(&file.path);
        let known = self.known;
        let presumed = || {
            known
                .find(&name)
                .map_or_else(|| name.replace('-', "_"), |tool| tool.name.to_owned())
        };
        let (key, verdict, code) = match self.asked(report, place.owner, file) {
            Probed::Answered(answer) => {
                self.compare(file, &answer.schema, &answer.name);
                let took = format!("ok, {} ms", answer.took.as_millis());
                (answer.name, took, GOOD)
            }
            Probed::Not => (presumed(), "not started".to_owned(), GOOD),
            Probed::Wrong => (presumed(), "WRONG".to_owned(), BAD),
        };
        let standing = if code == BAD {
            // Hosts take the next one of that name, as if this one were not there.
            self.broken.insert(key);
            "passed over by hosts".to_owned()
        } else {
            self.standing(report, place, file, key)
        };
        let verdict = painted(&format!("{verdict:<12}"), code, report.colour);
        report.line(&format!(
            "  {:<24} {:<8} {verdict} {standing}",
            sanitize::for_line(&name),
            place.owner.name(),
        ));
    }

    fn asked(&mut self, report: &mut Report, owner: Owner, file: &File) -> Probed {
        if let Some(obstacle) = file.obstacle {
            let cause = places::cause(file);
            let path = file.path.clone();
            let mut known = self.obstructed.iter_mut();
            match known.find(|(other, at, _)| (*other, at) == (obstacle, &cause)) {
                Some((.., paths)) => paths.push(path),
                None => self.obstructed.push((obstacle, cause, vec![path])),
            }
            return Probed::Wrong;
        }
        if !self.may_start(owner) {
            self.not_started += 1;
            return Probed::Not;
        }
        if let Some(why) = trust::objection(&file.path) {
            add(&mut self.of_others, why, &file.path);
            return Probed::Not;
        }
        match probe::ask(&file.path) {
            Ok(answer) => Probed::Answered(answer),
            Err(fault) => {
                let what = format!("{} {}", shown(&file.path), sanitize::for_line(&fault));
                report.problem(what, replaced(self.known, &file.path));
                Probed::Wrong
            }
        }
    }

    /// How the file stands to others of the same tool, as a line of the list says it.
    fn standing(&mut self, report: &mut Report, place: &Place, file: &File, key: String) -> String {
        let Some(Winner { path: first, .. }) = self.first.get(&key) else {
            let (path, owner) = (file.path.clone(), place.owner);
            self.first.insert(key, Winner { path, owner });
            return String::new();
        };
        if first.parent() == file.path.parent() {
            let what = format!(
                "{} and {} are the same tool, {key}, of which a host may take either",
                shown(&file.path),
                shown(first)
            );
            // A name in `-tool` is registered by every host.
            let suffixed = |path: &Path| file_name(path).ends_with("-tool");
            let surplus = if suffixed(&file.path) && !suffixed(first) {
                first
            } else {
                &file.path
            };
            report.problem(
                what,
                shell::put_aside(&place.directory, std::slice::from_ref(surplus)),
            );
            return format!("again, beside {}", shown(first));
        }
        if !self.shadowing.iter().any(|(other, _)| *other == key) && self.known.find(&key).is_some()
        {
            self.shadowing.push((key.clone(), file.path.clone()));
        }
        format!("shadowed by {}", shown(first))
    }

    /// A link of ours to another version of this program is a trap: what one reads here is not what
    /// a host gets.
    fn compare(&mut self, file: &File, schema: &[u8], key: &str) {
        let target = file.path.canonicalize().unwrap_or_default();
        let ours = self
            .known
            .find(key)
            .filter(|_| file_name(&target) == PROGRAM);
        if ours.is_some_and(|tool| tool.schema.as_bytes() != schema) {
            add(&mut self.otherwise, target, &file.path);
        }
    }

    fn obstructed(&self, report: &mut Report) {
        for (obstacle, cause, files) in &self.obstructed {
            let at = shown(cause);
            let affected = affected(files);
            match obstacle {
                Obstacle::NotExecutable if files.contains(cause) => report.problem(
                    format!("{at} is not executable"),
                    shell::chmod("a+x", cause),
                ),
                Obstacle::NotExecutable => report.problem(
                    format!("{at} is not executable, and so {affected} not started"),
                    shell::chmod("a+x", cause),
                ),
                Obstacle::Barred => report.problem(
                    format!("{at} may not be entered, and so {affected} not found"),
                    shell::chmod("u+rwx", cause),
                ),
                Obstacle::Dangling => {
                    let (ours, others): (Vec<PathBuf>, Vec<PathBuf>) = files
                        .iter()
                        .cloned()
                        .partition(|path| self.known.find(&file_name(path)).is_some());
                    for (links, ours) in [(ours, true), (others, false)] {
                        let Some(directory) = links.first().and_then(|link| link.parent()) else {
                            continue;
                        };
                        let what = links.iter().map(|link| shown(link)).collect::<Vec<_>>();
                        let lead = if links.len() == 1 { "leads" } else { "lead" };
                        let what = format!("{} {lead} nowhere: there is no {at}", what.join(", "));
                        let advice = match identity::own().filter(|_| ours) {
                            Some(own) => shell::link(&own, &links),
                            None => shell::put_aside(directory, &links),
                        };
                        report.problem(what, advice);
                    }
                }
            }
        }
    }

    /// Files that another user may have put there are a trap for whoever runs a host.
    fn of_others(&self, report: &mut Report) {
        for (why, files) in &self.of_others {
            let affected = affected(files);
            let directory = files.first().and_then(|file| file.parent());
            report.problem(
                format!("{why}: {affected} not started here, but by hosts that this user runs"),
                shell::put_aside(directory.unwrap_or(Path::new("/")), files),
            );
        }
    }

    fn replaced(&self, report: &mut Report) {
        for (program, files) in &self.otherwise {
            let affected = affected(files);
            report.problem(
                format!(
                    "{} describes its tools otherwise than this version does: {affected} not what is read here",
                    shown(program)
                ),
                copied(program),
            );
        }
    }

    /// A program that is taken instead of one of ours is an override or a trap, and an older one is
    /// a trap.
    fn shadowing(&self, report: &mut Report) {
        let mut others: Vec<(PathBuf, Vec<PathBuf>)> = Vec::new();
        let mut older: Vec<(PathBuf, Vec<PathBuf>)> = Vec::new();
        let mut versions = HashMap::new();
        for (key, _) in &self.shadowing {
            let Some(winner) = self.first.get(key) else {
                continue;
            };
            let directory = winner.path.parent().unwrap_or(&winner.path).to_owned();
            match identity::of(&winner.path, self.may_start(winner.owner)) {
                Identity::This => {}
                Identity::Other => add(&mut others, directory, &winner.path),
                Identity::Older(version) => {
                    let program = winner.path.canonicalize().unwrap_or(directory);
                    versions.insert(program.clone(), version);
                    add(&mut older, program, &winner.path);
                }
            }
        }
        let instead = |path: &Path| {
            let found = self.shadowing.iter().find(|(key, _)| {
                let winner = self.first.get(key);
                winner.is_some_and(|winner| winner.path == path)
            });
            found.map_or_else(String::new, |(_, shadowed)| shown(shadowed))
        };
        for (directory, files) in others {
            for file in files {
                report.problem(
                    format!(
                        "{} is not this program, and hosts take it instead of {}",
                        shown(&file),
                        instead(&file)
                    ),
                    shell::put_aside(&directory, &[file]),
                );
            }
        }
        for (program, files) in older {
            let version = versions.remove(&program).unwrap_or_default();
            report.problem(
                format!(
                    "{} is {PROGRAM} {}, older than this one, and {} taken instead of what is installed",
                    shown(&program),
                    sanitize::for_line(version.trim()),
                    affected(&files)
                ),
                copied(&program),
            );
        }
    }

    fn missing(&self, report: &mut Report, places: &[Place]) {
        let is_seen =
            |tool: &&Tool| self.first.contains_key(tool.name) || self.broken.contains(tool.name);
        // Those of research are there on request: where one of them is, all should be.
        let research = self
            .known
            .into_iter()
            .any(|tool| tool.set == ToolSet::Research && is_seen(&tool));
        let wanted: Vec<&Tool> = self.known.linked(research).collect();
        let missing = wanted.iter().copied().filter(|tool| !is_seen(tool));
        let missing: Vec<&Tool> = missing.collect();
        let own = identity::own().unwrap_or_else(|| PathBuf::from(PROGRAM));
        if missing.len() == wanted.len() {
            return laying::none_there(report, &own, &laying::usual_place(&own, places));
        }
        // Where the others are is where one more belongs.
        let has_ours = |place: &&Place| {
            let mut files = place.files.iter().flatten();
            place.owner != Owner::Project
                && files.any(|file| self.known.find(&file_name(&file.path)).is_some())
        };
        let home = places.iter().rev().find(has_ours);
        let home = home.map_or_else(
            || laying::usual_place(&own, places),
            |place| place.directory.clone(),
        );
        for tool in missing {
            report.line(&format!("  {:<24} {:<8} missing", tool.link, "-"));
            report.problem(
                format!("no host finds {}", tool.command()),
                shell::link(&own, &[home.join(tool.link)]),
            );
        }
    }

    /// The published ikigai registers executables by names that end in `-tool`, and no others.
    fn without_suffix(&self, report: &mut Report, places: &[Place]) {
        let suffixed: HashSet<&str> = files(places)
            .filter_map(|path| {
                let name = file_name(path);
                let tool = self.known.find(&name).filter(|_| name.ends_with("-tool"));
                tool.map(|tool| tool.name)
            })
            .collect();
        let unseen: Vec<&Tool> = self
            .known
            .into_iter()
            .filter(|tool| self.first.contains_key(tool.name))
            .filter(|tool| !suffixed.contains(tool.name))
            .collect();
        let laid = places.iter().filter(|place| place.owner != Owner::Project);
        let renamed = |place: &Place| {
            let files = place
                .files
                .iter()
                .flatten()
                .map(|file| file_name(&file.path));
            let ours = |name: &String| {
                let tool = self.known.find(name);
                tool.is_some_and(|tool| unseen.iter().any(|one| one.name == tool.name))
            };
            files.filter(ours).collect::<Vec<_>>()
        };
        let commands: Vec<String> = laid
            .filter_map(|place| {
                let names = renamed(place);
                if laying::is_packaged(&place.directory) && !names.is_empty() {
                    let own = identity::own()?;
                    let directory = places::home()?.join(".ikigai/tools");
                    return Some(laying::link_all(&own, "--suffix ", &directory));
                }
                let who = shell::as_who_may_write(&place.directory);
                let directory = shell::word(&place.directory);
                let words: Vec<String> = names.iter().map(|name| fields::quoted(name)).collect();
                (!names.is_empty()).then(|| {
                    format!(
                        "(cd {directory} && for tool in {}; do {who}mv -n \"$tool\" \"$tool-tool\"; done)",
                        words.join(" ")
                    )
                })
            })
            .collect();
        if unseen.is_empty() || commands.is_empty() {
            return;
        }
        let names: Vec<&str> = unseen.iter().map(|tool| tool.command()).collect();
        let none = if suffixed.is_empty() {
            "No name here ends in -tool: the"
        } else {
            "The"
        };
        report.hint(
            format!(
                "{none} published ikigai registers only names that end in -tool, and so it does not find {}",
                names.join(", ")
            ),
            commands.join("; "),
        );
    }

    fn not_started(&self, report: &mut Report) {
        if self.not_started > 0 {
            let own = identity::own().unwrap_or_else(|| PathBuf::from(PROGRAM));
            report.hint(
                "the project's tools are not started here: whoever made the project made them. Once you have \
                 read them, this starts them with --schema",
                format!("{} doctor --run-project", shell::word(&own)),
            );
        }
    }
}

/// What came of asking a file for its schema.
enum Probed {
    Answered(probe::Answer),
    /// It was not asked.
    Not,
    /// It cannot be asked, or answers as it should not.
    Wrong,
}

fn add<K: PartialEq>(groups: &mut Vec<(K, Vec<PathBuf>)>, key: K, path: &Path) {
    match groups.iter_mut().find(|(other, _)| *other == key) {
        Some((_, paths)) => paths.push(path.to_owned()),
        None => groups.push((key, vec![path.to_owned()])),
    }
}

fn files(places: &[Place]) -> impl Iterator<Item = &PathBuf> {
    let files = places.iter().flat_map(|place| place.files.iter().flatten());
    files.map(|file| &file.path)
}

/// The files as a sentence has them: `bash is`, `bash, glob are`.
fn affected(files: &[PathBuf]) -> String {
    let names: Vec<String> = files.iter().map(|path| shown(path)).collect();
    let verb = if names.len() == 1 { "is" } else { "are" };
    format!("{} {verb}", names.join(", "))
}

/// The command that puts this program in the place of another version of it.
fn copied(program: &Path) -> String {
    let own = identity::own().unwrap_or_else(|| PathBuf::from(PROGRAM));
    let who = shell::as_who_may_write(program.parent().unwrap_or(program));
    format!("{who}cp -f {} {}", shell::word(&own), shell::word(program))
}

/// The command that helps where the file at `path` does not answer as it should: a link that bears
/// a tool's name leads to this program again, and what somebody has made is kept elsewhere.
fn replaced(known: Registry, path: &Path) -> String {
    let ours = path.is_symlink() && known.find(&file_name(path)).is_some();
    match identity::own() {
        Some(own) if ours => shell::link(&own, &[path.to_owned()]),
        _ => shell::put_aside(path.parent().unwrap_or(path), &[path.to_owned()]),
    }
}
