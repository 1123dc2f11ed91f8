//! Real work within a confinement: small projects of C, Python, Node and Rust, built and tested by
//! each door, and what else programs are used to.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::common::{is_root, link, public_directory, skip, text, tool};
use crate::doors::confines;
use crate::session::Session;

/// How a command is asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Door {
    Variables,
    /// The same by an ordinary user, if the tests run as root.
    OrdinaryUser,
    Flags,
    Server,
}

const DOORS: [Door; 4] = [
    Door::Variables,
    Door::OrdinaryUser,
    Door::Flags,
    Door::Server,
];

/// A directory within bounds, and a home outside.
struct Room {
    directory: tempfile::TempDir,
    read: Vec<PathBuf>,
    no_network: bool,
    shell: &'static str,
}

impl Room {
    fn new() -> Self {
        let room = Self {
            directory: public_directory(),
            read: Vec::new(),
            no_network: false,
            shell: "",
        };
        for name in ["root", "home"] {
            fs::create_dir(room.path(name)).unwrap();
            fs::set_permissions(room.path(name), fs::Permissions::from_mode(0o777)).unwrap();
        }
        room
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().canonicalize().unwrap().join(name)
    }

    /// Runs a command in the root; returns its output and its exit code.
    fn run(&self, door: Door, command: &str) -> (String, i64) {
        let root = self.path("root");
        let (home, config) = (self.path("home"), self.path("home/.config"));
        let request = json!({ "command": command });
        let answer: Value = match door {
            Door::Variables | Door::OrdinaryUser => {
                let mut call = tool("bash").with(&request).env("IKIGAI_ROOTS", &root);
                if !self.read.is_empty() {
                    let read = std::env::join_paths(&self.read).unwrap();
                    call = call.env("IKIGAI_READ", read);
                }
                if self.no_network {
                    call = call.env("IKIGAI_NO_NETWORK", "1");
                }
                call = call.env("IKIGAI_SHELL", self.shell);
                if door == Door::OrdinaryUser {
                    call = call.unprivileged();
                }
                let call = call.env("HOME", &home).env("XDG_CONFIG_HOME", &config);
                call.in_directory(&root).run().json()
            }
            Door::Flags => {
                let output = Command::new(link("bash"))
                    .args(self.flags())
                    .args(["--json", "--command", command])
                    .current_dir(&root)
                    .env("HOME", &home)
                    .env("XDG_CONFIG_HOME", &config)
                    .env("IKIGAI_SHELL", self.shell)
                    .stdin(Stdio::null())
                    .output()
                    .unwrap();
                serde_json::from_slice(&output.stdout).unwrap()
            }
            Door::Server => {
                let flags = self.flags();
                let flags: Vec<&str> = flags.iter().map(|flag| flag.to_str().unwrap()).collect();
                let args = [&["--structured", "--tools", "bash"], &flags[..]].concat();
                let variables = [
                    ("HOME", text(&home)),
                    ("XDG_CONFIG_HOME", text(&config)),
                    ("IKIGAI_SHELL", self.shell),
                ];
                let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
                let mut session = Session::unprepared_with(&root, &args, &variables);
                session.shake_hands("2025-11-25");
                session.result_of("bash", &request)["structuredContent"].clone()
            }
        };
        let output = answer["output"].as_str();
        let output = output.unwrap_or_else(|| panic!("{door:?}: {answer}"));
        (output.to_owned(), answer["exit_code"].as_i64().unwrap())
    }

    fn flags(&self) -> Vec<OsString> {
        let mut flags: Vec<OsString> = vec!["--root".into(), self.path("root").into()];
        for place in &self.read {
            flags.extend(["--read".into(), place.into()]);
        }
        if self.no_network {
            flags.push("--no-network".into());
        }
        flags
    }

    /// Asserts that a command succeeds, and ends by writing `last`.
    #[track_caller]
    fn works(&self, door: Door, command: &str, last: &str) {
        let (output, code) = self.run(door, command);
        let end = output.lines().last().unwrap_or_default();
        assert_eq!((end, code), (last, 0), "{door:?}: {command}\n{output}");
    }

