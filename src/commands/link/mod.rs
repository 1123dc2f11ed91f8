//! `link`: lays the program's own links, manual pages and completions, and removes them again.
//!
//! Rules: the decisions on the host's calls (6) for names and places. What is somebody else's is neither overwritten
//! nor removed; directories that had to be made are recorded, so that removing leaves no trace; laying twice is laying
//! once. Each file comes into its place in one step, so that a call that runs meanwhile is not disturbed.

mod check;
mod lay;
mod owned;
mod places;
mod remove;

use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::console::{sanitize, say};
use crate::program::{Exit, PROGRAM};
use places::Places;

/// What is to be laid or removed, and where.
#[derive(Clone, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line, and none implies another"
)]
pub struct Options {
    /// The directory of the links, as the caller named it.
    pub directory: PathBuf,
    /// Every link's name ends in `-tool`.
    pub suffix: bool,
    /// The program itself is laid into the directory, or removed from it, as well.
    pub copy: bool,
    /// Neither the link on `PREFIX/bin` nor what belongs in `PREFIX/share`.
    pub links_only: bool,
    /// Remove instead of laying.
    pub remove: bool,
    /// Say what would be done, and change nothing.
    pub dry_run: bool,
}

/// Why nothing, or not everything, was done: a sentence for whoever called.
#[derive(Debug)]
struct Refusal(String);

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Refusal {}

impl Refusal {
    fn new(path: &Path, what: &str, error: &io::Error) -> Self {
        Self(format!("{} {what}: {error}", path.display()))
    }
}

/// Lays or removes as `options` say. Exits 1 where something else is in the place of a link, or a step failed.
pub fn run(options: &Options) -> Exit {
    let mut report = Report {
        dry_run: options.dry_run,
        kept_links: 0,
    };
    let done = Places::new(options).and_then(|places| {
        if options.remove {
            remove::all(&places, options, &mut report)
        } else {
            lay::all(&places, options, &mut report)?;
            check::all(&places, options.suffix, &report)
        }
    });
    match done {
        Err(refusal) => {
            report.warn(&refusal.to_string());
            Exit::Failure
        }
        Ok(()) if report.kept_links > 0 && !options.remove => {
            report.warn(&format!(
                "{} of the links could not be laid, since something else is in their place (\"kept\" above); \
                 move that away and call `{PROGRAM} link` again",
                report.kept_links
            ));
            Exit::Failure
        }
        Ok(()) => Exit::Success,
    }
}

/// What is said while it is done.
struct Report {
    dry_run: bool,
    /// How many links could not be laid.
    kept_links: usize,
}

impl Report {
    /// Announces a change. False in a dry run: the change is not to be made.
    fn change(&self, verb: &str, path: &Path) -> bool {
        let would = if self.dry_run { "would " } else { "" };
        // Whoever has closed stdout wants the change and not the line.
        say::print(&format!(
            "{would}{verb} {}\n",
            sanitize::shown(&path.display().to_string())
        ));
        !self.dry_run
    }

    fn kept_link(&mut self, path: &Path) {
        self.kept_links += 1;
        self.warn(&format!(
            "kept {}, which is not a link of this program",
            path.display()
        ));
    }

    fn kept_page(&self, path: &Path) {
        self.warn(&format!(
            "kept {}, which was not made by this program",
            path.display()
        ));
    }

    #[expect(clippy::unused_self, reason = "what is said goes through the report")]
    fn warn(&self, message: &str) {
        // A reader who has closed stderr is told by the exit code.
        let _ = writeln!(io::stderr(), "{PROGRAM} link: {}", sanitize::shown(message));
    }
}
