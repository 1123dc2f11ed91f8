//! Text documents and presentations from before 2007, by an installed program: by `LibreOffice`,
//! which turns them into those of today, else by one that writes their text.
//!
//! Rules: `soffice --help`, `antiword(1)`, `catdoc(1)`, `catppt(1)`.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use super::confined_program::ConfinedRun;
use super::{ConversionError, HelperPrograms, OFFICE_VARIABLE, UnusableProgram, program_end};
use iki_document::{
    Document, DocumentError, FileKind, FileLimits, MAX_FILE, convert_file, convert_program_text,
};
use iki_process::shell::{self, ProgramError};

/// Names of `LibreOffice`.
const OFFICE_NAMES: [&str; 2] = ["soffice", "libreoffice"];

/// Programs that write the text of a document.
const TEXT_PROGRAMS: [(&str, FileKind, &[&str]); 3] = [
    ("antiword", FileKind::Doc, &["-m", "UTF-8.txt", "-w", "0"]),
    (
        "catdoc",
        FileKind::Doc,
        &["-s", "cp1252", "-d", "utf-8", "-w"],
    ),
    ("catppt", FileKind::Ppt, &["-s", "cp1252", "-d", "utf-8"]),
];

/// Runs a program that writes text on a file.
const TEXT_SCRIPT: &str = r#"ulimit -f 131072 && cat >"$HOME/file" && exec "$0" "$@" "$HOME/file""#;

/// Runs `LibreOffice`, in a profile in which macros are off, on a file named by its kind, and
/// writes what it made of it; no file may have more than 64 MiB.
const OFFICE_SCRIPT: &str = r#"ulimit -f 131072 && cd "$HOME" && mkdir -p own/user && cat >"file.$1" || exit
echo '<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry">
<item oor:path="/org.openoffice.Office.Common/Security/Scripting">
<prop oor:name="DisableMacrosExecution" oor:op="fuse"><value>true</value></prop></item>
</oor:items>' >own/user/registrymodifications.xcu
"$0" '-env:UserInstallation=$SYSUSERHOME/own' --headless --convert-to "$2" --outdir made "file.$1" >/dev/null 2>&1 &&
cat "made/file.$2""#;

/// The programs that read documents of a kind, in the order in which they are tried.
#[must_use]
pub fn find_office_programs(kind: FileKind) -> Vec<PathBuf> {
    let texts = TEXT_PROGRAMS.iter().filter(|(_, reads, _)| *reads == kind);
    let texts = texts.map(|(name, ..)| std::slice::from_ref(name));
    let mut candidates: Vec<PathBuf> = std::iter::once(&OFFICE_NAMES[..])
        .chain(texts)
        .filter_map(|names| shell::find_helper(OFFICE_VARIABLE, names))
        .filter(|program| text_program(program).is_none_or(|(_, reads, _)| *reads == kind))
        .collect();
    // The program that the variable names is found for each list of names.
    candidates.dedup();
    candidates
}

/// The row of a program that writes text.
fn text_program(
    program: &Path,
) -> Option<&'static (&'static str, FileKind, &'static [&'static str])> {
    let name = program.file_name()?;
    TEXT_PROGRAMS.iter().find(|(known, ..)| name == *known)
}

/// Converts a document of a kind that programs read, and says which one has.
pub fn convert(
    bytes: &[u8],
    kind: FileKind,
    limits: &FileLimits,
    programs: HelperPrograms,
) -> Result<Document, ConversionError> {
    let mut candidates = find_office_programs(kind);
    let is_locked = kind.needs_password(bytes);
    // LibreOffice knows the password of files that are only protected from changes.
    candidates.retain(|program| !is_locked || text_program(program).is_none());
    if is_locked && candidates.is_empty() {
        return Err(DocumentError::Encrypted.into());
    }
    if let Some(reason) = UnusableProgram::check(programs, OFFICE_VARIABLE, !candidates.is_empty())
    {
        let remark = match reason {
            UnusableProgram::NotInstalled => advise_on_installation(kind),
            reason => format!("{reason}."),
        };
        return Err(failure(kind, remark));
    }
    let end = program_end(limits.end);
    let mut failed: Option<ConversionError> = None;
    for program in candidates {
        let name = program.file_name().unwrap_or_default().to_string_lossy();
        let error = match convert_by(&program, bytes, kind, (limits, end)) {
            Ok(document) => {
                let how = text_program(&program).map_or("", |_| ", as plain text");
                let before = failed.map_or_else(String::new, |failed| failed.remark + " ");
                let remark = format!("{before}Read by {name}{how}.");
                return Ok(document.with_remark_on_programs(remark, 0, false));
            }
            Err(None) => DocumentError::NoText(kind).into(),
            Err(Some(ProgramError::TimedOut)) => ConversionError {
                is_transient: true,
                ..failure(kind, format!("{name} took too long."))
            },
            Err(Some(ProgramError::TooMuch)) => failure(kind, format!("{name} wrote too much.")),
            Err(_) if is_locked => DocumentError::Encrypted.into(),
            Err(_) => failure(
                kind,
                format!("{name} failed: the file may be damaged, or need a password."),
            ),
        };
        failed.get_or_insert(error);
    }
    Err(failed.unwrap_or_else(|| failure(kind, String::new())))
}

fn failure(kind: FileKind, remark: String) -> ConversionError {
    ConversionError {
        error: DocumentError::LegacyOffice(kind),
        remark,
        is_transient: false,
    }
}

/// Returns the advice to install a program.
fn advise_on_installation(kind: FileKind) -> String {
    let texts = TEXT_PROGRAMS.iter().filter(|(_, reads, _)| *reads == kind);
    let names: Vec<&str> = texts.map(|(name, ..)| *name).collect();
    format!(
        "None is here: install LibreOffice (`soffice`), or `{}`; or find the file as {}X or PDF.",
        names.join("` or `"),
        kind.label()
    )
}

/// Converts a document by a program; the error is `None` if it has no text.
fn convert_by(
    program: &Path,
    bytes: &[u8],
    kind: FileKind,
    (limits, end): (&FileLimits, Instant),
) -> Result<Document, Option<ProgramError>> {
    let text = text_program(program);
    let made = match kind {
        FileKind::Doc => FileKind::Docx,
        FileKind::Ppt => FileKind::Pptx,
        _ => FileKind::Xlsx,
    };
    let names = [kind.name(), made.name()];
    let run = ConfinedRun {
        program,
        arguments: text.map_or(&names, |(.., arguments)| arguments),
        script: Some(text.map_or(OFFICE_SCRIPT, |_| TEXT_SCRIPT)),
        max_bytes: MAX_FILE,
        end,
    };
    let done = run.with(bytes.into())?;
    let read = match text {
        _ if done.code != 0 => Err(DocumentError::Damaged),
        Some(_) => convert_program_text(&done.output, kind, limits),
        None => convert_file(&done.output, made, limits),
    };
    read.map_err(|error| match error {
        DocumentError::NoText(_) => None,
        DocumentError::TooCostly => Some(ProgramError::TooMuch),
        _ => Some(ProgramError::Failed(io::ErrorKind::InvalidData.into())),
    })
}
