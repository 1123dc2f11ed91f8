"""Measures the main content against pages whose content people have marked, none of which the
model was trained on: the test pages of WCXB and scrapinghub's article-extraction-benchmark.

What counts is the text of the Markdown that the program prints, as a reader of CommonMark
understands it: see `text_of`. Run with `--help` for how.
"""

import argparse
import gzip
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from statistics import mean

from markdown_it import MarkdownIt

import pages

READER = MarkdownIt("commonmark").enable(["table", "strikethrough"])

DUMP = ["cargo", "bench", "--quiet", "--bench", "main_content_dump", "--"]

# What the program says where a page has no text.
NOTICE = re.compile(r"^\[This page shows no text.*\]$", re.MULTILINE)

# What ends a word, whatever stands before and after it.
APART = {"softbreak", "hardbreak", "html_inline"}


def text_of(markdown):
    """The text of a Markdown document, a block a line.

    Marks, escapes, addresses, titles of links, images with their alternative texts, tags, the
    languages of fences, numbers of lists and the rulers of tables are not text; what stands in
    links, code and cells is.
    """
    parts = []
    for token in READER.parse(markdown):
        if token.type == "inline":
            for child in token.children:
                if child.type in ("text", "code_inline", "text_special"):
                    parts.append(child.content)
                elif child.type in APART:
                    parts.append(" ")
            parts.append("\n")
        elif token.type in ("fence", "code_block"):
            parts += [token.content, "\n"]
    return "".join(parts)


def convert(command, work):
    """The Markdown of the main content of each page of `work`: (name, HTML, address)."""
    with tempfile.TemporaryDirectory() as folder:
        order = Path(folder) / "pages.jsonl"
        with order.open("w") as out:
            for name, html, url in work:
                path = Path(folder) / f"{name}.html"
                path.write_bytes(html)
                out.write(json.dumps({"id": name, "path": str(path), "url": url}) + "\n")
        subprocess.run([*command, order, Path(folder) / "found"], check=True)
        with (Path(folder) / "found.jsonl").open() as lines:
            next(lines)
            found = {line["id"]: line["md"] for line in map(json.loads, lines)}
    missing = [name for name, _, _ in work if name not in found]
    if missing:
        sys.exit(f"No answer for {len(missing)} pages, among them {missing[0]}.")
    return found


def wcxb_work(wcxb, split):
    for name in sorted(pages.truths(wcxb, split)):
        html = gzip.decompress((wcxb / split / "html" / f"{name}.html.gz").read_bytes())
        yield name, html, pages.address(wcxb, split, name)


def article_work(articles, truth):
    for name in sorted(truth):
        html = gzip.decompress((articles / "html" / f"{name}.html.gz").read_bytes())
        yield name, html, truth[name].get("url")


def row(name, results):
    f1, precision, recall = (mean(r[k] for r in results) for k in (2, 0, 1))
    half = sum(r[1] < 0.5 for r in results)
    print(f"| {name} | {len(results)} | {f1:.4f} | {precision:.4f} | {recall:.4f} | {half} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--wcxb", type=Path, required=True, help="clone of WCXB")
    parser.add_argument("--split", default="test", help="test, or dev to see what it learned")
    parser.add_argument("--articles", type=Path, help="clone of article-extraction-benchmark")
    parser.add_argument(
        "--without-notices", action="store_true", help="that a page has no text is no text of it"
    )
    parser.add_argument("--save", type=Path, help="file for the figures of each page, as JSON")
    parser.add_argument(
        "command",
        nargs="*",
        default=DUMP,
        help="what says what the program makes of pages, see dump.rs (default: that, built now)",
    )
    args = parser.parse_args()

    rules = pages.module(args.wcxb / "evaluate.py")
    truth = pages.truths(args.wcxb, args.split)
    answers = convert(args.command, list(wcxb_work(args.wcxb, args.split)))
    if args.without_notices:
        answers = {name: NOTICE.sub("", markdown) for name, markdown in answers.items()}
    results = {
        name: rules.word_f1(text_of(answers[name]), truth[name]["main_content"]) for name in truth
    }
    print("| pages | number | F1 | precision | recall | under half |")
    print("|---|--:|--:|--:|--:|--:|")
    row(f"WCXB {args.split}", list(results.values()))
    for kind, _ in Counter(t["page_type"] for t in truth.values()).most_common():
        row(kind, [results[name] for name in truth if truth[name]["page_type"] == kind])
    if args.split != "dev":
        known = {pages.domain(args.wcxb, "dev", name) for name in pages.truths(args.wcxb, "dev")}
        domains = {name: pages.domain(args.wcxb, args.split, name) for name in truth}
        row("of domains that dev has not", [results[n] for n in truth if domains[n] not in known])

    if args.articles:
        rules_there = pages.module(args.articles / "evaluate.py")
        there = json.loads((args.articles / "ground-truth.json").read_text())
        answers = convert(args.command, list(article_work(args.articles, there)))
        found = {name: {"articleBody": text_of(answers[name])} for name in there}
        score = rules_there.evaluate(there, found, 0)
        words = {
            name: rules.word_f1(found[name]["articleBody"], there[name]["articleBody"])
            for name in there
        }
        half = sum(r[1] < 0.5 for r in words.values())
        print(
            f"| scrapinghub, by its own measure | {len(there)} | {score['f1']:.4f} "
            f"| {score['precision']:.4f} | {score['recall']:.4f} | {half} |"
        )
        results.update(words)
        row("all, by WCXB's measure", list(results.values()))
    if args.save:
        args.save.write_text(json.dumps(results))


if __name__ == "__main__":
    main()
