"""Compares texts with those of pdftotext: `python3 score.py TEXTS ENGINE=SECONDS…` prints a table.

Words are runs of letters and digits, case and compatibility forms aside (NFKC), of Markdown without
its markup; the figure is the mean over all files of the F1 of their multisets, and the same of pairs
of words beside one another. What pdftotext repeats on every page counts for it.
"""
import collections
import pathlib
import re
import sys
import unicodedata

WORDS = re.compile(r"[^\W_]+")


def plain(markdown):
    markdown = re.sub(r"^\s*(```+|~~~+).*$", "", markdown, flags=re.M)
    markdown = re.sub(r"\]\((?:<[^>]*>|[^()\s]*(?:\([^)]*\)[^()\s]*)*)\)", "]", markdown)
    markdown = re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", markdown).replace("*", "")
    for entity, character in ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"), ("&nbsp;", " "):
        markdown = markdown.replace(entity, character)
    return markdown


def words(text):
    return WORDS.findall(unicodedata.normalize("NFKC", text).lower())


def f1(one, other):
    one, other = collections.Counter(one), collections.Counter(other)
    both = one.total() + other.total()
    return 2 * (one & other).total() / both if both else 1.0


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
