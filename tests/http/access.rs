//! `ikigai-tools mcp --http`: who gets in. Nobody without a token, from another page or under
//! another name, and with nothing that is no message.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use serde_json::json;

use super::life::Certificates;
use crate::common::messages::TextRow;
use crate::common::{public_directory, skip, text};
use crate::http_server::{
    Answer, HEADERS, HttpServer, http, ping, private_file, serve, token_lines, token_of,
};

fn bearer(name: &str) -> String {
    format!("Bearer {}", token_of(name))
}

#[test]
fn a_client_of_this_machine_needs_no_token_where_nobody_has_one() {
    let server = serve(&[]);
    let answer = server.post(&[], &ping());
    assert_eq!(
        (answer.status, answer.json()["result"].clone()),
        (200, json!({}))
    );
    // Whatever it sends is not looked at.
    let answer = server.post(&[("Authorization", "Bearer nothing")], &ping());
    assert_eq!(answer.status, 200);
    let list = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/list"});
    let answer = server.post(&[], &list).json();
    assert_eq!(answer["id"], 7);
    assert!(!answer["result"]["tools"].as_array().unwrap().is_empty());
}

#[test]
fn with_tokens_nobody_gets_in_without_one() {
    let server = http(&[]).tokens(&["anna", "ben"]).start();
    for name in ["anna", "ben"] {
        for scheme in ["Bearer", "bearer", "BEARER"] {
            let given = format!("{scheme} {}", token_of(name));
            assert_eq!(
                server.post(&[("Authorization", &given)], &ping()).status,
                200
            );
        }
    }
    let hash = crate::http_server::token_line("anna", &token_of("anna"));
    let hash = format!("Bearer {}", hash.split_once(' ').unwrap().1.trim());
    let long = format!("Bearer {}", "x".repeat(8000));
    for (given, challenge) in [
        (None, "Bearer"),
        (Some("Basic YW5uYTphbm5h"), "Bearer"),
        (Some(""), "Bearer"),
        (Some("Bearer"), "Bearer error=\"invalid_token\""),
        (
            Some("Bearer token-of-carl"),
            "Bearer error=\"invalid_token\"",
        ),
        (
            Some("Bearer token-of-ann"),
            "Bearer error=\"invalid_token\"",
        ),
        (
            Some("Bearer token-of-annaa"),
            "Bearer error=\"invalid_token\"",
        ),
        (
            Some("Bearer token-of-anna x"),
            "Bearer error=\"invalid_token\"",
        ),
        (Some("token-of-anna"), "Bearer"),
        (Some(hash.as_str()), "Bearer error=\"invalid_token\""),
        (Some(long.as_str()), "Bearer error=\"invalid_token\""),
        (Some("Bearer \u{e9}"), "Bearer error=\"invalid_token\""),
    ] {
        let headers: Vec<(&str, &str)> = given
            .map(|given| ("Authorization", given))
            .into_iter()
            .collect();
        let answer = server.post(&headers, &ping());
        assert_eq!(answer.status, 401, "{given:?}");
        assert_eq!(
            answer.header("www-authenticate"),
            Some(challenge),
            "{given:?}"
        );
        assert!(answer.json()["id"].is_null());
        answer.error_code();
        let said = format!("{answer:?}");
        for secret in ["token-of", "anna", "xxxx"] {
            assert!(!answer.text().contains(secret), "{said}");
        }
    }
    let anna = bearer("anna");
    let twice = [
        ("Authorization", anna.as_str()),
        ("Authorization", anna.as_str()),
    ];
    assert_eq!(server.post(&twice, &ping()).status, 401);
    assert!(!server.log().contains("token-of"), "{}", server.log());
}

