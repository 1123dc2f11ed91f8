#!/bin/sh
# How well and how fast pages become Markdown, beside other converters.
#
#   benches/markdown/run.sh [DIR]
#
# fetches the examples of CommonMark's specification (npm), the converters of other languages
# (npm, PyPI) and documentation in HTML (Debian) into DIR, a new temporary directory unless one
# is named, and prints what is equal, what is kept and what it costs. GFM_EXAMPLES may name a
# JSON file of further examples, an array of objects with `section`, `n` and `html`.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
dir=${1:-$(mktemp -d)}
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
cargo build --release --manifest-path "$here/Cargo.toml"
report=${CARGO_TARGET_DIR:-$here/target}/release/markdown-report

cd "$dir"
[ -f package.json ] || echo '{}' > package.json
npm install --silent --no-audit --no-fund commonmark-spec turndown turndown-plugin-gfm
[ -d python ] || python3 -m venv python
./python/bin/pip install --quiet markdownify
node -e 'const { tests } = require("commonmark-spec");
for (const test of tests) for (const key of ["markdown", "html"])
  test[key] = test[key].replace(/\u2192/g, "\t");
require("fs").writeFileSync("commonmark.json", JSON.stringify(tests));'

echo "## Examples that render back equal"
for examples in "$dir/commonmark.json" ${GFM_EXAMPLES:-}; do
    echo "### $(basename "$examples")"
    node "$here/peers.mjs" "$examples" turndown.json
    ./python/bin/python "$here/peers.py" "$examples" markdownify.json
    "$report" score "$examples" turndown=turndown.json markdownify=markdownify.json
done

for package in git-doc python3.11-doc rust-doc debian-reference-en; do
    [ -d "pages/$package" ] && continue
    apt-get download "$package"
    dpkg-deb -x "$package"_*.deb "pages/$package"
done

echo "## What is kept of real pages"
for package in pages/*; do
    echo "### $(basename "$package")"
    "$report" pages "$package" 200 all
done

echo "## CPU time and memory"
for package in pages/*; do
    echo "### $(basename "$package")"
    for engine in ikigai-tools htmd mdka; do
        "$report" speed "$package" 200 "$engine"
    done
done
