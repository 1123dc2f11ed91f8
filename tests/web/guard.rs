//! Nothing that somebody would read as a forbidden address is ever asked for, however it is
//! written, whoever it is asked of: a server, a proxy, a tunnel, SOCKS, or after a redirect.

use std::ffi::CString;
use std::io::{self, Read, Write};
use std::mem;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::common::messages::TextRow;
use crate::server::{Asked, Server, page, redirect};
use iki_web::client::proxy::ProxySettings;
use iki_web::client::{
    FetchError as Error, FetchRequest as Request, HttpClient, HttpResponse, parse_url,
};
use iki_web::guard::Guard;
use iki_web::guard::class::{AddressScope, classify};
use iki_web::resolve::NameResolver;
use url::Host;

/// Addresses that nobody may reach.
const FORBIDDEN: [Ipv4Addr; 6] = [
    Ipv4Addr::new(169, 254, 169, 254),
    Ipv4Addr::new(169, 254, 0, 1),
    Ipv4Addr::new(100, 100, 100, 200),
    Ipv4Addr::new(168, 63, 129, 16),
    Ipv4Addr::UNSPECIFIED,
    Ipv4Addr::new(198, 18, 0, 7),
];

/// Endings that are appended to a host.
const TAILS: &[&str] = &[
    "",
    ".",
    "..",
    "...",
    "....",
    "%2e",
    "%2e%2e",
    ".%2E.",
    "\u{3002}",
    "\u{3002}\u{3002}",
    "\u{ff0e}\u{ff61}",
    ".\u{ad}.",
    "%c2%ad..",
    "\u{200b}..",
    ".\u{2060}",
    "%20",
    "%09..",
    "%00",
    " ",
    "\t..",
    "+",
    "x",
    "-",
    "_",
    "..x",
    ".0x",
    "%25eth0",
    "\u{a0}",
    "\u{3000}..",
    "%0b..",
    "%e3%80%82%e3%80%82",
    "\u{fe0f}..",
    "%ef%bc%8e.",
];

/// Prefixes that are put before a host.
const TRICKS: &[&str] = &["u:p@", "example.com%40@", "8.8.8.8\\@"];

/// Names of metadata services.
const NAMES: &[&str] = &[
    "metadata.google.internal",
    "METADATA.Google.Internal",
    "metadata",
    "instance-data",
    "instance-data.eu-west-1.compute.internal",
    "metadata\u{3002}goog",
];

/// Ways to write an IPv4 address, right and wrong.
// The names of the four parts and of the whole are what the spellings are made of.
#[allow(clippy::many_single_char_names)]
fn spellings_4(ip: Ipv4Addr) -> Vec<String> {
    let [a, b, c, d] = ip.octets();
    let n = u32::from(ip);
    let plain = ip.to_string();
    let change = |digit: &dyn Fn(u32) -> u32, dot: char| -> String {
        let each = |ch: char| match ch.to_digit(10) {
            Some(value) => char::from_u32(digit(value)).unwrap(),
            None => dot,
        };
        plain.chars().map(each).collect()
    };
    vec![
        plain.clone(),
        format!("{n}"),
        format!("0{n:o}"),
        format!("000{n:o}"),
        format!("0x{n:x}"),
        format!("0X{n:X}"),
        format!("0x0000{n:08x}"),
        format!("{}", u64::from(n) + (1 << 32)),
        format!("{a}.{}", n & 0xff_ffff),
        format!("{a}.0x{:x}", n & 0xff_ffff),
        format!("{a}.{b}.{}", n & 0xffff),
        format!("0x{a:x}.0{b:o}.{}", n & 0xffff),
        format!("0{a:o}.0{b:o}.0{c:o}.0{d:o}"),
        format!("0x{a:x}.0x{b:x}.0x{c:x}.0x{d:x}"),
        format!("{a:03}.{b:03}.{c:03}.{d:03}"),
        format!("{a}.{b}.{c}.{}", u32::from(d) + 256),
        format!(".{plain}"),
        plain.replacen('.', "..", 1),
        plain.replace('.', "%2e"),
        plain
            .bytes()
            .map(|b| format!("%{b:02x}"))
            .collect::<Vec<_>>()
            .concat(),
        change(&|d| d + 0xff10, '.'),
        change(&|d| d + 0xff10, '\u{3002}'),
        change(&|d| d + 0xff10, '\u{ff61}'),
        change(&|d| if d == 0 { 0x24ea } else { d + 0x245f }, '.'),
        change(&|d| d + 0x1d7ce, '.'),
        change(&|d| d + 0x660, '.'),
        change(&|d| d + 0x30, '\u{2024}'),
    ]
}

