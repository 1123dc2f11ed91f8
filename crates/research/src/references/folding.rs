//! Letters and words by which titles and names are compared: without case, accents, markup of HTML
//! and TeX, and whatever is neither letter nor digit.

use icu_normalizer::DecomposingNormalizerBorrowed;

use iki_web::search::html_text;

/// Letters that no decomposition takes apart.
const LETTERS: &[(char, &str)] = &[
    ('ß', "ss"),
    ('æ', "ae"),
    ('œ', "oe"),
    ('ø', "o"),
    ('ł', "l"),
    ('đ', "d"),
    ('ð', "d"),
    ('þ', "th"),
    ('ı', "i"),
    ('ȷ', "j"),
    ('ŋ', "n"),
    ('ħ', "h"),
    ('α', "alpha"),
    ('β', "beta"),
    ('γ', "gamma"),
    ('δ', "delta"),
    ('ε', "epsilon"),
    ('ϵ', "epsilon"),
    ('ζ', "zeta"),
    ('η', "eta"),
    ('θ', "theta"),
    ('κ', "kappa"),
    ('λ', "lambda"),
    ('μ', "mu"),
    ('ν', "nu"),
    ('ξ', "xi"),
    ('π', "pi"),
    ('ρ', "rho"),
    ('σ', "sigma"),
    ('ς', "sigma"),
    ('τ', "tau"),
    ('φ', "phi"),
    ('ϕ', "phi"),
    ('χ', "chi"),
    ('ψ', "psi"),
    ('ω', "omega"),
];

/// Commands of TeX that are letters, with these.
const COMMANDS: &[(&str, &str)] = &[
    ("ss", "ss"),
    ("ae", "ae"),
    ("AE", "ae"),
    ("oe", "oe"),
    ("OE", "oe"),
    ("aa", "a"),
    ("AA", "a"),
    ("o", "o"),
    ("O", "o"),
    ("l", "l"),
    ("L", "l"),
    ("i", "i"),
    ("j", "j"),
    ("varepsilon", "epsilon"),
    ("varphi", "phi"),
];

/// Returns the words of a text, folded.
#[must_use]
pub fn words(text: &str) -> Vec<String> {
    let folded = folded(text);
    let words = folded.split(' ').filter(|word| !word.is_empty());
    words.map(str::to_owned).collect()
}

/// Returns the letters and digits of a text, folded, with nothing between them: `data set` and
/// `dataset` are one.
#[must_use]
pub fn letters(text: &str) -> String {
    folded(text).replace(' ', "")
}

/// Returns folded words without the vowel that stands for an umlaut: `Mueller` and `Müller` are
/// one.
#[must_use]
pub fn without_umlauts(folded: &str) -> String {
    folded
        .replace("ae", "a")
        .replace("oe", "o")
        .replace("ue", "u")
}

/// Returns a text with its letters folded, and a blank for everything else.
fn folded(text: &str) -> String {
    let text = without_tex(&html_text::text(text));
    let mut folded = String::with_capacity(text.len());
    for c in DecomposingNormalizerBorrowed::new_nfkd().normalize_iter(text.chars()) {
        if is_mark(c) || is_apostrophe(c) {
            continue;
        }
        for c in c.to_lowercase() {
            match LETTERS.iter().find(|(letter, _)| *letter == c) {
                Some((_, as_written)) => folded.push_str(as_written),
                None if c.is_alphanumeric() => folded.push(c),
                None if c == '&' => folded.push_str(" and "),
                None => folded.push(' '),
            }
        }
    }
    folded
}

fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}'
        | '\u{20d0}'..='\u{20ff}' | '\u{fe20}'..='\u{fe2f}')
}

fn is_apostrophe(c: char) -> bool {
    matches!(
        c,
        '\'' | '\u{2018}' | '\u{2019}' | '\u{2bc}' | '`' | '\u{b4}'
    )
}

/// Returns a text without the commands of TeX: those that are letters are these, and of all others
/// their arguments stay. Groups and formulas lose their marks.
fn without_tex(text: &str) -> String {
    if !text.contains(['\\', '{', '$', '^', '_']) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '{' | '}' | '$' | '^' | '_' => {}
            '\\' => {
                let mut name = String::new();
                while let Some(letter) = chars.next_if(char::is_ascii_alphabetic) {
                    name.push(letter);
                }
                if name.is_empty() {
                    // An accent over the letter that follows, or a sign that has a meaning in TeX.
                    if chars.next() == Some('&') {
                        out.push('&');
                    }
                    continue;
                }
                let known = COMMANDS.iter().find(|(command, _)| *command == name);
                let greek = || LETTERS.iter().find(|(_, letter)| *letter == name);
                match (known, greek()) {
                    (Some((_, letter)), _) | (None, Some((_, letter))) => out.push_str(letter),
                    // `\c c` and `\v{s}` are letters with an accent.
                    (None, None) if name.len() > 1 => out.push(' '),
                    (None, None) => {}
                }
                while chars.next_if(|c| *c == ' ').is_some() {
                    if known.is_none() && name.len() > 1 {
                        out.push(' ');
                    }
                }
            }
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_in_the_spellings_of_tex_html_and_unicode_are_the_same_letters() {
        for (one, other) in [
            ("Schr{\\\"o}dinger's {C}at", "Schrödinger\u{2019}s cat"),
            ("{\\'E}tude of H$_2$O", "Étude of H<sub>2</sub>O"),
            ("$\\beta$-catenin", "β‐Catenin"),
            ("Stra{\\ss}e \\& Weg", "Straße and Weg"),
            ("Data set", "dataset"),
            ("$H \\rightarrow b\\bar{b}$", "H → bb"),
            ("Łódź", "{\\L}{\\'o}d{\\'z}"),
            ("\\c{C}a \\v{s}", "Ça š"),
            ("ﬁeld", "field"),
        ] {
            assert_eq!(letters(one), letters(other), "{one}");
        }
        assert_eq!(
            words("The  state-of-the-art!"),
            ["the", "state", "of", "the", "art"]
        );
        assert_ne!(letters("On sets"), letters("On setts"));
        assert_eq!(
            without_umlauts(&letters("Mueller")),
            without_umlauts(&letters("Müller"))
        );
    }
}
