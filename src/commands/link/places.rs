//! Paths of links, program, pages and completions, all of which follow from the one directory that
//! the caller names.
//!
//! `PREFIX/libexec/ikigai` is a place of the file system's hierarchy, whose other files are in
//! `PREFIX/bin` and `PREFIX/share`. Any other directory, such as `~/.ikigai/tools`, has links
//! alone. `DESTDIR` stands before every path, for packagers (GNU Coding Standards, "DESTDIR").

use std::env;
use std::ffi::{CStr, OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use clap_complete::Shell;

use super::{LinkError, LinkOptions, display_path};
use crate::console::exit::PROGRAM;

/// The files in `PREFIX/share` in which shells look for completions.
pub const COMPLETIONS: [(Shell, &str); 3] = [
    (Shell::Bash, "bash-completion/completions/ikigai-tools"),
    (Shell::Zsh, "zsh/site-functions/_ikigai-tools"),
    (Shell::Fish, "fish/vendor_completions.d/ikigai-tools.fish"),
];

/// The directory of `PREFIX/share` in which `man` looks for commands.
pub const MANUAL: &str = "man/man1";

/// The places of one call, `DESTDIR` included.
pub struct InstallPlaces {
    /// Directory of the links.
    pub tools: PathBuf,
    /// The executable that runs.
    pub program: PathBuf,
    /// `PREFIX`, if there is one.
    prefix: Option<PathBuf>,
    links_only: bool,
    destdir: Option<PathBuf>,
}

impl InstallPlaces {
    /// The places that follow from `options`.
    pub fn new(options: &LinkOptions) -> Result<Self, LinkError> {
        let destdir = env::var_os("DESTDIR").filter(|value| !value.is_empty());
        let destdir = destdir
            .map(|value| absolute(Path::new(&value)))
            .transpose()?;
        let named = absolute(&options.directory)?;
        let tools = match &destdir {
            Some(destdir) => below(destdir, &named),
            None => named,
        };
        let has_prefix = tools.ends_with("libexec/ikigai");
        let prefix = tools.ancestors().nth(2).filter(|_| has_prefix);
        Ok(Self {
            prefix: prefix.map(Path::to_owned),
            tools,
            program: running_program()?,
            links_only: options.links_only,
            destdir,
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

    /// `PREFIX/bin`, if something is to be installed or removed there.
    pub fn bin(&self) -> Option<PathBuf> {
        let prefix = self.prefix.as_ref().filter(|_| !self.links_only)?;
        Some(prefix.join("bin"))
    }

    /// `PREFIX/share`, if something is to be installed or removed there.
    pub fn share(&self) -> Option<PathBuf> {
        let prefix = self.prefix.as_ref().filter(|_| !self.links_only)?;
        Some(prefix.join("share"))
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
            Some(rest) => Path::new("/").join(rest),
            None => path.to_owned(),
        }
    }

    /// The same path, as it is now.
    pub fn staged_name(&self, path: &Path) -> PathBuf {
        match &self.destdir {
            Some(destdir) => below(destdir, path),
            None => path.to_owned(),
        }
    }

    /// True if `DESTDIR` stands before every path.
    pub fn is_staged(&self) -> bool {
        self.destdir.is_some()
    }

    /// The program as it is called from now on.
    pub fn program_name(&self) -> PathBuf {
        let installed = self.installed();
        if installed.is_file() {
            installed
        } else {
            self.program.clone()
        }
    }

    /// True if `target` names the program that runs, or the one in the links' directory.
    pub fn is_name_of_program(&self, target: &Path) -> bool {
        let installed = self.installed();
        [&installed, &self.program]
            .into_iter()
            .any(|program| target == program || target == self.final_name(program))
    }

    /// True if the program that the links lead to is beside them.
    fn program_is_beside(&self, copy: bool) -> bool {
        copy || same_file(&self.program, &self.installed())
    }

    /// Target of a link in the links' directory: relative if program and links are below one
    /// prefix, so that the whole can be moved.
    pub fn link_target(&self, copy: bool) -> PathBuf {
        let in_bin = Path::new("../../bin").join(PROGRAM);
        if self.program_is_beside(copy) {
            PathBuf::from(PROGRAM)
        } else if self.prefix.is_some() && same_file(&self.tools.join(&in_bin), &self.program) {
            in_bin
        } else {
            self.final_name(&self.program)
        }
    }

    /// Target of the link in `PREFIX/bin`: relative, so that the whole can be moved, unless `bin`
    /// is itself a link to elsewhere.
    pub fn bin_target(&self, bin: &Path, copy: bool) -> PathBuf {
        if !self.program_is_beside(copy) {
            return self.final_name(&self.program);
        }
        let real = |path: &Path| fs::canonicalize(path).ok();
        let parent = real(bin).and_then(|bin| bin.parent().map(Path::to_owned));
        let prefix = self.prefix.as_deref().and_then(real);
        if prefix.is_none() || parent == prefix {
            Path::new("../libexec/ikigai").join(PROGRAM)
        } else {
            self.final_name(&self.installed())
        }
    }
}

/// True if both paths lead to one file.
pub fn same_file(one: &Path, other: &Path) -> bool {
    match (fs::canonicalize(one), fs::canonicalize(other)) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}

/// `path` below `directory`, though both are absolute.
fn below(directory: &Path, path: &Path) -> PathBuf {
    let mut joined = OsString::from(directory);
    joined.push(path);
    PathBuf::from(joined)
}

/// `path` from the root on, without the slashes at its end.
fn absolute(path: &Path) -> Result<PathBuf, LinkError> {
    let absolute = std::path::absolute(path)
        .map_err(|error| LinkError::new(path, "does not name a directory", &error))?;
    Ok(absolute.components().collect())
}

/// The executable that runs. Without `/proc`, as in the root into which a package is being
/// installed, the kernel still tells by which path it was started.
fn running_program() -> Result<PathBuf, LinkError> {
    let program = match env::current_exe() {
        Ok(program) => program,
        Err(error) => started_as()
            .and_then(|path| fs::canonicalize(path).ok())
            .ok_or_else(|| {
                LinkError(format!(
                    "this program cannot tell where it is, and links need to: {error}"
                ))
            })?,
    };
    if program.is_file() {
        Ok(program)
    } else {
        Err(LinkError(format!(
            "{}: the program was replaced or removed while it ran; call the new one",
            display_path(&program)
        )))
    }
}

fn started_as() -> Option<PathBuf> {
    // SAFETY: getauxval has no preconditions.
    let address = unsafe { libc::getauxval(libc::AT_EXECFN) };
    if address == 0 {
        return None;
    }
    // SAFETY: AT_EXECFN is the address of a string that ends with a zero byte, which the kernel has
    // put on the stack for as long as the process lives (getauxval(3)).
    let name = unsafe { CStr::from_ptr(address as *const libc::c_char) };
    Some(PathBuf::from(OsStr::from_bytes(name.to_bytes())))
}
