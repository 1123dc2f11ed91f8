//! What a way out is, and how it is tried.

use std::fs;

use crate::common::{is_root, skip};
use crate::stage::{Bounds, Door, SECRET, Said, Stage, User, abi};

/// How a refusal reads: `errno(3)`, a shell's and a program's words for it, a signal's name.
const REFUSALS: [&str; 7] = [
    "ermission denied",
    "PERMISSION_DENIED",
    "not permitted",
    "cross-device link",
    "Bad system call",
    "cannot open",
    "Not allowed: ",
];

/// How it reads of a process that `/proc` does not show.
const HIDDEN: [&str; 2] = ["No such file or directory", "Directory nonexistent"];

/// A way out.
#[derive(Clone, Copy)]
pub struct Way {
    /// Where it leads, in words.
    pub what: &'static str,
    /// A shell's command that succeeds if it leads out. Its variables: `ROOT`, `READABLE`, `OUT`,
    /// directories; `ATTACK`, the attacker; those of the stage and of its process outside.
    pub command: &'static str,
    /// Who can try it.
    tried_by: TriedBy,
    /// What a machine may lack on which it does not lead out at all.
    needs: Option<&'static str>,
    /// Whether it is tried within a confinement alone.
    harmful: bool,
    /// How else the refusal reads.
    says: &'static str,
    /// On which stage.
    stage: fn(User) -> Stage,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum TriedBy {
    Everybody,
    Root,
    OrdinaryUsers,
}

/// A way that everybody can try.
pub const fn way(what: &'static str, command: &'static str) -> Way {
    Way {
        what,
        command,
        tried_by: TriedBy::Everybody,
        needs: None,
        harmful: false,
        says: REFUSALS[0],
        stage: Stage::new,
    }
}

impl Way {
    /// For root alone: nobody else would come through anyway.
    pub const fn as_root(mut self) -> Self {
        self.tried_by = TriedBy::Root;
        self
    }

    /// For ordinary users alone.
    pub const fn as_ordinary_user(mut self) -> Self {
        self.tried_by = TriedBy::OrdinaryUsers;
        self
    }

    /// On machines that have `what`.
    pub const fn needs(mut self, what: &'static str) -> Self {
        self.needs = Some(what);
        self
    }

    /// Without the proof that it leads out otherwise, which might harm the machine.
    pub const fn only_within(mut self) -> Self {
        self.harmful = true;
        self
    }

    /// Refused with these words.
    pub const fn says(mut self, words: &'static str) -> Self {
        self.says = words;
        self
    }

    /// On this stage.
    pub const fn on(mut self, stage: fn(User) -> Stage) -> Self {
        self.stage = stage;
        self
    }

    fn is_for(&self, user: User) -> bool {
        match self.tried_by {
            TriedBy::Everybody => true,
            TriedBy::Root => user.is_root(),
            TriedBy::OrdinaryUsers => !user.is_root(),
        }
    }

    /// Whether it leads out where there is no confinement, as it must. Where the machine lacks
    /// something, that is said.
    fn leads_out(&self, user: User) -> bool {
        if self.harmful {
            return true;
        }
        let stage = (self.stage)(user);
        let said = stage.run(Door::Host, None, self.command);
        if said.code == Some(0) {
            return true;
        }
        let Self { what, needs, .. } = self;
        let Some(needs) = needs else {
            panic!("{what}, {user:?}, leads nowhere without a confinement: {said:?}");
        };
        skip(&format!("{what}: {needs}"));
        false
    }

    fn is_refused(&self, user: User, door: Door, bounds: impl Fn(&Stage) -> Bounds) {
        let stage = (self.stage)(user);
        let before = stage.outside();
        let said = stage.run(door, Some(&bounds(&stage)), self.command);
        let Self { what, says, .. } = self;
        let context = format!("{what}, {user:?}, {door:?}: {said:?}");
        assert!(said.code != Some(0), "it leads out: {context}");
        assert!(!said.text.contains(SECRET), "it leads out: {context}");
        assert!(is_refusal(&said, says), "for another reason: {context}");
        assert_eq!(stage.outside(), before, "{context}");
        stage.assert_outsider_lives();
    }

