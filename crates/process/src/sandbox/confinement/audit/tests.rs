//! Records as a kernel wrote them, and what they tell.

use super::*;

/// Records as a kernel told them.
const TOLD: [(u16, &str); 15] = [
    (
        ACCESS,
        r#"audit(1795382627.278:8): domain=1531a5f8d blockers=fs.read_file path="/tmp/told/out/secret" dev="vda" ino=10477588"#,
    ),
    (
        DOMAIN,
        r#"audit(1795382627.278:8): domain=1531a5f8d status=allocated mode=enforcing pid=20767 uid=0 exe="/tmp/told/confine" comm="confine""#,
    ),
    (
        1300,
        r#"audit(1795382627.278:8): arch=c000003e syscall=257 success=no exit=-13 a0=ffffff9c ppid=20767 pid=20768 comm="cat" exe="/usr/bin/cat" key=(null)"#,
    ),
    (1320, "audit(1795382627.278:8): "),
    (
        ACCESS,
        r#"audit(1795382627.278:9): domain=1531a5f8d blockers=fs.read_file path=2F746D702F746F6C642F6F75742F7769746820626C616E6B dev="vda" ino=10477693"#,
    ),
    (
        ACCESS,
        r#"audit(1795382627.278:10): domain=1531a5f8d blockers=fs.execute,fs.read_file path="/root/.cargo/bin/rustup" dev="vda" ino=1251"#,
    ),
    (
        ACCESS,
        r#"audit(1795382627.278:11): domain=1531a5f8d blockers=fs.execute,fs.read_file path="/root/.cargo/bin/rustup" dev="vda" ino=1251"#,
    ),
    (
        ACCESS,
        r#"audit(1795382627.278:12): domain=1531a5f8d blockers=fs.make_reg path="/tmp/told/out" dev="vda" ino=10477587"#,
    ),
    (
        ACCESS,
        r#"audit(1795382627.294:17): domain=1531a5f8d blockers=scope.signal opid=1 ocomm="process_api""#,
    ),
    (
        ACCESS,
        r#"audit(1795382627.294:19): domain=1531a5f8d blockers=fs.read_file path="/tmp/told/out/it's" dev="vda" ino=10477694"#,
    ),
    (
        ACCESS,
        r#"audit(1795382627.298:20): domain=1531a5f8d blockers=fs.write_file path="/tmp/told/out/secret" dev="vda" ino=10477588"#,
    ),
    (
        ACCESS,
        r#"audit(1795382627.298:21): domain=1531a5f8d blockers=fs.change_topology path="/tmp/told/root" dev="vda" ino=10477584"#,
    ),
    (
        1305,
        "audit(1795382627.362:23): op=set audit_enabled=0 old=1 auid=4294967295 ses=4294967295 \
         res=1",
    ),
    (
        ACCESS,
        "audit(1795382627.466:24): domain=1531a5f95 blockers=net.connect_tcp daddr=127.0.0.1 \
         dest=9",
    ),
    (
        DOMAIN,
        r#"audit(1795382627.466:24): domain=1531a5f95 status=allocated mode=enforcing pid=20785 uid=0 exe="/tmp/told/confine" comm="confine""#,
    ),
];

fn message(kind: u16, text: &str) -> Vec<u8> {
    let mut message = vec![0; HEADER_BYTES];
    message[4..6].copy_from_slice(&kind.to_ne_bytes());
    message.extend_from_slice(text.as_bytes());
    message
}

#[test]
fn records_tell_what_was_refused_to_which_process() {
    let heard = || {
        let mut records = AuditRecords::default();
        for (kind, text) in TOLD {
            records.read_message(&message(kind, text));
        }
        records
    };
    let file = |path: &str, right, concerns_name| KernelDenial::File {
        path: path.into(),
        right,
        concerns_name,
    };
    let told = [
        file("/tmp/told/out/secret", AccessRight::Read, false),
        file("/tmp/told/out/with blank", AccessRight::Read, false),
        file("/root/.cargo/bin/rustup", AccessRight::Execute, false),
        file("/tmp/told/out", AccessRight::Write, true),
        KernelDenial::Signal,
        file("/tmp/told/out/it's", AccessRight::Read, false),
        file("/tmp/told/out/secret", AccessRight::Write, false),
        KernelDenial::Mount,
    ];
    assert_eq!(heard().of_process(20767), told);
    assert_eq!(heard().of_process(20785), [KernelDenial::Network]);
    assert_eq!(heard().of_process(1), []);
}

#[test]
fn broken_records_tell_nothing() {
    let mut records = AuditRecords::default();
    for text in [
        "",
        "domain=",
        "domain=1 blockers=",
        "domain=1 blockers=fs.read_file",
        "domain=1 blockers=fs.read_file path=\"/x",
        "domain=1 blockers=fs.read_file path=2",
        "domain=1 blockers=fs.read_file path=zz",
        "domain=1 blockers=fs.read_file path=relative",
        "domain=1 blockers=fs.of_the_future path=\"/x\"",
    ] {
        records.read_message(&message(ACCESS, text));
    }
    records.read_message(&message(DOMAIN, "domain=1 pid=7"));
    records.read_message(&message(DOMAIN, "domain=1 pid=x"));
    records.read_message(b"short");
    assert_eq!(records.of_process(7), []);
}

#[test]
fn the_kernel_says_whether_it_tells_anything() {
    for enabled in [0_u32, 1, 2] {
        let mut records = AuditRecords::default();
        let mut answer = message(STATUS, "");
        answer.extend([0; 4]);
        answer.extend(enabled.to_ne_bytes());
        records.read_message(&answer);
        assert_eq!(records.enabled, Some(enabled != 0));
    }
}
