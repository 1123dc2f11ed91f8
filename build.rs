//! Links the executable that tests start at a fixed address, as the installer does that of users.
//!
//! One that may lie anywhere has 100,000 addresses to relocate at each start, more than half of
//! what a short call takes (2.0 ms of CPU; 0.9 without), and the suite makes thousands of them.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| std::env::var(name).is_ok_and(|given| given == value);
    if is("PROFILE", "debug") && is("CARGO_CFG_TARGET_ENV", "gnu") {
        println!("cargo::rustc-link-arg-bins=-no-pie");
        println!("cargo::rustc-link-arg-tests=-no-pie");
    }
}
