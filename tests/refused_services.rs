//! What still works where a kernel, an emulator or a sandbox refuses a service: a table of services
//! and tools.
//!
//! The refusing is done by a seccomp filter (`seccomp(2)`) that is laid over the tool before it
//! starts, and answers as those do who refuse: with ENOSYS, as a kernel that does not know the
//! call, or with EPERM, as a container's policy.

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::common::messages::TextRow;
use crate::common::{self, alone, directory, eventually, link, names_in, processes_with, text};
use crate::refusing::{Filter, Service};
use serde_json::{Value, json};

const fn call(name: &'static str, call: libc::c_long) -> Service {
    Service {
        name,
        call,
        argument: None,
    }
}

const fn with(name: &'static str, number: libc::c_long, argument: (u32, u32, u32)) -> Service {
    Service {
        name,
        call: number,
        argument: Some(argument),
    }
}

/// `PR_SET_CHILD_SUBREAPER`.
const SUBREAPER: Service = with("subreaper", libc::SYS_prctl, (0, u32::MAX, 36));

/// `__O_TMPFILE`, without the directory's bit.
const TMPFILE: u32 = 0o20_000_000;

const SERVICES: [Service; 9] = [
    SUBREAPER,
    call("pidfd_open", libc::SYS_pidfd_open),
    call("memfd_create", libc::SYS_memfd_create),
    with("O_TMPFILE", libc::SYS_openat, (2, TMPFILE, TMPFILE)),
    call("statx", libc::SYS_statx),
    call("close_range", libc::SYS_close_range),
    // What the same sandboxes refuse beside them.
    call("openat2", libc::SYS_openat2),
    call("timer_create", libc::SYS_timer_create),
    call("copy_file_range", libc::SYS_copy_file_range),
];

/// Has `command` refuse `service` with `errno`.
fn refuse(command: &mut Command, service: Service, errno: i32) {
    let filter = Filter::new(&[service], errno);
    // SAFETY: the filter makes two system calls.
    unsafe {
        command.pre_exec(move || filter.install());
    }
}

/// Starts a call of `tool` in `directory`, where `changed` has been done to it before.
fn start(
    mut command: Command,
    request: &Value,
    directory: &Path,
    changed: impl FnOnce(&mut Command),
) -> Child {
    let file = directory.join("..request");
    fs::write(&file, request.to_string()).unwrap();
    command
        .current_dir(directory)
        .stdin(fs::File::open(&file).unwrap());
    fs::remove_file(&file).unwrap();
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    changed(&mut command);
    command.spawn().unwrap()
}

fn answer(child: Child) -> Value {
    let output = child.wait_with_output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

/// Every tool does its work, `changed` having been done to each; `what` says what that was.
fn everything_works(what: &str, wrapped: &[&str], changed: impl Fn(&mut Command)) {
    let here = common::public_directory();
    let long = format!("{}\necho long", "# padding\n".repeat(20_000));
    let call = |name: &str, request: Value| {
        let mut command = match wrapped {
            [] => Command::new(link(name)),
            [program, arguments @ ..] => {
                let mut command = Command::new(program);
                command.args(arguments).arg(link(name));
                command
            }
        };
        let unset = ["http_proxy", "BRAVE_API_KEY", "GOOGLE_SEARCH_API_KEY"];
        for name in unset {
            command.env_remove(name);
        }
        command
            .env("IKIGAI_CONFIG_DIR", here.path())
            .env("HOME", here.path());
        command.env("XDG_CONFIG_HOME", here.path());
        answer(start(command, &request, here.path(), &changed))
    };
    let file = here.path().join("file.txt");
    let two = here.path().join("two names");
    fs::write(&two, "one\n").unwrap();
    fs::hard_link(&two, here.path().join("other name")).unwrap();
    fs::create_dir(here.path().join("sub")).unwrap();
    let server = common_page();
    for (name, request, expected) in [
        (
            "bash",
            json!({"command": "echo out; echo err >&2; cat; exit 3"}),
            json!({"output": "out\nerr", "exit_code": 3}),
        ),
        (
            "bash",
            json!({"command": "(true); kill -9 $$"}),
            json!({"output": "", "exit_code": 137}),
        ),
        (
            "bash",
            json!({ "command": long }),
            json!({"output": "long", "exit_code": 0}),
        ),
        (
            "file-write",
            json!({"file_path": text(&file), "content": "one\ntwo\n"}),
            json!({"output": "Wrote 8 bytes to file.txt", "bytes": 8}),
        ),
        (
            "file-write",
            json!({"file_path": text(&file), "content": "one\nthree\n"}),
            json!({"output": "Wrote 10 bytes to file.txt", "bytes": 10}),
        ),
        (
            "file-write",
            json!({"file_path": text(&two), "content": "two\n"}),
            json!({"output": "Wrote 4 bytes to two names", "bytes": 4}),
        ),
        (
            "file-edit",
            json!({"file_path": text(&file), "old_string": "three", "new_string": "two"}),
            json!({"output": "Replaced 1 occurrence in file.txt", "replacements": 1}),
        ),
        (
            "file-edit",
            json!({"file_path": text(&two), "old_string": "two", "new_string": "twelve"}),
            json!({"output": "Replaced 1 occurrence in two names", "replacements": 1}),
        ),
        (
            "file-read",
            json!({"file_path": text(&file)}),
            json!({"output": "one\ntwo\n"}),
        ),
        (
            "file-read",
            json!({"file_path": text(&file), "offset": 2}),
            json!({"output": "two\n"}),
        ),
        (
            "glob",
            json!({"pattern": "**/*.txt"}),
            json!({"output": "file.txt", "count": 1}),
        ),
        (
            "grep",
            json!({"pattern": "^t", "glob": "*.txt"}),
            json!({"output": "./file.txt:2: two", "count": 1}),
        ),
        (
            "web-fetch-tool",
            json!({ "url": server }),
            json!({"success": true, "url": server, "title": "", "content": "a page"}),
        ),
    ] {
        let shown: String = request.to_string().chars().take(80).collect();
        assert_eq!(call(name, request), expected, "{what}: {name} {shown}");
    }
    assert_eq!(fs::read(&two).unwrap(), b"twelve\n", "{what}");
    for search in ["web-search-brave-tool", "web-search-google-tool"] {
        let answer = call(search, json!({"query": "rust"}));
        assert_eq!(answer["error_code"], "AUTH_MISSING", "{what}: {search}");
    }
    let names = ["file.txt", "other name", "sub", "two names"];
    assert_eq!(names_in(here.path()), names, "{what}");
}

/// The address of a page that is served as often as it is asked for.
fn common_page() -> String {
    use std::io::{Read, Write};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(
                b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 6\r\nConnection: close\r\n\r\na page",
            );
        }
    });
    address
}

