//! Overwriting a file in place, where no other file can replace it: it has several names, its
//! directory is not writable, or something is mounted on it.
//!
//! The new content is complete before the first byte changes: in a draft in the same directory,
//! else in the user's state directory, else in memory. From the first byte to the last the draft
//! has a name, so that whatever happens the whole new content exists somewhere. The writer is a
//! process that nobody ends (`detached`); if it dies all the same, the tool has the work done once
//! more.

use std::fs::{DirBuilder, File};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use rustix::fs::{
    FallocateFlags, Mode, OFlags, fallocate, fcntl_getfl, fdatasync, fstat, ftruncate, open,
};
use rustix::io::Errno;

use super::draft::{ContentWriter, DraftName, FileDraft, file_system_of, in_memory};
use super::regular::{ErrorReason, FileAccessError, RegularFile};
use super::target::WriteTarget;
use crate::positioned_io;
use iki_base::own_directories;
use iki_base::sparse_file::next_data;
use iki_process::sandbox::detached;

/// Bytes that are read and written at a time.
const PIECE: usize = 128 * 1024;

/// Overwrites `old`, the file at `target`, with what `fill` writes.
pub fn replace(
    target: &WriteTarget,
    old: &RegularFile,
    fill: ContentWriter<'_>,
) -> Result<(), FileAccessError> {
    let access = fcntl_getfl(&old.file).map_err(FileAccessError::writing)? & OFlags::RWMODE;
    if access == OFlags::RDONLY {
        // `open_program` opens a running program for reading only (`ETXTBSY`).
        return Err(FileAccessError::Open(ErrorReason::new(
            "it is a program that is running",
        )));
    }
    let mut prepared = PreparedContent::new(target, old, fill)?;
    if !target.still_holds(old) {
        return Err(FileAccessError::changed());
    }
    let content = fstat(&prepared.draft.file).map_err(FileAccessError::writing)?;
    let generated = is_generated(&old.file);
    let mut work = OverwriteJob {
        prepared: &prepared,
        file: &old.file,
        length: u64::try_from(content.st_size).unwrap_or(0),
        old_length: u64::try_from(old.stat.st_size).unwrap_or(0),
        // The old bytes are read first, so that only what changes is written.
        compares: access == OFlags::RDWR,
        generated,
        buffers: [vec![0; PIECE], vec![0; PIECE]],
    };
    let name = prepared.location.as_ref().map(|location| &location.name);
    let files = prepared.draft.descriptors();
    let files = files.chain(name.map(|name| name.directory.as_fd()));
    let files: Vec<BorrowedFd<'_>> = files.chain([old.file.as_fd()]).collect();
    let outcome = match detached::run(&files, &mut || work.carry_out(true).code()) {
        Some(code) => OverwriteOutcome::from_code(code),
        None => match detached::run(&files, &mut || work.carry_out(false).code()) {
            Some(code) => OverwriteOutcome::from_code(code),
            None => OverwriteOutcome::Killed,
        },
    };
    match outcome {
        OverwriteOutcome::Done => Ok(()),
        OverwriteOutcome::Untouched(errno) => Err(FileAccessError::writing(errno)),
        OverwriteOutcome::Torn(errno) => Err(prepared.keep_draft(&format!(
            "{}; it was being overwritten, and now holds part of the new content and part of the \
             old",
            describe_errno(errno)
        ))),
        OverwriteOutcome::Unsure(errno) => Err(prepared.keep_draft(&format!(
            "after the new content was written the disk reported {}; the file may hold it in part",
            describe_errno(errno)
        ))),
        OverwriteOutcome::Killed => Err(prepared.keep_draft(
            "the process that was overwriting it was killed, twice; it now holds part of the new \
             content and part of the old",
        )),
    }
}

fn describe_errno(errno: Errno) -> String {
    let text = ErrorReason::from(errno).to_string();
    text.trim_matches([' ', '(', ')']).to_owned()
}

/// True if the kernel generates `file` as it is read and acts on it as it is written: there is no
/// content to be kept.
pub fn is_generated(file: &File) -> bool {
    const SYSFS: i64 = 0x6265_6572;
    const CGROUP2: i64 = 0x6367_7270;
    const PROC: i64 = 0x9fa0;
    file_system_of(file).is_ok_and(|kind| [PROC, SYSFS, CGROUP2].contains(&kind))
}

/// A complete new content, ready to overwrite the old one.
struct PreparedContent {
    draft: FileDraft,
    location: Option<DraftLocation>,
}

/// The place of a draft on a disk.
struct DraftLocation {
    name: DraftName,
    directory: PathBuf,
}

