//! A machine for the doctor's tests: a home, a project and a prefix that belong to one test.

#![allow(dead_code, reason = "each test file uses its own part")]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::common::messages::TextRow;
use crate::common::{self, BINARY};

/// A machine with the tools installed under a prefix, and nothing else.
pub struct Machine {
    root: tempfile::TempDir,
}

impl Machine {
    pub fn new() -> Self {
        let root = tempfile::tempdir_in(common::room_of_this_user()).unwrap();
        let machine = Self { root };
        for directory in ["home", "project", "prefix/libexec/ikigai"] {
            fs::create_dir_all(machine.path(directory)).unwrap();
        }
        let program = machine.system("ikigai-tools");
        // A hard link costs nothing; it fails for another user's build and across file systems.
        if fs::hard_link(BINARY, &program).is_err() {
            common::copy_program(Path::new(BINARY), &program);
        }
        for name in names() {
            symlink("ikigai-tools", machine.system(&name)).unwrap();
        }
        machine
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.root.path().canonicalize().unwrap().join(name)
    }

    pub fn system(&self, name: &str) -> PathBuf {
        self.path("prefix/libexec/ikigai").join(name)
    }

    /// A tool that is not ours: a script.
    pub fn script(&self, place: &str, name: &str, script: &str) -> PathBuf {
        let directory = self.path(place);
        fs::create_dir_all(&directory).unwrap();
        let path = directory.join(name);
        let draft = self.root.path().join("draft");
        fs::write(&draft, format!("#!/bin/sh\n{script}\n")).unwrap();
        common::copy_program(&draft, &path);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    pub fn doctor(&self) -> Said {
        self.doctor_with(&[])
    }

    pub fn doctor_with(&self, variables: &[(&str, &str)]) -> Said {
        self.doctor_in("project", &[], variables)
    }

    /// In this directory, with these arguments and variables.
    pub fn doctor_in(&self, directory: &str, args: &[&str], variables: &[(&str, &str)]) -> Said {
        self.doctor_of(&self.system("ikigai-tools"), directory, args, variables)
    }

    /// That of this program, which may lie elsewhere.
    pub fn doctor_of(
        &self,
        program: &Path,
        directory: &str,
        args: &[&str],
        variables: &[(&str, &str)],
    ) -> Said {
        let output = Command::new(program)
            .arg("doctor")
            .args(args)
            .current_dir(self.path(directory))
            .env_clear()
            .env("HOME", self.path("home"))
            .env("PATH", "/usr/bin:/bin")
            .envs(variables.iter().copied())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        Said::new(self, output)
    }
}

/// A report of the doctor's.
pub struct Said {
    pub text: String,
    pub code: i32,
    here: String,
}

impl Said {
    /// Reads what it printed: no secret of a test, and nothing that steers a terminal.
    #[track_caller]
    pub fn new(machine: &Machine, output: Output) -> Self {
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        let text = String::from_utf8(output.stdout).unwrap();
        for secret in ["SECRET", "5E5E", "hush", "s3cret"] {
            assert!(!text.contains(secret), "{text}");
        }
        assert!(
            !text.contains(|c: char| c.is_control() && c != '\n'),
            "{text}"
        );
        let code = output.status.code().unwrap();
        assert_eq!(code == 0, text.ends_with("\nNothing is wrong.\n"), "{text}");
        let here = machine.path("");
        let here = here.to_str().unwrap().trim_end_matches('/').to_owned();
        Self { text, code, here }
    }

    /// The only line with all of `words`.
    #[track_caller]
    pub fn line(&self, words: &[&str]) -> &str {
        let mut lines = self
            .text
            .lines()
            .filter(|line| words.iter().all(|word| line.contains(word)));
        let line = lines.next();
        assert!(
            line.is_some() && lines.next().is_none(),
            "{words:?} in {}",
            self.text
        );
        line.unwrap()
    }

    /// The commands that are advised, in order.
    pub fn advices(&self) -> Vec<String> {
        let lines = self.text.lines();
        let advices = lines.filter_map(|line| line.strip_prefix("    -> "));
        advices.map(str::to_owned).collect()
    }

    /// The problems that are reported, one a line.
    pub fn problems(&self) -> Vec<&str> {
        let list = self.text.split_once("To fix\n");
        let lines = list.map_or("", |(_, list)| list).lines();
        lines.filter(|line| !line.starts_with("    -> ")).collect()
    }

    /// The command that is advised in the entry that contains `words`.
    #[track_caller]
    pub fn advice(&self, words: &str) -> &str {
        let pairs = self.text.lines().zip(self.text.lines().skip(1));
        let mut said = pairs.filter(|(line, _)| line.contains(words));
        let advice = said.find_map(|(_, next)| next.strip_prefix("    -> "));
        advice.expect(&self.text)
    }

    /// Asserts that nothing is wrong.
    #[track_caller]
    pub fn is_well(&self) -> &Self {
        assert_eq!(self.code, 0, "{}", self.text);
        self
    }

    /// Asserts that something is wrong: the problems, each with what to do, are the row of `name`.
    #[track_caller]
    pub fn finds(&self, name: &str) {
        assert_eq!(self.code, 1, "{}", self.text);
        self.lists("To fix", name);
    }

    /// Asserts that what is not wrong but worth knowing is the row of `name`.
    #[track_caller]
    pub fn notes(&self, name: &str) {
        self.lists("Worth knowing", name);
    }

    #[track_caller]
    fn lists(&self, heading: &str, name: &str) {
        let list = self.text.split_once(&format!("\n{heading}\n"));
        let list = list.expect(&self.text).1.split("\n\n").next().unwrap();
        list.assert_row_at("doctor", name, &[(&self.here, "<here>")]);
    }
}

pub fn names() -> Vec<String> {
    let list = Command::new(BINARY).arg("list").output().unwrap().stdout;
    let list = String::from_utf8(list).unwrap();
    list.lines().map(str::to_owned).collect()
}

pub fn schema(name: &str) -> String {
    format!(
        r#"echo '{{"name":"{name}","description":"x","parameters":{{"type":"object","properties":{{}}}}}}'"#
    )
}
