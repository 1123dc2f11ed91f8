//! Lines that programs wrote when they were refused something within directories.

use super::*;

/// What a command's output claims, each with its name.
fn claims(output: &str, offline: bool) -> Vec<(Want, String)> {
    let mut watcher = Watcher::new(offline);
    watcher.watch(output.as_bytes());
    let claims = watcher.finish().into_iter();
    let name = |claim: Claim| (claim.want, String::from_utf8(claim.name).unwrap());
    claims.map(name).collect()
}

#[track_caller]
fn claim(output: &str, want: Want, names: &[&str]) {
    let names: Vec<(Want, String)> = names.iter().map(|name| (want, (*name).into())).collect();
    assert_eq!(claims(output, false), names, "{output}");
}

const OF_SHELLS: &[(&str, Want, &str)] = &[
    (
        "sh: 1: cannot create /o/y: Permission denied",
        Want::Write,
        "/o/y",
    ),
    (
        "/bin/sh: 1: cannot create /o/mk: Permission denied",
        Want::Write,
        "/o/mk",
    ),
    (
        "sh: 1: cannot create /o/with blank: Permission denied",
        Want::Write,
        "/o/with blank",
    ),
    (
        "sh: 12: cannot create y: Permission denied",
        Want::Write,
        "y",
    ),
    (
        "sh: 1: cannot open /o/secret: Permission denied",
        Want::Read,
        "/o/secret",
    ),
    (
        "sh: 1: .: cannot open /o/secret: Permission denied",
        Want::Read,
        "/o/secret",
    ),
    (
        "sh: 0: cannot open /o/secret: Permission denied",
        Want::Read,
        "/o/secret",
    ),
    ("sh: 1: cargo: Permission denied", Want::Execute, "cargo"),
    (
        "sh: 1: exec: cargo: Permission denied",
        Want::Execute,
        "cargo",
    ),
    (
        "sh: 1: exec: /o/prog: Permission denied",
        Want::Execute,
        "/o/prog",
    ),
    (
        "sh: 1: /root/.cargo/bin/cargo: Permission denied",
        Want::Execute,
        "/root/.cargo/bin/cargo",
    ),
    (
        "sh: 1: ./script: Permission denied",
        Want::Execute,
        "./script",
    ),
    (
        "bash: line 1: /o/y: Permission denied",
        Want::Something,
        "/o/y",
    ),
    (
        "./b.sh: line 2: /root/.cargo/bin/cargo: Permission denied",
        Want::Something,
        "/root/.cargo/bin/cargo",
    ),
    (
        "bash: /o/secret: Permission denied",
        Want::Something,
        "/o/secret",
    ),
    (
        "bash: line 1: ./noexec: Permission denied",
        Want::Something,
        "./noexec",
    ),
    ("zsh:1: permission denied: /o/y", Want::Something, "/o/y"),
    ("zsh:1: permission denied: cargo", Want::Execute, "cargo"),
    (
        "zsh:source:1: permission denied: /o/secret",
        Want::Something,
        "/o/secret",
    ),
    (
        "zsh: can't open input file: /o/secret",
        Want::Read,
        "/o/secret",
    ),
    (
        "sh: can't create /o/y: Permission denied",
        Want::Write,
        "/o/y",
    ),
    ("sh: cargo: Permission denied", Want::Something, "cargo"),
    (
        "ksh: /o/y: cannot create [Permission denied]",
        Want::Write,
        "/o/y",
    ),
    (
        "ksh: cargo: cannot execute [Permission denied]",
        Want::Execute,
        "cargo",
    ),
    (
        "exec: Failed to execute process '/root/.cargo/bin/cargo': The file could not be accessed.",
        Want::Execute,
        "/root/.cargo/bin/cargo",
    ),
    (
        "warning: An error occurred while redirecting file '/o/y'\nopen: Permission denied",
        Want::Write,
        "/o/y",
    ),
    (
        "bash: the command was not run: /o/bash may not be run (IKIGAI_SHELL names that shell; unset, it is /bin/sh)",
        Want::Execute,
        "/o/bash",
    ),
    ("cat: '/o/*': No such file or directory", Want::Read, "/o"),
    (
        "ls: cannot access '/o/sub/*.rs': No such file or directory",
        Want::Read,
        "/o/sub",
    ),
    ("zsh:1: no matches found: /o/*", Want::Read, "/o"),
    ("sh: 1: /o/*/bin/python: not found", Want::Read, "/o"),
];