#[test]
fn every_tool_works_without_any_one_of_the_kernel_s_newer_services() {
    common::side_by_side(SERVICES, |service| {
        for errno in [libc::ENOSYS, libc::EPERM, libc::EINVAL] {
            // A kernel that knows `statx` says EINVAL of no sound call; nor does one of a file
            // without a name.
            if errno == libc::EINVAL && service.name != "subreaper" {
                continue;
            }
            let what = format!("without {} (error {errno})", service.name);
            everything_works(&what, &[], |command| refuse(command, service, errno));
        }
    });
}

#[test]
fn without_proc_and_without_dev_every_tool_works() {
    for place in ["/proc", "/dev"] {
        let script = format!("mount -t tmpfs none {place} && exec \"$0\" \"$@\"");
        let unshare = [
            "unshare",
            "-m",
            "--propagation",
            "private",
            "/bin/sh",
            "-c",
            &script,
        ];
        let possible = Command::new(unshare[0])
            .args(&unshare[1..])
            .arg("true")
            .output()
            .is_ok_and(|output| output.status.success());
        if !possible {
            common::skip(&format!("nothing can be mounted over {place} here"));
            continue;
        }
        everything_works(&format!("without {place}"), &unshare, |_| {});
    }
}

/// What a killed tool leaves, where `service` is refused.
fn leaves_nothing(service: Service, script: &str, number: u32, count: usize) {
    let errors = [libc::ENOSYS, libc::EPERM, libc::EINVAL];
    common::side_by_side((number..).zip(errors), |(number, errno)| {
        let mark = alone(number);
        let here = directory();
        let request = json!({"command": script.replace("MARK", &mark)});
        let mut child = start(
            Command::new(link("bash")),
            &request,
            here.path(),
            |command| {
                refuse(command, service, errno);
            },
        );
        let begun = eventually(|| processes_with(&mark).len() == count);
        child.kill().unwrap();
        child.wait().unwrap();
        let left = !eventually(|| processes_with(&mark).is_empty());
        for pid in processes_with(&mark) {
            // SAFETY: a process of this test's own, which nothing else has the mark of.
            unsafe { libc::kill(i32::try_from(pid).unwrap(), libc::SIGKILL) };
        }
        assert!(begun && !left, "{} (error {errno})", service.name);
    });
}

#[test]
fn a_killed_tool_leaves_no_process_where_it_can_be_no_subreaper() {
    let script = "setsid sleep MARK & (setsid sleep MARK &); nohup sleep MARK & \
                  trap '' TERM HUP INT; sleep MARK; sleep MARK";
    leaves_nothing(SUBREAPER, script, 50, 4);
    leaves_nothing(call("pidfd_open", libc::SYS_pidfd_open), script, 55, 4);
}

/// The answer of a tool that cannot be a subreaper.
fn answer_of_no_subreaper(bash: Command, script: &str) -> Value {
    let here = directory();
    let request = json!({ "command": script });
    let child = start(bash, &request, here.path(), |command| {
        refuse(command, SUBREAPER, libc::EINVAL);
    });
    answer(child)
}

