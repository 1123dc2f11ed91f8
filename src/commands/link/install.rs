//! Installing: program, links, pages and completions, each in one step.

use std::env;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use super::directories;
use super::places::{COMPLETIONS, InstallPlaces, MANUAL, same_file};
use super::{LinkError, LinkOptions, LinkReport, display_path, owned};
use crate::commands::{completions, man};
use crate::console::exit::PROGRAM;
use crate::contract::tool::ToolSet;
use crate::registry::TOOLS;

/// Installs everything. Returns the lock that keeps other runs out of the directory. An update of
/// an installation, as by a package, does not take away what was asked for before: links of the
/// tools of research that are there stay, and `options` say so then.
pub fn install_all(
    places: &InstallPlaces,
    options: &mut LinkOptions,
    report: &mut LinkReport,
) -> Result<Option<File>, LinkError> {
    let pages = pages(places)?;
    let directories = used(places, &pages);
    for directory in &directories {
        directories::require_writable(directory)?;
    }
    let lock = directories::make_and_lock_tools(places, report)?;
    // A program that is there shows that its directory was there before: nothing has been made.
    require_own_program(places, options)?;
    let has_research = |link: &PathBuf| {
        let name = link.file_name().and_then(|name| name.to_str());
        name.and_then(|name| TOOLS.find(name))
            .is_some_and(|tool| tool.set == ToolSet::Research)
    };
    options.research |= links_in(places).any(|link| has_research(&link));
    if !options.suffix {
        warn_of_path(places, report);
    }
    directories::make_others(places, &directories, report)?;
    if !report.dry_run {
        remove_drafts(places);
    }
    if options.copy {
        install_program(places, report)?;
    }
    install_links(places, options, report)?;
    for (path, content) in &pages {
        install_page(path, content, report)?;
    }
    Ok(lock)
}

/// The links' names, in the registry's order.
pub fn names(options: &LinkOptions) -> impl Iterator<Item = String> {
    let suffix = options.suffix;
    TOOLS.linked(options.research).map(move |tool| {
        if suffix {
            format!("{}-tool", tool.command())
        } else {
            tool.link.to_owned()
        }
    })
}

/// Removes the file, after saying so.
pub fn remove_file(path: &Path, report: &LinkReport) -> Result<(), LinkError> {
    if !report.change("remove", path) {
        return Ok(());
    }
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(LinkError::new(path, "cannot be removed", &error))
        }
        _ => Ok(()),
    }
}

/// The pages and completions, each with its place.
pub fn pages(places: &InstallPlaces) -> Result<Vec<(PathBuf, Vec<u8>)>, LinkError> {
    let Some(share) = places.share() else {
        return Ok(Vec::new());
    };
    let manual = man::pages(TOOLS)
        .map_err(|error| LinkError(format!("the manual pages cannot be made: {error}")))?;
    let manual = manual
        .into_iter()
        .map(|(name, page)| (share.join(MANUAL).join(name), page));
    let scripts = COMPLETIONS.iter().map(|(shell, name)| {
        (
            share.join(name),
            completions::script(TOOLS, *shell).into_bytes(),
        )
    });
    Ok(manual.chain(scripts).collect())
}

/// The directories in which something is installed, the links' first.
fn used(places: &InstallPlaces, pages: &[(PathBuf, Vec<u8>)]) -> Vec<PathBuf> {
    let mut used = vec![places.tools.clone()];
    used.extend(places.bin());
    let of_pages = pages.iter().filter_map(|(path, _)| path.parent());
    used.extend(of_pages.map(Path::to_owned));
    used.dedup();
    used
}

/// Refuses if another file is in the program's place.
fn require_own_program(places: &InstallPlaces, options: &LinkOptions) -> Result<(), LinkError> {
    let installed = places.installed();
    if !owned::is_there(&installed) || (!options.copy && same_file(&places.program, &installed)) {
        return Ok(());
    }
    owned::require_program(&installed, "Nothing was changed")
}

fn warn_of_path(places: &InstallPlaces, report: &LinkReport) {
    let tools = places.final_name(&places.tools);
    let path = env::var_os("PATH").unwrap_or_default();
    if env::split_paths(&path).any(|one| one == tools || same_file(&one, &tools)) {
        report.warn(&format!(
            "{} is on PATH, where the links `bash` and `grep` shadow the real ones; take it off \
             PATH, or use --suffix",
            display_path(&tools)
        ));
    }
}

