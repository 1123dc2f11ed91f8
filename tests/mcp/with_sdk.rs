//! The official Rust SDK's client: every local tool called through it.

use std::fs;

use rmcp::model::{CallToolRequestParams, CallToolResult};
use rmcp::service::RunningService;
use rmcp::transport::TokioChildProcess;
use rmcp::{RoleClient, ServiceExt};
use serde_json::{Value, json};

use crate::common::{BINARY, directory, state_home, text};

type Client = RunningService<RoleClient, ()>;

async fn client(args: &[&str]) -> Client {
    let mut command = tokio::process::Command::new(BINARY);
    command.arg("mcp").args(args);
    // Searches and fetches meet closed ports of this machine.
    for name in [
        "IKIGAI_BRAVE_URL",
        "IKIGAI_GOOGLE_URL",
        "IKIGAI_DUCKDUCKGO_URL",
    ] {
        command.env(name, "http://127.0.0.1:9/");
    }
    command.env("SEARCH_PROVIDER", "duckduckgo");
    command.env("XDG_CACHE_HOME", state_home().join("cache of clients"));
    command.env("XDG_STATE_HOME", state_home());
    let transport = TokioChildProcess::new(command).unwrap();
    ().serve(transport).await.unwrap()
}

async fn call(client: &Client, tool: String, arguments: Value) -> CallToolResult {
    let mut request = CallToolRequestParams::new(tool);
    request.arguments = arguments.as_object().cloned();
    client.call_tool(request).await.unwrap()
}

/// Makes a call of every tool that is listed, and has `check` look at each result; the flag tells
/// that the call has to fail, for want of a network and of keys.
fn each_result(args: &[&str], check: impl Fn(&str, bool, &CallToolResult)) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let room = directory();
        let file = room.path().join("file");
        let client = client(args).await;
        let tools = client.list_all_tools().await.unwrap();
        assert!(tools.len() >= 6);
        let mut session = String::new();
        for tool in tools {
            fs::write(&file, "one\ntwo\n").unwrap();
            // Each field gets something that suits some tool: a tool takes no more than its own.
            let mut fields = json!({
                "command": "echo one",
                "file_path": text(&file),
                "content": "three\n",
                "old_string": "two",
                "new_string": "three",
                "pattern": if tool.name == "grep" { "o" } else { "*" },
                "path": text(room.path()),
                "url": "http://127.0.0.1:9/",
                "query": "anything at all",
                "text": "Doe, J. (2001). Anything at all. Journal 3.",
                "searchStep": "anything at all",
                "stepNumber": 1,
                "nextStepNeeded": true,
                "sessionId": session,
            });
            if tool.name == "check_references" {
                // One bibliography is enough.
                let fields = fields.as_object_mut().unwrap();
                fields.retain(|name, _| name == "text");
            }
            // These refuse what they cannot do.
            if ["file_write", "file_edit"].contains(&&*tool.name) {
                let fields = fields.as_object_mut().unwrap();
                fields.retain(|name, _| !["command", "path", "pattern"].contains(&&**name));
            }
            let hints = tool.annotations.clone().unwrap();
            let asks = hints.read_only_hint == Some(true) && hints.open_world_hint == Some(true);
            // A reference that nobody could be asked about is unchecked.
            let web = asks && !["research_export", "check_references"].contains(&&*tool.name);
            let result = call(&client, tool.name.to_string(), fields).await;
            // There is nobody on that port, and there are no keys: a clear failure is the answer.
            assert_eq!(result.is_error, Some(web), "{}: {result:?}", tool.name);
            check(&tool.name, web, &result);
            if tool.name == "sequential_search" {
                let said = text_of(&result);
                let begin = said.find("sessionId").unwrap() + "sessionId".len();
                let is_name = |c: char| c.is_ascii_hexdigit();
                let name = said[begin..].find(is_name).unwrap() + begin;
                said[name..name + 36].clone_into(&mut session);
            }
        }
        client.cancel().await.unwrap();
    });
}

fn text_of(result: &CallToolResult) -> &str {
    &result.content[0].as_text().unwrap().text
}

#[test]
fn every_tool_that_is_listed_answers_with_plain_text() {
    each_result(&["--tools=all"], |tool, fails, result| {
        assert_eq!(result.structured_content, None);
        let text = text_of(result);
        assert!(!text.is_empty() && !text.starts_with('{'), "{tool}: {text}");
        if fails {
            // A provider that failed another call of late is left alone for a while.
            let codes = ["_MISSING)", "_ERROR)", "RATE_LIMIT)"];
            assert!(
                codes.iter().any(|code| text.contains(code)),
                "{tool}: {text}"
            );
        }
    });
}

#[test]
fn every_tool_answers_a_program_with_an_object() {
    each_result(&["--structured", "--tools=all"], |tool, fails, result| {
        let research = [
            "web_search",
            "scrape_page",
            "search_and_scrape",
            "academic_search",
            "patent_search",
        ];
        if fails && research.contains(&tool) {
            assert_eq!(result.structured_content, None);
            let (sentence, error) = text_of(result).split_once("\n\n").unwrap();
            let error: Value = serde_json::from_str(error).unwrap();
            assert!(
                !sentence.is_empty() && error["error"]["kind"].is_string(),
                "{tool}: {error}"
            );
            return;
        }
        let answer = result.structured_content.as_ref().unwrap();
        let field = match tool {
            _ if fails => "error_code",
            "sequential_search" | "get_research_session" | "research_export" => "sessionId",
            "check_references" => "trust",
            _ => "output",
        };
        assert!(answer[field].is_string(), "{tool}: {answer}");
        assert_eq!(
            &serde_json::from_str::<Value>(text_of(result)).unwrap(),
            answer
        );
    });
}
