//! The one builder for all tests: calls a tool through its installed link, as a host does, and
//! holds the result.

#![allow(dead_code, reason = "each test file uses its own part of the builder")]

use std::ffi::OsStr;
use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::{MetadataExt, symlink};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Once, OnceLock};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

mod directories;
pub mod home;
pub mod messages;
mod skipped;

pub use directories::*;

/// The built executable.
pub const BINARY: &str = env!("CARGO_BIN_EXE_ikigai-tools");

/// A user who owns nothing.
pub const NOBODY: u32 = 65534;

/// A directory with a link for each tool, as the installer makes them.
fn links() -> &'static Path {
    static LINKS: OnceLock<PathBuf> = OnceLock::new();
    LINKS.get_or_init(|| {
        let directory = room_of_this_user().join("links");
        fs::create_dir_all(&directory).unwrap();
        make_links(Path::new(BINARY), &directory);
        directory
    })
}

fn make_links(binary: &Path, directory: &Path) {
    // With those that are laid only where somebody asks for them.
    let list = Command::new(binary).args(["list", "--research"]).output();
    let list = String::from_utf8(list.unwrap().stdout).unwrap();
    for name in list.lines() {
        let link = directory.join(name);
        // Other test programs make the same links at the same time.
        if fs::read_link(&link).ok().as_deref() != Some(binary) {
            let fresh = directory.join(format!("{name}.{}", std::process::id()));
            symlink(binary, &fresh).unwrap();
            fs::rename(&fresh, &link).unwrap();
        }
    }
}

/// Copies a program that is to be run. This process must not have the copy open for writing itself:
/// a process that another test starts at that moment would inherit it, and a file that is open for
/// writing cannot be run.
pub fn copy_program(from: &Path, to: &Path) {
    let done = Command::new("cp").args([from, to]).status().unwrap();
    assert!(done.success());
}

/// The same links where everybody may read them, beside the program.
pub fn public_links() -> &'static Path {
    PUBLIC_LINKS.get_or_init(|| {
        let directory = public_directory().keep();
        // SAFETY: the function is there as long as the program.
        unsafe { libc::atexit(remove_public_links) };
        let binary = directory.join("ikigai-tools");
        copy_program(Path::new(BINARY), &binary);
        make_links(&binary, &directory);
        directory
    })
}

static PUBLIC_LINKS: OnceLock<PathBuf> = OnceLock::new();

/// At the end of the test program: what is static is not dropped.
extern "C" fn remove_public_links() {
    let _ = PUBLIC_LINKS.get().map(fs::remove_dir_all);
}

/// The link of `tool`.
pub fn link(tool: &str) -> PathBuf {
    links().join(tool)
}

/// Whether the tests run with every privilege.
pub fn is_root() -> bool {
    fs::metadata("/proc/self").unwrap().uid() == 0
}

/// Whether a process can have mounts of its own here, and be without `/proc` there.
pub fn can_unmount_proc() -> bool {
    Command::new("unshare")
        .args(["-m", "--propagation", "private", "umount", "-l", "/proc"])
        .output()
        .is_ok_and(|output| output.status.success())
}

/// Runs the program with `args` in `directory`, with stdout a pipe and stdin empty; returns exit
/// code, stdout and stderr.
pub fn piped(directory: &Path, args: &[&str]) -> (i32, String, String) {
    let output = Command::new(BINARY)
        .args(args)
        .current_dir(directory)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (
        output.status.code().unwrap(),
        text(output.stdout),
        text(output.stderr),
    )
}

/// Reports that this test, or a part of it, cannot run here, and why: at once, bypassing the
/// capture of output, and again at the end of the run (`tests/zz_skipped.rs`).
pub fn skip(why: &str) {
    let thread = std::thread::current();
    let line = format!(
        "skipped: {}::{}: {}\n",
        env!("CARGO_CRATE_NAME"),
        thread.name().unwrap_or("?"),
        why.replace('\n', " ")
    );
    std::io::stderr().write_all(line.as_bytes()).unwrap();
    skipped::record(&line);
}

