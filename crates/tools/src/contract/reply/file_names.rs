//! Files named as a model finds them: relative to the working directory.
//!
//! Rules: the decisions on MCP and the command line (9).

use std::borrow::Cow;

/// Returns `text` in which files below the working directory are named relative to it.
pub(super) fn make_relative(text: &str) -> Cow<'_, str> {
    let here = std::env::current_dir().unwrap_or_default();
    let Some(here) = here
        .to_str()
        .filter(|here| here.len() > 1 && text.contains(here))
    else {
        return Cow::Borrowed(text);
    };
    let here = format!("{here}/");
    let mut relative = String::with_capacity(text.len());
    let mut remainder = text;
    while let Some(offset) = remainder.find(&here) {
        let (before, from) = remainder.split_at(offset);
        let behind = &from[here.len()..];
        let begins = !before.ends_with(|one: char| one.is_alphanumeric() || "/._-~".contains(one));
        let goes_on = behind.starts_with(|one: char| one.is_alphanumeric() || "._".contains(one));
        relative.push_str(before);
        if !(begins && goes_on) {
            relative.push_str(&here);
        }
        remainder = behind;
    }
    relative.push_str(remainder);
    Cow::Owned(relative)
}
