//! Calls confined to directories and kept off the network, by every door; and the ways out, each of
//! them tried: as root and as an ordinary user, and without the confinement first, where it has to
//! lead out.
//!
//! What a shell cannot try, this program does itself: started as `attack NAME ARGUMENT…` it is no
//! test program but an attacker (`attack`). What lies outside and could be harmed is a directory
//! and a process of each test's own (`stage`, `outsider`).

#![allow(
    clippy::disallowed_methods,
    reason = "tests make connections, and change the environment while nothing else runs"
)]

#[macro_use]
#[path = "../common/at_once.rs"]
mod at_once;

at_once!(4);

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/refusing.rs"]
mod refusing;

mod attack;
mod attack_files;
mod attack_kernel;
mod attack_processes;
mod attack_ring;
mod attack_sockets;
mod daily_work;
mod deaths;
mod doors;
mod outsider;
mod posing;
mod security;
#[path = "../mcp/session.rs"]
mod session;
mod stage;
mod told;
mod ways;
mod ways_doors;
mod ways_files;
mod ways_kernel;
mod ways_links;
mod ways_network;
mod ways_own;
mod ways_processes;
mod ways_races;
mod ways_replaced;
mod ways_services;
mod ways_terminals;
mod ways_tools;

ctor::declarative::ctor! {
    /// Has this program be an attacker where its first argument says so, before the test harness
    /// starts: on the first thread, and without the harness's own.
    #[ctor(unsafe)]
    fn before_main() {
        attack::if_asked();
        common::leave_shared_memory();
    }
}
