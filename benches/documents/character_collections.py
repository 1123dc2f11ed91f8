#!/usr/bin/env python3
"""Writes crates/pdf/src/font/{japan1,gb1,cns1,korea1}.bin: the text of each glyph of Adobe's character collections.

Run in a checkout of https://github.com/adobe-type-tools/mapping-resources-pdf (BSD 3-Clause; its licence is in
packaging/licences/adobe.txt), with the directory of the files to write:

    character_collections.py MAPPING-RESOURCES-PDF/pdf2unicode crates/pdf/src/font

Each file is a zlib stream of numbers in LEB128, for the glyphs 0, 1, 2…: 1, if it has no text; else by how much its
character is beyond the one before, zigzag, plus 2. A 0 says that the next number is one more character of the same glyph.
Selectors of variants are left out.
"""
import pathlib
import re
import sys
import zlib


def read(text):
    """Returns the text of each glyph."""
    texts = {}
    pair, triple = (re.compile(r"\s+".join([r"<([0-9a-fA-F]+)>"] * count)) for count in (2, 3))
    decode = lambda digits: bytes.fromhex(digits).decode("utf-16-be")
    for block in re.findall(r"beginbfchar(.*?)endbfchar", text, re.DOTALL):
        for glyph, chars in pair.findall(block):
            texts[int(glyph, 16)] = decode(chars)
    for block in re.findall(r"beginbfrange(.*?)endbfrange", text, re.DOTALL):
        for first, last, chars in triple.findall(block):
            chars = decode(chars)
            for more, glyph in enumerate(range(int(first, 16), int(last, 16) + 1)):
                texts[glyph] = chars[:-1] + chr(ord(chars[-1]) + more)
    return texts


def numbers(texts):
    before = 0
    for glyph in range(max(texts) + 1):
        chars = re.sub("[\ufe00-\ufe0f\U000e0100-\U000e01ef\ufffd]", "", texts.get(glyph, ""))
        if not chars:
            yield 1
        for at, char in enumerate(chars):
            if at:
                yield 0
            by, before = ord(char) - before, ord(char)
            yield (by * 2 if by >= 0 else -by * 2 - 1) + 2


def leb128(number):
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


if __name__ == "__main__":
    source, target = map(pathlib.Path, sys.argv[1:])
    for name in "Japan1", "GB1", "CNS1", "Korea1":
        texts = read((source / f"Adobe-{name}-UCS2").read_text())
        packed = zlib.compress(b"".join(map(leb128, numbers(texts))), 9)
        (target / f"{name.lower()}.bin").write_bytes(packed)
        print(name, max(texts) + 1, "glyphs", len(packed), "bytes")
