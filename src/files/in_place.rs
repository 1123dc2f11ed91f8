//! Overwriting a file itself, for want of a way to put another one in its place: it has several names, its directory
//! may not be written, something is mounted on it.
//!
//! The new content is complete before the first byte changes: in a draft in the same directory, else in the user's
//! state directory, else in memory. From the first byte to the last the draft has a name, so that whatever happens the
//! new content is somewhere whole. Who writes is a process that nobody ends (`detached`); if it dies all the same, the
//! tool has the writing done once more.

use std::fs::{DirBuilder, File};
use std::os::fd::OwnedFd;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use rustix::fs::{
    FallocateFlags, Mode, OFlags, fallocate, fcntl_getfl, fdatasync, fstat, ftruncate, open,
};
use rustix::io::{Errno, pread};

use super::draft::{Draft, Standing, in_memory, kind_of};
use super::regular::{FileError, Reason, RegularFile};
use super::replace::{Fill, changed, is_at};
use super::target::Target;
use crate::files::holes;
use crate::sandbox::detached;

/// How much is read and written at once, in bytes.
const PIECE: usize = 128 * 1024;

/// Overwrites `old`, which is what is at `target`, with what `fill` writes.
pub fn replace(target: &Target, old: &RegularFile, fill: Fill<'_>) -> Result<(), FileError> {
    let access = fcntl_getfl(&old.file).map_err(FileError::writing)? & OFlags::RWMODE;
    if access == OFlags::RDONLY {
        // It was opened so because there was no other way.
        return Err(FileError::Open(Reason::new(
            "it is a program that is running",
        )));
    }
    let mut waiting = Waiting::new(target, old, fill)?;
    if !is_at(target, old) {
        return Err(changed());
    }
    let content = fstat(&waiting.draft.file).map_err(FileError::writing)?;
    let made_up = is_made_up(&old.file);
    let mut work = Overwriting {
        waiting: &waiting,
        file: &old.file,
        length: u64::try_from(content.st_size).unwrap_or(0),
        old_length: u64::try_from(old.stat.st_size).unwrap_or(0),
        // What has to be looked at before it is written, lest more be written than changes.
        compares: access == OFlags::RDWR && !made_up,
        made_up,
        buffers: [vec![0; PIECE], vec![0; PIECE]],
    };
    let outcome = match detached::run(&mut || work.carry_out(true).code()) {
        Some(code) => Outcome::of(code),
        None => match detached::run(&mut || work.carry_out(false).code()) {
            Some(code) => Outcome::of(code),
            None => Outcome::Killed,
        },
    };
    match outcome {
        Outcome::Done => Ok(()),
        Outcome::Untouched(errno) => Err(FileError::writing(errno)),
        Outcome::Torn(errno) => Err(waiting.stays(&format!(
            "{}; it was being overwritten, and now holds part of the new content and part of the old",
            words(errno)
        ))),
        Outcome::Unsure(errno) => Err(waiting.stays(&format!(
            "{}, said the disk after the new content was written, and what it kept of it is not known",
            words(errno)
        ))),
        Outcome::Killed => Err(waiting.stays(
            "the process that was overwriting it was killed, twice; \
             it now holds part of the new content and part of the old",
        )),
    }
}

fn words(errno: Errno) -> String {
    let text = Reason::from(errno).to_string();
    text.trim_matches([' ', '(', ')']).to_owned()
}

/// Whether `file` is the kernel's own, made up as it is read and taken as it is written. There is nothing to be kept.
pub fn is_made_up(file: &File) -> bool {
    const SYSFS: i64 = 0x6265_6572;
    const CGROUP2: i64 = 0x6367_7270;
    const PROC: i64 = 0x9fa0;
    kind_of(file).is_ok_and(|kind| [PROC, SYSFS, CGROUP2].contains(&kind))
}

/// A complete new content, in wait for the old one to be overwritten.
struct Waiting {
    draft: Draft,
    home: Option<Home>,
}

