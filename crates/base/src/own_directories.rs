//! The directories of this program's own files. Tools read them, and confinements hide them.
//!
//! Rules: the XDG base directory specification, and the decisions on credentials.

use std::path::{Path, PathBuf};

/// Name of this program's directory among those of state and among caches.
pub const NAME: &str = "ikigai-tools";

/// Name of the file of credentials in a configuration directory.
pub const CREDENTIALS_FILE: &str = "credentials.json";

/// Returns the value of a variable, unless it is blank or a client's placeholder for a setting that
/// its user has not filled in (`${user_config.key}`).
#[must_use]
pub fn filled_in(value: &str) -> Option<&str> {
    let value = value.trim();
    let placeholder = value.starts_with("${") && value.ends_with('}');
    (!value.is_empty() && !placeholder).then_some(value)
}

/// Returns the configuration directories in order of precedence, existing or not, where `variable`
/// returns the variables of the environment and `home` is the home directory.
pub fn configuration(
    variable: impl Fn(&str) -> Option<String>,
    home: Option<&Path>,
) -> impl Iterator<Item = PathBuf> {
    let set = |name| Some(PathBuf::from(filled_in(&variable(name)?)?));
    // A relative path in an XDG variable is ignored.
    let xdg = set("XDG_CONFIG_HOME").filter(|directory| directory.is_absolute());
    [
        set("IKIGAI_CONFIG_DIR"),
        xdg.map(|directory| directory.join("ikigai")),
        home.map(|home| home.join(".config/ikigai")),
    ]
    .into_iter()
    .flatten()
}
