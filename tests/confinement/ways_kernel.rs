//! Ways by the kernel: mounts, namespaces, devices, and what only root may do.

use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt};

use crate::common::skip;
use crate::stage::{Door, Stage, User, abi};
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
        way(
            "a file system that writes into directories outside",
            "$ATTACK lay-over $ROOT $OUT/below $OUT/beside",
        )
        .as_root()
        .needs("no file systems are laid over others here"),
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

/// An overlay takes such a device for the mark of a removed file; it leads to no driver.
#[test]
fn a_renamed_file_can_leave_a_device_that_nothing_opens() {
    if abi().is_none() {
        return;
    }
    for user in User::all() {
        let stage = Stage::new(user);
        let script =
            "$ATTACK rename inside moved 4 && test -c inside && ! cat inside && ! (: >inside)";
        let said = stage.run(Door::Host, Some(&stage.bounds()), script);
        if said.text.contains("Invalid argument") {
            return skip("this file system leaves no marks of removed files");
        }
        assert_eq!(said.code, Some(0), "{said:?}");
        let left = fs::metadata(stage.path("root/inside")).unwrap();
        assert_eq!(left.rdev(), 0);
    }
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

/// Requests of `ioctl(2)` that file systems answer on a descriptor for reading.
const OF_FILE_SYSTEMS: &[(u64, &str)] = &[
    // Making and removing.
    (0x5000_940e, "BTRFS_IOC_SUBVOL_CREATE"),
    (0x5000_9418, "BTRFS_IOC_SUBVOL_CREATE_V2"),
    (0x5000_9401, "BTRFS_IOC_SNAP_CREATE"),
    (0x5000_9417, "BTRFS_IOC_SNAP_CREATE_V2"),
    (0x5000_940f, "BTRFS_IOC_SNAP_DESTROY"),
    (0x5000_943f, "BTRFS_IOC_SNAP_DESTROY_V2"),
    (0x4018_6f04, "OCFS2_IOC_REFLINK"),
    (0x4020_bc10, "BCH_IOCTL_SUBVOLUME_CREATE"),
    (0x4020_bc11, "BCH_IOCTL_SUBVOLUME_DESTROY"),
    // Letting a file be written, or never again.
    (0x4008_941a, "BTRFS_IOC_SUBVOL_SETFLAGS"),
    (0xc0c8_9425, "BTRFS_IOC_SET_RECEIVED_SUBVOL"),
    (0xc0c0_9425, "BTRFS_IOC_SET_RECEIVED_SUBVOL_32"),
    (0x4080_6685, "FS_IOC_ENABLE_VERITY"),
    (0x4008_7602, "FS_IOC_SETVERSION"),
    (0x4004_7211, "FAT_IOCTL_SET_ATTRIBUTES"),
    (0xc018_cf07, "CIFS_QUERY_INFO"),
    (0x4040_9702, "CEPH_IOC_SET_LAYOUT"),
    // Keys.
    (0xc050_6617, "FS_IOC_ADD_ENCRYPTION_KEY"),
    (0xc040_6618, "FS_IOC_REMOVE_ENCRYPTION_KEY"),
    (0xc040_6619, "FS_IOC_REMOVE_ENCRYPTION_KEY_ALL_USERS"),
    (0x800c_6613, "FS_IOC_SET_ENCRYPTION_POLICY"),
    (0x4010_6614, "FS_IOC_GET_ENCRYPTION_PWSALT"),
    // Names and content outside.
    (0xd000_9411, "BTRFS_IOC_TREE_SEARCH"),
    (0xc070_9411, "BTRFS_IOC_TREE_SEARCH_V2"),
    (0xd000_9412, "BTRFS_IOC_INO_LOOKUP"),
    (0xd000_943e, "BTRFS_IOC_INO_LOOKUP_USER"),
    (0x4048_9426, "BTRFS_IOC_SEND"),
    (0x8080_9440, "BTRFS_IOC_ENCODED_READ"),
    // Moving content.
    (0x5000_9402, "BTRFS_IOC_DEFRAG"),
    (0x4030_9410, "BTRFS_IOC_DEFRAG_RANGE"),
    (0xc028_660f, "EXT4_IOC_MOVE_EXT"),
    (0x0000_6609, "EXT4_IOC_MIGRATE"),
    (0x0000_660c, "EXT4_IOC_ALLOC_DA_BLKS"),
    (0x0000_6611, "EXT4_IOC_SWAP_BOOT"),
    (0xc0c0_586d, "XFS_IOC_SWAPEXT"),
    (0x4028_5881, "XFS_IOC_EXCHANGE_RANGE"),
    (0x0000_f501, "F2FS_IOC_START_ATOMIC_WRITE"),
    (0xc020_f509, "F2FS_IOC_MOVE_RANGE"),
    (0x4004_f506, "F2FS_IOC_GARBAGE_COLLECT"),
    // The file system as a whole.
    (0x5000_9403, "BTRFS_IOC_RESIZE"),
    (0x5000_940c, "BTRFS_IOC_BALANCE"),
    (0x4008_9413, "BTRFS_IOC_DEFAULT_SUBVOL"),
    (0x8030_942b, "BTRFS_IOC_QGROUP_LIMIT"),
    (0x4100_9432, "FS_IOC_SETFSLABEL"),
    (0x4008_6610, "EXT4_IOC_RESIZE_FS"),
    (0x4004_662b, "EXT4_IOC_CHECKPOINT"),
    (0x4010_662d, "EXT4_IOC_SETFSUUID"),
    (0xc004_5877, "FIFREEZE"),
    (0xc004_5878, "FITHAW"),
    (0xc018_5879, "FITRIM"),
    (0x8004_587d, "FS_IOC_SHUTDOWN"),
    (0x0000_6e8a, "NILFS_IOCTL_SYNC"),
];

/// Requests that programs make.
const OF_PROGRAMS: &[(u64, &str)] = &[
    (0x4004_9409, "FICLONE"),
    (0x4020_940d, "FICLONERANGE"),
    (0xc018_9436, "FIDEDUPERANGE"),
    (0x8008_6601, "FS_IOC_GETFLAGS"),
    (0x8008_7601, "FS_IOC_GETVERSION"),
    (0xc020_660b, "FS_IOC_FIEMAP"),
    (0x801c_581f, "FS_IOC_FSGETXATTR"),
    (0xc009_6616, "FS_IOC_GET_ENCRYPTION_POLICY_EX"),
    (0xc004_6686, "FS_IOC_MEASURE_VERITY"),
    (0xc068_6611, "PROCMAP_QUERY"),
    (0x0000_0002, "FIGETBSZ"),
    (0x0000_541b, "FIONREAD"),
    (0x0000_5401, "TCGETS"),
    (0x0000_5413, "TIOCGWINSZ"),
    (0x0000_5421, "FIONBIO"),
    (0x0000_5450, "FIONCLEX"),
];

/// The error number that answers each request, in a root and in what may be read.
fn answers(user: User, attack: &str, requests: &[(u64, &str)]) -> Vec<(String, i32)> {
    let stage = Stage::new(user);
    let numbers: Vec<String> = requests.iter().map(|(it, _)| format!("{it:x}")).collect();
    let numbers = numbers.join(",");
    let mut answers = Vec::new();
    for place in ["$ROOT", "$ROOT/inside", "$READABLE", "$READABLE/fixed"] {
        let script = format!("$ATTACK {attack} {place} {numbers}");
        let said = stage.run(Door::Host, Some(&stage.bounds()), &script);
        assert_eq!(said.code, Some(0), "{said:?}");
        for (line, (_, name)) in said.text.lines().zip(requests) {
            let (_, code) = line.split_once(' ').unwrap();
            answers.push((
                format!("{name} of {place}, {user:?}"),
                code.parse().unwrap(),
            ));
        }
    }
    assert_eq!(answers.len(), 4 * requests.len());
    answers
}

/// On whatever file system the tests run, the filter answers before it.
#[test]
fn what_file_systems_do_by_numbers_of_their_own_is_refused() {
    if abi().is_none() {
        return;
    }
    let with_more_bits: Vec<_> = OF_FILE_SYSTEMS
        .iter()
        .map(|(number, name)| (number | 1 << 32, *name))
        .collect();
    for user in User::all() {
        for requests in [OF_FILE_SYSTEMS, &with_more_bits] {
            for (what, code) in answers(user, "ask-for", requests) {
                assert_eq!(code, libc::EPERM, "{what}");
            }
        }
    }
}

#[test]
fn a_request_by_the_x32_abi_is_refused_by_the_filter() {
    if abi().is_none() || cfg!(not(target_arch = "x86_64")) {
        return;
    }
    for user in User::all() {
        for (what, code) in answers(user, "ask-as-x32", OF_FILE_SYSTEMS) {
            assert_eq!(code, libc::EPERM, "{what}");
        }
    }
}

#[test]
fn what_programs_ask_of_file_systems_they_are_answered() {
    if abi().is_none() {
        return;
    }
    for user in User::all() {
        for (what, code) in answers(user, "ask-for", OF_PROGRAMS) {
            assert!(
                code != libc::EPERM && code != libc::EACCES,
                "{what}: {code}"
            );
        }
    }
}

/// The group in which it starts a process is given in memory, where no filter reads.
#[test]
fn no_process_is_started_by_clone3() {
    const MISSING: &str = "not implemented";
    closed(&[
        way("a process", "$ATTACK start-by-clone3")
            .says(MISSING)
            .needs("this kernel has no clone3"),
        way(
            "a process in the group of all",
            "$ATTACK leave-the-group $(find /sys/fs/cgroup -name cgroup.procs -printf %h -quit)",
        )
        .as_root()
        .says(MISSING)
        .needs("there are no groups of processes"),
    ]);
}

/// C libraries start them otherwise where it is missing.
#[test]
fn threads_and_processes_are_started_nevertheless() {
    if abi().is_none() {
        return;
    }
    let python = "import os, subprocess, threading\n\
         thread = threading.Thread(target=print, args=('thread',), kwargs={'flush': True})\n\
         thread.start(); thread.join()\n\
         print(subprocess.run(['echo', 'run'], capture_output=True, text=True).stdout, end='')\n\
         os.waitpid(os.posix_spawn('/bin/echo', ['echo', 'spawned'], os.environ), 0)\n";
    for user in User::all() {
        let stage = Stage::new(user);
        let fork = "perl -e 'if (fork) { wait } else { print \"forked\\n\" }'";
        let said = stage.run(Door::Host, Some(&stage.bounds()), fork);
        assert_eq!(said.text, "forked", "{said:?}");
        fs::write(stage.path("root/start.py"), python).unwrap();
        let script = "command -v python3 >/dev/null || exit 99; python3 -u start.py";
        let said = stage.run(Door::Host, Some(&stage.bounds()), script);
        if said.code == Some(99) {
            skip("python3 is missing");
            continue;
        }
        assert_eq!(said.text, "thread\nrun\nspawned", "{said:?}");
    }
}