/// Ways to write an address that carries it, or that is link-local itself, in IPv6.
fn spellings_6(ip: Ipv4Addr) -> Vec<String> {
    let [a, b, c, d] = ip.octets();
    let (high, low) = (u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d]));
    let mut found = vec![
        format!("[::ffff:{ip}]"),
        format!("[::{ip}]"),
        format!("[64:ff9b::{ip}]"),
        format!("[::ffff:0:{ip}]"),
        "[fe80::1%25eth0]".to_owned(),
        "[fe80::1%eth0]".to_owned(),
        "fe80--1.ipv6-literal.net".to_owned(),
    ];
    for carrier in [
        [0, 0, 0, 0, 0, 0xffff, high, low],
        [0x64, 0xff9b, 0, 0, 0, 0, high, low],
        [0x2002, high, low, 0, 0, 0, 0, 1],
        [0x2001, 0, high, low, 0, 0, !0x0808, !0x0808],
        [0x2001, 0, 0x0808, 0x0808, 0, 0, !high, !low],
        [0x2a00, 0x1450, 0, 1, 0, 0x5efe, high, low],
        [0xfe80, 0, 0, 0, 0, 0, 0, 1],
    ] {
        let ip = Ipv6Addr::from(carrier);
        let long: Vec<String> = carrier.iter().map(|part| format!("{part:04X}")).collect();
        found.extend([format!("[{ip}]"), format!("[{}]", long.join(":"))]);
        let dashed = ip.to_string().replace(':', "-");
        found.push(format!("{dashed}.ipv6-literal.net"));
    }
    found
}

/// All that is tried: every spelling with every tail, and tricks with users and slashes.
fn spellings() -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for (nth, ip) in FORBIDDEN.into_iter().enumerate() {
        // Everything with everything for one address; the others are spelled no other way.
        let tails = if nth == 0 { TAILS } else { &TAILS[..5] };
        for spelling in spellings_4(ip) {
            all.extend(tails.iter().map(|tail| format!("{spelling}{tail}")));
            for trick in TRICKS {
                all.push(format!("{trick}{spelling}.."));
            }
        }
        for spelling in spellings_6(ip) {
            all.extend(tails[..3].iter().map(|tail| format!("{spelling}{tail}")));
        }
    }
    for name in NAMES {
        all.extend(TAILS.iter().map(|tail| format!("{name}{tail}")));
    }
    all.sort();
    all.dedup();
    all
}

/// The addresses that the most lenient readers would take a host for: the C library, without the
/// dots behind and with the last part cut off wherever the address ends; and one that reads four
/// numbers and stops.
fn readings(host: &str) -> Vec<IpAddr> {
    let bare = host.trim_matches(['[', ']']);
    let bare = bare.split('%').next().unwrap();
    let mut found: Vec<IpAddr> = bare.parse().into_iter().collect();
    let bare = bare.trim_matches('.');
    let last = bare.rfind('.').map_or(1, |dot| dot + 2);
    for end in (last..=bare.len()).filter(|end| bare.is_char_boundary(*end)) {
        // A number is read to its end.
        let hex = bare[last - 1..].starts_with("0x");
        let goes_on = |c: char| c.is_ascii_digit() || (hex && c.is_ascii_hexdigit());
        if bare[end..].starts_with(goes_on) {
            continue;
        }
        let text = CString::new(&bare[..end]).unwrap();
        let mut out = libc::in_addr { s_addr: 0 };
        // SAFETY: the text ends with NUL, and `out` is a live value of the type that is written.
        if unsafe { inet_aton(text.as_ptr(), &raw mut out) } == 0 {
            continue;
        }
        let ip = Ipv4Addr::from(u32::from_be(out.s_addr));
        // `3com` is somebody's host.
        let name = bare[end..].starts_with(|c: char| c.is_alphanumeric() || "-_".contains(c));
        if !(name && ip.octets()[0] == 0 && bare.split('.').count() < 4) {
            found.push(ip.into());
        }
    }
    let digits = bare.find(|c: char| !c.is_ascii_digit() && c != '.');
    let four = bare[..digits.unwrap_or(bare.len())]
        .split('.')
        .take(4)
        .map(|part| part.parse::<u8>().ok())
        .collect::<Option<Vec<_>>>();
    // The rest behind the four numbers of `1.2.3.4.example.com` makes it a name like any other.
    if let Some([a, b, c, d]) = four.as_deref()
        && !bare.ends_with(|c: char| c.is_ascii_alphabetic())
    {
        found.push(Ipv4Addr::new(*a, *b, *c, *d).into());
    }
    found
}

