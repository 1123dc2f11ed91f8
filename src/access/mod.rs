//! Workshop: who may use a server, and how much of it.
//!
//! | module | what it is |
//! |---|---|
//! | `allowance` | how many calls a holder may make a second, and at once |
//! | `credential` | reading the files that a server is given at its start |
//! | `holder` | whoever has a token |
//! | `names` | by which names a server is called, as `Host` and `Origin` have them |
//! | `fair_places` | room of which nobody takes what the others need |
//! | `tokens` | the file of tokens |

mod allowance;
mod credential;
mod fair_places;
mod holder;
mod names;
mod tokens;

pub use allowance::{LimitKind, LimitPermit, RequestAllowance};
pub use credential::CredentialFile;
pub use fair_places::{FairSlots, HeldSlot};
pub use holder::TokenOwner;
pub use names::{ServerNames, ServerSchemes};
pub use tokens::{NewToken, TokenFileError, TokenTable, add};
