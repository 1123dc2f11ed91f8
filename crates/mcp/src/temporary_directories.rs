//! The directories for temporary files of confined commands, which last as long as the server: one
//! for each token, within one that goes with the server however that ends.
//!
//! Rules: agreed behaviour, see REFERENCE.md.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Mutex;

use rustix::io::Errno;

use crate::access::TokenOwner;
use iki_base::mutex::lock;
use iki_process::sandbox::confinement::{Confinement, command_confinement};
use iki_process::sandbox::guard::RemovalGuard;
use iki_process::sandbox::scratch::ScratchDirectory;

/// The directories of a server.
#[derive(Default)]
pub struct TemporaryDirectories(Mutex<Option<ServerDirectory>>);

/// The directory that all others are in.
struct ServerDirectory {
    directory: ScratchDirectory,
    guard: Option<RemovalGuard>,
    of_owners: HashMap<Option<TokenOwner>, PathBuf>,
}

impl TemporaryDirectories {
    /// The directory of this caller's commands, which is made if it is missing. `None` if it cannot
    /// be: each command then has one of its own.
    pub fn of_caller(
        &self,
        confinement: &Confinement,
        owner: Option<&TokenOwner>,
    ) -> Option<PathBuf> {
        let mut server = lock(&self.0);
        // A program that clears up temporary files by their age may have taken it.
        let is_gone = |server: &ServerDirectory| server.directory.open().is_err();
        if server.as_ref().is_none_or(is_gone) {
            if let Some(guard) = server.take().and_then(|server| server.guard) {
                guard.dismiss();
            }
            *server = Some(ServerDirectory::make(confinement)?);
        }
        let server = server.as_mut()?;
        let owner = owner.cloned();
        if let Some(path) = server.of_owners.get(&owner) {
            return Some(path.clone());
        }
        let path = server.make_within().ok()?;
        server.of_owners.insert(owner, path.clone());
        Some(path)
    }

    /// Dismisses the guard, for which a server that ends would else wait.
    pub fn dismiss_guard(&self) {
        let mut server = lock(&self.0);
        if let Some(guard) = server.as_mut().and_then(|server| server.guard.take()) {
            guard.dismiss();
        }
    }

    /// Removes them when all processes have ended that could use them.
    pub fn remove(&self) {
        let mut server = lock(&self.0);
        if let Some(server) = server.take() {
            server.directory.remove();
        }
    }
}

impl ServerDirectory {
    fn make(confinement: &Confinement) -> Option<Self> {
        let directory = command_confinement::private_directory(confinement)?;
        directory.make().ok()?;
        Some(Self {
            guard: RemovalGuard::of_directory(&directory).ok(),
            directory,
            of_owners: HashMap::new(),
        })
    }

    fn make_within(&self) -> Result<PathBuf, Errno> {
        let directory =
            ScratchDirectory::in_directory(self.directory.open()?, self.directory.path());
        directory.make()?;
        Ok(directory.path().to_owned())
    }
}
