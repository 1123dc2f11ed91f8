//! The search workshop: what a pattern means, and where its lines are.
//!
//! | module | what it is |
//! |---|---|
//! | [`ere`] | POSIX extended regular expressions, matched line by line |

pub mod ere;
