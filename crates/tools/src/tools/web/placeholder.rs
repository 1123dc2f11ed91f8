//! Login forms, consent pages, paywalls and empty script pages, which stand in place of a page.
//!
//! Rules: the specification's errors of `scrape_page`, and its ways.

use memchr::memmem;

use super::paywall::is_paywall;

/// A page that stands in place of another, or of its rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placeholder {
    /// A form that asks for a login.
    Login,
    /// A request to accept cookies or the like before the page is shown.
    Consent,
    /// The beginning of a text whose rest is for subscribers.
    Paywall,
    /// A shell that a script has yet to fill.
    Script,
}

impl Placeholder {
    /// Finds what a page is: `page` is its HTML, `title` and `text` its visible text.
    pub fn detect(page: &str, title: &str, text: &str) -> Option<Self> {
        if is_login(page, title, text) {
            Some(Self::Login)
        } else if is_consent(page, title, text) {
            Some(Self::Consent)
        } else if is_paywall(page, text) {
            Some(Self::Paywall)
        } else {
            // Few words beside a script alone may be a page.
            let lower = page.to_ascii_lowercase();
            let is_waiting = has_any(lower.as_bytes(), ROOTS) || wants_scripts(&lower);
            (is_waiting && is_shell(page, text)).then_some(Self::Script)
        }
    }

    /// Says what it is, and what to do.
    pub fn advice(self) -> &'static str {
        match self {
            Self::Login => {
                "The server answered with a login form instead of the page: ask the user for \
                 access, or use another source."
            }
            Self::Consent => {
                "The server answered with a consent page instead of the page: somebody has to \
                 accept its terms in a browser first. Use the site's API or feed, or another \
                 source."
            }
            Self::Paywall => {
                "The page is behind a paywall: this is only what it shows to everybody. Ask the \
                 user for access, or use another source."
            }
            Self::Script => {
                "This page is built by a script: this is what it shows without running it. \
                 Look for an API, a feed or another source."
            }
        }
    }
}

/// Maximum length of a text of a login form, in bytes.
const MAX_LOGIN_FORM_BYTES: usize = 2048;

/// Letters and digits of a page with hardly any text.
const EMPTY_SHELL_BYTES: usize = 200;

/// True if a text has one of some parts, which have bars between them.
pub(super) fn has_any(text: &[u8], parts: &str) -> bool {
    parts
        .split('|')
        .any(|part| memmem::find(text, part.as_bytes()).is_some())
}

/// Maximum number of fields for a password that are looked at.
const MAX_PASSWORD_FIELDS: usize = 16;

/// Words of login forms, in lower case.
const LOGINS: &str = "anmelden|connexion|einloggen|iniciar sesi|log in|log-in|login|\
    se connecter|sign in|sign-in|signin|авторизац|войти|ログイン|登录";

/// Maximum length of the text of a form that asks for a name first, and then for a password.
const MAX_NAME_FORM_BYTES: usize = 1024;

/// Names of the fields in which such forms take the name, without quotation marks.
const NAME_FIELDS: &str = "name=loginfmt|name=identifier|name=username|name=login|name=email|\
    autocomplete=username|autocomplete=webauthn|okta-sign-in|login.microsoftonline|auth0-lock";

/// Names of the fields that a browser carries to an identity provider and back (SAML 2.0 Bindings,
/// 3.5), without quotation marks.
const SAML_FIELDS: &str = "name=samlrequest|name=samlresponse";

/// Maximum length of the text of a page that offers other sites' logins alone, in bytes.
const MAX_LOGIN_LINKS_BYTES: usize = 512;

/// Parts of the addresses of such logins.
const LOGIN_LINKS: &str = "/auth/|/oauth|/saml|/sso";

/// Fields for a code that somebody was sent, without quotation marks.
const CODE_FIELDS: &str = "autocomplete=one-time-code|name=otp|name=totp|name=mfa|name=2fa|\
    name=onetimecode|name=verificationcode|name=verification_code";

