//! Removing: what was installed, and the directories that were made for it.

use std::path::PathBuf;

use super::places::{COMPLETIONS, Places, same_file};
use super::{Options, Refusal, Report, directories, identity, install, owned, shown};
use crate::console::exit::PROGRAM;
use crate::console::say;

/// Removes everything. What is left where a run was killed, the next one removes: the program and
/// the record go last.
pub fn all(places: &Places, options: &Options, report: &mut Report) -> Result<(), Refusal> {
    let _lock = if report.dry_run {
        None
    } else {
        directories::lock(&places.tools)?
    };
    let installed = places.installed();
    let there = owned::is_there(&installed);
    if there && !same_file(&installed, &places.program) {
        identity::require_program(&installed, "Nothing was removed")?;
    }
    let pages = pages(places);
    if !report.dry_run {
        install::remove_drafts(places, pages.iter());
    }
    for link in install::links_in(places)? {
        install::remove_file(&link, report)?;
    }
    for name in owned::spellings() {
        let path = places.tools.join(name);
        if owned::is_there(&path) && !owned::is_link(places, &path) {
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
    remove_pages(&pages, report)?;
    // A link to the program is nothing that was installed.
    let program = options.copy && there && !installed.is_symlink();
    let stays = there && !program;
    remove_directories(places, options, report, program, stays)?;
    if stays {
        say::print(&format!(
            "{} stays; --copy removes it as well\n",
            shown(&installed)
        ));
    } else if !report.dry_run {
        say::print(&format!(
            "nothing of {PROGRAM} is left in {}\n",
            shown(&places.tools)
        ));
    }
    Ok(())
}

/// What may be pages and completions of ours.
fn pages(places: &Places) -> Vec<PathBuf> {
    let mut pages = install::pages_in(places);
    if let Some(share) = places.share() {
        pages.extend(COMPLETIONS.iter().map(|(_, name)| share.join(name)));
    }
    pages
}

fn remove_pages(pages: &[PathBuf], report: &Report) -> Result<(), Refusal> {
    for path in pages {
        if owned::is_page(path) {
            install::remove_file(path, report)?;
        } else if owned::is_there(path) {
            report.kept_page(path);
        }
    }
    Ok(())
}

/// Removes the directories that were made for it and are empty now, and the program in between, if
/// `program` says so. Where something of ours stays, the record of what it needs stays too.
fn remove_directories(
    places: &Places,
    options: &Options,
    report: &Report,
    program: bool,
    stays: bool,
) -> Result<(), Refusal> {
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
