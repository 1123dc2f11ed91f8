"""Whether a wheel is one that installers and indexes take: its metadata and tags by the reference implementation of
the rules, its list of files by itself. Usage: check_wheel.py WHEEL
"""

import base64
import csv
import hashlib
import sys
import zipfile
from pathlib import Path

from packaging.metadata import Metadata
from packaging.tags import sys_tags
from packaging.utils import parse_wheel_filename

file = Path(sys.argv[1])
name, version, _, tags = parse_wheel_filename(file.name)
with zipfile.ZipFile(file) as archive:
    files = {entry.filename: archive.read(entry) for entry in archive.infolist()}
    modes = {entry.filename: entry.external_attr >> 16 & 0o777 for entry in archive.infolist()}
info = next(path.split("/")[0] for path in files if ".dist-info/" in path)

metadata = Metadata.from_email(files[f"{info}/METADATA"], validate=True)
assert (metadata.name, metadata.version) == (name, version), f"{metadata.name} {metadata.version}"
assert metadata.license_files, "no licence is named"
for licence in metadata.license_files:
    assert files[f"{info}/licenses/{licence}"], f"{licence} is empty"
assert any(path.startswith(f"{info}/sboms/") for path in files), "there is no SBOM"

told = [line.split(": ")[1] for line in files[f"{info}/WHEEL"].decode().splitlines() if line.startswith("Tag: ")]
assert sorted(told) == sorted(map(str, tags)), f"{told} is not what its name says"
# One of them is for the C library of this machine; the other one for the other kind.
assert len(tags & set(sys_tags())) == 1, "it does not fit this machine"

listed = {path: (digest, size) for path, digest, size in csv.reader(files[f"{info}/RECORD"].decode().splitlines())}
assert set(listed) == set(files), set(listed) ^ set(files)
for path, (digest, size) in listed.items():
    if path != f"{info}/RECORD":
        found = base64.urlsafe_b64encode(hashlib.sha256(files[path]).digest()).rstrip(b"=").decode()
        assert (digest, size) == (f"sha256={found}", str(len(files[path]))), path
programs = [path for path, mode in modes.items() if mode == 0o755]
assert programs == [f"{info.removesuffix('.dist-info')}.data/scripts/ikigai-tools"], programs
assert files[programs[0]].startswith(b"\x7fELF"), f"{programs[0]} is no executable"