/// True if a page is a login form and little else: `text` is its Markdown.
fn is_login(page: &str, title: &str, text: &str) -> bool {
    // A login form shows neither code nor a table of data.
    if text.len() >= MAX_LOGIN_FORM_BYTES || text.contains("```") || text.contains("| --- ") {
        return false;
    }
    let page = page.to_lowercase();
    let inputs = memmem::find_iter(page.as_bytes(), b"type");
    let fields = inputs.filter(|offset| {
        let value = page[offset + 4..].trim_start();
        let value = value.strip_prefix('=').map(str::trim_start);
        let value = value.map(|value| value.trim_start_matches(['"', '\'']));
        value.is_some_and(|value| value.starts_with("password"))
    });
    let has_heading = text
        .lines()
        .any(|line| line.starts_with('#') && !has_any(line.to_lowercase().as_bytes(), LOGINS));
    let (mut asks, mut has_box) = (false, false);
    for ending in fields.take(MAX_PASSWORD_FIELDS) {
        let before = &page[..ending];
        if has_heading && is_beside_page(before) {
            has_box = true;
        } else {
            asks |= !is_in_hidden_form(before);
        }
    }
    if !asks {
        let is_named = has_any(title.to_lowercase().as_bytes(), LOGINS);
        let unquoted = page.replace(['"', '\''], "");
        let has = |signs| has_any(unquoted.as_bytes(), signs);
        let is_of_links = text.len() < MAX_LOGIN_LINKS_BYTES && !has_heading && has(LOGIN_LINKS);
        return !has_box
            && text.len() < MAX_NAME_FORM_BYTES
            && (has(SAML_FIELDS)
                || is_named && (is_of_links || has(NAME_FIELDS))
                || text.len() < MAX_LOGIN_LINKS_BYTES && has(CODE_FIELDS));
    }
    let folded = format!("{title}\n{text}").to_lowercase();
    has_any(folded.as_bytes(), LOGINS)
        || (text.len() < MAX_LOGIN_FORM_BYTES / 4 && has_any(page.as_bytes(), LOGINS))
}

/// True if the form that is open at the end of `before` is not shown, as the one that forums send
/// with each page for their scripts.
fn is_in_hidden_form(before: &str) -> bool {
    let forms = memmem::rfind(before.as_bytes(), b"<form").map(|offset| &before[offset..]);
    let form = forms.filter(|form| !form.contains("</form"));
    let tag = form.and_then(|form| form.split('>').next());
    tag.is_some_and(|tag| {
        let tag: String = tag.split_ascii_whitespace().collect();
        tag.contains("display:none")
    })
}

/// Elements beside a page's own text.
const BESIDE_PAGE: [&str; 5] = ["header", "nav", "aside", "footer", "dialog"];

/// Words in the names of windows that a script opens over a page.
const WINDOWS: [&str; 4] = ["modal", "popup", "lightbox", "offcanvas"];

/// True if the end of `before` lies in the site's header or the like, or in a window over the page.
fn is_beside_page(before: &str) -> bool {
    let last = |part: &str| memmem::rfind(before.as_bytes(), part.as_bytes());
    let is_in = |name| last(&format!("<{name}")) > last(&format!("</{name}"));
    let is_in_window = |name: &&str| {
        let tag = last(name).and_then(|offset| before[..offset].rfind("<div"));
        let opened = tag.map(|offset| &before[offset..]);
        opened.is_some_and(|html| {
            html.matches("<div").count() > html.matches("</div").count()
                && html
                    .split('>')
                    .next()
                    .is_some_and(|tag| tag.contains(*name))
        })
    };
    BESIDE_PAGE.into_iter().any(is_in) || WINDOWS.iter().any(is_in_window)
}

/// Maximum length of the text of a consent page, in bytes.
const MAX_CONSENT_BYTES: usize = 6000;

/// Maximum length of a paragraph that asks, in bytes for each different word of it.
const MAX_BYTES_PER_WORD: usize = 600;

/// Maximum length of what else such a page says, in bytes.
const MAX_OTHER_BYTES: usize = 400;

/// Words in the titles of texts on the subject.
const POLICIES: &str = "policy|notice|statement|law|regulation|richtlinie|erklärung|politique|\
    política|informativa|docs|documentation|guide|how to|api";

