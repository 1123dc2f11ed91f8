//! The address guard. It alone makes a [`CheckedAddr`] and a [`HopTarget`]: only the first can be
//! dialled, and only the second can be requested.
//!
//! The rules, hop by hop:
//!
//! 1. Link-local, cloud metadata, unspecified, multicast, broadcast and reserved addresses are
//!    always refused, even if the caller named them, in every spelling and embedding.
//! 2. Loopback and private addresses are reached only under the host that the caller itself named.
//!    A redirect may stay on that host (any port, so that a development server can send its visitor
//!    there), and between the spellings of this machine: `localhost`, `127.0.0.1`, `[::1]`.
//! 3. Once a hop has been to a public address, or to one that only a proxy knows, everything
//!    private is refused for the rest of the call, the host first named included: a name that
//!    changes its address between two hops gains nothing.
//! 4. The other special-use ranges are refused where they are written out. A name that resolves to
//!    a benchmarking or documentation address is a public one: a local proxy hands such addresses
//!    out in place of the real ones (fake-IP DNS).
//! 5. What only a search has found is nobody's request: of private addresses it reaches the
//!    provider's own host and port alone, unless the operator says otherwise
//!    (`ALLOW_PRIVATE_VARIABLE`).
//! 6. If a process is restricted to public addresses ([`restrict_to_public_addresses`]), nothing is
//!    allowed by the second rule. An address that the operator configured (a service's
//!    endpoint) is exempt.
//!
//! A host is resolved once a hop; the addresses that passed are the ones that are connected to.

use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use url::{Host, Url};

pub mod class;
pub mod names;
pub(crate) mod target;

use class::{AddressClass, AddressScope};
pub(crate) use target::BadHost;
pub use target::{HopTarget, host_of, normalize_host};

/// The variable that, set to 1, has private addresses fetched that a search has found.
pub(crate) const ALLOW_PRIVATE_VARIABLE: &str = "IKIGAI_ALLOW_PRIVATE";

/// True if this process fetches public addresses only.
static PUBLIC_ONLY: AtomicBool = AtomicBool::new(false);

/// Restricts this process to public addresses for the rest of its life, even if a caller names
/// others.
pub fn restrict_to_public_addresses() {
    PUBLIC_ONLY.store(true, Ordering::Relaxed);
}

/// True if the operator has private addresses fetched that a search has found.
fn allows_found_private() -> bool {
    std::env::var(ALLOW_PRIVATE_VARIABLE).is_ok_and(|value| value.trim() == "1")
}

/// True if this process fetches public addresses only.
#[must_use]
pub fn is_restricted_to_public() -> bool {
    PUBLIC_ONLY.load(Ordering::Relaxed)
}

/// An address that the guard has allowed; only the guard creates one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckedAddr {
    addr: SocketAddr,
    scope: AddressScope,
}

impl CheckedAddr {
    /// Returns the address itself, for messages and proxy handshakes.
    #[must_use]
    pub fn socket_addr(&self) -> SocketAddr {
        self.addr
    }

    /// Opens a TCP connection, waiting `timeout` at most; it must not be zero.
    pub fn connect(&self, timeout: Duration) -> io::Result<TcpStream> {
        // The only place in which the web tools open a connection.
        #[allow(clippy::disallowed_methods)]
        TcpStream::connect_timeout(&self.addr, timeout)
    }
}

/// Reason why the guard refused a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GuardError {
    /// The URL has no host that could be judged.
    Host(BadHost),
    /// The host, or an address that it resolves to, must not be reached.
    Address {
        /// Host in the form in which it is judged.
        host: String,
        /// Address that the name resolves to, if that is the reason.
        address: Option<IpAddr>,
        /// Class of the address.
        class: AddressClass,
        /// True if a redirect led there.
        was_redirected: bool,
        /// True if the caller did not name it: a redirect, or what a search has found, led there.
        was_led_to: bool,
        /// True if it is refused because only public addresses are fetched.
        is_public_only: bool,
    },
}

impl From<BadHost> for GuardError {
    fn from(why: BadHost) -> Self {
        Self::Host(why)
    }
}

impl std::error::Error for GuardError {}