/// Where on a disk a draft is.
struct Home {
    standing: Standing,
    directory: PathBuf,
}

impl Waiting {
    /// The content that `fill` writes, in the first place that has room for it.
    fn new(target: &Target, old: &RegularFile, fill: Fill<'_>) -> Result<Self, FileError> {
        let lasting = !is_made_up(&old.file);
        if lasting && target.replaceable && !target.only_grows() {
            let parent = target.path.parent().unwrap_or(Path::new("."));
            let directory = target.directory.try_clone();
            let directory = directory.map_err(|error| super::replace::writing(&error))?;
            if let Some(waiting) = Self::at(directory, parent, fill)? {
                return Ok(waiting);
            }
        }
        if lasting
            && let Some((directory, path)) = state_directory()
            && let Some(waiting) = Self::at(directory, &path, fill)?
        {
            return Ok(waiting);
        }
        let mut draft = Draft::in_memory().map_err(FileError::writing)?;
        fill(&mut draft.file)?;
        Ok(Self { draft, home: None })
    }

    /// The same in the directory `path`, open as `directory`; `None` where none can be made there or there is no room.
    fn at(directory: OwnedFd, path: &Path, fill: Fill<'_>) -> Result<Option<Self>, FileError> {
        let mut draft = match Draft::create(&directory, Mode::from_raw_mode(0o600)) {
            Ok(draft) => draft,
            Err(errno @ (Errno::IO | Errno::STALE)) => return Err(FileError::writing(errno)),
            Err(_) => return Ok(None),
        };
        match fill(&mut draft.file) {
            Err(FileError::NoSpace) => return Ok(None),
            filled => filled?,
        }
        let home = Home {
            standing: draft.standing(directory),
            directory: std::path::absolute(path).unwrap_or_else(|_| path.to_owned()),
        };
        Ok(Some(Self {
            draft,
            home: Some(home),
        }))
    }

    /// The failure that ends in the state `state`, and says where the draft is, which stays.
    fn stays(&mut self, state: &str) -> FileError {
        let home = self.home.as_ref().filter(|home| home.standing.stands());
        let place = match home {
            Some(home) => {
                let path = home.directory.join(&home.standing.name);
                format!(
                    "the whole new content is in {}: copy it over the file when the cause is mended",
                    path.display()
                )
            }
            None => String::from("no draft of the new content could be kept: write it again"),
        };
        self.draft.leave();
        FileError::Write(Reason::new(&format!("{state}; {place}")))
    }
}

/// The directory of this program under the user's state directory, made if it is not there (XDG Base Directory
/// Specification).
fn state_directory() -> Option<(OwnedFd, PathBuf)> {
    let path = dirs::state_dir()?.join("ikigai-tools");
    let made = DirBuilder::new().recursive(true).mode(0o700).create(&path);
    made.ok()?;
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Some((open(&path, flags, Mode::empty()).ok()?, path))
}

/// What became of the file.
enum Outcome {
    /// It has the new content.
    Done,
    /// It is as it was.
    Untouched(Errno),
    /// It has part of each.
    Torn(Errno),
    /// It has the new content, if the disk did what it did not say it did.
    Unsure(Errno),
    /// Who wrote it died.
    Killed,
}

impl Outcome {
    /// The outcome as the number that [`detached::run`] passes on: the error, and its kind above the 16 lower bits.
    fn code(&self) -> u32 {
        let (kind, errno) = match self {
            Self::Done => return 0,
            Self::Untouched(errno) => (1, errno),
            Self::Torn(errno) => (2, errno),
            Self::Unsure(errno) => (3, errno),
            Self::Killed => return u32::MAX,
        };
        kind << 16 | detached::code_of(Err(*errno))
    }

