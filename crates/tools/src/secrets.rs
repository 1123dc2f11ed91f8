//! Secrets in the environment, and how they are kept from commands and other processes.
//!
//! The web tools and the research server have keys. A command inherits the environment, and
//! `/proc/<pid>/environ` shows the environment of a process to all processes of the same user
//! (`proc_pid_environ(5)`). So a call of a local tool removes the keys from its own copy before it
//! does anything, and a tool that needs them hides its memory. Rules: the
//! decisions on bash.

use std::ffi::{CStr, OsStr, OsString, c_char};
use std::os::unix::ffi::OsStrExt;
use std::sync::OnceLock;

use rustix::process::{DumpableBehavior, set_dumpable_behavior};

use crate::contract::tool::Tool;

/// Variables with secrets of the research server or of related programs. Those of this program's
/// tools are in their rows. Identifiers that go with a key, as a user's name does with a password,
/// count as well.
const OTHER_SECRET_VARIABLES: &[&str] = &[
    "GOOGLE_CUSTOM_SEARCH_API_KEY",
    "GOOGLE_CUSTOM_SEARCH_ID",
    "SERPER_API_KEY",
    "TAVILY_API_KEY",
    "EXA_API_KEY",
    "SEARCHAPI_API_KEY",
    "USPTO_API_KEY",
    "EPO_CONSUMER_KEY",
    "EPO_CONSUMER_SECRET",
    "EPO_OPS_CONSUMER_KEY",
    "EPO_OPS_CONSUMER_SECRET",
    "LENS_API_TOKEN",
    "OPENALEX_API_KEY",
    "PUBMED_API_KEY",
    "SEMANTIC_SCHOLAR_API_KEY",
    "CACHE_ENCRYPTION_KEY",
    "IKIGAI_REDIS_URL",
    "GOOGLE_CUSTOM_SEARCH_ENGINE_ID",
];

/// Prefix of the variables for the user's own server: addresses, passwords and headers.
const SEARXNG_PREFIX: &str = "SEARXNG_";

/// If set to `1`, secrets are passed on like all other variables.
const PASS_KEYS_VARIABLE: &str = "IKIGAI_PASS_KEYS";

/// The tools whose credentials are secrets. The registry is above this module and tells it.
static TOOLS: OnceLock<&'static [Tool]> = OnceLock::new();

/// Makes the credentials of `tools` secrets from now on. Only the first call does.
pub fn declare(tools: &'static [Tool]) {
    let _ = TOOLS.set(tools);
}

/// True if the variable called `name` holds a secret.
#[must_use]
pub(crate) fn is_secret(name: &OsStr) -> bool {
    is_secret_of(TOOLS.get().copied().unwrap_or_default(), name.as_bytes())
}

/// True if `name` is a credential of one of `tools`, or one of the `OTHER_SECRET_VARIABLES`.
#[must_use]
pub fn is_secret_of(tools: &[Tool], name: &[u8]) -> bool {
    if name.starts_with(SEARXNG_PREFIX.as_bytes())
        || OTHER_SECRET_VARIABLES
            .iter()
            .any(|one| one.as_bytes() == name)
    {
        return true;
    }
    // This runs for every variable of every call's environment, and few tools have an account.
    for tool in tools {
        if let Some(account) = &tool.account
            && account
                .credentials
                .iter()
                .any(|one| one.variable.as_bytes() == name)
        {
            return true;
        }
    }
    false
}

/// True if the user wants secrets passed on.
#[must_use]
pub(crate) fn are_passed_on() -> bool {
    std::env::var_os(PASS_KEYS_VARIABLE).is_some_and(|value| value == "1")
}

/// The test for variables that are withheld from commands.
#[must_use]
pub fn withheld() -> fn(&OsStr) -> bool {
    if are_passed_on() {
        |_| false
    } else {
        is_secret
    }
}

