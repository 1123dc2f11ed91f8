//! Installing: program, links, pages and completions, each in one step.

use std::env;
use std::fs::{self, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use super::directories::{self, Lock};
use super::places::{COMPLETIONS, MANUAL, Places, same_file};
use super::{Options, Refusal, Report, identity, owned, shown};
use crate::commands::{completions, man};
use crate::console::exit::PROGRAM;
use crate::contract::tool::ToolSet;
use crate::registry::TOOLS;
use crate::sort::Sort;

/// Installs everything. Returns what keeps other runs out of the directory. Whoever brings an
/// installation up to date, as a package does, does not take away what was asked for before: links
/// of the tools of research that are there stay, and `options` say so then.
pub fn all(
    places: &Places,
    options: &mut Options,
    report: &mut Report,
) -> Result<Option<Lock>, Refusal> {
    let pages = pages(places)?;
    let directories = used(places, &pages);
    for directory in &directories {
        directories::require_writable(directory)?;
    }
    let lock = directories::make_tools(places, report)?;
    // Where a program is, the directory was: nothing has been made.
    require_own_program(places, options)?;
    options.research |= has_research(places)?;
    if !options.suffix {
        warn_of_path(places, report);
    }
    directories::make_others(places, &directories, report)?;
    if !report.dry_run {
        remove_drafts(places, pages.iter().map(|(path, _)| path));
    }
    if options.copy {
        install_program(places, report)?;
    }
    install_links(places, options, report)?;
    for (path, content) in &pages {
        install_page(path, content, report)?;
    }
    for page in pages_in(places) {
        if !pages.iter().any(|(path, _)| *path == page) && owned::is_page(&page) {
            remove_file(&page, report)?;
        }
    }
    Ok(lock)
}

/// The links' names, in the registry's order.
pub fn names(options: &Options) -> impl Iterator<Item = String> {
    let suffix = options.suffix;
    TOOLS.linked(options.research).map(move |tool| {
        if suffix {
            format!("{}-tool", tool.command())
        } else {
            tool.link.to_owned()
        }
    })
}

/// Whether tools of research have links.
fn has_research(places: &Places) -> Result<bool, Refusal> {
    let links = links_in(places)?;
    let mut tools = links.iter().filter_map(|link| {
        let name = link.file_name()?.to_str()?;
        TOOLS.find(name)
    });
    Ok(tools.any(|tool| tool.set == ToolSet::Research))
}

/// Removes the file, after saying so.
pub fn remove_file(path: &Path, report: &Report) -> Result<(), Refusal> {
    if !report.change("remove", path) {
        return Ok(());
    }
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(Refusal::new(path, "cannot be removed", &error))
        }
        _ => Ok(()),
    }
}

/// The pages and completions, each with its place.
fn pages(places: &Places) -> Result<Vec<(PathBuf, Vec<u8>)>, Refusal> {
    let Some(share) = places.share() else {
        return Ok(Vec::new());
    };
    let manual = man::pages(TOOLS)
        .map_err(|error| Refusal(format!("the manual pages cannot be made: {error}")))?;
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

/// The manual pages there that bear a name of ours, those of tools that are gone too, sorted.
pub fn pages_in(places: &Places) -> Vec<PathBuf> {
    let manual = places.share().map(|share| share.join(MANUAL));
    let entries = manual.and_then(|manual| fs::read_dir(manual).ok());
    let paths = entries
        .into_iter()
        .flatten()
        .flatten()
        .map(|one| one.path());
    let is_named_like_ours = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str());
        let rest = name.and_then(|name| name.strip_prefix(PROGRAM)?.strip_suffix(".1"));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    };
    let mut pages: Vec<PathBuf> = paths.filter(is_named_like_ours).collect();
    pages.arrange();
    pages
}

/// The directories in which something is installed, the links' first.
fn used(places: &Places, pages: &[(PathBuf, Vec<u8>)]) -> Vec<PathBuf> {
    let mut used = vec![places.tools.clone()];
    used.extend(places.bin());
    let of_pages = pages.iter().filter_map(|(path, _)| path.parent());
    used.extend(of_pages.map(Path::to_owned));
    used.dedup();
    used
}

