"""Says whether the program and these scripts find the same: the scores of words, and how likely
each block is content. `agree.py DUMP` compares with what the program said of some pages; with a
second path it writes there what the script finds, for the program's own tests.
"""

import json
import sys
from pathlib import Path

import numpy as np

import dump
import trees
import words
from train import MAIN

# Chances are written with six decimals.
NEAR = 1e-5


def main():
    names, last, pages = dump.read(sys.argv[1])
    forest = trees.unpack((MAIN / "model.bin").read_bytes())
    table = words.read(MAIN / "words.txt")
    found, furthest, blocks = {}, 0.0, 0
    for page in pages:
        if not len(page.words):
            continue
        rows = np.hstack([page.rows[:, : len(names) - last], words.features(page, table)])
        p = trees.chances(forest, rows)
        furthest = max(furthest, abs(rows - page.rows).max(), abs(p - page.chances).max())
        blocks += len(p)
        found[page.name] = [round(float(x), 6) for x in p]
    if len(sys.argv) > 2:
        Path(sys.argv[2]).write_text(json.dumps(found, indent=1) + "\n")
    print(f"{blocks} blocks of {len(found)} pages, at most {furthest:.2g} apart")
    sys.exit(1 if furthest > NEAR and len(sys.argv) < 3 else 0)


if __name__ == "__main__":
    main()
