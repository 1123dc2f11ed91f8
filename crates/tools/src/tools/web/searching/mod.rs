//! Searching, which the tools that answer with a search's results share.
//!
//! | module | contents |
//! |---|---|
//! | `search_fields` | the fields of a request that make a search |
//! | `search_failure` | a failed search as a failure of the tool |
//! | `results_notes` | notes on results |
//! | `result_list` | the answer: a list of what was found |
//! | `search_hints` | advice after a search without results |
//! | `search_meta` | metadata for clients |

pub mod result_list;
pub mod results_notes;
pub mod search_failure;
pub mod search_fields;
pub mod search_hints;
pub mod search_meta;

/// Usual values of fields, for completions.
pub const VALUES: &[(&str, &str)] = &[
    (
        "lens",
        "academic biomed clinical curriculum devops docs finance government legal medical news \
         osint programming science security tech",
    ),
    (
        "provider",
        "brave duckduckgo exa google searchapi searxng serper tavily",
    ),
];
