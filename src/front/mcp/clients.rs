//! The clients of the Model Context Protocol that this server knows by the names they give in their
//! handshake: the longest answer that each passes to its model, and how a key reaches a server.
//!
//! Each figure was measured with that client and a server of one tool, whose answers grew until the
//! model no longer saw all of one: Codex 0.169, Claude Code 2.1, Gemini CLI 0.61, Qwen Code 0.15,
//! opencode 1.18, and the present Kilo, Copilot CLI, fast-agent, Cline and Mistral Vibe. A client
//! keeps the part that it cuts in a file that is read by lines, or throws it away.

use std::time::Duration;

use crate::contract::bounded::TextMeasure;

/// The time before a client gives a call up in which a command that goes on can be answered.
const ANSWERING: Duration = Duration::from_secs(5);

/// A client's limits, and its ways of configuring a server.
#[derive(Debug, PartialEq, Eq)]
pub struct ClientProfile {
    /// A part of the name that it gives, in lower case.
    name: &'static str,
    /// The longest answer that its model sees uncut, in bytes.
    pub longest_answer: usize,
    /// The most lines of such an answer, if lines are limited too.
    most_lines: Option<usize>,
    /// It counts an answer as it is escaped in JSON.
    counts_escaped: bool,
    /// It takes a text that is JSON for the answer's object, and the call for failed if it is none.
    pub reads_json: bool,
    /// The time after which it gives up a call of which it hears nothing, since it gives no token
    /// for progress. What the call was to do, and what it had said, is lost with it.
    gives_up_after: Option<Duration>,
    /// The place in its configuration for the variables that the server gets.
    pub keys: &'static str,
}

impl ClientProfile {
    /// The measure by which an answer of at most so many `bytes` keeps to its other limits as well.
    #[must_use]
    pub fn measure(&self, bytes: usize) -> TextMeasure {
        match self.most_lines {
            _ if self.counts_escaped => TextMeasure::Json,
            Some(lines) => TextMeasure::with_lines(bytes, lines),
            None => TextMeasure::Plain,
        }
    }

    /// The time after which a command has to go on in the background, if the client hears nothing
    /// of it.
    #[must_use]
    pub fn goes_on_after(&self) -> Option<Duration> {
        self.gives_up_after?.checked_sub(ANSWERING)
    }
}

/// The known clients.
const CLIENTS: [ClientProfile; 11] = [
    // It cuts at 10,000 tokens or 11 KiB of output, whichever comes first, in the middle.
    ClientProfile {
        name: "codex",
        longest_answer: 11_000,
        keys: "`env_vars = [\"NAME\"]` under `[mcp_servers.…]` in ~/.codex/config.toml",
        ..BYTES_ALONE
    },
    // `truncateToolOutputThreshold` is 25,000 characters, `truncateToolOutputLines` 1,000.
    ClientProfile {
        name: "qwen",
        longest_answer: 25_000,
        most_lines: Some(950),
        keys: "`\"env\": {\"NAME\": \"$NAME\"}` of the server in ~/.qwen/settings.json",
        ..BYTES_ALONE
    },
    // 25,000 tokens, which are 40,000 bytes of text with many tokens a byte.
    ClientProfile {
        name: "claude",
        longest_answer: 40_000,
        keys: "`claude mcp add -e NAME=…`, or `\"env\"` of the server in .mcp.json",
        ..BYTES_ALONE
    },
    // `truncateToolOutputThreshold` is 40,000 characters.
    ClientProfile {
        name: "gemini",
        longest_answer: 40_000,
        reads_json: true,
        keys: "`\"env\": {\"NAME\": \"$NAME\"}` of the server in ~/.gemini/settings.json",
        ..BYTES_ALONE
    },
    // It drops an answer over 50 KiB completely, and what follows the first 2,000 lines.
    ClientProfile {
        name: "opencode",
        longest_answer: 40_000,
        most_lines: Some(1950),
        keys: "`\"environment\": {\"NAME\": \"{env:NAME}\"}` of the server in opencode.json",
        ..BYTES_ALONE
    },
    // A descendant of opencode with the same limits; its older releases give that name.
    ClientProfile {
        name: "kilo",
        longest_answer: 40_000,
        most_lines: Some(1950),
        keys: "`\"environment\": {\"NAME\": \"{env:NAME}\"}` of the server in kilo.json",
        ..BYTES_ALONE
    },
    // It shows 839 bytes of an answer over 20 KB.
    ClientProfile {
        name: "copilot-cli",
        longest_answer: 19_000,
        ..BYTES_ALONE
    },
    // It cuts out the middle of more than 16,000 characters.
    ClientProfile {
        name: "fast-agent",
        longest_answer: 15_000,
        ..BYTES_ALONE
    },
    // `@cline/core` cuts at 8,000 characters of JSON. Its calls have 60 seconds, as the SDK has it.
    ClientProfile {
        name: "cline",
        longest_answer: 7000,
        counts_escaped: true,
        gives_up_after: Some(Duration::from_secs(60)),
        ..BYTES_ALONE
    },
    // What it lets through was not measured; its calls have the SDK's 60 seconds.
    ClientProfile {
        name: "continue",
        gives_up_after: Some(Duration::from_secs(60)),
        ..UNKNOWN
    },
    // Gemini CLI and Qwen Code behind a URL, whose requests name the program that runs them: what
    // holds for either.
    ClientProfile {
        name: "node",
        longest_answer: 25_000,
        most_lines: Some(950),
        reads_json: true,
        ..BYTES_ALONE
    },
];

