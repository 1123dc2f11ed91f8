//! What the doctor does not start, and that what it advises helps when it is copied into a shell.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::{Command, Stdio};

use super::machine::{Machine, Said, names, schema};
use crate::common::{copy_program, is_root, skip};

/// What a shell comes to that is given this command in the project, and then has the doctor called.
fn copied(machine: &Machine, advice: &str, typed: &str) -> Said {
    let script = format!(
        "{advice}\nexec {} doctor",
        machine.system("ikigai-tools").display()
    );
    let mut child = Command::new("/bin/sh")
        .args(["-c", &script])
        .current_dir(machine.path("project"))
        .env_clear()
        .env("HOME", machine.path("home"))
        .env("PATH", "/usr/bin:/bin")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    std::io::Write::write_all(&mut stdin, typed.as_bytes()).unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    Said::new(machine, output)
}

/// The doctor finds this one problem, and nothing is wrong once its advice has been followed, at
/// which this is typed.
#[track_caller]
fn helps(machine: &Machine, problem: &str, typed: &str) {
    let said = machine.doctor();
    said.finds(problem);
    assert_eq!(said.problems().len(), 1, "{}", said.text);
    copied(machine, said.advices().last().unwrap(), typed).is_well();
}

/// A script that leaves a trace when it is started, in whatever way.
fn trap(machine: &Machine, place: &str, name: &str, key: &str) -> std::path::PathBuf {
    let trace = machine.path("trace");
    let script = format!("echo \"$0\" \"$@\" >> {}; {}", trace.display(), schema(key));
    machine.script(place, name, &script)
}

#[test]
fn what_a_project_has_brought_is_listed_and_not_started() {
    let machine = Machine::new();
    let place = "project/.ikigai/tools";
    trap(&machine, place, "deploy-tool", "deploy");
    machine.script(place, "endless", "exec yes");
    machine.script(place, "\u{1b}[2Jtool", "exit 3");
    symlink("/bin/sh", machine.path(place).join("shell-tool")).unwrap();
    let said = machine.doctor();
    said.is_well();
    assert!(!machine.path("trace").exists());
    for name in ["deploy-tool", "endless", "\\x1b[2Jtool", "shell-tool"] {
        said.line(&[&format!("  {name} "), " project ", " not started"]);
    }
    let command = said.advice("the project's tools are not started");
    assert!(command.ends_with(" doctor --run-project"), "{command}");
    let after = copied(&machine, &format!("{command} >/dev/null"), "");
    assert_eq!(after.code, 0);
    let trace = fs::read_to_string(machine.path("trace")).unwrap();
    assert!(trace.ends_with("deploy-tool --schema\n"), "{trace}");
}

#[test]
fn a_project_s_tool_before_an_installed_one_is_found_and_not_started() {
    let machine = Machine::new();
    let place = "project/.ikigai/tools";
    let grep = trap(&machine, place, "grep", "grep");
    let copy = machine.path(place).join("ikigai-tools");
    copy_program(&machine.system("ikigai-tools"), &copy);
    symlink("ikigai-tools", machine.path(place).join("glob")).unwrap();
    let said = machine.doctor();
    said.line(&[
        "  grep ",
        " system ",
        &format!("shadowed by {}", grep.display()),
    ]);
    said.line(&["  glob ", " system ", "shadowed by"]);
    helps(&machine, "a project's tool before an installed one", "");
    assert!(!machine.path("trace").exists());
    assert!(machine.path("project/.ikigai/tools.aside/grep").exists());
}

#[test]
fn in_the_home_directory_the_tools_are_the_person_s_own() {
    let machine = Machine::new();
    trap(&machine, "home/.ikigai/tools", "mine-tool", "mine");
    let said = machine.doctor_in("home", &[], &[]);
    said.is_well();
    said.line(&["  mine-tool ", " user ", " ok, "]);
    assert!(!said.text.contains(" project "), "{}", said.text);
    // A home that is relative would make everybody's project a home.
    fs::remove_file(machine.path("trace")).unwrap();
    trap(&machine, "project/.ikigai/tools", "theirs-tool", "theirs");
    for home in [".", "", "../project"] {
        let said = machine.doctor_in("project", &[], &[("HOME", home)]);
        said.line(&["  theirs-tool ", " project ", " not started"]);
        assert!(!machine.path("trace").exists(), "{home}");
    }
}

#[test]
fn a_project_s_folder_that_is_a_link_is_what_it_leads_to() {
    let machine = Machine::new();
    fs::create_dir(machine.path("project/.ikigai")).unwrap();
    let link = machine.path("project/.ikigai/tools");
    trap(&machine, "elsewhere", "theirs-tool", "theirs");
    symlink("../../elsewhere", &link).unwrap();
    let said = machine.doctor();
    said.line(&["  theirs-tool ", " project ", " not started"]);
    assert!(!machine.path("trace").exists());
    fs::remove_file(&link).unwrap();
    trap(&machine, "home/.ikigai/tools", "mine-tool", "mine");
    symlink(machine.path("home/.ikigai/tools"), &link).unwrap();
    let said = machine.doctor();
    said.line(&["  mine-tool ", " user ", " ok, "]);
    assert_eq!(said.code, 0, "{}", said.text);
}

