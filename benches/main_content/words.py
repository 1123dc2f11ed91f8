"""Scores of the words that authors use in classes, ids, roles and the like."""

import math
from collections import defaultdict

import numpy as np

# A word has a score if so many pages have it, if the score says something, and if it is short:
# a long one is a site's own.
PAGES = 25
LEAST = 1.0
LONGEST = 14

# Pages of doubt: so many are added, half of them with the word on content.
DOUBT = 4

# Scores are kept in eighths.
UNIT = 8

# Levels up from a block that are near, and those above them that are still seen apart.
NEAR = 3


def count(page, content):
    """Of each word the share of the words under its elements that are content."""
    found = defaultdict(lambda: [0.0, 0.0])
    above = {}
    for element, words, is_content in zip(page.element, page.words, content):
        if element not in above:
            above[element] = set().union(*(page.tokens[x] for x in page.chain(element)))
        for token in above[element]:
            sums = found[token]
            sums[0] += words * is_content
            sums[1] += words
    return {token: part / whole for token, (part, whole) in found.items() if whole}


def scores(counts):
    """The table: of each word the logarithm of the odds that it stands on content, in eighths."""
    sums = defaultdict(lambda: [0.0, 0])
    for page in counts:
        for token, share in page.items():
            sums[token][0] += share
            sums[token][1] += 1
    table = {}
    for token, (share, pages) in sums.items():
        score = math.log((share + DOUBT / 2) / (pages - share + DOUBT / 2))
        if pages >= PAGES and abs(score) > LEAST and len(token) <= LONGEST:
            table[token] = round(score * UNIT)
    return table


def features(page, table):
    """What `crates/html/src/main_content/features.rs` has at the end of each row."""
    low = [min([0, *(table.get(t, 0) for t in tokens)]) for tokens in page.tokens]
    high = [max([0, *(table.get(t, 0) for t in tokens)]) for tokens in page.tokens]
    all_of = []
    for element, parent in enumerate(page.parent):
        least, most, total = all_of[parent] if parent >= 0 else (0, 0, 0)
        own = low[element], high[element]
        all_of.append((min(least, own[0]), max(most, own[1]), total + sum(own)))
    rows, known = np.zeros((len(page.element), 7), np.float32), {}
    for number, element in enumerate(page.element):
        if element not in known:
            chain = page.chain(element)[: 2 * NEAR]
            near, far = chain[:NEAR], chain[NEAR:]
            known[element] = (
                *all_of[element],
                min(low[x] for x in near),
                max(high[x] for x in near),
                min([0, *(low[x] for x in far)]),
                max([0, *(high[x] for x in far)]),
            )
        rows[number] = known[element]
    return rows / UNIT


def write(table, path):
    lines = [f"{token} {score}\n" for token, score in sorted(table.items()) if score]
    path.write_text("".join(lines))
    return sum(map(len, lines))


def read(path):
    lines = (line.rsplit(" ", 1) for line in path.read_text().splitlines())
    return {token: int(score) for token, score in lines}
