//! Removing the installed files, and the directories that were made for them.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::places::InstallPlaces;
use super::{LinkOptions, LinkReport, directories, entries, owned};
use crate::commands::program::same_file;
use crate::console::exit::PROGRAM;
use crate::console::sanitize::display_path;
use crate::console::say;

/// Removes everything. The next run removes what a killed one left: the program and the record go
/// last.
pub fn remove_all(
    places: &InstallPlaces,
    options: &LinkOptions,
    report: &mut LinkReport,
) -> Result<(), String> {
    let lock = directories::lock(&places.tools)?;
    if lock.is_none() {
        // The directory goes last, so everything else is gone as well.
        say_nothing_is_left(places);
        return Ok(());
    }
    let installed = places.installed();
    let is_there = owned::is_there(&installed);
    if is_there && !same_file(&installed, &places.program) {
        owned::require_program(&installed, "Nothing was removed")?;
    }
    if !report.dry_run {
        entries::remove_drafts(places);
    }
    for entry in entries::all_entries(places, options)? {
        entry.remove(places, report)?;
    }
    // A link to the program was not installed.
    let goes = options.copy && is_there && !installed.is_symlink();
    let stays = is_there && !goes;
    let recorded = directories::recorded(places).into_iter();
    let (inner, others): (BTreeSet<PathBuf>, BTreeSet<PathBuf>) =
        recorded.partition(|directory| places.tools.starts_with(directory));
    if !report.dry_run && !options.links_only {
        directories::remove_empty(&others, report);
    }
    if goes {
        entries::remove_file(&installed, report)?;
    }
    // The record stays if something of ours does that needs it.
    let needed = stays || (options.links_only && others.iter().any(|one| one.is_dir()));
    let record = places.record();
    let is_record = record
        .symlink_metadata()
        .is_ok_and(|status| status.is_file());
    if !needed && is_record {
        entries::remove_file(&record, report)?;
        if !report.dry_run {
            directories::remove_empty(&inner, report);
        }
    }
    if stays {
        let shown = display_path(&installed);
        say::print(&format!("{shown} stays; --copy removes it as well\n"));
    } else if !report.dry_run {
        say_nothing_is_left(places);
    }
    Ok(())
}

fn say_nothing_is_left(places: &InstallPlaces) {
    let tools = display_path(&places.tools);
    say::print(&format!("nothing of {PROGRAM} is left in {tools}\n"));
}