/// Refuses if something else is in the program's place.
fn require_own_program(places: &Places, options: &Options) -> Result<(), Refusal> {
    let installed = places.installed();
    if !owned::is_there(&installed) || (!options.copy && same_file(&places.program, &installed)) {
        return Ok(());
    }
    identity::require_program(&installed, "Nothing was changed")
}

fn warn_of_path(places: &Places, report: &Report) {
    let tools = places.final_name(&places.tools);
    let path = env::var_os("PATH").unwrap_or_default();
    if env::split_paths(&path).any(|one| one == tools || same_file(&one, &tools)) {
        report.warn(&format!(
            "{} is on PATH, where the links `bash` and `grep` shadow the real ones; take it off \
             PATH, or use --suffix",
            shown(&tools)
        ));
    }
}

fn install_program(places: &Places, report: &Report) -> Result<(), Refusal> {
    let installed = places.installed();
    if same_file(&places.program, &installed) {
        return Ok(());
    }
    let program = fs::read(&places.program)
        .map_err(|error| Refusal::new(&places.program, "cannot be read", &error))?;
    if !owned::holds(&installed, &program) && report.change("lay", &installed) {
        replace(&installed, &program, 0o755)?;
    }
    Ok(())
}

fn install_page(path: &Path, content: &[u8], report: &Report) -> Result<(), Refusal> {
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

/// Where the new content of `path` comes to be, before it takes its name. Hosts look at no file
/// whose name begins with a dot.
fn draft_of(path: &Path) -> PathBuf {
    let mut name = std::ffi::OsString::from(format!(".{PROGRAM}.new."));
    name.push(path.file_name().unwrap_or_default());
    path.with_file_name(name)
}

/// Gives `path` the content in one step: what is read there meanwhile is the old file or the new.
fn replace(path: &Path, content: &[u8], mode: u32) -> Result<(), Refusal> {
    let written = |draft: &Path| {
        let mut file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(draft)?;
        file.write_all(content)?;
        file.set_permissions(Permissions::from_mode(mode))
    };
    put(path, written).map_err(|error| Refusal::new(path, "cannot be written", &error))
}

/// Has `made` make the draft, and gives it the name `path`.
fn put(path: &Path, made: impl FnOnce(&Path) -> io::Result<()>) -> io::Result<()> {
    let draft = draft_of(path);
    let done = made(&draft).and_then(|()| fs::rename(&draft, path));
    if done.is_err() {
        let _ = fs::remove_file(&draft);
    }
    done
}

/// Removes what a run that was killed has left of links, program and `pages`.
pub fn remove_drafts<'a>(places: &Places, pages: impl Iterator<Item = &'a PathBuf>) {
    let in_tools = owned::spellings().map(|name| places.tools.join(name));
    let in_bin = places.bin().map(|bin| bin.join(PROGRAM));
    let files = in_tools.chain(in_bin).chain([places.installed()]);
    for path in files.chain(pages.cloned()) {
        let _ = fs::remove_file(draft_of(&path));
    }
}

fn install_links(places: &Places, options: &Options, report: &mut Report) -> Result<(), Refusal> {
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
    // Links of ours under other names: of the other spelling, or of an older version's tools.
    for path in links_in(places)? {
        if !names.contains(&path) {
            remove_file(&path, report)?;
        }
    }
    Ok(())
}

/// The links of ours in the links' directory, sorted.
pub fn links_in(places: &Places) -> Result<Vec<PathBuf>, Refusal> {
    let fail = |error: io::Error| Refusal::new(&places.tools, "cannot be listed", &error);
    let entries = match fs::read_dir(&places.tools) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(fail)?,
    };
    let mut links = Vec::new();
    for entry in entries {
        let path = entry.map_err(fail)?.path();
        if owned::is_link(places, &path) {
            links.push(path);
        }
    }
    links.arrange();
    Ok(links)
}

fn install_link(
    places: &Places,
    path: &Path,
    target: &Path,
    report: &mut Report,
) -> Result<(), Refusal> {
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
        put(path, |draft| symlink(target, draft))
    } else {
        Ok(())
    };
    done.map_err(|error| Refusal::new(path, "cannot be made", &error))
}
