#!/usr/bin/env python3
"""Writes table.rs: the character classes of C.UTF-8, as this machine's C library has them.

    python3 src/search/classes/generate.py >src/search/classes/table.rs

It asks isw*() of glibc about every character. Four classes are written down; the others follow from
them and from ASCII, which is checked here.
"""

import ctypes
import sys

LC_ALL = 6
WRITTEN = ["alpha", "graph", "lower", "upper"]
SMALL = ["blank", "cntrl", "digit", "space", "xdigit"]

libc = ctypes.CDLL(None)
libc.setlocale.restype = ctypes.c_char_p
libc.gnu_get_libc_version.restype = ctypes.c_char_p
if libc.setlocale(LC_ALL, b"C.UTF-8") is None:
    sys.exit("generate.py: this machine has no locale C.UTF-8")
version = libc.gnu_get_libc_version().decode()


def members(name):
    ask = getattr(libc, "isw" + name)
    ask.argtypes = [ctypes.c_uint]
    return {c for c in range(0x110000) if not 0xD800 <= c < 0xE000 and ask(c)}


def ranges(characters):
    found = []
    for c in sorted(characters):
        if found and found[-1][1] == c - 1:
            found[-1][1] = c
        else:
            found.append([c, c])
    return found


def encoded(characters):
    """Each range as its distance from the one before and its length, in sevens of bits, low first."""
    out, end = [], 0
    for first, last in ranges(characters):
        for number in (first - end, last - first):
            while number >= 0x80:
                out.append(number & 0x7F | 0x80)
                number >>= 7
            out.append(number)
        end = last
    return out


sets = {name: members(name) for name in WRITTEN + SMALL + ["alnum", "print", "punct"]}
assert sets["alnum"] == sets["alpha"] | sets["digit"]
assert sets["punct"] == sets["graph"] - sets["alnum"]
assert sets["print"] == sets["graph"] | sets["space"] - sets["cntrl"]

print("//! The character classes of C.UTF-8 in glibc %s. Written by `generate.py`; do not edit." % version)
print()
print("/// The version of the C library that was asked.")
print("#[cfg(test)]")
print('pub const GLIBC: &str = "%s";' % version)
for name in SMALL:
    print("#[rustfmt::skip]")
    print("pub const %s: &[(char, char)] = &[" % name.upper())
    for first, last in ranges(sets[name]):
        print("    ('\\u{%x}', '\\u{%x}')," % (first, last))
    print("];")
for name in WRITTEN:
    print("#[rustfmt::skip]")
    print("pub const %s: &[u8] = &[" % name.upper())
    line = "   "
    for byte in encoded(sets[name]):
        if len(line) > 95:
            print(line)
            line = "   "
        line += " %d," % byte
    print(line)
    print("];")
