//! Directories for the tests' files.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// A new directory that goes away with the test.
pub fn directory() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

/// A directory with these files and contents in it, made with their directories.
pub fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
    let here = directory();
    for (file, content) in files {
        let file = here.path().join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, content).unwrap();
    }
    here
}

/// Gives the directory these names, all of one empty file: where only their number matters, since
/// a file system takes its time for each file that is made.
pub fn add_names(directory: &Path, names: impl IntoIterator<Item = String>) {
    let mut first: Option<PathBuf> = None;
    for name in names {
        let path = directory.join(name);
        match &first {
            Some(first) => fs::hard_link(first, &path).unwrap(),
            None => fs::write(&path, "").unwrap(),
        }
        first.get_or_insert(path);
    }
}

/// A directory of this machine's for temporary files: one that is neither shared memory, which a
/// confined command may use as well, nor closed to others, as root's may be.
pub fn public_place() -> PathBuf {
    let open = |place: &Path| {
        let mut above = place.ancestors();
        above.all(|one| fs::metadata(one).is_ok_and(|status| status.mode() & 0o001 != 0))
    };
    let places = [std::env::temp_dir(), "/tmp".into(), "/var/tmp".into()];
    let mut places = places
        .into_iter()
        .filter_map(|place| place.canonicalize().ok());
    let place = places.find(|place| open(place) && !place.starts_with("/dev/shm"));
    place.expect("no temporary directory is open")
}

/// A new directory there in which everybody may do everything.
pub fn public_directory() -> tempfile::TempDir {
    let directory = tempfile::tempdir_in(public_place()).unwrap();
    fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o777)).unwrap();
    directory
}

/// Where this user's tests keep files on a disk: beside the build, unless another user built it.
pub fn room_of_this_user() -> PathBuf {
    let room = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let user = fs::metadata("/proc/self").unwrap().uid();
    if fs::metadata(room).is_ok_and(|room| room.uid() == user) {
        return room.to_owned();
    }
    let room = std::env::temp_dir().join(format!("ikigai-tools-tests.{user}"));
    fs::create_dir_all(&room).unwrap();
    assert_eq!(
        fs::metadata(&room).unwrap().uid(),
        user,
        "{}",
        room.display()
    );
    room
}

/// Has temporary files of this process lie elsewhere than in the memory that every confined command
/// may write to. To be called while there is one thread.
pub fn leave_shared_memory() {
    if std::env::temp_dir().starts_with("/dev/shm") {
        // SAFETY: no other thread runs that could read the environment.
        unsafe { std::env::set_var("TMPDIR", "/tmp") };
    }
}
