//! Processes of a command that pose as this program's own: they run it, bear the names of what ends
//! by itself, and do something else. They end with the command, however that is ended.

use std::fs;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use crate::common::{alone, eventually, processes_with, skip};
use crate::doors::confines;
use crate::session::Session;
use crate::stage::{Door, Stage, User};

/// The names of what ends by itself.
const NAMES: &str = "guard writing staying watching";

/// The time that a busy machine adds.
const SLACK: Duration = Duration::from_millis(1_500);

/// What ends a command, and the time within which nothing of it is left then.
type Ending = (&'static str, fn(&Poser) -> Duration);

const ENDINGS: [Ending; 6] = [
    ("the end of its time", |poser| {
        let mut call = poser.host(&[("IKIGAI_MAX_SECONDS", "4")]);
        call.wait().unwrap();
        Duration::ZERO
    }),
    ("SIGKILL of the tool", |poser| {
        let mut call = poser.host(&[]);
        call.kill().unwrap();
        call.wait().unwrap();
        Duration::from_millis(500)
    }),
    ("SIGTERM of the tool", |poser| {
        let mut call = poser.host(&[]);
        let pid = Pid::from_raw(call.id().cast_signed()).unwrap();
        kill_process(pid, Signal::TERM).unwrap();
        call.wait().unwrap();
        Duration::ZERO
    }),
    ("cancellation", |poser| {
        let mut session = poser.server();
        session.cancel(1);
        let left = || processes_with(&poser.mark).len();
        assert!(eventually(|| left() == 0), "{} are left", left());
        session.leave();
        Duration::ZERO
    }),
    ("SIGKILL of the server", |poser| {
        let mut session = poser.server();
        session.server.kill().unwrap();
        session.server.wait().unwrap();
        Duration::from_millis(800)
    }),
    ("the server's end", |poser| {
        let mut session = poser.server();
        session.end_input();
        session.server.wait().unwrap();
        Duration::ZERO
    }),
];

/// A command that has started such processes.
struct Poser {
    stage: Stage,
    confined: bool,
    mark: String,
}

impl Poser {
    /// The command: the processes that it starts have `mark` among their arguments.
    fn script(&self) -> String {
        let mark = &self.mark;
        format!(
            "for name in {NAMES}; do $ATTACK pose ikigai/$name {mark} || touch refused; done; \
             touch begun; sleep {mark}"
        )
    }

    fn flags(&self) -> Vec<std::ffi::OsString> {
        let bounds = self.stage.bounds();
        if self.confined {
            bounds.flags()
        } else {
            Vec::new()
        }
    }

    /// A host's call with these variables, once all of them run.
    fn host(&self, variables: &[(&str, &str)]) -> Child {
        let mut command = self.stage.program("bash");
        if self.confined {
            command.envs(self.stage.bounds().variables());
        }
        fs::write(
            self.stage.path("request"),
            json!({"command": self.script()}).to_string(),
        )
        .unwrap();
        let request = fs::File::open(self.stage.path("request")).unwrap();
        let call = command
            .envs(variables.iter().copied())
            .stdin(request)
            .stdout(Stdio::piped())
            .spawn();
        self.runs();
        call.unwrap()
    }

    /// A server whose first call has started them.
    fn server(&self) -> Session {
        let mut command: Command = self.stage.program("ikigai-tools");
        command.args(["mcp", "--tools", "bash"]).args(self.flags());
        let mut session = Session::of(&mut command);
        session.shake_hands("2025-11-25");
        session.call(1, "bash", &json!({"command": self.script()}));
        self.runs();
        session
    }

    fn runs(&self) {
        assert!(eventually(|| self.stage.path("root/begun").exists()));
    }
}

fn end_all(mark: &str) {
    for pid in processes_with(mark) {
        let _ = kill_process(Pid::from_raw(pid.cast_signed()).unwrap(), Signal::KILL);
    }
}

#[test]
fn who_poses_as_a_step_or_a_watchdog_ends_with_the_command() {
    if !confines() {
        return;
    }
    let mark = alone(706);
    let posed = Stage::new(User::all()[0]).run(Door::Host, None, &format!("$ATTACK pose x {mark}"));
    if posed.code != Some(0) {
        return skip("no process can be made to run other code here");
    }
    end_all(&mark);
    std::thread::scope(|scope| {
        for (ending, mark) in ENDINGS
            .into_iter()
            .zip([700, 701, 702, 703, 704, 705].map(alone))
        {
            scope.spawn(move || see_it_end(ending, &mark));
        }
    });
}

fn see_it_end((ending, end): Ending, mark: &str) {
    for user in User::all() {
        for confined in [true, false] {
            let poser = Poser {
                stage: Stage::new(user),
                confined,
                mark: mark.to_owned(),
            };
            let longest = end(&poser);
            let begin = Instant::now();
            let gone = eventually(|| processes_with(mark).is_empty());
            let took = begin.elapsed();
            end_all(mark);
            assert!(!poser.stage.path("root/refused").exists());
            assert!(
                gone && took < longest + SLACK,
                "{ending}, {user:?}, confined: {confined}: {took:?}"
            );
        }
    }
}
