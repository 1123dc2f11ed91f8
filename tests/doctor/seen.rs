//! What the doctor sees, says and does, in a home, a project and a prefix of the test's own.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use super::machine::{Machine, names, schema};
use super::redis_server::Redis;
use crate::common::{self, eventually, processes_with};
use crate::link::RESEARCH;
use crate::server::Authority;

#[test]
fn nothing_is_wrong_with_a_fresh_installation() {
    let machine = Machine::new();
    let said = machine.doctor();
    said.is_well();
    let prefix = machine.path("prefix/libexec/ikigai");
    said.line(&[
        "  system",
        prefix.to_str().unwrap(),
        &format!("{} tools", names().len()),
    ]);
    said.line(&["  project", "project/.ikigai/tools", "not there"]);
    said.line(&["  user", "home/.ikigai/tools", "not there"]);
    for name in names() {
        said.line(&[&format!("  {name} "), " system ", " ok, "]);
    }
}

#[test]
fn the_tools_of_research_are_missed_only_beside_one_of_them() {
    let machine = Machine::new();
    let said = machine.doctor();
    assert!(!said.text.contains("scrape-page"), "{}", said.text);
    let prefix = machine.path("prefix/libexec/ikigai");
    let program = fs::read_link(prefix.join("grep")).unwrap();
    symlink(&program, prefix.join("web-search-tool")).unwrap();
    let said = machine.doctor();
    said.line(&["  web-search-tool ", " system ", " ok, "]);
    said.finds("tools of research that are missing");
    for name in &RESEARCH[1..] {
        symlink(&program, prefix.join(name)).unwrap();
    }
    let said = machine.doctor();
    said.is_well();
    said.line(&[
        "  system",
        &format!("{} tools", names().len() + RESEARCH.len()),
    ]);
}

#[test]
fn a_project_s_tool_shadows_a_person_s_and_that_the_system_s() {
    let machine = Machine::new();
    let user = machine.script(
        "home/.ikigai/tools",
        "web-search-brave-tool",
        &schema("web_search_brave"),
    );
    let project = machine.script("project/.ikigai/tools", "grep-tool", &schema("grep"));
    machine.script(
        "home/.ikigai/tools",
        "search-tavily-tool",
        &schema("search_tavily"),
    );
    let said = machine.doctor_in("project", &["--run-project"], &[]);
    said.finds("tools that shadow others");
    said.line(&[
        "  web-search-brave-tool ",
        " system ",
        &format!("shadowed by {}", user.display()),
    ]);
    said.line(&[
        "  grep ",
        " system ",
        &format!("shadowed by {}", project.display()),
    ]);
    said.line(&["  search-tavily-tool ", " user ", "ok"]);
    assert!(
        !said
            .line(&["  grep-tool ", " project "])
            .contains("shadowed")
    );
    machine.script("home/.ikigai/tools", "grep", &schema("grep"));
    let said = machine.doctor();
    said.line(&["  grep ", " user ", "shadowed by"]);
}

#[test]
fn what_another_user_may_have_put_there_is_not_started() {
    if !common::is_root() {
        common::skip("only root can give files away");
        return;
    }
    let machine = Machine::new();
    let place = "home/.ikigai/tools";
    for name in ["deploy-tool", "grep"] {
        let script = machine.script(place, name, ": >\"$0.ran\"; exit 1");
        chown(&script, Some(common::NOBODY), Some(common::NOBODY)).unwrap();
    }
    let said = machine.doctor();
    for name in ["deploy-tool", "grep"] {
        said.line(&[&format!("  {name} "), " user ", " not started"]);
        let script = machine.path(place).join(name);
        assert!(!script.with_extension("ran").exists(), "{}", said.text);
    }
    said.finds("tools of another user");
}

