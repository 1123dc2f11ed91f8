"""Lays out the directory that a container image is built of, beside the packages."""

import os
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "clients"))
from common import CARGO, PACKAGES, PROGRAM, SERVER, VERSION, documents, path

USER = 65532

directory = PACKAGES / "container"
shutil.rmtree(directory, ignore_errors=True)
(directory / "home").mkdir(parents=True)
recipe = (Path(__file__).parent / "Containerfile").read_text()
labels = {
    "org.opencontainers.image.title": PROGRAM,
    "org.opencontainers.image.description": CARGO["description"],
    "org.opencontainers.image.version": VERSION,
    "org.opencontainers.image.licenses": CARGO["license"],
}
if SERVER:
    labels["io.modelcontextprotocol.server.name"] = SERVER
recipe += "".join(f'LABEL {name}="{text}"\n' for name, text in labels.items())
(directory / "Containerfile").write_text(recipe)
(directory / "passwd").write_text(f"ikigai:x:{USER}:{USER}::/home/ikigai:/nonexistent\n")
(directory / "group").write_text(f"ikigai:x:{USER}:\n")
for name, content in documents().items():
    (directory / name).write_bytes(content)
shutil.copyfile(path("binary"), directory / PROGRAM)
os.chmod(directory / PROGRAM, 0o755)
print(f"{directory}: podman build -t {PROGRAM} {directory}")
