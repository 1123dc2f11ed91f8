//! One whole process, measured from outside: what it and all its children cost (`wait4(2)`).

use std::fs::File;
use std::hash::{DefaultHasher, Hasher};
use std::io::{self, Read};
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use rustix::fs::{Advice, fadvise};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// How much of the end of an output is kept, in bytes: more than any note takes.
const TAIL: usize = 1024;

/// The size of a page of memory.
const PAGE_BYTES: usize = 4096;

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

/// How a process is run.
#[derive(Clone, Copy, Default)]
pub struct How {
    /// Whether its output is looked at: its lines are counted, and all of it is told from others.
    pub look: bool,
    /// On how many cores; all there are if `None`.
    pub cores: Option<usize>,
}

/// What one run took.
pub struct Sample {
    /// CPU seconds, user and system, children included.
    pub cpu: f64,
    /// Seconds by the clock, from before its start until after its end.
    pub wall: f64,
    /// The largest resident set of it and of each of its children, in bytes.
    pub peak: u64,
    /// How many newlines it wrote, if its output was looked at.
    pub lines: u64,
    /// What tells its output from another, if it was looked at.
    pub digest: u64,
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
    pub fn run(&self, how: How) -> io::Result<Sample> {
        let mut command = self.command(how)?;
        match &self.stdin {
            Some(path) => command.stdin(File::open(path)?),
            None => command.stdin(Stdio::null()),
        };
        let started = Instant::now();
        let mut child = command.spawn()?;
        let mut output = child.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
        let mut sample = Sample::of(&mut output, how.look)?;
        (sample.cpu, sample.peak) = self.end_of(&child)?;
        sample.wall = started.elapsed().as_secs_f64();
        Ok(sample)
    }

    /// The command that runs it so, its stdout being a pipe.
    pub fn command(&self, how: How) -> io::Result<Command> {
        let mut command = Command::new(&self.command[0]);
        command.args(&self.command[1..]);
        // The fastest of locales for every peer.
        command.env("LC_ALL", "C").stdout(Stdio::piped());
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        let cores = how.cores.map(first).transpose()?;
        let settle = move || match &cores {
            Some(cores) => Ok(sched_setaffinity(None, cores)?),
            None => Ok(()),
        };
        // SAFETY: the closure makes a system call at most. With one, the child is forked, and has
        // little memory; without, it borrows this process's whole memory until it executes, and
        // the kernel takes that for its own peak.
        unsafe { command.pre_exec(settle) };
        Ok(command)
    }

    /// Drops the executable from memory (the page cache), so that the next run reads it from the
    /// disk, and looks that nothing of it is left there. The libraries of a dynamic one stay.
    ///
    /// # Errors
    /// When some of it stays: another process runs it, it was not written to the disk yet, or it
    /// lies in a file system without a disk.
    pub fn drop_executable_from_memory(&self) -> io::Result<()> {
        let path = &self.command[0];
        let file = File::open(path)?;
        file.sync_all()?;
        fadvise(&file, 0, None, Advice::DontNeed)?;
        match pages_in_memory(&file)? {
            0 => Ok(()),
            pages => Err(io::Error::other(format!(
                "{pages} pages of {path} stay in memory"
            ))),
        }
    }

    /// Waits for the end of `child`, which runs this: its CPU seconds and its largest resident set,
    /// in bytes, and those of its children.
    ///
    /// # Errors
    /// When it fails.
    pub fn end_of(&self, child: &Child) -> io::Result<(f64, u64)> {
        let pid = i32::try_from(child.id()).map_err(io::Error::other)?;
        let mut status = 0;
        // SAFETY: a structure of integers, of which all bits zero is a value.
        let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
        // SAFETY: both pointers are to locals; the child is ours and nobody else waits for it.
        if unsafe { libc::wait4(pid, &raw mut status, 0, &raw mut usage) } != pid {
            return Err(io::Error::last_os_error());
        }
        if !libc::WIFEXITED(status) || libc::WEXITSTATUS(status) > 1 {
            return Err(io::Error::other(format!("{:?} failed", self.command)));
        }
        let cpu = seconds(usage.ru_utime) + seconds(usage.ru_stime);
        let peak = u64::try_from(usage.ru_maxrss).unwrap_or(0) * 1024;
        Ok((cpu, peak))
    }
}

/// How many cores this process may use.
pub fn cores() -> io::Result<usize> {
    Ok(usize::try_from(sched_getaffinity(None)?.count()).unwrap_or(1))
}

/// The first `count` of the cores that this process may use.
fn first(count: usize) -> io::Result<CpuSet> {
    let ours = sched_getaffinity(None)?;
    let mut first = CpuSet::new();
    let usable = (0..CpuSet::MAX_CPU).filter(|core| ours.is_set(*core));
    for core in usable.take(count) {
        first.set(core);
    }
    Ok(first)
}

impl Sample {
    /// What comes out of `output`; what it took is not known yet.
    fn of(output: &mut impl Read, look: bool) -> io::Result<Self> {
        let mut sample = Self {
            cpu: 0.0,
            wall: 0.0,
            peak: 0,
            lines: 0,
            digest: 0,
            head: Vec::new(),
            tail: Vec::new(),
        };
        let mut digest = DefaultHasher::new();
        let mut buffer = vec![0; 64 * 1024];
        loop {
            let count = output.read(&mut buffer)?;
            if count == 0 {
                sample.digest = digest.finish();
                return Ok(sample);
            }
            let piece = &buffer[..count];
            if look {
                sample.lines += memchr::memchr_iter(b'\n', piece).count() as u64;
                digest.write(piece);
            }
            if sample.head.len() < 64 {
                sample.head.extend_from_slice(&piece[..count.min(64)]);
            }
            sample
                .tail
                .extend_from_slice(&piece[count.saturating_sub(TAIL)..]);
            let excess = sample.tail.len().saturating_sub(TAIL);
            sample.tail.drain(..excess);
        }
    }
}

/// How many pages of a file are in memory (`mincore(2)`), as its owner is told.
fn pages_in_memory(file: &File) -> io::Result<usize> {
    let length = usize::try_from(file.metadata()?.len()).map_err(io::Error::other)?;
    let mut pages = vec![0_u8; length.div_ceil(PAGE_BYTES)];
    // SAFETY: the mapping is new and nobody reads it; the list has a byte for each of its pages.
    let done = unsafe {
        let (read, shared) = (libc::PROT_READ, libc::MAP_SHARED);
        let place = libc::mmap(
            std::ptr::null_mut(),
            length,
            read,
            shared,
            file.as_raw_fd(),
            0,
        );
        if place == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let done = libc::mincore(place, length, pages.as_mut_ptr());
        libc::munmap(place, length);
        done
    };
    if done != 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(pages.iter().filter(|page| **page & 1 != 0).count())
}

fn seconds(time: libc::timeval) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "no process runs for centuries")]
    let (whole, millionths) = (time.tv_sec as f64, time.tv_usec as f64);
    whole + millionths / 1e6
}

/// The medians of CPU time and of time by the clock, and the highest peak.
pub fn figures(samples: &[Sample]) -> Figures {
    Figures {
        cpu: median(samples.iter().map(|sample| sample.cpu).collect()),
        wall: median(samples.iter().map(|sample| sample.wall).collect()),
        peak: samples.iter().map(|sample| sample.peak).max().unwrap_or(0),
    }
}

/// What a call takes: CPU seconds, seconds by the clock, bytes of memory.
pub struct Figures {
    pub cpu: f64,
    pub wall: f64,
    pub peak: u64,
}

/// The middle one of `values`, which are not none.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