impl PreparedContent {
    /// Has `fill` write the content into the first directory that has room for it, else into
    /// memory.
    fn new(
        target: &WriteTarget,
        old: &RegularFile,
        fill: ContentWriter<'_>,
    ) -> Result<Self, FileAccessError> {
        let persistent = !is_generated(&old.file);
        if persistent && target.is_replaceable && !target.only_grows() {
            let parent = target.path.parent().unwrap_or(Path::new("."));
            let directory = target.directory.try_clone();
            let directory = directory.map_err(|error| FileAccessError::failed_write(&error))?;
            if let Some(prepared) = Self::create_in(directory, parent, fill)? {
                return Ok(prepared);
            }
        }
        if persistent
            && let Some((directory, path)) = state_directory()
            && let Some(prepared) = Self::create_in(directory, &path, fill)?
        {
            return Ok(prepared);
        }
        let mut draft = FileDraft::in_memory().map_err(FileAccessError::writing)?;
        fill(&mut draft.file)?;
        Ok(Self {
            draft,
            location: None,
        })
    }

    /// Has `fill` write the content into a draft in the directory `path`, open as `directory`;
    /// `None` if no draft can be made there or there is no room.
    fn create_in(
        directory: OwnedFd,
        path: &Path,
        fill: ContentWriter<'_>,
    ) -> Result<Option<Self>, FileAccessError> {
        let mut draft = match FileDraft::create(&directory, Mode::from_raw_mode(0o600)) {
            Ok(draft) => draft,
            Err(errno @ (Errno::IO | Errno::STALE)) => return Err(FileAccessError::writing(errno)),
            Err(_) => return Ok(None),
        };
        match fill(&mut draft.file) {
            Err(FileAccessError::NoSpace) => return Ok(None),
            filled => filled?,
        }
        let location = DraftLocation {
            name: draft.name_in(directory),
            directory: std::path::absolute(path).unwrap_or_else(|_| path.to_owned()),
        };
        Ok(Some(Self {
            draft,
            location: Some(location),
        }))
    }

    /// A failure that describes the file's `state` and says where the draft is, which is kept.
    fn keep_draft(&mut self, state: &str) -> FileAccessError {
        let location = self
            .location
            .as_ref()
            .filter(|location| location.name.exists());
        let place = match location {
            Some(location) => {
                let path = location.directory.join(&location.name.name);
                format!(
                    "the whole new content is in {}: copy it over the file when the cause is \
                     mended",
                    path.display()
                )
            }
            None => String::from("no draft of the new content could be kept: write it again"),
        };
        self.draft.keep();
        FileAccessError::Write(ErrorReason::new(&format!("{state}; {place}")))
    }
}

/// The directory of this program under the user's state directory, created if missing (XDG Base
/// Directory Specification).
fn state_directory() -> Option<(OwnedFd, PathBuf)> {
    let path = dirs::state_dir()?.join(own_directories::NAME);
    let made = DirBuilder::new().recursive(true).mode(0o700).create(&path);
    made.ok()?;
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Some((open(&path, flags, Mode::empty()).ok()?, path))
}

/// The state of the file after the attempt to overwrite it.
enum OverwriteOutcome {
    /// It has the new content.
    Done,
    /// It is as it was.
    Untouched(Errno),
    /// It has part of the old content and part of the new.
    Torn(Errno),
    /// It has the new content, unless the disk lost some of it: the disk reported an error at the
    /// end.
    Unsure(Errno),
    /// The writing process died.
    Killed,
}

impl OverwriteOutcome {
    /// The outcome as the number that [`detached::run`] passes on: the error in the lower 16 bits,
    /// its kind above.
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

    fn from_code(code: u32) -> Self {
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

/// The work itself: system calls only.
struct OverwriteJob<'a> {
    prepared: &'a PreparedContent,
    file: &'a File,
    /// The length of the new content, in bytes.
    length: u64,
    old_length: u64,
    compares: bool,
    generated: bool,
    buffers: [Vec<u8>; 2],
}

impl OverwriteJob<'_> {
    /// Overwrites the file; `first` is set unless an earlier step has begun to.
    fn carry_out(&mut self, first: bool) -> OverwriteOutcome {
        let prepared = self.prepared;
        if let Some(location) = &prepared.location {
            location.name.link();
        }
        prepared.draft.dismiss_guard();
        if first && let Err(errno) = self.prepare() {
            self.remove_draft();
            return OverwriteOutcome::Untouched(errno);
        }
        if self.generated {
            return self.write_generated_file();
        }
        if let Err(errno) = self.overwrite() {
            return OverwriteOutcome::Torn(errno);
        }
        if let Err(errno) = self.sync() {
            return OverwriteOutcome::Unsure(errno);
        }
        self.remove_draft();
        OverwriteOutcome::Done
    }

    fn remove_draft(&self) {
        if let Some(location) = &self.prepared.location {
            location.name.unlink();
        }
    }

