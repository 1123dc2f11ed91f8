//! Lenses in files: JSON, one object or a list of them. A file that cannot be used is reported and
//! ignored.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, ensure};
use serde::Deserialize;
use serde_json::Value;

use super::Lens;
use crate::credentials::{Credentials, read_json};
use crate::search::named_hosts;
use iki_process::sandbox::confinement;

/// Variable with further files and directories, separated by colons.
const VARIABLE: &str = "CUSTOM_LENSES_PATH";

/// Name of the directory within the configuration directory.
const DIRECTORY: &str = "lenses";

/// Maximum number of files in a directory.
const MAX_FILES: usize = 200;
/// Maximum number of domains of a lens.
const MAX_DOMAINS: usize = 200;
/// Maximum length of a name, in bytes.
const MAX_NAME_BYTES: usize = 64;

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
    let read = lenses.iter().map(|lens| parse_lens(lens).map_err(named));
    read.collect()
}

fn sentence(file: &Path, why: &str) -> String {
    format!("The lens file {} could not be used: {why}.", file.display())
}

/// A lens as its file has it.
#[derive(Deserialize)]
#[serde(expecting = "a lens, which is an object")]
struct LensFields {
    name: Option<String>,
    description: Option<String>,
    domains: Option<Vec<String>>,
    cx: Option<String>,
}

fn parse_lens(json: &Value) -> anyhow::Result<Lens> {
    let fields = LensFields::deserialize(json)?;
    let trimmed = |text: Option<String>| {
        let text = text?.trim().to_owned();
        (!text.is_empty()).then_some(text)
    };
    let name = trimmed(fields.name).context("it has no `name`")?;
    let name = name.to_lowercase();
    let sound = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    ensure!(
        name.len() <= MAX_NAME_BYTES && name.chars().all(sound),
        "`name` must be one word of at most {MAX_NAME_BYTES} bytes"
    );
    let entries = fields.domains.unwrap_or_default();
    let domains = named_hosts(&entries).map_err(|entry| anyhow!("{entry:?} is not a domain"))?;
    ensure!(
        domains.len() <= MAX_DOMAINS,
        "it has more than {MAX_DOMAINS} domains"
    );
    let cx = trimmed(fields.cx);
    ensure!(
        !domains.is_empty() || cx.is_some(),
        "it has neither `domains` nor `cx`"
    );
    Ok(Lens {
        name,
        description: trimmed(fields.description).unwrap_or_default(),
        domains,
        cx,
    })
}
