//! What of `/etc` may be read: by an ordinary user all that the kernel lets that user read; by
//! root, whom it lets read the passwords and keys there as well, the entries that programs read
//! which do not administer the machine, if everybody may read them.
//!
//! Landlock knows no exceptions, so for root each entry is allowed for itself, at 5 µs an entry. All
//! that everybody may read would be the simpler rule, but looking for that in all of `/etc` takes
//! more than half as long as a whole confined call, and allowing each entry of its first level a
//! sixth. So an entry is on the list only if programs fail or ask for it without it.

use std::ffi::CStr;
use std::os::unix::ffi::OsStrExt;

use landlock::{AccessFs, BitFlags};
use rustix::fs::{FileType, Mode, OFlags, RawDir, fstat, openat};

use super::places::Place;
use super::ruleset;

/// Entries of `/etc` that programs read, in order.
const READ_BY_PROGRAMS: [&str; 93] = [
    "OpenCL",
    "R",
    "alsa",
    "ant",
    "apk",
    "bash.bashrc",
    "bashrc",
    "bazel.bazelrc",
    "ca-certificates",
    "ccache.conf",
    "chromium",
    "chromium.d",
    "clang",
    "conda",
    "crypto-policies",
    "dotnet",
    "dpkg",
    "emacs",
    "fish",
    "fonts",
    "gdb",
    "ghostscript",
    "gitattributes",
    "gitconfig",
    "glvnd",
    "gnupg",
    "gnutls",
    "gradle",
    "groff",
    "group",
    "host.conf",
    "hostname",
    "hosts",
    "inputrc",
    "ipython",
    "julia",
    "jupyter",
    "krb5.conf",
    "krb5.conf.d",
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "ld.so.preload",
    "libreoffice",
    "locale.alias",
    "locale.conf",
    "localtime",
    "luarocks",
    "lynx",
    "machine-id",
    "magic",
    "magic.mime",
    "mailcap",
    "manpath.config",
    "maven",
    "mercurial",
    "mime.types",
    "mono",
    "my.cnf",
    "nanorc",
    "npmrc",
    "nsswitch.conf",
    "ocaml",
    "octave.conf",
    "odbc.ini",
    "odbcinst.ini",
    "passwd",
    "perl",
    "pip.conf",
    "pkcs11",
    "profile",
    "profile.d",
    "protocols",
    "rpm",
    "sbt",
    "screenrc",
    "services",
    "shells",
    "stack",
    "terminfo",
    "texmf",
    "timezone",
    "tmux.conf",
    "valgrind",
    "vim",
    "vulkan",
    "wgetrc",
    "xattr.conf",
    "xdg",
    "xml",
    "yarnrc",
    "zsh",
    "zshrc",
];

/// How the names of others begin, most of which have their version in it.
const BEGINNINGS: [&str; 8] = [
    "ImageMagick-",
    "csh.",
    "java",
    "jvm",
    "ld-musl-",
    "php",
    "python",
    "ruby",
];

/// How the names end of those that say which system this is.
const ENDINGS: [&str; 2] = ["release", "version"];

/// Others in directories that hold keys as well.
const BESIDE_KEYS: [&CStr; 13] = [
    c"apt/apt.conf.d",
    c"apt/sources.list.d",
    c"default/locale",
    c"nginx/mime.types",
    c"nix/nix.conf",
    c"pki/ca-trust",
    c"pki/tls/cert.pem",
    c"pki/tls/certs",
    c"pki/tls/openssl.cnf",
    c"ssh/ssh_config",
    c"ssh/ssh_config.d",
    c"ssh/ssh_known_hosts",
    c"ssl/openssl.cnf",
];

/// What may be read of the directory `etc`, and how.
pub fn readable(etc: Place) -> Vec<(Place, BitFlags<AccessFs>)> {
    if !rustix::process::geteuid().is_root() {
        return vec![(etc, ruleset::to_read())];
    }
    let mut parts = Vec::with_capacity(64);
    let mut add = |name: &CStr| {
        let place = open_public(&etc, name);
        parts.extend(place.map(|place| (place, ruleset::to_read())));
    };
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    // Where it cannot be listed, nothing of it is allowed.
    if let Ok(list) = openat(&etc.fd, c".", flags, Mode::empty()) {
        let mut buffer = Vec::with_capacity(16_384);
        let mut entries = RawDir::new(list, buffer.spare_capacity_mut());
        while let Some(Ok(entry)) = entries.next() {
            // A link is what it leads to.
            if entry.file_type() != FileType::Symlink && is_read_by_programs(entry.file_name()) {
                add(entry.file_name());
            }
        }
        BESIDE_KEYS.into_iter().for_each(add);
    }
    // Names alone are no secret.
    parts.push((etc, AccessFs::ReadDir.into()));
    parts
}

fn is_read_by_programs(name: &CStr) -> bool {
    let name = name.to_bytes();
    let listed = READ_BY_PROGRAMS.binary_search_by(|one| one.as_bytes().cmp(name));
    listed.is_ok()
        || BEGINNINGS
            .iter()
            .any(|one| name.starts_with(one.as_bytes()))
        || ENDINGS.iter().any(|one| name.ends_with(one.as_bytes()))
}

/// Opens what lies there if everybody may read it.
fn open_public(etc: &Place, name: &CStr) -> Option<Place> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let fd = openat(&etc.fd, name, flags, Mode::empty()).ok()?;
    let mode = fstat(&fd).ok()?.st_mode;
    let kind = FileType::from_raw_mode(mode);
    let is_public = Mode::from_raw_mode(mode).contains(Mode::ROTH);
    (is_public && kind != FileType::Symlink).then(|| Place {
        path: etc.path.join(std::ffi::OsStr::from_bytes(name.to_bytes())),
        fd,
        is_directory: kind == FileType::Directory,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_found_by_their_names() {
        assert!(READ_BY_PROGRAMS.is_sorted());
        for name in [
            c"passwd",
            c"python3.11",
            c"java-21-openjdk",
            c"R",
            c"zshrc",
            c"os-release",
        ] {
            assert!(is_read_by_programs(name), "{name:?}");
        }
        for name in [c"shadow", c"passwd-", c"sudoers", c"krb5.keytab", c""] {
            assert!(!is_read_by_programs(name), "{name:?}");
        }
    }
}
