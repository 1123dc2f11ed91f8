#!/usr/bin/env python3
"""Writes the character classes of C.UTF-8, as this machine's C library has them.

    python3 crates/search/src/classes/generate.py

It asks isw*() of glibc about every character, and writes a file `<class>.bin` for each of nine
classes and the library's version into `glibc.txt`, all beside this script. Three classes follow
from these nine, which is checked here.
"""

import ctypes
import pathlib
import sys

LC_ALL = 6
WRITTEN = ["alpha", "blank", "cntrl", "digit", "graph", "lower", "space", "upper", "xdigit"]
DERIVED = ["alnum", "print", "punct"]

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


sets = {name: members(name) for name in WRITTEN + DERIVED}
assert sets["alnum"] == sets["alpha"] | sets["digit"]
assert sets["punct"] == sets["graph"] - sets["alnum"]
assert sets["print"] == sets["graph"] | sets["space"] - sets["cntrl"]

here = pathlib.Path(__file__).parent
for name in WRITTEN:
    (here / (name + ".bin")).write_bytes(bytes(encoded(sets[name])))
(here / "glibc.txt").write_text(version)
