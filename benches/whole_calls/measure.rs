//! One whole process, measured from outside: what it and all its children cost (`wait4(2)`).

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Instant;

/// A process to be run.
#[derive(Clone)]
pub struct Call {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// What its stdin reads; nothing if `None`.
    pub stdin: Option<PathBuf>,
    /// What its environment has beside this process's own.
    pub environment: Vec<(&'static str, String)>,
}

/// What one run took.
pub struct Sample {
    /// CPU seconds, user and system, children included.
    pub cpu: f64,
    /// Seconds by the clock, from before its start until after its end.
    pub wall: f64,
    /// The largest resident set of it and of each of its children, in bytes.
    pub peak: u64,
    /// How many newlines it wrote.
    pub lines: u64,
    /// The beginning of what it wrote.
    pub head: Vec<u8>,
    /// The end of what it wrote.
    pub tail: Vec<u8>,
}

impl Call {
    /// A call of `command`, with an empty stdin.
    pub fn new(command: &[&str]) -> Self {
        Self {
            command: command.iter().map(ToString::to_string).collect(),
            stdin: None,
            environment: Vec::new(),
        }
    }

    /// A call of a pipeline through the shell.
    pub fn shell(script: &str) -> Self {
        Self::new(&["/bin/sh", "-c", script])
    }

    /// The same with a stdin.
    pub fn reading(mut self, stdin: PathBuf) -> Self {
        self.stdin = Some(stdin);
        self
    }

    /// The same with a variable.
    pub fn with(mut self, variable: &'static str, value: &str) -> Self {
        self.environment.push((variable, value.to_owned()));
        self
    }

    /// Runs it, its stdout being a pipe that is read as fast as it can be.
    ///
    /// # Errors
    /// When it cannot be started, or fails.
    pub fn run(&self, count_lines: bool) -> io::Result<Sample> {
        let mut command = Command::new(&self.command[0]);
        command.args(&self.command[1..]);
        // The fastest of locales for every peer.
        command.env("LC_ALL", "C").stdout(Stdio::piped());
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        match &self.stdin {
            Some(path) => command.stdin(File::open(path)?),
            None => command.stdin(Stdio::null()),
        };
        // SAFETY: the closure does nothing. With one, the child is forked, and has little memory;
        // without, it borrows this process's whole memory until it executes, and the kernel
        // takes that for its own peak.
        unsafe { command.pre_exec(|| Ok(())) };
        let started = Instant::now();
        let mut child = command.spawn()?;
        let mut sample = Sample {
            cpu: 0.0,
            wall: 0.0,
            peak: 0,
            lines: 0,
            head: Vec::new(),
            tail: Vec::new(),
        };
        let mut output = child.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
        sample.drain(&mut output, count_lines)?;
        let pid = i32::try_from(child.id()).map_err(io::Error::other)?;
        let mut status = 0;
        // SAFETY: a structure of integers, of which all bits zero is a value.
        let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
        // SAFETY: both pointers are to locals; the child is ours and nobody else waits for it.
        if unsafe { libc::wait4(pid, &raw mut status, 0, &raw mut usage) } != pid {
            return Err(io::Error::last_os_error());
        }
        sample.wall = started.elapsed().as_secs_f64();
        sample.cpu = seconds(usage.ru_utime) + seconds(usage.ru_stime);
        sample.peak = u64::try_from(usage.ru_maxrss).unwrap_or(0) * 1024;
        if libc::WIFEXITED(status) && libc::WEXITSTATUS(status) <= 1 {
            return Ok(sample);
        }
        Err(io::Error::other(format!("{:?} failed", self.command)))
    }
}

impl Sample {
    fn drain(&mut self, output: &mut impl Read, count_lines: bool) -> io::Result<()> {
        let mut buffer = vec![0; 64 * 1024];
        loop {
            let count = output.read(&mut buffer)?;
            if count == 0 {
                return Ok(());
            }
            let piece = &buffer[..count];
            if count_lines {
                self.lines += memchr::memchr_iter(b'\n', piece).count() as u64;
            }
            if self.head.len() < 64 {
                self.head.extend_from_slice(&piece[..count.min(64)]);
            }
            self.tail
                .extend_from_slice(&piece[count.saturating_sub(64)..]);
            let excess = self.tail.len().saturating_sub(64);
            self.tail.drain(..excess);
        }
    }
}

fn seconds(time: libc::timeval) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "no process runs for centuries")]
    let (whole, millionths) = (time.tv_sec as f64, time.tv_usec as f64);
    whole + millionths / 1e6
}

/// The middle one of `values`, which are not none.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