fn install_program(places: &InstallPlaces, report: &LinkReport) -> Result<(), LinkError> {
    let installed = places.installed();
    if same_file(&places.program, &installed) {
        return Ok(());
    }
    let program = fs::read(&places.program)
        .map_err(|error| LinkError::new(&places.program, "cannot be read", &error))?;
    if !owned::holds(&installed, &program) && report.change("lay", &installed) {
        replace(&installed, &program, 0o755)?;
    }
    Ok(())
}

fn install_page(path: &Path, content: &[u8], report: &LinkReport) -> Result<(), LinkError> {
    if owned::holds(path, content) {
        return Ok(());
    }
    if owned::is_there(path) && !owned::is_page(path) {
        report.kept_page(path);
    } else if report.change("lay", path) {
        replace(path, content, 0o644)?;
    }
    Ok(())
}

/// The beginning of the name under which a file gets its content, before it takes its own. Hosts
/// look at no file whose name begins with a dot.
const DRAFT: &str = ".ikigai-tools.new.";

/// Gives `path` the content in one step: a reader meanwhile gets the old file or the new.
fn replace(path: &Path, content: &[u8], mode: u32) -> Result<(), LinkError> {
    let written = |draft: &Path| {
        let mut file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(draft)?;
        file.write_all(content)?;
        file.set_permissions(Permissions::from_mode(mode))
    };
    write_atomically(path, written)
        .map_err(|error| LinkError::new(path, "cannot be written", &error))
}

/// Makes a draft with `made`, and renames it to `path`.
fn write_atomically(path: &Path, made: impl FnOnce(&Path) -> io::Result<()>) -> io::Result<()> {
    let mut name = OsString::from(DRAFT);
    name.push(path.file_name().unwrap_or_default());
    let draft = path.with_file_name(name);
    let done = made(&draft).and_then(|()| fs::rename(&draft, path));
    if done.is_err() {
        let _ = fs::remove_file(&draft);
    }
    done
}

/// Removes the drafts that a run that was killed has left.
pub fn remove_drafts(places: &InstallPlaces) {
    let entries = places
        .directories()
        .into_iter()
        .filter_map(|one| fs::read_dir(one).ok());
    for entry in entries.flatten().flatten() {
        if entry.file_name().as_bytes().starts_with(DRAFT.as_bytes()) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

fn install_links(
    places: &InstallPlaces,
    options: &LinkOptions,
    report: &mut LinkReport,
) -> Result<(), LinkError> {
    let target = places.link_target(options.copy);
    let names: Vec<PathBuf> = names(options).map(|name| places.tools.join(name)).collect();
    for path in &names {
        install_link(places, path, &target, report)?;
    }
    if let Some(bin) = places.bin() {
        let link = bin.join(PROGRAM);
        if !same_file(&link, &places.program) || link.is_symlink() {
            let target = places.bin_target(&bin, options.copy);
            install_link(places, &link, &target, report)?;
        }
    }
    // Links in the other spelling.
    for path in links_in(places) {
        if !names.contains(&path) {
            remove_file(&path, report)?;
        }
    }
    Ok(())
}

/// The links of ours in the links' directory.
pub fn links_in(places: &InstallPlaces) -> impl Iterator<Item = PathBuf> + '_ {
    let paths = owned::spellings().map(|name| places.tools.join(name));
    paths.filter(|path| owned::is_link(places, path))
}

fn install_link(
    places: &InstallPlaces,
    path: &Path,
    target: &Path,
    report: &mut LinkReport,
) -> Result<(), LinkError> {
    let done = if !owned::is_there(path) {
        if report.change("link", path) {
            symlink(target, path)
        } else {
            Ok(())
        }
    } else if !owned::is_link(places, path) {
        report.kept_link(path);
        Ok(())
    } else if fs::read_link(path).is_ok_and(|there| there != target) && report.change("link", path)
    {
        write_atomically(path, |draft| symlink(target, draft))
    } else {
        Ok(())
    };
    done.map_err(|error| LinkError::new(path, "cannot be made", &error))
}
