"""Pages whose content people have marked, as their repositories keep them.

Run as `pages.py WCXB READABILITY FOLDER` it writes the lists of pages to train with.
"""

import gzip
import importlib.util
import json
import re
import sys
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

WORDS = re.compile(r"\w+")

# Names under a country's, below which domains are registered.
REGISTRIES = {"ac", "co", "com", "edu", "gov", "govt", "net", "org"}


@cache
def module(path):
    """A repository's own script."""
    spec = importlib.util.spec_from_file_location(f"at_{abs(hash(path))}", path)
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


@cache
def truths(wcxb, split):
    """WCXB's truth of each page of a split, by its name."""
    return module(wcxb / "evaluate.py").load_ground_truth(split)


def address(wcxb, split, name):
    return json.loads((wcxb / split / "ground-truth" / f"{name}.json").read_text()).get("url")


def domain(wcxb, split, name):
    """The registered domain of a page; its name where it has no address."""
    host = urlsplit(address(wcxb, split, name) or "").hostname
    if not host:
        return name
    labels = host.split(".")
    country = len(labels) > 2 and len(labels[-1]) == 2 and labels[-2] in REGISTRIES
    return ".".join(labels[-3 if country else -2 :])


def words(text):
    """Words as WCXB counts them."""
    return WORDS.findall(text.lower())


def lists(wcxb, readability, folder):
    """Writes for `dump.rs` the lists of the pages to train with, and WCXB's pages, unpacked."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "wcxb-pages.jsonl").open("w") as out:
        for name in sorted(truths(wcxb, "dev")):
            path = folder / "wcxb" / f"{name}.html"
            path.parent.mkdir(exist_ok=True)
            packed = wcxb / "dev" / "html" / f"{name}.html.gz"
            path.write_bytes(gzip.decompress(packed.read_bytes()))
            line = {"id": name, "path": str(path), "url": address(wcxb, "dev", name)}
            out.write(json.dumps(line) + "\n")
    with (folder / "readability-pages.jsonl").open("w") as out:
        for page in sorted((readability / "test" / "test-pages").iterdir()):
            for kind in ("source", "expected"):
                path = page / f"{kind}.html"
                line = {"id": f"{kind}/{page.name}", "path": str(path), "url": None}
                out.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    lists(*map(Path, sys.argv[1:4]))