#[test]
fn a_request_to_another_host_or_from_another_page_is_refused_at_every_path() {
    let server = serve(&["--allowed-host", "tools.example.org"]);
    let port = server.address().port();
    let own = [
        format!("127.0.0.1:{port}"),
        format!("localhost:{port}"),
        format!("[::1]:{port}"),
        "tools.example.org".to_owned(),
    ];
    for host in &own {
        assert_eq!(
            server.post(&[("Host", host)], &ping()).status,
            200,
            "{host}"
        );
        let origin = format!("http://{host}");
        let headers = [("Host", host.as_str()), ("Origin", &origin)];
        let answer = server.post(&headers, &ping());
        assert_eq!(answer.status, 200, "{origin}");
        let cors = answer
            .headers
            .iter()
            .any(|(name, _)| name.starts_with("access-control"));
        assert!(!cors, "{answer:?}");
    }
    let get = |line: &str, headers: &[(&str, &str)]| {
        let headers = [&HEADERS[..], headers].concat();
        let body = if line.starts_with("POST") {
            ping().to_string()
        } else {
            String::new()
        };
        server.request(line, &headers, body.as_bytes())
    };
    let refused = |answer: &Answer, statuses: &[u16]| {
        assert!(statuses.contains(&answer.status), "{answer:?}");
        answer.error_code();
        assert!(answer.json()["id"].is_null());
    };
    for line in [
        "POST /mcp",
        "GET /mcp",
        "GET /health",
        "GET /metrics",
        "GET /",
        "OPTIONS /mcp",
    ] {
        for host in [
            "evil.example",
            "localhost",
            "127.0.0.1:1",
            "tools.example.org:1",
            "0.0.0.0",
        ] {
            refused(&get(line, &[("Host", host)]), &[403]);
        }
        for host in ["", "a b", "localhost:x", "me@localhost"] {
            refused(&get(line, &[("Host", host)]), &[400, 403]);
        }
        for origin in [
            "null",
            "",
            "http://evil.example",
            "https://tools.example.org",
            &format!("https://127.0.0.1:{port}"),
            "http://127.0.0.1",
            "file://",
        ] {
            refused(&get(line, &[("Origin", origin)]), &[403]);
        }
        let host = own[0].as_str();
        refused(&get(line, &[("Host", host), ("Host", host)]), &[400]);
        let origin = format!("http://{host}");
        refused(
            &get(line, &[("Origin", &origin), ("Origin", &origin)]),
            &[403],
        );
    }
    let mut connection = server.connect();
    connection
        .write(b"POST /mcp HTTP/1.1\r\nContent-Length: 0\r\n\r\n")
        .unwrap();
    refused(&connection.answer().unwrap(), &[400]);
    // The target's own host comes before the header's; they have to be one.
    refused(&get("POST http://evil.example/mcp", &[]), &[400]);
}

#[test]
fn what_is_not_there_is_not_found_and_other_methods_are_not_allowed() {
    let server = serve(&[]);
    for path in ["/", "/mcp/", "/MCP", "/sse", "/../mcp", "//mcp", "/mcp%2f"] {
        let answer = server.request(&format!("POST {path}"), &HEADERS, b"{}");
        assert_eq!(answer.status, 404, "{path}");
        answer.error_code();
    }
    for method in ["GET", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "BREW"] {
        let answer = server.request(&format!("{method} /mcp"), &HEADERS, b"");
        assert_eq!(
            (answer.status, answer.header("allow")),
            (405, Some("POST")),
            "{method}"
        );
        answer.error_code();
    }
    // What has no body leaves nothing unread: the connection goes on.
    let mut connection = server.connect();
    assert_eq!(connection.request("GET /mcp", &HEADERS, b"").status, 405);
    assert_eq!(connection.post(&[], &ping()).status, 200);
    let mut connection = server.connect();
    let host = server.host();
    connection
        .write(format!("POST /mcp HTTP/1.0\r\nHost: {host}\r\n\r\n").as_bytes())
        .unwrap();
    assert_eq!(connection.head().unwrap().status, 505);
}

