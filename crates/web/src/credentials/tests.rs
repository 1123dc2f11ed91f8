//! Credentials and the files that they come from.

use super::*;
use std::os::unix::fs::PermissionsExt;

const PATH: &[&str] = &["web_search", "brave", "api_key"];
const GOOD: &str = r#"{"web_search":{"brave":{"api_key":"from-file"}}}"#;

fn find_credential(
    vars: &[(&str, &str)],
    home: Option<&Path>,
) -> Result<SecretText, MissingCredential> {
    let var = |name: &str| {
        vars.iter()
            .find(|(n, _)| *n == name)
            .map(|(_, value)| (*value).to_owned())
    };
    Credentials::from_vars(&var, home.map(Path::to_owned)).find_credential("BRAVE_API_KEY", PATH)
}

fn folder(text: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join(CREDENTIALS_FILE), text).unwrap();
    dir
}

fn describe(result: Result<SecretText, MissingCredential>) -> String {
    result.unwrap().expose().to_owned()
}

#[test]
fn the_variable_comes_before_the_file_and_one_that_is_not_filled_in_is_unset() {
    let dir = folder(GOOD);
    let config_dir = ("IKIGAI_CONFIG_DIR", dir.path().to_str().unwrap());
    assert_eq!(
        describe(find_credential(
            &[("BRAVE_API_KEY", "from-env"), config_dir],
            None
        )),
        "from-env"
    );
    assert_eq!(
        describe(find_credential(&[("BRAVE_API_KEY", ""), config_dir], None)),
        "from-file"
    );
    assert_eq!(
        describe(find_credential(
            &[("BRAVE_API_KEY", " \n"), config_dir],
            None
        )),
        "from-file"
    );
    let placeholder = "${user_config.brave_api_key}";
    assert_eq!(
        describe(find_credential(
            &[("BRAVE_API_KEY", placeholder), config_dir],
            None
        )),
        "from-file"
    );
    assert_eq!(
        find_credential(&[], None),
        Err(MissingCredential { problem: None })
    );
}

