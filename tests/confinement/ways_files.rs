//! Ways to files outside, by their names and without.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use crate::common::{copy_program, is_root, skip};
use crate::stage::{Door, Stage, User, abi};
use crate::ways::{Way, closed, open, open_where_shown, way};

#[test]
fn what_is_outside_is_not_read() {
    closed(&[
        way("a file by its name", "cat $OUT/secret"),
        way("a list of names", "ls $OUT"),
        way("names by wildcards", "cat $OUT/s*t").says("s*t': No such file"),
        way("a file from a directory outside", "cd $OUT && cat secret"),
        way("a file by a name with dots", "cat ../outside/secret"),
        way(
            "a file by many dots",
            "cat ../../../../../../../../..$OUT/secret",
        ),
        way("a file as a shell's script", ". $OUT/secret; test $? = 127"),
        way("a file by bare system calls", "$ATTACK read $OUT/secret"),
        way("a file by openat2", "$ATTACK read-by-openat2 $OUT/secret"),
        way(
            "a place, and a file from there",
            "$ATTACK enter-and-read $OUT secret",
        ),
        way(
            "a descriptor of a place, opened anew",
            "$ATTACK reopen $OUT/secret",
        ),
        way(
            "a file by its number",
            "$ATTACK read-by-handle $OUT/secret $ROOT",
        )
        .as_root(),
        way("a file by io_uring", "$ATTACK ring-read $OUT/secret")
            .needs("io_uring is not to be had"),
        way(
            "a file by a call of 32 bits",
            "$ATTACK read-as-32-bits $OUT/secret",
        )
        .needs("no programs of 32 bits run here"),
        way(
            "a file by a program in memory",
            "$ATTACK execute-from-memory /bin/cat $OUT/secret",
        ),
        way("a home directory", "ls $HOME"),
        way(
            "the directory for everybody's temporary files",
            "ls $(dirname $(dirname $OUT))",
        ),
        way("what is kept of other calls' output", "ls $XDG_STATE_HOME"),
    ]);
}

#[test]
fn what_is_outside_is_not_changed() {
    closed(&[
        way("a file's content", "echo x > $OUT/secret"),
        way("the end of a file", "echo x >> $OUT/secret"),
        way("a new file", "echo x > $OUT/new"),
        way("a new file without a name", "$ATTACK make-nameless $OUT")
            .needs("this file system makes no files without a name"),
        way("a new directory", "mkdir $OUT/new"),
        way("a new link", "ln -s x $OUT/new"),
        way("a new pipe", "mkfifo $OUT/new"),
        way(
            "a new socket",
            "perl -MSocket -e 'socket S,AF_UNIX,SOCK_STREAM,0; \
             bind S,pack_sockaddr_un(\"$ENV{OUT}/new\") or die \"$!\\n\"'",
        ),
        way("a file that goes", "rm $OUT/secret"),
        way("a directory that goes", "rm -r $OUT/below"),
        way("a file that is renamed", "mv $OUT/secret $OUT/other"),
        way("a file that is cut by its name", "$ATTACK cut $OUT/secret"),
        way(
            "a file that is cut when it is opened",
            "$ATTACK cut-by-opening $OUT/secret",
        ),
        way("a core in a directory outside", "$ATTACK leave-a-core $OUT")
            .says("no core was written")
            .needs("cores are not written as files here"),
    ]);
}

#[test]
fn nothing_is_moved_across_the_bounds() {
    closed(&[
        way(
            "a file that is moved out",
            "$ATTACK rename $ROOT/inside $OUT/new 0",
        ),
        way(
            "a directory that is moved out",
            "$ATTACK rename $ROOT/below $OUT/new 0",
        ),
        way(
            "a file that is moved in",
            "$ATTACK rename $OUT/secret $ROOT/new 0",
        ),
        way(
            "a directory that is moved in",
            "$ATTACK rename $OUT/below $ROOT/new 0",
        ),
        way(
            "files that are exchanged",
            "$ATTACK rename $OUT/secret $ROOT/inside 2",
        ),
        way(
            "directories that are exchanged",
            "$ATTACK rename $ROOT/below $OUT/below 2",
        ),
        way(
            "one moved over another",
            "$ATTACK rename $ROOT/inside $OUT/secret 0",
        ),
        way("the root itself, moved", "$ATTACK rename $ROOT $OUT/root 0"),
        way("the root itself, removed", "rm -r $ROOT/* && rmdir $ROOT"),
        way(
            "another directory in the root's place",
            "$ATTACK rename $OUT $ROOT 2",
        ),
    ]);
}

