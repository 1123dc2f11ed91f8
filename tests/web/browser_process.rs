//! Finding and running a browser, with programs that take its place.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::common::messages::TextRow;
use crate::common::{self, eventually, processes_with};
use crate::staged;
use iki_web::browser::{Browser, BrowserError, RenderedPage};
use iki_web::guard::Guard;
use url::Url;

/// Flags with which root may run a program in place of a browser.
const FLAGS: (&str, &str) = ("IKIGAI_BROWSER_FLAGS", "--no-sandbox --one-more=1 no-flag");

/// A program that prints what `script` prints for a page, and a version if it is asked for one.
fn write(room: &Path, script: &str) -> String {
    let path = room.join("browser");
    let text = format!(
        "#!/bin/sh\ncase \" $* \" in *' --version '*) echo 'Standing in 12.3.4'; exit;; esac\n{script}\n"
    );
    let draft = room.join("draft");
    fs::write(&draft, text).unwrap();
    common::copy_program(&draft, &path);
    fs::remove_file(draft).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path.to_str().unwrap().to_owned()
}

fn find(program: &str) -> Option<Browser> {
    // SAFETY: this process has one test, which is alone with its environment here.
    unsafe { std::env::set_var("IKIGAI_BROWSER", program) };
    Browser::locate()
}

fn render(room: &Path, script: &str, within: Duration) -> Result<RenderedPage, BrowserError> {
    let browser = find(&write(room, script)).expect("a browser");
    let url = Url::parse("http://user:secret@page.example/?key=4711").unwrap();
    let guard = Guard::new(&url).unwrap();
    let done = browser.render(&url, &guard, within);
    assert_eq!(common::names_in(room), ["browser"], "the profile is left");
    done
}

const LONG: Duration = Duration::from_secs(20);

#[test]
fn the_variable_names_it_by_path_or_name_or_switches_it_off() {
    let test = "the_variable_names_it_by_path_or_name_or_switches_it_off";
    staged::alone(test, &[], |room| {
        let path = write(room, "");
        assert_eq!(find(&path).unwrap().program(), Path::new(&path));
        assert!(find("").is_none());
        assert!(find("no-such-browser").is_none());
        assert!(find(room.join("nothing").to_str().unwrap()).is_none());
        assert!(find(room.to_str().unwrap()).is_none());
        let paths = format!("relative:{}:/usr/bin", room.display());
        // SAFETY: as above.
        unsafe { std::env::set_var("PATH", paths) };
        assert_eq!(find("browser").unwrap().program(), Path::new(&path));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        assert!(find(&path).is_none());
        for (number, name) in [
            "google-chrome-stable",
            "google-chrome",
            "chromium-browser",
            "chromium",
        ]
        .iter()
        .enumerate()
        {
            common::copy_program(Path::new("/bin/true"), &room.join(name));
            // SAFETY: as above.
            unsafe {
                std::env::set_var("PATH", room);
                std::env::remove_var("IKIGAI_BROWSER");
            }
            let found = Browser::locate().unwrap_or_else(|| panic!("{number}"));
            assert_eq!(found.program(), room.join(name));
            // SAFETY: as above.
            unsafe { std::env::set_var("PATH", "/usr/bin:/bin") };
        }
    });
}

#[test]
fn it_gets_its_own_directories_and_no_secrets_and_no_address() {
    let test = "it_gets_its_own_directories_and_no_secrets_and_no_address";
    let variables = [
        FLAGS,
        ("BRAVE_API_KEY", "a-secret"),
        ("SOME_TOKEN", "a-secret"),
        ("http_proxy", "http://a-secret@127.0.0.1:9"),
        ("IKIGAI_PASS_KEYS", "1"),
        ("LANG", "C.UTF-8"),
    ];
    staged::alone(test, &variables, |room| {
        let script = "env; echo \"$@\"; pwd >&2; ls -ld \"$HOME\"; touch \"$HOME/a\" \"$TMPDIR/b\"; \
            mkdir -p \"$HOME/c/d\"; chmod 500 \"$HOME/c\"";
        let page = render(room, script, LONG).unwrap().html;
        assert!(!page.contains("a-secret"), "{page}");
        assert!(
            !page.contains("page.example") && !page.contains("4711"),
            "{page}"
        );
        assert!(page.contains("LANG=C.UTF-8"), "{page}");
        for name in ["HOME", "TMPDIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"] {
            let start = format!("{name}={}/ikigai-", room.display());
            assert!(page.contains(&start), "{name}: {page}");
        }
        assert!(page.contains("drwx------"), "{page}");
        let arguments = page
            .lines()
            .find(|line| line.contains("--headless"))
            .unwrap();
        for switch in [
            "--no-sandbox",
            "--one-more=1",
            "--dump-dom",
            "<-loopback>",
            "--disable-quic",
        ] {
            assert!(arguments.contains(switch), "{switch}: {arguments}");
        }
        assert!(!arguments.contains("no-flag"), "{arguments}");
        assert!(arguments.contains("HeadlessChrome/12.0.0.0"), "{arguments}");
        let last = arguments.rsplit(' ').next().unwrap();
        assert!(
            last.starts_with("http://") && last.ends_with(".ikigai.invalid/"),
            "{last}"
        );
    });
}