#[test]
fn shells_tell_what_they_opened_and_what_they_ran() {
    for (line, want, name) in OF_SHELLS {
        claim(line, *want, &[name]);
    }
}

const OF_THE_SYSTEM: &[(&str, Want, &[&str])] = &[
    (
        "cat: /o/secret: Permission denied",
        Want::Read,
        &["/o/secret"],
    ),
    (
        "cat: '/o/new'$'\\n''line': Permission denied",
        Want::Read,
        &["/o/new\nline"],
    ),
    (
        "cat: \"/o/it's\": Permission denied",
        Want::Read,
        &["/o/it's"],
    ),
    (
        "cat: '/o/with blank': Permission denied",
        Want::Read,
        &["/o/with blank"],
    ),
    (
        "cat: linkfile: Permission denied",
        Want::Read,
        &["linkfile"],
    ),
    (
        "ls: cannot open directory '/o': Permission denied",
        Want::Read,
        &["/o"],
    ),
    (
        "ls: cannot open directory '.': Permission denied",
        Want::Read,
        &["."],
    ),
    (
        "touch: cannot touch '/o/it'\\''s \"x\"': Permission denied",
        Want::Write,
        &["/o/it's \"x\""],
    ),
    (
        "mkdir: cannot create directory ‘/o/d’: Permission denied",
        Want::Name,
        &["/o/d"],
    ),
    (
        "rm: cannot remove '/o/secret': Permission denied",
        Want::Name,
        &["/o/secret"],
    ),
    (
        "rmdir: failed to remove '/o/dir': Permission denied",
        Want::Name,
        &["/o/dir"],
    ),
    (
        "mv: cannot move '/r/own' to '/o/own': Permission denied",
        Want::Name,
        &["/r/own", "/o/own"],
    ),
    (
        "cp: cannot open '/o/secret' for reading: Permission denied",
        Want::Read,
        &["/o/secret"],
    ),
    (
        "cp: cannot create regular file '/o/own': Permission denied",
        Want::Write,
        &["/o/own"],
    ),
    (
        "cp: cannot access '/o/dir': Permission denied",
        Want::Read,
        &["/o/dir"],
    ),
    (
        "ln: failed to create hard link '/o/own2' => 'own': Permission denied",
        Want::Name,
        &["/o/own2", "own"],
    ),
    (
        "ln: failed to create symbolic link '/o/own3': Permission denied",
        Want::Name,
        &["/o/own3"],
    ),
    (
        "ln: failed to create hard link 'hard' => '/o/secret': Invalid cross-device link",
        Want::Link,
        &["hard", "/o/secret"],
    ),
    (
        "truncate: cannot open '/o/secret' for writing: Permission denied",
        Want::Write,
        &["/o/secret"],
    ),
    (
        "dd: failed to open '/o/dd': Permission denied",
        Want::Something,
        &["/o/dd"],
    ),
    ("tee: /o/tee: Permission denied", Want::Write, &["/o/tee"]),
    (
        "mktemp: failed to create file via template ‘/tmp/tmp.XXXXXXXXXX’: Permission denied",
        Want::Name,
        &["/tmp/tmp.XXXXXXXXXX"],
    ),
    (
        "head: cannot open '/o/secret' for reading: Permission denied",
        Want::Read,
        &["/o/secret"],
    ),
    (
        "sort: open failed: /o/sorted: Permission denied",
        Want::Something,
        &["/o/sorted"],
    ),
    ("split: /o/xaa: Permission denied", Want::Write, &["/o/xaa"]),
    (
        "du: cannot read directory '/o': Permission denied",
        Want::Read,
        &["/o"],
    ),
    (
        "sed: can't read /o/secret: Permission denied",
        Want::Read,
        &["/o/secret"],
    ),
    (
        "sed: couldn't open file /o/sedw: Permission denied",
        Want::Something,
        &["/o/sedw"],
    ),
    (
        "awk: cannot open /o/secret (Permission denied)",
        Want::Something,
        &["/o/secret"],
    ),
    (
        "awk: cannot open \"/o/awk\" for output (Permission denied)",
        Want::Write,
        &["/o/awk"],
    ),
    ("find: ‘/o’: Permission denied", Want::Read, &["/o"]),
    (
        "find: cannot delete ‘/o/dir’: Permission denied",
        Want::Name,
        &["/o/dir"],
    ),
    ("grep: /o: Permission denied", Want::Read, &["/o"]),
    (
        "/o: Permission denied (os error 13)",
        Want::Something,
        &["/o"],
    ),
    (
        "xargs: Cannot open input file ‘/o/secret’: Permission denied",
        Want::Read,
        &["/o/secret"],
    ),
    ("env: ‘cargo’: Permission denied", Want::Execute, &["cargo"]),
    ("xargs: cargo: Permission denied", Want::Execute, &["cargo"]),
    (
        "nohup: failed to run command '/o/prog': Permission denied",
        Want::Execute,
        &["/o/prog"],
    ),
    (
        "time: cannot run cargo: Permission denied",
        Want::Execute,
        &["cargo"],
    ),
    (
        "less: /o/secret: Permission denied",
        Want::Read,
        &["/o/secret"],
    ),
    (
        "/o/secret: Permission denied",
        Want::Something,
        &["/o/secret"],
    ),
    (
        "tar: /o/a.tar: Cannot open: Permission denied",
        Want::Something,
        &["/o/a.tar"],
    ),
    (
        "tar: x: Cannot hard link to ‘/o/y’: Permission denied",
        Want::Name,
        &["x"],
    ),
    (
        "gzip: /o/secret: Permission denied",
        Want::Read,
        &["/o/secret"],
    ),
    (
        "bzip2: Can't open input file /o/secret: Permission denied.",
        Want::Read,
        &["/o/secret"],
    ),
    (
        "zip I/O error: Permission denied\nzip error: Could not create output file (/o/a.zip)",
        Want::Write,
        &["/o/a.zip"],
    ),
    (
        "checkdir:  cannot create extraction directory: /o/u\n           Permission denied",
        Want::Name,
        &["/o/u"],
    ),
    (
        "unzip:  cannot find or open /o/a.zip, /o/a.zip.zip or /o/a.zip.ZIP.",
        Want::Read,
        &["/o/a.zip"],
    ),
    (
        "rsync: [receiver] mkstemp \"/o/.rs.jQsUQv\" failed: Permission denied (13)",
        Want::Name,
        &["/o/.rs.jQsUQv"],
    ),
    (
        "rsync: [sender] opendir \"/o/.\" failed: Permission denied (13)",
        Want::Read,
        &["/o/."],
    ),
    (
        "patch: **** Can't create file /o/patched : Permission denied",
        Want::Write,
        &["/o/patched"],
    ),
    (
        "flock: cannot open lock file /o/lock: Permission denied",
        Want::Write,
        &["/o/lock"],
    ),
    (
        "genrsa: Can't open \"/o/key\" for writing, Permission denied",
        Want::Write,
        &["/o/key"],
    ),
    (
        "curl: (37) Couldn't open file /o/secret",
        Want::Read,
        &["/o/secret"],
    ),
    ("curl: Can't open '/o/secret'!", Want::Read, &["/o/secret"]),
    (
        "jq: error: Could not open file /o/secret: Permission denied",
        Want::Read,
        &["/o/secret"],
    ),
    (
        "couldn't create directory /tmp/tmux-0 (Permission denied)",
        Want::Name,
        &["/tmp/tmux-0"],
    ),
    (
        "Error: unable to open database \"/o/db\": unable to open database file",
        Want::Write,
        &["/o/db"],
    ),
    (
        "\x1b[31mrm: cannot remove '/o/x': Permission denied\x1b[0m",
        Want::Name,
        &["/o/x"],
    ),
];

