//! The user of a connection on the loopback, from `/proc/self/net/tcp` (`proc_pid_net(5)`).
//! `/proc/net` is a link to that directory, and is missing where `/proc` shows only processes.
//!
//! Chromium cannot be given a password for a proxy. Processes of this user can look into this
//! process anyway; others are kept out. Without such a file the user is unknown, and no connection
//! is served.

use std::fs;
use std::net::{SocketAddr, SocketAddrV4};

/// True if the other end `peer` of a connection to `local_address` is a socket of this user's.
pub fn is_of_this_user(peer: SocketAddr, local_address: SocketAddr) -> bool {
    let (SocketAddr::V4(peer), SocketAddr::V4(local_address)) = (peer, local_address) else {
        return false;
    };
    let Ok(table) = fs::read_to_string("/proc/self/net/tcp") else {
        return false;
    };
    owner_of(&table, peer, local_address) == Some(rustix::process::geteuid().as_raw())
}

/// Returns the user of the socket at `local` that is connected to `remote`.
fn owner_of(table: &str, local: SocketAddrV4, remote: SocketAddrV4) -> Option<u32> {
    let (local, remote) = (table_address(local), table_address(remote));
    table.lines().skip(1).find_map(|line| {
        let mut fields = line.split_ascii_whitespace().skip(1);
        if fields.next()? != local || fields.next()? != remote {
            return None;
        }
        // State, queues, timer and retransmissions come in between.
        fields.nth(4)?.parse().ok()
    })
}

/// Returns an address as the file has it: in hexadecimal digits, in the machine's byte order.
fn table_address(address: SocketAddrV4) -> String {
    let number = u32::from_ne_bytes(address.ip().octets());
    format!("{number:08X}:{:04X}", address.port())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    #[test]
    // A connection to the test's own listener.
    #[allow(clippy::disallowed_methods)]
    fn a_socket_of_this_process_is_its_user_s() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let local_address = listener.local_addr().unwrap();
        let client = std::net::TcpStream::connect(local_address).unwrap();
        let (_, peer) = listener.accept().unwrap();
        assert_eq!(peer, client.local_addr().unwrap());
        assert!(is_of_this_user(peer, local_address));
        assert!(!is_of_this_user(
            local_address,
            peer.ip()
                .to_string()
                .parse::<std::net::IpAddr>()
                .map(|ip| SocketAddr::new(ip, 1))
                .unwrap()
        ));
    }

    #[test]
    #[cfg(target_endian = "little")]
    fn the_user_stands_behind_the_addresses() {
        let table = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  \
             timeout inode\n   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 \
             00000000     0        0 1 1 0 100\n   1: 0100007F:B5C2 0100007F:1F90 01 \
             00000000:00000000 00:00000000 00000000  1000        0 2 1 0 20\n";
        let (peer, local) = ("127.0.0.1:46530", "127.0.0.1:8080");
        let owner = |a: &str, b: &str| owner_of(table, a.parse().unwrap(), b.parse().unwrap());
        assert_eq!(owner(peer, local), Some(1000));
        assert_eq!(owner(local, peer), None);
        assert_eq!(owner("127.0.0.1:46531", local), None);
    }
}
