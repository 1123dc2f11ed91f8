//! Ways by services of the same machine: what listens there does for a command what it may not do
//! itself.

use crate::stage::{Stage, abi};
use crate::ways::{Way, closed, closed_from, closed_offline, way};

const fn to_service(what: &'static str, command: &'static str) -> Way {
    way(what, command).on(|user| Stage::new(user).with_outsider())
}

/// Sockets with names in the file system, as the session's bus, containers, agents and terminal
/// multiplexers have them.
const NAMED: [Way; 5] = [
    to_service("a service with a name", "$ATTACK connect $OUT/stream"),
    to_service(
        "a service that is sent datagrams",
        "$ATTACK send-datagram $OUT/datagram",
    ),
    to_service(
        "a datagram by one of a pair",
        "$ATTACK send-by-pair $OUT/datagram",
    ),
    to_service(
        "a datagram by one of a pair of raw sockets",
        "$ATTACK send-by-raw-pair $OUT/datagram",
    ),
    to_service(
        "a descriptor that a service hands over",
        "$ATTACK be-given-a-descriptor $OUT/stream",
    ),
];

#[test]
fn services_with_names_in_the_file_system_are_not_reached() {
    closed_from(9, &NAMED);
}

#[test]
fn services_with_names_in_the_file_system_are_not_reached_offline() {
    closed_offline(&NAMED);
}

const ABSTRACT: [Way; 1] = [to_service(
    "a service without a file",
    "$ATTACK connect-abstract $ABSTRACT",
)];

#[test]
fn services_with_abstract_names_are_not_reached() {
    closed_from(6, &ABSTRACT);
}

#[test]
fn services_with_abstract_names_are_not_reached_offline() {
    closed_offline(&ABSTRACT);
}

/// What leads to a service of the session is not in the environment.
#[test]
fn the_environment_names_no_service() {
    let ways = [
        "SSH_AUTH_SOCK",
        "DBUS_SESSION_BUS_ADDRESS",
        "XDG_RUNTIME_DIR",
        "DISPLAY",
        "WAYLAND_DISPLAY",
        "DOCKER_HOST",
    ];
    if abi().is_none() {
        return;
    }
    for name in ways {
        let command = format!("test -n \"${name}\" || {{ echo not permitted; exit 1; }}");
        closed(&[way(name, Box::leak(command.into_boxed_str())).on(|user| {
            let mut stage = Stage::new(user);
            for name in [
                "SSH_AUTH_SOCK",
                "DBUS_SESSION_BUS_ADDRESS",
                "XDG_RUNTIME_DIR",
                "DISPLAY",
                "WAYLAND_DISPLAY",
                "DOCKER_HOST",
            ] {
                stage = stage.with(name, "/nowhere");
            }
            stage
        })]);
    }
}