#[test]
fn programs_of_the_system_tell_names_however_they_quote_them() {
    for (line, want, names) in OF_THE_SYSTEM {
        claim(line, *want, names);
    }
}

const OF_COMPILERS_AND_GIT: &[(&str, Want, &str)] = &[
    (
        "/usr/bin/ld: cannot open output file /o/hello: Permission denied",
        Want::Write,
        "/o/hello",
    ),
    (
        "Fatal error: can't create /o/hello.o: Permission denied",
        Want::Write,
        "/o/hello.o",
    ),
    (
        "cc1: fatal error: /o/hello.c: Permission denied",
        Want::Something,
        "/o/hello.c",
    ),
    (
        "cc1: fatal error: cannot open ‘/o/hello.s’ for writing: Permission denied",
        Want::Write,
        "/o/hello.s",
    ),
    (
        "inc.c:1:10: fatal error: /o/inc.h: Permission denied",
        Want::Something,
        "/o/inc.h",
    ),
    (
        "hello.c:1:1: fatal error: opening dependency file /o/dep: Permission denied",
        Want::Write,
        "/o/dep",
    ),
    (
        "ld.gold: fatal error: /o/g: open: Permission denied",
        Want::Something,
        "/o/g",
    ),
    (
        "Cannot create temporary file in /tmp/: Permission denied",
        Want::Write,
        "/tmp/",
    ),
    ("ar: /o/l.a: Permission denied", Want::Something, "/o/l.a"),
    (
        "make: /o/Makefile: Permission denied",
        Want::Read,
        "/o/Makefile",
    ),
    (
        "J.java:1: error: error while writing J: /o/J.class",
        Want::Write,
        "/o/J.class",
    ),
    (
        "open /o/secret: permission denied",
        Want::Something,
        "/o/secret",
    ),
    (
        "failed to initialize build cache at /o/gocache: mkdir /o/gocache: permission denied",
        Want::Name,
        "/o/gocache",
    ),
    (
        "fork/exec /o/prog: permission denied",
        Want::Execute,
        "/o/prog",
    ),
    (
        "fatal: cannot mkdir /o/repo: Permission denied",
        Want::Name,
        "/o/repo",
    ),
    (
        "fatal: could not create work tree dir '/o/clone': Permission denied",
        Want::Name,
        "/o/clone",
    ),
    (
        "fatal: could not create leading directories of '/o/wt/.git': Permission denied",
        Want::Name,
        "/o/wt/.git",
    ),
    (
        "fatal: could not open '/o/a.zip' for writing: Permission denied",
        Want::Write,
        "/o/a.zip",
    ),
    (
        "fatal: Unable to create '/o/bu.lock': Permission denied",
        Want::Write,
        "/o/bu.lock",
    ),
    (
        "error: could not lock config file /root/.gitconfig: Permission denied",
        Want::Write,
        "/root/.gitconfig",
    ),
    (
        "warning: unable to access '/root/.gitconfig': Permission denied",
        Want::Read,
        "/root/.gitconfig",
    ),
    (
        "error: can't open patch '/o/patch': Permission denied",
        Want::Something,
        "/o/patch",
    ),
    (
        "error: insufficient permission for adding an object to repository database .git/objects",
        Want::Write,
        ".git/objects",
    ),
    (
        "fatal: repository '/o/gitrepo' does not exist",
        Want::Read,
        "/o/gitrepo",
    ),
    (
        "fatal: '/o/gitrepo' does not appear to be a git repository",
        Want::Read,
        "/o/gitrepo",
    ),
    (
        "fatal: not a git repository: '/o/gitrepo/.git'",
        Want::Read,
        "/o/gitrepo/.git",
    ),
    (
        "fatal: not a git repository (or any of the parent directories): .git",
        Want::Read,
        ".",
    ),
    (
        "error: cannot read /o/secret: Permission denied (os error 13)",
        Want::Read,
        "/o/secret",
    ),
    (
        "error: could not create home directory: '/root/.rustup': Permission denied (os error 13)",
        Want::Name,
        "/root/.rustup",
    ),
    (
        "error: failed to write `/o/Cargo.lock`\n\nCaused by:\n  failed to open: /o/Cargo.lock\n\nCaused by:\n  Permission denied (os error 13)",
        Want::Something,
        "/o/Cargo.lock",
    ),
];

