//! `link`: installs the program's own links, manual pages and completions, and removes them again.
//!
//! Rules: the decisions on the host's calls (6) for names and places. Files and links of other
//! owners are neither overwritten nor removed. Directories that had to be made are recorded, so
//! that removing leaves no trace. Installing twice is installing once. Each file comes into its
//! place in one step, so that a call that runs meanwhile is not disturbed, and a run that is killed
//! leaves nothing half written: the next one completes it. One run at a time works in a directory
//! (`flock`).

mod check;
mod directories;
mod install;
mod owned;
mod places;
mod remove;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::Mode;
use rustix::process::umask;

use crate::console::exit::{PROGRAM, ProgramExit};
use crate::console::{sanitize, say};
use places::InstallPlaces;

/// The parts to install or remove, and the directory.
#[derive(Clone, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line, and none implies another"
)]
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

/// The reason why nothing, or not everything, was done: a sentence for the caller.
#[derive(Debug)]
struct LinkError(String);

impl fmt::Display for LinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for LinkError {}

impl LinkError {
    fn new(path: &Path, what: &str, error: &io::Error) -> Self {
        Self(format!("{} {what}: {error}", display_path(path)))
    }
}

/// `path` as a message shows it: in one line, even if its name has several.
fn display_path(path: &Path) -> String {
    sanitize::for_line(&path.to_string_lossy())
}

/// Installs or removes as `options` say. Exits 1 if something else is in the place of a link, or a
/// step failed.
pub fn run(options: &LinkOptions) -> ProgramExit {
    // Everything that is made has the same permissions for every caller. This process does nothing
    // else.
    umask(Mode::WGRP | Mode::WOTH);
    let mut report = LinkReport {
        dry_run: options.dry_run,
        kept_links: 0,
    };
    match carry_out(options, &mut report) {
        Err(refusal) => {
            report.warn(&refusal.to_string());
            ProgramExit::Failure
        }
        Ok(()) if report.kept_links > 0 && !options.remove => {
            report.warn(&format!(
                "this is not a whole install: {} of its links could not be created, since something \
                 else is in their place (\"kept\" above). Move that away, then run this again; where it \
                 is the program as another package has installed it, --links-only leaves it there",
                report.kept_links
            ));
            ProgramExit::Failure
        }
        Ok(()) => ProgramExit::Success,
    }
}

fn carry_out(options: &LinkOptions, report: &mut LinkReport) -> Result<(), LinkError> {
    let places = InstallPlaces::new(options)?;
    if options.remove {
        return remove::remove_all(&places, options, report);
    }
    let mut options = options.clone();
    // Held until the tools have been called, so that no other run removes them meanwhile.
    let _lock = install::install_all(&places, &mut options, report)?;
    if options.dry_run {
        return Ok(());
    }
    check::check_all(&places, &options)
}

/// The lines that are printed meanwhile, and the failures.
struct LinkReport {
    dry_run: bool,
    /// Number of links that could not be created.
    kept_links: usize,
}

impl LinkReport {
    /// Announces a change. False in a dry run: the change is not to be made.
    fn change(&self, verb: &str, path: &Path) -> bool {
        let would = if self.dry_run { "would " } else { "" };
        // A caller that has closed stdout wants the change and not the line.
        say::print(&format!("{would}{verb} {}\n", display_path(path)));
        !self.dry_run
    }

    fn kept_link(&mut self, path: &Path) {
        self.kept_links += 1;
        self.warn(&format!(
            "kept {}, which is not a link of this program",
            display_path(path)
        ));
    }

    fn kept_page(&self, path: &Path) {
        self.warn(&format!(
            "kept {}, which was not made by this program",
            display_path(path)
        ));
    }

    #[expect(clippy::unused_self, reason = "what is said goes through the report")]
    fn warn(&self, message: &str) {
        say::report_usage(&format!("{PROGRAM} link: {message}"));
    }
}
