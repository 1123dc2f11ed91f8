//! What the guard lets through is never link-local, cloud metadata, unspecified, multicast or
//! reserved, in whatever spelling and embedding, to whatever reader of addresses; nor anything
//! private once a public address was reached. A host is read as itself once more.

use std::ffi::CString;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use iki_web::client::parse_url;
use iki_web::guard::{Guard, HopTarget, host_of, normalize_host};
use url::{Host, Url};

use crate::take::Take;

pub fn check(data: &[u8]) {
    let mut take = Take(data);
    match take.below(4) {
        0 => {
            if let Ok(text) = str::from_utf8(take.0) {
                url(text);
                url(&format!("http://{text}/"));
            }
        }
        1 | 2 => {
            let host = spelled(&mut take);
            url(&format!("http://{host}/"));
            url(&format!("https://user:pass@{host}:8080/path"));
        }
        _ => hops(&mut take),
    }
}

/// Whether nobody may reach this address, told by the words of the registries.
fn never_4(ip: Ipv4Addr) -> bool {
    let o = ip.octets();
    let metadata = [
        [169, 254, 169, 254],
        [100, 100, 100, 200],
        [168, 63, 129, 16],
        [192, 0, 0, 192],
    ];
    ip.is_unspecified()
        || ip.is_link_local()
        || ip.is_multicast()
        || ip.is_broadcast()
        || o[0] == 0
        || o[0] >= 240
        || metadata.contains(&o)
}

fn private_4(ip: Ipv4Addr) -> bool {
    let o = ip.octets();
    ip.is_private() || ip.is_loopback() || (o[0] == 100 && o[1] & 0xc0 == 64)
}

/// The IPv4 addresses that an IPv6 address stands for, to whoever translates it.
fn inside(ip: Ipv6Addr) -> Vec<Ipv4Addr> {
    let o = ip.octets();
    let at = |from: usize| Ipv4Addr::new(o[from], o[from + 1], o[from + 2], o[from + 3]);
    let mut all = Vec::new();
    all.extend(ip.to_ipv4_mapped());
    let s = ip.segments();
    // IPv4-compatible, of which ::1 and :: are none.
    if s[..6] == [0; 6] && u128::from(ip) > 1 {
        all.push(at(12));
    }
    let nat64 = s[..6] == [0x64, 0xff9b, 0, 0, 0, 0];
    let siit = s[..6] == [0, 0, 0, 0, 0xffff, 0];
    let isatap = matches!(s[4..6], [0 | 0x200, 0x5efe]);
    if nat64 || siit || isatap {
        all.push(at(12));
    }
    if s[0] == 0x2002 {
        all.push(at(2));
    }
    if s[..2] == [0x2001, 0] {
        all.push(at(4));
        all.push(Ipv4Addr::from(!u32::from(at(12))));
    }
    all
}

fn never(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => never_4(ip),
        IpAddr::V6(ip) => {
            let metadata = [
                "fd00:ec2::254",
                "fd20:ce::254",
                "fd00:c1::a9fe:a9fe",
                "fd00:42::42",
            ];
            ip.is_unspecified()
                || ip.is_unicast_link_local()
                || ip.is_multicast()
                || ip.segments()[0] & 0xffc0 == 0xfec0
                || metadata.iter().any(|one| one.parse() == Ok(ip))
                || inside(ip).into_iter().any(never_4)
        }
    }
}

fn private(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => private_4(ip),
        IpAddr::V6(ip) => {
            let local_nat64 = ip.segments()[..3] == [0x64, 0xff9b, 1];
            ip.is_loopback()
                || ip.is_unique_local()
                || local_nat64
                || inside(ip).into_iter().any(private_4)
        }
    }
}

/// The addresses that readers other than ours take a host for.
fn readings(host: &str) -> Vec<IpAddr> {
    let mut all = Vec::new();
    let bare = host.trim_end_matches('.');
    for text in [
        host,
        bare,
        bare.trim_start_matches('[').trim_end_matches(']'),
    ] {
        all.extend(text.parse::<IpAddr>());
        // As the C library reads numbers: in octal, in hexadecimal, fewer than four of them.
        if let Ok(name) = CString::new(text) {
            let mut ip = libc::in_addr { s_addr: 0 };
            // SAFETY: the name is a C string, and the address is ours.
            if unsafe { inet_aton(name.as_ptr(), &raw mut ip) } != 0 {
                all.push(IpAddr::V4(u32::from_be(ip.s_addr).into()));
            }
        }
        if let Ok(Host::Ipv4(ip)) = Host::parse(text) {
            all.push(ip.into());
        }
    }
    all
}

