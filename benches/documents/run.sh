#!/bin/sh
# How well and how fast documents become Markdown, beside other readers.
#
#   benches/documents/run.sh [DIR]
#
# gets the files of pdfs.tsv and office.tsv (Debian, PyPI) and the readers of other languages
# (Debian, PyPI) into DIR, a new temporary directory unless one is named, and prints how near each
# comes to pdftotext (Debian's poppler-utils), pandoc (Debian's) and markitdown, and what it costs;
# the same over the PDF files of six public test sets (sets.tsv); then what 2,000 damaged documents
# of each kind cost. A third of the PDF files of pdfs.tsv is held back: no rule was made for them.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
dir=${1:-$(mktemp -d)}
mkdir -p "$dir/texts"
dir=$(cd "$dir" && pwd)
command -v pdftotext >/dev/null || apt-get install -y --no-install-recommends poppler-utils >&2
cargo build --release --manifest-path "$here/Cargo.toml"
report=${CARGO_TARGET_DIR:-$here/target}/release/documents-report
command -v pandoc >/dev/null || apt-get install -y --no-install-recommends pandoc >&2
python3 "$here/get.py" "$here/pdfs.tsv" "$dir"
mkdir -p "$dir/office"
python3 "$here/get.py" "$here/office.tsv" "$dir/office"
[ -d "$dir/python" ] || python3 -m venv "$dir/python"
"$dir/python/bin/pip" install --quiet pypdf pdfminer.six pymupdf4llm 'markitdown[docx,pptx,xlsx]'

cd "$dir"
for file in ./*.pdf; do
    pdftotext -enc UTF-8 "$file" "texts/$(basename "$file" .pdf).txt" 2>/dev/null || true
done
ours=$("$report" ikigai texts ./*.pdf)
theirs=$("$report" lopdf texts ./*.pdf)
pdfminer=$(./python/bin/python "$here/peers.py" pdfminer texts ./*.pdf)
pypdf=$(./python/bin/python "$here/peers.py" pypdf texts ./*.pdf)
# It has no limits: one process for each file, which may take a minute.
extract=0
for file in ./*.pdf; do
    : > "texts/$(basename "$file" .pdf).pdf-extract"
    taken=$(timeout 60 "$report" pdf-extract texts "$file" 2>> extract.log | tail -n 1) || taken=60
    extract=$(awk "BEGIN { print $extract + ${taken:-60} }")
done
python3 "$here/score.py" texts "ikigai=$ours" "pdfminer=$pdfminer" "pypdf=$pypdf" "lopdf=$theirs" "pdf-extract=$extract"

./python/bin/python "$here/sets.py" "$report" "$dir"

cd "$dir/office"
mkdir -p texts
../python/bin/python "$here/office.py" "$report" texts ./*.docx ./*.pptx ./*.xlsx ./*.epub

for kind in pdf docx pptx xlsx epub feed; do
    "$report" mutants "$kind" 2000
done