#[test]
fn what_may_be_read_is_not_changed() {
    closed(&[
        way("its content", "echo x > $READABLE/fixed"),
        way("a new file", "echo x > $READABLE/new"),
        way("a file that goes", "rm $READABLE/fixed"),
        way(
            "a file that is moved there",
            "$ATTACK rename $ROOT/inside $READABLE/new 0",
        ),
        way(
            "a file that is moved from there",
            "$ATTACK rename $READABLE/fixed $ROOT/new 0",
        ),
        way(
            "a second name in the root",
            "ln $READABLE/fixed $ROOT/new && echo x > $ROOT/new",
        ),
        way("the attacker's own program", "echo x > $TOOLS/new").as_root(),
    ]);
}

#[test]
fn the_system_is_not_changed() {
    closed(&[
        way(
            "a program of everybody's",
            ": > /usr/bin/ikigai-ways && rm /usr/bin/ikigai-ways",
        )
        .as_root(),
        way(
            "a configuration",
            ": > /etc/ikigai-ways && rm /etc/ikigai-ways",
        )
        .as_root(),
        way(
            "a setting of the kernel's",
            "cat /proc/sys/kernel/hostname > /proc/sys/kernel/hostname",
        )
        .as_root()
        .needs("the kernel's settings are not shown"),
        way("the kernel's last resort", ": > /proc/sysrq-trigger")
            .as_root()
            .needs("there is no /proc/sysrq-trigger"),
        way(
            "a setting of a device's",
            ": >> /sys/kernel/mm/transparent_hugepage/enabled",
        )
        .as_root()
        .needs("there is no such setting"),
        way(
            "a group of processes",
            ": >> $(find /sys/fs/cgroup -name cgroup.procs | head -1)",
        )
        .as_root()
        .needs("there are no groups of processes"),
        way(
            "a program of everybody's, by a second name",
            "ln $(readlink -f /usr/bin/env) a && : >> a",
        )
        .as_root()
        .needs("programs lie in another file system"),
        way(
            "one's own standing with the kernel",
            "echo 1 > /proc/self/oom_score_adj",
        ),
    ]);
}

#[test]
fn no_program_from_outside_is_run() {
    closed(&[
        to_program("a script", "$OUT/program"),
        to_program("a program", "$OUT/true"),
        to_program("a script that is given to a shell", "sh $OUT/program"),
        to_program(
            "a program that is given to the loader",
            "$(ls /lib64/ld-linux* /lib/ld-linux* 2>/dev/null | head -1) $OUT/true",
        ),
        to_program(
            "a program by a descriptor",
            "$ATTACK execute-a-descriptor $OUT/true",
        ),
        to_program(
            "a library in a program of the system",
            "LD_PRELOAD=$OUT/library.so cat /proc/self/maps | grep $OUT/library.so",
        )
        .says("cannot be preloaded"),
        to_program(
            "a library that is copied first",
            "cp $OUT/library.so $ROOT/ && LD_PRELOAD=$ROOT/library.so true",
        ),
    ]);
}

const fn to_program(what: &'static str, command: &'static str) -> Way {
    way(what, command).on(|user| Stage::new(user).with_programs())
}

#[test]
fn a_setuid_program_gives_nothing() {
    if !is_root() {
        skip("only root can make such a program");
        return;
    }
    closed(&[way(
        "root, by a program that is root's",
        "id=$($ROOT/id -u); test $id = 0 || { echo not permitted: $id; exit 1; }",
    )
    .as_ordinary_user()
    .on(|user| {
        let stage = Stage::new(user);
        let program = stage.path("root/id");
        copy_program(Path::new("/usr/bin/id"), &program);
        fs::set_permissions(program, Permissions::from_mode(0o4755)).unwrap();
        stage
    })
    .needs("programs that are another user's are not run as that user")]);
}

#[test]
fn names_and_what_is_known_of_files_outside_can_be_asked_for() {
    open(&[
        way(
            "whether a file is there",
            "test -e $OUT/secret && ! test -e $OUT/nothing",
        ),
        way("its size, owner and times", "stat $OUT/secret"),
        way("where a link leads", "readlink $OUT/link"),
        way("a directory that is entered", "cd $OUT"),
        way("how full a file system is", "stat -f $OUT"),
    ]);
}

#[test]
fn names_that_come_up_outside_can_be_watched() {
    open(&[
        way("by inotify", "$ATTACK watch $OUT"),
        way("by fanotify", "$ATTACK watch-all $OUT").needs("fanotify is not for ordinary users"),
    ]);
}

