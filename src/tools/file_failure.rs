//! What the three file tools say of a file that cannot be worked with, in the specification's
//! words.

use crate::contract::failure::{Code, Failure};
use crate::files::FileError;

/// The failure that `error` is for whoever asked for `path`.
pub fn of(path: &str, error: &FileError) -> Failure {
    let (code, message) = match error {
        FileError::NotFound => (Code::FileNotFound, format!("File not found: {path}")),
        FileError::PermissionDenied => {
            (Code::PermissionDenied, format!("Permission denied: {path}"))
        }
        FileError::Refused(reason) => (
            Code::PermissionDenied,
            format!("Permission denied: {path}{reason}"),
        ),
        FileError::Open(reason) => (
            Code::OpenFailed,
            format!("Cannot open file: {path}{reason}"),
        ),
        FileError::Seek => (Code::SeekFailed, format!("Cannot seek file: {path}")),
        FileError::Size => (Code::SizeFailed, format!("Cannot get file size: {path}")),
        FileError::Read(reason) => (
            Code::ReadFailed,
            format!("Failed to read file: {path}{reason}"),
        ),
        FileError::Write(reason) => (
            Code::WriteFailed,
            format!("Failed to write file: {path}{reason}"),
        ),
        FileError::NoSpace => (Code::NoSpace, format!("No space left on device: {path}")),
    };
    Failure::new(code, message)
}

/// The last part of `path`, as answers name a file.
pub fn base_name(path: &str) -> &str {
    let trimmed = path.trim_end_matches('/');
    trimmed.rsplit_once('/').map_or(trimmed, |(_, name)| name)
}