#[test]
fn compilers_and_git_tell_it_in_their_own_words() {
    for (line, want, name) in OF_COMPILERS_AND_GIT {
        claim(line, *want, &[name]);
    }
}

const OF_LANGUAGES: &[(&str, Want, &[&str])] = &[
    (
        "PermissionError: [Errno 13] Permission denied: '/o/secret'",
        Want::Something,
        &["/o/secret"],
    ),
    (
        "PermissionError: [Errno 13] Permission denied: 'own' -> '/o/x'",
        Want::Name,
        &["own", "/o/x"],
    ),
    (
        "PermissionError: [Errno 13] Permission denied: \"/o/it's\\nx\"",
        Want::Something,
        &["/o/it's\nx"],
    ),
    (
        "PermissionError: [Errno 13] Permission denied: '/o/ü\\x01'",
        Want::Something,
        &["/o/ü\u{1}"],
    ),
    (
        "PermissionError: [Errno 13] Permission denied: 'cargo'",
        Want::Something,
        &["cargo"],
    ),
    (
        "OSError: [Errno 18] Invalid cross-device link: '/o/secret' -> 'x'",
        Want::Link,
        &["/o/secret", "x"],
    ),
    (
        "/usr/bin/python3: can't open file '/o/secret': [Errno 13] Permission denied",
        Want::Read,
        &["/o/secret"],
    ),
    (
        "Error: [Errno 13] Permission denied: '/o/venv'",
        Want::Something,
        &["/o/venv"],
    ),
    (
        "OSError: /o/secret: cannot open shared object file: Permission denied",
        Want::Read,
        &["/o/secret"],
    ),
    ("Can't list '/o'", Want::Read, &["/o"]),
    (
        "Error: EACCES: permission denied, open '/o/it's'",
        Want::Something,
        &["/o/it's"],
    ),
    (
        "Error: EACCES: permission denied, mkdir '/o/d'",
        Want::Name,
        &["/o/d"],
    ),
    (
        "Error: EACCES: permission denied, scandir '/o'",
        Want::Read,
        &["/o"],
    ),
    (
        "Error: EACCES: permission denied, rename 'own' -> '/o/x'",
        Want::Name,
        &["own", "/o/x"],
    ),
    (
        "npm error Error: EACCES: permission denied, symlink '../p' -> '/usr/lib/node_modules/p'",
        Want::Name,
        &["/usr/lib/node_modules/p"],
    ),
    (
        "npm error code EACCES\nnpm error syscall open\nnpm error path /root/.npm/_cacache/tmp/***",
        Want::Something,
        &["/root/.npm/_cacache/tmp/***"],
    ),
    (
        "npm error Log files were not written due to an error writing to the directory: /root/.npm/_logs",
        Want::Write,
        &["/root/.npm/_logs"],
    ),
    ("npm error code EACCES", Want::Name, &[]),
    ("  code: 'EACCES',", Want::Name, &[]),
    (
        "Error: EXDEV: cross-device link not permitted, link '/o/secret' -> 'hl'",
        Want::Link,
        &["/o/secret", "hl"],
    ),
    (
        "Error: listen EACCES: permission denied /o/s",
        Want::Name,
        &["/o/s"],
    ),
    ("Error: spawn /o/prog EACCES", Want::Execute, &["/o/prog"]),
    ("Error: spawnSync cargo EACCES", Want::Execute, &["cargo"]),
    (
        "Can't open /o/secret: Permission denied",
        Want::Something,
        &["/o/secret"],
    ),
    (
        "Can't open perl script \"/o/secret\": Permission denied",
        Want::Something,
        &["/o/secret"],
    ),
    (
        "Can't exec \"/o/prog\": Permission denied at -e line 1.",
        Want::Execute,
        &["/o/prog"],
    ),
    (
        "mkdir /o/d: Permission denied at -e line 1.",
        Want::Name,
        &["/o/d"],
    ),
    (
        "-e:1:in `read': Permission denied @ rb_sysopen - /o/secret (Errno::EACCES)",
        Want::Something,
        &["/o/secret"],
    ),
    (
        "-e:1:in `rename': Permission denied @ rb_file_s_rename - (own, /o/d) (Errno::EACCES)",
        Want::Name,
        &["own", "/o/d"],
    ),
    (
        "java.io.FileNotFoundException: /o/secret (Permission denied)",
        Want::Something,
        &["/o/secret"],
    ),
    (
        "Exception in thread \"main\" java.nio.file.AccessDeniedException: /o/secret",
        Want::Something,
        &["/o/secret"],
    ),
];

