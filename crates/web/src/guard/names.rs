//! Names that are known for what they point to, whatever a resolver answers for them.
//!
//! A name that some reader takes for an address is not accepted as a name: a reader that stops at
//! the first character that is not a digit takes `169.254.169.254x` for one.
//! `fe80--1.ipv6-literal.net` is judged as the address that Windows takes it for.
//!
//! Metadata names come from the clouds' own documentation; special-use names from RFC 6761
//! (`localhost`), RFC 6762 (`local`), RFC 8375 (`home.arpa`) and ICANN's reservation of `internal`.

use std::net::{IpAddr, Ipv6Addr};

use super::class::{self, AddressClass, AddressScope};

const METADATA: &str = "metadata metadata.google.internal metadata.goog metadata.azure.internal \
                        metadata.azure.com metadata.tencentyun.com metadata.packet.net \
                        metadata.platformequinix.com metadata.cloud.ibm.com \
                        api.metadata.cloud.ibm.com instance-data instance-data.ec2.internal \
                        rancher-metadata rancher-metadata.rancher.internal";

/// First labels of metadata services in any zone below `internal`, such as
/// `instance-data.eu-west-1.compute.internal`.
const METADATA_LABELS: &[&str] = &["metadata", "instance-data"];

const LOCAL_ZONES: &[&str] = &["localhost", "local", "internal", "home.arpa"];

/// True if `name` is `zone` or inside it; both in lower case, `name` without a final dot.
#[must_use]
pub fn is_within(name: &str, zone: &str) -> bool {
    name.strip_suffix(zone)
        .is_some_and(|head| head.is_empty() || head.ends_with('.'))
}

/// Returns the class that the name alone decides; `None` if only its addresses do.
///
/// `name` is a host as a URL parser normalised it, final dots allowed.
#[must_use]
pub fn classify(name: &str) -> Option<AddressClass> {
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    let first = name.split('.').next().unwrap_or_default();
    let inside = is_within(&name, "internal") && METADATA_LABELS.contains(&first);
    if inside || METADATA.split(' ').any(|one| one == name) {
        return Some(AddressClass {
            scope: AddressScope::Never,
            kind: "cloud metadata",
        });
    }
    if LOCAL_ZONES.iter().any(|zone| is_within(&name, zone)) {
        let kind = if is_loopback(&name) {
            "loopback"
        } else {
            "private"
        };
        return Some(AddressClass {
            scope: AddressScope::Private,
            kind,
        });
    }
    ipv6_literal(&name).map(class::classify)
}

/// Returns the address that Windows takes this name for.
fn ipv6_literal(name: &str) -> Option<IpAddr> {
    let head = name.strip_suffix(".ipv6-literal.net")?;
    let without_zone = head.split('s').next().unwrap_or_default();
    let ip = without_zone.replace('-', ":").parse::<Ipv6Addr>();
    ip.ok().map(IpAddr::V6)
}

/// True if some reader would take this name for an address: one that reads number by number, as
/// `inet_aton(3)` does, but stops at the first character that belongs to none. The last part of
/// such a name begins with a digit, unlike that of any public name, and the other parts are
/// numbers.
#[must_use]
pub(crate) fn is_almost_an_address(name: &str) -> bool {
    let (head, last) = name
        .rsplit_once('.')
        .map_or((None, name), |(head, last)| (Some(head), last));
    let (number, remainder) = leading_number(last);
    if !last.starts_with(|c: char| c.is_ascii_digit()) {
        return false;
    }
    if let Some(head) = head {
        return head
            .split('.')
            .all(|part| !part.is_empty() && leading_number(part).1.is_empty());
    }
    // `3com` and `1password` are hosts in private networks and no way to write 0.0.0.3.
    let like_a_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    number.is_none_or(|number| number > 0x00ff_ffff) || !remainder.starts_with(like_a_name)
}

/// Parses the number that a text begins with, `None` if it is too large, and returns the rest.
/// Decimal or hexadecimal: an octal number is smaller, and consists of the same digits.
fn leading_number(text: &str) -> (Option<u64>, &str) {
    let is_hex = |digits: &&str| digits.starts_with(|c: char| c.is_ascii_hexdigit());
    let (radix, digits) = match text.strip_prefix("0x").filter(is_hex) {
        Some(digits) => (16, digits),
        None => (10, text),
    };
    let end = digits
        .find(|c: char| !c.is_digit(radix))
        .unwrap_or(digits.len());
    let (digits, remainder) = digits.split_at(end);
    (u64::from_str_radix(digits, radix).ok(), remainder)
}

/// True if the name means this machine by definition: `localhost` and everything below it.
#[must_use]
pub fn is_loopback(name: &str) -> bool {
    is_within(
        &name.trim_end_matches('.').to_ascii_lowercase(),
        "localhost",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_names_are_never_dialled_in_any_spelling() {
        for name in [
            "metadata.google.internal",
            "METADATA.Google.Internal.",
            "instance-data",
        ] {
            assert_eq!(
                classify(name).map(|c| c.scope),
                Some(AddressScope::Never),
                "{name}"
            );
        }
    }

    #[test]
    fn local_zones_are_private_and_look_alikes_are_not() {
        for name in [
            "localhost",
            "a.localhost",
            "printer.local",
            "x.internal.",
            "nas.home.arpa",
        ] {
            assert_eq!(
                classify(name).map(|c| c.scope),
                Some(AddressScope::Private),
                "{name}"
            );
        }
        for name in [
            "notlocalhost",
            "local.example",
            "metadata.google.internal.example.com",
        ] {
            assert_eq!(classify(name), None, "{name}");
        }
    }

    #[test]
    fn a_name_that_some_reader_takes_for_an_address_is_told() {
        for name in [
            "169.254.169.254x",
            "169.254.169.254-",
            "169.254.169.0xfeg",
            "0251.0376.0251.0376x",
            "168.063.129.016+",
            "169.254.43518x",
            "2852039166x",
            "025177524776x",
            "0xa9fea9fexyz",
            "169.254.169.254.1x",
            "0.0.0.0x",
            "0+",
            "99999999999999999999x",
        ] {
            assert!(is_almost_an_address(name), "{name}");
        }
        for name in [
            "3com",
            "1password",
            "10gateway",
            "0host",
            "a.1x",
            "x",
            "169.254.169.254.nip.io",
            "1.2.3.4.in-addr.arpa",
            "8.8.8.8.xn--p1ai",
        ] {
            assert!(!is_almost_an_address(name), "{name}");
        }
    }

    #[test]
    fn a_name_that_windows_takes_for_an_address_is_that_address() {
        for (name, scope) in [
            ("fe80--1.ipv6-literal.net", Some(AddressScope::Never)),
            ("fe80--1s4.ipv6-literal.net.", Some(AddressScope::Never)),
            (
                "--ffff-a9fe-a9fe.ipv6-literal.net",
                Some(AddressScope::Never),
            ),
            ("--1.ipv6-literal.net", Some(AddressScope::Private)),
            ("x.ipv6-literal.net", None),
        ] {
            assert_eq!(classify(name).map(|c| c.scope), scope, "{name}");
        }
    }

    #[test]
    fn metadata_has_a_name_in_each_zone() {
        for name in [
            "instance-data.eu-west-1.compute.internal",
            "metadata.cloud.ibm.com",
        ] {
            assert_eq!(
                classify(name).map(|c| c.scope),
                Some(AddressScope::Never),
                "{name}"
            );
        }
    }
}
