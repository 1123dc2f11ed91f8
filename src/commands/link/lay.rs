//! Laying: program, links, pages and completions, each in one step.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use clap_complete::Shell;
use rustix::fs::{Access, access};

use super::places::{Places, same_file};
use super::{Options, Refusal, Report, owned};
use crate::commands::{completions, man};
use crate::contract::tool::Tool;
use crate::registry::TOOLS;

/// The directories of `PREFIX/share` in which shells look for completions, each with the file's name.
pub const COMPLETIONS: [(Shell, &str); 3] = [
    (Shell::Bash, "bash-completion/completions/ikigai-tools"),
    (Shell::Zsh, "zsh/site-functions/_ikigai-tools"),
    (Shell::Fish, "fish/vendor_completions.d/ikigai-tools.fish"),
];

/// The directory of `PREFIX/share` in which `man` looks for commands.
pub const MANUAL: &str = "man/man1";

/// Lays everything.
pub fn all(places: &Places, options: &Options, report: &mut Report) -> Result<(), Refusal> {
    let pages = pages(places)?;
    for directory in directories(places, &pages) {
        require_writable(&directory)?;
    }
    let installed = places.installed();
    let is_itself = same_file(&places.program, &installed);
    if owned::is_there(&installed) && !is_itself && !owned::is_program(&installed) {
        return Err(Refusal(format!(
            "{} is not this program; move it away first. Nothing was changed",
            installed.display()
        )));
    }
    make_directories(places, &pages, report)?;
    if options.copy && !is_itself {
        lay_program(places, &installed, report)?;
    }
    lay_links(places, options, report)?;
    for (path, content) in &pages {
        lay_page(path, content, report)?;
    }
    Ok(())
}

/// The links' names, in the registry's order.
pub fn names(suffix: bool) -> impl Iterator<Item = String> {
    TOOLS.iter().map(move |tool| {
        if suffix {
            format!("{}-tool", tool.command())
        } else {
            tool.link.to_owned()
        }
    })
}

/// Every name that a link of ours may bear.
pub fn spellings() -> impl Iterator<Item = String> {
    TOOLS
        .iter()
        .map(Tool::command)
        .flat_map(|name| [name.to_owned(), format!("{name}-tool")])
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

/// The directories in which something is laid.
fn directories(places: &Places, pages: &[(PathBuf, Vec<u8>)]) -> Vec<PathBuf> {
    let mut directories = vec![places.tools.clone()];
    directories.extend(places.bin());
    let of_pages = pages.iter().filter_map(|(path, _)| path.parent());
    directories.extend(of_pages.map(Path::to_owned));
    directories.dedup();
    directories
}

/// Refuses unless `directory` is there and may be written to, or can be made.
fn require_writable(directory: &Path) -> Result<(), Refusal> {
    let mut there = directory;
    while !owned::is_there(there) {
        match there.parent() {
            Some(parent) => there = parent,
            None => break,
        }
    }
    if !there.is_dir() {
        return Err(Refusal(format!(
            "{} cannot be made: {} is not a directory",
            directory.display(),
            there.display()
        )));
    }
    access(there, Access::WRITE_OK | Access::EXEC_OK).map_err(|_| {
        Refusal(format!(
            "{} is not writable; choose another place, or become who may write there",
            there.display()
        ))
    })
}

/// Makes what is missing of the directories, and records it.
fn make_directories(
    places: &Places,
    pages: &[(PathBuf, Vec<u8>)],
    report: &Report,
) -> Result<(), Refusal> {
    let mut made = Vec::new();
    let mut result = Ok(());
    for directory in directories(places, pages) {
        result = make_directory(&directory, &mut made, report);
        if result.is_err() {
            break;
        }
    }
    if !made.is_empty() && !report.dry_run {
        record(places, &made)?;
    }
    result
}

fn make_directory(
    directory: &Path,
    made: &mut Vec<PathBuf>,
    report: &Report,
) -> Result<(), Refusal> {
    if directory.is_dir() || made.iter().any(|one| one == directory) {
        return Ok(());
    }
    if let Some(parent) = directory.parent() {
        make_directory(parent, made, report)?;
    }
    if report.change("make directory", directory) {
        fs::create_dir(directory)
            .map_err(|error| Refusal::new(directory, "cannot be made", &error))?;
        let _ = fs::set_permissions(directory, Permissions::from_mode(0o755));
    }
    made.push(directory.to_owned());
    Ok(())
}

/// Adds `made` to the record, a line each, with a slash at its end.
fn record(places: &Places, made: &[PathBuf]) -> Result<(), Refusal> {
    let path = places.record();
    let mut lines = Vec::new();
    for directory in made {
        lines.extend_from_slice(places.final_name(directory).as_os_str().as_bytes());
        lines.extend_from_slice(b"/\n");
    }
    OpenOptions::new()
        .append(true)
        .create(true)
        .mode(0o644)
        .open(&path)
        .and_then(|mut file| file.write_all(&lines))
        .map_err(|error| Refusal::new(&path, "cannot be written", &error))
}

fn lay_program(places: &Places, installed: &Path, report: &Report) -> Result<(), Refusal> {
    let fail = |error: io::Error| Refusal::new(installed, "cannot be written", &error);
    let program = fs::read(&places.program)
        .map_err(|error| Refusal::new(&places.program, "cannot be read", &error))?;
    if fs::read(installed).is_ok_and(|there| there == program) {
        return Ok(());
    }
    if report.change("lay", installed) {
        replace(installed, &program, 0o755).map_err(fail)?;
    }
    Ok(())
}

fn lay_page(path: &Path, content: &[u8], report: &Report) -> Result<(), Refusal> {
    if fs::read(path).is_ok_and(|there| there == content) && !path.is_symlink() {
        return Ok(());
    }
    if owned::is_there(path) && !owned::is_page(path) {
        report.kept_page(path);
    } else if report.change("lay", path) {
        replace(path, content, 0o644)
            .map_err(|error| Refusal::new(path, "cannot be written", &error))?;
    }
    Ok(())
}

/// Gives `path` the content in one step: what is read there meanwhile is the old file or the new one.
fn replace(path: &Path, content: &[u8], mode: u32) -> io::Result<()> {
    let mut draft = tempfile_beside(path)?;
    let done = draft
        .file
        .write_all(content)
        .and_then(|()| draft.file.set_permissions(Permissions::from_mode(mode)))
        .and_then(|()| fs::rename(&draft.path, path));
    if done.is_err() {
        let _ = fs::remove_file(&draft.path);
    }
    done
}

struct Draft {
    file: File,
    path: PathBuf,
}

fn tempfile_beside(path: &Path) -> io::Result<Draft> {
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".{}", std::process::id()));
    let path = path.with_file_name(name);
    let file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&path)?;
    Ok(Draft { file, path })
}

