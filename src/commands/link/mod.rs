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
mod entries;
mod install;
mod owned;
mod places;
mod remove;

use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::Mode;
use rustix::process::umask;

use crate::console::exit::{PROGRAM, ProgramExit};
use crate::console::sanitize::display_path;
use crate::console::say;
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

/// The sentence about a step that failed, for the caller.
fn failure(path: &Path, what: &str, error: &io::Error) -> String {
    format!("{} {what}: {error}", display_path(path))
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
    let mut done = carry_out(options, &mut report);
    if done.is_ok() && report.kept_links > 0 && !options.remove {
        done = Err(format!(
            "this is not a whole install: {} of its links could not be created, since something else \
             is in their place (\"kept\" above). Move that away, then run this again; where it is the \
             program as another package has installed it, --links-only leaves it there",
            report.kept_links
        ));
    }
    match done {
        Ok(()) => ProgramExit::Success,
        Err(message) => {
            warn(&message);
            ProgramExit::Failure
        }
    }
}

fn carry_out(options: &LinkOptions, report: &mut LinkReport) -> Result<(), String> {
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
}

fn warn(message: &str) {
    say::report_usage(&format!("{PROGRAM} link: {message}"));
}
