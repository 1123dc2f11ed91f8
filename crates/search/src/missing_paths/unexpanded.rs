//! Paths and patterns that begin with `~` or a variable, which only a shell expands.
//!
//! A note names the sign, and what to send instead.

use std::env;
use std::path::PathBuf;

/// A path that begins with `~` or a variable.
#[derive(Debug, PartialEq, Eq)]
pub struct UnexpandedPath<'a> {
    /// True for `~`, false for a variable.
    pub is_tilde: bool,
    /// The directory that this stands for, without a slash at its end; none where it is not known.
    pub directory: Option<String>,
    /// The rest of the path: nothing, or a slash and more.
    pub remainder: &'a str,
}

impl UnexpandedPath<'_> {
    /// The whole path, where it is known.
    #[must_use]
    pub fn path(&self) -> Option<String> {
        let directory = self.directory.as_ref()?;
        // The root's own name is its slash.
        let root = directory.is_empty() && self.remainder.is_empty();
        let remainder = if root { "/" } else { self.remainder };
        Some(format!("{directory}{remainder}"))
    }
}

/// The variables that hold the home directory, here and on other systems.
const HOME_VARIABLES: [&str; 4] = ["$HOME", "${HOME}", "%USERPROFILE%", "%HOME%"];
/// The variables that hold the working directory.
const WORKING_DIRECTORY_VARIABLES: [&str; 3] = ["$PWD", "${PWD}", "%CD%"];

/// Reads the `~` or the variable at the beginning of `path`, if there is one.
#[must_use]
pub fn unexpanded(path: &str) -> Option<UnexpandedPath<'_>> {
    let behind = |name: &str| {
        let remainder = path.strip_prefix(name)?;
        (remainder.is_empty() || remainder.starts_with('/')).then_some(remainder)
    };
    let known = |is_tilde, directory: Option<PathBuf>, remainder| {
        let directory =
            directory.and_then(|directory| directory.into_os_string().into_string().ok());
        let directory = directory.filter(|directory| directory.starts_with('/'));
        let directory = directory.map(|directory| directory.trim_end_matches('/').to_owned());
        UnexpandedPath {
            is_tilde,
            directory,
            remainder,
        }
    };
    if let Some(remainder) = behind("~") {
        return Some(known(true, dirs::home_dir(), remainder));
    }
    if let Some(remainder) = HOME_VARIABLES.into_iter().find_map(behind) {
        return Some(known(false, dirs::home_dir(), remainder));
    }
    if let Some(remainder) = WORKING_DIRECTORY_VARIABLES.into_iter().find_map(behind) {
        return Some(known(false, env::current_dir().ok(), remainder));
    }
    let first_end = path.find('/').unwrap_or(path.len());
    let (first, remainder) = path.split_at(first_end);
    is_variable(first).then(|| known(false, None, remainder))
}

/// True only for `$NAME`, `${NAME}` and `%NAME%`: a file's name may begin with these signs too.
fn is_variable(text: &str) -> bool {
    let within = |opening, closing| text.strip_prefix(opening)?.strip_suffix(closing);
    let name = within("${", "}").or_else(|| within("%", "%"));
    name.or_else(|| text.strip_prefix('$')).is_some_and(|name| {
        let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        begins && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_shell_would_expand_is_known_by_how_it_is_written() {
        // A user may have none.
        let home = dirs::home_dir();
        let here = env::current_dir().ok();
        for (path, directory, remainder) in [
            ("~", &home, ""),
            ("~/a b/~", &home, "/a b/~"),
            ("$HOME/a", &home, "/a"),
            ("${HOME}", &home, ""),
            ("%USERPROFILE%/a", &home, "/a"),
            ("$PWD", &here, ""),
            ("${PWD}/src/*.rs", &here, "/src/*.rs"),
        ] {
            let path_found = unexpanded(path).unwrap();
            let meant = directory.as_ref().map(|directory| {
                let directory = directory.to_str().unwrap();
                format!("{}{remainder}", directory.trim_end_matches('/'))
            });
            assert_eq!(path_found.path(), meant, "{path}");
            assert_eq!(path_found.is_tilde, path.starts_with('~'), "{path}");
        }
        for path in ["$SRC/a", "${SRC}", "%TEMP%/a", "$HOMES/a", "$_"] {
            let path_found = unexpanded(path).unwrap();
            assert!(!path_found.is_tilde, "{path}");
            assert_eq!(path_found.path(), None, "{path}");
        }
        for path in [
            "", "a/~", "~a/b", "~$a", "/$HOME", "$", "$1", "%20", "a$PWD", "$a.txt", "%a/%",
        ] {
            assert_eq!(unexpanded(path), None, "{path}");
        }
    }

    #[test]
    fn the_root_directory_keeps_its_slash() {
        let root = |remainder| UnexpandedPath {
            is_tilde: true,
            directory: Some(String::new()),
            remainder,
        };
        assert_eq!(root("").path().as_deref(), Some("/"));
        assert_eq!(root("/a").path().as_deref(), Some("/a"));
    }
}