/// A path as a request names it.
pub fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// The names in a directory, sorted.
pub fn names_in(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let name = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name();
    let mut names: Vec<String> = entries
        .map(|entry| name(entry).to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// Waits until `condition` holds; false if it does not within thirty seconds, as a busy machine
/// takes. It is looked at less often the longer it takes, since a look at all processes is work.
pub fn eventually(mut condition: impl FnMut() -> bool) -> bool {
    let start = Instant::now();
    while !condition() {
        let waited = start.elapsed();
        if waited > Duration::from_secs(30) {
            return false;
        }
        let pause = waited / 4;
        std::thread::sleep(pause.clamp(Duration::from_millis(3), Duration::from_millis(60)));
    }
    true
}

/// Carries out `body` for all cases at once, for such as wait for most of their time.
pub fn side_by_side<T: Send>(cases: impl IntoIterator<Item = T>, body: impl Fn(T) + Sync) {
    std::thread::scope(|scope| {
        for case in cases {
            let body = &body;
            scope.spawn(move || body(case));
        }
    });
}

/// An argument that only processes of this run's test `number` in the caller's file have: hours to
/// sleep for.
#[track_caller]
pub fn alone(number: u32) -> String {
    let file = std::panic::Location::caller().file();
    let file = file
        .bytes()
        .fold(7, |sum, byte| (sum * 31 + u32::from(byte)) % 10_007);
    format!("86{number:03}.{:07}{file:05}", std::process::id())
}

/// The processes with `word` among their arguments.
pub fn processes_with(word: &str) -> Vec<u32> {
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let Ok(pid) = entry.file_name().to_string_lossy().parse() else {
            continue;
        };
        let command = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        if command
            .split(|byte| *byte == 0)
            .any(|argument| argument == word.as_bytes())
        {
            found.push(pid);
        }
    }
    found
}

/// Begins a call of `tool`.
pub fn tool(tool: &str) -> Call {
    Call {
        tool: tool.to_owned(),
        input: Vec::new(),
        command: Command::new(link(tool)),
    }
    .env("XDG_STATE_HOME", state_home())
    .without_env("IKIGAI_AGENT_ID")
    .without_env("IKIGAI_MAX_ANSWER")
    .without_env("IKIGAI_MAX_SECONDS")
}

/// The state directory that the tools of this test program are given, so that no test leaves
/// anything in the real one.
pub fn state_home() -> PathBuf {
    static CLEANED: Once = Once::new();
    let all = Path::new(env!("CARGO_TARGET_TMPDIR")).join("state");
    // Outputs are kept for a day, in which tests that run often would fill their room.
    CLEANED.call_once(|| {
        for home in fs::read_dir(&all).into_iter().flatten().flatten() {
            if !Path::new("/proc").join(home.file_name()).exists() {
                let _ = fs::remove_dir_all(home.path());
            }
        }
    });
    all.join(std::process::id().to_string())
}

/// One call.
pub struct Call {
    tool: String,
    input: Vec<u8>,
    command: Command,
}

impl Call {
    /// With this request.
    pub fn with(mut self, request: &Value) -> Self {
        self.input = request.to_string().into_bytes();
        self
    }

    /// With these bytes on stdin, whatever they are.
    pub fn with_input(mut self, input: impl Into<Vec<u8>>) -> Self {
        self.input = input.into();
        self
    }

    /// With this command-line argument.
    pub fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.command.arg(argument);
        self
    }

    /// In this directory.
    pub fn in_directory(mut self, directory: &Path) -> Self {
        self.command.current_dir(directory);
        self
    }

    /// With this variable in its environment.
    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Without this variable in its environment.
    pub fn without_env(mut self, name: &str) -> Self {
        self.command.env_remove(name);
        self
    }

    /// As a user without privileges: another user, if the tests run as root.
    pub fn unprivileged(mut self) -> Self {
        if is_root() {
            let mut command = Command::new(public_links().join(&self.tool));
            command.current_dir("/").uid(NOBODY).gid(NOBODY);
            self.replace(command);
        }
        self
    }

    /// In a process prepared by `prepare`, which makes system calls only.
    pub fn prepared_by(
        mut self,
        prepare: impl FnMut() -> std::io::Result<()> + Send + Sync + 'static,
    ) -> Self {
        // SAFETY: system calls are what may happen between fork and exec.
        unsafe { self.command.pre_exec(prepare) };
        self
    }

    /// After these shell commands, in the process that then becomes the tool: to set limits,
    /// signals, directories.
    pub fn after(self, commands: &str) -> Self {
        self.becoming(Command::new("/bin/sh"), commands)
    }

    /// After these shell commands, whose mounts and unmounts nobody else sees.
    pub fn after_in_own_mounts(self, commands: &str) -> Self {
        let mut unshare = Command::new("unshare");
        unshare.args(["-m", "--propagation", "private", "/bin/sh"]);
        self.becoming(unshare, commands)
    }

    fn becoming(mut self, mut shell: Command, commands: &str) -> Self {
        let script = format!("{commands}; exec \"$0\" \"$@\"");
        shell.arg("-c").arg(script).arg(self.command.get_program());
        shell.args(self.command.get_args());
        self.replace(shell);
        self
    }

    /// Replaces the command by `command`, keeping its variables.
    fn replace(&mut self, mut command: Command) {
        for (name, value) in self.command.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        self.command = command;
    }

    /// Under this program, which runs the command given by its last arguments.
    pub fn through(mut self, program: &str, args: &[&str]) -> Self {
        let mut outer = Command::new(program);
        outer.args(args).arg(self.command.get_program());
        outer.args(self.command.get_args());
        self.replace(outer);
        self
    }

    /// Starts the call and gives it its request.
    pub fn start(mut self) -> Child {
        let is_for_flags = self.input.is_empty() && self.command.get_args().next().is_some();
        let stdin = if is_for_flags {
            Stdio::null()
        } else {
            Stdio::piped()
        };
        let pipes = self.command.stdin(stdin).stdout(Stdio::piped());
        let mut child = pipes.stderr(Stdio::piped()).spawn().unwrap();
        let Some(mut stdin) = child.stdin.take() else {
            return child;
        };
        match stdin.write_all(&self.input) {
            Err(error) if error.kind() != ErrorKind::BrokenPipe => panic!("{error}"),
            _ => child,
        }
    }

    /// Makes the call.
    pub fn run(self) -> Answer {
        let started = Instant::now();
        let output = self.start().wait_with_output().unwrap();
        Answer {
            status: output.status,
            stdout: output.stdout,
            stderr: String::from_utf8(output.stderr).unwrap(),
            took: started.elapsed(),
        }
    }

    /// Makes the call with the request that is in `file`: through a pipe, or with the file itself
    /// as stdin. Returns the largest resident set of the process and of each of its children as
    /// well, in KiB (`wait4(2)`); what this process holds when the call is begun counts as theirs.
    #[expect(clippy::zombie_processes, reason = "`wait4` waits for it")]
    pub fn run_measured(self, file: &Path, through_pipe: bool) -> (Answer, u64) {
        let mut request = fs::File::open(file).unwrap();
        // With something to do in between, the child is forked; else it would have all memory that
        // this process comes to have until it becomes the tool.
        let mut command = self.prepared_by(|| Ok(())).command;
        if through_pipe {
            command.stdin(Stdio::piped());
        } else {
            command.stdin(request.try_clone().unwrap());
        }
        let pipes = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let started = Instant::now();
        let mut child = pipes.spawn().unwrap();
        if let Some(mut stdin) = child.stdin.take() {
            // What is not read is missed in the answer.
            let _ = std::io::copy(&mut request, &mut stdin);
        }
        let (mut stdout, mut stderr) = (Vec::new(), String::new());
        child
            .stdout
            .take()
            .unwrap()
            .read_to_end(&mut stdout)
            .unwrap();
        child
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut stderr)
            .unwrap();
        let pid = i32::try_from(child.id()).unwrap();
        let mut status = 0;
        // SAFETY: a structure of integers, of which all bits zero is a value.
        let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
        // SAFETY: both pointers are to locals; nobody else waits for the child.
        let ended = unsafe { libc::wait4(pid, &raw mut status, 0, &raw mut usage) };
        assert_eq!(ended, pid);
        let answer = Answer {
            status: ExitStatus::from_raw(status),
            stdout,
            stderr,
            took: started.elapsed(),
        };
        (answer, u64::try_from(usage.ru_maxrss).unwrap())
    }

    /// Asserts that the call succeeds with exactly this answer.
    #[track_caller]
    pub fn answers(self, expected: &Value) {
        let answer = self.run();
        assert_eq!(&answer.json(), expected);
        assert_eq!(answer.code(), 0);
        assert_eq!(answer.stderr, "");
    }

    /// Asserts that a local tool's operation fails, which is an answer; it may end in a note.
    #[track_caller]
    pub fn fails(self, code: &str, message: &str) {
        let answer = self.run();
        let mut object = answer.json();
        object.as_object_mut().unwrap().remove("note");
        assert_eq!(object, json!({"error": message, "error_code": code}));
        assert_eq!((answer.code(), answer.stderr.as_str()), (0, ""));
    }

    /// Asserts that the request is refused: exit code 1, the error object, and one line on stderr.
    #[track_caller]
    pub fn refuses_the_request(self, reason: &str) {
        let tool = self.tool.clone();
        let answer = self.run();
        let error = answer.json();
        assert_eq!(error["error"], reason);
        assert_eq!(error["error_code"], "INVALID_ARG");
        assert_eq!(answer.code(), 1);
        assert_eq!(answer.stderr, format!("{tool}: {reason}\n"));
    }
}

