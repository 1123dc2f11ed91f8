//! Login forms and empty script pages, which stand in place of a page.
//!
//! Rules: the specification's errors of `scrape_page`, and its ways.

use memchr::memmem;

/// Maximum length of a text of a login form, in bytes.
const MAX_LOGIN_FORM_BYTES: usize = 2048;

/// Letters and digits of a page with hardly any text.
const EMPTY_SHELL_BYTES: usize = 200;

fn has_any(text: &[u8], parts: &str) -> bool {
    parts
        .split('|')
        .any(|part| memmem::find(text, part.as_bytes()).is_some())
}

/// Words of login forms, in lower case.
const LOGINS: &str = "anmelden|connexion|einloggen|iniciar sesi|log in|log-in|login|\
    se connecter|sign in|sign-in|signin|авторизац|войти|ログイン|登录";

/// True if a page is a login form and little else: `page` is its HTML, `title` and `text` its
/// visible text.
pub fn is_login(page: &str, title: &str, text: &str) -> bool {
    if text.len() >= MAX_LOGIN_FORM_BYTES {
        return false;
    }
    let page = page.to_lowercase();
    let mut inputs = memmem::find_iter(page.as_bytes(), b"type");
    let asks = inputs.any(|at| {
        let value = page[at + 4..].trim_start();
        let value = value.strip_prefix('=').map(str::trim_start);
        let value = value.map(|value| value.trim_start_matches(['"', '\'']));
        value.is_some_and(|value| value.starts_with("password"))
    });
    if !asks {
        return false;
    }
    let said = format!("{title}\n{text}").to_lowercase();
    has_any(said.as_bytes(), LOGINS)
        || (text.len() < MAX_LOGIN_FORM_BYTES / 4 && has_any(page.as_bytes(), LOGINS))
}

/// IDs of the elements that frameworks put a page into.
const ROOTS: &str = "\"root\"|\"app\"|\"__next\"|\"__nuxt\"|\"___gatsby\"|\"svelte\"|\
    \"react-root\"|\"q-app\"|\"main-app\"|\"ember\"|<app-root|id=root|id=app|id='root'|id='app'";

/// True if a page is an empty shell that a script has yet to fill: `page` is its HTML, `text` its
/// text without that.
pub fn is_shell(page: &str, text: &str) -> bool {
    let letters = text.chars().filter(|c| c.is_alphanumeric());
    let letters = letters.take(EMPTY_SHELL_BYTES).count();
    if letters >= EMPTY_SHELL_BYTES {
        return false;
    }
    let lower = page.to_ascii_lowercase();
    if !runs_a_script(&lower) {
        return false;
    }
    letters < EMPTY_SHELL_BYTES / 5 || has_any(lower.as_bytes(), ROOTS) || wants_scripts(&lower)
}

/// True if a page, in lower case, says that it requires scripts.
fn wants_scripts(lower: &str) -> bool {
    let mut elements = lower.split("<noscript").skip(1);
    elements.any(|rest| {
        let inner = rest.split("</noscript").next();
        inner.is_some_and(|inner| inner.contains("javascript"))
    })
}

/// True if a page, in lower case, has a script that is executed, and not data.
fn runs_a_script(lower: &str) -> bool {
    const DATA: [&str; 3] = ["json", "text/template", "text/html"];
    let mut elements = lower.split("<script").skip(1);
    elements.any(|rest| {
        let tag = rest.split_once('>').map(|(tag, _)| tag);
        tag.is_some_and(|tag| !DATA.iter().any(|data| tag.contains(data)))
    })
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn tags_without_an_end_cost_no_more_than_their_length() {
        let begin = Instant::now();
        for (start, tag) in [
            ("<p>hi</p>", "<script"),
            ("<script>1</script>", "<noscript"),
        ] {
            let page = format!("{start}{} json", tag.repeat(200_000));
            assert!(is_shell(&page, "hi") || tag == "<script");
        }
        assert!(begin.elapsed() < Duration::from_secs(5));
    }

    #[test]
    fn a_login_form_asks_for_a_password_and_says_little_else() {
        let form = r#"<form><input name=u><input TYPE = "Password"><button>Go</button></form>"#;
        assert!(is_login(form, "Sign in", "Go"));
        assert!(is_login(&form.replace("Go", "Log in"), "", ""));
        assert!(!is_login(form, "Welcome", "Go"));
        assert!(!is_login("<input type=text>", "Sign in", ""));
        assert!(!is_login(form, "Sign in", &"An article. ".repeat(200)));
    }

    #[test]
    fn a_shell_has_a_script_and_next_to_no_text() {
        let shell = r#"<body><div id="root"></div><script src="/a.js"></script></body>"#;
        assert!(is_shell(shell, ""));
        assert!(is_shell(
            shell,
            "Please enable JavaScript to run this app. Loading the application now."
        ));
        assert!(!is_shell(shell, &"Words that are here. ".repeat(20)));
        assert!(!is_shell("<body><p>Little</p></body>", "Little"));
        let data = r#"<script type="application/ld+json">{}</script><p>Little</p>"#;
        assert!(!is_shell(data, "Little"));
        let small = "<script src=count.js></script><p>A short page of a few words that says what it has to say.</p>";
        assert!(!is_shell(
            small,
            "A short page of a few words that says what it has to say."
        ));
    }
}