    /// Everything that may fail before the first byte changes.
    fn prepare(&self) -> Result<(), Errno> {
        ignore_unsupported_sync(self.prepared.draft.sync())?;
        if self.generated || self.length == 0 {
            return Ok(());
        }
        loop {
            match fallocate(self.file, FallocateFlags::KEEP_SIZE, 0, self.length) {
                Ok(()) => return Ok(()),
                Err(Errno::INTR) => {}
                Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::NODEV | Errno::INVAL) => {
                    return self.make_room_by_hand();
                }
                Err(errno) => return Err(errno),
            }
        }
    }

    /// Makes room on file systems that cannot reserve any: writes zeroes where there was nothing.
    fn make_room_by_hand(&self) -> Result<(), Errno> {
        let made = (|| {
            let mut offset = 0;
            while offset < self.length {
                let end = self.length.min(self.old_length);
                let there = next_data(self.file, offset, end).unwrap_or(self.length..self.length);
                self.clear_by_hand(offset, there.start)?;
                offset = there.end;
            }
            Ok(())
        })();
        if made.is_err() && self.old_length < self.length {
            let _ = ftruncate(self.file, self.old_length);
        }
        made
    }

    /// Writes zeroes.
    fn clear_by_hand(&self, from: u64, to: u64) -> Result<(), Errno> {
        // In static memory, because this process may only make system calls.
        static ZEROES: [u8; 4096] = [0; 4096];
        let mut offset = from;
        while offset < to {
            let length =
                usize::try_from(to - offset).map_or(ZEROES.len(), |left| left.min(ZEROES.len()));
            positioned_io::write_at(self.file, &ZEROES[..length], offset)?;
            offset += length as u64;
        }
        Ok(())
    }

    /// Writes a file that the kernel generates from its start, because some of them reject other
    /// offsets.
    fn write_generated_file(&mut self) -> OverwriteOutcome {
        let [piece, _] = &mut self.buffers;
        // A file that has no positions is written to all the same.
        let _ = rustix::fs::seek(self.file, rustix::fs::SeekFrom::Start(0));
        let mut offset = 0;
        loop {
            let handed = positioned_io::read_at(&self.prepared.draft.file, piece, offset).and_then(
                |count| {
                    let piece = &piece[..count];
                    if piece.is_empty() {
                        return Ok(0);
                    }
                    rustix::io::retry_on_intr(|| rustix::io::write(self.file, piece))
                },
            );
            match handed {
                Ok(0) if offset == self.length => return OverwriteOutcome::Done,
                Ok(0) => return OverwriteOutcome::Torn(Errno::IO),
                Ok(count) => offset += count as u64,
                Err(errno) if offset == 0 => return OverwriteOutcome::Untouched(errno),
                Err(errno) => return OverwriteOutcome::Torn(errno),
            }
        }
    }

    fn overwrite(&mut self) -> Result<(), Errno> {
        let mut offset = 0;
        while offset < self.length {
            offset += self.write_piece(offset)?;
        }
        let size = u64::try_from(fstat(self.file)?.st_size).unwrap_or(0);
        if size != self.length {
            ftruncate(self.file, self.length)?;
        }
        Ok(())
    }

    /// Writes the changed bytes of the next piece, which starts at `offset`, and returns the
    /// length of the piece.
    fn write_piece(&mut self, offset: u64) -> Result<u64, Errno> {
        let [fresh, there] = &mut self.buffers;
        let limit = usize::try_from(self.length - offset)
            .unwrap_or(PIECE)
            .min(PIECE);
        let count = positioned_io::read_at(&self.prepared.draft.file, &mut fresh[..limit], offset)?;
        if count == 0 {
            return Err(Errno::IO);
        }
        let fresh = &fresh[..count];
        let mut changes = 0..count;
        if self.compares {
            let known = positioned_io::read_at(self.file, &mut there[..count], offset)?;
            changes = differing(&there[..known], fresh);
        }
        let from = offset + changes.start as u64;
        positioned_io::write_at(self.file, &fresh[changes], from)?;
        Ok(count as u64)
    }

    /// Waits until the disk, if there is one, has the new content: only then may the draft go.
    fn sync(&self) -> Result<(), Errno> {
        if in_memory(self.file)? {
            return Ok(());
        }
        ignore_unsupported_sync(fdatasync(self.file))
    }
}

/// The range from the first byte that differs to the last; `old` may be shorter than `new`.
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

/// Treats "sync is not supported" as success: such a file system has no disk that could fail.
fn ignore_unsupported_sync(synced: Result<(), Errno>) -> Result<(), Errno> {
    match synced {
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP | Errno::ROFS) => Ok(()),
        synced => synced,
    }
}

#[cfg(test)]
mod tests;
