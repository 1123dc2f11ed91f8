//! The text that clients show the model with the list of tools: how these tools differ from
//! what a model may expect. At most 1,000 bytes.

use std::env;
use std::path::{Path, PathBuf};

use iki_base::unseen;
use iki_base::wording::join_list;
use iki_process::sandbox::confinement::Confinement;
use iki_process::shell::CommandShell;
use iki_tools::contract::answer_limit::TextMeasure;
use iki_tools::contract::tool::{AccessScope, Tool};

/// Maximum length of the instructions, in bytes.
const MAX_INSTRUCTIONS_BYTES: usize = 1000;

/// The instructions of a server of `tools`, confined or not, whose answers are bounded or not.
pub fn compose(tools: &[&Tool], confinement: Option<&Confinement>, bounded: bool) -> String {
    let served = |wanted: &str| tools.iter().any(|tool| tool.name == wanted);
    let mut sentences = of_place(tools, confinement);
    if served("bash") {
        sentences.push(format!(
            "Each bash command is a new shell ({}): directories and variables do not carry over; \
             give `workdir`, or `cd DIR && …`.",
            CommandShell::from_env(true, |_| false).program().display()
        ));
    }
    if served("grep") {
        sentences.push(String::from(
            "grep searches all below `path` but what .gitignore leaves out, which a last line \
             names.",
        ));
    }
    let ways = [
        (
            &["file_read", "web_fetch", "scrape_page"][..],
            "`offset`, and `limit` where there is one",
        ),
        (&["grep", "glob"], "a narrower pattern"),
        (&["bash"], "the file in which the whole is kept"),
    ];
    let ways = ways
        .into_iter()
        .filter(|(tools, _)| tools.iter().any(|tool| served(tool)));
    let ways: Vec<&str> = ways.map(|(_, way)| way).collect();
    if bounded && !ways.is_empty() {
        sentences.push(format!(
            "Answers are bounded. A last line in brackets, and of a long text a first one, says \
             what was left out and how to go on: {}.",
            join_list(&ways, "or")
        ));
    }
    let mut text = sentences.join(" ");
    text.truncate(TextMeasure::Plain.prefix(text.as_bytes(), MAX_INSTRUCTIONS_BYTES));
    text
}

/// Sentences about the directories in which these tools work; none if they use the network alone.
pub fn of_place(tools: &[&Tool], confinement: Option<&Confinement>) -> Vec<String> {
    if tools.iter().all(|tool| tool.scope == AccessScope::Network) {
        return Vec::new();
    }
    let first = confinement
        .and_then(Confinement::start_directory)
        .map(Path::to_owned);
    let here = first.or_else(|| env::current_dir().ok());
    let here = here.map(|here| format!("Relative paths start at {}.", here.to_string_lossy()));
    let commands = tools.iter().any(|tool| tool.scope == AccessScope::Machine);
    let confined = confinement.map(|confinement| confined(confinement, commands));
    let sentences = here.into_iter().chain(confined.into_iter().flatten());
    let sentences = sentences.map(|mut sentence| {
        sentence.truncate(TextMeasure::Plain.prefix(sentence.as_bytes(), MAX_INSTRUCTIONS_BYTES));
        unseen::spelled(&sentence).into_owned()
    });
    sentences.collect()
}

/// Sentences about what the confinement allows.
fn confined(confinement: &Confinement, commands: bool) -> Vec<String> {
    let names = |directories: &[PathBuf]| {
        let names = directories.iter().map(|one| one.to_string_lossy());
        names.collect::<Vec<_>>().join(", ")
    };
    let roots = confinement.roots().directories();
    let readable = confinement.extra_readable();
    let mut sentences = Vec::new();
    if !roots.is_empty() {
        sentences.push(format!("File work is confined to {}.", names(roots)));
    }
    if !readable.is_empty() {
        sentences.push(format!("To be read, not written: {}.", names(readable)));
    }
    if commands && confinement.confines_files() {
        sentences.push(String::from(
            "Commands too; they may also use the system's programs. $TMPDIR is open to both, and \
             lasts as long as this server.",
        ));
    }
    if commands && !confinement.has_network() {
        sentences.push(String::from("Commands have no network."));
    }
    sentences
}

#[cfg(test)]
mod tests {
    use super::*;
    use iki_process::sandbox::confinement::ConfinementBounds;
    use iki_tools::registry::TOOLS;

    #[test]
    fn they_say_what_holds_and_keep_to_their_length() {
        let all: Vec<&Tool> = TOOLS.iter().collect();
        let text = compose(&all, None, true);
        for words in ["Relative paths", "new shell", ".gitignore", "in brackets"] {
            assert!(text.contains(words), "{words}: {text}");
        }
        assert!(!text.contains("confined"));
        let room = tempfile::tempdir().unwrap();
        let long = room.path().join("é/".repeat(700));
        std::fs::create_dir_all(&long).unwrap();
        let bounds = ConfinementBounds {
            roots: vec![room.path().into(), long.into()],
            readable: vec!["/usr".into()],
            no_network: true,
            ..ConfinementBounds::default()
        };
        let confinement = Confinement::resolve(&bounds).unwrap();
        assert!(compose(&all, None, true).len() <= MAX_INSTRUCTIONS_BYTES);
        assert!(compose(&all, Some(&confinement), true).len() <= MAX_INSTRUCTIONS_BYTES);
        let bounds = ConfinementBounds {
            roots: vec!["/usr".into()],
            ..bounds
        };
        let text = compose(&all, Some(&Confinement::resolve(&bounds).unwrap()), false);
        for words in ["confined to /usr.", "$TMPDIR", "no network"] {
            assert!(text.contains(words), "{words}: {text}");
        }
        let web: Vec<&Tool> = TOOLS
            .iter()
            .filter(|tool| tool.scope == AccessScope::Network)
            .collect();
        assert!(!compose(&web, None, false).contains("paths"));
        for (tool, words, others) in [
            ("file_write", "", "bounded"),
            ("web_fetch", "`offset`", "pattern"),
            ("glob", "narrower pattern", "`offset`"),
        ] {
            let one: Vec<&Tool> = TOOLS.iter().filter(|one| one.name == tool).collect();
            let text = compose(&one, None, true);
            assert!(text.contains(words) && !text.contains(others), "{text}");
        }
    }
}
