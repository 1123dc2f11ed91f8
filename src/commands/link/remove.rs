//! Removing the installed files, and the directories that were made for them.

use std::path::PathBuf;

use super::places::{InstallPlaces, same_file};
use super::{LinkError, LinkOptions, LinkReport, directories, display_path, install, owned};
use crate::console::exit::PROGRAM;
use crate::console::say;

/// Removes everything. The next run removes what a killed one left: the program and the record go
/// last.
pub fn remove_all(
    places: &InstallPlaces,
    options: &LinkOptions,
    report: &mut LinkReport,
) -> Result<(), LinkError> {
    let lock = directories::lock(&places.tools)?;
    if lock.is_none() {
        // The directory goes last, so everything else is gone as well.
        say_nothing_is_left(places);
        return Ok(());
    }
    let installed = places.installed();
    let there = owned::is_there(&installed);
    if there && !same_file(&installed, &places.program) {
        owned::require_program(&installed, "Nothing was removed")?;
    }
    if !report.dry_run {
        install::remove_drafts(places);
    }
    for name in owned::spellings() {
        let path = places.tools.join(name);
        if owned::is_link(places, &path) {
            install::remove_file(&path, report)?;
        } else if owned::is_there(&path) {
            report.kept_link(&path);
        }
    }
    if let Some(bin) = places.bin() {
        let link = bin.join(PROGRAM);
        if owned::is_link(places, &link) {
            install::remove_file(&link, report)?;
        } else if owned::is_there(&link) && !same_file(&link, &places.program) {
            report.kept_link(&link);
        }
    }
    for (path, _) in install::pages(places)? {
        if owned::is_page(&path) {
            install::remove_file(&path, report)?;
        } else if owned::is_there(&path) {
            report.kept_page(&path);
        }
    }
    // A link to the program was not installed.
    let program = options.copy && there && !installed.is_symlink();
    let stays = there && !program;
    remove_directories(places, options, report, program, stays)?;
    if stays {
        say::print(&format!(
            "{} stays; --copy removes it as well\n",
            display_path(&installed)
        ));
    } else if !report.dry_run {
        say_nothing_is_left(places);
    }
    Ok(())
}

fn say_nothing_is_left(places: &InstallPlaces) {
    let tools = display_path(&places.tools);
    say::print(&format!("nothing of {PROGRAM} is left in {tools}\n"));
}

/// Removes the directories that were made for it and are empty now, and the program in between, if
/// `program` says so. If something of ours stays, the record of what it needs stays too.
fn remove_directories(
    places: &InstallPlaces,
    options: &LinkOptions,
    report: &LinkReport,
    program: bool,
    stays: bool,
) -> Result<(), LinkError> {
    let recorded = directories::recorded(places);
    let (inner, others): (Vec<PathBuf>, Vec<PathBuf>) = recorded
        .into_iter()
        .partition(|directory| places.tools.starts_with(directory));
    if !report.dry_run && !options.links_only {
        directories::remove_empty(others.iter(), report);
    }
    if program {
        install::remove_file(&places.installed(), report)?;
    }
    let needed = stays || (options.links_only && others.iter().any(|one| one.is_dir()));
    let record = places.record();
    if needed || owned::open(&record).is_none() {
        return Ok(());
    }
    install::remove_file(&record, report)?;
    if !report.dry_run {
        directories::remove_empty(inner.iter(), report);
    }
    Ok(())
}