#[test]
fn one_lost_permission_is_one_finding_and_its_advice_helps() {
    let machine = Machine::new();
    let program = machine.path("home/.ikigai/tools/ikigai-tools");
    fs::create_dir_all(program.parent().unwrap()).unwrap();
    copy_program(&machine.system("ikigai-tools"), &program);
    for name in names() {
        symlink("ikigai-tools", program.with_file_name(name)).unwrap();
    }
    assert_eq!(machine.doctor().code, 0);
    fs::set_permissions(&program, fs::Permissions::from_mode(0o644)).unwrap();
    helps(&machine, "a program that is not executable", "");
    let mine = machine.script("home/.ikigai/tools", "mine-tool", &schema("mine"));
    fs::remove_file(&mine).unwrap();
    machine.script("home/.ikigai/tools", "own", &schema("own"));
    assert_eq!(machine.doctor().code, 0);
    fs::remove_file(&program).unwrap();
    helps(&machine, "links that lead nowhere", "");
}

#[test]
fn a_directory_that_may_not_be_entered_is_one_finding() {
    if is_root() {
        return skip("root may enter every directory");
    }
    let machine = Machine::new();
    let place = machine.path("home/.ikigai/tools");
    machine.script("home/.ikigai/tools", "mine-tool", &schema("mine"));
    for mode in [0o600, 0o000] {
        fs::set_permissions(&place, fs::Permissions::from_mode(mode)).unwrap();
        helps(&machine, "a place that may not be entered", "");
    }
}

#[test]
fn each_further_advice_helps_when_it_is_copied() {
    let machine = Machine::new();
    fs::remove_file(machine.system("file-edit")).unwrap();
    helps(&machine, "a tool that is missing", "");
    for name in names() {
        let _ = fs::remove_file(machine.system(&name));
    }
    helps(&machine, "no tool", "");
    let place = "home/.ikigai/tools";
    machine.script(place, "failing", "exit 3");
    helps(&machine, "a tool that fails", "");
    machine.script(place, "web-fetch-tool", "echo nonsense");
    helps(&machine, "a schema that is no JSON", "");
    symlink("nowhere", machine.path(place).join("other")).unwrap();
    helps(&machine, "a link that leads nowhere", "");
    symlink("nowhere", machine.path(place).join("glob")).unwrap();
    helps(&machine, "a tool's link that leads nowhere", "");
    // The name would steer a terminal and a shell; what is to be copied does neither.
    let hostile = "\u{1b}[2J\n$(touch owned) 'x'";
    machine.script(place, hostile, "exit 3");
    let bytes = std::ffi::OsStr::from_bytes(b"\xff\xe2\x80");
    fs::copy(
        machine.path(place).join(hostile),
        machine.path(place).join(bytes),
    )
    .unwrap();
    let said = machine.doctor();
    said.finds("names that would steer a shell");
    let advices = said.advices();
    let commands = &advices[advices.len() - said.problems().len()..];
    copied(&machine, &commands.join("\n"), "").is_well();
    assert!(!machine.path("project/owned").exists());
}

#[test]
fn what_is_advised_about_the_path_and_keys_helps_too() {
    let machine = Machine::new();
    let place = machine.system("").display().to_string();
    let path = format!("/usr/bin:{place}:/bin");
    let said = machine.doctor_with(&[("PATH", &path)]);
    assert_eq!(said.advice("is on PATH"), "export PATH=/usr/bin:/bin");
    let config = machine.path("home/.config/ikigai");
    fs::create_dir_all(&config).unwrap();
    let file = config.join("credentials.json");
    fs::write(&file, "{\"SECRET").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    helps(&machine, "a file of keys that cannot be read", "");
    fs::write(&file, r#"{"web_search":{"google":{"api_key":"SECRET"}}}"#).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    helps(&machine, "half an account", "engine\n");
    let said = machine.doctor_with(&[]);
    let after = copied(
        &machine,
        said.advice("web-search-brave has no key"),
        "SECRET\n",
    );
    after.line(&["BRAVE_API_KEY", "set in the environment"]);
}

#[test]
fn names_that_the_published_host_passes_over_are_known() {
    let machine = Machine::new();
    let said = machine.doctor();
    said.notes("names that a host passes over");
    let advice = &said.advices()[0];
    let after = copied(&machine, advice, "");
    after.is_well().line(&["  bash-tool ", " system ", "ok"]);
    assert!(!after.advices().contains(advice), "{}", after.text);
}

#[test]
fn a_program_that_came_for_mcp_clients_lays_links_that_can_be_removed() {
    let machine = Machine::new();
    for (place, stays) in [
        ("home/.local/share/uv/tools/ikigai-tools/bin", true),
        (
            "home/.local/lib/node_modules/ikigai-tools-linux-x64/bin",
            true,
        ),
        ("home/.cache/uv/archive-v0/x/bin", false),
        ("elsewhere/uv/archive-v0/x/bin", false),
        (
            "home/.npm/_npx/x/node_modules/ikigai-tools-linux-x64/bin",
            false,
        ),
    ] {
        fs::create_dir_all(machine.path(place)).unwrap();
        let program = machine.path(place).join("ikigai-tools");
        copy_program(&machine.system("ikigai-tools"), &program);
        let doctor = || machine.doctor_of(&program, "project", &[], &[]);
        let said = doctor();
        said.is_well();
        if !stays {
            said.notes("no tool of a program that does not stay");
            continue;
        }
        said.notes("no tool of a program that stays");
        let advice = &said.advices()[0];
        let shell = |command: &str| {
            let mut shell = Command::new("/bin/sh");
            shell
                .args(["-c", command])
                .env("HOME", machine.path("home"));
            let output = shell.output().unwrap();
            assert!(output.status.success(), "{command}: {output:?}");
        };
        shell(advice);
        let after = doctor();
        assert!(
            !after.is_well().advices().contains(advice),
            "{}",
            after.text
        );
        shell(&format!("{advice} --remove"));
        assert!(!machine.path("home/.local/libexec").exists());
    }
}
