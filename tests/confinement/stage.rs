//! Where a way out is tried: a root, what may be read, and an outside, all of one test's own.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt, lchown, symlink};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::OnceLock;

use serde_json::{Value, json};

use crate::common::{self, NOBODY, copy_program, is_root, public_links, public_place};
use crate::outsider::Outsider;

/// What nobody within may read.
pub const SECRET: &str = "the-content-of-the-secret";

/// By which door a call comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Door {
    /// A host's call, confined by variables.
    Host,
    /// A call of flags.
    Flags,
    /// A server of the Model Context Protocol.
    Mcp,
}

/// All of them.
pub const DOORS: [Door; 3] = [Door::Host, Door::Flags, Door::Mcp];

/// Who tries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct User(pub u32);

impl User {
    /// Everybody who can be tried here: an ordinary user, and root where the tests run as root.
    pub fn all() -> Vec<Self> {
        let own = fs::metadata("/proc/self").unwrap().uid();
        if own == 0 {
            return vec![Self(0), Self(NOBODY)];
        }
        vec![Self(own)]
    }

    pub fn is_root(self) -> bool {
        self.0 == 0
    }

    /// This program, to be started by this user.
    pub fn command(self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        if is_root() && !self.is_root() {
            command.uid(self.0).gid(self.0);
        }
        command
    }
}

/// What a call is confined to.
#[derive(Clone, Debug, Default)]
pub struct Bounds {
    pub roots: Vec<OsString>,
    pub readable: Vec<OsString>,
    pub offline: bool,
}

impl Bounds {
    pub fn flags(&self) -> Vec<OsString> {
        let mut flags = Vec::new();
        for (flag, places) in [("--root", &self.roots), ("--read", &self.readable)] {
            for place in places {
                flags.extend([OsString::from(flag), place.clone()]);
            }
        }
        flags.extend(self.offline.then(|| "--no-network".into()));
        flags
    }

    pub fn variables(&self) -> Vec<(&'static str, OsString)> {
        let mut variables = Vec::new();
        for (name, places) in [
            ("IKIGAI_ROOTS", &self.roots),
            ("IKIGAI_READ", &self.readable),
        ] {
            if !places.is_empty() {
                variables.push((name, places.join(OsStr::new(":"))));
            }
        }
        if self.offline {
            variables.push(("IKIGAI_NO_NETWORK", "1".into()));
        }
        variables
    }
}

/// A directory for one test.
pub struct Stage {
    top: tempfile::TempDir,
    pub user: User,
    outsider: Option<Outsider>,
    variables: Vec<(String, OsString)>,
}

impl Stage {
    /// A fresh one for `user`.
    pub fn new(user: User) -> Self {
        let top = tempfile::Builder::new()
            .prefix("ways-")
            .tempdir_in(public_place())
            .unwrap();
        fs::set_permissions(top.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let stage = Self {
            top,
            user,
            outsider: None,
            variables: Vec::new(),
        };
        for name in [
            "root/below",
            "readable",
            "outside/below",
            "outside/beside",
            "home",
            "temporary",
            "state",
        ] {
            fs::create_dir_all(stage.path(name)).unwrap();
        }
        for (name, content) in [
            ("root/inside", "inside"),
            ("root/below/inside", "inside"),
            ("readable/fixed", "fixed"),
            ("outside/secret", SECRET),
            ("outside/below/secret", SECRET),
            ("outside/program", "#!/bin/sh\necho it ran\n"),
        ] {
            fs::write(stage.path(name), format!("{content}\n")).unwrap();
        }
        let executable = fs::Permissions::from_mode(0o755);
        fs::set_permissions(stage.path("outside/program"), executable).unwrap();
        symlink("secret", stage.path("outside/link")).unwrap();
        give(stage.top.path(), user);
        stage
    }

    /// With a program and a library outside.
    pub fn with_programs(self) -> Self {
        copy_program(Path::new("/bin/true"), &self.path("outside/true"));
        copy_program(&library(), &self.path("outside/library.so"));
        self.give("outside");
        self
    }

    /// With a process of the same user outside.
    pub fn with_outsider(mut self) -> Self {
        let outsider = Outsider::start(&self);
        self.variables.extend(outsider.variables.iter().cloned());
        self.outsider = Some(outsider);
        self
    }

    /// With this variable for the tool and its commands.
    pub fn with(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.variables.push((name.to_owned(), value.into()));
        self
    }

    /// The path of `name` on it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.top.path().join(name)
    }