    fn of(code: u32) -> Self {
        let errno = detached::result_of(code & 0xffff)
            .err()
            .unwrap_or(Errno::IO);
        match code >> 16 {
            0 if code == 0 => Self::Done,
            1 => Self::Untouched(errno),
            2 => Self::Torn(errno),
            3 => Self::Unsure(errno),
            _ => Self::Killed,
        }
    }
}

/// The work itself: system calls alone.
struct Overwriting<'a> {
    waiting: &'a Waiting,
    file: &'a File,
    /// The new content's, in bytes.
    length: u64,
    old_length: u64,
    compares: bool,
    made_up: bool,
    buffers: [Vec<u8>; 2],
}

impl Overwriting<'_> {
    /// Overwrites the file; `first` where nobody has begun to.
    fn carry_out(&mut self, first: bool) -> Outcome {
        let waiting = self.waiting;
        if let Some(home) = &waiting.home {
            home.standing.stand();
        }
        waiting.draft.outlive();
        if first && let Err(errno) = self.prepare() {
            self.put_away();
            return Outcome::Untouched(errno);
        }
        if let Err(errno) = self.overwrite() {
            return Outcome::Torn(errno);
        }
        if let Err(errno) = self.sync() {
            return Outcome::Unsure(errno);
        }
        self.put_away();
        Outcome::Done
    }

    fn put_away(&self) {
        if let Some(home) = &self.waiting.home {
            home.standing.fall();
        }
    }

    /// All that may fail before the first byte changes.
    fn prepare(&self) -> Result<(), Errno> {
        unless_unknown(self.waiting.draft.sync())?;
        if self.made_up {
            return Ok(());
        }
        let mut at = 0;
        while let Some(data) = self.data(at) {
            let length = data.end - data.start;
            match fallocate(self.file, FallocateFlags::KEEP_SIZE, data.start, length) {
                Ok(()) => at = data.end,
                Err(Errno::INTR) => {}
                Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::NODEV | Errno::INVAL) => {
                    return self.make_room_by_hand();
                }
                Err(errno) => return Err(errno),
            }
        }
        Ok(())
    }

    /// Room for the new content where the file system keeps none in advance: zeroes where nothing has been yet.
    fn make_room_by_hand(&self) -> Result<(), Errno> {
        let made = (|| {
            let mut at = 0;
            while let Some(data) = self.data(at) {
                at = data.start;
                while at < data.end {
                    let end = data.end.min(self.old_length);
                    let there = holes::next_data(self.file, at, end).unwrap_or(data.end..data.end);
                    self.clear_by_hand(at, there.start)?;
                    at = there.end;
                }
            }
            Ok(())
        })();
        if made.is_err() && self.old_length < self.length {
            let _ = ftruncate(self.file, self.old_length);
        }
        made
    }

    fn clear_by_hand(&self, from: u64, to: u64) -> Result<(), Errno> {
        static ZEROES: [u8; PIECE] = [0; PIECE];
        let mut at = from;
        while at < to {
            let length = usize::try_from(to - at).unwrap_or(PIECE).min(PIECE);
            holes::write_at(self.file, &ZEROES[..length], at)?;
            at += length as u64;
        }
        Ok(())
    }

    /// The next part of the new content that is no hole.
    fn data(&self, at: u64) -> Option<std::ops::Range<u64>> {
        holes::next_data(&self.waiting.draft.file, at, self.length)
    }

    fn overwrite(&mut self) -> Result<(), Errno> {
        let mut at = 0;
        while at < self.length {
            let data = self.data(at).unwrap_or(self.length..self.length);
            self.clear(at, data.start)?;
            at = data.start;
            while at < data.end {
                at += self.write_piece(at, data.end)?;
            }
        }
        let size = u64::try_from(fstat(self.file)?.st_size).unwrap_or(0);
        if size > self.length || (size < self.length && !self.made_up) {
            ftruncate(self.file, self.length)?;
        }
        Ok(())
    }

    /// Makes the file a hole where the new content is one.
    fn clear(&self, from: u64, to: u64) -> Result<(), Errno> {
        let mut at = from;
        let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
        while let Some(data) = holes::next_data(self.file, at, to.min(self.old_length)) {
            match fallocate(self.file, flags, data.start, data.end - data.start) {
                Ok(()) => {}
                Err(Errno::INTR) => continue,
                Err(Errno::IO) => return Err(Errno::IO),
                Err(_) => self.clear_by_hand(data.start, data.end)?,
            }
            at = data.end;
        }
        Ok(())
    }

    /// Writes what changes of the next piece from offset `at` on, and tells how long the piece is.
    fn write_piece(&mut self, at: u64, end: u64) -> Result<u64, Errno> {
        let [fresh, there] = &mut self.buffers;
        let most = usize::try_from(end - at).unwrap_or(PIECE).min(PIECE);
        let count = read_at(&self.waiting.draft.file, &mut fresh[..most], at)?;
        if count == 0 {
            return Err(Errno::IO);
        }
        let fresh = &fresh[..count];
        let mut changes = 0..count;
        if self.compares {
            let known = read_at(self.file, &mut there[..count], at)?;
            changes = differing(&there[..known], fresh);
        }
        let from = at + changes.start as u64;
        holes::write_at(self.file, &fresh[changes], from)?;
        Ok(count as u64)
    }

    /// Waits until the disk has the new content, where there is one: only then can the draft go.
    fn sync(&self) -> Result<(), Errno> {
        if self.made_up || in_memory(self.file)? {
            return Ok(());
        }
        unless_unknown(fdatasync(self.file))
    }
}