unsafe extern "C" {
    fn inet_aton(name: *const libc::c_char, to: *mut libc::in_addr) -> libc::c_int;
}

fn url(text: &str) {
    let Ok(mut parsed) = Url::parse(text.trim()) else {
        assert!(parse_url(text).is_err());
        return;
    };
    let host = host_of(&parsed);
    if normalize_host(&mut parsed).is_ok() {
        let host = host.unwrap();
        assert_eq!(host_of(&parsed), Ok(host.clone()), "{text:?}");
        // What is printed is read again as the same.
        let again = Url::parse(parsed.as_str()).unwrap();
        assert_eq!(again, parsed);
        assert_eq!(host_of(&again), Ok(host));
    }
    if let Ok(taken) = parse_url(text) {
        assert!(matches!(taken.scheme(), "http" | "https"));
        assert!(taken.host_str().is_some_and(|host| !host.is_empty()));
        assert_eq!(parse_url(taken.as_str()).ok(), Some(taken));
    }
    let Some(guard) = Guard::new(&parsed) else {
        return;
    };
    let Ok(target) = guard.check_url(&parsed) else {
        return;
    };
    admitted(&target, text);
}

fn admitted(target: &HopTarget, text: &str) {
    let host = target.host().to_string();
    for ip in readings(&host) {
        assert!(
            !never(ip),
            "{text:?} is let through as {host:?}, which is {ip}"
        );
    }
    for name in ["metadata.google.internal", "instance-data", "metadata.goog"] {
        assert_ne!(host.trim_end_matches('.').to_ascii_lowercase(), name);
    }
    assert!(
        !target.to_string().contains(['\r', '\n', ' ', '/', '@']),
        "{target}"
    );
}

/// A host that is written in a way that somebody reads as an address.
fn spelled(take: &mut Take<'_>) -> String {
    let four = [
        [169, 254, 169, 254],
        [0, 0, 0, 0],
        [127, 0, 0, 1],
        [10, 0, 0, 1],
        [100, 100, 100, 200],
        [168, 63, 129, 16],
        [224, 0, 0, 1],
        [255, 255, 255, 255],
        [8, 8, 8, 8],
        [192, 0, 0, 192],
        [take.byte(), take.byte(), take.byte(), take.byte()],
    ];
    let ip = Ipv4Addr::from(take.of(&four));
    let [a, b, c, d] = ip.octets();
    let mut host = match take.below(9) {
        0 => ip.to_string(),
        1 => numbers(take, &[u32::from(ip)]),
        2 => numbers(take, &[u32::from(a), u32::from(ip) & 0xff_ffff]),
        3 => numbers(take, &[a.into(), b.into(), u32::from(ip) & 0xffff]),
        4 => numbers(take, &[a.into(), b.into(), c.into(), d.into()]),
        5 => format!("[::ffff:{ip}]"),
        6 => {
            let prefix = take.of(&[
                "64:ff9b::",
                "2002:",
                "::",
                "::ffff:0:",
                "fe80::5efe:",
                "2001::",
            ]);
            let hex = format!(
                "{:x}:{:x}",
                u16::from_be_bytes([a, b]),
                u16::from_be_bytes([c, d])
            );
            let turned = format!(
                "{:x}:{:x}",
                !u16::from_be_bytes([a, b]),
                !u16::from_be_bytes([c, d])
            );
            match prefix {
                "2002:" => format!("[2002:{hex}::1]"),
                "2001::" => format!("[2001:0:808:808::{turned}]"),
                prefix => format!("[{prefix}{hex}]"),
            }
        }
        7 => {
            let mut o = [0; 16];
            for byte in &mut o {
                *byte = take.byte();
            }
            let first = take.of(&[0xfe_u8, 0xfd, 0xff, 0x20, 0x00, 0x3f]);
            o[0] = first;
            format!("[{}]", Ipv6Addr::from(o))
        }
        _ => take
            .of(&[
                "metadata.google.internal",
                "localhost",
                "instance-data",
                "fe80--1.ipv6-literal.net",
            ])
            .to_owned(),
    };
    for _ in 0..take.below(3) {
        host = match take.below(6) {
            0 => host + ".",
            1 => host + "..",
            2 => host
                .chars()
                .map(|c| format!("%{:02x}", u32::from(c)))
                .collect(),
            // Digits and dots of full width, which are the same ones in a host.
            3 => host.chars().map(wide).collect(),
            4 => host.to_uppercase(),
            _ => host.replace('.', "\u{3002}"),
        };
    }
    if take.below(4) == 0 {
        host.push_str(&String::from_utf8_lossy(take.bytes(3)));
    }
    host
}