    /// Makes over `name`, which the test has made, to the user.
    pub fn give(&self, name: &str) {
        give(&self.path(name), self.user);
    }

    /// The usual bounds: the root, and beside it the directory to be read and the programs.
    pub fn bounds(&self) -> Bounds {
        Bounds {
            roots: vec![self.path("root").into()],
            readable: vec![self.path("readable").into(), programs().into()],
            offline: false,
        }
    }

    /// The state of everything outside: what is there, whose, and what is in it.
    pub fn outside(&self) -> BTreeMap<PathBuf, String> {
        let mut found = BTreeMap::new();
        let mut places = vec![self.path("outside"), self.path("readable")];
        while let Some(place) = places.pop() {
            let status = fs::symlink_metadata(&place).unwrap();
            let (mode, owner, group) = (status.mode(), status.uid(), status.gid());
            let mut state = format!("{mode:o} {owner} {group} {}", status.nlink());
            if status.is_dir() {
                let entries = fs::read_dir(&place).unwrap();
                places.extend(entries.map(|entry| entry.unwrap().path()));
            } else if status.is_symlink() {
                state.push_str(&fs::read_link(&place).unwrap().to_string_lossy());
            } else if status.is_file() {
                state.push_str(&String::from_utf8_lossy(&fs::read(&place).unwrap()));
            }
            found.insert(place, state);
        }
        found
    }

    /// Asserts that the process outside is as it was.
    #[track_caller]
    pub fn assert_outsider_lives(&self) {
        if let Some(outsider) = &self.outsider {
            outsider.assert_alive();
        }
    }

    /// A tool or command of the program, to be started by this stage's user in the root.
    pub fn program(&self, name: &str) -> Command {
        let mut command = self.user.command(programs().join(name));
        let path = std::env::var_os("PATH").unwrap_or_default();
        command
            .env_clear()
            // Of the caller's PATH, what everybody may use.
            .env("PATH", "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin")
            .env("CALLER_PATH", path)
            .env("LC_ALL", "C")
            .env("HOME", self.path("home"))
            .env("TMPDIR", self.path("temporary"))
            .env("XDG_STATE_HOME", self.path("state"))
            .env("ROOT", self.path("root"))
            .env("READABLE", self.path("readable"))
            .env("OUT", self.path("outside"))
            .env("TOOLS", programs())
            .env("ATTACK", attacker())
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .current_dir(self.path("root"));
        command
    }

    /// Calls `tool` with `request` by `door`, confined to `bounds` if there are any; returns the
    /// object that it answers.
    pub fn call(&self, door: Door, bounds: Option<&Bounds>, tool: &str, request: &Value) -> Value {
        if door == Door::Mcp {
            let flags = bounds.map(Bounds::flags).unwrap_or_default();
            return self.server(&flags).call(tool, request);
        }
        let mut command = self.program(tool);
        let mut input = String::new();
        if door == Door::Host {
            input = request.to_string();
            command.envs(bounds.map(Bounds::variables).unwrap_or_default());
        } else {
            command.arg("--json");
            command.args(bounds.map(Bounds::flags).unwrap_or_default());
            for (name, value) in request.as_object().unwrap() {
                let value = value
                    .as_str()
                    .map_or_else(|| value.to_string(), str::to_owned);
                command.arg(format!("--{}={value}", name.replace('_', "-")));
            }
        }
        // In a container entered from outside, the caller's own group has no number to attack.
        command.process_group(0);
        answer_of(command, &input)
    }

    /// Runs `script` by the tool bash; returns what came of it.
    pub fn run(&self, door: Door, bounds: Option<&Bounds>, script: &str) -> Said {
        let request = json!({"command": script, "timeout": 30});
        Said::of(&self.call(door, bounds, "bash", &request))
    }

    /// A server of the Model Context Protocol with these flags.
    pub fn server(&self, flags: &[OsString]) -> Server {
        Server::start(self.program("ikigai-tools"), flags)
    }
}