    fn is_open(&self, user: User, bounds: impl Fn(&Stage) -> Bounds) {
        let stage = (self.stage)(user);
        let said = stage.run(Door::Host, Some(&bounds(&stage)), self.command);
        assert_eq!(said.code, Some(0), "{}, {user:?}: {said:?}", self.what);
    }
}

/// Whether this is a refusal, in the words that say so everywhere or in these.
pub fn is_refusal(said: &Said, says: &str) -> bool {
    // A shell that becomes its last program has no word for that.
    if said.code == Some(i64::from(128 + libc::SIGSYS)) {
        return true;
    }
    let hidden = processes_are_hidden().then_some(HIDDEN);
    let all = REFUSALS.iter().chain(hidden.iter().flatten());
    all.chain(std::iter::once(&says))
        .any(|words| said.text.contains(words))
}

/// Whether `/proc` shows no process that may not be traced (`hidepid`): where it is refused
/// otherwise, it is not there then.
fn processes_are_hidden() -> bool {
    let mounts = fs::read_to_string("/proc/self/mounts").unwrap();
    let mut options = mounts.lines().filter_map(|line| {
        let mut words = line.split(' ').skip(1);
        (words.next() == Some("/proc")).then(|| words.nth(1))?
    });
    let hides = [
        "hidepid=invisible",
        "hidepid=ptraceable",
        "hidepid=2",
        "hidepid=4",
    ];
    // The last one mounted is the one that is seen.
    options
        .next_back()
        .is_some_and(|options| options.split(',').any(|one| hides.contains(&one)))
}

fn each(ways: &[Way], mut tried: impl FnMut(&Way, User)) {
    for way in ways {
        for user in User::all().into_iter().filter(|user| way.is_for(*user)) {
            if way.leads_out(user) {
                tried(way, user);
            }
        }
    }
    if !is_root() && ways.iter().any(|way| way.tried_by == TriedBy::Root) {
        skip("only root can try what root may");
    }
}

/// Asserts that these ways are closed.
pub fn closed(ways: &[Way]) {
    closed_within(ways, Stage::bounds);
}

/// Asserts that they are closed to a host's calls, and by the other doors: to each of two users by
/// one of them.
fn closed_within(ways: &[Way], bounds: fn(&Stage) -> Bounds) {
    if abi().is_none() {
        return;
    }
    let mut others = [Door::Flags, Door::Mcp, Door::Mcp, Door::Flags]
        .iter()
        .cycle();
    each(ways, |way, user| {
        way.is_refused(user, Door::Host, bounds);
        if let Some(door) = others.next() {
            way.is_refused(user, *door, bounds);
        }
    });
}

/// Asserts that these ways are open, as `SECURITY.md` says.
pub fn open(ways: &[Way]) {
    if abi().is_none() {
        return;
    }
    each(ways, |way, user| way.is_open(user, Stage::bounds));
}

/// Asserts that these ways are open by a process that `/proc` shows, and closed where it hides it.
pub fn open_where_shown(ways: &[Way]) {
    if processes_are_hidden() {
        closed(ways);
    } else {
        open(ways);
    }
}

/// Asserts that these ways are closed from this ABI of Landlock on, and open before, as
/// `SECURITY.md` says.
pub fn closed_from(closing: i32, ways: &[Way]) {
    match abi() {
        Some(abi) if abi >= closing => closed(ways),
        Some(_) => open(ways),
        None => {}
    }
}

/// The usual bounds, and no network.
pub fn offline(stage: &Stage) -> Bounds {
    Bounds {
        offline: true,
        ..stage.bounds()
    }
}

/// Asserts that these ways are closed by `--no-network`, on every kernel.
pub fn closed_offline(ways: &[Way]) {
    closed_within(ways, offline);
}
