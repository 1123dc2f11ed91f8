//! One run of a program that reads a foreign file: confined to reading the system's directories and
//! its own, without network, with limits on its time, memory and output.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::fs::{MemfdFlags, Mode, OFlags, SealFlags, fcntl_add_seals, memfd_create, open};

use iki_process::sandbox::confinement::command_confinement::{CommandConfinement, TEMPORARY};
use iki_process::sandbox::confinement::{Confinement, ConfinementBounds};
use iki_process::sandbox::launch::ProgramLaunch;
use iki_process::sandbox::scratch::ScratchDirectory;
use iki_process::sandbox::watchdog::{StderrTarget, Watchdog};
use iki_process::shell::{ProgramError, ProgramOutput, read_output};

/// The packages of `LibreOffice`, which it lists.
const SPOOL_DIRECTORY: &str = "/var/spool/libreoffice";

/// The shell of scripts.
const SHELL: &str = "/bin/sh";

/// Maximum memory for data, in bytes.
const MAX_DATA_BYTES: u64 = 1024 * 1024 * 1024;

/// Maximum wait for its end.
const STOP_TIMEOUT: Duration = Duration::from_secs(1);

/// Watchdogs are started one by one: each holds the ends of pipes to those before it, so that they
/// notice the end of this process in turn. If two held each other's, neither would.
static START_LOCK: Mutex<()> = Mutex::new(());

/// The variables that a program gets; others are withheld, keys among them.
const PASSED_VARIABLES: [&str; 4] = ["LANG", "LD_LIBRARY_PATH", "PATH", TRAINED_DATA_VARIABLE];

/// The variable that names the directory of tesseract's trained data.
const TRAINED_DATA_VARIABLE: &str = "TESSDATA_PREFIX";

/// A run of a program.
pub struct ConfinedRun<'a> {
    pub program: &'a Path,
    pub arguments: &'a [&'a str],
    /// A script of the shell that calls the program as `$0`, in a directory of its own (`$HOME`).
    pub script: Option<&'a str>,
    /// Maximum output, in bytes.
    pub max_bytes: usize,
    /// Its deadline.
    pub end: Instant,
}

impl ConfinedRun<'_> {
    /// Runs it with `input` on its stdin.
    pub fn with(&self, input: Cow<'_, [u8]>) -> Result<ProgramOutput, ProgramError> {
        let started = self.script.map_or(self.program, |_| Path::new(SHELL));
        let script = self.script.map(|script| ["-c", script]);
        let script = script.iter().flatten().map(OsStr::new);
        let program = self.script.map(|_| self.program.as_os_str());
        let arguments = self.arguments.iter().map(OsStr::new);
        let all = std::iter::once(started.as_os_str()).chain(script);
        let launch = ProgramLaunch::prepare(
            started.as_os_str(),
            all.chain(program).chain(arguments),
            is_withheld,
        )?;
        // Pages are read in parallel instead.
        let mut launch = launch.with("OMP_THREAD_LIMIT", "1")?;
        launch.nothing = sealed_file(&input)?;
        drop(input);
        launch.data = Some(MAX_DATA_BYTES);
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        launch.directory = Some(open(c"/", flags, Mode::empty())?);
        let mut confinement = confinement_of(self.program).map_err(io::Error::other)?;
        let mut scratch = None;
        if self.script.is_some() {
            let scratch_directory = ScratchDirectory::plan()?;
            launch = launch
                .with("HOME", scratch_directory.path())?
                .with(TEMPORARY, scratch_directory.path())?;
            launch.scratch = Some(Arc::clone(&scratch_directory));
            scratch = Some(scratch_directory);
            confinement = confinement.with_mute_sockets().map_err(io::Error::other)?;
        }
        launch.confinement = Some(confinement);
        let one_by_one = START_LOCK.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut watchdog, output) = Watchdog::start(launch, StderrTarget::Nowhere)?;
        drop(one_by_one);
        let read = read_output(&mut watchdog, output, self.end, self.max_bytes, None);
        watchdog.ask_to_end(Duration::ZERO);
        watchdog.stop(Instant::now() + STOP_TIMEOUT);
        // The watchdog has done this, unless it was killed.
        if let Some(scratch) = scratch {
            scratch.remove();
        }
        read
    }
}

fn is_withheld(name: &OsStr) -> bool {
    !name
        .to_str()
        .is_some_and(|name| PASSED_VARIABLES.contains(&name) || name.starts_with("LC_"))
}

/// A file in memory that can be read but not written to, because stdin is stderr too.
fn sealed_file(bytes: &[u8]) -> io::Result<OwnedFd> {
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    let mut file = std::fs::File::from(memfd_create(c"page", flags)?);
    file.write_all(bytes)?;
    let seals = SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK;
    fcntl_add_seals(&file, seals)?;
    io::Seek::rewind(&mut file)?;
    Ok(file.into())
}

/// Allows reading only: the system's directories and those that belong to an installed program.
fn confinement_of(program: &Path) -> Result<CommandConfinement, String> {
    let directory = program.parent().unwrap_or(Path::new("/usr"));
    let beside = ["../lib", "../share/tessdata"].map(|name| directory.join(name).into());
    let readable = [OsString::from("/usr"), directory.into()];
    let trained = std::env::var_os(TRAINED_DATA_VARIABLE);
    let spool = OsString::from(SPOOL_DIRECTORY);
    let readable = readable
        .into_iter()
        .chain(beside)
        .chain(trained)
        .chain([spool]);
    CommandConfinement::prepare(&Confinement::resolve(&ConfinementBounds {
        readable: readable.filter(|place| Path::new(place).is_dir()).collect(),
        no_network: true,
        ..ConfinementBounds::default()
    })?)
}
