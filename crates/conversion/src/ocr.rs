//! OCR of scanned pages by tesseract: a process for each page, several at once, as many pages as
//! there is time for.
//!
//! Rules: `tesseract(1)`.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{channel, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::confined_program::ConfinedRun;
use super::{HelperPrograms, OCR_VARIABLE, UnusableProgram, find_ocr_program, program_end};
use iki_document::{MAX_SCANS, PdfReading, ScanFault, ScanImage, ScanImages};
use iki_process::shell::{ProgramError, ProgramOutput};

/// Maximum time for listing the languages.
const LISTING_TIMEOUT: Duration = Duration::from_secs(2);

/// Maximum output for a page, in bytes.
const MAX_PAGE_BYTES: usize = 1024 * 1024;

/// Maximum number of pages that are read at once, if there are as many processors.
const MAX_CONCURRENT_PAGES: usize = 4;

/// Maximum number of languages, because each costs time and makes the others worse. If more than
/// `MAX_CHOSEN_LANGUAGES` are installed, nobody chose them: the locale's and English are taken.
const MAX_LANGUAGES: usize = 4;
const MAX_CHOSEN_LANGUAGES: usize = 8;

/// Maximum number of ranges of pages that are named.
const MAX_RANGES: usize = 20;

/// Codes of languages in locales, each before the one of ISO 639-2 that names trained data.
const LANGUAGES: &str = "ar ara bg bul ca cat cs ces da dan de deu el ell es spa et est fa fas fi \
                         fin fr fra he heb hi hin hr hrv hu hun id ind it ita ja jpn ko kor lt \
                         lit lv lav nb nor nl nld no nor pl pol pt por ro ron ru rus sk slk sl \
                         slv sr srp sv swe th tha tr tur uk ukr vi vie zh chi_sim";

/// The reason why a page was not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
enum UnreadReason {
    #[error("no OCR is here: install `tesseract-ocr`")]
    NotInstalled,
    #[error("{0}")]
    Program(UnusableProgram),
    #[error("the image is {0}")]
    Image(ScanFault),
    #[error("OCR failed")]
    Failed,
    #[error("there was no time")]
    Late,
    #[error("OCR found no text")]
    NoText,
    #[error("at most {MAX_SCANS} are read")]
    TooMany,
}

/// The result for each scanned page of a document, by number.
#[derive(Debug, Default)]
pub struct ScanReport {
    pages: Vec<(usize, Result<(), UnreadReason>)>,
    /// The program, and the languages that it read.
    reader: String,
}

impl ScanReport {
    pub fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }

    /// Number of pages that were not read.
    pub fn unread(&self) -> usize {
        let reasons = self.pages.iter().filter_map(|(_, read)| read.err());
        reasons
            .filter(|reason| *reason != UnreadReason::NoText)
            .count()
    }

    /// True if another attempt may read more of them.
    pub fn is_late(&self) -> bool {
        let mut pages = self.pages.iter();
        pages.any(|(_, read)| *read == Err(UnreadReason::Late))
    }

    /// A remark on a document with scanned pages.
    pub fn remark(&self) -> String {
        let mut sentences = Vec::new();
        let read = self.list(Ok(()));
        if !read.is_empty() {
            let reader = &self.reader;
            sentences.push(format!("By OCR ({reader}), which makes mistakes: {read}."));
        }
        let unread = self.unread_lists();
        if !unread.is_empty() {
            sentences.push(format!("Scans that were not read: {unread}."));
        }
        sentences.join(" ")
    }

    /// The pages that were not read, with the reasons.
    fn unread_lists(&self) -> String {
        let mut reasons: Vec<UnreadReason> = Vec::new();
        for reason in self.pages.iter().filter_map(|(_, read)| read.err()) {
            if !reasons.contains(&reason) {
                reasons.push(reason);
            }
        }
        let lists = reasons
            .iter()
            .map(|reason| format!("{} ({reason})", self.list(Err(*reason))));
        lists.collect::<Vec<_>>().join("; ")
    }

    /// The numbers of the pages with this result: `page 3`, `pages 1 to 4, 7`.
    fn list(&self, result: Result<(), UnreadReason>) -> String {
        let mut ranges: Vec<(usize, usize)> = Vec::new();
        for (number, _) in self.pages.iter().filter(|(_, read)| *read == result) {
            match ranges.last_mut() {
                Some((_, last)) if *last + 1 == *number => *last = *number,
                _ => ranges.push((*number, *number)),
            }
        }
        let ranges_text = ranges.iter().take(MAX_RANGES).map(|range| match range {
            (first, last) if first == last => first.to_string(),
            (first, last) if first + 1 == *last => format!("{first}, {last}"),
            (first, last) => format!("{first} to {last}"),
        });
        let mut ranges_text = ranges_text.collect::<Vec<_>>().join(", ");
        if ranges.len() > MAX_RANGES {
            ranges_text += " and more";
        }
        match ranges.as_slice() {
            [] => ranges_text,
            [(first, last)] if first == last => format!("page {ranges_text}"),
            _ => format!("pages {ranges_text}"),
        }
    }
}

