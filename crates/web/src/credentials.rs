//! API keys: from the environment, or else from `credentials.json`, nested by tool and provider, or
//! flat under the names of the variables, as the published ikigai has them.
//!
//! The file is looked for in `$IKIGAI_CONFIG_DIR`, `$XDG_CONFIG_HOME/ikigai` and
//! `~/.config/ikigai`; the first that exists counts, and no other.

mod secret_text;
#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use anyhow::{Context, bail, ensure};
use percent_encoding::percent_decode_str;
use serde_json::Value;
use url::Url;

use iki_base::own_directories::{self, CREDENTIALS_FILE};
use iki_process::sandbox::confinement;
pub use secret_text::SecretText;

/// Maximum number of bytes read of a credentials file.
const MAX_FILE_BYTES: u64 = 1024 * 1024;

/// Minimum length of a part of a credential that is a secret by itself, in bytes.
pub const MIN_SECRET_BYTES: usize = 8;

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
    all.retain(|one| one.len() >= MIN_SECRET_BYTES);
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
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", problem.as_deref().unwrap_or("not configured"))]
pub struct MissingCredential {
    /// Names the file that could not be used, with the reason, if that is the cause.
    pub problem: Option<String>,
}

/// Credentials of an environment. The file is read when a variable is not set.
pub struct Credentials<'a> {
    var: &'a (dyn Fn(&str) -> Option<String> + Sync),
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
    pub fn from_vars(
        var: &'a (dyn Fn(&str) -> Option<String> + Sync),
        home: Option<PathBuf>,
    ) -> Self {
        Self { var, home }
    }

    /// Returns one credential: the variable, unless it is unset or blank, or else the file's string
    /// at `path`, such as `["web_search", "brave", "api_key"]`, or else the one under the
    /// variable's name.
    pub fn find_credential(
        &self,
        variable: &str,
        path: &[&str],
    ) -> Result<SecretText, MissingCredential> {
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
        let place = check_trusted(&file)
            .and_then(|()| read(&file))
            .and_then(|json| {
                // A problem with the nested form matters only if there is no flat one.
                let nested = pick(&json, path);
                match nested {
                    Ok(Some(_)) => nested,
                    _ => pick(&json, &[variable])
                        .and_then(|flat| flat.map_or(nested, |k| Ok(Some(k)))),
                }
            });
        match place {
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
        own_directories::filled_in(&(self.var)(variable)?).map(str::to_owned)
    }

    /// Returns the credentials file that counts: the first that exists, readable or not.
    #[must_use]
    pub fn file(&self) -> Option<PathBuf> {
        self.directories()
            .map(|directory| directory.join(CREDENTIALS_FILE))
            .find(|file| exists(file))
    }

    /// Returns the configuration directories in order of precedence, existing or not.
    pub fn directories(&self) -> impl Iterator<Item = PathBuf> {
        own_directories::configuration(self.var, self.home.as_deref())
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

/// Reads a small file of JSON.
pub(crate) fn read_json(path: &Path) -> anyhow::Result<Value> {
    // Otherwise opening a FIFO without a writer would block.
    let flags = i32::try_from(rustix::fs::OFlags::NONBLOCK.bits()).unwrap_or(0);
    let file: File = OpenOptions::new()
        .read(true)
        .custom_flags(flags)
        .open(path)
        .context("can't be opened")?;
    let about = file.metadata().context("can't be examined")?;
    ensure!(about.is_file(), "is not a regular file");
    let mut text = Vec::new();
    file.take(MAX_FILE_BYTES + 1)
        .read_to_end(&mut text)
        .context("can't be read")?;
    ensure!(text.len() as u64 <= MAX_FILE_BYTES, "is larger than 1 MiB");
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&text);
    serde_json::from_slice(text).context("is not valid JSON")
}

fn read(path: &Path) -> anyhow::Result<Value> {
    let json = read_json(path)?;
    ensure!(json.is_object(), "is not a JSON object");
    Ok(json)
}

fn pick(json: &Value, path: &[&str]) -> anyhow::Result<Option<String>> {
    let mut member = json;
    for name in path {
        match member.get(name) {
            None | Some(Value::Null) => return Ok(None),
            Some(inner) => member = inner,
        }
    }
    let Value::String(value) = member else {
        bail!("'{}' must be a string", path.join("."))
    };
    let value = value.trim();
    Ok((!value.is_empty()).then(|| value.to_owned()))
}
