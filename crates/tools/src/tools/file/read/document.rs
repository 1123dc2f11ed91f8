//! Documents, as the Markdown that they are converted to.

use std::time::{Duration, Instant};

use super::lines::LineRange;
use super::made_text::MadeLines;
use crate::contract::call_terms::{Audience, CallTerms};
use crate::contract::failure::{ErrorCode, Failure};
use crate::contract::reply::Reply;
use crate::tools::file::failure;
use iki_base::wording::quoted_for_shell;
use iki_conversion::{self as conversion, HelperPrograms};
use iki_document::{DocumentError, FileKind, FileLimits, MAX_FILE};
use iki_files::FileContent;
use iki_process::sandbox::confinement;

/// The longest time for a conversion.
const CONVERSION_TIMEOUT: Duration = Duration::from_secs(25);

/// The first bytes that tell if a file may be a document.
const SAMPLE_BYTES: usize = 8 * 1024;

/// A command that reads a scan, for a caller who has one.
fn ocr_command_advice(wanted: &LineRange<'_>, terms: &CallTerms) -> Option<String> {
    terms.serves("bash").then(|| {
        format!(
            " In bash, where they are installed, `pdftoppm -r 300 -gray -f 1 -l 1 {} page` and \
             `tesseract page-1.pgm -` read page 1.",
            quoted_for_shell(wanted.path)
        )
    })
}

/// The answer to a call for a document; `None` if the file is none.
pub fn reply<'a>(
    wanted: &LineRange<'a>,
    content: &FileContent,
    terms: &CallTerms,
) -> Result<Option<Reply<'a>>, Failure> {
    let wanted = *wanted;
    let failed = |error| failure::of(wanted.path, &error);
    let head = content.bytes_at(0, SAMPLE_BYTES).map_err(failed)?;
    let facts = content.facts();
    let is_text = facts.kind.is_none();
    // A text may merely mention the mark of PDF files.
    let is_marked = || {
        head.starts_with(b"%PDF")
            || head.trim_ascii_start().starts_with(b"{")
            || FileKind::of(&head) == Some(FileKind::Eml)
    };
    if !FileKind::may_begin_with(&head) || is_text && !is_marked() {
        return Ok(None);
    }
    let bytes = content.bytes_at(0, MAX_FILE + 1).map_err(failed)?;
    let Some(kind) = FileKind::of(&bytes) else {
        return Ok(None);
    };
    let refused = |why: String| {
        let message = format!("Failed to read file: {} ({})", wanted.path, kind.label());
        Failure::new(ErrorCode::ReadFailed, message).with_note(why)
    };
    let document = if bytes.len() > MAX_FILE {
        let most = MAX_FILE >> 20;
        Err(format!(
            "It has more than {most} MiB, which is the most that is read of one."
        ))
    } else {
        let limits = FileLimits {
            end: Some(Instant::now() + terms.left(CONVERSION_TIMEOUT) * 9 / 10),
            ..FileLimits::default()
        };
        // Where the kernel keeps this process to directories, it lets it start no program.
        let programs = if confinement::confines_own_files() {
            HelperPrograms::Barred
        } else {
            HelperPrograms::Installed
        };
        conversion::convert_file(&bytes, kind, &limits, programs).map_err(|error| {
            let is_scan = matches!(error.error, DocumentError::OnlyImages { .. });
            let advice = ocr_command_advice(&wanted, terms).filter(|_| is_scan);
            format!("{error}{}", advice.unwrap_or_default())
        })
    };
    let document = match document {
        Ok(document) => document,
        // It is no document, or can be read as it is.
        Err(_) if is_text => return Ok(None),
        Err(why) => return Err(refused(why)),
    };
    Ok(Some(Reply::new(move |object| {
        if object.terms().reader != Audience::Person {
            let edit = ": file_edit does not see this text";
            let edit = object.terms().if_served("file_edit", edit);
            object.note(format!("{} file, shown as Markdown{edit}.", kind.label()));
            object.note(document.remark_on_programs.as_ref().map(|remark| {
                let is_whole = document.cuts.scans == 0;
                let ocr_command_advice =
                    ocr_command_advice(&wanted, object.terms()).filter(|_| !is_whole);
                format!("{remark}{}", ocr_command_advice.unwrap_or_default())
            }));
        }
        let lines = MadeLines::of(&document.markdown, &wanted);
        lines.answer(object, &wanted, "document")
    })))
}
