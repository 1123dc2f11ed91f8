"""Compares texts with those of pdftotext: `python3 score.py TEXTS ENGINE=SECONDS…` prints a table.

The figure is the mean over all files of the F1 of the multisets of words, and the same of pairs of
words beside one another. What pdftotext repeats on every page counts for it.
"""
import pathlib
import sys

from text_words import f1, plain, words

here = pathlib.Path(__file__).resolve().parent
texts = pathlib.Path(sys.argv[1])
parts = dict(line.split("\t")[:2] for line in (here / "pdfs.tsv").read_text().splitlines())
names = {digest[:16]: part for digest, part in parts.items() if (texts / f"{digest[:16]}.txt").exists()}
references = {name: words((texts / f"{name}.txt").read_text(errors="replace")) for name in names}
columns = ["dev", "held"]
print(f"{len(names)} files, {list(names.values()).count('held')} of them held back")
print("| | words, dev | pairs, dev | words, held back | pairs, held back | words | pairs | CPU s |")
print("|---|--:|--:|--:|--:|--:|--:|--:|")
for argument in sys.argv[2:]:
    engine, seconds = argument.split("=")
    scores = {}
    for name, part in names.items():
        text = (texts / f"{name}.{engine}").read_text(errors="replace")
        own, reference = words(plain(text) if engine == "ikigai" else text), references[name]
        score = f1(own, reference), f1(zip(own, own[1:]), zip(reference, reference[1:]))
        scores.setdefault(part, []).append(score)
    every = sum(scores.values(), [])
    means = []
    for group in [*(scores.get(part, []) for part in columns), every]:
        means += [sum(score[at] for score in group) / len(group) for at in (0, 1)] if group else [0, 0]
    print(f"| {engine} |", " | ".join(f"{mean:.4f}" for mean in means), f"| {seconds} |")