unsafe extern "C" {
    /// `inet_aton(3)`, as libc resolves numbers.
    fn inet_aton(text: *const libc::c_char, out: *mut libc::in_addr) -> libc::c_int;
}

fn is_forbidden(host: &str) -> bool {
    let name = host.trim_matches('.').to_ascii_lowercase();
    NAMES.contains(&name.as_str())
        || name == "metadata.goog"
        || name.ends_with(".ipv6-literal.net")
        || readings(host).into_iter().any(|ip| {
            matches!(
                classify(ip).scope,
                AddressScope::Never | AddressScope::StandIn
            )
        })
}

/// Notes what it is asked for, and has every name be the metadata service's.
#[derive(Default)]
struct Metadata(Mutex<Vec<String>>);

impl NameResolver for Metadata {
    fn resolve(&self, name: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
        self.0.lock().unwrap().push(name.to_owned());
        Ok(vec![([169, 254, 169, 254], port).into()])
    }
}

/// Always through a proxy, so that no test ever dials what it should not.
fn get(proxy: &str, url: &str) -> Result<HttpResponse, Error> {
    let proxies = ProxySettings::from_vars(|name| (name == "all_proxy").then(|| proxy.to_owned()));
    let url = parse_url(url)?;
    let client = HttpClient::with_resolver(Arc::new(Metadata::default())).proxies(proxies);
    client.within(Duration::from_secs(5)).get(&Request {
        url: &url,
        accept: "*/*",
        headers: &[],
    })
}

/// The hosts in what a proxy was asked: of the target, and of the header.
fn hosts(asked: &Asked) -> Vec<String> {
    let authority = asked
        .target
        .strip_prefix("http://")
        .unwrap_or(&asked.target);
    let authority = authority.split('/').next().unwrap();
    let host = |text: &str| match text.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|b| b.is_ascii_digit()) => host.to_owned(),
        _ => text.to_owned(),
    };
    vec![
        host(authority),
        host(asked.header("host").unwrap_or_default()),
    ]
}

/// A URL is refused, or is none; what was asked of a proxy in spite of it is no address. `seen` is
/// what it was asked for since the last time.
fn assert_kept(proxy: &str, seen: impl Fn() -> Vec<String>, url: &str) -> bool {
    let refused = match get(proxy, url) {
        Err(Error::Network(error)) => error.text.starts_with("Refused"),
        _ => false,
    };
    for host in seen() {
        assert!(!is_forbidden(&host), "{url}: {host} was asked for");
    }
    refused
}

#[test]
fn the_oracle_of_these_tests_knows_an_address_when_it_sees_one() {
    for host in [
        "169.254.169.254",
        "169.254.169.254.",
        "169.254.169.254...",
        "2852039166..",
        "0xa9fea9fe...",
        "0251.0376.43518.",
        "169.254.169.254 x",
        "169.254.169.254x",
        "[::ffff:169.254.169.254]",
        "fe80::1%eth0",
        "metadata.",
        "198.18.0.7",
    ] {
        assert!(is_forbidden(host), "{host}");
    }
    for host in [
        "example.com",
        "8.8.8.8",
        "169.254.169.254.nip.io",
        "face.example",
        "3com",
    ] {
        assert!(!is_forbidden(host), "{host}");
    }
    assert!(spellings().len() > 2000);
}

#[test]
fn a_plain_proxy_is_never_asked_for_a_forbidden_address() {
    let proxy = Server::bytes(page("internal"));
    let via = format!("http://127.0.0.1:{}", proxy.port());
    let seen = || proxy.take_asked().iter().flat_map(hosts).collect();
    let all = spellings();
    let refused = all
        .iter()
        .filter(|host| assert_kept(&via, seen, &format!("http://{host}/latest")))
        .count();
    assert!(refused > 1000, "{refused} of {}", all.len());
}

#[test]
fn a_tunnel_is_never_asked_for_a_forbidden_address() {
    let proxy = Server::bytes(b"HTTP/1.1 502 No\r\n\r\n");
    let via = format!("http://127.0.0.1:{}", proxy.port());
    let seen = || proxy.take_asked().iter().flat_map(hosts).collect();
    let all = spellings();
    let refused = all
        .iter()
        .filter(|host| assert_kept(&via, seen, &format!("https://{host}/latest")))
        .count();
    assert!(refused > 1000, "{refused} of {}", all.len());
}