#[test]
fn the_first_file_that_exists_counts_and_no_other() {
    let own_folder = folder(r#"{"web_search":{"brave":{"api_key":"own"}}}"#);
    let base = tempfile::tempdir().unwrap();
    for (dir, key) in [("xdg/ikigai", "xdg"), ("home/.config/ikigai", "home")] {
        let dir = base.path().join(dir);
        std::fs::create_dir_all(&dir).unwrap();
        std::fs::write(dir.join(CREDENTIALS_FILE), GOOD.replace("from-file", key)).unwrap();
    }
    let home = base.path().join("home");
    let xdg = base.path().join("xdg");
    let own_variable = ("IKIGAI_CONFIG_DIR", own_folder.path().to_str().unwrap());
    let xdg = ("XDG_CONFIG_HOME", xdg.to_str().unwrap());
    assert_eq!(
        describe(find_credential(&[own_variable, xdg], Some(&home))),
        "own"
    );
    assert_eq!(
        describe(find_credential(
            &[("IKIGAI_CONFIG_DIR", "/nowhere"), xdg],
            Some(&home)
        )),
        "xdg"
    );
    assert_eq!(
        describe(find_credential(&[("XDG_CONFIG_HOME", "xdg")], Some(&home))),
        "home"
    );
    let empty = folder("{}");
    let empty = ("IKIGAI_CONFIG_DIR", empty.path().to_str().unwrap());
    assert_eq!(
        find_credential(&[empty, xdg], Some(&home)),
        Err(MissingCredential { problem: None })
    );
}

#[test]
fn a_flat_file_is_read_as_well_as_a_nested_one() {
    for (text, key) in [
        (r#"{"BRAVE_API_KEY":" flat "}"#, "flat"),
        (r#"{"BRAVE_API_KEY":"flat","web_search":null}"#, "flat"),
        (
            r#"{"BRAVE_API_KEY":"flat","web_search":{"google":{"api_key":"g"}}}"#,
            "flat",
        ),
        (
            r#"{"BRAVE_API_KEY":"flat","web_search":{"brave":{"api_key":""}}}"#,
            "flat",
        ),
        (
            r#"{"BRAVE_API_KEY":"flat","web_search":{"brave":{"api_key":5}}}"#,
            "flat",
        ),
        (
            r#"{"BRAVE_API_KEY":"flat","web_search":{"brave":{"api_key":"nested"}}}"#,
            "nested",
        ),
        (
            r#"{"BRAVE_API_KEY":5,"web_search":{"brave":{"api_key":"nested"}}}"#,
            "nested",
        ),
    ] {
        let dir = folder(text);
        let config_dir = ("IKIGAI_CONFIG_DIR", dir.path().to_str().unwrap());
        assert_eq!(
            describe(find_credential(&[config_dir], None)),
            key,
            "{text}"
        );
        let env = ("BRAVE_API_KEY", "env");
        assert_eq!(
            describe(find_credential(&[config_dir, env], None)),
            "env",
            "{text}"
        );
    }
    for text in [r#"{"BRAVE_API_KEY":null}"#, r#"{"BRAVE_API_KEY":" "}"#] {
        let dir = folder(text);
        let config_dir = ("IKIGAI_CONFIG_DIR", dir.path().to_str().unwrap());
        assert_eq!(
            find_credential(&[config_dir], None),
            Err(MissingCredential { problem: None }),
            "{text}"
        );
    }
}

#[test]
fn what_is_no_regular_file_or_too_long_is_refused_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let config_dir = ("IKIGAI_CONFIG_DIR", dir.path().to_str().unwrap());
    let file = dir.path().join(CREDENTIALS_FILE);
    let problem = || {
        let missing = find_credential(&[config_dir], None).unwrap_err();
        missing.problem.unwrap()
    };
    std::fs::create_dir(&file).unwrap();
    assert!(problem().contains("regular file"), "{}", problem());
    std::fs::remove_dir(&file).unwrap();
    let (kind, mode) = (rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR);
    rustix::fs::mknodat(rustix::fs::CWD, &file, kind, mode, 0).unwrap();
    assert!(problem().contains("regular file"), "{}", problem());
    std::fs::remove_file(&file).unwrap();
    std::os::unix::fs::symlink("/dev/zero", &file).unwrap();
    assert!(problem().contains("regular file"), "{}", problem());
    std::fs::remove_file(&file).unwrap();
    std::fs::write(&file, vec![b' '; 2 * 1024 * 1024]).unwrap();
    assert!(problem().contains("1 MiB"), "{}", problem());
}

#[test]
fn a_file_that_may_not_be_read_is_named() {
    let dir = folder(GOOD);
    let file = dir.path().join(CREDENTIALS_FILE);
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o0)).unwrap();
    let config_dir = ("IKIGAI_CONFIG_DIR", dir.path().to_str().unwrap());
    match find_credential(&[config_dir], None) {
        Err(MissingCredential { problem }) => {
            assert!(problem.unwrap().contains("can't be opened"));
        }
        // The superuser can read every file.
        Ok(_) => assert!(rustix::process::geteuid().is_root()),
    }
}

#[test]
fn where_a_credential_is_can_be_asked_without_seeing_it() {
    let name = CredentialName {
        variable: "BRAVE_API_KEY",
        path: PATH,
    };
    let dir = folder(GOOD);
    let config_dir = dir.path().to_str().unwrap().to_owned();
    let file = |name: &str| (name == "IKIGAI_CONFIG_DIR").then(|| config_dir.clone());
    let source = Credentials::from_vars(&file, None).source(name);
    assert_eq!(
        source,
        Ok(CredentialSource::File(dir.path().join(CREDENTIALS_FILE)))
    );
    let set = |_: &str| Some("set".to_owned());
    let source = Credentials::from_vars(&set, None).source(name);
    assert_eq!(source, Ok(CredentialSource::Environment));
}