#[test]
fn a_broken_tool_is_named_with_what_to_do() {
    let machine = Machine::new();
    let place = "home/.ikigai/tools";
    machine.script(place, "bash", "echo nonsense");
    machine.script(place, "failing", "exit 3");
    machine.script(
        place,
        "unsound",
        r#"echo '{"name":"un-sound","description":"x"}'"#,
    );
    machine.script(place, "endless", "exec yes");
    symlink("nowhere", machine.path(place).join("dangling")).unwrap();
    let foreign = machine.script(place, "foreign", "");
    fs::write(&foreign, b"\x7fELFnonsense").unwrap();
    let plain = machine.script(place, "glob", "");
    fs::set_permissions(&plain, fs::Permissions::from_mode(0o644)).unwrap();
    fs::write(machine.path(place).join("README"), "notes").unwrap();
    let said = machine.doctor();
    said.finds("tools that are broken");
    for name in ["bash", "glob"] {
        said.line(&[&format!("  {name} "), " user ", "WRONG"]);
        assert!(
            said.line(&[&format!("  {name} "), " system "])
                .trim_end()
                .ends_with("ms"),
            "{}",
            said.text
        );
    }
    for absent in ["shadowed", "README"] {
        assert!(!said.text.contains(absent), "{}", said.text);
    }
}

#[test]
fn a_tool_that_does_not_answer_is_given_up_and_nothing_of_it_is_left() {
    let machine = Machine::new();
    let word = common::alone(1);
    machine.script(
        "home/.ikigai/tools",
        "slow",
        &format!("setsid sleep {word} & sleep {word}"),
    );
    machine.script(
        "home/.ikigai/tools",
        "tidy",
        &format!("sleep {word} & {}", schema("tidy")),
    );
    let started = Instant::now();
    let said = machine.doctor();
    assert!(started.elapsed() < Duration::from_secs(60));
    said.finds("a tool that does not answer");
    said.line(&["  tidy ", " user ", "ok"]);
    assert!(eventually(|| processes_with(&word).is_empty()));
}

#[test]
fn a_missing_tool_is_missed() {
    let machine = Machine::new();
    fs::remove_file(machine.system("file-edit")).unwrap();
    let said = machine.doctor();
    said.finds("a tool that is missing");
    for name in names() {
        let _ = fs::remove_file(machine.system(&name));
    }
    machine.doctor().finds("no tool");
}

#[test]
fn one_name_of_a_tool_hides_the_other_in_the_same_place() {
    let machine = Machine::new();
    symlink("ikigai-tools", machine.system("bash-tool")).unwrap();
    let said = machine.doctor();
    let first = format!("shadowed by {}", machine.system("bash").display());
    said.line(&["  bash-tool ", " system ", &first]);
    assert_eq!(said.code, 0, "{}", said.text);
}

#[test]
fn a_place_on_the_path_is_taken_off() {
    let machine = Machine::new();
    let path = format!(
        "/usr/bin:{}",
        machine.path("prefix/bin/../libexec/ikigai").display()
    );
    fs::create_dir(machine.path("prefix/bin")).unwrap();
    machine
        .doctor_with(&[("PATH", &path)])
        .finds("a place on PATH");
}

#[test]
fn keys_are_seen_and_never_shown() {
    let machine = Machine::new();
    let config = machine.path("home/.config/ikigai");
    fs::create_dir_all(&config).unwrap();
    let file = config.join("credentials.json");
    fs::write(
        &file,
        r#"{"web_search":{"google":{"api_key":"SECRET1","engine_id":"SECRET2"}}}"#,
    )
    .unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    let said = machine.doctor_with(&[("BRAVE_API_KEY", "SECRET3")]);
    said.is_well();
    said.line(&["BRAVE_API_KEY", "set in the environment"]);
    let place = format!("set in {}", file.display());
    said.line(&["GOOGLE_SEARCH_API_KEY", &place]);
    said.line(&["GOOGLE_SEARCH_ENGINE_ID", &place]);
}

