"""The trees as the program reads them: `crates/html/src/main_content/trees.rs` says how."""

import struct

import numpy as np

# Leaves are kept in such parts of a unit of log-odds.
UNIT = 4096


def tables(model):
    """Of each tree its forks (feature, limit, left, right) and its leaves, as whole numbers."""
    return [tree(each["tree_structure"]) for each in model.dump_model()["tree_info"]]


def tree(root):
    forks, leaves = [], []

    def place(node):
        if "leaf_value" in node:
            leaves.append(round(node["leaf_value"] * UNIT))
            return -len(leaves)
        number = len(forks)
        forks.append(None)
        left, right = place(node["left_child"]), place(node["right_child"])
        forks[number] = node["split_feature"], below(node["threshold"]), left, right
        return number

    place(root)
    return forks, leaves


def below(limit):
    """The largest 32-bit number that is not above a limit: rows are such numbers, so that it parts
    them as the limit does."""
    single = np.float32(limit)
    return single if single <= limit else np.nextafter(single, np.float32(-np.inf))


def pack(trees, features):
    """Little-endian: the numbers of trees and of features (2 bytes each); of each feature how many
    limits there are (1) and the limits (4 each), rising; of each tree how many leaves (1), its
    forks (feature, number of the limit, left, right: 1 each) and its leaves (2 each)."""
    limits = [set() for _ in range(features)]
    for forks, _ in trees:
        for feature, limit, _, _ in forks:
            limits[feature].add(limit)
    limits = [sorted(each) for each in limits]
    out = [struct.pack("<HH", len(trees), features)]
    for each in limits:
        out.append(struct.pack(f"<B{len(each)}f", len(each), *each))
    for forks, leaves in trees:
        out.append(struct.pack("<B", len(leaves)))
        for feature, limit, left, right in forks:
            number = limits[feature].index(limit)
            out.append(struct.pack("<BBbb", feature, number, left, right))
        out.append(struct.pack(f"<{len(leaves)}h", *leaves))
    return b"".join(out)


def unpack(packed):
    """The trees that `pack` made these bytes of."""
    at = 0

    def take(form):
        nonlocal at
        found = struct.unpack_from("<" + form, packed, at)
        at += struct.calcsize("<" + form)
        return found

    count, features = take("HH")
    limits = [take(f"{take('B')[0]}f") for _ in range(features)]
    found = []
    for _ in range(count):
        (leaves,) = take("B")
        forks = [take("BBbb") for _ in range(leaves - 1)]
        forks = [(feature, limits[feature][n], left, right) for feature, n, left, right in forks]
        found.append((forks, list(take(f"{leaves}h"))))
    assert at == len(packed)
    return found


def chances(trees, rows):
    """How likely the blocks of these rows are content."""
    total = np.zeros(len(rows), np.int64)
    for forks, leaves in trees:
        at = np.zeros(len(rows), np.int64) if forks else np.full(len(rows), -1)
        while (inner := np.nonzero(at >= 0)[0]).size:
            feature, limit, left, right = (np.array(x) for x in zip(*forks))
            here = at[inner]
            goes_left = rows[inner, feature[here]] <= limit[here]
            at[inner] = np.where(goes_left, left[here], right[here])
        total += np.array(leaves)[-1 - at]
    return 1 / (1 + np.exp(-total / UNIT))
