//! Removing: what was laid, and the directories that were made for it.

use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use super::lay::{self, COMPLETIONS, MANUAL};
use super::places::{Places, same_file};
use super::{Options, Refusal, Report, owned};
use crate::console::say;
use crate::program::PROGRAM;

/// Removes everything.
pub fn all(places: &Places, options: &Options, report: &mut Report) -> Result<(), Refusal> {
    let installed = places.installed();
    let there = owned::is_there(&installed);
    if there && !same_file(&installed, &places.program) && !owned::is_program(&installed) {
        return Err(Refusal(format!(
            "{} is not this program. Nothing was removed",
            installed.display()
        )));
    }
    for link in lay::links_in(places) {
        remove(&link, report)?;
    }
    for name in lay::spellings() {
        let path = places.tools.join(name);
        if owned::is_there(&path) && !owned::is_link(places, &path) {
            report.kept_link(&path);
        }
    }
    if let Some(bin) = places.bin() {
        let link = bin.join(PROGRAM);
        if owned::is_link(places, &link) {
            remove(&link, report)?;
        } else if owned::is_there(&link) && !same_file(&link, &places.program) {
            report.kept_link(&link);
        }
    }
    remove_pages(places, report)?;
    if options.copy && there {
        remove(&installed, report)?;
    }
    remove_directories(places, report)?;
    if !report.dry_run {
        say::print(&format!(
            "nothing of {PROGRAM} is left in {}\n",
            places.tools.display()
        ));
    }
    Ok(())
}

fn remove(path: &Path, report: &Report) -> Result<(), Refusal> {
    if report.change("remove", path) {
        fs::remove_file(path).map_err(|error| Refusal::new(path, "cannot be removed", &error))?;
    }
    Ok(())
}

fn remove_pages(places: &Places, report: &Report) -> Result<(), Refusal> {
    let Some(share) = places.share() else {
        return Ok(());
    };
    let mut paths: Vec<PathBuf> = Vec::new();
    // Those of an older version's tools too.
    for entry in fs::read_dir(share.join(MANUAL))
        .into_iter()
        .flatten()
        .flatten()
    {
        let name = entry.file_name();
        if name
            .to_str()
            .is_some_and(|name| name.starts_with(PROGRAM) && name.ends_with(".1"))
        {
            paths.push(entry.path());
        }
    }
    paths.sort();
    paths.extend(COMPLETIONS.iter().map(|(_, name)| share.join(name)));
    for path in paths {
        if owned::is_page(&path) {
            remove(&path, report)?;
        } else if owned::is_there(&path) {
            report.kept_page(&path);
        }
    }
    Ok(())
}

/// Removes the directories that were made for it and are empty now, innermost first.
fn remove_directories(places: &Places, report: &Report) -> Result<(), Refusal> {
    let path = places.record();
    let Ok(record) = fs::read(&path) else {
        return Ok(());
    };
    remove(&path, report)?;
    if report.dry_run {
        return Ok(());
    }
    let lines = record
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty());
    let mut directories: Vec<PathBuf> = lines
        .map(|line| PathBuf::from(std::ffi::OsString::from_vec(line.to_vec())))
        .collect();
    directories.sort();
    directories.dedup();
    for directory in directories.iter().rev() {
        let directory = places.staged_name(&directory.components().collect::<PathBuf>());
        // What somebody else has laid there keeps its directory.
        if fs::remove_dir(&directory).is_ok() {
            report.change("remove directory", &directory);
        }
    }
    Ok(())
}
