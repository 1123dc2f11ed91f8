#!/usr/bin/env python3
"""Packs a trained model and its table of words into the files that the program is built with.

pack.py MODEL WORDS NAMES [OLD]

MODEL  LightGBM's text form (binary objective), plain or .gz
WORDS  JSON, {word: score}
NAMES  the first line of the dump (a JSON object with "features"), or a JSON list of the names, in the order of the rows
OLD    a JSON list of the names that the model knows, if it was trained on rows of another order; a feature that the
       rows have no more is taken to be 0

Writes src/document/html/main/model.bin and words.txt of the tree in which it stands."""
import gzip
import json
import math
import struct
import sys
from pathlib import Path

OUT = Path(__file__).resolve().parents[2] / "src/document/html/main"


def text(path):
    data = Path(path).read_bytes()
    return (gzip.decompress(data) if path.endswith(".gz") else data).decode()


def limit(value):
    """The largest f32 that is not above a limit: rows are f32, so that comparing with it comes to the same."""
    if value >= 3.4e38:
        return 3.4e38
    single = struct.unpack("<f", struct.pack("<f", value))[0]
    if single > value:
        bits = struct.unpack("<i", struct.pack("<f", single))[0]
        if single == 0:
            return struct.unpack("<f", struct.pack("<i", -2147483647))[0]
        single = struct.unpack("<f", struct.pack("<i", bits - 1 if single > 0 else bits + 1))[0]
    return single


def tree(section, places):
    get = lambda name, kind: [kind(x) for x in section.get(name, "").split()]
    features, limits = get("split_feature", int), get("threshold", float)
    left, right, leaves = get("left_child", int), get("right_child", int), get("leaf_value", float)
    if section.get("num_cat", "0") != "0" or any(x & 1 for x in get("decision_type", int)):
        sys.exit("a fork by category: not known here")
    if any((x >> 2) & 3 for x in get("decision_type", int)):
        sys.exit("a fork for missing values: not known here (train without NaN and with zero_as_missing=false)")
    # What is asked of a feature that the rows have not is answered now.
    def settle(at):
        while at >= 0 and places[features[at]] is None:
            at = left[at] if 0.0 <= limits[at] else right[at]
        return at

    forks, used, order = [], [], {}
    def place(at):
        at = settle(at)
        if at < 0:
            used.append(leaves[~at])
            return -len(used)
        if at in order:
            return order[at]
        order[at] = number = len(forks)
        forks.append(None)
        forks[number] = (places[features[at]], place(left[at]), place(right[at]), limit(limits[at]))
        return number

    if features:
        place(0)
    else:
        used.append(leaves[0])
    return forks, used


def main():
    model, words, names = sys.argv[1:4]
    names = json.loads(Path(names).read_text().splitlines()[0])
    names = names["features"] if isinstance(names, dict) else names
    old = json.loads(Path(sys.argv[4]).read_text()) if len(sys.argv) > 4 else names
    index = {name: place for place, name in enumerate(names)}
    places = [index.get(name) for name in old]
    trees = []
    for part in text(model).split("end of trees")[0].split("\nTree=")[1:]:
        trees.append(tree(dict(x.split("=", 1) for x in part.splitlines() if "=" in x), places))
    out = struct.pack("<HH", len(trees), len(names))
    for forks, leaves in trees:
        out += struct.pack("<B", len(leaves))
        for feature, left, right, value in forks:
            out += struct.pack("<Bbbf", feature, left, right, value)
        out += struct.pack(f"<{len(leaves)}f", *leaves)
    (OUT / "model.bin").write_bytes(out)
    lines = [f"{word} {round(score * 8)}" for word, score in sorted(json.loads(Path(words).read_text()).items())
             if round(score * 8) and not math.isnan(score)]
    for line in lines:
        assert -128 <= int(line.rsplit(" ", 1)[1]) <= 127, line
    (OUT / "words.txt").write_text("\n".join(lines) + "\n")
    print(len(trees), "trees,", len(names), "features,", len(out), "bytes;", len(lines), "words,",
          sum(len(x) + 1 for x in lines), "bytes")


if __name__ == "__main__":
    main()
