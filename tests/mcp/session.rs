//! A server and the lines that go to and fro.

#![allow(dead_code, reason = "each test program uses its own part")]

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};

use serde_json::{Value, json};

use crate::common::{BINARY, state_home};

/// A server that is talked to in raw lines.
pub struct Session {
    pub server: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Session {
    /// Starts a server.
    pub fn start(args: &[&str]) -> Self {
        Self::start_in(Path::new("."), args)
    }

    /// Starts a server in a directory, which answers with objects for programs.
    pub fn start_in(directory: &Path, args: &[&str]) -> Self {
        Self::unprepared(directory, &[&["--structured"], args].concat())
    }

    /// Starts a server in a directory that answers with text for models, and makes it ready for
    /// calls of a client that calls itself `name`.
    pub fn plain(directory: &Path, name: &str, args: &[&str]) -> Self {
        let mut session = Self::unprepared(directory, args);
        session.shake_hands_as(name, "2025-11-25");
        session
    }

    /// Starts a server in a directory, with these flags alone.
    pub fn unprepared(directory: &Path, args: &[&str]) -> Self {
        Self::unprepared_with(directory, args, &[])
    }

    /// The same with these variables.
    pub fn unprepared_with(
        directory: &Path,
        args: &[&str],
        variables: &[(String, String)],
    ) -> Self {
        let variables = variables.iter().map(|(name, value)| (name, value));
        let mut server = Command::new(BINARY);
        server.arg("mcp").args(args).current_dir(directory);
        Self::of(server.envs(variables))
    }

    /// Starts a server as this command does.
    pub fn of(server: &mut Command) -> Self {
        if server.get_envs().all(|(name, _)| name != "XDG_STATE_HOME") {
            server.env("XDG_STATE_HOME", state_home());
        }
        let mut server = server
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        Self {
            input: server.stdin.take(),
            output: BufReader::new(server.stdout.take().unwrap()),
            server,
        }
    }

    /// Starts a server and makes it ready for calls.
    pub fn open(args: &[&str]) -> Self {
        let mut session = Self::start(args);
        session.shake_hands("2025-11-25");
        session
    }

    /// The handshake, in which a revision is asked for. Returns the server's answer.
    pub fn shake_hands(&mut self, revision: &str) -> Value {
        self.shake_hands_as("test", revision)
    }

    /// The handshake of the client called `name`.
    pub fn shake_hands_as(&mut self, name: &str, revision: &str) -> Value {
        self.send(
            &json!({"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": {
                "protocolVersion": revision,
                "capabilities": {},
                "clientInfo": {"name": name, "version": "1"},
            }}),
        );
        let answer = self.receive();
        assert_eq!(answer["id"], "hello");
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        answer["result"].clone()
    }

    /// Sends a message.
    pub fn send(&mut self, message: &Value) {
        self.send_line(message.to_string().as_bytes());
    }

    /// Sends a line, whatever it is.
    pub fn send_line(&mut self, line: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(line).unwrap();
        input.write_all(b"\n").unwrap();
    }

    /// Asks for a call, without waiting for its answer.
    pub fn call(&mut self, id: u32, tool: &str, arguments: &Value) {
        self.send(
            &json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {
                "name": tool, "arguments": arguments,
            }}),
        );
    }

    /// Makes a call and returns its result.
    pub fn result_of(&mut self, tool: &str, arguments: &Value) -> Value {
        self.call(1, tool, arguments);
        let answer = self.receive();
        assert_eq!(answer["id"], 1, "{answer}");
        answer["result"].clone()
    }

    /// Makes a call whose answer is one text; returns it, and whether the call failed.
    pub fn text_of(&mut self, tool: &str, arguments: &Value) -> (String, bool) {
        let result = self.result_of(tool, arguments);
        assert_eq!(result.get("structuredContent"), None, "{result:.300}");
        let content = result["content"].as_array().unwrap();
        assert_eq!(content.len(), 1, "{result:.300}");
        let text = content[0]["text"].as_str().unwrap().to_owned();
        assert!(!text.is_empty());
        (text, result["isError"] == true)
    }

    /// Cancels a call.
    pub fn cancel(&mut self, id: u32) {
        let params = json!({"requestId": id, "reason": "changed my mind"});
        self.send(
            &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}),
        );
    }

    /// The next message. There is nothing else on stdout.
    pub fn receive(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    /// The names of the tools that are listed.
    pub fn tools(&mut self) -> Vec<String> {
        self.send(&json!({"jsonrpc": "2.0", "id": 0, "method": "tools/list"}));
        let answer = self.receive();
        let tools = answer["result"]["tools"].as_array().unwrap();
        let name = |tool: &Value| tool["name"].as_str().unwrap().to_owned();
        tools.iter().map(name).collect()
    }

    /// Ends the input; the server may still be read.
    pub fn end_input(&mut self) {
        self.input = None;
    }

    /// The input, for whoever writes to it on their own.
    pub fn take_input(&mut self) -> ChildStdin {
        self.input.take().unwrap()
    }

    /// Goes away and waits for the server's end.
    pub fn leave(self) -> ExitStatus {
        let Self {
            mut server,
            input,
            output,
        } = self;
        drop((input, output));
        server.wait().unwrap()
    }
}
