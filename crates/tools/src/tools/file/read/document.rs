//! Documents, as the Markdown that they are converted to.

use std::path::Path;
use std::time::{Duration, Instant};

use super::converted_text::ConvertedLines;
use super::lines::LineRange;
use crate::contract::call_terms::{Audience, CallTerms};
use crate::contract::failure::{ErrorCode, Failure};
use crate::contract::reply::Reply;
use crate::tools::file::{composed, failure};
use iki_base::signature::{self, COMPOUND};
use iki_base::wording::{count_noun, quoted_for_shell};
use iki_conversion::{self as conversion, HelperPrograms};
use iki_document::{Document, DocumentCuts, DocumentError, FileKind, MAX_FILE, PdfError};
use iki_files::FileContent;
use iki_web::body_text;
use iki_web::client::unpack_gzip;

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

/// The answer to a call for a document, or else the note on a file that only begins as one.
pub fn reply<'a>(
    wanted: &LineRange<'a>,
    content: &FileContent,
    terms: &CallTerms,
) -> Result<Result<Reply<'a>, Option<String>>, Failure> {
    let wanted = *wanted;
    let failed = |error| failure::from_access_error(wanted.path, &error);
    let head = content.bytes_at(0, SAMPLE_BYTES).map_err(failed)?;
    let facts = content.facts();
    let is_text = facts.kind.is_none();
    let of_mail = |bytes: &[u8]| is_named_as_mail(wanted.path).then(|| FileKind::of_mail(bytes));
    // A text may merely mention the mark of PDF files.
    let is_marked = || {
        head.starts_with(b"%PDF")
            || head.trim_ascii_start().starts_with(b"{")
            || FileKind::detect(&head) == Some(FileKind::Eml)
    };
    let is_packed = signature::is_gzip(&head);
    let may_be_one = FileKind::may_begin_with(&head) && (!is_text || is_marked());
    let begins_so = head.starts_with(signature::ZIP) || head.starts_with(COMPOUND);
    if let Some(kind) = named_kind(wanted.path).filter(|_| is_text && begins_so) {
        return Ok(Err(Some(shown_as_it_is(
            kind,
            &DocumentError::Damaged.to_string(),
        ))));
    }
    if !may_be_one && !is_packed && of_mail(&head).flatten().is_none() {
        return Ok(Err(None));
    }
    let mut bytes = content.bytes_at(0, MAX_FILE + 1).map_err(failed)?;
    let mut cuts = DocumentCuts {
        size_limit: (bytes.len() > MAX_FILE).then_some(MAX_FILE >> 20),
        ..DocumentCuts::default()
    };
    if is_packed {
        let Some(unpacked) = unpack_gzip(&bytes) else {
            return Ok(Err(None));
        };
        if let Some((_, words)) = unpacked.other_file() {
            let size = facts.size.map_or_else(String::new, |size| {
                format!(", {}", count_noun(size, "byte"))
            });
            let words = format!("binary file: {words}, packed with gzip{size}");
            let is_for_model = terms.reader == Audience::Model;
            let reply =
                is_for_model.then(|| Reply::new(move |object| object.nothing_found(&words)));
            return Ok(reply.ok_or(None));
        }
        (bytes, cuts) = (unpacked.bytes, unpacked.cuts);
    }
    let refused = |kind: FileKind, why: String| {
        let message = format!("Failed to read file: {} ({})", wanted.path, kind.label());
        Failure::new(ErrorCode::ReadFailed, message).with_note(why)
    };
    let Some(kind) = of_mail(&bytes)
        .flatten()
        .or_else(|| FileKind::detect(&bytes))
    else {
        if let Some(kind) = named_kind(wanted.path).filter(|_| begins_so) {
            return Err(refused(kind, DocumentError::Damaged.to_string()));
        }
        let unpacked = is_packed.then(|| of_packed_text(wanted, &bytes, cuts));
        return Ok(unpacked.flatten().ok_or(None));
    };
    let mut is_empty_notebook = false;
    let document = if let Some(limit) = cuts.size_limit {
        Err(format!(
            "It has more than {limit} MiB, which is the most that is read of one."
        ))
    } else {
        let end = Instant::now() + terms.time_left(CONVERSION_TIMEOUT) * 9 / 10;
        let programs = HelperPrograms::of_file_call();
        conversion::convert_file(&bytes, kind, end, programs).map_err(|error| {
            is_empty_notebook = matches!(error.error, DocumentError::NoText(FileKind::Ipynb));
            let is_scan = matches!(error.error, DocumentError::Pdf(PdfError::OnlyImages { .. }));
            let advice = ocr_command_advice(&wanted, terms).filter(|_| is_scan);
            format!("{error}{}", advice.unwrap_or_default())
        })
    };
    let document = match document {
        Ok(document) => document,
        // It is no document, or can be read as it is.
        Err(why) if is_text => {
            let is_named_so = named_kind(wanted.path) == Some(kind);
            let remark = if is_empty_notebook {
                "It is an empty notebook, shown as it is, in JSON.".to_owned()
            } else {
                shown_as_it_is(kind, &why)
            };
            return Ok(Err(is_named_so.then_some(remark)));
        }
        Err(why) => return Err(refused(kind, why)),
    };
    let shown_as = format!("{} file, shown as Markdown", kind.label());
    let shown = ShownText {
        document: document.cut(cuts),
        shown_as,
        what: "document",
        edit: words_on_edits(kind, &head),
    };
    Ok(Ok(reply_of(wanted, shown)))
}