impl fmt::Display for GuardError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (host, resolved_address, class, was_redirected, was_led_to, is_public_only) = match self
        {
            Self::Host(why) => return write!(f, "Refused: {why}"),
            Self::Address {
                host,
                address: found,
                class,
                was_redirected,
                was_led_to,
                is_public_only,
            } => (
                host,
                found,
                class,
                *was_redirected,
                *was_led_to,
                *is_public_only,
            ),
        };
        let kind = class.kind;
        let article = if kind.starts_with(['a', 'e', 'i', 'o', 'u']) {
            "an"
        } else {
            "a"
        };
        f.write_str("Refused: ")?;
        if was_redirected {
            f.write_str("a redirect led to ")?;
        }
        match resolved_address {
            Some(ip) if was_redirected => write!(f, "{host} at {ip}, {article} {kind} address")?,
            Some(ip) => write!(f, "{host} resolves to {ip}, {article} {kind} address")?,
            None if was_redirected => write!(f, "{host}, {article} {kind} address")?,
            None => write!(f, "{host} is {article} {kind} address")?,
        }
        f.write_str(match (class.scope, resolved_address) {
            (AddressScope::Private, _) if is_public_only => {
                ", and this server fetches public addresses only"
            }
            (AddressScope::StandIn, _) => {
                ", which is fetched only where a name resolves to it; use the name"
            }
            (AddressScope::Never, None) => ", which is never fetched",
            (AddressScope::Never, Some(_)) => {
                ", which is never fetched. A DNS filter may answer so for a name that it blocks; \
                 if the name is right, look at its DNS entry"
            }
            (AddressScope::Private | AddressScope::Public, _) if was_led_to => {
                "; only a caller may name one. If it is meant, fetch it by its own URL"
            }
            (AddressScope::Private | AddressScope::Public, _) => "",
        })
    }
}

/// The guard of one call, from the URL that the caller named through all its redirects.
#[derive(Clone, Debug)]
pub struct Guard {
    named: Host<String>,
    /// True if every hop so far stayed on the host that the caller named, and was private.
    is_home: bool,
    hops: usize,
    /// True if others, and not the caller, named the first URL.
    is_led: bool,
    /// The only port at which private addresses are reached; `None` for all.
    only_port: Option<u16>,
    /// True if private addresses are refused even if the caller names them.
    is_public_only: bool,
}

impl Guard {
    /// Starts with the URL that the caller named; `None` if it has no host.
    #[must_use]
    pub fn new(named: &Url) -> Option<Self> {
        Some(Self {
            is_public_only: is_restricted_to_public(),
            ..Self::of_service(named)?
        })
    }

    /// Starts with the address of a service, which was configured and not named by a caller.
    #[must_use]
    pub(crate) fn of_service(named: &Url) -> Option<Self> {
        Some(Self {
            named: host_of(named).ok()?,
            is_home: true,
            hops: 0,
            is_led: false,
            only_port: None,
            is_public_only: false,
        })
    }

    /// Starts with a URL to which the page at `leading` leads, as if that were a redirect.
    #[must_use]
    pub(crate) fn led_by(leading: &Url, next: &Url) -> Option<Self> {
        let mut guard = Self {
            is_led: true,
            ..Self::new(leading)?
        };
        guard.lead_to(&host_of(next).ok()?);
        Some(guard)
    }

    /// Starts with a URL that the provider at `service` has found: of private addresses only its
    /// own is reached, at its own port.
    #[must_use]
    pub(crate) fn found_by(service: &Url, next: &Url) -> Option<Self> {
        if allows_found_private() {
            return Self::new(next);
        }
        Some(Self {
            only_port: service.port_or_known_default(),
            ..Self::led_by(service, next)?
        })
    }

    /// Starts with a URL that somebody else named, who must not lead to a private address.
    #[must_use]
    pub(crate) fn of_public(next: &Url) -> Option<Self> {
        if allows_found_private() {
            return Self::new(next);
        }
        Some(Self {
            is_home: false,
            hops: 1,
            is_led: true,
            ..Self::new(next)?
        })
    }

    /// Like [`new`](Self::new), but refuses all private addresses.
    #[cfg(test)]
    fn refusing_private(named: &Url) -> Option<Self> {
        Some(Self {
            is_public_only: true,
            ..Self::of_service(named)?
        })
    }

    /// Judges a URL's host by itself, before or without a look-up: a literal, or a name that is
    /// known for what it points to. For a target that a proxy will resolve, this is the only check.
    pub fn check_url(&self, url: &Url) -> Result<HopTarget, GuardError> {
        let target = HopTarget::from_url(url)?;
        if let Some(class) = class_of(target.host()) {
            let port = url.port_or_known_default();
            self.judge(target.host(), port, class, None)?;
        }
        Ok(target)
    }

    /// Returns those of a target's addresses that may be dialled, in their order.
    ///
    /// The others are left out; if none remains, the error is the first one's. A host without any
    /// address gives an empty list.
    pub fn check(
        &self,
        target: &HopTarget,
        addresses: &[SocketAddr],
    ) -> Result<Vec<CheckedAddr>, GuardError> {
        let host = target.host();
        let mut passed = Vec::with_capacity(addresses.len());
        let mut refused = None;
        for &addr in addresses {
            let class = class_behind(host, addr.ip());
            let by_name = matches!(host, Host::Domain(_)).then_some(addr.ip());
            match self.judge(host, Some(addr.port()), class, by_name) {
                Ok(()) => passed.push(CheckedAddr {
                    addr,
                    scope: class.scope,
                }),
                Err(refusal) => refused = refused.or(Some(refusal)),
            }
        }
        match refused {
            Some(refusal) if passed.is_empty() => Err(refusal),
            _ => Ok(passed),
        }
    }