    /// Removes what the last door left.
    fn clear(&self) {
        let root = self.path("root");
        let done = Command::new("find")
            .arg(&root)
            .args(["-mindepth", "1", "-delete"])
            .status();
        assert!(done.unwrap().success());
    }

    fn write(&self, name: &str, content: &str) {
        let file = self.path("root").join(name);
        let directory = file.parent().unwrap();
        if !directory.exists() {
            fs::create_dir_all(directory).unwrap();
            fs::set_permissions(directory, fs::Permissions::from_mode(0o777)).unwrap();
        }
        fs::write(&file, content).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).unwrap();
    }
}

/// The doors by which a test works.
fn doors() -> impl Iterator<Item = Door> {
    let all = DOORS.into_iter();
    all.filter(|door| *door != Door::OrdinaryUser || is_root())
}

/// Whether one of the system's programs is there and runs; it says so where not.
pub fn has(program: &str) -> bool {
    let command = [
        "-c",
        "PATH=/usr/local/bin:/usr/bin:/bin command -v \"$0\"",
        program,
    ];
    let output = Command::new("sh").args(command).output().unwrap();
    if !output.status.success() {
        skip(&format!("{program} is missing"));
    }
    output.status.success()
}

/// What is before every command: the system's programs, and not those of whoever runs the tests.
const PATH: &str = "export PATH=/usr/local/bin:/usr/bin:/bin; set -e; ";

#[test]
fn a_project_of_c_is_built_and_tested() {
    if !confines() || !has("cc") || !has("make") {
        return;
    }
    let room = Room::new();
    for door in doors() {
        room.write("add.c", "int add(int a, int b) { return a + b; }\n");
        room.write(
            "main.c",
            "#include <stdio.h>\nint add(int, int);\nint main(void) { printf(\"%d\\n\", add(1, 2)); }\n",
        );
        room.write(
            "Makefile",
            "test: prog\n\t./prog | grep -qx 3 && echo passed\nprog: main.o libadd.a\n\tcc -g -o $@ main.o -L. -ladd\n\
             libadd.a: add.o\n\tar rcs $@ $^\n",
        );
        room.write(
            "configure",
            "#!/bin/sh\nset -e\nd=$(mktemp -d)\necho 'int main(void) { return 0; }' >$d/t.c\n\
             cc $d/t.c -o $d/t\n$d/t\nrm -r $d\necho configured\n",
        );
        room.works(door, &format!("{PATH} sh ./configure"), "configured");
        room.works(door, &format!("{PATH} make -j2 test"), "passed");
        room.clear();
    }
}

/// Tests of what Python's own library does with processes, files and sockets.
const PYTHON: &str = r"
import asyncio, multiprocessing, os, socket, sqlite3, subprocess, tempfile, unittest
from multiprocessing import shared_memory

def square(x):
    return x * x

class Works(unittest.TestCase):
    def pool(self, method):
        with multiprocessing.get_context(method).Pool(2) as pool:
            self.assertEqual(pool.map(square, range(4)), [0, 1, 4, 9])
    def test_fork(self):
        self.pool('fork')
    def test_spawn(self):
        self.pool('spawn')
    def test_forkserver(self):
        self.pool('forkserver')
    def test_manager(self):
        with multiprocessing.Manager() as manager:
            self.assertEqual(list(manager.list([1])), [1])
    def test_shared_memory(self):
        memory = shared_memory.SharedMemory(create=True, size=64)
        memory.close()
        memory.unlink()
    def test_asyncio(self):
        async def run():
            child = await asyncio.create_subprocess_exec('echo', 'hi', stdout=subprocess.PIPE)
            return (await child.communicate())[0]
        self.assertEqual(asyncio.run(run()), b'hi\n')
    def test_sqlite(self):
        base = sqlite3.connect('base')
        base.execute('pragma journal_mode=wal')
        base.execute('create table t(x)')
        base.execute('insert into t values (1)')
        base.commit()
        self.assertEqual(base.execute('select * from t').fetchall(), [(1,)])
        base.close()
    def test_temporary(self):
        with tempfile.TemporaryDirectory() as directory, tempfile.TemporaryFile() as file:
            self.assertTrue(directory.startswith(os.environ['TMPDIR']))
            file.write(b'x')
    def test_loopback(self):
        with socket.create_server(('127.0.0.1', 0)) as server:
            socket.create_connection(server.getsockname()).close()
    def test_abstract(self):
        with socket.socket(socket.AF_UNIX) as one, socket.socket(socket.AF_UNIX) as other:
            one.bind('\0ikigai-work-%d' % os.getpid())
            one.listen()
            other.connect(one.getsockname())
    def test_localhost(self):
        self.assertTrue(socket.getaddrinfo('localhost', 80))
    def test_child_is_ended(self):
        child = subprocess.Popen(['sleep', '60'])
        child.terminate()
        self.assertEqual(child.wait(), -15)
