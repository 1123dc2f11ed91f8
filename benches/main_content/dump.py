"""What the program says of pages: their blocks, elements and rows of features."""

import json
from pathlib import Path

import numpy as np

from pages import words

# Nobody sees it, and the page does not offer to show it: as in `blocks.rs`.
UNSEEN = 128


class Page:
    """A page as `benches/main_content/dump.rs` writes it."""

    def __init__(self, line, rows):
        self.name = line["id"]
        blocks = line["blocks"]
        self.texts = [words(block[0]) for block in blocks]
        self.words = np.array([block[1] for block in blocks], float)
        self.element = [block[3] for block in blocks]
        self.unseen = np.array([block[4] & UNSEEN > 0 for block in blocks], bool)
        self.parent = [element[0] for element in line["elements"]]
        self.tokens = [element[1] for element in line["elements"]]
        self.rows = rows[line["row"] : line["row"] + len(blocks)]
        self.chances = np.array(line["p"])
        self.chosen = np.array(line["chosen"], bool)
        self.markdown = line["md"]

    def chain(self, element):
        """An element and those around it, up to the body."""
        chain = []
        while element >= 0:
            chain.append(element)
            element = self.parent[element]
        return chain


def read(prefix):
    """The names of the features, how many of them are scores of words, and the pages."""
    with Path(f"{prefix}.jsonl").open() as lines:
        head = json.loads(next(lines))
        names = head["features"]
        rows = np.memmap(f"{prefix}.f32", "<f4", "r").reshape(-1, len(names))
        return names, head["scores"], [Page(json.loads(line), rows) for line in lines]
