//! API keys: from the environment, or else from `credentials.json`, nested by tool and provider, or
//! flat under the names of the variables, as the published ikigai has them.
//!
//! The file is looked for in `$IKIGAI_CONFIG_DIR`, `$XDG_CONFIG_HOME/ikigai` and
//! `~/.config/ikigai`; the first that exists counts, and no other.

mod key;

use std::ffi::OsString;
use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use anyhow::{Context, bail, ensure};
use percent_encoding::percent_decode_str;
use serde_json::Value;
use url::Url;

use crate::sandbox::confinement;
pub use key::SecretText;

/// Most bytes read of a credentials file.
const MAX_FILE: u64 = 1024 * 1024;
/// Name of the file.
pub const FILE: &str = "credentials.json";

/// Shortest part of a credential that is a secret by itself, in bytes.
pub const SHORTEST_SECRET: usize = 8;

/// Variables that were removed from this process's environment, where other processes could have
/// read them.
static TAKEN: OnceLock<Vec<(OsString, OsString)>> = OnceLock::new();

/// Makes the variables that were removed from the environment available to this process's own
/// searches. Only the first call has an effect.
pub fn store_taken_variables(taken: &[(OsString, OsString)]) {
    let _ = TAKEN.set(taken.to_vec());
}

/// Returns all secrets that a server must not show: the values `taken` out of its environment,
/// those in its credentials file, and the passwords in either.
#[must_use]
pub fn secrets_in_use(taken: &[(OsString, OsString)]) -> Vec<SecretText> {
    let file = Credentials::from_env().file();
    let file = file.and_then(|file| read(&file).ok()).unwrap_or_default();
    let mut all: Vec<String> = Vec::new();
    collect_strings(&file, &mut all);
    all.extend(
        taken
            .iter()
            .filter_map(|(_, value)| value.clone().into_string().ok()),
    );
    let passwords = all.iter().flat_map(|one| match Url::parse(one) {
        Ok(url) if url.has_host() => url.password().map(decoded).into_iter().collect(),
        _ => one
            .split([':', ' '])
            .skip(1)
            .map(str::to_owned)
            .collect::<Vec<_>>(),
    });
    let passwords: Vec<String> = passwords.collect();
    all.extend(passwords);
    all.retain(|one| one.len() >= SHORTEST_SECRET);
    all.iter().map(|one| SecretText::new(one)).collect()
}

fn decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

/// Collects all strings in `json`.
fn collect_strings(json: &Value, all: &mut Vec<String>) {
    match json {
        Value::String(text) => all.push(text.clone()),
        Value::Array(values) => values.iter().for_each(|value| collect_strings(value, all)),
        Value::Object(fields) => fields
            .values()
            .for_each(|value| collect_strings(value, all)),
        _ => {}
    }
}

/// Returns a variable of the environment, or one that was removed from it.
fn variable(name: &str) -> Option<String> {
    let taken = TAKEN.get().map_or(&[][..], Vec::as_slice);
    match taken.iter().find(|(one, _)| one == name) {
        Some((_, value)) => value.clone().into_string().ok(),
        None => std::env::var(name).ok(),
    }
}

/// Origin of a credential.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CredentialSource {
    /// A variable of the environment.
    Environment,
    /// This file.
    File(PathBuf),
}

/// Names of a credential.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CredentialName {
    /// Environment variable.
    pub variable: &'static str,
    /// Path in the file, name by name.
    pub path: &'static [&'static str],
}

/// Error: a credential is not configured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingCredential {
    /// Names the file that could not be used, with the reason, if that is the cause.
    pub problem: Option<String>,
}

impl fmt::Display for MissingCredential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.problem.as_deref().unwrap_or("not configured"))
    }
}

impl std::error::Error for MissingCredential {}

/// Credentials of an environment. The file is read when a variable is not set.
pub struct Credentials<'a> {
    var: &'a dyn Fn(&str) -> Option<String>,
    home: Option<PathBuf>,
}

impl Credentials<'_> {
    /// Uses the process's environment.
    #[must_use]
    pub fn from_env() -> Self {
        Self {
            var: &variable,
            home: dirs::home_dir(),
        }
    }
}

impl<'a> Credentials<'a> {
    /// Uses the caller's own environment.
    #[must_use]
    #[cfg(feature = "internals")]
    pub fn from_vars(var: &'a dyn Fn(&str) -> Option<String>, home: Option<PathBuf>) -> Self {
        Self { var, home }
    }