/// What `file_edit` takes of a document that begins with `head`.
fn words_on_edits(kind: FileKind, head: &[u8]) -> &'static str {
    match kind {
        _ if composed::binary_words(head).is_some() => UNSEEN,
        FileKind::Ipynb => {
            "file_edit takes the file's JSON, in which each line of a cell is a string"
        }
        _ => "file_edit takes the text that is in the file, which is another",
    }
}

/// What `file_edit` sees of a text that is in no file.
const UNSEEN: &str = "file_edit does not see this text";

/// The kind of document that a file is by its name.
fn named_kind(path: &str) -> Option<FileKind> {
    let extension = Path::new(path).extension()?;
    let mut kinds = FileKind::ALL.into_iter();
    let is_it = |kind: &FileKind| extension.eq_ignore_ascii_case(kind.name());
    kinds.find(is_it).filter(|kind| *kind != FileKind::Zip)
}

/// The note on a file that is named as a document, and is shown as text.
fn shown_as_it_is(kind: FileKind, why: &str) -> String {
    let label = kind.label();
    format!("It begins as {label} does, and is shown as it is, not as Markdown: {why}")
}

/// True for the name of a mail or a mailbox, which may be in a gzip file.
fn is_named_as_mail(path: &str) -> bool {
    let name = path.to_ascii_lowercase();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    [".eml", ".mbox"]
        .iter()
        .any(|ending| name.ends_with(ending))
}

/// The answer with the text of a gzip file; `None` if it is none.
fn of_packed_text<'a>(
    wanted: LineRange<'a>,
    bytes: &[u8],
    cuts: DocumentCuts,
) -> Option<Reply<'a>> {
    let document = Document {
        markdown: body_text::read(bytes, None, "", cuts.lack_end()).ok()?.text,
        ..Document::default()
    };
    let shown_as = "gzip file, shown unpacked".to_owned();
    let shown = ShownText {
        document: document.cut(cuts),
        shown_as,
        what: "file",
        edit: UNSEEN,
    };
    Some(reply_of(wanted, shown))
}

/// A text that is shown in place of a file's bytes.
struct ShownText {
    document: Document,
    /// The file's kind, and how it is shown.
    shown_as: String,
    /// The word for the file.
    what: &'static str,
    /// What `file_edit` sees of it.
    edit: &'static str,
}

fn reply_of(
    wanted: LineRange<'_>,
    ShownText {
        document,
        shown_as,
        what,
        edit,
    }: ShownText,
) -> Reply<'_> {
    Reply::new(move |object| {
        if object.terms().reader != Audience::Person {
            let edit = format!(": {edit}");
            let edit = object.terms().if_served("file_edit", &edit);
            object.note(format!("{shown_as}{edit}."));
            object.note(document.remark_on_programs.as_ref().map(|remark| {
                let is_whole = document.cuts.scans == 0;
                let ocr_command_advice =
                    ocr_command_advice(&wanted, object.terms()).filter(|_| !is_whole);
                format!("{remark}{}", ocr_command_advice.unwrap_or_default())
            }));
        }
        let cuts = document.cuts;
        if !cuts.lack_end() {
            let lines = ConvertedLines::select(&document.markdown, &wanted);
            return lines.answer(object, &wanted, what);
        }
        // A notice at its end would be taken for one of its lines.
        let text = document.own_text();
        let mut notices = cuts.notices();
        if object.terms().reader == Audience::Person {
            notices.extend(document.remark_on_programs.clone());
        }
        if cuts.size_limit.is_some() && object.terms().serves("bash") {
            let (file, last) = (quoted_for_shell(wanted.path), text.lines().count());
            notices.push(format!(
                "With bash, `zcat {file} | tail -n +{last}` goes on."
            ));
        }
        let cut = notices.join(" ");
        let lines = ConvertedLines {
            cut: Some(&cut),
            ..ConvertedLines::select(text, &wanted)
        };
        lines.answer(object, &wanted, what)
    })
}