#[test]
fn a_body_that_is_no_message_is_refused_by_json_rpc_s_errors() {
    let server = serve(&[]);
    let post = |headers: &[(&str, &str)], body: &[u8]| server.request("POST /mcp", headers, body);
    for (body, code) in [
        (&b"{"[..], -32700),
        (b"\xff\xfe", -32700),
        (
            b"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]",
            -32600,
        ),
        (b"[]", -32600),
        (b"{}", -32600),
        (b"\"ping\"", -32600),
    ] {
        let answer = post(&HEADERS, body);
        assert_eq!(
            (answer.status, answer.error_code()),
            (400, code),
            "{}",
            answer.text()
        );
        assert!(answer.json()["id"].is_null());
    }
    let said = post(&HEADERS, b"[]").json()["error"]["message"].to_string();
    said.assert_row("mcp_http", "a batch");
    let ping = ping().to_string();
    let ping = ping.as_bytes();
    let [json, accept] = HEADERS;
    for kind in [
        "text/plain",
        "application/jsonx",
        "application/x-www-form-urlencoded",
        "",
    ] {
        let answer = post(&[("Content-Type", kind), accept], ping);
        assert_eq!(
            (answer.status, answer.error_code()),
            (415, -32600),
            "{kind}"
        );
    }
    assert_eq!(post(&[accept], ping).status, 415);
    for kinds in ["application/json", "text/event-stream", "text/html", ""] {
        let answer = post(&[json, ("Accept", kinds)], ping);
        assert_eq!(
            (answer.status, answer.error_code()),
            (406, -32600),
            "{kinds}"
        );
    }
    assert_eq!(post(&[json], ping).status, 406);
    for kinds in [
        "*/*",
        "application/json, */*;q=0.8",
        "text/event-stream,application/json",
    ] {
        assert_eq!(
            post(&[json, ("Accept", kinds)], ping).status,
            200,
            "{kinds}"
        );
    }
    let charset = ("Content-Type", "Application/JSON; charset=utf-8");
    assert_eq!(post(&[charset, accept], ping).status, 200);
    // What the protocol's service does not understand is told in the same form.
    for message in [
        json!({"jsonrpc": "2.0", "id": "x", "result": 1}),
        json!({"jsonrpc": "2.0", "id": "x", "method": "tools/call", "params": {"name": 7}}),
    ] {
        let answer = post(&HEADERS, message.to_string().as_bytes());
        answer.error_code();
    }
}

/// Numbers that are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % end
    }
}

#[test]
fn a_thousand_malformed_requests_cost_nothing_but_refusals() {
    let server = http(&[]).tokens(&["anna"]).start();
    let host = server.host();
    let token = bearer("anna");
    let call = crate::http_server::call("web_fetch", &json!({"url": "x:"})).to_string();
    let good = format!(
        "POST /mcp HTTP/1.1\r\nHost: {host}\r\nAuthorization: {token}\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nContent-Length: {}\r\n\r\n{call}",
        call.len()
    );
    let mut numbers = Numbers(14);
    let mut answered = 0;
    for _ in 0..1000 {
        let mut bytes = good.clone().into_bytes();
        for _ in 0..=numbers.below(6) {
            let at = numbers.below(bytes.len());
            match numbers.below(6) {
                0 => bytes[at] = u8::try_from(numbers.below(256)).unwrap(),
                1 => bytes[at] = 0,
                2 => drop(bytes.drain(at..(at + 20).min(bytes.len()))),
                3 => bytes.truncate(at + 1),
                4 => drop(bytes.splice(at..at, *b"\r\n")),
                _ => drop(bytes.splice(at..at, b"[{\"\xff".repeat(1 + numbers.below(300)))),
            }
        }
        let mut connection = server.connect();
        // The server may have had enough before the end.
        let _ = connection.write(&bytes);
        let _ = connection.socket().shutdown(std::net::Shutdown::Write);
        if let Ok(answer) = connection.answer() {
            answered += 1;
            let fine = answer.status == 200 && answer.json().is_object();
            assert!(fine || (400..=505).contains(&answer.status), "{answer:?}");
            assert!(answer.status != 500, "{answer:?}");
        }
    }
    assert!(answered > 300, "{answered}");
    let answer = server.post(&[("Authorization", &token)], &ping());
    assert_eq!(answer.status, 200);
    assert!(!server.log().contains("panicked"), "{}", server.log());
}

