//! Ways to the network, where there is to be none.

use crate::stage::{Door, Stage, User, abi};
use crate::ways::{Way, closed_offline, offline, open, way};

const fn to_server(what: &'static str, command: &'static str) -> Way {
    way(what, command).on(|user| Stage::new(user).with_outsider())
}

#[test]
fn without_a_network_nothing_is_dialled() {
    closed_offline(&[
        to_server("TCP", "$ATTACK connect-tcp $TCP"),
        to_server(
            "TCP by another protocol",
            "$ATTACK connect-multipath-tcp $TCP",
        )
        .needs("this kernel has no multipath TCP"),
        to_server("UDP", "$ATTACK send-udp $UDP"),
        way("listening", "$ATTACK listen-tcp"),
        way(
            "listening under an abstract name",
            "$ATTACK listen-abstract",
        ),
    ]);
}

#[test]
fn without_a_network_there_are_no_sockets() {
    closed_offline(&[
        way(
            "any family but that of local sockets",
            "$ATTACK any-socket 1",
        ),
        way("IPv6", "$ATTACK socket 10 1 0").needs("this kernel has no IPv6"),
        way("the kernel's own (netlink)", "$ATTACK socket 16 3 0"),
        way("the machine's host (vsock)", "$ATTACK socket 40 1 0")
            .needs("this kernel has no vsock"),
        way("raw packets", "$ATTACK socket 2 3 255").as_root(),
        way("all packets", "$ATTACK socket 17 3 768").as_root(),
        way(
            "local sockets, one of a pair of raw ones",
            "$ATTACK pair 1 3",
        ),
        way(
            "local sockets, one of a pair of datagrams",
            "$ATTACK pair 1 2",
        ),
        way("io_uring", "$ATTACK ring-socket").needs("io_uring is not to be had"),
        way("a call of 32 bits", "$ATTACK socket-as-32-bits")
            .needs("no programs of 32 bits run here"),
    ]);
}

/// Such a program can seldom run without it: the filter takes the call for what it is.
#[test]
fn without_a_network_a_call_of_the_x32_abi_is_refused_by_the_filter() {
    if abi().is_none() || cfg!(not(target_arch = "x86_64")) {
        return;
    }
    for user in User::all() {
        let stage = Stage::new(user);
        let said = stage.run(Door::Host, Some(&offline(&stage)), "$ATTACK socket-as-x32");
        assert!(said.text.contains("ermission denied"), "{said:?}");
    }
}

/// What programs talk by to what they start goes on.
#[test]
fn without_a_network_pairs_of_connected_sockets_are_made() {
    if abi().is_none() {
        return;
    }
    for user in User::all() {
        let stage = Stage::new(user);
        for kind in [1, 5] {
            let script = format!("$ATTACK pair 1 {kind}");
            let said = stage.run(Door::Host, Some(&offline(&stage)), &script);
            assert_eq!(said.code, Some(0), "{said:?}");
        }
    }
}

#[test]
fn with_directories_alone_the_network_is_open() {
    open(&[
        to_server("TCP", "$ATTACK connect-tcp $TCP"),
        to_server("UDP", "$ATTACK send-udp $UDP"),
        way("listening", "$ATTACK listen-tcp"),
    ]);
}

/// Files are then as open as ever, and so is whatever else has a network.
#[test]
fn without_a_network_alone_files_are_open() {
    if abi().is_none() {
        return;
    }
    for user in User::all() {
        let stage = Stage::new(user);
        let bounds = crate::stage::Bounds {
            offline: true,
            ..Default::default()
        };
        let said = stage.run(Door::Host, Some(&bounds), "echo x > $OUT/new");
        assert_eq!(said.code, Some(0), "{said:?}");
        let said = stage.run(Door::Host, Some(&bounds), "$ATTACK listen-tcp");
        assert!(said.text.contains("ermission denied"), "{said:?}");
    }
}
