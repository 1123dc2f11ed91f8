//! A place for one test of the installer, and what can be asked of it.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

use crate::common::{self, messages::TextRow};

pub const PROGRAM: &str = env!("CARGO_BIN_EXE_ikigai-tools");
pub const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/install.sh");

/// A directory with blanks and quotes in its name, in which everything of one test happens.
pub struct Room {
    _temporary: TempDir,
    root: PathBuf,
}

impl Room {
    pub fn new() -> Self {
        Self::within(common::directory())
    }

    /// A room that every user can enter, and in whose `home` everybody may write.
    pub fn open_to_everybody() -> Self {
        let room = Self::within(common::public_directory());
        for (place, mode) in [("", 0o755), ("home", 0o777)] {
            fs::set_permissions(room.path(place), fs::Permissions::from_mode(mode)).unwrap();
        }
        room
    }

    fn within(temporary: TempDir) -> Self {
        let root = temporary.path().join("it's a room");
        fs::create_dir_all(root.join("home")).unwrap();
        Self {
            root: root.canonicalize().unwrap(),
            _temporary: temporary,
        }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// `install.sh` with `args`, not yet started.
    pub fn script(&self, args: &[&str]) -> Command {
        let mut command = Command::new("sh");
        command
            .arg(SCRIPT)
            .args(args)
            .current_dir(&self.root)
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("HOME", self.path("home"))
            .stdin(Stdio::null());
        command
    }

    /// Runs `install.sh --binary` with `args`; it must succeed. Returns what it said.
    pub fn install(&self, args: &[&str]) -> String {
        self.install_that_exits(0, args)
    }

    /// Runs `install.sh --binary` with `args`; it must exit with `code`. Returns what it said.
    pub fn install_that_exits(&self, code: i32, args: &[&str]) -> String {
        let output = self.script(args).args(["--binary", PROGRAM]).output();
        said(&output.unwrap(), code)
    }

    /// A directory of the machine's commands of these names, for a machine that has no others.
    pub fn commands(&self, names: &[&str]) -> PathBuf {
        let commands = self.path("commands");
        fs::create_dir(&commands).unwrap();
        for name in names {
            let real = [format!("/usr/bin/{name}"), format!("/bin/{name}")];
            let real = real.iter().find(|path| Path::new(path).exists()).unwrap();
            symlink(real, commands.join(name)).unwrap();
        }
        commands
    }

    pub fn uninstall(&self, args: &[&str]) -> String {
        let output = self.script(args).arg("--uninstall").output();
        said(&output.unwrap(), 0)
    }

    /// Asserts that `text`, which the script has printed, is the row of `name`.
    #[track_caller]
    pub fn shows(&self, name: &str, text: &str) {
        let root = self.root.to_str().unwrap();
        let quoted = root.replace('\'', r"'\''");
        let placeholders = [(root, "<here>"), (&quoted, "<here, quoted>")];
        text.assert_row_at("install", name, &placeholders);
    }

    /// Everything in the room: kind, mode, time of change, content.
    pub fn snapshot(&self) -> BTreeMap<PathBuf, Entry> {
        let mut entries = BTreeMap::new();
        walk(&self.root, &mut entries);
        entries
    }
}

/// Makes an executable script.
pub fn write_script(path: &Path, text: &str) {
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[derive(Debug, PartialEq)]
pub struct Entry {
    mode: u32,
    pub inode: u64,
    pub modified: (i64, i64),
    pub content: Vec<u8>,
}

fn walk(dir: &Path, entries: &mut BTreeMap<PathBuf, Entry>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let status = path.symlink_metadata().unwrap();
        let content = if status.is_file() {
            fs::read(&path).unwrap()
        } else if status.is_symlink() {
            fs::read_link(&path)
                .unwrap()
                .into_os_string()
                .into_encoded_bytes()
        } else {
            walk(&path, entries);
            Vec::new()
        };
        let entry = Entry {
            mode: status.mode(),
            inode: status.ino(),
            modified: (status.mtime(), status.mtime_nsec()),
            content,
        };
        entries.insert(path, entry);
    }
}

/// Both streams, after a look at the exit code.
pub fn said(output: &Output, code: i32) -> String {
    let text = [&*output.stdout, &*output.stderr].concat();
    let text = String::from_utf8(text).unwrap();
    assert_eq!(output.status.code(), Some(code), "{text}");
    text
}

/// The names that the program lists.
pub fn names() -> Vec<String> {
    let list = Command::new(PROGRAM).arg("list").output().unwrap().stdout;
    let names: Vec<String> = String::from_utf8(list)
        .unwrap()
        .lines()
        .map(Into::into)
        .collect();
    assert!(names.iter().any(|name| name == "bash"), "{names:?}");
    names
}

/// What a link called `name` answers to `request`.
fn call(link: &Path, request: &str) -> String {
    let mut child = Command::new(link)
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(request.as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

/// Sees that `dir` holds the program and `links`, executable regular files all, and that they
/// answer.
pub fn assert_tools(dir: &Path, links: &[String]) {
    let mut found: Vec<String> = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| !name.starts_with('.'))
        .collect();
    found.sort();
    let mut expected = links.to_vec();
    expected.push("ikigai-tools".into());
    expected.sort();
    assert_eq!(found, expected);
    for name in links {
        let link = dir.join(name);
        assert_eq!(
            fs::read_link(&link).unwrap(),
            Path::new("ikigai-tools"),
            "{name}"
        );
        let status = link.metadata().unwrap();
        assert!(status.is_file() && status.mode() & 0o111 == 0o111, "{name}");
        let schema = Command::new(&link).arg("--schema").output().unwrap();
        let schema: serde_json::Value = serde_json::from_slice(&schema.stdout).unwrap();
        let stem = name.strip_suffix("-tool").unwrap_or(name);
        assert_eq!(schema["name"], stem.replace('-', "_"));
    }
}

pub fn assert_bash(link: &Path) {
    let answer = call(link, r#"{"command":"echo hello"}"#);
    assert_eq!(answer, r#"{"output":"hello","exit_code":0}"#);
}