/// What differs, from the first byte to the last: `old` may be shorter than `new`.
fn differing(old: &[u8], new: &[u8]) -> std::ops::Range<usize> {
    let both = old.len().min(new.len());
    if old[..both] == new[..both] {
        return both..new.len();
    }
    let pairs = || old[..both].iter().zip(&new[..both]);
    let start = pairs().position(|(old, new)| old != new).unwrap_or(both);
    let end = if both < new.len() {
        new.len()
    } else {
        pairs()
            .rposition(|(old, new)| old != new)
            .map_or(both, |last| last + 1)
    };
    start..end
}

/// As much as there is, up to the length of `buffer`.
fn read_at(file: &File, buffer: &mut [u8], at: u64) -> Result<usize, Errno> {
    let mut count = 0;
    while count < buffer.len() {
        match pread(file, &mut buffer[count..], at + count as u64) {
            Ok(0) => break,
            Ok(more) => count += more,
            Err(Errno::INTR) => {}
            Err(errno) => return Err(errno),
        }
    }
    Ok(count)
}

/// A file system that does not know what a disk is has none that could fail.
fn unless_unknown(synced: Result<(), Errno>) -> Result<(), Errno> {
    match synced {
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP | Errno::ROFS) => Ok(()),
        synced => synced,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_told_to_the_byte() {
        for (old, new, changes) in [
            ("", "", 0..0),
            ("same", "same", 4..4),
            ("abcdef", "abXYef", 2..4),
            ("abc", "abcdef", 3..6),
            ("aXc", "abcdef", 1..6),
            ("xbcdey", "abcdef", 0..6),
        ] {
            let found = differing(old.as_bytes(), new.as_bytes());
            assert_eq!(found, changes, "{old} {new}");
        }
    }

    #[test]
    fn an_outcome_comes_back_as_it_went() {
        for outcome in [
            Outcome::Done,
            Outcome::Untouched(Errno::NOSPC),
            Outcome::Torn(Errno::IO),
            Outcome::Unsure(Errno::DQUOT),
            Outcome::Killed,
        ] {
            let code = outcome.code();
            assert_eq!(Outcome::of(code).code(), code);
        }
        assert!(matches!(
            Outcome::of(Outcome::Torn(Errno::IO).code()),
            Outcome::Torn(Errno::IO)
        ));
    }
}
