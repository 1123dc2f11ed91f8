//! A confinement as it was asked for: by flags, or by variables, which hosts set.

use std::env;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use serde::{Deserialize, Serialize};

/// The variable that names the directories in which hosts' calls may read and write.
pub const ROOTS: &str = "IKIGAI_ROOTS";

/// The variable that names what they may read and execute beside these.
pub const READ: &str = "IKIGAI_READ";

/// The variable that keeps them off the network, unless it is empty or `0`.
pub const NO_NETWORK: &str = "IKIGAI_NO_NETWORK";

/// The separator of directories in a variable, as in `PATH`.
const SEPARATOR: u8 = b':';

/// The way in which a confinement was asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ConfinementSource {
    /// By flags.
    #[default]
    Flags,
    /// By variables of the environment.
    Environment,
}

impl ConfinementSource {
    /// The flag or variable that takes the network away.
    #[must_use]
    pub fn name_for_network(self) -> &'static str {
        match self {
            Self::Flags => "--no-network",
            Self::Environment => NO_NETWORK,
        }
    }
}

/// A confinement as it was asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConfinementBounds {
    /// Directories in which a call may read and write.
    pub roots: Vec<OsString>,
    /// Files and directories that it may read and execute beside these.
    pub readable: Vec<OsString>,
    /// True if it may not use the network.
    pub no_network: bool,
    /// The origin of this.
    pub source: ConfinementSource,
}

impl ConfinementBounds {
    /// The bounds in the environment; `None` if it has none.
    #[must_use]
    pub fn of_environment() -> Option<Self> {
        let nothing = Self {
            source: ConfinementSource::Environment,
            ..Self::default()
        };
        let bounds = nothing.or_environment();
        (!bounds.is_nothing()).then_some(bounds)
    }

    /// These bounds, completed by those in the environment. A variable that is set and names
    /// nothing asks for the impossible, because the user who set it wanted a confinement.
    #[must_use]
    pub fn or_environment(mut self) -> Self {
        for (places, variable) in [(&mut self.roots, ROOTS), (&mut self.readable, READ)] {
            if places.is_empty() {
                *places = env::var_os(variable).map(split).unwrap_or_default();
            }
        }
        let no_network = env::var_os(NO_NETWORK).filter(|value| !value.is_empty() && value != "0");
        self.no_network |= no_network.is_some();
        self
    }

    /// True if it asks for directories.
    #[must_use]
    pub fn confines_files(&self) -> bool {
        !(self.roots.is_empty() && self.readable.is_empty())
    }

    /// True if it asks for nothing.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        !self.confines_files() && !self.no_network
    }
}

/// The names in a variable. Empty ones between others are skipped; an only one stays, and names
/// nothing.
fn split(value: OsString) -> Vec<OsString> {
    let bytes = value.into_vec();
    let names = bytes.split(|byte| *byte == SEPARATOR);
    let names: Vec<OsString> = names
        .filter(|name| !name.is_empty())
        .map(|name| OsStr::from_bytes(name).to_owned())
        .collect();
    if names.is_empty() {
        return vec![OsString::new()];
    }
    names
}