    /// Returns one credential: the variable, unless it is unset or blank, or else the file's string
    /// at `path`, such as `["web_search", "brave", "api_key"]`, or else the one under the
    /// variable's name.
    pub fn find(&self, variable: &str, path: &[&str]) -> Result<SecretText, MissingCredential> {
        self.locate(variable, path).map(|(key, _)| key)
    }

    /// Returns the origin of a credential, without the credential itself.
    pub fn source(&self, name: CredentialName) -> Result<CredentialSource, MissingCredential> {
        self.locate(name.variable, name.path)
            .map(|(_, source)| source)
    }

    /// Returns a variable that is not a credential, unless it is unset or blank.
    #[must_use]
    pub fn variable(&self, name: &str) -> Option<String> {
        self.set(name)
    }

    fn locate(
        &self,
        variable: &str,
        path: &[&str],
    ) -> Result<(SecretText, CredentialSource), MissingCredential> {
        if let Some(value) = self.set(variable) {
            return Ok((SecretText::new(&value), CredentialSource::Environment));
        }
        let Some(file) = self.file() else {
            return Err(MissingCredential { problem: None });
        };
        let found = check_trusted(&file)
            .and_then(|()| read(&file))
            .and_then(|json| {
                // A problem with the nested form matters only if the flat one does not exist either.
                let nested = pick(&json, path);
                match nested {
                    Ok(Some(_)) => nested,
                    _ => pick(&json, &[variable])
                        .and_then(|flat| flat.map_or(nested, |k| Ok(Some(k)))),
                }
            });
        match found {
            Ok(Some(value)) => Ok((SecretText::new(&value), CredentialSource::File(file))),
            Ok(None) => Err(MissingCredential { problem: None }),
            Err(error) => {
                let problem = format!("{}: {error:#}", file.display());
                Err(MissingCredential {
                    problem: Some(problem),
                })
            }
        }
    }

    fn set(&self, variable: &str) -> Option<String> {
        let value = (self.var)(variable)?.trim().to_owned();
        // A client leaves `${user_config.key}` for a setting that its user has not filled in.
        let placeholder = value.starts_with("${") && value.ends_with('}');
        (!value.is_empty() && !placeholder).then_some(value)
    }

    /// Returns the credentials file that counts: the first that exists, readable or not.
    #[must_use]
    pub fn file(&self) -> Option<PathBuf> {
        self.directories()
            .map(|dir| dir.join(FILE))
            .find(|file| exists(file))
    }

    /// Returns the configuration directories in order of precedence, existing or not.
    pub fn directories(&self) -> impl Iterator<Item = PathBuf> {
        let own = self.set("IKIGAI_CONFIG_DIR").map(PathBuf::from);
        // The XDG base directory specification requires relative paths to be ignored.
        let xdg = self
            .set("XDG_CONFIG_HOME")
            .map(PathBuf::from)
            .filter(|dir| dir.is_absolute());
        let home = self.home.as_ref().map(|home| home.join(".config"));
        [
            own,
            xdg.map(|dir| dir.join("ikigai")),
            home.map(|dir| dir.join("ikigai")),
        ]
        .into_iter()
        .flatten()
    }
}

/// True if the file exists, readable or not.
fn exists(file: &Path) -> bool {
    match file.metadata() {
        Ok(_) => true,
        Err(error) => !matches!(
            error.kind(),
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
        ),
    }
}

/// Rejects a file that a confined call could have created.
fn check_trusted(file: &Path) -> anyhow::Result<()> {
    ensure!(
        confinement::keeps_from_calls(file),
        "is not read: confined calls could have put it there, or could put another one there"
    );
    Ok(())
}

fn read(path: &Path) -> anyhow::Result<Value> {
    // Otherwise opening a FIFO without a writer would block.
    let flags = i32::try_from(rustix::fs::OFlags::NONBLOCK.bits()).unwrap_or(0);
    let file: File = OpenOptions::new()
        .read(true)
        .custom_flags(flags)
        .open(path)
        .context("can't be opened")?;
    ensure!(
        file.metadata().context("can't be examined")?.is_file(),
        "is not a regular file"
    );
    let mut text = Vec::new();
    file.take(MAX_FILE + 1)
        .read_to_end(&mut text)
        .context("can't be read")?;
    ensure!(text.len() as u64 <= MAX_FILE, "is larger than 1 MiB");
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&text);
    let json: Value = serde_json::from_slice(text).context("is not valid JSON")?;
    ensure!(json.is_object(), "is not a JSON object");
    Ok(json)
}