fn lay_links(places: &Places, options: &Options, report: &mut Report) -> Result<(), Refusal> {
    let names: Vec<String> = names(options.suffix).collect();
    // Links of ours under other names: of the other spelling, or of an older version's tools.
    for path in links_in(places) {
        let listed = path
            .file_name()
            .is_some_and(|name| names.iter().any(|one| name == one.as_str()));
        if !listed && report.change("remove", &path) {
            fs::remove_file(&path)
                .map_err(|error| Refusal::new(&path, "cannot be removed", &error))?;
        }
    }
    let target = places.link_target(options.copy);
    for name in &names {
        lay_link(places, &places.tools.join(name), &target, report)?;
    }
    if let Some(bin) = places.bin() {
        let link = bin.join(crate::program::PROGRAM);
        if !same_file(&link, &places.program) || link.is_symlink() {
            let target = places.bin_target(&bin, options.copy);
            lay_link(places, &link, &target, report)?;
        }
    }
    Ok(())
}

/// The links of ours in the links' directory, sorted.
pub fn links_in(places: &Places) -> Vec<PathBuf> {
    let entries = fs::read_dir(&places.tools).into_iter().flatten().flatten();
    let mut links: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| owned::is_link(places, path))
        .collect();
    links.sort();
    links
}

fn lay_link(
    places: &Places,
    path: &Path,
    target: &Path,
    report: &mut Report,
) -> Result<(), Refusal> {
    let fail = |error: io::Error| Refusal::new(path, "cannot be made", &error);
    if !owned::is_there(path) {
        if report.change("link", path) {
            symlink(target, path).map_err(fail)?;
        }
    } else if !owned::is_link(places, path) {
        report.kept_link(path);
    } else if fs::read_link(path).is_ok_and(|there| there != target) && report.change("link", path)
    {
        let draft = path.with_extension(format!("{}", std::process::id()));
        symlink(target, &draft)
            .and_then(|()| fs::rename(&draft, path))
            .map_err(fail)?;
    }
    Ok(())
}
