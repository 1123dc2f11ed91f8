//! What bash's answer says of what the confinement of a call refused its command: which path, which
//! right, and what would allow it. A model cannot change that itself, but it can tell the person,
//! and work with what there is.

use std::path::{Path, PathBuf};

use crate::sandbox::confinement::{Confinement, Right};
use crate::shell::refused::{self, Access, Refusal};
use crate::tools::file_words::quoted_for_shell;

/// How many refusals are told one by one.
const MOST: usize = 3;

/// How long what is told of them may be, in bytes; the first is told in any case.
const LONGEST: usize = 420;

/// Directories of the kernel's, which no flag is for.
const OF_KERNEL: [&str; 3] = ["/dev", "/proc", "/sys"];

/// The note, if anything was refused.
pub fn note(refusals: &[Refusal], confinement: &Confinement) -> Option<String> {
    let mut told: Vec<Item> = Vec::new();
    let mut left = refusals.len();
    for refusal in refusals.iter().take(MOST) {
        let item = item(refusal, confinement);
        let length: usize = told.iter().map(Item::length).sum();
        if !told.is_empty() && length + item.length() > LONGEST {
            break;
        }
        left -= 1;
        match told
            .iter_mut()
            .find(|one| one.what == item.what && one.allowed == item.allowed)
        {
            Some(same) => same.of.extend(item.of),
            None => told.push(item),
        }
    }
    if told.is_empty() {
        return None;
    }
    let more = match left {
        0 => String::new(),
        left => format!("; and {left} more"),
    };
    let told: Vec<String> = told.iter().map(Item::told).collect();
    let told = told.join("; ");
    Some(format!(
        "This call is confined, which refused {told}{more}. Only whoever set that up can allow more: tell \
         them what you need.{}",
        instead(confinement)
    ))
}

/// What was refused.
struct Item {
    what: &'static str,
    /// The paths of which.
    of: Vec<String>,
    /// What would allow it, if anything does.
    allowed: String,
}

impl Item {
    fn new(what: &'static str, allowed: impl Into<String>) -> Self {
        Self {
            what,
            of: Vec::new(),
            allowed: allowed.into(),
        }
    }

    fn length(&self) -> usize {
        self.told().len()
    }

    fn told(&self) -> String {
        let Self { what, of, allowed } = self;
        match &of[..] {
            [] => format!("{what} ({allowed})"),
            [one] => format!("{what} {one} ({allowed})"),
            [first @ .., last] => format!("{what} {} and {last} ({allowed})", first.join(", ")),
        }
    }
}

fn item(refusal: &Refusal, confinement: &Confinement) -> Item {
    const NOTHING: &str = "nothing allows that";
    match refusal {
        Refusal::File {
            path,
            access,
            found,
        } => file(path, *access, found.as_deref(), confinement),
        Refusal::Network => Item::new(
            "the network",
            format!("{} takes it away", confinement.name_for_network()),
        ),
        Refusal::Signal => Item::new(
            "a signal to a process that this same call did not start",
            "nothing allows that; what an earlier call left running is out of reach as well",
        ),
        Refusal::Trace => Item::new("looking into a process outside of it", NOTHING),
        Refusal::Mount => Item::new("mounting and unmounting", NOTHING),
        Refusal::Socket => Item::new("a socket of a process outside of it", NOTHING),
    }
}

fn file(path: &Path, access: Access, found: Option<&Path>, confinement: &Confinement) -> Item {
    let what = match access {
        Access::Read => "reading",
        Access::Execute => "running",
        Access::Write => "writing",
        Access::Inside => "making, renaming or removing what is in",
        Access::Any => "using",
    };
    let of = match found {
        // Where it leads to is told by what would allow it.
        Some(found) => shown(found),
        None => shown(path),
    };
    let item = |allowed: String| Item {
        what,
        of: vec![of.clone()],
        allowed,
    };
    if OF_KERNEL.iter().any(|place| path.starts_with(place)) {
        return item(String::from("no flag is for that"));
    }
    let directories = match access {
        Access::Execute => refused::directories_of_program(found.unwrap_or(path), path),
        Access::Read | Access::Any => vec![to_read(path)],
        Access::Write => vec![to_write(path)],
        Access::Inside => vec![path.to_owned()],
    };
    let allowed = allowed(confinement, access.right(), &directories);
    let more = match &directories[..] {
        [one] if access == Access::Any && one.is_dir() => format!(
            " to read it, {} to write it",
            self::allowed(confinement, Right::Write, &directories)
        ),
        _ => beside(&directories) + &elsewhere(path, access),
    };
    item(format!("allowed by {allowed}{more}"))
}