";

#[test]
fn a_project_of_python_is_installed_and_tested() {
    if !confines() || !has("python3") {
        return;
    }
    let room = Room::new();
    for door in doors() {
        room.write("test_works.py", PYTHON);
        room.works(
            door,
            &format!(
                "{PATH} python3 -m venv --without-pip venv; venv/bin/python -m unittest 2>&1; echo passed"
            ),
            "passed",
        );
        room.clear();
    }
    // Without a network there are processes, files and pipes all the same.
    let room = Room {
        no_network: true,
        ..room
    };
    let part = "fork spawn asyncio sqlite temporary shared_memory child_is_ended";
    room.write("test_works.py", PYTHON);
    room.works(
        Door::Variables,
        &format!(
            "{PATH} for t in {part}; do python3 -m unittest test_works.Works.test_$t 2>&1; done; echo passed"
        ),
        "passed",
    );
}

/// Tests of what Node does with processes, threads, files and sockets.
const NODE: &str = r#"
const assert = require('assert'), fs = require('fs'), http = require('http'), net = require('net');
const os = require('os'), path = require('path'), child = require('child_process');
const { Worker } = require('worker_threads');
const run = body => new Promise((resolve, reject) => body(resolve, reject));
(async () => {
  assert.strictEqual(require('dependency')(), 42);
  await run((resolve, reject) => new Worker('require("worker_threads").parentPort.postMessage(1)', { eval: true })
    .on('message', resolve).on('error', reject));
  fs.writeFileSync('child.js', 'process.send(1)');
  await run((resolve, reject) => child.fork('./child.js').on('message', resolve).on('error', reject));
  assert.strictEqual(child.execSync('echo hi').toString(), 'hi\n');
  await run((resolve, reject) => { const server = http.createServer((_, answer) => answer.end('ok'));
    server.listen(0, '127.0.0.1', () => http.get({ port: server.address().port, host: '127.0.0.1' }, answer => {
      answer.resume(); server.close(); resolve(); }).on('error', reject)); });
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'x'));
  await run((resolve, reject) => { const server = net.createServer(socket => socket.end());
    server.listen(path.join(directory, 'socket'), () => net.connect(path.join(directory, 'socket')).resume()
      .on('close', () => { server.close(); resolve(); }).on('error', reject)); });
  await run(resolve => { const watch = fs.watch('.', () => { watch.close(); resolve(); });
    setTimeout(() => fs.writeFileSync('changed', ''), 20); });
  fs.rmSync(directory, { recursive: true });
  console.log('passed');
})().catch(error => { console.error(error); process.exit(1); });
"#;

#[test]
fn a_project_of_node_is_installed_and_tested() {
    if !confines() || !has("node") || !has("npm") {
        return;
    }
    let room = Room::new();
    for door in doors() {
        room.write(
            "package/package.json",
            r#"{"name":"dependency","version":"1.0.0","main":"index.js"}"#,
        );
        room.write("package/index.js", "module.exports = () => 42;\n");
        room.write(
            "package.json",
            r#"{"name":"works","version":"1.0.0","scripts":{"test":"node test.js"}}"#,
        );
        room.write("test.js", NODE);
        room.works(
            door,
            // npm keeps its cache in the home directory, if it is not told otherwise.
            &format!(
                "{PATH} export npm_config_cache=$PWD/.npm npm_config_update_notifier=false; \
                 tar czf dependency.tgz package; \
                 npm install --offline --no-audit --no-fund --silent ./dependency.tgz; \
                 npm test --silent 2>&1"
            ),
            "passed",
        );
        room.clear();
    }
}

