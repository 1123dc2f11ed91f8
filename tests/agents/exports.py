"""What is exported, read by those who read such: pandoc and BibTeX. Each source must be there once, in each form."""

import json
import re
import subprocess

# The titles of the sources, in the order in which they were found.
SOURCES = [
    "Defrosting air-source heat pumps: 40% & more",
    "A field trial of 120 heat pumps in old houses",
    "How heat pumps are rated: EN 14825 in plain words",
    "Refrigerants at −25 °C: R-290 and R-744",
    "Frost where $x<y$",
    "Bypass of hot gas for a heat pump",
    "Sensor of frost",
]
AUTHORS = ["Müller", "Okafor", None, "van der Berg", "Wei", "Lindqvist", "Abe"]


def plain(text):
    """Text without the marks of its form and the ends of its lines; styles set capitals as they like."""
    return " ".join(re.sub(r"[\\{}]", "", text).lower().split())


def run(room, *command):
    done = subprocess.run(command, cwd=room, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and not done.stderr, (command, done.returncode, done.stdout, done.stderr)
    return done.stdout


def each_once(form, text):
    for title in map(plain, SOURCES):
        assert plain(text).count(title) == 1, (form, title, text)


def check_items(form, items):
    """Items of CSL-JSON are the sources, each with the family name of its first author."""
    assert [plain(item["title"]) for item in items] == list(map(plain, SOURCES)), (form, items)
    assert len({item["id"] for item in items}) == len(SOURCES), (form, items)
    for item, author in zip(items, AUTHORS, strict=True):
        first = item.get("author", [{}])[0]
        particles = [first.get("dropping-particle"), first.get("non-dropping-particle"), first.get("family")]
        family = " ".join(filter(None, particles)) or None
        assert plain(str(family)) == plain(str(author)), (form, item)


def check(texts, room):
    names = {"bibtex": "sources.bib", "csl-json": "sources.json", "ris": "sources.ris", "markdown": "research.md"}
    for form, name in names.items():
        (room / name).write_text(texts[form])

    check_items("csl-json", json.loads(texts["csl-json"]))
    for form, reader in {"bibtex": "bibtex", "csl-json": "csljson"}.items():
        check_items(form, json.loads(run(room, "pandoc", "--from", reader, "--to", "csljson", names[form])))
    for form in "bibtex", "csl-json":
        (room / "cited.md").write_text(f"---\nbibliography: {names[form]}\nnocite: '@*'\n---\n")
        each_once(form, run(room, "pandoc", "--citeproc", "--to", "plain", "--wrap", "none", "cited.md"))

    each_once("ris", "\n".join(re.findall(r"^TI  - (.*)", texts["ris"], re.MULTILINE)))

    (room / "sources.aux").write_text("\\citation{*}\n\\bibstyle{plain}\n\\bibdata{sources}\n")
    said = run(room, "bibtex", "sources")
    assert "Warning" not in said and "error" not in said, said
    entries = (room / "sources.bbl").read_text()
    assert entries.count("\\bibitem{") == len(SOURCES), entries
    each_once("bibtex", entries)

    run(room, "pandoc", "--from", "markdown", "--to", "html", "--output", "research.html", "research.md")
    each_once("markdown", texts["markdown"].split("\n## Sources\n")[1])
