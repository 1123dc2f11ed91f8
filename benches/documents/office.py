"""Compares office documents with pandoc and markitdown: `python3 office.py REPORT TEXTS FILE…`.

Run by a Python that has markitdown. Prints a table for each kind: words are runs of letters and
digits, case and compatibility forms aside, of Markdown without its markup, the figure the mean over
the files of the F1 of their multisets; then how many headings, tables, items and links each of ours
has of those that the reference has, file by file, at most as many.
"""
import collections
import logging
import pathlib
import re
import resource
import subprocess
import sys
import time
import unicodedata
import warnings

from markitdown import MarkItDown

logging.disable(logging.CRITICAL)
warnings.simplefilter("ignore")
WORDS = re.compile(r"[^\W_]+")
FEATURES = {
    "headings": re.compile(r"^#{1,6} \S", re.M),
    "tables": re.compile(r"^ {0,3}\|(?: *:?-+:? *\|)+ *$", re.M),
    "items": re.compile(r"^\s*(?:[-*+]|\d+[.)]) ", re.M),
    "links": re.compile(r"(?<!!)\]\((?:https?|mailto):"),
}


def plain(markdown):
    # Where a spreadsheet has no value, pandas says so.
    markdown = re.sub(r"\bNaN\b|\bUnnamed: \d+|<!--.*?-->|<[^>]+>", " ", markdown, flags=re.S)
    markdown = re.sub(r"\]\((?:<[^>]*>|[^()\s]*(?:\([^)]*\)[^()\s]*)*)(?: \"[^\"]*\")?\)", "]", markdown)
    markdown = re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", markdown)
    for entity, character in ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"), ("&nbsp;", " "):
        markdown = markdown.replace(entity, character)
    return markdown


def words(markdown):
    return collections.Counter(WORDS.findall(unicodedata.normalize("NFKC", plain(markdown)).lower()))


def f1(one, other):
    both = one.total() + other.total()
    return 2 * (one & other).total() / both if both else 1.0


def children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def pandoc(file):
    done = subprocess.run(["pandoc", "-t", "gfm", "--wrap=none", file], capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else None


def markitdown(file, reader=MarkItDown()):
    try:
        return reader.convert(file).text_content
    except Exception:
        return None


report, texts, *files = sys.argv[1:]
kinds = collections.defaultdict(list)
for file in files:
    kinds[pathlib.Path(file).suffix[1:]].append(file)
print("| kind | files | reference | words | " + " | ".join(FEATURES) + " | CPU s | CPU s of the reference |")
print("|---|--:|---|--:|" + "--:|" * (len(FEATURES) + 2))
for kind, members in kinds.items():
    before = children()
    subprocess.run([report, "ikigai", texts, *members], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    ours = children() - before
    for name, reader, has in ("pandoc", pandoc, ("docx", "epub")), ("markitdown", markitdown, kinds):
        if kind not in has:
            continue
        before, here = children(), time.process_time()
        references = {file: reader(file) for file in members}
        theirs = children() - before + time.process_time() - here
        references = {file: text for file, text in references.items() if text and text.strip()}
        scores, found = [], {feature: [0, 0] for feature in FEATURES}
        for file, reference in references.items():
            own = (pathlib.Path(texts) / f"{pathlib.Path(file).stem}.ikigai").read_text(errors="replace")
            scores.append(f1(words(own), words(reference)))
            for feature, pattern in FEATURES.items():
                counts = len(pattern.findall(own)), len(pattern.findall(reference))
                found[feature][0] += min(counts)
                found[feature][1] += counts[1]
        mean = sum(scores) / len(scores) if scores else 0
        cells = [f"{one} of {all}" for one, all in found.values()]
        print(f"| {kind} | {len(references)} | {name} | {mean:.4f} |", " | ".join(cells), f"| {ours:.2f} | {theirs:.1f} |")