#[test]
fn languages_tell_it_by_their_exceptions() {
    for (line, want, names) in OF_LANGUAGES {
        claim(line, *want, names);
    }
    let copied = claims(
        "Error: EACCES: permission denied, copyfile 'own' -> '/o/x'",
        false,
    );
    assert_eq!(
        copied,
        [(Want::Read, "own".into()), (Want::Write, "/o/x".into())]
    );
}

#[test]
fn signals_and_the_like_are_told_from_files() {
    for (line, want, name) in [
        ("sh: 1: kill: Operation not permitted", Want::Signal, ""),
        (
            "bash: line 1: kill: (1) - Operation not permitted",
            Want::Signal,
            "1",
        ),
        ("/bin/kill: (1): Operation not permitted", Want::Signal, "1"),
        (
            "PermissionError: [Errno 1] Operation not permitted",
            Want::Signal,
            "",
        ),
        ("Error: kill EPERM", Want::Signal, ""),
        (
            "strace: attach: ptrace(PTRACE_SEIZE, 1): Operation not permitted",
            Want::Trace,
            "",
        ),
        ("ptrace: Operation not permitted.", Want::Trace, ""),
        ("mount: /r/owndir: permission denied.", Want::Mount, ""),
        (
            "unshare: cannot change root filesystem propagation: Operation not permitted",
            Want::Mount,
            "",
        ),
        (
            "Failed to connect to bus: Operation not permitted",
            Want::Socket,
            "",
        ),
    ] {
        claim(line, want, &[name]);
    }
}

