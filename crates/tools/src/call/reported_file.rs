//! Reports to the server which file a call touched, with its state before and after, so that the
//! server can tell a caller that somebody else changed the file. The call's process reports it,
//! because only that process is confined.

use std::fs;
use std::hash::{DefaultHasher, Hasher};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::contract::failure::Failure;
use crate::contract::reply::Reply;

/// The field in which a call's process reports the file to its server.
pub const FIELD: &str = "_file";

/// A file of a call, and its states as a call can tell them apart.
#[derive(Serialize, Deserialize)]
pub struct ReportedFile {
    /// Its path, with all links followed.
    pub path: String,
    /// Its state before the call, if it was there.
    pub before: Option<String>,
    /// Its state after the call.
    pub after: Option<String>,
}

/// Carries out a call for a server with `run`, and reports the file at `path`.
pub(crate) fn run_and_report_file<'a>(
    path: &str,
    run: impl FnOnce() -> Result<Reply<'a>, Failure>,
) -> Result<Reply<'a>, Failure> {
    let path = Path::new(path).to_owned();
    let before = state_of(&path);
    let reply = run()?;
    Ok(Reply::new(move |object| {
        reply.write(object)?;
        let Ok(real) = fs::canonicalize(&path) else {
            return Ok(());
        };
        let file = ReportedFile {
            path: real.to_string_lossy().into_owned(),
            before,
            after: state_of(&path),
        };
        object.field_for_server(FIELD, &file)
    }))
}

/// The largest file, in bytes, of whose content the state is a sum.
const MAX_SUMMED_BYTES: usize = 256 * 1024;

/// A sum of the content or, of a larger file, the time of its last change; and the size.
fn state_of(path: &Path) -> Option<String> {
    let status = fs::metadata(path).ok()?;
    let size = status.len();
    if size <= MAX_SUMMED_BYTES as u64
        && let Some((content, true)) = iki_files::read_beginning(path, MAX_SUMMED_BYTES, None)
    {
        let mut sum = DefaultHasher::new();
        sum.write(&content);
        return Some(format!("{:x} {size}", sum.finish()));
    }
    let (seconds, nanoseconds) = (status.mtime(), status.mtime_nsec());
    Some(format!("{seconds}.{nanoseconds} {size}"))
}
