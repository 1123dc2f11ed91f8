"""Which blocks of a page are content: those whose words stand in the truth, in its order."""

from rapidfuzz.distance import LCSseq

# Blocks of so few words are content only where the truth has them as they stand.
FEW = 3


def shares(blocks, truth):
    """The share of each block's words that an alignment of page and truth finds.

    `blocks` are lists of words in the page's order, `truth` is one list of words. The alignment
    is a longest common subsequence.
    """
    numbers = {}
    page = [numbers.setdefault(word, len(numbers)) for block in blocks for word in block]
    owner = [number for number, block in enumerate(blocks) for _ in block]
    # A word that the page has not gets a number of its own, which nothing equals.
    wanted = [numbers.get(word, -1 - at) for at, word in enumerate(truth)]
    places = [[] for _ in blocks]
    for piece in LCSseq.opcodes(page, wanted) if page and wanted else ():
        if piece.tag == "equal":
            for at in range(piece.src_end - piece.src_start):
                places[owner[piece.src_start + at]].append(piece.dest_start + at)
    return [_share(block, found) for block, found in zip(blocks, places)]


def _share(block, found):
    if not block:
        return 0.0
    if len(block) <= FEW:
        together = len(found) == len(block) and found[-1] - found[0] == len(block) - 1
        return float(together)
    return len(found) / len(block)