#[test]
fn what_cannot_be_reached_is_refused_where_there_is_no_network() {
    for output in [
        "curl: (7) Failed to connect to 127.0.0.1 port 9 after 0 ms: Couldn't connect to server",
        "curl: (6) Could not resolve host: example.invalid",
        "wget: unable to resolve host address ‘example.invalid’",
        "Connecting to 127.0.0.1:9... failed: Permission denied.",
        "failed: Permission denied.",
        "ssh: connect to host 127.0.0.1 port 9: Permission denied",
        "ssh: Could not resolve hostname example.invalid: Name or service not known",
        "fatal: unable to access 'https://example.invalid/x/': Could not resolve host: example.invalid",
        "bash: connect: Permission denied\nbash: line 1: /dev/tcp/127.0.0.1/9: Permission denied",
        "Error: connect EACCES 127.0.0.1:9 - Local (0.0.0.0:0)",
        "  [cause]: Error: connect EACCES 127.0.0.1:8000 - Local (0.0.0.0:0)",
        "Error: listen EACCES: permission denied 127.0.0.1",
        "Error: getaddrinfo ENOTFOUND example.invalid",
        "    sock.connect(sa)\nPermissionError: [Errno 13] Permission denied",
        "urllib.error.URLError: <urlopen error [Errno 13] Permission denied>",
        "HTTPSConnection object at 0x7f>: Failed to establish a new connection: [Errno 13] Permission denied')': /simple/x/",
    ] {
        assert_eq!(
            claims(output, true),
            [(Want::Network, String::new())],
            "{output}"
        );
        let otherwise = claims(output, false);
        assert!(
            otherwise.iter().all(|(_, name)| name.is_empty()),
            "{output}: {otherwise:?}"
        );
    }
}

