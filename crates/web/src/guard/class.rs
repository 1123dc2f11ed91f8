//! The class of an address: public, private to this network, or never to be dialled.
//!
//! The tables follow the IANA special-purpose address registries for IPv4 and IPv6 (RFC 6890 and
//! its updates): what they call not globally reachable is refused, except the loopback, private,
//! shared and unique-local blocks, which are "private", and the blocks that stand in for others. An
//! IPv6 address with an IPv4 address embedded is never less restricted than the embedded one.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Scope of an address, from the least restricted to the most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AddressScope {
    /// Globally reachable.
    Public,
    /// This machine or this network: allowed only if the caller named it.
    Private,
    /// Benchmarking and documentation: nothing is there, so a local proxy hands such addresses out
    /// for public names. Public if a name resolved to it, refused if it is written out.
    StandIn,
    /// Link-local, cloud metadata, multicast, reserved and the like: never allowed.
    Never,
}

/// Scope of an address, and its kind in words for a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddressClass {
    /// Scope of the address.
    pub scope: AddressScope,
    /// Kind, as it reads after "a" or "an": `link-local`, `cloud metadata`.
    pub kind: &'static str,
}

const PUBLIC: AddressClass = AddressClass {
    scope: AddressScope::Public,
    kind: "public",
};

const fn private(kind: &'static str) -> AddressClass {
    AddressClass {
        scope: AddressScope::Private,
        kind,
    }
}

const fn never(kind: &'static str) -> AddressClass {
    AddressClass {
        scope: AddressScope::Never,
        kind,
    }
}

const fn stand_in(kind: &'static str) -> AddressClass {
    AddressClass {
        scope: AddressScope::StandIn,
        kind,
    }
}

type Ipv4Row = (Ipv4Addr, u32, AddressClass);
type Ipv6Row = (Ipv6Addr, u32, AddressClass);

const fn v4(a: u8, b: u8, c: u8, d: u8, bits: u32, class: AddressClass) -> Ipv4Row {
    (Ipv4Addr::new(a, b, c, d), bits, class)
}

const fn v6(head: [u16; 4], tail: [u16; 4], bits: u32, class: AddressClass) -> Ipv6Row {
    let net = Ipv6Addr::new(
        head[0], head[1], head[2], head[3], tail[0], tail[1], tail[2], tail[3],
    );
    (net, bits, class)
}

/// The first row that matches decides, so exceptions stand before the block they are cut from.
const TABLE_4: &[Ipv4Row] = &[
    // Metadata services that live outside 169.254.0.0/16: Alibaba, Azure, Oracle.
    v4(100, 100, 100, 200, 32, never("cloud metadata")),
    v4(168, 63, 129, 16, 32, never("cloud metadata")),
    v4(192, 0, 0, 192, 32, never("cloud metadata")),
    v4(0, 0, 0, 0, 32, never("unspecified")),
    v4(0, 0, 0, 0, 8, never("reserved")),
    v4(10, 0, 0, 0, 8, private("private")),
    v4(100, 64, 0, 0, 10, private("private")),
    v4(127, 0, 0, 0, 8, private("loopback")),
    v4(169, 254, 0, 0, 16, never("link-local or cloud metadata")),
    v4(172, 16, 0, 0, 12, private("private")),
    v4(192, 0, 0, 9, 32, PUBLIC),
    v4(192, 0, 0, 10, 32, PUBLIC),
    v4(192, 0, 0, 0, 24, never("reserved")),
    v4(192, 0, 2, 0, 24, stand_in("documentation")),
    v4(192, 88, 99, 0, 24, never("reserved")),
    v4(192, 168, 0, 0, 16, private("private")),
    v4(198, 18, 0, 0, 15, stand_in("benchmarking")),
    v4(198, 51, 100, 0, 24, stand_in("documentation")),
    v4(203, 0, 113, 0, 24, stand_in("documentation")),
    v4(224, 0, 0, 0, 4, never("multicast")),
    v4(255, 255, 255, 255, 32, never("broadcast")),
    v4(240, 0, 0, 0, 4, never("reserved")),
];

/// As [`TABLE_4`]. Embedded IPv4 addresses are extracted before this table is searched.
const TABLE_6: &[Ipv6Row] = &[
    v6([0; 4], [0; 4], 128, never("unspecified")),
    v6([0; 4], [0, 0, 0, 1], 128, private("loopback")),
    v6([0xfd00, 0x0ec2, 0, 0], [0; 4], 32, never("cloud metadata")),
    v6([0xfd20, 0x00ce, 0, 0], [0; 4], 32, never("cloud metadata")),
    v6(
        [0xfd00, 0x00c1, 0, 0],
        [0, 0, 0xa9fe, 0xa9fe],
        128,
        never("cloud metadata"),
    ),
    v6(
        [0xfd00, 0x0042, 0, 0],
        [0, 0, 0, 0x42],
        128,
        never("cloud metadata"),
    ),
    v6([0xfc00, 0, 0, 0], [0; 4], 7, private("private")),
    v6([0xfe80, 0, 0, 0], [0; 4], 10, never("link-local")),
    v6([0xfec0, 0, 0, 0], [0; 4], 10, never("site-local")),
    v6([0xff00, 0, 0, 0], [0; 4], 8, never("multicast")),
    v6([0x2001, 1, 0, 0], [0, 0, 0, 1], 128, PUBLIC),
    v6([0x2001, 1, 0, 0], [0, 0, 0, 2], 128, PUBLIC),
    v6([0x2001, 1, 0, 0], [0, 0, 0, 3], 128, PUBLIC),
    v6([0x2001, 3, 0, 0], [0; 4], 32, PUBLIC),
    v6([0x2001, 4, 0x112, 0], [0; 4], 48, PUBLIC),
    v6([0x2001, 0x20, 0, 0], [0; 4], 28, PUBLIC),
    v6([0x2001, 0x30, 0, 0], [0; 4], 28, PUBLIC),
    v6([0x2001, 2, 0, 0], [0; 4], 48, stand_in("benchmarking")),
    v6([0x2001, 0xdb8, 0, 0], [0; 4], 32, stand_in("documentation")),
    v6([0x2001, 0, 0, 0], [0; 4], 23, never("reserved")),
    v6([0x3fff, 0, 0, 0], [0; 4], 20, stand_in("documentation")),
    v6([0x2000, 0, 0, 0], [0; 4], 3, PUBLIC),
];