#[test]
fn who_is_asked_where_answers_are_kept_and_with_what_key_is_seen() {
    let machine = Machine::new();
    let said = machine.doctor();
    said.line(&["providers configured", "none; DuckDuckGo needs no key"]);
    said.line(&["searches with", "duckduckgo"]);
    said.line(&["patents from", "a web search; no provider has a key"]);
    let cache = machine.path("home/.cache/ikigai-tools");
    said.line(&[
        "  cache ",
        cache.to_str().unwrap(),
        "made by the first answer",
    ]);
    assert!(!cache.exists(), "the doctor makes nothing");
    fs::create_dir_all(&cache).unwrap();
    let said = machine.doctor_with(&[
        ("TAVILY_API_KEY", "SECRET1"),
        ("LENS_API_TOKEN", "SECRET3"),
        ("EPO_CONSUMER_KEY", "SECRET4"),
        ("SEARXNG_URL", "http://SECRET2@localhost:1"),
        ("CACHE_ENCRYPTION_KEY", &"5E".repeat(32)),
    ]);
    said.is_well();
    said.line(&["providers configured", "searxng, tavily"]);
    said.line(&["searches with", "tavily"]);
    said.line(&["patents from", "lens"]);
    said.line(&["  cache ", "can be written to"]);
    said.line(&["key of the cache", "CACHE_ENCRYPTION_KEY"]);
    let said = machine.doctor_with(&[("SEARCH_ROUTING", "brave,exa")]);
    said.line(&["searches with", "the first that answers of brave, exa"]);
    let said = machine.doctor_with(&[("SEARCH_PROVIDER", "bing"), ("CACHE_ENCRYPTION_KEY", "5E")]);
    said.finds("an unknown provider and a short key of the cache");
}

#[test]
fn a_file_of_keys_that_others_can_read_is_named_with_the_way_to_close_it() {
    let machine = Machine::new();
    let config = machine.path("home/.config/ikigai");
    fs::create_dir_all(&config).unwrap();
    let file = config.join("credentials.json");
    fs::write(&file, r#"{"web_search":{"brave":{"api_key":"SECRET1"}}}"#).unwrap();
    let environment = [("BRAVE_API_KEY", "SECRET2")];
    for mode in [0o644, 0o640, 0o602] {
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        for variables in [&[][..], &environment] {
            let said = machine.doctor_with(variables);
            said.line(&["holds keys", &format!(" (mode {mode:o})")]);
            said.finds("a file of keys that others may use");
        }
    }
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    assert_eq!(machine.doctor().code, 0);
}

#[test]
fn a_name_forges_no_line() {
    let machine = Machine::new();
    let forged = "x\n  grep                     user     ok, 1 ms\tNothing is wrong.";
    machine.script("home/.ikigai/tools", forged, "exit 3");
    symlink(
        "nowhere",
        machine.path("home/.ikigai/tools/a\nNothing is wrong."),
    )
    .unwrap();
    machine.script(
        "home/.ikigai/tools",
        "y",
        "echo 'a\nNothing is wrong.' >&2; exit 127",
    );
    let said = machine.doctor();
    said.finds("names that look like lines");
    let forged = |line: &str| line.starts_with("  grep ") && !line.contains(" system ");
    assert!(!said.text.lines().any(forged), "{}", said.text);
    said.line(&["  grep ", " system ", "ok"]);
}

#[test]
fn missing_keys_come_with_the_way_to_them_and_half_an_account_is_wrong() {
    let machine = Machine::new();
    let said = machine.doctor();
    said.is_well();
    said.line(&[
        "  web-search-brave has no key",
        "BRAVE_API_KEY or `web_search.brave.api_key`",
        "https://brave.com/search/api/",
    ]);
    let said = machine.doctor_with(&[("GOOGLE_SEARCH_API_KEY", "SECRET")]);
    said.finds("half an account");
    let config = machine.path("config");
    fs::create_dir(&config).unwrap();
    fs::write(config.join("credentials.json"), "{\"SECRET").unwrap();
    let said = machine.doctor_with(&[("IKIGAI_CONFIG_DIR", config.to_str().unwrap())]);
    said.finds("a damaged file of keys that others may use");
}

#[test]
fn a_hostile_name_or_answer_does_not_reach_the_terminal() {
    let machine = Machine::new();
    machine.script(
        "project/.ikigai/tools",
        "\u{1b}[2J",
        r#"printf '{"name":"\033[31m"}'"#,
    );
    machine.script(
        "project/.ikigai/tools",
        "x",
        r#"echo '{"name":"\u001b[31m","description":"","parameters":{}}'"#,
    );
    let said = machine.doctor_in("project", &["--run-project"], &[]);
    said.finds("answers that would steer a terminal");
    let said = machine.doctor();
    said.is_well();
}

#[test]
fn without_a_home_the_rest_is_still_seen() {
    let machine = Machine::new();
    let output = Command::new(machine.system("ikigai-tools"))
        .arg("doctor")
        .current_dir(Path::new("/"))
        .env_clear()
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains(machine.system("").to_str().unwrap().trim_end_matches('/')),
        "{text}"
    );
}

