//! Workshop: which directories a process may touch, and who outlives whom.

pub mod caller;
pub mod confine;
pub mod descendants;
pub mod detached;
pub mod launch;
pub mod orphans;
pub mod roots;
pub mod signals;
pub mod watchdog;