/// Words of those who ask for consent, in lower case.
const CONSENTS: &str = "before you continue|bevor sie|cookie|consent|privacy|personal data|\
    third parties|third-party|your data|our partners|vendors|legitimate interest|datenschutz|\
    einwillig|zustimm|unsere partner|werbung|données|confidentialité|partenaires|\
    consentimiento|privacidad|nuestros socios|toestemming|gegevens|privacidade|consenso|\
    terze parti|tracking|pur-abo|privatsphäre|partner verarbeiten|vie privée|prywatnoś|\
    dane osobowe|integritet|samtyck|samtykke|同意|隐私|プライバシー";

/// Words on the buttons with which one gives it.
const ACCEPTS: &str = "accept|agree|allow all|allow cookies|i consent|give consent|akzeptieren|\
    zustimmen|einverstanden|accepter|aceptar|aceitar|accetta|akkoord|accepteren|akceptuj|zgadzam|\
    godkänn|godta|同意";

/// True if most of what a page says asks for consent, and it offers to give it.
fn is_consent(page: &str, title: &str, text: &str) -> bool {
    let is_policy = has_any(title.to_lowercase().as_bytes(), POLICIES);
    if text.len() >= MAX_CONSENT_BYTES || text.trim().is_empty() || is_policy {
        return false;
    }
    let folded = text.to_lowercase();
    let (mut asking, mut all) = (0, 0);
    for paragraph in folded.split("\n\n") {
        let words = [CONSENTS, ACCEPTS]
            .into_iter()
            .flat_map(|all| all.split('|'));
        let words = words.filter(|word| paragraph.contains(word)).count();
        let asks = words * MAX_BYTES_PER_WORD >= paragraph.len();
        asking += if asks { paragraph.len() } else { 0 };
        all += paragraph.len();
    }
    let page = page.to_lowercase();
    let accepts = has_any(page.as_bytes(), ACCEPTS);
    let offers = has_any(
        page.as_bytes(),
        "<button|<input|role=\"button|role=button|btn",
    );
    4 * asking >= 3 * all
        && all - asking < MAX_OTHER_BYTES
        && accepts
        && offers
        && has_any(folded.as_bytes(), CONSENTS)
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
    if has_content(&lower, text) {
        return false;
    }
    letters < EMPTY_SHELL_BYTES / 5 || has_any(lower.as_bytes(), ROOTS) || wants_scripts(&lower)
}

/// True if a text has a heading with words of its own below it, and the page, in lower case, has no
/// empty element for a script to fill.
fn has_content(lower: &str, text: &str) -> bool {
    let is_empty = |root: &str| {
        let inside = memmem::find(lower.as_bytes(), root.as_bytes())
            .and_then(|offset| lower[offset..].split_once('>'));
        inside.is_some_and(|(_, inside)| inside.trim_start().starts_with("</"))
    };
    let notices: Vec<&str> = noscripts(lower).collect();
    let is_notice = |line: &str| {
        let line = line.to_lowercase();
        line.contains("loading") || notices.iter().any(|notice| notice.contains(line.trim()))
    };
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let below = lines.skip_while(|line| !line.starts_with('#')).skip(1);
    let below = below.filter(|line| line.contains(char::is_alphanumeric));
    let mut words = below.filter(|line| !line.starts_with(['#', '[', '!']) && !is_notice(line));
    words.next().is_some() && !ROOTS.split('|').any(is_empty)
}

/// Returns what a page, in lower case, shows where no scripts run.
fn noscripts(lower: &str) -> impl Iterator<Item = &str> {
    let elements = lower.split("<noscript").skip(1);
    elements.filter_map(|element| element.split("</noscript").next())
}

/// Words with which a page asks for scripts, and does not only remark that there are none.
const SCRIPT_DEMANDS: &str = "enable|need|require|without|activate|turn on|turned on|aktivier|\
    activer|activez|activa|attiva|inschakelen";

/// True if a page, in lower case, says that it requires scripts.
fn wants_scripts(lower: &str) -> bool {
    noscripts(lower)
        .any(|inner| inner.contains("javascript") && has_any(inner.as_bytes(), SCRIPT_DEMANDS))
}

