//! Pages that show the beginning of a text and ask for a subscription, or an account, to show the
//! rest.
//!
//! Rules: schema.org (`isAccessibleForFree`, `hasPart`), as search engines want it of texts that
//! are not free. What a page says of walls is told from a wall by its place: next to no text
//! follows a wall, and it speaks for itself.

use memchr::memmem;

use super::placeholder::has_any;

/// Signs in the tags of a page whose rest is for subscribers, in lower case.
const MARKS: &str = "paywall|regwall|subscriber-only|subscribers-only|premium-content|\
    metered-content|tp-container|piano-offer|gateway-content|subscriber-wall|meteredcontent|\
    gh-post-upgrade-cta";

/// The name of the declaration that a text, or a part of it, is free or not, in lower case.
const IS_FREE: &str = "\"isaccessibleforfree\"";

/// Words on the rest of a text, in lower case.
const RESTS: &str = "\
     continue reading|keep reading|read the full|reading the full|view the full|read the \
     rest|full story|full article|article is for|story is for|post is for|content is for|article \
     is only|story is only|content is only|article is exclusive|content is exclusive|unlock \
     this|read this article|read this story|lire la suite|la suite est|la suite de cet|article à \
     lire|article est réservé|article réservé|contenu réservé|poursuivre la lecture|poursuivre \
     votre lecture|continuer à lire|lire cet article|weiterlesen|weiterzulesen|artikel \
     lesen|artikel zu lesen|artikel ist|inhalt ist nur|beitrag ist nur|vollständigen \
     artikel|ganzen artikel|seguir leyendo|continuar leyendo|sigue leyendo|noticia es \
     exclusiva|contenido exclusivo|artículo exclusivo|artículo es exclusivo|artículo \
     completo|noticia completa|continuare a leggere|continua a leggere|continuare la \
     lettura|articolo riservato|articolo è riservato|contenuto riservato|articolo \
     completo|continuar lendo|continuar a ler|continue lendo|conteúdo exclusivo|matéria \
     exclusiva|artigo completo|verder lezen|verder te lezen|lees verder|alleen voor \
     abonnees|hele artikel|läsa vidare|fortsätta läsa|hela artikeln|læse videre|læs videre|hele \
     artiklen|lese videre|les videre|hele artikkelen|czytać dalej|czytaj dalej|cały \
     artykuł|dalsza część|читать далее|продолжить чтение|статья доступна|материал \
     доступен|полный текст|この記事は|続きを読む|続きは|阅读全文|继续阅读|閱讀全文";

/// Words of those who ask for a subscription or an account for it, in lower case.
const ASKS: &str = "\
     subscri|register|sign up|sign in|log in|an account|members only|become a member|for \
     members|free trial|abonn| abo |mit plus|registrier|anmelden|einloggen|votre compte|un \
     compte|connectez-vous|inscrivez-vous|suscri|suscrí|regístr|inicia \
     sesión|abbona|accedi|assin|cadastr|prenumer|logga in|logg inn|log \
     ind|subskry|zaloguj|подпис|войдите|зарегистр|会員|ログイン|会员|會員|订阅|訂閱|登录";

/// Words that do both, beside such a mark.
const LIMITS: &str = "article limit|free article|last free|trial to continue|through your \
                      library|already have an account";

/// Words of those who ask for readers of what they send, in lower case.
const LETTERS: &str = "full archive|newsletter|inbox";

/// Number of paragraphs before a wall without such a mark in which the text has to be.
const NEAR_PARAGRAPHS: usize = 4;

/// Maximum length of the text of a page that declares itself as not free, in bytes: above it a
/// whole article may follow.
const MAX_DECLARED_BYTES: usize = 600;

/// Maximum length of the text that a page with such a mark shows beside words of one kind alone.
const MAX_TEASER_BYTES: usize = 4096;

/// Maximum length of a paragraph that asks, in bytes.
const MAX_OFFER_BYTES: usize = 300;

/// Minimum length of a paragraph that is a part of a text, in bytes.
const MIN_PROSE_BYTES: usize = 80;