/// The directory that has to be readable for `path`; the file alone, where others beside it are
/// nobody's business.
fn to_read(path: &Path) -> PathBuf {
    if let Some(own) = refused::of_manager(path) {
        return own;
    }
    if path.is_dir() {
        return path.to_owned();
    }
    let directory = path.parent().unwrap_or(path);
    let is_wide = [refused::home(), refused::home_of_cargo()]
        .iter()
        .flatten()
        .any(|place| place.starts_with(directory));
    let is_wide = is_wide
        || [".ssh", ".aws", ".gnupg", ".config"]
            .iter()
            .any(|name| directory.ends_with(name));
    if is_wide {
        path.to_owned()
    } else {
        directory.to_owned()
    }
}

/// Where programs keep what they make again if it is gone, in the home directory, and the variable
/// by which they keep it elsewhere: `npm-config(7)`, `go help environment`, the manuals of cargo,
/// Gradle and yarn.
const CACHES: [(&str, &str); 9] = [
    (".cargo", "CARGO_HOME"),
    (".npm", "npm_config_cache"),
    (".cache/go-build", "GOCACHE"),
    ("go/pkg/mod", "GOMODCACHE"),
    (".cache/pip", "PIP_CACHE_DIR"),
    (".cache/uv", "UV_CACHE_DIR"),
    (".gradle", "GRADLE_USER_HOME"),
    (".yarn", "YARN_GLOBAL_FOLDER"),
    (".cache", "XDG_CACHE_HOME"),
];

/// The cache that `path` is in, and its variable.
fn cache_of(path: &Path) -> Option<(PathBuf, &'static str)> {
    let home = refused::home()?;
    let mut caches = CACHES
        .iter()
        .map(|(name, variable)| (home.join(name), *variable));
    caches.find(|(cache, _)| path.starts_with(cache))
}

/// The directory that has to be writable for `path`: of a cache the whole, but of cargo's and of
/// the one that all share the part that is meant.
fn to_write(path: &Path) -> PathBuf {
    let parent = path.parent().unwrap_or(path);
    let Some((cache, _)) = cache_of(path) else {
        return parent.to_owned();
    };
    let inner = path.strip_prefix(&cache).ok();
    let part = inner.and_then(|inner| inner.components().next());
    match part {
        Some(part) if cache.ends_with(".cargo") || cache.ends_with(".cache") => {
            let part = cache.join(part);
            if part == path {
                parent.to_owned()
            } else {
                part
            }
        }
        _ => cache,
    }
}

/// What a command can do itself about a cache into which it may not write.
fn elsewhere(path: &Path, access: Access) -> String {
    let is_written = matches!(access, Access::Write | Access::Inside);
    let cache = cache_of(path).filter(|_| is_written);
    cache.map_or_else(String::new, |(_, variable)| {
        format!("; or set {variable} to a directory where you may write")
    })
}

/// How whoever set the confinement up allows a right in these directories.
fn allowed(confinement: &Confinement, right: Right, directories: &[PathBuf]) -> String {
    let names: Vec<String> = directories
        .iter()
        .map(|directory| quoted_for_shell(&directory.to_string_lossy()).into_owned())
        .collect();
    confinement.words_to_allow(right, &names)
}

/// What is to be known of these directories.
fn beside(directories: &[PathBuf]) -> String {
    let cargo = refused::home_of_cargo();
    let in_cargo = cargo.filter(|cargo| directories.iter().any(|one| one.starts_with(cargo)));
    if let Some(cargo) = in_cargo {
        return format!(
            "; not all of {}, which also holds credentials.toml",
            shown(&cargo)
        );
    }
    let home = refused::home().filter(|home| directories.contains(home));
    home.map_or_else(String::new, |_| {
        String::from(", which is all of the home directory, keys included")
    })
}

/// What a command can do as it is.
fn instead(confinement: &Confinement) -> String {
    let roots = confinement.roots().directories();
    if !confinement.confines_files() {
        return String::new();
    }
    let names: Vec<String> = roots.iter().take(3).map(|root| shown(root)).collect();
    let more = if roots.len() > 3 { " and others" } else { "" };
    if names.is_empty() {
        return String::from(" As it is, you may write in $TMPDIR alone.");
    }
    let roots = names.join(", ");
    format!(" As it is, you may write in {roots}{more} and in $TMPDIR.")
}

/// A path in a sentence.
fn shown(path: &Path) -> String {
    // What this process is for itself, the command is for itself.
    let itself = path.strip_prefix(format!("/proc/{}", std::process::id()));
    let itself = itself.map(|inner| Path::new("/proc/self").join(inner));
    let name = itself.as_deref().unwrap_or(path).to_string_lossy();
    let is_plain = !name.contains(|one: char| one.is_whitespace() || one.is_control());
    if is_plain {
        name.into_owned()
    } else {
        format!("{name:?}")
    }
}
