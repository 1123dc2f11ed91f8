//! The clients of the Model Context Protocol that this server knows by the names they give in their
//! handshake: the longest answer that each passes to its model, and how a key reaches a server.
//!
//! Each figure was measured with that client and a server of one tool, whose answers grew until the
//! model no longer saw all of one: Codex 0.169, Claude Code 2.1, Gemini CLI 0.61, Qwen Code 0.15,
//! opencode 1.18. A client keeps the part that it cuts in a file that is read by lines, or throws
//! it away.

/// A client's limits, and its ways of configuring a server.
#[derive(Debug, PartialEq, Eq)]
pub struct ClientProfile {
    /// A part of the name that it gives, in lower case.
    name: &'static str,
    /// The longest answer that its model sees uncut, in bytes.
    pub longest_answer: usize,
    /// The place in its configuration for the variables that the server gets.
    pub keys: &'static str,
}

/// The known clients.
const CLIENTS: [ClientProfile; 6] = [
    // It cuts at 10,000 tokens or 11 KiB of output, whichever comes first, in the middle.
    ClientProfile {
        name: "codex",
        longest_answer: 11_000,
        keys: "`env_vars = [\"NAME\"]` under `[mcp_servers.…]` in ~/.codex/config.toml",
    },
    // `truncateToolOutputThreshold` is 25,000 characters.
    ClientProfile {
        name: "qwen",
        longest_answer: 25_000,
        keys: "`\"env\": {\"NAME\": \"$NAME\"}` of the server in ~/.qwen/settings.json",
    },
    // 25,000 tokens, which are 40,000 bytes of text with many tokens a byte.
    ClientProfile {
        name: "claude",
        longest_answer: 40_000,
        keys: "`claude mcp add -e NAME=…`, or `\"env\"` of the server in .mcp.json",
    },
    // `truncateToolOutputThreshold` is 40,000 characters.
    ClientProfile {
        name: "gemini",
        longest_answer: 40_000,
        keys: "`\"env\": {\"NAME\": \"$NAME\"}` of the server in ~/.gemini/settings.json",
    },
    // It drops an answer over 50 KiB completely.
    ClientProfile {
        name: "opencode",
        longest_answer: 40_000,
        keys: "`\"environment\": {\"NAME\": \"{env:NAME}\"}` of the server in opencode.json",
    },
    // Gemini CLI and Qwen Code behind a URL, whose requests name the program that runs them: the
    // smaller limit of the two.
    ClientProfile {
        name: "node",
        longest_answer: 25_000,
        keys: UNKNOWN.keys,
    },
];

/// The limit of unknown clients: the least of the others.
const UNKNOWN: ClientProfile = ClientProfile {
    name: "",
    longest_answer: 40_000,
    keys: "the server's `env` (or `environment`) in the client's configuration",
};

/// The client that calls itself `name`.
#[must_use]
pub fn find(name: &str) -> &'static ClientProfile {
    let name = name.to_lowercase();
    let mut known = CLIENTS.iter();
    known
        .find(|client| name.contains(client.name))
        .unwrap_or(&UNKNOWN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_are_known_by_the_names_that_they_give() {
        for (name, longest) in [
            ("codex-mcp-client", 11_000),
            ("qwen-cli-mcp-client-ikigai", 25_000),
            ("claude-code", 40_000),
            ("gemini-cli-mcp-client", 40_000),
            ("opencode", 40_000),
            ("opencode/1.18.33", 40_000),
            ("claude-code/2.1.197 (sdk-cli)", 40_000),
            ("node", 25_000),
            ("Visual Studio Code", 40_000),
            ("", 40_000),
        ] {
            assert_eq!(find(name).longest_answer, longest, "{name}");
        }
    }
}