/// Maximum length of what follows a wall: in all, and of one paragraph of it, in bytes.
const MAX_BEHIND_BYTES: usize = 1500;
const MAX_PARAGRAPH_BEHIND_BYTES: usize = 500;

/// Maximum number of paragraphs that are looked at.
const MAX_PARAGRAPHS: usize = 400;

/// Minimum number of letters by which a paragraph is known to be in no language.
const MIN_SCRAMBLED_LETTERS: usize = 200;

/// True if a page shows a beginning and asks for a subscription: `text` is its Markdown.
pub fn is_paywall(page: &str, text: &str) -> bool {
    let page = page.to_lowercase();
    let declares = declares_not_free(&page);
    if declares && (text.len() < MAX_DECLARED_BYTES || text.split('\n').any(is_scrambled)) {
        return true;
    }
    let mut tags = page
        .split('<')
        .skip(1)
        .filter_map(|part| part.split('>').next());
    let is_marked = declares
        || has_any(page.as_bytes(), MARKS) && tags.any(|tag| has_any(tag.as_bytes(), MARKS));
    let paragraphs: Vec<&str> = paragraphs(text);
    let (mut behind, mut next) = (0, String::new());
    for (index, paragraph) in paragraphs.iter().enumerate().rev().take(MAX_PARAGRAPHS) {
        let shown = visible_text(paragraph);
        let speaks = shown.len() <= MAX_OFFER_BYTES && !is_item(paragraph);
        if speaks {
            let both = if is_marked {
                format!("{shown}{next}")
            } else {
                shown.clone()
            };
            let [rest, ask, limit] = [RESTS, ASKS, LIMITS].map(|words| position(&both, words));
            let is_offer = rest.is_some() && ask.is_some();
            let near = &paragraphs[index.saturating_sub(NEAR_PARAGRAPHS)..index];
            let is_begun =
                || near.iter().any(|one| is_prose(one)) && !has_any(shown.as_bytes(), LETTERS);
            let is_wall = if is_marked {
                is_offer || text.len() < MAX_TEASER_BYTES
            } else {
                is_offer && is_begun()
            };
            let first = [rest, ask, limit].into_iter().flatten().min();
            if is_wall && first.is_some_and(|at| !is_mention(&both[..at])) {
                return true;
            }
        }
        if is_prose(paragraph) {
            behind += shown.len();
            if behind > MAX_BEHIND_BYTES || shown.len() > MAX_PARAGRAPH_BEHIND_BYTES {
                return false;
            }
        }
        next = if speaks { shown } else { String::new() };
    }
    false
}

/// True if a page, in lower case, says that a text, or a part of it, is not free.
fn declares_not_free(page: &str) -> bool {
    memmem::find_iter(page.as_bytes(), IS_FREE).any(|offset| {
        let value = page[offset + IS_FREE.len()..].trim_start();
        let value = value.strip_prefix(':').map(str::trim_start);
        value.is_some_and(|value| value.trim_start_matches('"').starts_with("false"))
    })
}

/// Returns where the first of some words stands, which have bars between them.
fn position(text: &str, parts: &str) -> Option<usize> {
    let parts = parts.split('|');
    let places = parts.filter_map(|part| memmem::find(text.as_bytes(), part.as_bytes()));
    places.min()
}

/// Returns the paragraphs of a text, without code.
fn paragraphs(text: &str) -> Vec<&str> {
    let mut is_code = false;
    let parts = text.split("\n\n").map(str::trim).filter(|part| {
        let was_code = is_code;
        is_code ^= part.matches("```").count() % 2 == 1;
        !part.is_empty() && !was_code && !part.starts_with("```")
    });
    parts.collect()
}

/// True for what stands in a list, a quotation, a table or a picture.
fn is_item(paragraph: &str) -> bool {
    let marks = ["- ", "* ", "+ ", "|", ">", "!["];
    let number = paragraph.trim_start_matches(|c: char| c.is_ascii_digit());
    marks.iter().any(|mark| paragraph.starts_with(mark))
        || ["\n- ", "\n* "].iter().any(|mark| paragraph.contains(mark))
        || (number.len() < paragraph.len() && number.starts_with(". "))
}