/// A SOCKS 5 proxy that notes what it is asked for and refuses it.
fn socks() -> (Server, Arc<Mutex<Vec<String>>>) {
    let seen: Arc<Mutex<Vec<String>>> = Arc::default();
    let log = Arc::clone(&seen);
    let server = Server::raw(move |stream| {
        // A client that is gone is no failure of the proxy's.
        let _ = speak_socks(&stream, &log);
    });
    (server, seen)
}

fn speak_socks(mut stream: &TcpStream, log: &Mutex<Vec<String>>) -> io::Result<()> {
    let mut take = |n: usize| -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; n];
        stream.read_exact(&mut bytes)?;
        Ok(bytes)
    };
    let methods = take(2)?[1];
    take(methods.into())?;
    stream.write_all(&[5, 0])?;
    let mut take = |n: usize| -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; n];
        stream.read_exact(&mut bytes)?;
        Ok(bytes)
    };
    let host = match take(4)?[3] {
        1 => <[u8; 4]>::try_from(take(4)?).map(|o| Ipv4Addr::from(o).to_string()),
        4 => <[u8; 16]>::try_from(take(16)?).map(|o| Ipv6Addr::from(o).to_string()),
        _ => {
            let len = take(1)?[0];
            Ok(String::from_utf8_lossy(&take(len.into())?).into_owned())
        }
    };
    log.lock().unwrap().push(host.unwrap());
    stream.write_all(&[5, 2, 0, 1, 0, 0, 0, 0, 0, 0])
}

#[test]
fn socks_is_never_asked_for_a_forbidden_address() {
    let (proxy, log) = socks();
    let seen = || mem::take(&mut *log.lock().unwrap());
    let all = spellings();
    for (scheme, target) in [
        ("socks5h", "http"),
        ("socks5h", "https"),
        ("socks5", "http"),
    ] {
        let via = format!("{scheme}://127.0.0.1:{}", proxy.port());
        let refused = all
            .iter()
            .filter(|host| assert_kept(&via, seen, &format!("{target}://{host}/latest")))
            .count();
        assert!(refused > 1000, "{scheme}: {refused} of {}", all.len());
    }
    // SOCKS 4 carries names as well, and is not spoken at all.
    let text = get("socks4a://127.0.0.1:1", "http://a.example/").unwrap_err();
    text.to_string()
        .assert_row("web_fetch", "a proxy of SOCKS 4");
}

#[test]
fn a_forbidden_address_is_never_let_through_to_be_dialled() {
    // Asked of the guard itself: what it would let through is nothing for a test to dial.
    let all = spellings();
    let mut refused = 0;
    for host in &all {
        let Ok(url) = parse_url(&format!("http://{host}/latest")) else {
            continue;
        };
        let guard = Guard::new(&url).unwrap();
        let Ok(target) = guard.check_url(&url) else {
            refused += 1;
            continue;
        };
        let name = target.host().to_string();
        assert!(!is_forbidden(&name), "{host}: {name} was let through");
        let found = match target.host() {
            Host::Domain(_) => [169, 254, 169, 254].into(),
            Host::Ipv4(ip) => (*ip).into(),
            Host::Ipv6(ip) => (*ip).into(),
        };
        let checked = guard.check(&target, &[SocketAddr::new(found, 80)]);
        let bad = is_forbidden(&found.to_string());
        assert_eq!(checked.is_err(), bad, "{host}: {checked:?}");
    }
    assert!(refused > 1000, "{refused} of {}", all.len());
}

#[test]
fn a_redirect_leads_to_no_forbidden_address() {
    let next: Arc<Mutex<String>> = Arc::default();
    let location = Arc::clone(&next);
    let proxy = Server::start(move |asked, conn| {
        let far = asked.target.starts_with("http://far.example/");
        conn.write_all(&if far {
            redirect(&location.lock().unwrap())
        } else {
            page("internal")
        })
    });
    let via = format!("http://127.0.0.1:{}", proxy.port());
    let mut refused = 0;
    for host in spellings() {
        // A server cannot send characters that a header cannot carry.
        if host.contains(['\t', '\0']) {
            continue;
        }
        *next.lock().unwrap() = format!("//{host}/latest");
        let result = get(&via, "http://far.example/");
        refused += usize::from(
            matches!(&result, Err(Error::Network(error)) if error.text.starts_with("Refused")),
        );
        let asked = proxy.take_asked();
        assert_eq!(asked[0].target, "http://far.example/");
        for name in asked[1..].iter().flat_map(hosts) {
            assert!(!is_forbidden(&name), "{host}: {name} was asked for");
        }
    }
    assert!(refused > 1000, "{refused}");
}
