"""Converts the HTML of every example with markdownify: `python3 peers.py EXAMPLES OUT`."""
import json
import sys

from markdownify import markdownify

with open(sys.argv[1]) as file:
    examples = json.load(file)
with open(sys.argv[2], "w") as file:
    json.dump([markdownify(example["html"], heading_style="ATX") for example in examples], file)