/// Classifies `ip`, including any IPv4 address that it embeds.
#[must_use]
pub fn classify(ip: IpAddr) -> AddressClass {
    match ip {
        IpAddr::V4(ip) => classify_4(ip),
        IpAddr::V6(ip) => classify_6(ip),
    }
}

fn classify_4(ip: Ipv4Addr) -> AddressClass {
    let bits = u32::from(ip);
    TABLE_4
        .iter()
        .find(|(net, len, _)| (bits ^ u32::from(*net)) >> (32 - len) == 0)
        .map_or(PUBLIC, |row| row.2)
}

fn classify_6(ip: Ipv6Addr) -> AddressClass {
    let outer = outer_6(ip);
    embedded_addresses(ip)
        .into_iter()
        .flatten()
        .map(classify_4)
        .fold(outer, stricter)
}

fn stricter(a: AddressClass, b: AddressClass) -> AddressClass {
    match (a.scope, b.scope) {
        // No proxy hands out an address whose outer form is private.
        (AddressScope::Private, AddressScope::StandIn) => never(b.kind),
        (AddressScope::StandIn, AddressScope::Private) => never(a.kind),
        _ if b.scope > a.scope => b,
        _ => a,
    }
}

// One line a scheme, with its own source, reads better than arms merged by their result.
#[allow(clippy::match_same_arms)]
/// Classifies the IPv6 address by its own block, ignoring any embedded address.
fn outer_6(ip: Ipv6Addr) -> AddressClass {
    let s = ip.segments();
    match s {
        [0, 0, 0, 0, 0, 0, 0, 0 | 1] => {}
        // IPv4-mapped, and the translated form of SIIT: only the embedded address decides.
        [0, 0, 0, 0, 0, 0xffff, ..] | [0, 0, 0, 0, 0xffff, 0, ..] => return PUBLIC,
        // NAT64's well-known prefix (RFC 6052), and its local-use one (RFC 8215).
        [0x64, 0xff9b, 0, 0, 0, 0, ..] => return PUBLIC,
        [0x64, 0xff9b, 1, ..] => return private("private"),
        // Teredo and 6to4.
        [0x2001, 0, ..] | [0x2002, ..] => return PUBLIC,
        _ => {}
    }
    let bits = u128::from(ip);
    TABLE_6
        .iter()
        .find(|(net, len, _)| (bits ^ u128::from(*net)) >> (128 - len) == 0)
        // Outside 2000::/3 nothing is global unicast (RFC 4291, section 2.4).
        .map_or(never("reserved"), |row| row.2)
}

// As above.
#[allow(clippy::match_same_arms)]
/// Returns every IPv4 address that `ip` embeds by a published scheme; no scheme has more than four.
fn embedded_addresses(ip: Ipv6Addr) -> [Option<Ipv4Addr>; 5] {
    let o = ip.octets();
    let address = |i: [usize; 4]| Some(Ipv4Addr::new(o[i[0]], o[i[1]], o[i[2]], o[i[3]]));
    let last = address([12, 13, 14, 15]);
    let isatap = match ip.segments() {
        [_, _, _, _, 0 | 0x200, 0x5efe, _, _] => last,
        _ => None,
    };
    let embedded = match ip.segments() {
        [0, 0, 0, 0, 0, 0, 0, 0 | 1] => [None; 4],
        // IPv4-compatible, IPv4-mapped, SIIT.
        [0, 0, 0, 0, 0, 0 | 0xffff, ..] | [0, 0, 0, 0, 0xffff, 0, ..] => [last, None, None, None],
        [0x64, 0xff9b, 0, 0, 0, 0, ..] => [last, None, None, None],
        // The network chooses the position of the address inside its prefix (RFC 6052, section
        // 2.2); all positions count, and zeroes are only padding unless there is nothing else.
        [0x64, 0xff9b, 1, ..] => {
            let positions = [
                last,
                address([6, 7, 9, 10]),
                address([7, 9, 10, 11]),
                address([9, 10, 11, 12]),
            ];
            let set = positions.map(|p| p.filter(|ip| ip.octets()[0] != 0));
            if set == [None; 4] { positions } else { set }
        }
        [0x2002, ..] => [address([2, 3, 4, 5]), None, None, None],
        // Teredo: the relay's server, and the client with its bits inverted.
        [0x2001, 0, ..] => {
            let client = Ipv4Addr::new(!o[12], !o[13], !o[14], !o[15]);
            [address([4, 5, 6, 7]), Some(client), None, None]
        }
        _ => [None; 4],
    };
    [embedded[0], embedded[1], embedded[2], embedded[3], isatap]
}

#[cfg(test)]
#[path = "class_tests.rs"]
mod tests;