/// Removes the secrets from this process's environment, the credentials of `tools` among them, and
/// overwrites them where the kernel shows them to others. Returns them. With `IKIGAI_PASS_KEYS=1`
/// everything stays.
///
/// # Safety
/// No other thread may run, and no pointer into the environment may be kept.
pub unsafe fn take(tools: &[Tool]) -> Vec<(OsString, OsString)> {
    unsafe extern "C" {
        static mut environ: *mut *mut c_char;
    }
    let mut taken = Vec::new();
    // SAFETY: `environ` is the C library's list of strings, which ends in null; no other thread
    // reads or changes it meanwhile, as the caller promises. The strings of a process's first
    // environment lie on its stack and can be written to; those that were added since are the C
    // library's own memory.
    unsafe {
        let mut from = environ;
        if from.is_null() {
            return taken;
        }
        let mut to = from;
        let mut pass = None;
        while !(*from).is_null() {
            let entry = CStr::from_ptr(*from).to_bytes();
            let name = entry.split(|byte| *byte == b'=').next().unwrap_or_default();
            if is_secret_of(tools, name) && !*pass.get_or_insert_with(are_passed_on) {
                let value = entry.get(name.len() + 1..).unwrap_or_default();
                taken.push((
                    OsStr::from_bytes(name).to_owned(),
                    OsStr::from_bytes(value).to_owned(),
                ));
                let length = entry.len();
                overwrite(*from, length);
            } else {
                *to = *from;
                to = to.add(1);
            }
            from = from.add(1);
        }
        *to = std::ptr::null_mut();
    }
    taken
}

/// Keeps this process's memory out of cores and from other processes of its user (`/proc/PID/mem`,
/// `ptrace`): `PR_SET_DUMPABLE`, `prctl(2)`. Programs that it starts are not affected.
pub fn hide_memory() {
    // This cannot fail.
    let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
}

/// The value of the variable called `name`, `taken` from the environment or still in it. `None` if
/// it is missing, empty or not UTF-8.
#[must_use]
pub fn of_taken(taken: &[(OsString, OsString)], name: &str) -> Option<String> {
    let mut taken = taken.iter().filter(|(one, _)| one == OsStr::new(name));
    let value = match taken.next() {
        Some((_, value)) => value.clone(),
        None => std::env::var_os(name)?,
    };
    value.into_string().ok().filter(|value| !value.is_empty())
}

/// Overwrites a string of `length` bytes with zeroes, in a way that no optimiser removes.
///
/// # Safety
/// All the bytes must be the caller's to write.
unsafe fn overwrite(string: *mut c_char, length: usize) {
    for offset in 0..length {
        // SAFETY: within the string, as the caller promises.
        unsafe { string.add(offset).write_volatile(0) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry;
    use iki_research::patents::patent_provider;
    use iki_web::search::{brave, google, provider_choice};

    #[test]
    fn every_credential_that_a_search_takes_from_the_environment_is_a_secret() {
        assert!(registry::find_tool("bash").is_some());
        for name in [brave::KEY, google::KEY, google::ENGINE] {
            assert!(
                is_secret(OsStr::new(name.name.variable)),
                "{}",
                name.name.variable
            );
        }
        for name in ["SEARXNG_URL", "SEARXNG_BASIC_AUTH", "EXA_API_KEY"] {
            assert!(is_secret(OsStr::new(name)), "{name}");
        }
    }

    #[test]
    fn every_credential_of_a_provider_is_a_secret() {
        assert!(registry::find_tool("bash").is_some());
        for provider in provider_choice::PROVIDERS {
            let slots = provider.slots.iter().map(|slot| slot.name);
            for name in slots.chain(provider.required_names()) {
                assert!(is_secret(OsStr::new(name.variable)), "{}", name.variable);
            }
        }
        for provider in patent_provider::PROVIDERS {
            for slot in provider.service.slots {
                let variable = slot.name.variable;
                assert!(is_secret(OsStr::new(variable)), "{variable}");
            }
        }
    }

    #[test]
    fn what_only_looks_like_one_is_none() {
        for name in [
            "",
            "PATH",
            "BRAVE_API_KEYS",
            "brave_api_key",
            "SEARXNG",
            "API_KEY",
        ] {
            assert!(!is_secret(OsStr::new(name)), "{name}");
        }
    }
}