#[test]
fn the_set_of_tools_is_the_network_s() {
    let names = |server: &HttpServer, headers: &[(&str, &str)]| {
        let list = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/list"});
        let answer = server.post(headers, &list).json();
        let tools = answer["result"]["tools"].as_array().unwrap().clone();
        let names = tools
            .iter()
            .map(|tool| tool["name"].as_str().unwrap().to_owned());
        names.collect::<Vec<_>>()
    };
    let served = names(&serve(&[]), &[]);
    assert!(served.contains(&"web_fetch".to_owned()) && served.contains(&"scrape_page".to_owned()));
    for local in ["bash", "file_read", "glob"] {
        assert!(!served.contains(&local.to_owned()), "{served:?}");
    }
}

#[test]
fn beyond_this_machine_it_serves_with_tokens_behind_a_proxy() {
    let server = http(&["--behind-proxy", "--allowed-host", "tools.example.org"])
        .on("0.0.0.0:0")
        .tokens(&["anna"])
        .start();
    let anna = bearer("anna");
    let status = |host: &str, origin: &str| {
        let headers = [
            ("Authorization", anna.as_str()),
            ("Host", host),
            ("Origin", origin),
        ];
        server.post(&headers, &ping()).status
    };
    let port = server.address().port();
    assert_eq!(
        status("tools.example.org", "https://tools.example.org"),
        200
    );
    assert_eq!(
        status(&format!("localhost:{port}"), "http://tools.example.org"),
        200
    );
    assert_eq!(
        status(&format!("0.0.0.0:{port}"), "https://tools.example.org"),
        403
    );
    assert_eq!(status("tools.example.org", "https://evil.example"), 403);
}

/// Those who have been let in must not decide who gets in.
#[test]
fn it_does_not_start_where_calls_could_reach_what_lets_them_in() {
    let certificates = Certificates::new();
    let (certificate, key) = (certificates.certificate, certificates.key.serialize_pem());
    let (roots, readable) = (public_directory(), public_directory());
    let (root, read) = (text(roots.path()), text(readable.path()));
    let begin = || http(&["--tools", "grep", "--root", root, "--read", read]);
    let tokens = token_lines(&["anna"]);
    let files = [
        ("--tokens", "the file of tokens", &tokens),
        ("--cert", "the certificate file", &certificate),
        ("--key", "the key file", &key),
    ];
    // The server with one of the three files at this path, and the others where they belong.
    let start = |flag: &str, path: &Path| {
        let mut builder = begin();
        for (one, _, content) in files {
            let own = builder.file(one.trim_start_matches('-'), content);
            let path = if one == flag { path } else { &own };
            builder = builder.arg(one).arg(path);
        }
        builder.try_start().map(drop)
    };
    if let Err(log) = begin().tokens(&["anna"]).try_start() {
        assert!(log.contains("Landlock"), "{log}");
        return skip(&log);
    }
    let elsewhere = public_directory();
    symlink(elsewhere.path(), roots.path().join("directory")).unwrap();
    for (flag, what, content) in files {
        let inside = private_file(roots.path(), flag, content);
        let outside = private_file(elsewhere.path(), flag, content);
        let (link, led) = (roots.path().join("link"), elsewhere.path().join("led"));
        symlink(&outside, &link).unwrap();
        symlink(&inside, &led).unwrap();
        let below = roots.path().join("directory").join(flag);
        for path in [&inside, &link, &below, &led] {
            let log = start(flag, path).unwrap_err();
            let places = [(text(path), "<file>"), (root, "<root>"), (what, "<kind>")];
            log.assert_row_at("mcp_http", "a file within a root", &places);
        }
        fs::remove_file(&link).unwrap();
        fs::remove_file(&led).unwrap();
        assert_eq!(start(flag, &outside), Ok(()));
        // A second name, which may lie anywhere.
        fs::hard_link(&outside, elsewhere.path().join("second")).unwrap();
        let log = start(flag, &outside).unwrap_err();
        let places = [(text(&outside), "<file>"), (what, "<kind>")];
        log.assert_row_at("mcp_http", "a file with two names", &places);
        fs::remove_file(elsewhere.path().join("second")).unwrap();
        // Everybody is sent the certificate.
        let started = start(flag, &private_file(readable.path(), flag, content));
        match started {
            Ok(()) => assert_eq!(flag, "--cert"),
            Err(log) => {
                let places = [(text(readable.path()), "<directory>"), (what, "<kind>")];
                log.assert_row_at("mcp_http", "a file that calls may read", &places);
            }
        }
    }
}

