//! A process's own environment, which the kernel shows as a file (`proc_pid_environ(5)`) and which
//! may hold secrets.
//!
//! It is recognized by where the open file is, since links, `..` and other names of `/proc` lead
//! there as well.

use std::fs::read_link;
use std::os::fd::AsRawFd;
use std::path::Path;

use super::regular::RegularFile;

/// True if `file` is the environment of this process, or of one of its threads.
pub fn is_own(file: &RegularFile) -> bool {
    // Other files are recognized at no cost: this one has no size, and only its owner may read it.
    if file.stat.st_size != 0 || file.stat.st_mode & 0o777 != 0o400 {
        return false;
    }
    let place = read_link(format!("/proc/self/fd/{}", file.file.as_raw_fd()));
    place.is_ok_and(|place| is_own_place(&place))
}

/// `<proc>/<pid>/environ` or `<proc>/<pid>/task/<tid>/environ`, where `<proc>/self` is that very
/// process.
fn is_own_place(place: &Path) -> bool {
    if !place.ends_with("environ") {
        return false;
    }
    let process = place.parent().map(|above| {
        let tasks = above.parent().filter(|tasks| tasks.ends_with("task"));
        tasks.and_then(Path::parent).unwrap_or(above)
    });
    let Some((process, proc)) = process.and_then(|process| Some((process, process.parent()?)))
    else {
        return false;
    };
    read_link(proc.join("self")).is_ok_and(|myself| Some(myself.as_os_str()) == process.file_name())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::OFlags;

    fn is_own_at(path: &str) -> bool {
        is_own(
            &RegularFile::open(Path::new(path), OFlags::RDONLY)
                .ok()
                .unwrap(),
        )
    }

    #[test]
    fn the_own_environment_is_known_under_every_name_and_no_other_file_is() {
        let pid = std::process::id();
        let mut child = std::process::Command::new("sleep")
            .arg("60")
            .spawn()
            .unwrap();
        let mut others = format!("/proc/{}/environ", child.id());
        for path in [
            "/proc/self/environ".to_owned(),
            "/proc/thread-self/environ".to_owned(),
            "/proc/self/../thread-self/environ".to_owned(),
            format!("/proc/{pid}/environ"),
            format!("/proc/{pid}/task/{pid}/environ"),
            "/proc/self/root/proc/self/environ".to_owned(),
        ] {
            assert!(is_own_at(&path), "{path}");
        }
        for _ in 0..2 {
            assert!(!is_own_at(&others), "{others}");
            others = "/proc/self/status".to_owned();
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
