//! A bibliography in a file of the caller's, who must be able to read it with `file_read` as well:
//! a tool that tells others what it reads reaches no further than that one.

use std::fs::File;
use std::io::Read as _;
use std::os::fd::{AsFd as _, AsRawFd as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::{Mode, OFlags};

use super::request::{MAX_BYTES, broken_json};
use crate::contract::call_terms::CallTerms;
use crate::contract::failure::{ErrorCode, Failure};
use crate::tools::web::research_failure;
use crate::tools::web::searching::search_fields::invalid_request;
use iki_base::wording::system_words;
use iki_conversion::{self as conversion, HelperPrograms};
use iki_document::{FileKind, MAX_FILE};
use iki_process::sandbox::confinement::{self, AccessRight};
use iki_research::references::bibliography::Bibliography;
use iki_web::body_text;

/// The longest time for a conversion, of the call's.
const CONVERSION_TIMEOUT: Duration = Duration::from_secs(8);

/// Reads the bibliography in a file.
pub fn read(path: &str, terms: &CallTerms) -> Result<Bibliography, Failure> {
    if !terms.serves("file_read") {
        return Err(invalid_request(
            "file_path is there only beside file_read, which is not served",
            "Send the references as text.",
        ));
    }
    let bytes = bytes_of(path)?;
    let text = text_of(path, &bytes, terms)?;
    if let Some(fault) = Bibliography::fault(&text) {
        return Err(broken_json(&fault));
    }
    Bibliography::of_document(&text).ok_or_else(|| {
        invalid_request(
            format!("{path} is neither BibTeX, RIS nor CSL-JSON, and has no heading of references"),
            "Send the references as text.",
        )
    })
}

fn bytes_of(path: &str) -> Result<Vec<u8>, Failure> {
    let failed = |code, why: &str| research_failure::with_advice(code, format!("{path}: {why}."));
    let denied = || {
        failed(
            ErrorCode::PermissionDenied,
            "it is not within the directories to which this call is confined",
        )
    };
    let bounds = confinement::current();
    let start = bounds.and_then(|bounds| bounds.start_directory());
    let place = start.map_or_else(|| PathBuf::from(path), |start| start.join(path));
    if !confinement::is_within_reach(&place) {
        return Err(denied());
    }
    let system = |error: &std::io::Error| {
        let code = match error.kind() {
            std::io::ErrorKind::NotFound => ErrorCode::NotFound,
            std::io::ErrorKind::PermissionDenied => ErrorCode::PermissionDenied,
            _ => ErrorCode::ReadFailed,
        };
        failed(code, &system_words(error))
    };
    // A pipe is not waited for.
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
    let opened = rustix::fs::open(&place, flags, Mode::empty());
    let file = File::from(opened.map_err(|error| system(&error.into()))?);
    // The name may lead to another file by now.
    let real = std::fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd()));
    let is_within = real.is_ok_and(|real| confinement::is_within_reach(Path::new(&real)));
    if bounds.is_some() && !is_within || confinement::masks_open(file.as_fd(), AccessRight::Read) {
        return Err(denied());
    }
    let facts = file.metadata().map_err(|error| system(&error))?;
    if !facts.is_file() {
        return Err(failed(ErrorCode::ReadFailed, "it is no regular file"));
    }
    let mut bytes = Vec::new();
    let limit = u64::try_from(MAX_FILE + 1).unwrap_or(u64::MAX);
    file.take(limit)
        .read_to_end(&mut bytes)
        .map_err(|error| system(&error))?;
    if bytes.len() > MAX_FILE {
        return Err(failed(ErrorCode::ReadFailed, "it is too large"));
    }
    Ok(bytes)
}

/// Returns a file as text: a document as Markdown.
fn text_of(path: &str, bytes: &[u8], terms: &CallTerms) -> Result<String, Failure> {
    let kind = FileKind::detect(bytes).filter(|_| std::str::from_utf8(bytes).is_err());
    let Some(kind) = kind else {
        let text = &bytes[..bytes.len().min(MAX_BYTES)];
        return Ok(match std::str::from_utf8(text) {
            Ok(text) => text.to_owned(),
            Err(_) => body_text::guess(text, false).map_or_else(
                || String::from_utf8_lossy(text).into_owned(),
                |encoding| encoding.decode(text).0.into_owned(),
            ),
        });
    };
    let end = Instant::now() + terms.time_left(CONVERSION_TIMEOUT);
    let document = conversion::convert_file(bytes, kind, end, HelperPrograms::of_file_call());
    document.map(|document| document.markdown).map_err(|error| {
        let message = format!("{path} ({}) cannot be read: {error}", kind.label());
        research_failure::with_advice(ErrorCode::ReadFailed, message)
    })
}
