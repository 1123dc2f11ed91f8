//! A call that is stopped and continued (Ctrl-Z and `fg`, a container that is frozen for a moment)
//! answers as usual, although a read with a timeout ends early then, with `EINTR`.

use std::io::{Read, Write};
use std::process::Child;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::sleep;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::common::{eventually, tool};
use crate::server::{Server, page};

/// A server whose answer to whatever it is asked waits for this.
struct Waiting {
    server: Server,
    asked: Receiver<()>,
    go: Sender<()>,
}

impl Waiting {
    fn with(answer: Vec<u8>) -> Self {
        let (tell, asked) = channel();
        let (go, wait) = channel();
        let ends = Mutex::new((tell, wait));
        let server = Server::raw(move |mut stream| {
            let (tell, wait) = &*ends.lock().unwrap();
            if stream.read(&mut [0; 4096]).unwrap_or(0) > 0 {
                tell.send(()).unwrap();
                wait.recv().unwrap();
                stream.write_all(&answer).unwrap();
            }
        });
        Self { server, asked, go }
    }

    /// The answer of a call of `url` that is stopped while it waits for this server.
    fn answer(&self, variable: &str, scheme: &str, url: &str) -> Value {
        let call = tool("web-fetch-tool").with(&json!({ "url": url }));
        let mut call = call.without_settings();
        if !variable.is_empty() {
            let proxy = format!("{scheme}://127.0.0.1:{}", self.server.port());
            call = call.env(variable, proxy);
        }
        let child = call.start();
        // A call that fails before it asks is to be seen, and not waited for.
        let is_asked = self.asked.recv_timeout(Duration::from_secs(20)).is_ok();
        if is_asked {
            stop_for_a_moment(&child);
            self.go.send(()).unwrap();
        }
        let output = child.wait_with_output().unwrap();
        serde_json::from_slice(&output.stdout).unwrap()
    }
}

fn stop_for_a_moment(child: &Child) {
    let number = child.id().try_into().unwrap();
    let pid = Pid::from_raw(number).unwrap();
    let state = || {
        let stat = std::fs::read_to_string(format!("/proc/{number}/stat")).unwrap();
        stat.rsplit_once(") ").unwrap().1.chars().next().unwrap()
    };
    // Only a call that waits already can be woken.
    assert!(eventually(|| state() == 'S'));
    kill_process(pid, Signal::STOP).unwrap();
    assert!(eventually(|| state() == 'T'));
    kill_process(pid, Signal::CONT).unwrap();
    assert!(eventually(|| state() != 'T'));
    sleep(Duration::from_millis(50));
}

#[test]
fn a_fetch_that_is_stopped_for_a_moment_has_its_page() {
    let site = Waiting::with(page("The page came."));
    let answer = site.answer("", "", &site.server.url("/"));
    assert_eq!(answer["content"], "The page came.", "{answer}");
}

#[test]
fn a_fetch_that_is_stopped_for_a_moment_hears_what_its_proxy_says() {
    for (scheme, reply, said) in [
        (
            "http",
            &b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n"[..],
            "HTTP 407",
        ),
        ("socks5h", &[5, 255], "another user or password"),
    ] {
        let proxy = Waiting::with(reply.to_vec());
        let answer = proxy.answer("https_proxy", scheme, "https://far.example/");
        let error = answer["error"].as_str().unwrap_or_default();
        assert!(error.contains(said), "{scheme}: {answer}");
    }
}
