//! The places that an answer may recommend to allow. A path that a call asks for is not always what
//! its user wants: a page or a package that it has read may have written it.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use super::AccessRight;
use crate::sandbox::roots;

/// Names of directories that hold keys, wherever they lie.
const PRIVATE_DIRECTORIES: &str = ".ssh .gnupg .aws .azure .kube .docker .config .mozilla \
                                   .password-store .thunderbird keyrings ikigai ikigai-tools";

/// Names that show that a directory is a home, or the one of this program's keys.
const HOME_MARKERS: [&str; 4] = [".ssh", ".gnupg", ".aws", "credentials.json"];

/// Places that everybody shares, or that hold homes: only their parts are harmless.
const SHARED_DIRECTORIES: &str = "/tmp /var/tmp /dev/shm /home /mnt /media /srv /opt /usr /var";

/// The system's own, which may hold keys or reach devices; what lies in shared memory does neither.
const SYSTEM_DIRECTORIES: &str = "/boot /dev /etc /proc /run /sys";

/// Directories whose files others run later: writing there is never recommended.
const EXECUTED_DIRECTORIES: &str = "bin sbin hooks";

/// The most directories within a place that are looked into for private ones.
const MAX_EXAMINED_ENTRIES: usize = 256;

/// Directories below a hidden one of a home in which programs have their parts.
const TOOL_DIRECTORIES: &str = "bin lib registry toolchains versions";

/// The system's programs, which others run as well: harmless to read, not to write.
const PROGRAM_DIRECTORIES: &str = "/bin /lib /lib64 /nix /opt /sbin /usr /var/lib /var/spool";

/// True if this right in `place`, which no link leads to, opens neither private files nor files
/// that run outside of the confinement. The place need not exist.
pub fn may_be_recommended(place: &Path, right: AccessRight) -> bool {
    let writes = right == AccessRight::Write;
    let lies_in = |names: &str| names.split(' ').any(|name| place.starts_with(real(name)));
    let has_part = |names: &str| {
        let mut parts = place.iter();
        parts.any(|part| names.split(' ').any(|name| part == name))
    };
    let homes = homes(place);
    let is_hidden = |home: &PathBuf| {
        let mut inner = place.strip_prefix(home).into_iter().flat_map(Path::iter);
        let hidden = inner
            .next()
            .is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
        let of_program = inner.any(|part| TOOL_DIRECTORIES.split(' ').any(|name| part == name));
        // Programs in a home take reading their parts (`~/.cargo/bin`); writing changes them.
        hidden && (writes || !of_program)
    };
    let on_path = || {
        let path = env::var_os("PATH").unwrap_or_default();
        let mut directories = env::split_paths(&path)
            .filter(|one| one.is_absolute())
            .map(real);
        directories.any(|one| place.starts_with(&one) || one.starts_with(place))
    };
    let is_above = |one: PathBuf| one.starts_with(place);
    !(SHARED_DIRECTORIES.split(' ').map(real).any(is_above)
        || homes.iter().any(is_hidden)
        || homes.into_iter().any(is_above)
        || has_part(PRIVATE_DIRECTORIES)
        || (lies_in(SYSTEM_DIRECTORIES) && !lies_in("/dev/shm"))
        || (writes && (lies_in(PROGRAM_DIRECTORIES) || on_path()))
        || (writes && has_part(EXECUTED_DIRECTORIES))
        || holds_keys(place))
}

/// True if this place, or a directory in it, such as a home, holds private files.
fn holds_keys(place: &Path) -> bool {
    let has_keys = |place: &Path| {
        let mut names = HOME_MARKERS.iter();
        names.any(|name| place.join(name).symlink_metadata().is_ok())
    };
    let inner = fs::read_dir(place).into_iter().flatten().flatten();
    has_keys(place)
        || inner
            .take(MAX_EXAMINED_ENTRIES)
            .any(|entry| has_keys(&entry.path()))
}

/// The homes of this machine, as far as its files list them, and the one that `place` is in.
fn homes(place: &Path) -> Vec<PathBuf> {
    let users = fs::read("/etc/passwd").unwrap_or_default();
    let users = String::from_utf8_lossy(&users);
    let listed = users.lines().filter_map(|user| user.split(':').nth(5));
    let listed = listed.map(PathBuf::from).filter(|home| home.is_absolute());
    let above = real("/home");
    let inner = place.strip_prefix(&above).ok();
    let around = inner.and_then(|inner| Some(above.join(inner.iter().next()?)));
    let user_homes = dirs::home_dir().into_iter().chain(["/root".into()]);
    user_homes.chain(listed).map(real).chain(around).collect()
}

fn real(name: impl AsRef<Path>) -> PathBuf {
    let name = name.as_ref();
    roots::follow(name, |_| {}).unwrap_or_else(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_private_or_the_system_s_own_is_ever_recommended() {
        let home = real(dirs::home_dir().unwrap_or_else(|| "/root".into()));
        let home = home.to_str().unwrap();
        for place in [
            "/",
            "/home",
            "/home/ada",
            "/srv",
            "/mnt",
            "/home/ada/.bashrc",
            "/home/ada/.config/gh",
            "/home/ada/.local/share/keyrings",
            "/home/ada/.thunderbird/x",
            "/root",
            "/root/.ssh",
            "/tmp",
            "/dev/shm",
            "/dev/sda",
            "/etc",
            "/etc/ssl/private",
            "/proc/1",
            "/srv/keys/.aws",
            home,
            &format!("{home}/.ssh/keys"),
            &format!("{home}/.cargo"),
        ] {
            for right in [AccessRight::Read, AccessRight::Execute, AccessRight::Write] {
                assert!(!may_be_recommended(Path::new(place), right), "{place}");
            }
        }
        let room = tempfile::tempdir().unwrap();
        let home = real(room.path()).join("ada");
        fs::create_dir_all(home.join("notes")).unwrap();
        fs::create_dir_all(home.join("repository/hooks")).unwrap();
        assert!(may_be_recommended(&home, AccessRight::Read));
        fs::create_dir(home.join(".ssh")).unwrap();
        for place in [home.as_path(), home.parent().unwrap()] {
            assert!(
                !may_be_recommended(place, AccessRight::Read),
                "{}",
                place.display()
            );
        }
        assert!(may_be_recommended(&home.join("notes"), AccessRight::Write));
        assert!(!may_be_recommended(
            &home.join("repository/hooks"),
            AccessRight::Write
        ));
        for place in ["/usr/local/bin", "/home/ada/.cargo/bin", "/var/lib/x"] {
            assert!(
                may_be_recommended(Path::new(place), AccessRight::Read),
                "{place}"
            );
            assert!(
                !may_be_recommended(Path::new(place), AccessRight::Write),
                "{place}"
            );
        }
        for place in [
            "/home/ada/project",
            "/srv/data",
            "/work",
            "/tmp/.tmpX/out",
            "/dev/shm/out",
        ] {
            assert!(
                may_be_recommended(Path::new(place), AccessRight::Write),
                "{place}"
            );
        }
    }
}
