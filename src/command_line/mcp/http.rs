//! The flags of `mcp --http`: the server's address, its users, and their limits.

use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::path::PathBuf;

use clap::builder::{StringValueParser, TypedValueParser};
use clap::{Arg, ArgAction, ArgMatches, ValueHint, value_parser};

use iki_mcp::options::HttpOptions;

/// The flag that all the others need.
const HTTP: &str = "http";

/// The default of [`HttpOptions::calls_per_second`].
const CALLS_PER_SECOND: &str = "5000";

/// The default of [`HttpOptions::calls_at_once`].
const CALLS_AT_ONCE: &str = "256";

/// The flags.
pub fn flags() -> Vec<Arg> {
    let with_http = |name: &'static str| Arg::new(name).long(name).requires(HTTP);
    let switch = |name: &'static str| with_http(name).action(ArgAction::SetTrue);
    let file = |name: &'static str| {
        with_http(name)
            .value_name("FILE")
            .value_hint(ValueHint::FilePath)
            .value_parser(value_parser!(PathBuf))
    };
    let number = |name: &'static str, usual: &'static str| {
        with_http(name)
            .value_name("N")
            .value_parser(value_parser!(NonZeroU32))
            .default_value(usual)
            .hide_default_value(true)
    };
    vec![
        Arg::new(HTTP)
            .long(HTTP)
            .value_name("ADDR:PORT")
            .num_args(0..=1)
            .default_missing_value("")
            .value_parser(StringValueParser::new().try_map(|text| address(&text)))
            .help("Serve over HTTP at http://ADDR:PORT/mcp, and not on stdin")
            .long_help(
                "Serve over HTTP at http://ADDR:PORT/mcp, and not on stdin: the set web, and of \
                 research what stdin would get, unless --tools names others; tools of files and \
                 commands only with --root and --tokens. Beyond this machine only with --tokens, \
                 and with --cert and --key or --behind-proxy. IKIGAI_REDIS_URL, with \
                 CACHE_ENCRYPTION_KEY, has several servers share their cache.",
            ),
        file("tokens")
            .help("Let in only clients with a token that FILE lists (see `ikigai-tools token`)"),
        file("cert")
            .requires("key")
            .help("Speak TLS with this certificate chain, in PEM"),
        file("key")
            .requires("cert")
            .help("The key of --cert, in PEM"),
        switch("behind-proxy").help("A proxy in front of this server does TLS"),
        with_http("allowed-host")
            .value_name("NAME")
            .action(ArgAction::Append)
            .value_hint(ValueHint::Hostname)
            .value_parser(StringValueParser::new().try_map(host))
            .help("Answer to this name as well, HOST or HOST:PORT; repeatable"),
        switch("sessions").help("Let clients have sessions, for cancelling and resuming calls"),
        number("calls-per-second", CALLS_PER_SECOND)
            .help("Let each token make this many calls a second (default 5000)"),
        number("calls-at-once", CALLS_AT_ONCE)
            .help("Let each token have this many calls at once (default 256)"),
        switch("allow-private").help("Let private and loopback addresses be fetched"),
        with_http("log")
            .value_name("FORM")
            .value_parser(["json"])
            .help("Log each call on stderr, as a line of JSON"),
        switch("log-arguments")
            .requires("log")
            .help("Log as well what each call asked for"),
    ]
}

/// Reads the flags; `None` without HTTP.
///
/// # Errors
/// A sentence that names what such a server lacks.
pub fn read(matches: &ArgMatches) -> Result<Option<HttpOptions>, String> {
    let Some(address) = matches.get_one::<SocketAddr>(HTTP).copied() else {
        return Ok(None);
    };
    let file = |name| matches.get_one::<PathBuf>(name).cloned();
    let number = |name| matches.get_one::<NonZeroU32>(name).copied();
    let hosts = matches.get_many::<String>("allowed-host");
    let http = HttpOptions {
        address,
        offers_sessions: matches.get_flag("sessions"),
        tokens: file("tokens"),
        allowed_hosts: hosts.unwrap_or_default().cloned().collect(),
        certificate: file("cert").zip(file("key")),
        behind_proxy: matches.get_flag("behind-proxy"),
        calls_per_second: number("calls-per-second").unwrap_or(NonZeroU32::MIN),
        calls_at_once: number("calls-at-once").unwrap_or(NonZeroU32::MIN),
        allows_private: matches.get_flag("allow-private"),
        logs_calls: matches.contains_id("log"),
        logs_arguments: matches.get_flag("log-arguments"),
    };
    if !address.ip().is_loopback() {
        if http.tokens.is_none() {
            return Err(format!(
                "{} can be reached from other machines: --http wants --tokens FILE there \
                 (`ikigai-tools token NAME` makes one), or a loopback address such as 127.0.0.1:{}",
                address.ip(),
                address.port()
            ));
        }
        if http.certificate.is_none() && !http.behind_proxy {
            return Err(format!(
                "{} can be reached from other machines, and tokens must not cross a network in \
                 the clear: --http wants --cert FILE and --key FILE there, or --behind-proxy \
                 where a proxy does TLS",
                address.ip()
            ));
        }
    }
    Ok(Some(http))
}

/// An address with a port; the name `localhost` is this machine's.
fn address(text: &str) -> Result<SocketAddr, String> {
    let plain = match text.strip_prefix("localhost:") {
        Some(port) => format!("127.0.0.1:{port}"),
        None => text.to_owned(),
    };
    plain.parse().map_err(|_| {
        "it is an IP address and a port, such as 127.0.0.1:8383, [::1]:8383 or 0.0.0.0:8383"
            .to_owned()
    })
}

/// A host's name, with a port or without.
fn host(name: String) -> Result<String, String> {
    let sound = name
        .parse::<hyper::http::uri::Authority>()
        .is_ok_and(|authority| !authority.host().is_empty() && !name.contains('@'));
    if sound {
        return Ok(name);
    }
    Err("it is a host's name, with a port or without, such as tools.example.org".to_owned())
}
