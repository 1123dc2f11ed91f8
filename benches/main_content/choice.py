"""The choice of blocks, as the program makes it: `crates/html/src/main_content/choose.rs` is the same in
Rust, and a change belongs in both."""

import numpy as np

# What is weighed against what: at a mean p of `EVEN` recall counts as much as precision; the less
# sure the model is the more recall counts, since a lost answer costs more than junk.
EVEN = 0.85
STEEP = 2.0
LEAST, MOST = 0.7, 2.0

# A run of so many blocks between two chosen ones is chosen too where each is as likely as that.
GAP = 3
LIKELY = 0.25

# What is hidden and not offered is chosen only where the model is as sure as that, and between
# visible blocks that are chosen.
SURE = 0.8


def choose(p, words, unseen):
    """Which blocks are chosen, by the probability and the number of words of each."""
    if not len(p):
        return np.zeros(0, bool)
    chosen = best(p, words, 1.0)
    mean = (p * words)[chosen].sum() / max(1.0, words[chosen].sum())
    chosen = best(p, words, min(MOST, max(LEAST, 1.0 + STEEP * (EVEN - mean))))
    fill(chosen, p)
    veil(chosen, p, unseen)
    return chosen


def best(p, words, beta):
    """The likeliest blocks, as many as give the largest expected F."""
    order = np.argsort(-p, kind="stable")
    right = np.cumsum((p * words)[order])
    taken = np.cumsum(words[order])
    square = beta * beta
    expected = (1 + square) * right / (taken + square * right[-1] + 1e-9)
    chosen = np.zeros(len(p), bool)
    chosen[order[: int(np.argmax(expected)) + 1]] = True
    return chosen


def fill(chosen, p):
    """Chooses what lies between chosen blocks and is likely enough."""
    places = np.nonzero(chosen)[0]
    for before, after in zip(places[:-1], places[1:]):
        between = slice(before + 1, after)
        if 1 < after - before <= GAP + 1 and (p[between] > LIKELY).all():
            chosen[between] = True


def veil(chosen, p, unseen):
    """Takes back what is hidden, but where the model is sure and it lies in the middle."""
    visible = np.nonzero(chosen & ~unseen)[0]
    if not len(visible):
        return
    number = np.arange(len(p))
    middle = (number > visible[0]) & (number < visible[-1])
    chosen[unseen & ~(middle & (p >= SURE))] = False
