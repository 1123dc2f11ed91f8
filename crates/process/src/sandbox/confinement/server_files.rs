//! Keeping the files that decide about access to a server out of reach of the calls that it lets
//! in.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::{AccessRight, Confinement, opened_path, system};

/// The reach of calls that is too far for such a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sensitivity {
    /// Everybody may read it: a certificate.
    Public,
    /// No call may read it in its directories; in those of the system it gives nothing away:
    /// digests.
    Internal,
    /// No call may read it: a key.
    Secret,
}

impl Confinement {
    /// The reason why a server's own file must not lie at `path`: the rest of a sentence that
    /// begins with that file. `commands` says that calls run commands.
    #[must_use]
    pub fn exposure_of_server_file(
        &self,
        path: &Path,
        kind: Sensitivity,
        commands: bool,
    ) -> Option<String> {
        if !self.confines_files() {
            return None;
        }
        let outside = "move it to a directory that no call may open";
        let Some((real, links)) = opened_path::trace(path) else {
            return Some(format!("cannot be followed to its end: {outside}"));
        };
        let mut writable = self.to_write.directories().to_vec();
        writable.push(system::SHARED_MEMORY.into());
        for link_path in links.iter().chain([&real]) {
            if let Some(root) = writable.iter().find(|root| link_path.starts_with(root)) {
                let lies = if *link_path == real {
                    String::from("lies")
                } else {
                    format!(
                        "is reached through the link {}, which lies",
                        link_path.display()
                    )
                };
                return Some(format!(
                    "{lies} within {}, where calls may write, and whoever makes one could let \
                     others in: {outside}",
                    root.display()
                ));
            }
        }
        let names = fs::metadata(&real).map_or(1, |status| status.nlink());
        if names > 1 {
            return Some(format!(
                "has {names} names (hard links), and by another one calls may reach it: put a \
                 copy in a directory that no call may open"
            ));
        }
        let exposed = match kind {
            Sensitivity::Public => false,
            Sensitivity::Internal => self.to_read.contains(&real),
            Sensitivity::Secret => {
                self.to_read.contains(&real)
                    || (commands && system::grants(&real, AccessRight::Read, &self.to_write))
            }
        };
        exposed.then(|| format!("lies where calls may read it: {outside}"))
    }
}