#[test]
fn proxies_and_certificates_that_cannot_be_used_are_named_with_their_variables() {
    let machine = Machine::new();
    let said = machine.doctor_with(&[("https_proxy", "http://user:hush@proxy.example:3128")]);
    said.is_well();
    said.line(&["  http pages", "no proxy"]);
    said.line(&["  https pages", "by the proxy proxy.example:3128"]);

    let said = machine.doctor_with(&[("all_proxy", "ftp://user:hush@proxy.example")]);
    said.finds("a proxy that cannot be used");

    let said = machine.doctor_with(&[("SSL_CERT_FILE", "/not/there.pem")]);
    said.finds("certificates that cannot be read");
    let own = machine.path("own.pem");
    fs::write(&own, Authority::new().pem()).unwrap();
    let said = machine.doctor_with(&[("SSL_CERT_FILE", own.to_str().unwrap())]);
    said.line(&["  trusted certificates", "1, which SSL_CERT_FILE names"]);
}

#[test]
fn a_bound_that_cannot_be_kept_is_corrected_and_not_lifted() {
    let machine = Machine::new();
    let variables = [("IKIGAI_ROOTS", "/not/there"), ("IKIGAI_NO_NETWORK", "1")];
    let said = machine.doctor_with(&variables);
    if said.text.contains("no Landlock") {
        return common::skip("a kernel without Landlock keeps no bounds");
    }
    said.finds("a bound that cannot be kept");
}

#[test]
fn a_redis_that_forgets_sessions_is_said_to_and_how_it_keeps_them() {
    let machine = Machine::new();
    let forgetful = ["--maxmemory", "64mb", "--maxmemory-policy", "allkeys-lru"];
    let Some(redis) = Redis::with_args(&forgetful) else {
        return;
    };
    let url = redis.url();
    let said = machine.doctor_with(&[("IKIGAI_REDIS_URL", &url)]);
    said.line(&["  Redis ", "allkeys-lru, in memory alone"]);
    said.notes("a Redis that forgets sessions");
    redis.ask(&["CONFIG", "SET", "maxmemory-policy", "noeviction"]);
    redis.ask(&["CONFIG", "SET", "appendonly", "yes"]);
    let said = machine.doctor_with(&[("IKIGAI_REDIS_URL", &url)]);
    said.line(&["  Redis ", "noeviction, written to disk"]);
    let commands = said.advices();
    let of_redis = commands.iter().any(|command| command.contains("redis-cli"));
    assert!(!of_redis, "{}", said.text);
    drop(redis);
    let said = machine.doctor_with(&[("IKIGAI_REDIS_URL", &url)]);
    said.line(&["  Redis ", "does not answer"]);
    machine.doctor_with(&[("IKIGAI_REDIS_URL", "redis://:s3cret@")]);
}
