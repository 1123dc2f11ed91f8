//! Workshop: a server's tokens, names and limits.
//!
//! | module | purpose |
//! |---|---|
//! | `allowance` | limits on a token owner's requests, per second and at once |
//! | `credential_file` | reading the files that a server is given at its start |
//! | `fair_slots` | slots that are shared fairly between token owners |
//! | `server_names` | a server's names, checked in `Host` and `Origin` |
//! | `token_owner` | the owner of a token |
//! | `tokens` | the file of tokens |

mod allowance;
mod credential_file;
mod fair_slots;
mod server_names;
mod token_owner;
mod tokens;

pub(crate) use allowance::RequestPermit;
pub use allowance::{RequestAllowance, RequestKind};
pub(crate) use credential_file::CredentialFile;
pub(crate) use fair_slots::{FairSlots, HeldSlot};
pub(crate) use server_names::{ServerNames, ServerSchemes};
pub(crate) use token_owner::TokenOwner;
pub(crate) use tokens::TokenTable;
pub use tokens::{NewToken, TokenFileError, add_token};