/// Recognises the scanned pages of a document that is to be there at `end`: the text of each that
/// has one, by number, and the report on all.
pub fn recognise(
    pdf: &PdfReading<'_>,
    programs: HelperPrograms,
    end: Option<Instant>,
) -> (Vec<(usize, String)>, ScanReport) {
    let pages = pdf.scanned_pages();
    let (mut texts, mut report) = (Vec::new(), ScanReport::default());
    if pages.is_empty() {
        return (texts, report);
    }
    let program = match find_program(programs) {
        Ok(program) => program,
        Err(reason) => {
            let unread = pages.into_iter().map(|page| (page, Err(reason)));
            report.pages.extend(unread);
            return (texts, report);
        }
    };
    let engine = OcrEngine::start(&program, program_end(end));
    report.reader = engine.name();
    let mut read = engine.read_pages(pages.len().min(MAX_SCANS), &pdf.images());
    for (index, page) in pages.into_iter().enumerate() {
        let result = match read.iter().position(|(read, _)| *read == index) {
            Some(position) => read.swap_remove(position).1,
            None if index < MAX_SCANS => Err(UnreadReason::Late),
            None => Err(UnreadReason::TooMany),
        };
        let result = result.map(|text| texts.push((page, text)));
        report.pages.push((page, result));
    }
    (texts, report)
}

fn find_program(programs: HelperPrograms) -> Result<PathBuf, UnreadReason> {
    let program = find_ocr_program();
    match UnusableProgram::check(programs, OCR_VARIABLE, program.is_some()) {
        Some(UnusableProgram::NotInstalled) => Err(UnreadReason::NotInstalled),
        Some(reason) => Err(UnreadReason::Program(reason)),
        None => Ok(program.unwrap_or_default()),
    }
}

fn run_program(
    program: &Path,
    arguments: &[&str],
    input: Cow<'_, [u8]>,
    end: Instant,
) -> Result<ProgramOutput, ProgramError> {
    let run = ConfinedRun {
        program,
        arguments,
        script: None,
        max_bytes: MAX_PAGE_BYTES,
        end,
    };
    run.with(input)
}

/// The program, for the pages of one document.
struct OcrEngine<'a> {
    program: &'a Path,
    /// Languages, joined by `+`; empty for its own choice.
    languages: String,
    /// True if it can detect how a page is turned.
    detects_turns: bool,
    end: Instant,
}

/// The result for the page at an index.
type PageResult = (usize, Result<String, UnreadReason>);

impl<'a> OcrEngine<'a> {
    /// Asks the program for its languages.
    fn start(program: &'a Path, end: Instant) -> Self {
        let within = end.min(Instant::now() + LISTING_TIMEOUT);
        let listed = run_program(program, &["--list-langs"], Cow::default(), within);
        let listed = listed.map_or_else(|_| Vec::new(), |listed| listed.output);
        let listed = String::from_utf8_lossy(&listed);
        let is_name = |line: &&str| {
            !line.is_empty()
                && line
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        };
        let names: Vec<&str> = listed.lines().map(str::trim).filter(is_name).collect();
        Self {
            program,
            languages: choose_languages(&names, &user_locale()).join("+"),
            detects_turns: names.contains(&"osd"),
            end,
        }
    }

    fn name(&self) -> String {
        let name = self.program.file_name().unwrap_or_default();
        match &*self.languages {
            "" => name.to_string_lossy().into_owned(),
            languages => format!("{}, {languages}", name.to_string_lossy()),
        }
    }