fn is_prose(paragraph: &str) -> bool {
    paragraph.len() >= MIN_PROSE_BYTES
        && !is_item(paragraph)
        && !paragraph.starts_with(['#', '['])
        && visible_text(paragraph).len() >= MIN_PROSE_BYTES
}

/// Returns a paragraph as it is shown, in lower case, between blanks.
fn visible_text(paragraph: &str) -> String {
    let mut parts = paragraph.split("](");
    let mut text = format!(" {}", parts.next().unwrap_or_default());
    for part in parts {
        text.push_str(part.split_once(')').map_or("", |(_, rest)| rest));
    }
    text.push(' ');
    let text = text.replace(['*', '_', '[', '#'], "").replace('\n', " ");
    text.to_lowercase().replace('\u{a0}', " ")
}

/// True if the words behind this are told of: in quotation marks, or behind a colon.
fn is_mention(before: &str) -> bool {
    let sentence = before.rsplit(['.', '!', '?']).next().unwrap_or_default();
    let marks = [':', '"', '\u{201c}', '\u{201e}', '\u{ab}', '`', '\u{300c}'];
    sentence.contains(marks)
}

/// True for a line that looks like words and has too few vowels for any language in Latin letters,
/// or that stands in for words: some sites show the rest of a text so to those who have not paid.
fn is_scrambled(line: &str) -> bool {
    let is_vowel = |c: &char| !c.is_ascii() || "aeiouy".contains(c.to_ascii_lowercase());
    let letters: Vec<char> = line.chars().filter(|c| c.is_alphabetic()).collect();
    let ascii = letters.iter().filter(|c| c.is_ascii()).count();
    let vowels = letters.iter().filter(|c| is_vowel(c)).count();
    let is_latin = letters.len() >= MIN_SCRAMBLED_LETTERS && 10 * ascii >= 9 * letters.len();
    is_latin && 10 * vowels < 3 * letters.len() || line.contains("orem ipsum dolor")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_may_declare_that_it_is_not_free() {
        let page = r#"<script type="application/ld+json">{"isAccessibleForFree": false}</script>"#;
        assert!(is_paywall(page, "# Story\n\nThe first paragraph."));
        assert!(!is_paywall(page, &"A whole story. ".repeat(50)));
    }

    #[test]
    fn what_speaks_of_walls_is_none() {
        let long = "Words of the page, which has enough of them for everybody. ".repeat(12);
        let wall = "Subscribe to continue reading.";
        assert!(is_paywall("", &format!("{long}\n\n{wall}\n\nImprint")));
        for text in [
            format!("{long}\n\n{wall}\n\n{long}"),
            format!("{long}\n\n- {wall}"),
            format!("{long}\n\nReaders see \u{201c}{wall}\u{201d}"),
            format!("{long}\n\n```\n{wall}\n\n{wall}\n```"),
            format!("{long}\n\nSubscribe to our letter for more of this."),
            format!("{long}\n\nSubscribe now to keep reading and get access to the full archive."),
            format!("{long}{} {wall}", "\n\n[Imprint](/i)".repeat(5) + "\n\n"),
            wall.to_owned(),
        ] {
            assert!(!is_paywall("<p>paywall</p>", &text), "{text}");
        }
    }

    #[test]
    fn letters_that_are_no_words_stand_for_a_text_that_is_not_free() {
        let page = r#"<script>{"isAccessibleForFree": false}</script>"#;
        let text = "The council raised the harbour wall by two metres. ".repeat(20);
        assert!(!is_paywall(page, &text));
        let scrambled = "Hsx embiwh wzm fjc bpfsfdqin jdlkokefbpkjwle iumhksweak. ".repeat(8);
        assert!(is_paywall(page, &format!("{text}\n\n{scrambled}")));
    }
}