/// What a command wrote, and its exit code; where the call failed, its error without a code.
#[derive(Debug)]
pub struct Said {
    pub code: Option<i64>,
    pub text: String,
}

impl Said {
    pub fn of(answer: &Value) -> Self {
        Self {
            code: answer["exit_code"].as_i64(),
            text: match &answer["output"] {
                Value::String(output) => output.clone(),
                _ => answer.to_string(),
            },
        }
    }
}

/// The answer of a call that is made.
pub fn answer_of(mut command: Command, input: &str) -> Value {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A call that is refused reads no request.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let output = child.wait_with_output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| {
        let said = [output.stdout, output.stderr].concat();
        json!({"error": String::from_utf8_lossy(&said), "error_code": "NOT_AN_ANSWER"})
    })
}

/// A server, and its two ends.
pub struct Server {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Server {
    /// Starts one with this command and these flags.
    pub fn start(mut command: Command, flags: &[OsString]) -> Self {
        let tools = "bash,file-read,file-write,file-edit,glob,grep";
        let mut child = command
            .args(["mcp", "--structured", "--tools", tools])
            .args(flags)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut server = Self {
            input: child.stdin.take().unwrap(),
            output: BufReader::new(child.stdout.take().unwrap()),
            child,
        };
        let hello = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "ways", "version": "1"},
        });
        server.ask("initialize", &hello);
        server.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        server
    }

    fn send(&mut self, message: &Value) {
        // One that has refused to start reads nothing.
        let _ = writeln!(self.input, "{message}");
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.send(&json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}));
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line).unwrap() == 0 {
                return json!({"error": {"message": "the server has ended"}});
            }
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["id"] == 1 {
                return message;
            }
        }
    }

    /// Makes a call and returns the object that it answers.
    pub fn call(&mut self, tool: &str, request: &Value) -> Value {
        let name = tool.replace('-', "_");
        let answer = self.ask("tools/call", &json!({"name": name, "arguments": request}));
        match &answer["result"]["structuredContent"] {
            Value::Null => json!({"error": answer.to_string(), "error_code": "NOT_AN_ANSWER"}),
            object => object.clone(),
        }
    }

    /// Runs `script` by the tool bash.
    pub fn run(&mut self, script: &str) -> Said {
        Said::of(&self.call("bash", &json!({"command": script, "timeout": 30})))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // What it started ends with it.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A directory with the tools' links and the attacker, which everybody may read.
pub fn programs() -> &'static Path {
    static PROGRAMS: OnceLock<&Path> = OnceLock::new();
    PROGRAMS.get_or_init(|| {
        let directory = public_links();
        copy_program(
            &std::env::current_exe().unwrap(),
            &directory.join("attacker"),
        );
        directory
    })
}

/// The command line of the attacker, up to the attack's name.
fn attacker() -> OsString {
    let mut line = programs().join("attacker").into_os_string();
    line.push(" attack");
    line
}

/// A library that some program has.
fn library() -> PathBuf {
    let maps = fs::read_to_string("/proc/self/maps").unwrap();
    let mut files = maps
        .lines()
        .filter_map(|line| line.split_whitespace().nth(5));
    let library = files.find(|file| file.contains("libgcc_s") || file.contains("libc.so"));
    library.expect("this program has no libraries").into()
}

/// Makes over a file, or a directory with what is in it.
fn give(place: &Path, user: User) {
    if !is_root() || user.is_root() {
        return;
    }
    let status = fs::symlink_metadata(place).unwrap();
    lchown(place, Some(user.0), Some(user.0)).unwrap();
    if status.is_dir() {
        for entry in fs::read_dir(place).unwrap() {
            give(&entry.unwrap().path(), user);
        }
    }
}

/// The number of Landlock's ABI in this kernel; `None`, and the test is skipped, where it has none.
pub fn abi() -> Option<i32> {
    // SAFETY: asks for a number; no pointer is passed.
    let abi = unsafe {
        libc::syscall(
            libc::SYS_landlock_create_ruleset,
            std::ptr::null::<u8>(),
            0,
            1,
        )
    };
    if abi < 1 {
        common::skip("this kernel has no Landlock");
        return None;
    }
    i32::try_from(abi).ok()
}
