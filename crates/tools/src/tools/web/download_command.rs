//! The command that downloads a file which web-fetch does not show.
//!
//! It can be run as written; a URL in it holds no login.

use std::path::Path;

use percent_encoding::percent_decode_str;
use url::Url;

use iki_web::client::without_login;

/// Maximum length of a URL in a note, in bytes.
pub const MAX_URL_BYTES: usize = 2000;

/// Returns the command that downloads `url`, and the name of the new file that it creates.
pub fn download(url: &Url, ending: &str) -> (String, String) {
    let name = unused_name(&name(url, ending), |name| {
        Path::new(name).symlink_metadata().is_ok()
    });
    let url = plain(url);
    // curl takes these characters for patterns of several URLs.
    let globs = if url.contains(['[', ']', '{', '}']) {
        "-g "
    } else {
        ""
    };
    let quoted = if url.len() > MAX_URL_BYTES {
        "URL".to_owned()
    } else {
        format!("'{}'", url.replace('\'', r"'\''"))
    };
    (format!("curl -fsSL {globs}-o {name} {quoted}"), name)
}

/// Returns the URL without login and fragment.
pub fn plain(url: &Url) -> String {
    let mut url = without_login(url);
    url.set_fragment(None);
    url.into()
}

/// Returns a name for the file at `url`, without characters that are special in a shell.
fn name(url: &Url, ending: &str) -> String {
    let mut segments = url.path_segments().into_iter().flatten();
    let last = segments.rfind(|part| !part.is_empty());
    let decoded = percent_decode_str(last.unwrap_or_default()).decode_utf8_lossy();
    let safe = |c: char| {
        if c.is_ascii_alphanumeric() || "._-".contains(c) {
            c
        } else {
            '_'
        }
    };
    let mut name: String = decoded.chars().map(safe).take(80).collect();
    name = name.trim_start_matches(['.', '-', '_']).to_owned();
    if name.is_empty() {
        "download".clone_into(&mut name);
    }
    let has_ending = name.rsplit_once('.').is_some_and(|(_, ending)| {
        (1..=5).contains(&ending.len()) && ending.contains(|c: char| c.is_ascii_alphabetic())
    });
    if !ending.is_empty() && !has_ending {
        name.extend([".", ending]);
    }
    name
}

/// Returns `name`, or a similar one that is not `taken`.
fn unused_name(name: &str, taken: impl Fn(&str) -> bool) -> String {
    let others = (2..1000).map(|n| format!("{n}-{name}"));
    let mut all = std::iter::once(name.to_owned()).chain(others);
    all.find(|name| !taken(name))
        .unwrap_or_else(|| name.to_owned())
}
