//! A call that nobody waits for any more: it ends, and what it started with it.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::{alone, directory, eventually, link, names_in, processes_with, text, tool};
use rustix::fs::{FlockOperation, flock};
use serde_json::{Value, json};

/// Much less than what is given up would have taken.
const SOON: Duration = Duration::from_secs(10);

fn command(command: &str) -> Value {
    json!({ "command": command })
}

/// Waits until no process has `mark`, and says whether that was soon.
fn ends_soon(mark: &str) -> bool {
    eventually(|| processes_with(mark).is_empty())
}

/// Ends whatever has `mark`.
fn clean_up(mark: &str) {
    for pid in processes_with(mark) {
        // SAFETY: sends a signal to a process of this test's own, which nothing else has the mark
        // of.
        unsafe { libc::kill(i32::try_from(pid).unwrap(), libc::SIGKILL) };
    }
}

/// Gives the tool its request, a command that sleeps, and waits until it does.
fn begin_to_sleep(child: &mut Child, mark: &str) {
    let request = command(&format!("sleep {mark}")).to_string();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(request.as_bytes()).unwrap();
    drop(stdin);
    assert!(eventually(|| processes_with(mark).len() == 1));
}

#[test]
fn a_host_that_closes_its_end_ends_a_silent_command() {
    let mark = alone(20);
    let script = format!("setsid sleep {mark} & nohup sleep {mark} & sleep {mark}");
    let mut child = tool("bash").with(&command(&script)).start();
    assert!(eventually(|| processes_with(&mark).len() == 3));
    drop(child.stdout.take());
    let soon = ends_soon(&mark);
    clean_up(&mark);
    assert!(soon);
    child.wait().unwrap();
}

#[test]
fn a_host_that_reads_from_a_socket_and_closes_it_ends_the_command_too() {
    let mark = alone(21);
    let (ours, theirs) = UnixStream::pair().unwrap();
    let mut child = Command::new(link("bash"))
        .stdin(Stdio::piped())
        .stdout(Stdio::from(OwnedFd::from(theirs)))
        .spawn()
        .unwrap();
    begin_to_sleep(&mut child, &mark);
    // One that has said all and still reads is there.
    ours.shutdown(std::net::Shutdown::Write).unwrap();
    std::thread::sleep(Duration::from_millis(800));
    assert_eq!(processes_with(&mark).len(), 1);
    drop(ours);
    let soon = ends_soon(&mark);
    clean_up(&mark);
    assert!(soon);
    child.wait().unwrap();
}

/// A host that starts `tool` with `request`, its stdout being what `stdout` is, and is killed once
/// `begun`.
fn host_dies(tool: &str, request: &Value, stdout: Stdio, begun: impl FnMut() -> bool) {
    let here = directory();
    let file = here.path().join("request");
    fs::write(&file, request.to_string()).unwrap();
    // The tool's stdout outlives the host, as it does where the host's own children have inherited
    // it.
    let script = format!("'{}' <'{}' & wait", text(&link(tool)), text(&file));
    let mut host = Command::new("/bin/sh");
    let mut host = host.args(["-c", &script]).stdout(stdout).spawn().unwrap();
    assert!(eventually(begun));
    host.kill().unwrap();
    host.wait().unwrap();
}

#[test]
fn a_host_that_is_killed_ends_the_command_though_its_pipe_stays_open() {
    let mark = alone(22);
    let (mut reader, writer) = std::io::pipe().unwrap();
    let script = format!("setsid sleep {mark} & echo begun; sleep {mark}");
    host_dies("bash", &command(&script), writer.into(), || {
        processes_with(&mark).len() == 2
    });
    let soon = ends_soon(&mark);
    clean_up(&mark);
    assert!(soon);
    let mut rest = Vec::new();
    reader.read_to_end(&mut rest).unwrap();
}

#[test]
fn a_command_whose_output_nobody_takes_ends_with_its_host() {
    let mark = alone(23);
    let (reader, writer) = std::io::pipe().unwrap();
    let script = format!("yes {mark}");
    host_dies("bash", &command(&script), writer.into(), || {
        !processes_with(&mark).is_empty()
    });
    let soon = ends_soon(&mark);
    clean_up(&mark);
    assert!(soon);
    drop(reader);
}

#[test]
fn into_a_file_a_call_goes_on_without_its_host() {
    let here = directory();
    let answer = here.path().join("answer");
    let done = here.path().join("done");
    let script = format!("sleep 1.5; touch '{}'", text(&done));
    let out = File::create(&answer).unwrap();
    let mut begun = 0;
    host_dies("bash", &command(&script), out.into(), || {
        begun += 1;
        begun > 100
    });
    assert!(eventually(|| done.exists()));
    assert!(eventually(|| {
        fs::read(&answer).unwrap() == br#"{"output":"","exit_code":0}"#
    }));
}

#[test]
fn a_call_made_of_flags_goes_on_without_its_host_and_its_reader() {
    let here = directory();
    let done = here.path().join("done");
    let script = format!("sleep 1.5; touch '{}'", text(&done));
    let (reader, writer) = std::io::pipe().unwrap();
    let line = format!("'{}' --command \"$0\" & wait", text(&link("bash")));
    let mut host = Command::new("/bin/sh")
        .args(["-c", &line, &script])
        .stdout(writer)
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(300));
    host.kill().unwrap();
    host.wait().unwrap();
    drop(reader);
    assert!(eventually(|| done.exists()));
}

