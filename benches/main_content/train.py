"""Trains the model of the main content and writes it into the program's source.

First the program has to say what it sees in the pages: see README. Run with `--help` for how.
"""

import argparse
import random
from collections import Counter
from pathlib import Path

import lightgbm
import numpy as np

import choice
import dump
import label
import pages
import trees
import words

MAIN = Path(__file__).resolve().parents[2] / "crates/html/src/main_content"

FOLDS = 5
SEED = 7
TREES = 225
SETTINGS = {
    "objective": "binary",
    "num_leaves": 16,
    "learning_rate": 0.1,
    # Limits are drawn by lot: such trees know what they were shown less well, and the rest better.
    "extra_trees": True,
    "min_data_in_leaf": 150,
    "feature_fraction": 0.6,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "lambda_l2": 10,
    "max_bin": 63,
    "seed": SEED,
    "deterministic": True,
    "force_col_wise": True,
    "verbosity": -1,
}

# A block weighs its share of the truth's words in percent, at most so much, and a little besides;
# a page at most so much in all. The truth counts as at least so many words.
LARGEST = 50
BESIDES = 0.05
HEAVIEST = 400
SHORTEST = 60


class Marked:
    """A page whose content people have marked."""

    def __init__(self, page, truth, kind, domain):
        self.page, self.kind, self.domain = page, kind, domain
        self.truth = Counter(truth)
        self.content = np.array(label.shares(page.texts, truth)) >= 0.5
        shares = 100 * page.words / max(SHORTEST, len(truth))
        weights = np.minimum(shares, LARGEST) + BESIDES
        self.weights = weights * min(1, HEAVIEST / max(1, weights.sum()))
        self.counts = words.count(page, self.content) if len(page.words) else {}
        self.bags = [Counter(text) for text in page.texts]

    def measure(self, chosen):
        """Precision, recall and F1 of the words of a choice, by WCXB's measure."""
        if not self.truth or not chosen.any():
            return (float(not self.truth and not chosen.any()),) * 3
        bag = sum((self.bags[number] for number in np.nonzero(chosen)[0]), Counter())
        right = (bag & self.truth).total()
        precision, recall = right / bag.total(), right / self.truth.total()
        return precision, recall, 2 * precision * recall / max(1e-9, precision + recall)


def wcxb(found, where):
    truths = pages.truths(where, "dev")
    for page in found:
        truth = truths[page.name]
        yield Marked(
            page,
            pages.words(truth["main_content"]),
            truth["page_type"],
            pages.domain(where, "dev", page.name),
        )


def readability(found):
    """The pages of mozilla/readability, named `source/NAME`, beside what is expected of each,
    `expected/NAME`."""
    by_name = {page.name: page for page in found}
    for name, page in by_name.items():
        folder, _, rest = name.partition("/")
        if folder == "source":
            expected = by_name[f"expected/{rest}"]
            truth = [word for text in expected.texts for word in text]
            yield Marked(page, truth, "readability", None)


def folds_of(marked):
    """A fold for each page, those of one domain together; readability's are in none of them but
    for the scores of words."""
    domains = sorted({m.domain for m in marked if m.domain})
    random.Random(SEED).shuffle(domains)
    fold = {domain: number % FOLDS for number, domain in enumerate(domains)}
    return [fold[m.domain] if m.domain else -1 - at % FOLDS for at, m in enumerate(marked)]


def matrix(marked, folds, own, without=None):
    """Rows to train with. The scores of words of a page are from the pages of other folds, so that
    a model does not trust them more than it may on pages that nobody has seen."""
    rows = []
    tables = {}
    for m, fold in zip(marked, folds):
        part = fold if fold >= 0 else -1 - fold
        if part not in tables:
            others = (f if f >= 0 else -1 - f for f in folds)
            left_out = {part, without} if without is not None else {part}
            tables[part] = words.scores(
                o.counts for o, other in zip(marked, others) if other not in left_out
            )
        if len(m.page.words):
            rows.append(np.hstack([m.page.rows[:, :own], words.features(m.page, tables[part])]))
    return np.concatenate(rows)


def fit(rows, content, weights, threads):
    data = lightgbm.Dataset(rows, content, weight=weights)
    return lightgbm.train({**SETTINGS, "num_threads": threads}, data, TREES)


def joined(marked, of):
    return np.concatenate([of(m) for m in marked if len(m.page.words)])


def cross_validate(marked, folds, own, threads):
    """The chances of each page by a model that saw no page of its domain."""
    chances = {}
    for fold in range(FOLDS):
        rows = matrix(marked, folds, own, without=fold)
        sizes = [len(m.page.words) for m in marked]
        of_row = np.repeat(folds, sizes)
        seen = of_row != fold
        content, weights = joined(marked, lambda m: m.content), joined(marked, lambda m: m.weights)
        model = fit(rows[seen], content[seen], weights[seen], threads)
        ends = np.cumsum(sizes)
        packed = trees.tables(model)
        for m, of, end, size in zip(marked, folds, ends, sizes):
            if of == fold:
                chances[m.page.name] = trees.chances(packed, rows[end - size : end])
    return chances


def report(title, results):
    """`results` are pairs of a kind and what `measure` says."""
    print(f"\n{title}\n\n| pages | number | F1 | precision | recall | under half |")
    print("|---|--:|--:|--:|--:|--:|")
    kinds = [kind for kind, _ in Counter(kind for kind, _ in results).most_common()]
    for kind in ["all", *kinds] if len(kinds) > 1 else kinds:
        of = np.array([r for k, r in results if kind in ("all", k)])
        precision, recall, f1 = of.mean(0)
        half = (of[:, 1] < 0.5).sum()
        print(f"| {kind} | {len(of)} | {f1:.4f} | {precision:.4f} | {recall:.4f} | {half} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("wcxb", type=Path, help="clone of WCXB")
    parser.add_argument("dump", help="what the program said of WCXB's dev pages")
    parser.add_argument("readability", help="what it said of mozilla/readability's test pages")
    parser.add_argument("--cross-validate", action="store_true", help="only measure")
    parser.add_argument("--keep", type=Path, help="file for the chances that measuring found")
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args()

    names, last, found = dump.read(args.dump)
    own = len(names) - last
    marked = [*wcxb(found, args.wcxb), *readability(dump.read(args.readability)[2])]
    folds = folds_of(marked)
    if args.cross_validate:
        chances = cross_validate(marked, folds, own, args.threads)
        results = []
        for m in marked:
            if m.domain:
                p = chances[m.page.name]
                results.append((m.kind, m.measure(choice.choose(p, m.page.words, m.page.unseen))))
        report("Cross-validated on WCXB's dev pages by domain", results)
        if args.keep:
            np.savez_compressed(args.keep, **chances)
        return
    rows = matrix(marked, folds, own)
    model = fit(
        rows,
        joined(marked, lambda m: m.content),
        joined(marked, lambda m: m.weights),
        args.threads,
    )
    packed = trees.pack(trees.tables(model), len(names))
    (MAIN / "model.bin").write_bytes(packed)
    table = words.scores(m.counts for m in marked)
    size = words.write(table, MAIN / "words.txt")
    print(f"{len(packed)} bytes of trees; {len(table)} words, {size} bytes")


if __name__ == "__main__":
    main()
