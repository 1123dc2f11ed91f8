//! Paths of links, program, pages and completions, all of which follow from the one directory that
//! the caller names.
//!
//! `PREFIX/libexec/ikigai` is a place of the file system's hierarchy, whose other files are in
//! `PREFIX/bin` and `PREFIX/share`. Any other directory, such as `~/.ikigai/tools`, has links
//! alone. `DESTDIR` stands before every path, for packagers (GNU Coding Standards, "DESTDIR").

use std::cell::Cell;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use clap_complete::Shell;

use super::{LinkOptions, failure};
use crate::commands::program::{own_program, same_file};
use iki_base::console::exit::PROGRAM;
use iki_base::console::program_output;
use iki_base::console::sanitize::display_path;

/// The files in `PREFIX/share` in which shells look for completions.
pub const COMPLETIONS: [(Shell, &str); 3] = [
    (Shell::Bash, "bash-completion/completions/ikigai-tools"),
    (Shell::Zsh, "zsh/site-functions/_ikigai-tools"),
    (Shell::Fish, "fish/vendor_completions.d/ikigai-tools.fish"),
];

/// The directory of `PREFIX/share` in which `man` looks for commands.
pub const MANUAL: &str = "man/man1";

/// The program as links in the links' directory and in `PREFIX/bin` name it, where it is in the
/// other one.
pub const FROM_TOOLS: &str = "../../bin/ikigai-tools";
pub const FROM_BIN: &str = "../libexec/ikigai/ikigai-tools";

/// The places of one call, `DESTDIR` included, and what is done there.
pub struct InstallPlaces {
    /// Directory of the links.
    pub tools: PathBuf,
    /// The executable that runs.
    pub program: PathBuf,
    /// `PREFIX`, if there is one.
    prefix: Option<PathBuf>,
    destdir: Option<PathBuf>,
    /// The work to do there.
    pub options: LinkOptions,
    /// Number of links that could not be created.
    pub kept_links: Cell<usize>,
}

impl InstallPlaces {
    /// The places that follow from `options`.
    pub fn new(options: LinkOptions) -> Result<Self, String> {
        let destdir = env::var_os("DESTDIR").filter(|value| !value.is_empty());
        let destdir = destdir.map(|value| absolute(Path::new(&value)));
        let (destdir, named) = (destdir.transpose()?, absolute(&options.directory)?);
        let tools = below(destdir.as_deref(), &named);
        let has_prefix = tools.ends_with("libexec/ikigai");
        let prefix = tools.ancestors().nth(2).filter(|_| has_prefix);
        Ok(Self {
            prefix: prefix.map(Path::to_owned),
            tools,
            program: own_program()?,
            destdir,
            options,
            kept_links: Cell::new(0),
        })
    }

    /// The program in the links' directory.
    pub fn installed(&self) -> PathBuf {
        self.tools.join(PROGRAM)
    }

    /// The record of the directories that were made.
    pub fn record(&self) -> PathBuf {
        self.tools.join(format!(".{PROGRAM}.directories"))
    }

    /// `PREFIX/bin` or `PREFIX/share`, if something is to be installed or removed there.
    pub fn in_prefix(&self, name: &str) -> Option<PathBuf> {
        let prefix = self.prefix.as_ref().filter(|_| !self.options.links_only)?;
        Some(prefix.join(name))
    }

    /// All directories in which something may have been installed, the links' first.
    pub fn directories(&self) -> Vec<PathBuf> {
        let mut directories = vec![self.tools.clone()];
        if let Some(prefix) = &self.prefix {
            let share = prefix.join("share");
            directories.extend([prefix.join("bin"), share.join(MANUAL)]);
            let files = COMPLETIONS.iter().map(|(_, name)| share.join(name));
            directories.extend(files.filter_map(|file| file.parent().map(Path::to_owned)));
        }
        directories
    }

    /// `path` as it will be called once `DESTDIR` is `/`.
    pub fn final_name(&self, path: &Path) -> PathBuf {
        let staged = self.destdir.as_ref();
        match staged.and_then(|destdir| path.strip_prefix(destdir).ok()) {
            Some(remainder) => Path::new("/").join(remainder),
            None => path.to_owned(),
        }
    }

    /// `path` as it is called now.
    pub fn staged_name(&self, path: &Path) -> PathBuf {
        below(self.destdir.as_deref(), path)
    }

    /// True if `DESTDIR` stands before every path.
    pub fn is_staged(&self) -> bool {
        self.destdir.is_some()
    }

    /// Announces a change. False in a dry run: the change is not to be made.
    pub fn change(&self, verb: &str, path: &Path) -> bool {
        let is_dry = self.options.dry_run;
        let would = if is_dry { "would " } else { "" };
        // A caller that has closed stdout wants the change and not the line.
        program_output::print(&format!("{would}{verb} {}\n", display_path(path)));
        !is_dry
    }

    /// True if `target` names the program that runs, or the one in the links' directory.
    pub fn is_name_of_program(&self, target: &Path) -> bool {
        let is_name = |program: &Path| target == program || target == self.final_name(program);
        is_name(&self.installed()) || is_name(&self.program)
    }

    /// Targets of the links in the links' directory and in `PREFIX/bin`: relative if program and
    /// links are below one prefix, so that the whole can be moved.
    pub fn targets(&self) -> [PathBuf; 2] {
        let is_beside = self.options.copy || same_file(&self.program, &self.installed());
        if !is_beside {
            let absolute = self.final_name(&self.program);
            let in_bin = self.tools.join(FROM_TOOLS);
            let is_in_bin = self.prefix.is_some() && same_file(&in_bin, &self.program);
            let relative = is_in_bin.then(|| FROM_TOOLS.into());
            return [relative.unwrap_or_else(|| absolute.clone()), absolute];
        }
        // `bin` may itself be a link to elsewhere.
        let real = |path: PathBuf| fs::canonicalize(path).ok();
        let bin = self.in_prefix("bin").and_then(real);
        let prefix = self.prefix.clone().and_then(real);
        let elsewhere = bin.filter(|bin| bin.parent() != prefix.as_deref());
        let to_bin = elsewhere.map_or(FROM_BIN.into(), |_| self.final_name(&self.installed()));
        [PROGRAM.into(), to_bin]
    }
}

/// `path` below `directory`, though both are absolute.
fn below(directory: Option<&Path>, path: &Path) -> PathBuf {
    let mut joined = OsString::from(directory.unwrap_or(Path::new("")));
    joined.push(path);
    PathBuf::from(joined)
}

/// `path` from the root on, without the slashes at its end.
fn absolute(path: &Path) -> Result<PathBuf, String> {
    let named = |error| failure(path, "does not name a directory", &error);
    let absolute = std::path::absolute(path).map_err(named)?;
    Ok(absolute.components().collect())
}