/// Whether other users may enter a directory.
fn is_open(directory: &Path) -> bool {
    let mut above = directory.ancestors();
    above.all(|one| fs::metadata(one).is_ok_and(|it| it.permissions().mode() & 0o001 != 0))
}

#[test]
fn a_project_of_rust_is_built_and_tested() {
    if !confines() || !has("cc") {
        return;
    }
    // Where a toolchain lies that was installed for one user; cargo runs from there.
    let cargo = Path::new(env!("CARGO"));
    let toolchain = cargo.ancestors().nth(2).unwrap();
    for door in doors() {
        let mut room = Room::new();
        room.read.push(toolchain.to_owned());
        let test = "unset CARGO_TARGET_DIR; export CARGO_HOME=$PWD/.cargo; cargo test --offline --quiet 2>&1; cargo run --offline --quiet";
        let command = format!(
            "{PATH} export PATH={}/bin:$PATH; {test}",
            toolchain.display()
        );
        if fs::read_dir(toolchain).is_err() {
            skip("this user may not read the toolchain");
            return;
        }
        if door == Door::OrdinaryUser && !is_open(toolchain) {
            continue;
        }
        room.write(
            "Cargo.toml",
            "[package]\nname = \"works\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\
             [dependencies]\ndependency = { path = \"dependency\" }\n",
        );
        room.write(
            "dependency/Cargo.toml",
            "[package]\nname = \"dependency\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
        );
        room.write(
            "dependency/src/lib.rs",
            "pub fn add(a: i32, b: i32) -> i32 { a + b }\n",
        );
        room.write(
            "build.rs",
            "fn main() { std::fs::write(std::env::var(\"OUT_DIR\").unwrap() + \"/built\", \"x\").unwrap(); }\n",
        );
        room.write(
            "src/main.rs",
            "fn main() { println!(\"{}\", dependency::add(1, 2)); }\n\
             #[test]\nfn adds() { assert_eq!(dependency::add(1, 2), 3); }\n",
        );
        room.works(door, &command, "3");
    }
}

/// What a person does with git in a day.
const GIT: &str = "git init -q g; cd g; git config user.name x; git config user.email x@example.com; \
    echo 1 >f; git add f; git commit -qm one; git checkout -q -b b; echo 2 >>f; git commit -qam two; \
    git checkout -q -; echo 0 >e; git add e; git commit -qm three; git merge -q -m four b; \
    echo x >>f; git stash -q; git stash pop -q; git diff --stat >/dev/null; \
    printf '#!/bin/sh\\necho >hooked\\n' >.git/hooks/pre-commit; chmod +x .git/hooks/pre-commit; \
    git commit -qam five; test -e hooked; git worktree add -q ../w b; git clone -q --no-local . ../c; \
    cd ../c; git pull -q; git gc -q; git status --short; git log --oneline | wc -l";

#[test]
fn git_works_with_and_without_a_configuration_of_its_own() {
    if !confines() || !has("git") {
        return;
    }
    for door in doors() {
        let room = Room::new();
        let home = room.path("home");
        room.works(door, &format!("{PATH} {GIT}"), "5");
        room.clear();
        fs::write(home.join("kept"), "[user]\n\tname = A Name\n").unwrap();
        symlink("kept", home.join(".gitconfig")).unwrap();
        fs::create_dir_all(home.join(".config/git")).unwrap();
        for (name, content) in [
            ("config", "[user]\n\temail = name@example.com\n"),
            ("ignore", "*.ignored\n"),
            ("attributes", "*.c diff=cpp\n"),
            ("credentials", "https://user:secret@example.com\n"),
        ] {
            fs::write(home.join(".config/git").join(name), content).unwrap();
        }
        room.works(
            door,
            &format!("{PATH} {GIT}; git config user.name; git config user.email"),
            "name@example.com",
        );
        room.works(
            door,
            "cd g; touch x.ignored; git status --short; git config --global user.name",
            "A Name",
        );
        let (_, code) = room.run(door, "cat $XDG_CONFIG_HOME/git/credentials || cat ~/kept2");
        assert_eq!(code, 1);
    }
}

