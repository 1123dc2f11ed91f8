//! Names of other programs that people type in a tool's place, each with the line to type.

use std::ffi::OsString;

use iki_base::console::exit::PROGRAM;
use iki_base::wording::quoted;
use iki_tools::registry::Registry;

/// The line to type for `name` with `args`, which is no tool and no command of this program.
pub fn advise(tools: Registry, name: &str, args: &[OsString]) -> Option<String> {
    let words: Vec<String> = args
        .iter()
        .map(|arg| arg.to_string_lossy().into_owned())
        .collect();
    let line = |words: &[String]| {
        let words = words.iter().map(|word| format!(" {}", quoted(word)));
        words.collect::<String>()
    };
    let plain: Vec<String> = words
        .iter()
        .filter(|word| !word.starts_with('-'))
        .cloned()
        .collect();
    let first = |otherwise: &str| {
        let first = plain.first().map_or(otherwise, String::as_str);
        format!(
            " {}",
            if first == otherwise {
                first.to_owned()
            } else {
                quoted(first)
            }
        )
    };
    let behind = |flag: &str| {
        let at = words.iter().position(|word| word == flag)?;
        words.get(at + 1).cloned()
    };
    let (what, call) = match name {
        "rg" | "ag" | "ack" | "egrep" => {
            ("grep searches in files", format!("grep{}", line(&words)))
        }
        "fgrep" => ("grep searches in files", format!("grep -F{}", line(&words))),
        "cat" | "less" | "more" | "bat" | "nl" => (
            "file-read shows a file",
            format!("file-read{}", first("FILE")),
        ),
        "head" | "tail" => ("file-read shows lines of a file", {
            let number = words.iter().find_map(|word| {
                let number = word.trim_start_matches("-n").trim_start_matches('-');
                number.parse::<u32>().ok()
            });
            let number = number.unwrap_or(10);
            let file = plain.iter().find(|word| word.parse::<u32>().is_err());
            let file = file.map_or_else(|| "FILE".to_owned(), |file| quoted(file));
            let flag = if name == "head" {
                "--limit "
            } else {
                "--offset -"
            };
            format!("file-read {file} {flag}{number}")
        }),
        "ls" | "dir" | "ll" | "tree" => (
            "file-read shows a directory",
            format!("file-read{}", first(".")),
        ),
        "find" => ("glob finds files by name", {
            let name = behind("-name").or_else(|| behind("-iname"));
            let pattern = name.map_or_else(|| "'*'".to_owned(), |name| quoted(&name));
            let place = plain
                .first()
                .filter(|one| *one != "." && words.first() == Some(*one));
            format!(
                "glob {pattern}{}",
                place.map_or_else(String::new, |place| format!(" {}", quoted(place)))
            )
        }),
        "fd" | "locate" => (
            "glob finds files by name",
            format!("glob{}", {
                let pattern = plain
                    .first()
                    .map_or_else(|| "*".to_owned(), |name| format!("*{name}*"));
                line(&[pattern])
            }),
        ),
        "curl" | "wget" | "http" => ("web-fetch shows a page", {
            let url = plain
                .iter()
                .find(|word| word.contains('.') || word.contains("://"));
            format!(
                "web-fetch {}",
                url.map_or_else(|| "URL".to_owned(), |url| quoted(url))
            )
        }),
        "sh" | "zsh" | "dash" | "exec" | "run" | "shell" => (
            "bash runs a command",
            match &words[..] {
                [flag, command, ..] if flag == "-c" => format!("bash {}", quoted(command)),
                [] => "bash COMMAND".to_owned(),
                words => format!("bash {}", quoted(words.join(" ").as_str())),
            },
        ),
        "sed" | "patch" => (
            "file-edit replaces text",
            "file-edit FILE OLD NEW".to_owned(),
        ),
        "tee" | "touch" => (
            "file-write writes a file",
            format!("file-write{} -", first("FILE")),
        ),
        "uninstall" | "remove" => ("links are removed", "link --remove DIR".to_owned()),
        "install" | "setup" | "init" => ("links are installed", "link DIR".to_owned()),
        "serve" | "server" | "start" => ("a server for MCP", "mcp".to_owned()),
        "update" | "upgrade" | "self-update" => {
            return Some(format!(
                "{PROGRAM} does not replace itself: install the new version as this one was \
                 (install.sh, a package), then `{PROGRAM} doctor`"
            ));
        }
        _ if name.starts_with('-') => {
            let at = words.iter().position(|word| tools.find(word).is_some())?;
            let (before, rest) = words.split_at(at);
            let (tool, behind) = rest.split_first()?;
            let flags = [&[name.to_owned()], before].concat();
            (
                "options stand behind the tool's name",
                format!("{tool}{}{}", line(&flags), line(behind)),
            )
        }
        _ => return None,
    };
    Some(format!("{what}: {PROGRAM} {call}"))
}