/// The files are looked at again whenever they are read.
#[test]
fn what_has_come_within_reach_since_is_not_read_again() {
    let roots = public_directory();
    let builder = http(&["--root", text(roots.path()), "--tools", "grep"]).tokens(&["anna"]);
    let server = match builder.try_start() {
        Ok(server) => server,
        Err(log) if log.contains("Landlock") => return skip(&log),
        Err(log) => panic!("{log}"),
    };
    let inside = private_file(roots.path(), "tokens", &token_lines(&["anna", "ben"]));
    let tokens = server.room().join("tokens");
    fs::remove_file(&tokens).unwrap();
    symlink(inside, &tokens).unwrap();
    server.signal(libc::SIGHUP);
    assert!(server.logs("nothing is changed: the file of tokens"));
    let status = |name: &str| {
        let given = bearer(name);
        server.post(&[("Authorization", &given)], &ping()).status
    };
    assert_eq!((status("anna"), status("ben")), (200, 401));
}

/// Keys that lie in a root are nobody's over HTTP either, and outputs are read there.
#[test]
fn a_temporary_directory_is_open_to_all_tools_of_its_token_and_to_no_other_s() {
    let root = public_directory();
    let args = ["--root", text(root.path()), "--tools", "bash,local"];
    let server = match http(&args).tokens(&["anna", "ben"]).try_start() {
        Ok(server) => server,
        Err(log) if log.contains("Landlock") => return skip(&log),
        Err(log) => panic!("{log}"),
    };
    let call = |name: &str, tool: &str, arguments: &serde_json::Value| {
        server.call_as(name, tool, arguments).json()["result"].to_string()
    };
    let command =
        json!({"command": "echo it-is-anna-s >$TMPDIR/file; echo $TMPDIR >place; cat place"});
    call("anna", "bash", &command);
    let own = fs::read_to_string(root.path().join("place")).unwrap();
    let file = format!("{}/file", own.trim());
    for name in ["anna", "ben"] {
        for (tool, arguments) in [
            ("file_read", json!({ "file_path": file })),
            ("grep", json!({"pattern": "it-is", "path": file})),
            ("glob", json!({"pattern": "f*", "path": own.trim()})),
            (
                "file_write",
                json!({"file_path": file, "content": "it-is-anna-s"}),
            ),
            (
                "bash",
                json!({"command": "cat file", "workdir": own.trim()}),
            ),
        ] {
            let said = call(name, tool, &arguments);
            let refused = said.contains("Not allowed");
            assert_eq!(refused, name == "ben", "{tool}: {said}");
            assert!(!refused || !said.contains("it-is-anna-s"), "{tool}: {said}");
        }
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), "it-is-anna-s");
}

#[test]
fn nobody_with_a_token_opens_the_keys_of_the_server() {
    let home = public_directory();
    let root = text(home.path());
    let keys = home.path().join(".config/ikigai");
    fs::create_dir_all(&keys).unwrap();
    fs::write(keys.join("credentials.json"), "the-keys").unwrap();
    let builder = http(&["--root", root, "--tools", "bash,local"]).tokens(&["anna"]);
    let builder = builder
        .env("HOME", root)
        .env("XDG_CONFIG_HOME", home.path().join(".config"));
    let server = match builder.try_start() {
        Ok(server) => server,
        Err(log) if log.contains("Landlock") => return skip(&log),
        Err(log) => panic!("{log}"),
    };
    for (tool, arguments) in [
        (
            "bash",
            json!({"command": "cat .config/ikigai/credentials.json"}),
        ),
        (
            "bash",
            json!({"command": "mv .config a; cat a/ikigai/credentials.json"}),
        ),
        (
            "file_read",
            json!({"file_path": ".config/ikigai/credentials.json"}),
        ),
        ("grep", json!({"pattern": "keys", "glob": ".config/*/*"})),
    ] {
        let answer = server.call_as("anna", tool, &arguments).json().to_string();
        assert!(!answer.contains("the-keys"), "{tool}: {answer}");
    }
}