/// Mistral Vibe, which cuts like Codex and gives the name of its SDK: a part of many other names.
const VIBE: ClientProfile = ClientProfile {
    name: "mcp",
    longest_answer: 11_000,
    ..BYTES_ALONE
};

/// The limits of unknown clients, within those of most others.
const UNKNOWN: ClientProfile = ClientProfile {
    longest_answer: 19_000,
    most_lines: Some(950),
    ..BYTES_ALONE
};

/// What most clients have in common.
const BYTES_ALONE: ClientProfile = ClientProfile {
    name: "",
    longest_answer: 0,
    most_lines: None,
    counts_escaped: false,
    reads_json: false,
    gives_up_after: None,
    keys: "the server's `env` (or `environment`) in the client's configuration",
};

/// The client that calls itself `name`.
#[must_use]
pub fn find(name: &str) -> &'static ClientProfile {
    let name = name.to_lowercase();
    if name == VIBE.name {
        return &VIBE;
    }
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
        let plain = TextMeasure::Plain;
        let lines = TextMeasure::Lines;
        for (name, longest, measure) in [
            ("codex-mcp-client", 11_000, plain),
            ("qwen-cli-mcp-client-ikigai", 25_000, lines(27)),
            ("claude-code", 40_000, plain),
            ("gemini-cli-mcp-client", 40_000, plain),
            ("opencode", 40_000, lines(21)),
            ("opencode/1.18.33", 40_000, lines(21)),
            ("Kilo Code", 40_000, lines(21)),
            ("claude-code/2.1.197 (sdk-cli)", 40_000, plain),
            ("copilot-cli", 19_000, plain),
            ("fast-agent-mcp", 15_000, plain),
            ("@cline/core", 7000, TextMeasure::Json),
            ("mcp", 11_000, plain),
            ("MCP", 11_000, plain),
            ("mcp-client", 19_000, lines(20)),
            ("continue-client", 19_000, lines(20)),
            ("node", 25_000, lines(27)),
            ("Visual Studio Code", 19_000, lines(20)),
            ("", 19_000, lines(20)),
        ] {
            let client = find(name);
            assert_eq!(client.longest_answer, longest, "{name}");
            assert_eq!(client.measure(longest), measure, "{name}");
        }
    }

    #[test]
    fn a_command_goes_on_before_a_client_gives_it_up() {
        for (name, seconds) in [
            ("continue-client", Some(55)),
            ("Cline", Some(55)),
            ("opencode", None),
            ("someone", None),
        ] {
            let after = find(name).goes_on_after();
            assert_eq!(after, seconds.map(Duration::from_secs), "{name}");
        }
    }
}
