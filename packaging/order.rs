//! Cargo's build script: has the linker put what short calls run beside one another, as order.ld
//! lists it. For static release builds alone, and where the linker understands the list: GNU ld and
//! LLVM's lld do. Without it the program is the same and starts a little slower.

use std::env;
use std::path::Path;
use std::process::{Command, Stdio};

fn main() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("packaging/order.ld");
    println!("cargo:rerun-if-changed=packaging/order.ld");
    println!("cargo:rerun-if-changed=packaging/order.rs");
    println!("cargo:rerun-if-env-changed=RUSTC_LINKER");
    let is = |variable: &str, value: &str| env::var(variable).is_ok_and(|set| set == value);
    if !is("PROFILE", "release") || !is("CARGO_CFG_TARGET_ENV", "musl") {
        return;
    }
    // A comma would divide the linker's argument.
    let argument = script.to_str().filter(|path| !path.contains(','));
    if let Some(argument) = argument.map(|path| format!("-Wl,-T,{path}"))
        && takes(&argument)
    {
        println!("cargo:rustc-link-arg-bins={argument}");
    }
}

/// Whether the linker with which the program is linked takes this argument.
fn takes(argument: &str) -> bool {
    let Some(room) = env::var_os("OUT_DIR") else {
        return false;
    };
    let probe = Path::new(&room).join("probe");
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    let flags = || {
        flags
            .split('\x1f')
            .map(|flag| flag.trim_start_matches("-C"))
    };
    let chosen = flags()
        .filter_map(|flag| flag.strip_prefix("linker="))
        .next_back();
    let linker = env::var("RUSTC_LINKER").ok();
    let linker = chosen.or(linker.as_deref()).unwrap_or("cc");
    let probed = Command::new(linker)
        .args([
            "-nostdlib",
            "-static",
            "-Wl,--entry=0",
            "-x",
            "c",
            "/dev/null",
        ])
        .args(flags().filter_map(|flag| flag.strip_prefix("link-arg=")))
        .arg(argument)
        .arg("-o")
        .arg(probe)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    probed.is_ok_and(|status| status.success())
}
