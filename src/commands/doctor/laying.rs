//! How links are laid that hosts find: by `link`, and where, for whoever brought this program here.
//!
//! What a package manager has laid is left to it, and nothing leads into a cache.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::commands::doctor::places::{Owner, Place};
use crate::commands::doctor::{Report, places, shell};

/// Says that hosts find no tool. That is wrong where the program was installed for them. Where a
/// package for MCP clients brought it, it is only to be known: those need no links.
pub fn none_there(report: &mut Report, own: &Path, directory: &Path) {
    const NONE: &str = "no tool of this program is where a host looks";
    if is_host_s(own) {
        return report.problem(NONE, link_all(own, "", directory));
    }
    let clients = "MCP clients and the command line need none";
    if is_cached(own) {
        report.hint(
            format!("{NONE}; {clients}. This program lies in a cache, where no link should lead"),
            "uv tool install, pip install, npm install --global or ./install.sh keep it in one place",
        );
    } else {
        let advice = link_all(own, "--links-only ", directory);
        report.hint(
            format!("{NONE}; {clients}. For a host (with --remove they go again)"),
            advice,
        );
    }
}

/// The command that makes the links of all tools.
pub fn link_all(own: &Path, options: &str, directory: &Path) -> String {
    let who = shell::as_who_may_write(directory);
    let (own, directory) = (shell::word(own), shell::word(directory));
    format!("{who}{own} link {options}{directory}")
}

/// Whether the program was installed where a host's tools are.
fn is_host_s(own: &Path) -> bool {
    own.parent()
        .is_some_and(|directory| directory.ends_with("libexec/ikigai"))
}

/// Whether the program was only fetched to be called once, as `npx` and `uvx` do, whose caches may
/// have been moved anywhere.
fn is_cached(own: &Path) -> bool {
    let caches = dirs::cache_dir().is_some_and(|caches| own.starts_with(caches));
    let named = |part: &OsStr| part == "_npx" || part == "archive-v0";
    caches || own.iter().any(named)
}

/// Whether a directory's files are those of the system's packages, which nobody else renames.
pub fn is_packaged(directory: &Path) -> bool {
    directory.starts_with("/usr") && !directory.starts_with("/usr/local")
}

/// Where links are laid where there are none.
pub fn usual_place(own: &Path, places: &[Place]) -> PathBuf {
    let beside = own
        .parent()
        .filter(|directory| directory.ends_with("libexec/ikigai"));
    let under_home = || Some(places::home()?.join(".local/libexec/ikigai"));
    let system = places.iter().find(|place| place.owner == Owner::System);
    beside
        .map(Path::to_owned)
        .or_else(under_home)
        .or_else(|| system.map(|place| place.directory.clone()))
        .unwrap_or_else(|| PathBuf::from("/usr/local/libexec/ikigai"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_system_s_packages_own_what_is_below_usr() {
        assert!(is_packaged(Path::new("/usr/libexec/ikigai")));
        for own in [
            "/usr/local/libexec/ikigai",
            "/home/a/.local/libexec/ikigai",
            "/opt/usr",
        ] {
            assert!(!is_packaged(Path::new(own)), "{own}");
        }
    }
}
