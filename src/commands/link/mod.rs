//! `link`: installs the program's own links, manual pages and completions, and removes them again.
//!
//! Rules: agreed behaviour for names and places (REFERENCE.md, "For hosts"). Files and links of
//! other owners are neither overwritten nor removed. Directories that had to be made are recorded,
//! so that removing leaves no trace. Installing twice is installing once. Each file comes into its
//! place in one step, so that a call that runs meanwhile is not disturbed, and a run that is killed
//! leaves nothing half written: the next one completes it. One run at a time works in a directory
//! (`flock`).

mod check;
mod directories;
mod entries;
mod places;

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::Mode;
use rustix::process::umask;

use crate::commands::program::{path_directories, same_file};
use entries::InstalledContent;
use iki_base::console::exit::{PROGRAM, ProgramExit};
use iki_base::console::program_output;
use iki_base::console::sanitize::display_path;
use places::InstallPlaces;

/// The parts to install or remove, and the directory.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
pub struct LinkOptions {
    /// The directory of the links, as the caller named it.
    pub directory: PathBuf,
    /// Every link's name ends in `-tool`.
    pub suffix: bool,
    /// The tools of research have links as well.
    pub research: bool,
    /// The program itself is copied into the directory, or removed from it, as well.
    pub copy: bool,
    /// Neither the link in `PREFIX/bin` nor what belongs in `PREFIX/share`.
    pub links_only: bool,
    /// Remove instead of installing.
    pub remove: bool,
    /// Say what would be done, and change nothing.
    pub dry_run: bool,
}

/// The sentence about a step that failed, for the caller.
fn failure(path: &Path, what: &str, error: &io::Error) -> String {
    format!("{} {what}: {error}", display_path(path))
}

/// Installs or removes as `options` say. Exits 1 if something else is in the place of a link, or a
/// step failed.
pub fn run(options: LinkOptions) -> ProgramExit {
    // Everything that is made has the same permissions for every caller. This process does nothing
    // else.
    umask(Mode::WGRP | Mode::WOTH);
    let done = InstallPlaces::new(options).and_then(|places| {
        if places.options.remove {
            return remove_all(&places);
        }
        install_all(places)
    });
    match done {
        Ok(()) => ProgramExit::Success,
        Err(message) => {
            warn(&message);
            ProgramExit::Failure
        }
    }
}

fn warn(message: &str) {
    program_output::report_usage(&format!("{PROGRAM} link: {message}"));
}

/// Installs everything, and calls it. An update of an installation, as by a package, does not take
/// away what was asked for before: links of the tools of research that are there stay.
fn install_all(mut places: InstallPlaces) -> Result<(), String> {
    let entries = entries::all_entries(&places)?;
    let used = entries.iter().filter_map(|entry| entry.path.parent());
    let mut used: Vec<PathBuf> = used.map(Path::to_owned).collect();
    used.dedup();
    for directory in &used {
        directories::require_writable(directory)?;
    }
    // Held until the tools have been called, so that no other run removes them meanwhile.
    let _lock = directories::make_and_lock_tools(&places)?;
    // A program that is there shows that its directory was there before: nothing has been made.
    let installed = places.installed();
    let is_installed = same_file(&places.program, &installed);
    if entries::is_there(&installed) && (places.options.copy || !is_installed) {
        entries::require_program(&installed, "Nothing was changed")?;
    }
    places.options.research |= entries::has_research(&places);
    let tools = places.final_name(&places.tools);
    let mut on_path = path_directories().into_iter();
    if !places.options.suffix && on_path.any(|one| one == tools || same_file(&one, &tools)) {
        warn(&format!(
            "{} is on PATH, where the links `bash` and `grep` shadow the real ones; take it off \
             PATH, or use --suffix",
            display_path(&tools)
        ));
    }
    directories::make_others(&places, &used)?;
    if !places.options.dry_run {
        entries::remove_drafts(&places);
    }
    if places.options.copy && !is_installed {
        InstalledContent::Copy(places.program.clone()).lay(&places, &installed)?;
    }
    for entry in entries::all_entries(&places)? {
        entry.install(&places)?;
    }
    if !places.options.dry_run {
        check::check_all(&places)?;
    }
    match places.kept_links.get() {
        0 => Ok(()),
        kept_count => Err(format!(
            "this is not a whole install: {kept_count} of its links could not be created, since \
             something else is in their place (\"kept\" above). Move that away, then run this \
             again; where it is the program as another package has installed it, --links-only \
             leaves it there"
        )),
    }
}

/// Removes everything. The next run removes what a killed one left: the program and the record go
/// last.
fn remove_all(places: &InstallPlaces) -> Result<(), String> {
    let options = &places.options;
    let path_text = display_path(&places.tools);
    let nothing = format!("nothing of {PROGRAM} is left in {path_text}\n");
    let Some(_lock) = directories::lock(&places.tools)? else {
        // The directory goes last, so everything else is gone as well.
        program_output::print(&nothing);
        return Ok(());
    };
    let installed = places.installed();
    let is_there = entries::is_there(&installed);
    if is_there && !same_file(&installed, &places.program) {
        entries::require_program(&installed, "Nothing was removed")?;
    }
    if !options.dry_run {
        entries::remove_drafts(places);
    }
    for entry in entries::all_entries(places)? {
        entry.remove(places)?;
    }
    // A link to the program was not installed.
    let goes = options.copy && is_there && !installed.is_symlink();
    let stays = is_there && !goes;
    let recorded = directories::recorded_directories(places).into_iter();
    let (inner, others): (BTreeSet<PathBuf>, BTreeSet<PathBuf>) =
        recorded.partition(|directory| places.tools.starts_with(directory));
    if !options.dry_run && !options.links_only {
        directories::remove_empty(places, &others);
    }
    if goes {
        entries::remove_file(places, &installed)?;
    }
    // The record stays if something of ours does that needs it.
    let is_needed = stays || (options.links_only && others.iter().any(|one| one.is_dir()));
    let record = places.record();
    if !is_needed && entries::read(&record, entries::MAX_PAGE_BYTES).is_some() {
        entries::remove_file(places, &record)?;
        if !options.dry_run {
            directories::remove_empty(places, &inner);
        }
    }
    if stays {
        let path_text = display_path(&installed);
        program_output::print(&format!("{path_text} stays; --copy removes it as well\n"));
    } else if !options.dry_run {
        program_output::print(&nothing);
    }
    Ok(())
}