#[test]
fn what_others_refuse_and_what_speaks_of_none_is_no_refusal() {
    for output in [
        "git@github.com: Permission denied (publickey).",
        "user@host: Permission denied (publickey,password).",
        "Permission denied, please try again.",
        "remote: Permission denied to user.",
        "scp: /etc/x: Permission denied",
        "cat: /o/none: No such file or directory",
        "npm error path /o/package.json",
        "sh: 1: nothing-of-this-name: not found",
        "bash: line 1: cd: /o: Permission denied",
        "zsh:cd:1: permission denied: /o",
        "a line of no account",
        "chown: changing ownership of 'x': Operation not permitted",
    ] {
        assert_eq!(claims(output, false), [], "{output}");
    }
}

#[test]
fn output_in_pieces_says_the_same_and_is_not_kept() {
    let mut lines = Vec::new();
    for number in 0..2_000 {
        lines.push(format!("line {number} of what says nothing\n"));
        if number == 700 {
            lines.push("cat: /o/secret: Permission denied\n".into());
        }
        if number == 1_500 {
            lines.push("An error occurred while redirecting file '/o/y'\n".into());
            lines.push("open: Permission denied\n".into());
        }
    }
    let output = lines.concat() + "sh: 1: cannot create /o/last: Permission denied";
    let wanted = [
        (Want::Read, String::from("/o/secret")),
        (Want::Write, String::from("/o/y")),
        (Want::Write, String::from("/o/last")),
    ];
    for step in [1, 7, 100, 4_096, 10_000, 1_000_000] {
        let mut watcher = Watcher::new(false);
        for piece in output.as_bytes().chunks(step) {
            watcher.watch(piece);
            assert!(watcher.kept.len() <= 3 * LONGEST, "{step}");
        }
        let claims = watcher.finish().into_iter();
        let claims: Vec<_> = claims
            .map(|one| (one.want, String::from_utf8(one.name).unwrap()))
            .collect();
        assert_eq!(claims, wanted, "{step}");
    }
}

#[test]
fn hostile_output_costs_little_and_breaks_nothing() {
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = || {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random
    };
    let pieces = [
        "Permission denied",
        ": ",
        "'",
        "\"",
        "‘",
        "’",
        "$'",
        "\\",
        "[Errno 13] ",
        "EACCES: permission denied, ",
        " -> ",
        "/x",
        "(",
        ")",
        "\n",
        "AccessDeniedException: ",
        "b'",
        "\\x",
        "\\u{",
        "}",
        "spawn ",
        " EACCES",
        "kill",
        "Operation not permitted",
        "@ f - ",
        "é",
        "\x1b[",
        "find or open ",
        "No such file",
        "*",
        "sh: 1: ",
        "`",
        " may not be run",
        "Cannot hard link to ",
        "Invalid cross-device link",
        "\u{0}",
    ];
    for _ in 0..3_000 {
        let mut text = String::new();
        for _ in 0..next() % 12 {
            text += pieces[usize::try_from(next()).unwrap() % pieces.len()];
        }
        let mut watcher = Watcher::new(true);
        watcher.watch(text.as_bytes());
        assert!(watcher.finish().len() <= MOST);
    }
    let mut watcher = Watcher::new(true);
    let line = format!("{}: Permission denied\n", "x".repeat(100_000));
    for _ in 0..100 {
        watcher.watch(line.as_bytes());
        assert!(watcher.kept.len() <= 3 * LONGEST);
    }
    for number in 0..1_000 {
        watcher.watch(format!("cat: /o/{number}: Permission denied\n").as_bytes());
    }
    assert_eq!(watcher.finish().len(), MOST);
}