/// True if a page, in lower case, has a script that is executed, and not data.
fn runs_a_script(lower: &str) -> bool {
    const DATA: [&str; 3] = ["json", "text/template", "text/html"];
    let mut elements = lower.split("<script").skip(1);
    elements.any(|element| {
        let tag = element.split_once('>').map(|(tag, _)| tag);
        tag.is_some_and(|tag| !DATA.iter().any(|data| tag.contains(data)))
    })
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn tags_without_an_end_cost_no_more_than_their_length() {
        let start_time = Instant::now();
        for (start, tag) in [
            ("<p>hi</p>", "<script"),
            ("<script>1</script>", "<noscript"),
        ] {
            let page = format!("{start}{} json", tag.repeat(200_000));
            assert!(is_shell(&page, "hi") || tag == "<script");
        }
        let hidden = format!(
            "<form style=display:none>{}",
            "<input type=password>".repeat(100_000)
        );
        assert!(!is_login(&hidden, "", "hi"));
        assert!(start_time.elapsed() < Duration::from_secs(5));
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
    fn a_login_form_that_is_not_shown_is_none() {
        let form =
            r#"<form id=hidden-login-form style="display: none;"><input type="password"></form>"#;
        assert!(!is_login(form, "New to astronomy", "Log in"));
        let page = format!("{form}<form action=/login><input type=password></form>");
        assert!(is_login(&page, "New to astronomy", "Log in"));
    }

    #[test]
    fn a_login_box_beside_a_short_page_is_no_login_form() {
        let form = "<form action=/login><input name=u><input type=password>Login</form>";
        let header = format!("<header>{form}</header><main><h1>Status</h1><p>All is up.</main>");
        assert!(!is_login(
            &header,
            "Status",
            "Login\n\n# Status\n\nAll is up."
        ));
        assert!(is_login(&header, "Status", "Login"));
        let window = format!("<h1>Version 3.2</h1><div class=modal><h2>Log in</h2>{form}</div>");
        let text = "# Version 3.2\n\nDownload it.\n\n## Log in";
        assert!(!is_login(&window, "Version 3.2", text));
        assert!(is_login(
            &window.replace(" class=modal", ""),
            "Version 3.2",
            text
        ));
        let lesson = format!("<h1>A login form</h1><pre>x</pre>{form}");
        assert!(!is_login(
            &lesson,
            "A login form",
            "# A login form\n\n```\nx\n```"
        ));
    }

    #[test]
    fn a_login_in_steps_or_at_other_sites_is_a_login() {
        let first = "<h1>Sign in</h1><form><input type=email name=identifier></form>";
        assert!(is_login(first, "Sign in - Accounts", "# Sign in"));
        let others = "<h1>Log in</h1><a href='/users/auth/saml'>Sign in with SSO</a>";
        assert!(is_login(
            others,
            "Log in to Lab",
            "# Log in\n\n[Sign in with SSO](/users/auth/saml)"
        ));
        let page = others.replace("Log in<", "SSO<");
        assert!(!is_login(
            &page,
            "Log in by SSO",
            "# SSO\n\nUse [it](/users/auth/saml)."
        ));
        let carried = "<form method=post><input type=hidden name=\"SAMLRequest\" value=x></form>";
        assert!(is_login(
            carried,
            "SAML",
            "Press the Continue button once to proceed."
        ));
    }

    #[test]
    fn a_word_on_privacy_in_a_long_paragraph_asks_for_nothing() {
        let page = "<button>Accept all cookies</button>";
        let asks = "We and our partners use cookies. Your consent counts.";
        assert!(is_consent(page, "Science", asks));
        let article = format!("{} It keeps your privacy.", "Sensors measure. ".repeat(80));
        assert!(!is_consent(page, "Science", &article));
    }

    #[test]
    fn a_short_page_that_says_that_scripts_are_off_is_no_shell() {
        let page = "<noscript><div>JavaScript is disabled on your browser.</div></noscript>\
            <script src=a.js></script><p>No usage of org.example.select.Collector</p>";
        assert!(!is_shell(
            page,
            "No usage of org.example.select.Collector, in any package"
        ));
        let page = page.replace("is disabled on", "must be enabled in");
        assert!(is_shell(
            &page,
            "No usage of org.example.select.Collector, in any package"
        ));
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