    /// Reads the first `count` pages, as far as there is time.
    fn read_pages(&self, count: usize, images: &ScanImages<'_>) -> Vec<PageResult> {
        let (jobs, queue) = sync_channel::<(usize, ScanImage)>(0);
        let (results, read) = channel();
        let queue = Mutex::new(queue);
        let work = || {
            loop {
                let job = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
                let Ok((index, image)) = job else { break };
                let _ = results.send((index, self.read_page(image)));
            }
        };
        thread::scope(|scope| {
            let limit = thread::available_parallelism().map_or(1, usize::from);
            let workers = (0..limit.min(MAX_CONCURRENT_PAGES).min(count)).filter(|_| {
                let started = thread::Builder::new().spawn_scoped(scope, work);
                started.is_ok()
            });
            // Nobody would take a job.
            let count = if workers.count() > 0 { count } else { 0 };
            for index in 0..count {
                if Instant::now() >= self.end {
                    break;
                }
                match images.image(index) {
                    Ok(image) => drop(jobs.send((index, image))),
                    Err(fault) => drop(results.send((index, Err(UnreadReason::Image(fault))))),
                }
            }
            drop(jobs);
        });
        read.try_iter().collect()
    }

    fn read_page(&self, image: ScanImage) -> Result<String, UnreadReason> {
        if Instant::now() >= self.end {
            return Err(UnreadReason::Late);
        }
        let mut arguments = vec!["stdin", "stdout"];
        if !self.languages.is_empty() {
            arguments.extend(["-l", &self.languages]);
        }
        let dpi = image.dpi.map(|dpi| dpi.to_string());
        if let Some(dpi) = &dpi {
            arguments.extend(["--dpi", dpi]);
        }
        if image.is_turned && self.detects_turns {
            arguments.extend(["--psm", "1"]);
        }
        match run_program(self.program, &arguments, image.bytes.into(), self.end) {
            Ok(done) if done.code == 0 => {
                let text = String::from_utf8_lossy(&done.output).into_owned();
                Some(text)
                    .filter(|text| !text.trim().is_empty())
                    .ok_or(UnreadReason::NoText)
            }
            Err(ProgramError::TimedOut) => Err(UnreadReason::Late),
            _ => Err(UnreadReason::Failed),
        }
    }
}

/// The user's locale, as far as it names a language.
fn user_locale() -> String {
    let mut names = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter();
    let set = names.find_map(|name| std::env::var(name).ok().filter(|value| !value.is_empty()));
    set.unwrap_or_default()
}

/// Chooses from the installed languages: the locale's and English first.
fn choose_languages<'l>(installed: &[&'l str], locale: &str) -> Vec<&'l str> {
    let code = locale.split(['_', '.', '@']).next().unwrap_or_default();
    let mut codes = LANGUAGES.split_ascii_whitespace();
    let language_code = codes.find(|one| *one == code).and_then(|_| codes.next());
    let rank = |name: &str| match name {
        _ if Some(name) == language_code => 0,
        "eng" => 1,
        _ => 2,
    };
    let is_language = |name: &&str| !matches!(*name, "osd" | "equ") && !name.ends_with("_vert");
    let mut chosen: Vec<&str> = installed.iter().copied().filter(is_language).collect();
    chosen.sort_by_key(|name| rank(name));
    if chosen.len() > MAX_CHOSEN_LANGUAGES {
        chosen.retain(|name| rank(name) < 2);
    }
    chosen.truncate(MAX_LANGUAGES);
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_locale_s_language_comes_first_english_second_and_four_are_enough() {
        let all = ["afr", "deu", "eng", "equ", "fra", "ita", "osd"];
        assert_eq!(
            choose_languages(&all, "de_AT.UTF-8"),
            ["deu", "eng", "afr", "fra"]
        );
        for locale in ["C.UTF-8", "", "xx_YY", "en_GB"] {
            assert_eq!(choose_languages(&all, locale)[0], "eng", "{locale}");
        }
        assert!(choose_languages(&["osd"], "").is_empty());
        let many = [
            "afr", "amh", "ara", "asm", "aze", "bel", "ben", "deu", "eng",
        ];
        assert_eq!(choose_languages(&many, "de"), ["deu", "eng"]);
    }

    #[test]
    fn a_report_names_pages_and_reasons() {
        let late = Err(UnreadReason::Late);
        let jbig2 = Err(UnreadReason::Image(ScanFault::Format));
        let report = ScanReport {
            pages: vec![
                (1, Ok(())),
                (2, Ok(())),
                (4, jbig2),
                (6, late),
                (7, late),
                (9, late),
            ],
            reader: "tesseract, eng".to_owned(),
        };
        assert_eq!(
            report.remark(),
            "By OCR (tesseract, eng), which makes mistakes: pages 1, 2. Scans that were not read: \
             page 4 (the image is in a format that is not read, such as JBIG2); pages 6, 7, 9 \
             (there was no time)."
        );
        assert!(report.is_late() && report.unread() == 4);
    }
}