fn pick(json: &Value, path: &[&str]) -> anyhow::Result<Option<String>> {
    let mut at = json;
    for name in path {
        match at.get(name) {
            None | Some(Value::Null) => return Ok(None),
            Some(inner) => at = inner,
        }
    }
    let Value::String(value) = at else {
        bail!("'{}' must be a string", path.join("."))
    };
    let value = value.trim();
    Ok((!value.is_empty()).then(|| value.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    const PATH: &[&str] = &["web_search", "brave", "api_key"];
    const GOOD: &str = r#"{"web_search":{"brave":{"api_key":"from-file"}}}"#;

    fn find(vars: &[(&str, &str)], home: Option<&Path>) -> Result<SecretText, MissingCredential> {
        let var = |name: &str| {
            vars.iter()
                .find(|(n, _)| *n == name)
                .map(|(_, value)| (*value).to_owned())
        };
        Credentials::from_vars(&var, home.map(Path::to_owned)).find("BRAVE_API_KEY", PATH)
    }

    fn folder(text: &str) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join(FILE), text).unwrap();
        dir
    }

    fn found(result: Result<SecretText, MissingCredential>) -> String {
        result.unwrap().expose().to_owned()
    }

    #[test]
    fn the_variable_comes_before_the_file_and_one_that_is_not_filled_in_is_unset() {
        let dir = folder(GOOD);
        let at = ("IKIGAI_CONFIG_DIR", dir.path().to_str().unwrap());
        assert_eq!(
            found(find(&[("BRAVE_API_KEY", "from-env"), at], None)),
            "from-env"
        );
        assert_eq!(found(find(&[("BRAVE_API_KEY", ""), at], None)), "from-file");
        assert_eq!(
            found(find(&[("BRAVE_API_KEY", " \n"), at], None)),
            "from-file"
        );
        let placeholder = "${user_config.brave_api_key}";
        assert_eq!(
            found(find(&[("BRAVE_API_KEY", placeholder), at], None)),
            "from-file"
        );
        assert_eq!(find(&[], None), Err(MissingCredential { problem: None }));
    }

    #[test]
    fn the_first_file_that_exists_counts_and_no_other() {
        let own = folder(r#"{"web_search":{"brave":{"api_key":"own"}}}"#);
        let base = tempfile::tempdir().unwrap();
        for (dir, key) in [("xdg/ikigai", "xdg"), ("home/.config/ikigai", "home")] {
            let dir = base.path().join(dir);
            std::fs::create_dir_all(&dir).unwrap();
            std::fs::write(dir.join(FILE), GOOD.replace("from-file", key)).unwrap();
        }
        let home = base.path().join("home");
        let xdg = base.path().join("xdg");
        let own = ("IKIGAI_CONFIG_DIR", own.path().to_str().unwrap());
        let xdg = ("XDG_CONFIG_HOME", xdg.to_str().unwrap());
        assert_eq!(found(find(&[own, xdg], Some(&home))), "own");
        assert_eq!(
            found(find(&[("IKIGAI_CONFIG_DIR", "/nowhere"), xdg], Some(&home))),
            "xdg"
        );
        assert_eq!(
            found(find(&[("XDG_CONFIG_HOME", "xdg")], Some(&home))),
            "home"
        );
        let empty = folder("{}");
        let empty = ("IKIGAI_CONFIG_DIR", empty.path().to_str().unwrap());
        assert_eq!(
            find(&[empty, xdg], Some(&home)),
            Err(MissingCredential { problem: None })
        );
    }

    #[test]
    fn a_flat_file_is_read_as_well_as_a_nested_one() {
        for (text, key) in [
            (r#"{"BRAVE_API_KEY":" flat "}"#, "flat"),
            (r#"{"BRAVE_API_KEY":"flat","web_search":null}"#, "flat"),
            (
                r#"{"BRAVE_API_KEY":"flat","web_search":{"google":{"api_key":"g"}}}"#,
                "flat",
            ),
            (
                r#"{"BRAVE_API_KEY":"flat","web_search":{"brave":{"api_key":""}}}"#,
                "flat",
            ),
            (
                r#"{"BRAVE_API_KEY":"flat","web_search":{"brave":{"api_key":5}}}"#,
                "flat",
            ),
            (
                r#"{"BRAVE_API_KEY":"flat","web_search":{"brave":{"api_key":"nested"}}}"#,
                "nested",
            ),
            (
                r#"{"BRAVE_API_KEY":5,"web_search":{"brave":{"api_key":"nested"}}}"#,
                "nested",
            ),
        ] {
            let dir = folder(text);
            let at = ("IKIGAI_CONFIG_DIR", dir.path().to_str().unwrap());
            assert_eq!(found(find(&[at], None)), key, "{text}");
            let env = ("BRAVE_API_KEY", "env");
            assert_eq!(found(find(&[at, env], None)), "env", "{text}");
        }
        for text in [r#"{"BRAVE_API_KEY":null}"#, r#"{"BRAVE_API_KEY":" "}"#] {
            let dir = folder(text);
            let at = ("IKIGAI_CONFIG_DIR", dir.path().to_str().unwrap());
            assert_eq!(
                find(&[at], None),
                Err(MissingCredential { problem: None }),
                "{text}"
            );
        }
    }

    #[test]
    fn a_file_that_can_not_be_used_is_named_with_the_reason() {
        for (text, why) in [
            ("{", "is not valid JSON"),
            ("[]", "is not a JSON object"),
            (
                r#"{"web_search":{"brave":{"api_key":5}}}"#,
                "must be a string",
            ),
            (r#"{"BRAVE_API_KEY":5}"#, "'BRAVE_API_KEY' must be a string"),
        ] {
            let dir = folder(text);
            let at = ("IKIGAI_CONFIG_DIR", dir.path().to_str().unwrap());
            let problem = find(&[at], None).unwrap_err().problem.unwrap();
            assert!(problem.contains(why) && problem.contains(FILE), "{problem}");
        }
        let dir = tempfile::tempdir().unwrap();
        let at = ("IKIGAI_CONFIG_DIR", dir.path().to_str().unwrap());
        std::fs::create_dir(dir.path().join(FILE)).unwrap();
        let problem = find(&[at], None).unwrap_err().problem.unwrap();
        assert!(problem.contains("regular file"), "{problem}");
    }

    #[test]
    fn a_pipe_and_a_file_without_end_are_refused_at_once() {
        let dir = tempfile::tempdir().unwrap();
        let at = ("IKIGAI_CONFIG_DIR", dir.path().to_str().unwrap());
        let file = dir.path().join(FILE);
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &file,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR,
            0,
        )
        .unwrap();
        assert!(
            find(&[at], None)
                .unwrap_err()
                .problem
                .unwrap()
                .contains("regular file")
        );
        std::fs::remove_file(&file).unwrap();
        std::os::unix::fs::symlink("/dev/zero", &file).unwrap();
        assert!(
            find(&[at], None)
                .unwrap_err()
                .problem
                .unwrap()
                .contains("regular file")
        );
        std::fs::remove_file(&file).unwrap();
        std::fs::write(&file, vec![b' '; 2 * 1024 * 1024]).unwrap();
        assert!(
            find(&[at], None)
                .unwrap_err()
                .problem
                .unwrap()
                .contains("1 MiB")
        );
    }

    #[test]
    fn a_file_that_may_not_be_read_is_named() {
        let dir = folder(GOOD);
        let file = dir.path().join(FILE);
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o0)).unwrap();
        let at = ("IKIGAI_CONFIG_DIR", dir.path().to_str().unwrap());
        match find(&[at], None) {
            Err(MissingCredential { problem }) => {
                assert!(problem.unwrap().contains("can't be opened"));
            }
            // The superuser can read every file.
            Ok(_) => assert!(rustix::process::geteuid().is_root()),
        }
    }

    #[test]
    fn where_a_credential_is_can_be_asked_without_seeing_it() {
        let name = CredentialName {
            variable: "BRAVE_API_KEY",
            path: PATH,
        };
        let dir = folder(GOOD);
        let at = dir.path().to_str().unwrap().to_owned();
        let file = |name: &str| (name == "IKIGAI_CONFIG_DIR").then(|| at.clone());
        let source = Credentials::from_vars(&file, None).source(name);
        assert_eq!(source, Ok(CredentialSource::File(dir.path().join(FILE))));
        let set = |_: &str| Some("set".to_owned());
        let source = Credentials::from_vars(&set, None).source(name);
        assert_eq!(source, Ok(CredentialSource::Environment));
    }
}
