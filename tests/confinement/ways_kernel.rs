//! Ways by the kernel: mounts, namespaces, devices, and what only root may do.

use std::fs;
use std::os::unix::fs::FileTypeExt;

use crate::stage::{Stage, User};
use crate::ways::{closed, way};

/// What an ordinary user lacks on some machines.
const NAMESPACES: &str = "ordinary users get no namespaces here";

#[test]
fn nothing_is_mounted() {
    closed(&[
        way(
            "a directory outside, mounted on one in the root",
            "$ATTACK mount-over $OUT $ROOT/below $ROOT/below/secret",
        )
        .needs(NAMESPACES),
        way(
            "the same by a mount that is moved",
            "$ATTACK mount-and-move $OUT $ROOT/below $ROOT/below/secret",
        )
        .needs(NAMESPACES),
        way(
            "a copy of a mount that lies nowhere",
            "$ATTACK mount-a-copy $OUT secret",
        )
        .needs(NAMESPACES),
        way("a file system of its own", "$ATTACK make-a-file-system").needs(NAMESPACES),
        way("a mount that is taken away", "$ATTACK unmount")
            .as_root()
            .needs("nothing can be unmounted here"),
        way("another root for everything", "$ATTACK turn-root $ROOT").needs(NAMESPACES),
        way(
            "the same by the system's commands",
            "unshare -rm sh -c 'mount --bind $OUT $ROOT/below && cat $ROOT/below/secret'",
        )
        .needs(NAMESPACES),
    ]);
}

#[test]
fn a_namespace_of_its_own_gives_nothing() {
    closed(&[
        way(
            "root of a user namespace",
            "$ATTACK become-root-of-a-namespace $OUT/secret",
        )
        .needs(NAMESPACES),
        way("root by name, too", "unshare -r cat $OUT/secret").needs(NAMESPACES),
        way("another root directory", "$ATTACK change-root $OUT /secret").as_root(),
        way(
            "another root directory in a namespace",
            "unshare -r $ATTACK change-root $OUT /secret",
        )
        .needs(NAMESPACES),
    ]);
}

/// The first disk of this machine, if it has one.
fn with_disk(user: User) -> Stage {
    let is_disk = |entry: &fs::DirEntry| {
        let kind = entry.file_type();
        kind.is_ok_and(|kind| kind.is_block_device()) && fs::File::open(entry.path()).is_ok()
    };
    let entries = fs::read_dir("/dev").unwrap();
    let disk = entries.flatten().find(is_disk);
    let disk = disk.map_or("/nowhere".into(), |disk| disk.path());
    Stage::new(user).with("DISK", disk)
}

#[test]
fn devices_are_neither_made_nor_read() {
    closed(&[
        way(
            "a disk that is made",
            "$ATTACK make-device $ROOT/disk 7 block",
        )
        .as_root()
        .needs("no devices can be made here"),
        way(
            "memory that is made",
            "$ATTACK make-device $ROOT/memory 1 character",
        )
        .as_root()
        .needs("no devices can be made here"),
        way("a disk", "head -c 1 $DISK > /dev/null")
            .as_root()
            .on(with_disk)
            .needs("this machine has no disks"),
        way("the machine's memory", ": < /dev/mem")
            .as_root()
            .needs("there is no /dev/mem"),
        way("the kernel's memory", ": < /proc/kcore")
            .as_root()
            .needs("there is no /proc/kcore"),
        way("the kernel's log as a file", ": < /dev/kmsg")
            .as_root()
            .needs("there is no /dev/kmsg"),
        way("a file system in a program", ": <> /dev/fuse")
            .as_root()
            .needs("there is no /dev/fuse"),
        way("a list of devices", "ls /dev"),
    ]);
}

#[test]
fn root_has_no_power_over_the_machine() {
    closed(&[
        way("loading a module", "$ATTACK load-module")
            .as_root()
            .needs("no modules here"),
        way("unloading a module", "$ATTACK unload-module")
            .as_root()
            .needs("no modules here"),
        way("swapping to a file", "$ATTACK swap-on")
            .as_root()
            .only_within(),
        way("swapping no more", "$ATTACK swap-off")
            .as_root()
            .only_within(),
        way("starting anew", "$ATTACK reboot")
            .as_root()
            .only_within(),
        way("keeping accounts", "$ATTACK account")
            .as_root()
            .only_within(),
        way("the machine's name", "$ATTACK name-the-machine")
            .as_root()
            .needs("not even root may here"),
        way("the clock", "$ATTACK set-the-clock")
            .as_root()
            .only_within(),
        way("the kernel's log", "$ATTACK read-kernel-log")
            .as_root()
            .needs("not even root may here"),
        way("programs in the kernel", "$ATTACK program-the-kernel")
            .as_root()
            .needs("not even root may here"),
        way("what all processes do", "$ATTACK observe-everybody")
            .as_root()
            .needs("not even root may here"),
        way("the machine's ports", "$ATTACK use-ports")
            .as_root()
            .needs("there are no ports here"),
        way(
            "limits that are raised",
            "ulimit -Hc 0; $ATTACK raise-limits",
        )
        .as_root()
        .needs("not even root may here"),
        way("a place before all others", "$ATTACK go-first")
            .as_root()
            .needs("not even root may here"),
        way("the network's configuration", "$ATTACK configure-network")
            .as_root()
            .needs("not even root may here"),
        way("every file that is opened", "$ATTACK hear-everything")
            .as_root()
            .needs("not even root may here"),
        way(
            "powers that come back with another program",
            "grep -q 'CapEff:.*[1-9a-f]......$' /proc/self/status \
             || { echo not permitted; exit 1; }",
        )
        .as_root(),
    ]);
}