    /// Moves from the hop that answered to the host of its redirect. `been` holds the addresses
    /// that were checked for that hop; it is empty if a proxy resolved them.
    pub fn follow(&mut self, from: &HopTarget, been: &[CheckedAddr], next: &Host<String>) {
        self.arrive(from, been);
        self.lead_to(next);
    }

    /// Moves from the page at which it arrived to the host to which that page leads.
    pub(crate) fn lead_to(&mut self, next: &Host<String>) {
        self.is_home = self.is_home && same_host(&self.named, next);
        self.hops += 1;
    }

    /// Stays at the hop that answered, whose page may request more. `been` is as for
    /// [`follow`](Self::follow).
    pub(crate) fn arrive(&mut self, hop: &HopTarget, been: &[CheckedAddr]) {
        let was_private = if been.is_empty() {
            class_of(hop.host()).is_some_and(|class| class.scope == AddressScope::Private)
        } else {
            been.iter().all(|addr| addr.scope == AddressScope::Private)
        };
        self.is_home = self.is_home && was_private;
    }

    fn judge(
        &self,
        host: &Host<String>,
        port: Option<u16>,
        class: AddressClass,
        resolved: Option<IpAddr>,
    ) -> Result<(), GuardError> {
        let is_port = self.only_port.is_none() || self.only_port == port;
        let allowed = match class.scope {
            AddressScope::Public => true,
            AddressScope::Private => {
                !self.is_public_only && self.is_home && is_port && same_host(&self.named, host)
            }
            AddressScope::StandIn | AddressScope::Never => false,
        };
        if allowed {
            return Ok(());
        }
        Err(GuardError::Address {
            host: host.to_string(),
            address: resolved,
            class,
            was_redirected: self.hops > usize::from(self.is_led),
            was_led_to: self.hops > 0,
            is_public_only: self.is_public_only,
        })
    }
}

/// Checks the addresses of a proxy, which the environment named: private ones are allowed, those
/// that are never allowed are refused here as well.
pub(crate) fn check_proxy(
    host: &Host<String>,
    addresses: &[SocketAddr],
) -> Result<Vec<CheckedAddr>, GuardError> {
    let mut passed = Vec::with_capacity(addresses.len());
    for &addr in addresses {
        let class = class_behind(host, addr.ip());
        if matches!(class.scope, AddressScope::StandIn | AddressScope::Never) {
            return Err(GuardError::Address {
                host: format!("the proxy {host}"),
                address: matches!(host, Host::Domain(_)).then_some(addr.ip()),
                class,
                was_redirected: false,
                was_led_to: false,
                is_public_only: false,
            });
        }
        passed.push(CheckedAddr {
            addr,
            scope: class.scope,
        });
    }
    Ok(passed)
}

/// Returns the class of an address that was resolved for a host: a stand-in address of a name is
/// public.
fn class_behind(host: &Host<String>, ip: IpAddr) -> AddressClass {
    let class = class::classify(ip);
    if class.scope == AddressScope::StandIn && matches!(host, Host::Domain(_)) {
        return AddressClass {
            scope: AddressScope::Public,
            ..class
        };
    }
    class
}

/// Returns the class of a host by itself; `None` if only its addresses decide.
#[must_use]
pub(crate) fn class_of(host: &Host<String>) -> Option<AddressClass> {
    match host {
        Host::Ipv4(ip) => Some(class::classify(IpAddr::V4(*ip))),
        Host::Ipv6(ip) => Some(class::classify(IpAddr::V6(*ip))),
        Host::Domain(name) => names::classify(name),
    }
}

fn same_host(a: &Host<String>, b: &Host<String>) -> bool {
    a == b || (is_this_machine(a) && is_this_machine(b))
}

/// True if the spelling itself means this machine; the addresses that a name resolves to play no
/// part.
fn is_this_machine(host: &Host<String>) -> bool {
    match host {
        Host::Domain(name) => names::is_loopback(name),
        Host::Ipv4(ip) => ip.is_loopback(),
        Host::Ipv6(ip) => {
            ip.is_loopback() || ip.to_ipv4_mapped().is_some_and(|v4| v4.is_loopback())
        }
    }
}

#[cfg(test)]
#[path = "guard/guard_tests.rs"]
mod tests;
