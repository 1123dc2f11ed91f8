//! Searching, which the tools that answer with a search's results share.
//!
//! | module | contents |
//! |---|---|
//! | `search_fields` | the fields of a request that make a search |
//! | `search_failure` | a failed search as a failure of the tool |
//! | `results_notes` | notes on results |
//! | `answer_end` | the fields of answers after their lists |
//! | `shown_hints` | advice after a search without results |
//! | `search_meta` | metadata for clients |

pub mod answer_end;
pub mod results_notes;
pub mod search_failure;
pub mod search_fields;
pub mod search_meta;
pub mod shown_hints;

/// Usual values of fields, for completions.
pub const VALUES: &[(&str, &str)] = &[
    (
        "lens",
        "academic biomed clinical curriculum devops docs finance government legal medical news osint programming \
             science security tech",
    ),
    (
        "provider",
        "brave duckduckgo exa google searchapi searxng serper tavily",
    ),
];
