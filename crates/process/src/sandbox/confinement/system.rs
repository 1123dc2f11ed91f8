//! Parts of the system that a confined command may use beside its directories: programs and
//! libraries, the devices that every program counts on, git's configuration. Rules: `hier(7)`; for
//! the variables, the programs that read them.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use landlock::{AccessFs, BitFlags};

use super::opened_path::{self, OpenedPath};
use super::{AccessRight, etc, ruleset};
use crate::sandbox::roots::{self, RootSet};

/// Directories that may be read, and whose programs may be run.
const TO_READ: &str = "/usr /bin /sbin /lib /lib32 /lib64 /libx32 /etc /opt /nix/store /proc /sys";

/// The one of them that is not all for root.
const ETC: &str = "/etc";

/// Those of them in which administrators put the configuration of programs.
pub const CONFIGURED: [&str; 3] = ["/etc", "/opt", "/usr"];

/// A file and a directory in one of them that may be links to a place that is not readable
/// otherwise.
const NAME_SERVERS: &str = "/etc/resolv.conf";
const CERTIFICATES: &str = "/etc/ssl/certs";

/// Devices that may be read, written and controlled: no other part of the machine depends on them.
const DEVICES: [&str; 5] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
];

/// The terminal, which may be read and written, but not controlled.
const TERMINAL: &str = "/dev/tty";

/// Memory that programs share by name, which every command may write to.
pub const SHARED_MEMORY: &str = "/dev/shm";

/// Everything that a command may use, opened. Paths that do not exist are left out, and so is a
/// file to which a link in one of the `roots` leads.
pub fn places(roots: &[PathBuf]) -> Vec<(OpenedPath, BitFlags<AccessFs>)> {
    let (read, write) = (AccessFs::ReadFile, AccessFs::WriteFile);
    let device = read | write | AccessFs::Truncate;
    let mut places = directories(roots);
    let mut open = |name: &Path, rights: BitFlags<AccessFs>| {
        places.extend(opened_path::open_one(name, roots).map(|place| (place, rights)));
    };
    open(Path::new(NAME_SERVERS), read.into());
    open(Path::new(CERTIFICATES), read | AccessFs::ReadDir);
    for name in DEVICES {
        open(Path::new(name), device | AccessFs::IoctlDev);
    }
    open(Path::new(TERMINAL), device);
    open(
        Path::new(SHARED_MEMORY),
        ruleset::to_write() & !AccessFs::Execute,
    );
    for file in configuration_of_git() {
        open(&file, read.into());
    }
    places
}

/// The directories to be read, but for those that are links into others of them, as `/bin` often is
/// into `/usr`.
fn directories(roots: &[PathBuf]) -> Vec<(OpenedPath, BitFlags<AccessFs>)> {
    let mut opened: Vec<(OpenedPath, BitFlags<AccessFs>)> = Vec::with_capacity(24);
    for name in TO_READ.split(' ') {
        let name = Path::new(name);
        let within = std::fs::read_link(name).is_ok_and(|_| {
            real(name).is_some_and(|real| opened.iter().any(|(one, _)| real.starts_with(&one.path)))
        });
        if !within {
            let place = opened_path::open_one(name, roots);
            if name == Path::new(ETC) {
                opened.extend(place.into_iter().flat_map(etc::readable));
            } else {
                opened.extend(place.map(|place| (place, ruleset::to_read())));
            }
        }
    }
    opened
}

/// True if a command may do this to the file at `path`, no link on the way.
pub fn grants(path: &Path, right: AccessRight, roots: &RootSet) -> bool {
    let wanted = match right {
        AccessRight::Read if path.is_dir() => AccessFs::ReadDir,
        AccessRight::Read => AccessFs::ReadFile,
        AccessRight::Execute => AccessFs::Execute,
        AccessRight::Write => AccessFs::WriteFile,
    };
    places(roots.directories())
        .iter()
        .any(|(place, rights)| rights.contains(wanted) && path.starts_with(&place.path))
}

/// True if every command may write there.
pub fn is_shared(path: &Path) -> bool {
    real(SHARED_MEMORY).is_some_and(|real| path.starts_with(real))
}

fn real(name: impl AsRef<Path>) -> Option<PathBuf> {
    roots::follow(name.as_ref(), |_| {})
}

/// The files that git reads for every command, and fails if it may not: `git-config(1)`,
/// `gitignore(5)`, `gitattributes(5)`. Beside them, in `credentials`, are passwords.
fn configuration_of_git() -> Vec<PathBuf> {
    let home = dirs::home_dir();
    let gitconfig = home.as_ref().map(|home| home.join(".gitconfig"));
    let shared = dirs::config_dir().map(|config| config.join("git"));
    let shared = ["config", "ignore", "attributes"]
        .into_iter()
        .filter_map(|name| Some(shared.as_ref()?.join(name)));
    gitconfig.into_iter().chain(shared).collect()
}

/// Variables that lead to a service of the session, which would do for a command what it may not do
/// itself.
const SERVICES: &str = "\
    ALACRITTY_SOCKET AT_SPI_BUS_ADDRESS BUILDKIT_HOST CONTAINERD_ADDRESS CONTAINER_HOST DISPLAY \
     DOCKER_HOST EMACS_SOCKET_NAME GIT_ASKPASS GNOME_KEYRING_CONTROL GPG_AGENT_INFO \
     HYPRLAND_INSTANCE_SIGNATURE I3SOCK ICEAUTHORITY KITTY_LISTEN_ON LISTEN_FDS LISTEN_PID \
     NIRI_SOCKET NOTIFY_SOCKET NVIM NVIM_LISTEN_ADDRESS PIPEWIRE_REMOTE PULSE_SERVER \
     SESSION_MANAGER SSH_AGENT_PID SSH_ASKPASS SSH_AUTH_SOCK STY SUDO_ASKPASS SWAYSOCK TMUX \
     WAYLAND_DISPLAY WAYLAND_SOCKET WEZTERM_UNIX_SOCKET WSL_INTEROP XAUTHORITY XDG_RUNTIME_DIR";

/// Prefixes of further names: D-Bus, and editors in whose terminal a command runs.
const SERVICE_VARIABLE_PREFIXES: [&str; 3] = ["DBUS_", "VSCODE_", "ZELLIJ"];

/// The variable that names the directory for temporary files; a command gets one of its own.
pub const TEMPORARY: &str = "TMPDIR";

/// zsh's own, which it needs for every here-document: how the names of its files begin
/// (`zshparam(1)`).
pub const TEMPORARY_OF_ZSH: &str = "TMPPREFIX";

/// True if a confined command does not get the variable called `name`.
#[must_use]
pub fn is_withheld(name: &OsStr) -> bool {
    let name = name.as_bytes();
    let temporary_variables = [TEMPORARY, TEMPORARY_OF_ZSH].into_iter();
    SERVICES
        .split(' ')
        .chain(temporary_variables)
        .any(|one| one.as_bytes() == name)
        || SERVICE_VARIABLE_PREFIXES
            .iter()
            .any(|one| name.starts_with(one.as_bytes()))
}
