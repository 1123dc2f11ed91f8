//! The command line of `mcp`: which tools, within which directories, for how long.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::tool::{Reach, Tool};
use crate::toolbox::{self, TOOLS};

/// How long a call may take where nothing else is said: longer than builds and test suites take that a model waits for.
const PATIENCE: Duration = Duration::from_secs(600);

/// What `mcp --help` says.
pub const HELP: &str = "\
ikigai-tools mcp: the tools over the Model Context Protocol, on stdin and stdout

Usage: ikigai-tools mcp [--tools NAME,...] [--read-only] [--root DIR]... [--timeout SECONDS]

  --tools NAME,...   serve these tools only
  --read-only        serve only the tools that change nothing
  --root DIR         refuse work on files outside DIR, links resolved; may be given again. Relative
                     paths start at the first one. The kernel (Landlock, Linux 5.13) enforces it;
                     without Landlock the server does not start. bash cannot be confined and is
                     not served unless --tools names it; the web tools are served as ever.
  --timeout SECONDS  end a call after so long (default 600, 0 for never)

The server ends at the end of its input, and with it all that its calls started. Its log is stderr.
";

/// What a command line asks for.
pub enum Asked {
    /// The help text.
    Help,
    /// A server.
    Serve(Options),
    /// The answer to one request, by this tool within these directories: how a confined server calls itself.
    Confined(&'static Tool, Vec<PathBuf>),
}

/// What is served.
pub struct Options {
    /// These tools, in the registry's order.
    pub tools: Vec<&'static Tool>,
    /// File work is refused outside these directories, which are absolute and without links; empty means anywhere.
    pub roots: Vec<PathBuf>,
    /// How long a call may take.
    pub timeout: Option<Duration>,
}

/// Reads the arguments behind `mcp`. An error is a sentence for the user.
pub fn read(args: &[OsString]) -> Result<Asked, String> {
    let mut named: Option<Vec<&'static Tool>> = None;
    let mut read_only = false;
    let mut roots = Vec::new();
    let mut timeout = Some(PATIENCE);
    let mut confined = None;
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let (name, attached) = split(arg);
        let mut value = || {
            attached
                .map(OsStr::to_owned)
                .or_else(|| args.next().cloned())
                .ok_or_else(|| format!("{name} needs a value"))
        };
        match &*name {
            "--help" | "-h" => return Ok(Asked::Help),
            "--tools" => named
                .get_or_insert_default()
                .extend(tools(&value()?.to_string_lossy())?),
            "--read-only" if attached.is_none() => read_only = true,
            "--root" => roots.push(root(Path::new(&value()?))?),
            "--timeout" => timeout = seconds(&value()?.to_string_lossy())?,
            "--confined" => confined = Some(tool(&value()?.to_string_lossy())?),
            _ => {
                return Err(format!(
                    "unexpected argument `{}`",
                    arg.to_string_lossy().escape_debug()
                ));
            }
        }
    }
    if let Some(tool) = confined {
        return Ok(Asked::Confined(tool, roots));
    }
    let tools: Vec<&'static Tool> = TOOLS
        .iter()
        .filter(|tool| match &named {
            Some(named) => named.iter().any(|one| one.name == tool.name),
            None => roots.is_empty() || tool.reach != Reach::Machine,
        })
        .filter(|tool| tool.hints.read_only || !read_only)
        .collect();
    if tools.is_empty() {
        return Err(String::from("that leaves no tool to serve"));
    }
    Ok(Asked::Serve(Options {
        tools,
        roots,
        timeout,
    }))
}

/// `--name=value` in its two parts.
fn split(arg: &OsStr) -> (String, Option<&OsStr>) {
    let bytes = arg.as_bytes();
    if bytes.starts_with(b"--")
        && let Some(at) = memchr::memchr(b'=', bytes)
    {
        let name = String::from_utf8_lossy(&bytes[..at]).into_owned();
        return (name, Some(OsStr::from_bytes(&bytes[at + 1..])));
    }
    (arg.to_string_lossy().into_owned(), None)
}

fn tools(list: &str) -> Result<Vec<&'static Tool>, String> {
    list.split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .map(tool)
        .collect()
}

fn tool(name: &str) -> Result<&'static Tool, String> {
    toolbox::find(name).ok_or_else(|| {
        let nearest = toolbox::nearest(name).map_or("", Tool::command);
        format!(
            "no tool is called `{}`; did you mean `{nearest}`?",
            name.escape_debug()
        )
    })
}

fn root(path: &Path) -> Result<PathBuf, String> {
    match path.canonicalize() {
        Ok(root) if root.is_dir() => Ok(root),
        Ok(_) => Err(format!("--root {}: not a directory", path.display())),
        Err(error) => Err(format!("--root {}: {error}", path.display())),
    }
}

fn seconds(text: &str) -> Result<Option<Duration>, String> {
    match text.parse::<u32>() {
        Ok(0) => Ok(None),
        Ok(seconds) => Ok(Some(Duration::from_secs(seconds.into()))),
        Err(_) => Err(format!(
            "--timeout must be a whole number of seconds, not `{}`",
            text.escape_debug()
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn served(args: &[&str]) -> Result<Vec<&'static str>, String> {
        let args: Vec<OsString> = args.iter().map(OsString::from).collect();
        match read(&args)? {
            Asked::Serve(options) => Ok(options.tools.iter().map(|tool| tool.name).collect()),
            _ => Err(String::from("no server")),
        }
    }

    #[test]
    fn all_tools_are_served_unless_a_part_is_asked_for() {
        assert_eq!(served(&[]).unwrap().len(), TOOLS.len());
        assert_eq!(
            served(&["--tools", "grep,file_read", "--tools=glob-tool"]).unwrap(),
            ["file_read", "glob", "grep"]
        );
        let read_only = served(&["--read-only"]).unwrap();
        assert!(read_only.contains(&"file_read") && !read_only.contains(&"bash"));
        assert_eq!(
            served(&["--read-only", "--tools", "bash,grep"]).unwrap(),
            ["grep"]
        );
    }

    #[test]
    fn bash_is_not_served_within_directories_unless_it_is_named() {
        assert!(!served(&["--root", "/tmp"]).unwrap().contains(&"bash"));
        assert_eq!(
            served(&["--root=/tmp", "--tools", "bash"]).unwrap(),
            ["bash"]
        );
    }

    #[test]
    fn what_cannot_be_understood_is_said() {
        for (args, reason) in [
            (&["--tools", "gerp"][..], "did you mean `grep`"),
            (&["--read-only", "--tools", "bash"], "no tool to serve"),
            (&["--tools", ","], "no tool to serve"),
            (&["--root"], "needs a value"),
            (&["--root", "/nowhere/at/all"], "No such file"),
            (&["--root", "/etc/passwd"], "not a directory"),
            (&["--timeout", "soon"], "whole number"),
            (&["--read-only=yes"], "unexpected argument"),
            (&["serve"], "unexpected argument `serve`"),
        ] {
            let error = served(args).unwrap_err();
            assert!(error.contains(reason), "{args:?}: {error}");
        }
    }
}