#[test]
fn modes_times_and_attributes_outside_can_be_changed() {
    open(&[
        way("a mode", "chmod 600 $OUT/secret"),
        way("an owner, to the same", "chown $(id -u) $OUT/secret"),
        way("the times", "$ATTACK set-times $OUT/secret"),
        way(
            "an attribute",
            "$ATTACK set-attribute $OUT/secret && $ATTACK get-attribute $OUT/secret",
        )
        .needs("this file system has no attributes of users"),
        way(
            "a flag of what may be read",
            "$ATTACK set-flag $READABLE/fixed",
        )
        .needs("this file system has no flags"),
    ]);
}

/// Attributes belong to a file beside its content, and are asked for by its name.
#[test]
fn values_of_attributes_outside_can_be_read() {
    open(&[way("an attribute", "$ATTACK get-attribute $OUT/secret")
        .on(|user| {
            let stage = Stage::new(user);
            stage.run(Door::Host, None, "$ATTACK set-attribute $OUT/secret");
            stage
        })
        .needs("this file system has no attributes of users")]);
}

#[test]
fn what_may_be_read_can_be_locked() {
    open(&[
        way("a file of the system", "$ATTACK lock /etc/passwd"),
        way("a file", "$ATTACK lock $READABLE/fixed"),
        way("a file, by a lease", "$ATTACK lease $READABLE/fixed"),
        way("a directory, to be told of", "$ATTACK be-told $READABLE"),
    ]);
}

#[test]
fn files_in_shared_memory_are_everybody_s() {
    open(&[way(
        "a file of another process's",
        "cat $IN_SHM && echo x > $IN_SHM",
    )
    .on(|user| Stage::new(user).with_outsider())]);
}

#[test]
fn the_system_s_files_are_read_with_the_user_s_own_rights() {
    open(&[
        way("the list of users", "cat /etc/passwd"),
        way("what is called what in /etc", "ls /etc"),
        way("what root alone may read in /sys", "cat $FOR_ROOT")
            .as_root()
            .on(|user| Stage::new(user).with("FOR_ROOT", for_root_in("/sys/class/dmi/id")))
            .needs("there is nothing of that kind"),
    ]);
    open_where_shown(&[way(
        "what other processes were started with",
        "cat /proc/$OUTSIDER/cmdline",
    )
    .on(|user| Stage::new(user).with_outsider())]);
}

/// The files below a directory that only root may read, one after the other.
fn for_root_in(directory: &str) -> String {
    let found = Command::new("find")
        .args([
            directory, "-type", "f", "!", "-perm", "-o=r", "-size", "-1024k",
        ])
        .output()
        .unwrap();
    String::from_utf8(found.stdout).unwrap().replace('\n', " ")
}

/// Passwords, keys, and whatever else of the machine's configuration is root's alone.
#[test]
fn what_root_alone_may_read_in_etc_is_not_read() {
    let all = |user| Stage::new(user).with("FOR_ROOT", for_root_in("/etc"));
    closed(&[
        way("passwords", "cat /etc/shadow")
            .as_root()
            .needs("there is no /etc/shadow"),
        way("passwords as they were", "cat /etc/shadow-")
            .as_root()
            .needs("there is no /etc/shadow-"),
        way("passwords of groups", "cat /etc/gshadow")
            .as_root()
            .needs("there is no /etc/gshadow"),
        way("keys of ssh's server", "cat /etc/ssh/*_key")
            .as_root()
            .needs("there are no such keys"),
        way("keys of TLS", "cat /etc/ssl/private/*")
            .as_root()
            .needs("there are no such keys"),
        way(
            "each file that others may not read",
            "set -- $FOR_ROOT; test $# -gt 0 || exit 1
             for file do cat $file > /dev/null && exit 0; done; exit 1",
        )
        .as_root()
        .on(all)
        .needs("there is no such file"),
        way(
            "the same by a descriptor of a place",
            "for file in $FOR_ROOT; do $ATTACK reopen $file && exit 0; done; exit 1",
        )
        .as_root()
        .on(all)
        .needs("there is no such file"),
        way(
            "the same by another root directory in /proc",
            "for file in $FOR_ROOT; do cat /proc/self/root$file && exit 0; done; exit 1",
        )
        .as_root()
        .on(all)
        .needs("there is no such file"),
    ]);
}

/// Root reads there what programs read, as everybody does.
#[test]
fn what_programs_read_in_etc_is_read_by_everybody() {
    if abi().is_none() {
        return;
    }
    for user in User::all() {
        let stage = Stage::new(user);
        let script = "cd /etc; for file in passwd group hosts nsswitch.conf services shells \
             ld.so.cache profile ssl/openssl.cnf ssl/certs/* ssh/ssh_config fonts/fonts.conf \
             python3*/*; do test ! -f $file || cat $file > /dev/null || exit 1; done";
        let said = stage.run(Door::Host, Some(&stage.bounds()), script);
        assert_eq!(said.code, Some(0), "{user:?}: {said:?}");
    }
}