#[test]
fn a_page_without_bounds_and_a_browser_without_a_page_are_errors() {
    let test = "a_page_without_bounds_and_a_browser_without_a_page_are_errors";
    staged::alone(test, &[FLAGS], |room| {
        let error = render(room, "exec yes", LONG).unwrap_err();
        assert!(matches!(error, BrowserError::TooLarge), "{error}");
        let error = render(room, "echo nothing >&2; exit 21", LONG).unwrap_err();
        assert!(matches!(error, BrowserError::Failed(21)), "{error}");
        error
            .to_string()
            .assert_row("scrape_page", "a browser that ends with an error");
        let path = room.join("browser");
        let browser = find(path.to_str().unwrap()).unwrap();
        fs::write(&path, "#!/no/such/interpreter\n").unwrap();
        let url = Url::parse("http://page.example/").unwrap();
        let error = browser
            .render(&url, &Guard::new(&url).unwrap(), LONG)
            .unwrap_err();
        assert!(matches!(error, BrowserError::NotStarted(_)), "{error}");
        assert_eq!(common::names_in(room), ["browser"]);
    });
}

#[test]
fn a_browser_that_crashes_is_started_once_more() {
    let test = "a_browser_that_crashes_is_started_once_more";
    staged::alone(test, &[FLAGS], |room| {
        let once = "grep -q '^#crashed$' \"$0\" || { echo '#crashed' >> \"$0\"; kill -SEGV $$; }; \
                    echo '<html>a page</html>'";
        assert!(render(room, once, LONG).unwrap().html.contains("a page"));
        let error = render(room, "kill -SEGV $$", LONG).unwrap_err();
        assert!(matches!(error, BrowserError::Failed(139)), "{error}");
    });
}

#[test]
fn at_the_end_of_its_time_all_of_it_is_ended() {
    let test = "at_the_end_of_its_time_all_of_it_is_ended";
    let mark = common::alone(71);
    staged::alone(test, &[FLAGS, ("LC_MARK", &mark)], |room| {
        let mark = std::env::var("LC_MARK").unwrap();
        let script = format!(
            "echo begun; setsid sleep {mark} & (setsid sh -c 'while :; do mkdir -p \
             \"$HOME/more/$$\"; done' &) ; sleep {mark}"
        );
        let within = Duration::from_secs(2);
        let started = Instant::now();
        let error = render(room, &script, within).unwrap_err();
        assert!(matches!(error, BrowserError::TimedOut(_)), "{error}");
        assert!(started.elapsed() < within + Duration::from_secs(2));
        assert!(eventually(|| processes_with(&mark).is_empty()));
        // A page that was printed to its end is not waited for any longer.
        let script = format!("echo '<html>whole</html>'; sleep {mark}");
        let page = render(room, &script, LONG).unwrap();
        assert_eq!(page.html, "<html>whole</html>\n");
        assert!(started.elapsed() < LONG);
        // One that ends leaves nothing in the background either.
        let script = format!("echo '<p>done</p>'; setsid sleep {mark} &");
        assert_eq!(render(room, &script, LONG).unwrap().html, "<p>done</p>\n");
        assert!(eventually(|| processes_with(&mark).is_empty()));
    });
}

#[test]
fn root_is_told_that_there_is_no_sandbox_for_it() {
    if !common::is_root() {
        return common::skip("only root can be root");
    }
    staged::alone(
        "root_is_told_that_there_is_no_sandbox_for_it",
        &[],
        |room| {
            let error = render(room, "echo page", LONG).unwrap_err();
            assert!(matches!(error, BrowserError::Root), "{error}");
            error
                .to_string()
                .assert_row("scrape_page", "a browser for root");
        },
    );
}

#[test]
fn a_long_path_for_temporary_files_is_not_used() {
    let test = "a_long_path_for_temporary_files_is_not_used";
    staged::alone(test, &[FLAGS], |room| {
        let long = room.join("a-directory-with-a-name-that-is-too-long-for-sockets");
        fs::create_dir(&long).unwrap();
        let browser = find(&write(&long, "echo \"$HOME\"; ls -d \"$HOME\"")).unwrap();
        // SAFETY: this process has one test, which is alone with its environment here.
        unsafe { std::env::set_var("TMPDIR", &long) };
        let url = Url::parse("http://page.example/").unwrap();
        let page = browser
            .render(&url, &Guard::new(&url).unwrap(), LONG)
            .unwrap();
        let mut lines = page.html.lines();
        let home = lines.next().unwrap();
        assert!(home.starts_with("/tmp/ikigai-"), "{home}");
        assert_eq!(lines.next(), Some(home));
        assert!(!Path::new(home).exists());
    });
}
