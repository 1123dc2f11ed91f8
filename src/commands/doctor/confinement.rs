//! Confinement by this machine's kernel.

use crate::commands::doctor::{DoctorReport, GOOD, display_path};
use crate::console::color::painted;
use crate::console::sanitize;
use crate::sandbox::confinement::{self, Confinement, ConfinementBounds};

/// Openings that a newer ABI of Landlock closes, with the version of Linux that has it.
const CLOSED_LATER: [(i32, &str, &str); 4] = [
    (2, "5.19", "files cannot be moved between directories"),
    (3, "6.2", "files outside can be cut short"),
    (
        6,
        "6.12",
        "commands can signal processes outside, and reach abstract sockets",
    ),
    (
        9,
        "7.1",
        "sockets that are files can be reached, unless --no-network",
    ),
];

/// Reports the kernel's version of Landlock, and what the environment asks of it.
pub fn report(report: &mut DoctorReport) {
    report.heading("Confinement (--root, --read, --no-network)");
    let abi = confinement::abi();
    if abi == 0 {
        report.line("  none: this kernel has no Landlock");
        report.hint(
            "a call that is to be confined to directories is refused here, since the kernel cannot",
            "use Linux 5.13 or newer, with `landlock` among the modules in /sys/kernel/security/lsm",
        );
        return;
    }
    let has = painted(&format!("Landlock, ABI {abi}"), GOOD, report.colour);
    report.line(&format!("  {has}"));
    for (later, version, open) in CLOSED_LATER {
        if abi < later {
            report.line(&format!("  before ABI {later} (Linux {version}) {open}"));
        }
    }
    if let Some(bounds) = ConfinementBounds::of_environment() {
        asked_for(report, &bounds);
    }
}

/// Reports the bounds that the environment sets for hosts' calls.
fn asked_for(report: &mut DoctorReport, bounds: &ConfinementBounds) {
    let confinement = match Confinement::resolve(bounds) {
        Ok(confinement) => confinement,
        Err(reason) => {
            report.problem(
                format!(
                    "every confined call is refused: {}",
                    sanitize::for_line(&reason)
                ),
                format!(
                    "unset {}; export {}=\"$PWD\"",
                    confinement::READ,
                    confinement::ROOTS
                ),
            );
            return;
        }
    };
    let places = [
        (confinement::ROOTS, confinement.roots().directories()),
        (confinement::READ, confinement.extra_readable()),
    ];
    for (variable, places) in places {
        for place in places {
            report.line(&format!("  {variable:<24} {}", display_path(place)));
        }
    }
    if !confinement.has_network() {
        report.line(&format!("  {:<24} no network", confinement::NO_NETWORK));
    }
}
