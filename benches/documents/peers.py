"""Converts PDF files with a library of Python: `python3 peers.py ENGINE OUT FILE…`.

Writes the text of each to `OUT/NAME.ENGINE` and prints the CPU time of all, in seconds."""
import logging
import pathlib
import sys
import time

logging.disable(logging.CRITICAL)
engine, out, *files = sys.argv[1:]
if engine == "pdfminer":
    from pdfminer.high_level import extract_text as convert
else:
    from pypdf import PdfReader

    def convert(file):
        return "\n".join(page.extract_text() for page in PdfReader(file).pages)


total = 0.0
for file in files:
    begin = time.process_time()
    try:
        text = convert(file)
    except Exception as error:
        print(f"{engine}: {file}: {error!r}", file=sys.stderr)
        text = ""
    total += time.process_time() - begin
    name = pathlib.Path(file).stem
    (pathlib.Path(out) / f"{name}.{engine}").write_text(text, errors="replace")
print(f"{total:.3f}")
