//! The pictures of README.md: what an agent's session looks like, made by its calls, and how fast
//! calls are, drawn from the measured table. They lie in `pictures/`, and have to be what is drawn
//! here now: `IKIGAI_PICTURES=write cargo test --test local pictures::` writes them anew.

mod bars;
mod session;
mod svg;

use std::fs;
use std::path::Path;

use crate::common;

/// Sees that the picture is as it was drawn, or writes it.
fn is_current(name: &str, drawn: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("pictures")
        .join(name);
    if std::env::var_os("IKIGAI_PICTURES").is_some_and(|what| what == "write") {
        fs::write(&path, drawn).unwrap();
    }
    let there = fs::read_to_string(&path).unwrap();
    assert!(
        there == drawn,
        "pictures/{name} is not what is drawn now; IKIGAI_PICTURES=write cargo test --test local pictures:: \
         writes it anew:\n{drawn}"
    );
}

#[test]
fn the_picture_of_speed_shows_the_measured_table() {
    let table = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/README.md"));
    is_current("speed.svg", &bars::draw(&table.unwrap()));
}

#[test]
fn the_picture_of_a_session_shows_what_its_calls_answer() {
    if !has_landlock() {
        return common::skip("this kernel has no Landlock");
    }
    is_current("session.svg", &session::draw());
}

fn has_landlock() -> bool {
    let asked = common::piped(Path::new("/"), &["bash", "--root", "/", "true"]);
    asked.0 == 0
}
