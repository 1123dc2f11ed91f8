//! Where links, program, pages and completions lie: what follows from the one directory that the caller names.
//!
//! `PREFIX/libexec/ikigai` is a place of the file system's hierarchy, and what belongs to it lies in `PREFIX/bin` and
//! `PREFIX/share`. Any other directory, such as `~/.ikigai/tools`, has links and nothing else. `DESTDIR` stands before
//! every path, for packagers (GNU Coding Standards, "DESTDIR").

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use super::{Options, Refusal};
use crate::program::PROGRAM;

/// The places of one call, `DESTDIR` included.
pub struct Places {
    /// Where the links lie.
    pub tools: PathBuf,
    /// `PREFIX`, where there is one.
    pub prefix: Option<PathBuf>,
    /// The executable that runs.
    pub program: PathBuf,
    destdir: Option<PathBuf>,
}

impl Places {
    /// The places that `options` mean.
    pub fn new(options: &Options) -> Result<Self, Refusal> {
        let destdir = env::var_os("DESTDIR").filter(|value| !value.is_empty());
        let destdir = destdir
            .map(|value| absolute(Path::new(&value)))
            .transpose()?;
        let named = absolute(&options.directory)?;
        let tools = match &destdir {
            Some(destdir) => below(destdir, &named),
            None => named,
        };
        let prefix = if options.links_only || !tools.ends_with("libexec/ikigai") {
            None
        } else {
            tools.parent().and_then(Path::parent).map(Path::to_owned)
        };
        Ok(Self {
            tools,
            prefix,
            program: running_program()?,
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

    /// `PREFIX/bin`.
    pub fn bin(&self) -> Option<PathBuf> {
        Some(self.prefix.as_ref()?.join("bin"))
    }

    /// `PREFIX/share`.
    pub fn share(&self) -> Option<PathBuf> {
        Some(self.prefix.as_ref()?.join("share"))
    }

    /// `path` as it will be called once `DESTDIR` is `/`.
    pub fn final_name(&self, path: &Path) -> PathBuf {
        match &self.destdir {
            Some(destdir) => match path.strip_prefix(destdir) {
                Ok(rest) => Path::new("/").join(rest),
                Err(_) => path.to_owned(),
            },
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

    /// Whether `DESTDIR` stands before every path.
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

    /// Whether the program that the links are to lead to lies beside them.
    pub fn program_is_beside(&self, copy: bool) -> bool {
        copy || same_file(&self.program, &self.installed())
    }

    /// What a link in the links' directory holds.
    pub fn link_target(&self, copy: bool) -> PathBuf {
        if self.program_is_beside(copy) {
            PathBuf::from(PROGRAM)
        } else {
            self.program.clone()
        }
    }

    /// What the link on `PREFIX/bin` holds: relative, so that the whole may be moved, unless `bin` is itself a link to
    /// elsewhere.
    pub fn bin_target(&self, bin: &Path, copy: bool) -> PathBuf {
        if !self.program_is_beside(copy) {
            return self.program.clone();
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

/// Whether both paths lead to one file.
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
fn absolute(path: &Path) -> Result<PathBuf, Refusal> {
    let absolute = std::path::absolute(path)
        .map_err(|error| Refusal::new(path, "does not name a directory", &error))?;
    Ok(absolute.components().collect())
}

fn running_program() -> Result<PathBuf, Refusal> {
    let program = env::current_exe().map_err(|error| {
        Refusal(format!(
            "this program cannot tell where it lies, and links need to: {error}"
        ))
    })?;
    if program.is_file() {
        Ok(program)
    } else {
        Err(Refusal(format!(
            "{} has been replaced or removed while it ran; call the new one",
            program.display()
        )))
    }
}