#[test]
fn at_the_end_of_its_time_a_command_is_ended_where_nobody_is_a_subreaper() {
    let cases = [
        (60, 124, ""),
        (44, 137, "(sleep 0.2; kill -9 $PPID) &"),
        // While it sees to the end of all of it.
        (45, 124, "trap '' TERM; (sleep 0.6; kill -9 $PPID) &"),
    ];
    common::side_by_side(cases, |(number, code, kill)| {
        let mark = alone(number);
        let script = format!("{kill} (setsid sleep {mark} &); echo x; sleep {mark}");
        let mut bash = Command::new(link("bash"));
        bash.env("IKIGAI_MAX_SECONDS", "1");
        let answer = answer_of_no_subreaper(bash, &script);
        assert_eq!(answer["output"], "x");
        assert_eq!(answer["exit_code"], code);
        assert!(eventually(|| processes_with(&mark).is_empty()));
    });
}

#[test]
fn a_command_that_kills_its_watchdog_is_ended_where_nobody_is_a_subreaper() {
    let mark = alone(42);
    let script = format!("sleep {mark} & echo x; kill -9 $PPID; sleep {mark}");
    let answer = answer_of_no_subreaper(Command::new(link("bash")), &script);
    assert_eq!(answer, json!({"output": "x", "exit_code": 137}));
    assert!(eventually(|| processes_with(&mark).is_empty()));
}

#[test]
fn what_is_left_in_the_background_lives_on_where_nobody_is_a_subreaper() {
    let mark = alone(43);
    let script = format!("sleep {mark} >/dev/null 2>&1 & echo x");
    let answer = answer_of_no_subreaper(Command::new(link("bash")), &script);
    assert_eq!(answer, json!({"output": "x", "exit_code": 0}));
    assert!(eventually(|| processes_with(&mark).len() == 1));
    let found = processes_with(&mark);
    // SAFETY: the one process that has the mark.
    unsafe { libc::kill(i32::try_from(found[0]).unwrap(), libc::SIGKILL) };
}

/// What a command that cannot be started gives, after shell commands that see to that.
fn not_started(before: &str, shell: &str) -> String {
    let answer = common::tool("bash")
        .with(&json!({"command": "echo ran"}))
        .after(before)
        .env("IKIGAI_SHELL", shell)
        .run();
    assert_eq!(answer.code(), 0);
    let code = answer.json()["exit_code"].as_i64().unwrap();
    assert!([127, 137, 139].contains(&code), "{}", answer.json());
    answer.field("output")
}

#[test]
fn a_command_that_cannot_be_started_says_what_the_cause_is() {
    // Whoever runs the tests may have left them descriptors of its own, which count too.
    let few_files = "exec 3<&- 4<&- 5<&- 6<&- 7<&- 8<&- 9<&-; ulimit -n 4";
    for (before, shell, name) in [
        (":", "/nowhere/zsh", "a shell that is not there"),
        (":", "/etc/passwd", "a shell that may not be run"),
        (":", "no-such-shell", "a shell that is not on PATH"),
        (few_files, "", "no further file"),
    ] {
        not_started(before, shell).assert_row("bash", name);
    }
}

#[test]
fn the_shell_that_is_named_is_the_one_that_runs() {
    for (shell, name) in [("/bin/bash", "bash"), ("bash", "bash"), ("", "sh")] {
        let answer = common::tool("bash")
            .with(&json!({"command": "echo $0; -x"}))
            .env("IKIGAI_SHELL", shell)
            .run();
        let output = answer.field("output");
        assert!(
            output.starts_with(&format!("{name}\n{name}: ")),
            "{shell}: {output}"
        );
        let long = format!(
            "{}\n[[ a == a ]] && echo long",
            "# padding\n".repeat(20_000)
        );
        if name == "bash" {
            common::tool("bash")
                .with(&json!({ "command": long }))
                .env("IKIGAI_SHELL", shell)
                .answers(&json!({"output": "long", "exit_code": 0}));
            common::tool("bash")
                .with(&json!({"command": "-x 2>/dev/null; [[ a == a ]] && echo on"}))
                .env("IKIGAI_SHELL", shell)
                .answers(&json!({"output": "on", "exit_code": 0}));
        }
    }
}

#[test]
fn a_shell_for_which_there_is_no_process_says_so_and_names_the_limit() {
    let calls = [
        call("clone", libc::SYS_clone),
        call("clone3", libc::SYS_clone3),
        #[cfg(target_arch = "x86_64")]
        call("fork", libc::SYS_fork),
        #[cfg(target_arch = "x86_64")]
        call("vfork", libc::SYS_vfork),
    ];
    // The first limit is in KiB and told in bytes.
    for (errno, name, limit) in [
        (libc::ENOMEM, "no memory for a process", "ulimit -v 4000000"),
        (libc::EAGAIN, "no further process", "ulimit -u 500"),
    ] {
        let filter = Filter::new(&calls, errno);
        let answer = common::tool("bash")
            .with(&json!({"command": "echo ran"}))
            .through(
                "/bin/bash",
                &["-c", &format!("{limit}; exec \"$0\" \"$@\"")],
            )
            .prepared_by(move || filter.install())
            .run();
        let output = answer.field("output");
        assert_eq!(answer.json()["exit_code"], 127, "{output}");
        output.assert_row("bash", name);
    }
}
