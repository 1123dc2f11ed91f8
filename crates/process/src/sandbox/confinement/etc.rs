//! The part of `/etc` that a command may read. An ordinary user's command reads everything that the
//! kernel lets that user read. Root's, which could read passwords and keys as well, reads the
//! entries that programs need which do not administer the machine, if everybody may read these.
//!
//! Landlock knows no exceptions, so each entry is allowed by itself, a directory with all below it,
//! at 5 µs an entry. To allow everything that everybody may read would be simpler, but looking for
//! that in all of `/etc` takes more than half as long as a complete confined call, and allowing
//! each entry of its first level a sixth. So an entry is listed only if programs fail without it.

use std::ffi::CStr;
use std::os::unix::ffi::OsStrExt;

use landlock::{AccessFs, BitFlags};
use rustix::fs::{FileType, Mode, OFlags, RawDir, fstat, openat};

use super::opened_path::OpenedPath;
use super::ruleset;

/// Entries of `/etc` that programs read, in order.
const READ_BY_PROGRAMS: &str = "\
    OpenCL R alsa ant apk bash.bashrc bashrc bazel.bazelrc ca-certificates ccache.conf chromium \
     chromium.d clang conda crypto-policies dotnet dpkg emacs fish fonts gdb ghostscript \
     gitattributes gitconfig glvnd gnutls gradle groff group host.conf hostname hosts inputrc \
     ipython julia jupyter krb5.conf krb5.conf.d ld.so.cache ld.so.conf ld.so.conf.d \
     ld.so.preload libreoffice locale.alias locale.conf localtime luarocks lynx machine-id magic \
     magic.mime mailcap manpath.config maven mercurial mime.types mono my.cnf nanorc npmrc \
     nsswitch.conf ocaml octave.conf odbc.ini odbcinst.ini passwd perl pip.conf pkcs11 profile \
     profile.d protocols rpm sbt screenrc services shells stack terminfo texmf timezone tmux.conf \
     valgrind vim vulkan wgetrc xattr.conf xdg xml yarnrc zsh zshrc";

/// Beginnings of the names of others, most of which hold a version.
const BEGINNINGS: &str = "ImageMagick- csh. java jvm ld-musl- python ruby";

/// Ends of the names of files that say which system this is.
const ENDINGS: [&str; 2] = ["release", "version"];

/// Others in directories that hold keys as well.
const FILES_NEXT_TO_KEYS: [&CStr; 11] = [
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

/// The parts of the directory `etc` that may be read, with the rights.
pub fn readable(etc: OpenedPath) -> Vec<(OpenedPath, BitFlags<AccessFs>)> {
    if !rustix::process::geteuid().is_root() {
        return vec![(etc, ruleset::to_read())];
    }
    let mut parts = Vec::with_capacity(64);
    let mut add = |name: &CStr| {
        let place = open_public(&etc, name);
        parts.extend(place.map(|place| (place, ruleset::to_read())));
    };
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    // If it cannot be listed, none of its entries is allowed.
    if let Ok(list) = openat(&etc.fd, c".", flags, Mode::empty()) {
        let mut buffer = Vec::with_capacity(16_384);
        let mut entries = RawDir::new(list, buffer.spare_capacity_mut());
        while let Some(Ok(entry)) = entries.next() {
            // A link counts as its target.
            if entry.file_type() != FileType::Symlink && is_read_by_programs(entry.file_name()) {
                add(entry.file_name());
            }
        }
        FILES_NEXT_TO_KEYS.into_iter().for_each(add);
    }
    // Mere names are not secret.
    parts.push((etc, AccessFs::ReadDir.into()));
    parts
}

fn is_read_by_programs(name: &CStr) -> bool {
    let name = name.to_bytes();
    let mut beginnings = BEGINNINGS.split(' ');
    READ_BY_PROGRAMS
        .split(' ')
        .any(|one| one.as_bytes() == name)
        || beginnings.any(|one| name.starts_with(one.as_bytes()))
        || ENDINGS.iter().any(|one| name.ends_with(one.as_bytes()))
}

/// Opens the file if everybody may read it.
fn open_public(etc: &OpenedPath, name: &CStr) -> Option<OpenedPath> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let fd = openat(&etc.fd, name, flags, Mode::empty()).ok()?;
    let mode = fstat(&fd).ok()?.st_mode;
    let kind = FileType::from_raw_mode(mode);
    let is_public = Mode::from_raw_mode(mode).contains(Mode::ROTH);
    (is_public && kind != FileType::Symlink).then(|| OpenedPath {
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
        assert!(READ_BY_PROGRAMS.split(' ').is_sorted());
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
