"""The wheel: the executable as a script of it, which pip and uv lay into `bin` as it is. A static executable runs with
glibc and with musl, whatever Python it is.

Rules: "Binary distribution format", "Core metadata specifications" (2.4), PEP 600 and PEP 656 for the tags, PEP 639
for licences, PEP 770 for the SBOM.
"""

import base64
import hashlib

from common import CARGO, MACHINE, PROGRAM, REPOSITORY, VERSION, description, documents, path, write, zipped

NAME = PROGRAM.replace("-", "_")
PLATFORMS = [f"{system}_{MACHINE['wheel']}" for system in ("manylinux2014", "musllinux_1_1")]
CLASSIFIERS = [
    "Environment :: Console",
    "Intended Audience :: Developers",
    "Operating System :: POSIX :: Linux",
    "Programming Language :: Rust",
]


def metadata(licences):
    fields = [
        ("Metadata-Version", "2.4"),
        ("Name", PROGRAM),
        ("Version", VERSION),
        ("Summary", CARGO["description"]),
        ("License-Expression", CARGO["license"]),
        *(("License-File", licence) for licence in licences),
        ("Keywords", ",".join(CARGO["keywords"])),
        *(("Classifier", classifier) for classifier in CLASSIFIERS),
        ("Description-Content-Type", "text/markdown; charset=UTF-8; variant=GFM"),
    ]
    if REPOSITORY:
        fields.append(("Project-URL", f"Repository, {REPOSITORY}"))
    head = "".join(f"{name}: {value}\n" for name, value in fields)
    return f"{head}\n{description()}".encode()


def wheel():
    tags = "".join(f"Tag: py3-none-{platform}\n" for platform in PLATFORMS)
    return f"Wheel-Version: 1.0\nGenerator: {PROGRAM} {VERSION}\nRoot-Is-Purelib: false\n{tags}".encode()


def record(files, name):
    """The list of what is in the wheel, itself without a digest."""
    lines = []
    for file, content in files.items():
        content = content[0] if isinstance(content, tuple) else content
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        lines.append(f"{file},sha256={digest},{len(content)}\n")
    return "".join([*sorted(lines), f"{name},,\n"]).encode()


info = f"{NAME}-{VERSION}.dist-info"
texts = {name: text for name, text in documents().items() if not name.endswith(".json")}
sboms = {name: text for name, text in documents().items() if name not in texts}
files = {
    f"{NAME}-{VERSION}.data/scripts/{PROGRAM}": (path("binary").read_bytes(), True),
    f"{info}/METADATA": metadata(texts),
    f"{info}/WHEEL": wheel(),
    **{f"{info}/licenses/{name}": text for name, text in texts.items()},
    **{f"{info}/sboms/{name}": text for name, text in sboms.items()},
}
files[f"{info}/RECORD"] = record(files, f"{info}/RECORD")
write(f"{NAME}-{VERSION}-py3-none-{'.'.join(PLATFORMS)}.whl", zipped(files))