#[test]
fn a_thread_of_the_host_that_ends_is_not_the_host() {
    let child = std::thread::spawn(|| tool("bash").with(&command("sleep 1.2; echo on")).start());
    let output = child.join().unwrap().wait_with_output().unwrap();
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer, json!({"output": "on", "exit_code": 0}));
}

#[test]
fn an_alarm_that_the_host_has_set_stays_the_host_s() {
    let mark = alone(24);
    let mut child = tool("bash");
    // `timeout` of some hosts: the alarm outlives exec and ends the tool.
    child = child.with(&command(&format!("sleep {mark}")));
    let mut child = child
        .after("exec perl -e 'alarm 1; exec @ARGV' \"$0\" \"$@\"")
        .start();
    let status = child.wait().unwrap();
    assert_eq!(status.signal(), Some(libc::SIGALRM));
    assert!(ends_soon(&mark));
}

/// How long a call of `tool` lives after its reader is gone; its stdin stays as it is.
fn lives_on(name: &str, request: &Value, directory: &std::path::Path) -> Duration {
    let mut child = tool(name).with(request).in_directory(directory).start();
    std::thread::sleep(Duration::from_millis(400));
    assert!(
        child.try_wait().unwrap().is_none(),
        "{name} was not at work any more"
    );
    let started = Instant::now();
    drop(child.stdout.take());
    child.wait().unwrap();
    started.elapsed()
}

#[test]
fn a_search_that_takes_long_ends_too() {
    let here = directory();
    // Nothing is found in it, so that nothing is written: only a look at the caller tells that it
    // is gone.
    let first = here.path().join("0");
    fs::write(&first, "aaaa bbbb cccc dddd\n".repeat(1_000_000)).unwrap();
    for n in 1..2_000 {
        fs::hard_link(&first, here.path().join(format!("{n}"))).unwrap();
    }
    let request = json!({"pattern": r"(\w+ )+\w+x", "path": "."});
    let took = lives_on("grep", &request, here.path());
    assert!(took < SOON, "{took:?}");
}

#[test]
fn a_page_that_does_not_come_is_not_waited_for() {
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", silent.local_addr().unwrap());
    let took = lives_on(
        "web-fetch-tool",
        &json!({ "url": url }),
        &std::env::temp_dir(),
    );
    assert!(took < SOON, "{took:?}");
}

#[test]
fn a_file_that_is_locked_is_not_waited_for_and_a_write_under_way_is_finished() {
    let here = directory();
    let file = here.path().join("file");
    fs::write(&file, "old").unwrap();
    let lock = File::open(&file).unwrap();
    flock(&lock, FlockOperation::LockExclusive).unwrap();
    let request = json!({"file_path": text(&file), "content": "new"});
    let took = lives_on("file-write", &request, here.path());
    // Five seconds are waited for a lock otherwise.
    assert!(took < Duration::from_secs(4), "{took:?}");
    drop(lock);
    assert_eq!(fs::read(&file).unwrap(), b"old");

    // A reader that is gone from the start: there is nobody to answer, and the write is made all
    // the same.
    let content = "x".repeat(50_000_000);
    let request = json!({"file_path": text(&file), "content": content});
    let mut child = tool("file-write").with(&request).start();
    drop(child.stdout.take());
    child.wait().unwrap();
    assert_eq!(fs::metadata(&file).unwrap().len(), 50_000_000);
    assert_eq!(names_in(here.path()), ["file"]);
}

#[test]
fn a_reader_that_takes_its_time_is_waited_for() {
    let mut child = tool("bash")
        .with(&command("head -c 3000000 /dev/zero | tr '\\0' x; sleep 1"))
        .start();
    std::thread::sleep(Duration::from_millis(1500));
    let mut answer = Vec::new();
    child
        .stdout
        .take()
        .unwrap()
        .read_to_end(&mut answer)
        .unwrap();
    assert_eq!(
        serde_json::from_slice::<Value>(&answer).unwrap()["exit_code"],
        0
    );
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_process_that_the_host_forked_in_between_may_end_first() {
    // The tool's own parent is what counts: `sh` here waits for it, the host is behind.
    let request = command("sleep 1; echo on").to_string();
    let script = format!("printf %s '{request}' | '{}'", text(&link("bash")));
    let mut host = Command::new("/bin/sh");
    host.args(["-c", &script]).process_group(0);
    let output = host.output().unwrap();
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["output"], "on");
}

#[test]
fn blocked_signals_are_no_matter() {
    let mark = alone(25);
    let (reader, writer) = std::io::pipe().unwrap();
    let mut host = Command::new(link("bash"));
    // SAFETY: system calls alone.
    unsafe {
        host.pre_exec(|| {
            let mut all = std::mem::zeroed();
            libc::sigfillset(&raw mut all);
            libc::sigprocmask(libc::SIG_BLOCK, &raw const all, std::ptr::null_mut());
            Ok(())
        });
    }
    let mut child = host.stdin(Stdio::piped()).stdout(writer).spawn().unwrap();
    drop(host);
    begin_to_sleep(&mut child, &mark);
    assert!(reader.as_raw_fd() > 2);
    drop(reader);
    let soon = ends_soon(&mark);
    clean_up(&mark);
    assert!(soon);
    child.wait().unwrap();
}
