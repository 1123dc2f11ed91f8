//! `ikigai-tools token`: a token for whoever is to use a server over HTTP.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::common::{directory, piped, text};
use crate::http_server;

#[test]
fn a_token_stands_alone_on_stdout_and_its_line_lets_its_holder_in() {
    let room = directory();
    let (code, token, told) = piped(room.path(), &["token", "anna"]);
    assert_eq!(code, 0, "{told}");
    let token = token.strip_suffix('\n').unwrap();
    let random = token.strip_prefix("ikt_").unwrap();
    assert_eq!(random.len(), 43);
    assert!(
        random
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
    );
    assert!(!told.contains(token), "{told}");
    let line = told.lines().last().unwrap();
    assert_eq!(format!("{line}\n"), http_server::token_line("anna", token));
    let builder = http_server::http(&[]);
    let file = builder.file("tokens", line);
    let server = builder.arg("--tokens").arg(file).start();
    let bearer = format!("Bearer {token}");
    assert_eq!(
        server
            .post(&[("Authorization", &bearer)], &http_server::ping())
            .status,
        200
    );
}

#[test]
fn lines_are_added_to_a_file_whole_or_not_at_all() {
    let room = directory();
    let file = room.path().join("tokens");
    let add = |name: &str| piped(room.path(), &["token", name, "--file", text(&file)]);
    let (code, anna, told) = add("anna");
    assert_eq!(code, 0, "{told}");
    assert_eq!(
        fs::metadata(&file).unwrap().permissions().mode() & 0o777,
        0o600
    );
    let (code, ben, _) = add("ben");
    assert_eq!(code, 0);
    let lines = fs::read_to_string(&file).unwrap();
    let wanted = [("anna", &anna), ("ben", &ben)];
    let wanted: String = wanted
        .iter()
        .map(|(name, token)| http_server::token_line(name, token.trim()))
        .collect();
    assert_eq!(lines, wanted);
    for name in ["anna", "an na", ""] {
        let (code, token, told) = add(name);
        assert_eq!((code, token.as_str()), (1, ""), "{told}");
    }
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    let (code, token, _) = add("carl");
    assert_eq!((code, token.as_str()), (1, ""));
    assert_eq!(fs::read_to_string(&file).unwrap(), wanted);
    // Two at the same time add two lines.
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    std::thread::scope(|scope| {
        for number in 0..8 {
            let name = format!("n{number}");
            scope.spawn(move || assert_eq!(add(&name).0, 0));
        }
    });
    assert_eq!(fs::read_to_string(&file).unwrap().lines().count(), 10);
}
