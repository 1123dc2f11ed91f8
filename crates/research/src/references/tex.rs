//! Titles that are written in TeX, as text: accents and markup of words are read, formulas stay.
//!
//! Accents and escapes are read by the package `biblatex`, which leaves other commands.

use biblatex::{Bibliography, ChunksExt as _};
use icu_normalizer::ComposingNormalizerBorrowed;

use super::bibtex::{MAX_DEPTH, depth};
use iki_web::page::is_paired;

/// Maximum length of a title that is read, in bytes.
const MAX_BYTES: usize = 4000;

/// Commands before words in braces.
const MARKUP: &str = "emph textit textbf textsl texttt textsc textrm textsf textup text mbox";

/// Commands for all words up to the next brace.
const SWITCHES: &str = "it bf em sl tt sc rm sf itshape bfseries slshape scshape";

/// Returns a title as text; as it is if it has no TeX outside of formulas, or cannot be read.
#[must_use]
pub(crate) fn plain(title: &str) -> String {
    read(title).unwrap_or_else(|| title.to_owned())
}

fn read(title: &str) -> Option<String> {
    if title.len() > MAX_BYTES || !(title.contains('\\') || title.contains("``")) {
        return None;
    }
    let parts: Vec<&str> = title.split('$').collect();
    // Between an odd and an even dollar sign is a formula.
    let texts = || parts.iter().step_by(2);
    let has_tex = texts().any(|text| text.contains('\\') || text.contains("``"));
    if !has_tex || parts.len().is_multiple_of(2) || !is_paired(title) || depth(title) > MAX_DEPTH {
        return None;
    }
    let parts = parts.iter().enumerate();
    let parts = parts.map(|(index, part)| match index % 2 {
        0 => without_markup(part),
        _ => (*part).to_owned(),
    });
    let source = parts.collect::<Vec<_>>().join("$");
    let file = Bibliography::parse(&format!("@misc{{key, title={{{source}}}}}")).ok()?;
    let text = file.iter().next()?.fields.get("title")?.format_verbatim();
    let text = ComposingNormalizerBorrowed::new_nfc()
        .normalize(&text)
        .into_owned();
    Some(text).filter(|text| !text.trim().is_empty())
}

/// Removes the commands for the look of words, and sets quotation marks.
fn without_markup(text: &str) -> String {
    let mut text = text.replace("``", "\u{201c}");
    if text.contains('\u{201c}') {
        text = text.replace("''", "\u{201d}");
    }
    let mut out = String::with_capacity(text.len());
    let mut remainder = text.as_str();
    while let Some(offset) = remainder.find('\\') {
        out.push_str(&remainder[..offset]);
        remainder = &remainder[offset + 1..];
        let end = remainder.find(|c: char| !c.is_ascii_alphabetic());
        let (name, after) = remainder.split_at(end.unwrap_or(remainder.len()));
        let is_one_of = |names: &str| names.split(' ').any(|one| one == name);
        if is_one_of(MARKUP) && after.starts_with('{') {
            remainder = after;
        } else if is_one_of(SWITCHES) && after.starts_with(' ') {
            remainder = after.trim_start();
        } else if matches!(name, "i" | "j") && out.ends_with(['"', '\'', '`', '^', '~', '=']) {
            // Under an accent the letters have no dot anyway.
            out.push_str(name);
            remainder = after.strip_prefix(' ').unwrap_or(after);
        } else {
            out.push('\\');
            let width = remainder.chars().next().map_or(0, char::len_utf8);
            let length = name.len().max(width);
            out.push_str(&remainder[..length]);
            remainder = &remainder[length..];
        }
    }
    out + remainder
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn accents_and_markup_are_read_and_formulas_stay() {
        for (title, text) in [
            (
                r#"Schr\"odinger operators and the H\"{o}lder inequality"#,
                "Schrödinger operators and the Hölder inequality",
            ),
            (
                r"Erd\H{o}s--R\'enyi graphs and Poincar\'{e} maps",
                "Erdős–Rényi graphs and Poincaré maps",
            ),
            (
                r"On \emph{the} $L^p$ norm of ``quotes'' \& more",
                "On the $L^p$ norm of “quotes” & more",
            ),
            (
                r"{\it Ab initio} study of B_s and 50\% of x_1",
                "Ab initio study of B_s and 50% of x_1",
            ),
            (
                r#"A na\"\i ve \v{C}ech and \L{}ukasz"#,
                "A naïve Čech and Łukasz",
            ),
            (
                r"$\mathcal{N}=4$ and $\textit{x}$",
                r"$\mathcal{N}=4$ and $\textit{x}$",
            ),
            (
                "a # b ~ c ^ d & e % f {g} $5",
                "a # b ~ c ^ d & e % f {g} $5",
            ),
            (r"An \'{e} and $5", r"An \'{e} and $5"),
            (r"An {\'e and more", r"An {\'e and more"),
            (r"} \'e {", r"} \'e {"),
            ("", ""),
        ] {
            assert_eq!(plain(title), text, "{title}");
        }
    }

    proptest! {
        #[test]
        fn no_title_panics(title in "([\\\\{}$`'\"a-zé@,=% ]|\\\\it |\\\\emph\\{){0,40}") {
            let _ = plain(&title);
        }
    }
}
