//! Confinement by this machine's kernel.

use super::{DoctorReport, GOOD, PLAIN};
use iki_base::console::sanitize::{display_path, for_line};
use iki_process::sandbox::confinement::{self, Confinement, ConfinementBounds};

/// Openings that a newer ABI of Landlock closes, with the version of Linux that has it.
const CLOSED_LATER: [(i32, &str, &str); 4] = [
    (2, "5.19", "files cannot be moved between directories"),
    (3, "6.2", "files outside can be cut short"),
    (6, "6.12", "signals and abstract sockets go outside"),
    (9, "7.1", "sockets that are files can be reached"),
];

/// Reports the kernel's version of Landlock, and what the environment asks of it.
pub fn report(report: &mut DoctorReport) {
    report.heading("Confinement (--root, --read, --no-network)");
    let abi = confinement::abi();
    if abi == 0 {
        report.line("  none: this kernel has no Landlock");
        report.hint(
            "a call that is to be confined to directories is refused here, since the kernel cannot",
            "use Linux 5.13 or newer, with `landlock` among the modules in \
             /sys/kernel/security/lsm",
        );
        return;
    }
    report.row("kernel", GOOD, &format!("Landlock, ABI {abi}"));
    for (later, version, open) in CLOSED_LATER {
        if abi < later {
            report.line(&format!("  before ABI {later} (Linux {version}) {open}"));
        }
    }
    let Some(bounds) = ConfinementBounds::of_environment() else {
        return;
    };
    match Confinement::resolve(&bounds) {
        Err(reason) => report.problem(
            format!("every confined call is refused: {}", for_line(&reason)),
            format!(
                "unset {}; export {}=\"$PWD\"",
                confinement::READ,
                confinement::ROOTS
            ),
        ),
        Ok(confinement) => {
            for root in confinement.roots().directories() {
                report.row(confinement::ROOTS, PLAIN, &display_path(root));
            }
            for directory in confinement.extra_readable() {
                report.row(confinement::READ, PLAIN, &display_path(directory));
            }
            if !confinement.has_network() {
                report.row(confinement::NO_NETWORK, PLAIN, "no network");
            }
        }
    }
}
