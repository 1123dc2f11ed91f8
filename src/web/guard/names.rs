//! Names that are known for what they point to, whatever a resolver says about them.
//!
//! Metadata names come from the clouds' own documentation; special-use names from RFC 6761
//! (`localhost`), RFC 6762 (`local`), RFC 8375 (`home.arpa`) and ICANN's reservation of `internal`.

use super::class::{Class, Reach};

const METADATA: &[&str] = &[
    "metadata",
    "metadata.google.internal",
    "metadata.goog",
    "metadata.azure.internal",
    "metadata.azure.com",
    "metadata.tencentyun.com",
    "metadata.packet.net",
    "metadata.platformequinix.com",
    "instance-data",
    "instance-data.ec2.internal",
    "rancher-metadata",
    "rancher-metadata.rancher.internal",
];

const LOCAL_ZONES: &[&str] = &["localhost", "local", "internal", "home.arpa"];

/// Whether `name` is `zone` or inside it; both in lower case, `name` without a final dot.
fn within(name: &str, zone: &str) -> bool {
    name.strip_suffix(zone)
        .is_some_and(|head| head.is_empty() || head.ends_with('.'))
}

/// What the name alone tells; `None` where only its addresses can.
///
/// `name` is a host as a URL parser normalised it, final dots allowed.
#[must_use]
pub fn classify(name: &str) -> Option<Class> {
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    if METADATA.contains(&name.as_str()) {
        return Some(Class {
            reach: Reach::Never,
            kind: "cloud metadata",
        });
    }
    if LOCAL_ZONES.iter().any(|zone| within(&name, zone)) {
        let kind = if is_loopback(&name) {
            "loopback"
        } else {
            "private"
        };
        return Some(Class {
            reach: Reach::Private,
            kind,
        });
    }
    None
}

/// Whether the name means this machine by definition: `localhost` and everything below it.
#[must_use]
pub fn is_loopback(name: &str) -> bool {
    within(
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
                classify(name).map(|c| c.reach),
                Some(Reach::Never),
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
                classify(name).map(|c| c.reach),
                Some(Reach::Private),
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
}