#[test]
fn what_scripts_are_used_to_works() {
    if !confines() {
        return;
    }
    let long = format!("{}echo long", "# padding\n".repeat(20_000));
    for door in doors() {
        let room = Room::new();
        for (command, last) in [
            (
                "seq 30000 | sort -R -S 64K | sort -n -S 64K | tail -1",
                "30000",
            ),
            (
                "echo x >f; tar cf f.tar f; gzip f.tar; zcat f.tar.gz | tar xO",
                "x",
            ),
            ("find . -name 'f*' | xargs -P 4 -n 1 wc -c | wc -l", "2"),
            ("cat <<X\nhere $((1 + 1))\nX", "here 2"),
            ("f=$(mktemp); echo x >$f; cat $f", "x"),
            ("timeout 0.1 sleep 60; echo $?", "124"),
            (
                "echo a >/dev/stdout; echo b | cat /dev/stdin; echo c >/dev/fd/1",
                "c",
            ),
            ("{ echo d >/dev/stderr; } 2>&1", "d"),
            ("exec 3<f; cat /dev/fd/3", "x"),
            (
                "head -c 5 /dev/zero | wc -c; head -c 5 /dev/urandom | wc -c; echo >/dev/null",
                "5",
            ),
            (
                "{ [ ! -e /etc/hosts ] || getent hosts localhost; } >/dev/null && \
                 getent passwd 0 | cut -d: -f1",
                "root",
            ),
            (
                "perl -e 'use File::Temp; print File::Temp->new ? \"perl\" : \"\"'",
                "perl",
            ),
            ("sleep 0.05 & wait && echo waited", "waited"),
            ("mkfifo p; echo fifo >p & cat p", "fifo"),
            (
                "head -c 3000000 /dev/zero | tr '\\0' '\\n' >big; wc -c <big",
                "3000000",
            ),
            (
                "ln -s f l; cp -a f g; mv g h; rm l h; touch -d yesterday f; chmod 640 f; ls f",
                "f",
            ),
            ("tty; echo $?", "1"),
            (long.as_str(), "long"),
        ] {
            // No argument may be that long.
            if door != Door::Flags || command != long {
                room.works(door, command, last);
            }
        }
        let room = Room {
            shell: "/bin/bash",
            ..room
        };
        for (command, last) in [
            ("diff <(echo 1) <(echo 1) && echo same", "same"),
            ("cat <<<word", "word"),
            ("set -m; sleep 0.05 & fg >/dev/null; echo $?", "0"),
            (
                "{ sleep 0.05; echo x >$TMPDIR/f; } & wait; cat $TMPDIR/f",
                "x",
            ),
        ] {
            room.works(door, command, last);
        }
    }
}

#[test]
fn zsh_finds_a_place_for_its_here_documents() {
    if !confines() || !has("zsh") {
        return;
    }
    let mut room = Room::new();
    for shell in ["", "/bin/zsh"] {
        room.shell = shell;
        let command = "zsh -fc 'cat <<<word >/dev/null && cat =(echo word)'";
        room.works(Door::Variables, command, "word");
    }
}

#[test]
fn what_a_call_leaves_in_the_background_works_on_beside_later_calls() {
    if !confines() {
        return;
    }
    let room = Room::new();
    room.works(
        Door::Variables,
        "echo kept >$TMPDIR/f; (while ! [ -e go ]; do sleep 0.01; done; cat $TMPDIR/f >out) & echo left",
        "left",
    );
    room.works(
        Door::Flags,
        "touch go; while ! [ -s out ]; do sleep 0.01; done; cat out",
        "kept",
    );
}
