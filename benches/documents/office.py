"""Compares office documents with pandoc, openpyxl and markitdown: `python3 office.py REPORT TEXTS FILE…`.

Run by a Python that has markitdown and openpyxl. Prints a table for each kind: words are runs of
letters and digits, case and compatibility forms aside, of Markdown without its markup, the figures
the means over the files of recall and F1 of their multisets; then how many headings, tables, items,
links and notes each of ours has of those that the reference has, file by file, at most as many.
References are kept in TEXTS, and `TEXTS/worst.txt` lists the files with the least recall.
"""
import collections
import datetime
import logging
import pathlib
import re
import resource
import subprocess
import sys
import time
import unicodedata
import warnings

import openpyxl
from markitdown import MarkItDown

logging.disable(logging.CRITICAL)
warnings.simplefilter("ignore")
WORDS = re.compile(r"[^\W_]+")
FEATURES = {
    "headings": re.compile(r"^#{1,6} \S", re.M),
    "tables": re.compile(r"^ {0,3}\|(?: *:?-+:? *\|)+ *$", re.M),
    "items": re.compile(r"^\s*(?:[-*+]|\d+[.)]) ", re.M),
    "links": re.compile(r"(?<!!)\]\((?:https?|mailto):"),
    "notes": re.compile(r"^\[\^[^\]]+\]:", re.M),
}


def plain(markdown):
    # Where a spreadsheet has no value, pandas says so.
    markdown = re.sub(r"\bNaN\b|\bUnnamed: \d+|<!--.*?-->|<(?!https?:|mailto:)[^>]+>", " ", markdown, flags=re.S)
    markdown = re.sub(r"\]\((?:<[^>]*>|[^()\s]*(?:\([^)]*\)[^()\s]*)*)(?: \"[^\"]*\")?\)", "]", markdown)
    markdown = re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", markdown)
    for entity, character in ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"), ("&nbsp;", " "):
        markdown = markdown.replace(entity, character)
    return markdown


def words(markdown):
    return collections.Counter(WORDS.findall(unicodedata.normalize("NFKC", plain(markdown)).lower()))


def shares(own, wanted):
    both, total = (own & wanted).total(), own.total() + wanted.total()
    return both / wanted.total() if wanted else 1.0, 2 * both / total if total else 1.0


def children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def pandoc(file):
    command = ["pandoc", "-t", "gfm", "--wrap=none", file]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    except subprocess.TimeoutExpired:
        return None
    return done.stdout if done.returncode == 0 else None


def shown(cell):
    """The text of a cell's value, numbers with fifteen digits and dates as ISO 8601."""
    value, form = cell.value, cell.number_format or ""
    if isinstance(value, datetime.datetime):
        value = (value + datetime.timedelta(milliseconds=500)).replace(microsecond=0)
        return str(value if value.time() != datetime.time() else value.date())
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    if "%" in form:
        return f"{value * 100:.{len(re.sub('[^0]', '', form.partition('.')[2].partition('%')[0]))}f}%"
    if re.fullmatch("0{2,}", form):
        return f"{round(value):0{len(form)}d}"
    digits = f"{value:.15g}"
    return str(round(float(digits))) if 1e15 <= abs(value) < 1e21 else digits


def spreadsheet(file):
    """The values of the cells that openpyxl reads in sheets, rows and columns that are shown."""
    try:
        book = openpyxl.load_workbook(file, data_only=True)
        cells = []
        for sheet in book.worksheets:
            if sheet.sheet_state != "visible":
                continue
            off = set()
            for letter, column in sheet.column_dimensions.items():
                if column.hidden:
                    off.update(range(column.min or 0, (column.max or 0) + 1))
            for row in sheet.iter_rows():
                for cell in row:
                    if cell.value is not None and cell.column not in off:
                        if not sheet.row_dimensions[cell.row].hidden:
                            cells.append(shown(cell))
        return "\n".join(cells)
    except Exception:
        return None


def markitdown(file, reader=MarkItDown()):
    try:
        return reader.convert(file).text_content
    except Exception:
        return None


def reference(name, reader, file):
    kept = pathlib.Path(texts) / f"{pathlib.Path(file).name}.{name}"
    if not kept.exists():
        kept.write_text(reader(file) or "", errors="replace")
    return kept.read_text()


report, texts, *files = sys.argv[1:]
kinds = collections.defaultdict(list)
for file in files:
    kinds[pathlib.Path(file).suffix[1:]].append(file)
worst = []
print("| kind | files | reference | recall | F1 | " + " | ".join(FEATURES) + " | CPU s | CPU s of the reference |")
print("|---|--:|---|--:|--:|" + "--:|" * (len(FEATURES) + 2))
for kind, members in kinds.items():
    before = children()
    subprocess.run([report, "ikigai", texts, *members], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    ours = children() - before
    own = {file: (pathlib.Path(texts) / f"{pathlib.Path(file).stem}.ikigai").read_text(errors="replace") for file in members}
    readers = [("pandoc", pandoc, ("docx", "epub", "odt", "rtf")), ("openpyxl", spreadsheet, ("xlsx",)), ("markitdown", markitdown, kinds)]
    for name, reader, has in readers:
        if kind not in has:
            continue
        before, here = children(), time.process_time()
        references = {file: reference(name, reader, file) for file in members}
        theirs = children() - before + time.process_time() - here
        references = {file: text for file, text in references.items() if words(text)}
        scores, found = [], {feature: [0, 0] for feature in FEATURES}
        for file, wanted in references.items():
            scores.append(shares(words(own[file]), words(wanted)))
            worst.append((scores[-1][0], name, file))
            for feature, pattern in FEATURES.items():
                counts = len(pattern.findall(own[file])), len(pattern.findall(wanted))
                found[feature][0] += min(counts)
                found[feature][1] += counts[1]
        means = [f"{sum(each) / len(scores):.4f}" for each in zip(*scores)] or ["", ""]
        cells = [f"{one} of {all}" for one, all in found.values()]
        print(f"| {kind} | {len(references)} | {name} |", " | ".join([*means, *cells]), f"| {ours:.2f} | {theirs:.1f} |")
lines = [f"{score:.4f} {name} {file}\n" for score, name, file in sorted(worst)]
(pathlib.Path(texts) / "worst.txt").write_text("".join(lines))