/// The result of a call.
pub struct Answer {
    /// How the process ended.
    pub status: ExitStatus,
    /// Everything that it wrote on stdout.
    pub stdout: Vec<u8>,
    /// Everything that it wrote on stderr.
    pub stderr: String,
    /// How long it took.
    pub took: Duration,
}

impl Answer {
    /// The exit code.
    #[track_caller]
    pub fn code(&self) -> i32 {
        assert_eq!(self.status.signal(), None, "ended by a signal");
        self.status.code().unwrap()
    }

    /// The JSON object on stdout, which holds nothing else: compact, and without a newline.
    #[track_caller]
    pub fn json(&self) -> Value {
        let text = std::str::from_utf8(&self.stdout).expect("stdout is UTF-8");
        let value: Value = serde_json::from_str(text).expect("stdout is JSON");
        assert!(value.is_object(), "stdout is one object");
        assert!(
            !text.contains('\n') && !text.ends_with(' '),
            "stdout is compact: {text:.200}"
        );
        value
    }

    /// The answer's note; empty where it has none.
    #[track_caller]
    pub fn note(&self) -> String {
        self.json()["note"].as_str().unwrap_or_default().to_owned()
    }

    /// The field `name` of the answer, a string.
    #[track_caller]
    pub fn field(&self, name: &str) -> String {
        let json = self.json();
        json[name]
            .as_str()
            .unwrap_or_else(|| panic!("no text `{name}` in {json}"))
            .to_owned()
    }
}
