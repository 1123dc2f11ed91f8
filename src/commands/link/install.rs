//! Installing: program, links, pages and completions, each in one step.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use super::entries::{self, InstalledContent};
use super::places::InstallPlaces;
use super::{LinkOptions, LinkReport, directories, failure, owned, warn};
use crate::commands::program::{path_directories, same_file};
use crate::console::sanitize::display_path;
use crate::contract::tool::ToolSet;
use crate::registry::TOOLS;

/// Installs everything. Returns the lock that keeps other runs out of the directory. An update of
/// an installation, as by a package, does not take away what was asked for before: links of the
/// tools of research that are there stay, and `options` say so then.
pub fn install_all(
    places: &InstallPlaces,
    options: &mut LinkOptions,
    report: &mut LinkReport,
) -> Result<Option<File>, String> {
    let used = entries::all_entries(places, options)?;
    let used = used.iter().filter_map(|entry| entry.path.parent());
    let mut used: Vec<PathBuf> = used.map(Path::to_owned).collect();
    used.dedup();
    for directory in &used {
        directories::require_writable(directory)?;
    }
    let lock = directories::make_and_lock_tools(places, report)?;
    // A program that is there shows that its directory was there before: nothing has been made.
    let installed = places.installed();
    let is_installed = same_file(&places.program, &installed);
    if owned::is_there(&installed) && (options.copy || !is_installed) {
        owned::require_program(&installed, "Nothing was changed")?;
    }
    let has_research = |link: &PathBuf| {
        let name = link.file_name().and_then(|name| name.to_str());
        let tool = name.and_then(|name| TOOLS.find(name));
        tool.is_some_and(|tool| tool.set == ToolSet::Research) && owned::is_link(places, link)
    };
    options.research |= entries::all_links(places).any(|link| has_research(&link));
    let tools = places.final_name(&places.tools);
    let mut on_path = path_directories().into_iter();
    if !options.suffix && on_path.any(|one| one == tools || same_file(&one, &tools)) {
        warn(&format!(
            "{} is on PATH, where the links `bash` and `grep` shadow the real ones; take it off \
             PATH, or use --suffix",
            display_path(&tools)
        ));
    }
    directories::make_others(places, &used, report)?;
    if !report.dry_run {
        entries::remove_drafts(places);
    }
    if options.copy && !is_installed {
        let program = fs::read(&places.program)
            .map_err(|error| failure(&places.program, "cannot be read", &error))?;
        InstalledContent::File(program, 0o755).lay(&installed, report)?;
    }
    for entry in entries::all_entries(places, options)? {
        entry.install(places, report)?;
    }
    Ok(lock)
}