fn wide(c: char) -> char {
    match c {
        '!'..='~' if c != '[' && c != ']' && c != ':' && c != '%' => {
            char::from_u32(u32::from(c) + 0xfee0).unwrap()
        }
        c => c,
    }
}

fn numbers(take: &mut Take<'_>, all: &[u32]) -> String {
    let written = all.iter().map(|number| match take.below(5) {
        0 => format!("0x{number:x}"),
        1 => format!("0{number:o}"),
        2 => format!("0X{number:08X}"),
        3 => format!("000{number:o}"),
        _ => number.to_string(),
    });
    written.collect::<Vec<_>>().join(".")
}

/// A call with its redirects, each of which leads to some addresses.
fn hops(take: &mut Take<'_>) {
    let hosts = [
        "http://example.com/",
        "http://other.example/",
        "http://localhost/",
        "http://127.0.0.1/",
        "http://10.0.0.1/",
        "http://[::1]/",
        "http://8.8.8.8/",
        "http://dev.internal/",
    ];
    let parse = |text: &str| Url::parse(text).unwrap();
    let mut at = parse(take.of(&hosts));
    let Some(mut guard) = Guard::new(&at) else {
        return;
    };
    let named = host_of(&at).unwrap();
    let mut been_public = false;
    for hop in 0..=take.below(5) {
        let Ok(target) = guard.check_url(&at) else { return };
        let mut found = Vec::new();
        match target.host() {
            Host::Ipv4(ip) => found.push(SocketAddr::new((*ip).into(), 80)),
            Host::Ipv6(ip) => found.push(SocketAddr::new((*ip).into(), 80)),
            Host::Domain(_) => {
                for _ in 0..=take.below(3) {
                    let ip: IpAddr = match take.below(5) {
                        0 => [127, 0, 0, 1].into(),
                        1 => [8, 8, 8, 8].into(),
                        2 => [10, take.byte(), 0, 1].into(),
                        3 => [take.byte(), take.byte(), take.byte(), take.byte()].into(),
                        _ => {
                            let mut o = [0; 16];
                            o.iter_mut().for_each(|byte| *byte = take.byte());
                            o.into()
                        }
                    };
                    found.push(SocketAddr::new(ip, 80));
                }
            }
        }
        let Ok(passed) = guard.check(&target, &found) else {
            return;
        };
        assert!(passed.len() <= found.len());
        for addr in &passed {
            let ip = addr.socket_addr().ip();
            assert!(found.contains(&addr.socket_addr()));
            assert!(!never(ip), "{ip} is let through");
            if private(ip) {
                assert!(!been_public, "{ip} is reached from a public address");
                assert!(
                    hop == 0 || *target.host() == named || loops(target.host()) && loops(&named),
                    "{ip} by a redirect"
                );
            }
        }
        been_public |= passed.iter().any(|addr| !private(addr.socket_addr().ip()));
        at = parse(take.of(&hosts));
        guard.follow(&target, &passed, &host_of(&at).unwrap());
    }
}

/// Whether a host is a spelling of this machine.
fn loops(host: &Host<String>) -> bool {
    match host {
        Host::Domain(name) => name == "localhost" || name.ends_with(".localhost"),
        Host::Ipv4(ip) => ip.is_loopback(),
        Host::Ipv6(ip) => ip.is_loopback(),
    }
}
