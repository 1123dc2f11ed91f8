//! One run of the browser: under a watchdog, in an environment and a directory of its own, with
//! limits on its time, memory and output.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::fs::{Mode, OFlags, open};

use iki_process::sandbox::confinement;
use iki_process::sandbox::launch::ProgramLaunch;
use iki_process::sandbox::scratch::ScratchDirectory;
use iki_process::sandbox::watchdog::{StderrTarget, Watchdog};
use iki_process::shell::{ProgramError, ProgramOutput, read_output};

/// Largest page, in bytes.
pub const MAX_HTML: usize = 10 * 1024 * 1024;
/// Maximum memory for data that each of the browser's processes may have, in bytes.
pub const MAX_DATA_BYTES: u64 = 2 * 1024 * 1024 * 1024;
/// Maximum wait for the end of all its processes.
const STOP_TIMEOUT: Duration = Duration::from_secs(2);

/// End of the output if a whole document was printed.
const HTML_END: &[u8] = b"</html>\n";
/// Maximum wait for the browser's exit after that: usually it ends soon, but with a download under
/// way it takes its time.
const EXIT_TIMEOUT: Duration = Duration::from_millis(200);

/// Returns the variables with paths that confined calls can change, without these paths.
fn variables_out_of_reach() -> Vec<(OsString, OsString)> {
    if confinement::current().is_none() {
        return Vec::new();
    }
    let passed = std::env::vars_os().filter(|(name, _)| !is_withheld(name));
    let changed = passed.filter_map(|(name, value)| {
        let entries = value.as_bytes().split(|byte| *byte == b':');
        let variables: Vec<&[u8]> = entries
            .filter(|entry| {
                let place = Path::new(OsStr::from_bytes(entry));
                // Relative paths start at the call's directory, which may be in a root.
                let plain = !entry.contains(&b'/')
                    && !PATH_LIST_VARIABLES.contains(&&*name.to_string_lossy());
                plain || (place.is_absolute() && confinement::is_out_of_reach(place))
            })
            .collect();
        let variables = OsString::from_vec(variables.join(&b':'));
        (variables != value).then_some((name, variables))
    });
    changed.collect()
}

/// Runs `program` with `arguments` until `end` at the latest. Returns its output and its exit code.
/// `scratch` exists while it runs, as its home and for all its temporary files.
pub fn run(
    program: &Path,
    arguments: impl Iterator<Item = OsString>,
    scratch: &Arc<ScratchDirectory>,
    end: Instant,
) -> Result<ProgramOutput, ProgramError> {
    let program = program.as_os_str();
    let arguments: Vec<OsString> = arguments.collect();
    let all = std::iter::once(program).chain(arguments.iter().map(OsString::as_os_str));
    let changed = variables_out_of_reach();
    let withheld =
        |name: &OsStr| is_withheld(name) || changed.iter().any(|(changed, _)| changed == name);
    let mut launch = ProgramLaunch::prepare(program, all, withheld)?;
    for (name, value) in changed
        .iter()
        .filter_map(|(name, value)| Some((name.to_str()?, value)))
    {
        launch = launch.with(name, value)?;
    }
    for name in DIRECTORIES.split(' ') {
        launch = launch.with(name, scratch.path())?;
    }
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    launch.directory = Some(open(c"/", flags, Mode::empty())?);
    launch.scratch = Some(Arc::clone(scratch));
    launch.data = Some(MAX_DATA_BYTES);
    let (mut watchdog, output) = Watchdog::start(launch, StderrTarget::Nowhere)?;
    let whole = Some((HTML_END, EXIT_TIMEOUT));
    let read = read_output(&mut watchdog, output, end, MAX_HTML, whole);
    // Without a delay, because it has nothing to clean up.
    watchdog.ask_to_end(Duration::ZERO);
    watchdog.stop(Instant::now() + STOP_TIMEOUT);
    // The watchdog has done this, unless it was killed.
    scratch.remove();
    read
}

/// The variables that name directories for files, all of which are set to the scratch directory.
const DIRECTORIES: &str =
    "HOME TMPDIR XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME XDG_RUNTIME_DIR XDG_STATE_HOME";

/// The variables that the browser gets: for finding programs, libraries and fonts, and for writing
/// dates. Others are withheld, among them keys, proxies and the address of the user's session.
const PASSED_VARIABLES: &str = "CHROME_DEVEL_SANDBOX FONTCONFIG_FILE FONTCONFIG_PATH \
                                FONTCONFIG_SYSROOT LANG LANGUAGE LD_LIBRARY_PATH LOGNAME NIX_LD \
                                PATH TZ USER XDG_DATA_DIRS";

/// Variables that are lists of directories.
const PATH_LIST_VARIABLES: [&str; 3] = ["PATH", "LD_LIBRARY_PATH", "XDG_DATA_DIRS"];

fn is_withheld(name: &OsStr) -> bool {
    !name.to_str().is_some_and(|name| {
        PASSED_VARIABLES.split(' ').any(|one| one == name)
            || name.starts_with("LC_")
            || name.starts_with("NIX_LD_")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_known_to_be_harmless_is_passed_on() {
        for name in ["PATH", "LANG", "LC_ALL", "TZ"] {
            assert!(!is_withheld(OsStr::new(name)), "{name}");
        }
        for name in [
            "BRAVE_API_KEY",
            "HOME",
            "http_proxy",
            "CHROMIUM_FLAGS",
            "DBUS_SESSION_BUS_ADDRESS",
            "DISPLAY",
            "LD_PRELOAD",
            "",
        ] {
            assert!(is_withheld(OsStr::new(name)), "{name}");
        }
    }
}
