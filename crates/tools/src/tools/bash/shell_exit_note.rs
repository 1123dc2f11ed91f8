//! The note on a command that has ended its own shell: what follows in it was not run, and the exit
//! code looks like that of a failed program.

/// The exit codes of a shell that SIGTERM or SIGKILL has ended.
const ENDED: [(i32, &str); 2] = [(143, "SIGTERM"), (137, "SIGKILL")];

/// The note, if `command` may have ended its shell and the exit code says so.
pub fn note(command: &str, code: i32) -> Option<String> {
    let (_, signal) = ENDED.iter().find(|(one, _)| *one == code)?;
    let words = words(command);
    let is = |name: &str| {
        words
            .iter()
            .position(|word| word == name || word.ends_with(&format!("/{name}")))
    };
    let lists_lines = is("ps").is_some() && is("kill").is_some();
    let by_line = |name: &str, call: &'static str| {
        let arguments = &words[is(name)? + 1..];
        let is_option = |word: &&String| word.starts_with('-');
        let options = arguments.iter().take_while(is_option);
        let is_full =
            |word: &String| word == "--full" || !word.starts_with("--") && word.contains('f');
        let sees_lines = match name {
            "grep" | "awk" => lists_lines,
            _ => options.clone().any(is_full),
        };
        let pattern = arguments.get(options.count()).filter(|_| sees_lines)?;
        // In brackets it does not match itself; of awk's programs this begins with a pattern.
        let is_meant = !pattern.contains('[') && (name != "awk" || pattern.starts_with('/'));
        is_meant.then(|| (call, pattern.clone()))
    };
    let calls = [
        ("pkill", "pkill -f"),
        ("pgrep", "pgrep -f"),
        ("grep", "ps | grep"),
        ("awk", "ps | awk"),
    ];
    let mut by_lines = calls
        .into_iter()
        .filter_map(|(name, call)| by_line(name, call));
    let why = if let Some((call, pattern)) = by_lines.next() {
        let first = pattern
            .char_indices()
            .find(|(_, one)| one.is_alphanumeric());
        let itself = first.map_or_else(String::new, |(offset, first)| {
            let (before, after) = (&pattern[..offset], &pattern[offset + first.len_utf8()..]);
            format!("; write '{before}[{first}]{after}', which does not match itself")
        });
        format!("`{call}` matches the shell's own command line, in which its pattern is{itself}")
    } else if let Some(index) = is("kill")
        && !words.iter().any(|word| word == "trap")
        && let Some(group) = words[index + 1..]
            .iter()
            .take(4)
            .find(|word| ["0", "-0", "-$$"].contains(&&***word))
    {
        format!(
            "`kill {group}` ends all that the command has started, the shell too; name the process"
        )
    } else if let Some(name) = ["pkill", "killall"]
        .into_iter()
        .find(|name| is(name).is_some())
    {
        format!("`{name}` matches it; name the process by its number")
    } else {
        return None;
    };
    Some(format!(
        "The shell itself was ended by {signal}, and ran nothing more: {why}."
    ))
}

/// The words of a command, without the quotes around them.
fn words(command: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), String::new(), None);
    for character in command.chars() {
        match quote {
            Some(open) if character == open => quote = None,
            None if matches!(character, '\'' | '"') => quote = Some(character),
            None if character.is_whitespace() || ";|&()`".contains(character) => {
                words.push(std::mem::take(&mut word));
            }
            _ => word.push(character),
        }
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_ends_its_own_shell_is_told_so() {
        for (command, part) in [
            (
                "pkill -f 'http.server 8877'; echo after",
                "write '[h]ttp.server 8877'",
            ),
            (
                "sleep 1 && /usr/bin/pkill -9 -f server.py",
                "write '[s]erver.py'",
            ),
            ("pgrep -f node | xargs kill", "write '[n]ode'"),
            (
                "kill $(ps aux | grep 'myserver --port 3' | awk '{print $2}'); echo after",
                "`ps | grep` matches the shell's own command line, in which its pattern is; write \
                 '[m]yserver --port 3'",
            ),
            (
                "ps -ef | grep -i -- x.py | awk '{print $2}' | xargs -r kill -9",
                "'[x].py'",
            ),
            (
                "ps aux | awk '/serve/{print $2}' | xargs kill",
                "write '/[s]erve/{print $2}'",
            ),
            ("kill 0", "name the process"),
            ("kill -TERM 0; echo x", "name the process"),
            ("kill -- -$$; echo x", "`kill -$$` ends all"),
            ("kill -9 \"-$$\"", "name the process"),
            ("killall bash", "`killall` matches it"),
        ] {
            let note = note(command, 143).unwrap();
            assert!(note.contains(part), "{note}");
        }
        assert_eq!(note("pkill -f x", 1), None);
        assert_eq!(note("kill $(ps aux | grep '[x]' | cut -c9-16)", 143), None);
        assert_eq!(note("ps aux | grep x; ./run", 143), None);
        assert_eq!(note("./run 0", 143), None);
        assert_eq!(note("kill $$", 143), None);
    }
}
