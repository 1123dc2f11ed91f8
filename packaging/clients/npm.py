"""The npm packages: `ikigai-tools`, which is the same on every machine, and one with the executable for each kind of
machine, of which npm installs the one that fits. Nothing is run or downloaded when they are installed.
"""

from pathlib import Path

from common import (
    AUTHORS,
    CARGO,
    MACHINE,
    MACHINES,
    PROGRAM,
    REPOSITORY,
    SERVER,
    VERSION,
    description,
    documents,
    path,
    pretty,
    tarred,
    write,
)

# What starts the executable: a shell script. yarn takes any name for JavaScript, unless it ends so.
START = f"bin/{PROGRAM}.bin"


def platform(cpu):
    return f"{PROGRAM}-linux-{cpu}"


def manifest(name, text, **more):
    fields = {
        "name": name,
        "version": VERSION,
        "description": text,
        "keywords": [*CARGO["keywords"], "mcp"],
        "license": CARGO["license"],
        "author": AUTHORS,
        **more,
    }
    if REPOSITORY:
        fields["repository"] = {"type": "git", "url": f"git+{REPOSITORY}.git"}
    return fields


def pack(fields, readme, files):
    files = {"package.json": pretty(fields), "README.md": readme.encode(), **files}
    content = tarred({f"package/{name}": file for name, file in files.items()})
    write(f"{fields['name']}-{VERSION}.tgz", content)


main = manifest(
    PROGRAM,
    CARGO["description"],
    os=["linux"],
    bin={PROGRAM: START},
    optionalDependencies={platform(machine["npm"]): VERSION for machine in MACHINES.values()},
)
if SERVER:
    main["mcpName"] = SERVER
start = (Path(__file__).parent / "npm" / PROGRAM).read_bytes()
licence = {"LICENSE": documents()["LICENSE"]}
pack(main, description(), {START: (start, True), **licence})

cpu = MACHINE["npm"]
pack(
    # yarn keeps packages zipped, from where no executable runs, unless they ask for a directory.
    manifest(
        platform(cpu),
        f"The executable of {PROGRAM} for Linux on {cpu}",
        os=["linux"],
        cpu=[cpu],
        preferUnplugged=True,
    ),
    f"# {platform(cpu)}\n\nThe executable that the package `{PROGRAM}` starts on Linux, {cpu}.\n",
    {f"bin/{PROGRAM}": (path("binary").read_bytes(), True), **documents()},
)
