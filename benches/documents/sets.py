"""Compares readers over the PDF files of public test sets: `python3 sets.py REPORT DIR`.

DIR/sets/NAME holds the files of each set of sets.tsv; what is not there is cloned. The reference is
pdftotext, and files in which it finds no word are left out. For each reader: the mean share of the
reference's words that it has, the mean F1 of words, the files of which it has none, and CPU time.
pymupdf4llm is measured where this Python has it, without OCR; a file may take it a minute.
"""
import collections
import multiprocessing
import pathlib
import resource
import subprocess
import sys
import time

from text_words import f1, plain, recall, words

try:
    import pymupdf4llm
except ImportError:
    pymupdf4llm = None

BATCH = 50
# Seconds that a file may take.
LONGEST = 60
# A process that has its modules already.
FORK = multiprocessing.get_context("fork")


def children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def pdftotext(file):
    try:
        done = subprocess.run(["pdftotext", "-enc", "UTF-8", file, "-"], capture_output=True, timeout=LONGEST)
    except subprocess.TimeoutExpired:
        return ""
    return done.stdout.decode(errors="replace")


def ikigai(report, files, texts):
    """Writes what ours makes of the files; returns the CPU time, and the files that ended it."""
    texts.mkdir(parents=True, exist_ok=True)
    before, crashed = children(), []
    for at in range(0, len(files), BATCH):
        batch = files[at : at + BATCH]
        done = subprocess.run([report, "ikigai", texts, *batch], capture_output=True)
        if done.returncode:
            crashed += [file for file in batch if subprocess.run([report, "ikigai", texts, file], capture_output=True).returncode]
    return children() - before, crashed


def convert(file, pipe):
    begin = time.process_time()
    try:
        text = pymupdf4llm.to_markdown(file, show_progress=False, use_ocr=False)
    except BaseException:
        text = ""
    pipe.send((text if isinstance(text, str) else "", time.process_time() - begin))


def convert_apart(file):
    """Text and CPU time by pymupdf4llm in a process of its own, which may crash or hang."""
    ours, theirs = FORK.Pipe(duplex=False)
    process = FORK.Process(target=convert, args=(str(file), theirs))
    process.start()
    theirs.close()
    try:
        text, taken = ours.recv() if ours.poll(LONGEST) else ("", LONGEST)
    except EOFError:
        text, taken = "", 0
    process.kill()
    process.join()
    return text, taken


def main():
    report, folder = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    here = pathlib.Path(__file__).resolve().parent
    readers = ["ikigai", "pymupdf4llm"] if pymupdf4llm else ["ikigai"]
    rows = collections.defaultdict(list)
    seconds = collections.Counter()
    for line in (here / "sets.tsv").read_text().splitlines():
        name, address = line.split("\t")
        place = folder / "sets" / name
        if not place.exists():
            subprocess.run(["git", "clone", "--quiet", "--depth", "1", address, place], check=True)
        files = sorted(path for path in place.rglob("*") if path.suffix.lower() == ".pdf" and path.is_file())
        # Files of one name lie in several folders of a set.
        texts = folder / "texts-of-sets" / name
        links = folder / "files-of-sets" / name
        links.mkdir(parents=True, exist_ok=True)
        numbered = []
        for number, file in enumerate(files):
            link = links / f"{number}.pdf"
            link.unlink(missing_ok=True)
            link.symlink_to(file)
            numbered.append(link)
        taken, crashed = ikigai(report, numbered, texts)
        seconds["ikigai"] += taken
        for link in crashed:
            print("crashed:", link.readlink(), file=sys.stderr)
        for link in numbered:
            reference = words(pdftotext(link))
            if not reference:
                continue
            found = {"ikigai": texts / f"{link.stem}.ikigai"}
            found["ikigai"] = plain(found["ikigai"].read_text(errors="replace")) if found["ikigai"].exists() else ""
            if "pymupdf4llm" in readers:
                text, taken = convert_apart(link)
                found["pymupdf4llm"] = plain(text)
                seconds["pymupdf4llm"] += taken
            for reader, text in found.items():
                own = words(text)
                rows[name, reader].append((recall(own, reference), f1(own, reference), str(link.readlink())))
    print("| set | files with text |" + "".join(f" {reader}: words found | F1 | without any |" for reader in readers))
    print("|---|--:|" + "--:|" * 3 * len(readers))
    sets = list(dict.fromkeys(name for name, _ in rows))
    for reader in readers:
        rows["all", reader] = [row for name in sets for row in rows[name, reader]]
    for name in [*sets, "all"]:
        cells = []
        for reader in readers:
            own = rows[name, reader]
            means = [sum(row[at] for row in own) / len(own) for at in (0, 1)]
            cells += [f"{means[0]:.4f}", f"{means[1]:.4f}", str(sum(row[0] == 0 for row in own))]
        print(f"| {name} | {len(rows[name, 'ikigai'])} |", " | ".join(cells), "|")
    print("CPU seconds, pages without text included for ikigai alone:", dict(seconds))
    worst = sorted(rows["all", "ikigai"])[:200]
    (folder / "worst-of-sets.txt").write_text("".join(f"{row[0]:.3f} {row[1]:.3f} {row[2]}\n" for row in worst))


if __name__ == "__main__":
    main()
