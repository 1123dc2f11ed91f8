//! Lenses in files: JSON, one object or a list of them. A file that cannot be used is reported and
//! ignored.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use serde_json::Value;

use super::Lens;
use crate::sandbox::confinement;
use crate::web::credentials::{Credentials, read_json};
use crate::web::search::DomainFilter;

/// Variable with further files and directories, separated by colons.
const VARIABLE: &str = "CUSTOM_LENSES_PATH";

/// Name of the directory within the configuration directory.
const DIRECTORY: &str = "lenses";

/// Maximum number of files in a directory.
const MAX_FILES: usize = 200;
/// Maximum number of domains of a lens.
const MAX_DOMAINS: usize = 200;
/// Longest name, in bytes.
const MAX_NAME: usize = 64;

/// Returns the files and directories that may hold lenses; later ones take precedence.
pub fn places(credentials: &Credentials<'_>) -> Vec<PathBuf> {
    let configured = credentials
        .directories()
        .map(|directory| directory.join(DIRECTORY))
        .find(|directory| directory.is_dir());
    let custom = credentials.variable(VARIABLE).map(OsString::from);
    let custom = custom
        .iter()
        .flat_map(std::env::split_paths)
        .filter(|path| !path.as_os_str().is_empty());
    configured.into_iter().chain(custom).collect()
}

/// Reads the lenses in a file, or in the files of a directory in the order of their names. A file
/// that cannot be used is an error with the reason.
pub fn read(place: &Path) -> Vec<Result<Lens, String>> {
    if !confinement::keeps_from_calls(place) {
        return vec![Err(sentence(place, "confined calls could change it"))];
    }
    if !place.is_dir() {
        return read_file(place);
    }
    let entries = match fs::read_dir(place) {
        Ok(entries) => entries,
        Err(error) => return vec![Err(sentence(place, &error.to_string()))],
    };
    let mut files: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|kind| kind == "json"))
        .collect();
    files.sort_unstable();
    files.truncate(MAX_FILES);
    files.iter().flat_map(|file| read_file(file)).collect()
}

fn read_file(file: &Path) -> Vec<Result<Lens, String>> {
    let named = |error: anyhow::Error| sentence(file, &format!("{error:#}"));
    let lenses = match read_json(file) {
        Ok(Value::Array(lenses)) => lenses,
        Ok(lens) => vec![lens],
        Err(error) => return vec![Err(named(error))],
    };
    let read = lenses.iter().map(|lens| of(lens).map_err(named));
    read.collect()
}

fn sentence(file: &Path, why: &str) -> String {
    format!("The lens file {} could not be used: {why}.", file.display())
}

fn of(json: &Value) -> anyhow::Result<Lens> {
    ensure!(json.is_object(), "a lens is a JSON object");
    let text = |field: &str| -> anyhow::Result<Option<&str>> {
        match json.get(field) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.trim()).filter(|text| !text.is_empty())),
            Some(_) => bail!("`{field}` must be a string"),
        }
    };
    let name = text("name")?.context("it has no `name`")?.to_lowercase();
    let sound = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    ensure!(
        name.len() <= MAX_NAME && name.chars().all(sound),
        "`name` must be one word of at most {MAX_NAME} bytes"
    );
    let mut entries = Vec::new();
    match json.get("domains") {
        None | Some(Value::Null) => {}
        Some(Value::Array(list)) => {
            for entry in list {
                let entry = entry
                    .as_str()
                    .context("`domains` must hold strings alone")?;
                let one = DomainFilter::new(&[entry.to_owned()], &[]);
                let is_host = one.allowed().is_some_and(|hosts| !hosts.is_empty());
                ensure!(is_host, "{entry:?} is not a domain");
                entries.push(entry.to_owned());
            }
        }
        Some(_) => bail!("`domains` must be a list"),
    }
    let domains = DomainFilter::new(&entries, &[]);
    let domains = domains.allowed().unwrap_or_default().to_vec();
    ensure!(
        domains.len() <= MAX_DOMAINS,
        "it has more than {MAX_DOMAINS} domains"
    );
    let cx = text("cx")?.map(str::to_owned);
    ensure!(
        !domains.is_empty() || cx.is_some(),
        "it has neither `domains` nor `cx`"
    );
    Ok(Lens {
        name,
        description: text("description")?.unwrap_or_default().to_owned(),
        domains,
        cx,
    })
}
