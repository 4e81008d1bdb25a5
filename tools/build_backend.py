"""Builds the package `headgate` for pip and uv (PEP 517 and 660), with Python's own library alone.

A wheel holds the tree's packages as `headgate.app`, `headgate.planner` and so on: packages with such common names at
the top would hide those of others. The names are changed in import statements, and in texts that name a module.
"""

import base64
import hashlib
import re
import tarfile
import tomllib
import zipfile
from collections.abc import Iterator, Mapping
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import Any

ROOT = Path(__file__).parents[1]
PACKAGES = ("app", "planner", "ingest", "migrations")
FACE = PurePosixPath("tools/package/headgate")
"""The modules that users import and start: `headgate.client` and `python -m headgate`."""
SDIST_FILES = ("pyproject.toml", "README.md", "LICENSE", "tools/build_backend.py")
LEFT_OUT = {"__pycache__"}
IMPORT = re.compile(rf"^([ ]*)from (?=({'|'.join(PACKAGES)})(\.\w+)* import )", re.MULTILINE)
PLAIN_IMPORT = re.compile(rf"^[ ]*import ({'|'.join(PACKAGES)})\b.*", re.MULTILINE)
NAMED = re.compile(rf"(?<=[\"'])(?={'|'.join(PACKAGES)})(\w+\.\w+)(?=[.:\"'])")
"""The beginning of a text such as "app.jobs.workers.ready_worker" or "app.serving.connections:LimitedConnection"."""


def build_wheel(
    wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None
) -> str:
    """Writes the wheel, and returns its name."""
    del config_settings, metadata_directory
    return write_wheel(Path(wheel_directory), dict(list_packaged()))


def build_editable(
    wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None
) -> str:
    """Writes a wheel that only leads Python to this tree, and returns its name."""
    del config_settings, metadata_directory
    places = f"{ROOT}\n{ROOT / FACE.parent}\n"
    return write_wheel(Path(wheel_directory), {"_headgate.pth": places.encode()})


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    """Writes the archive of sources that a wheel can be built from, and returns its name."""
    del config_settings
    base = f"{read_project()['name']}-{read_project()['version']}"
    sources = {name: (ROOT / name).read_bytes() for name in SDIST_FILES}
    sources |= {str(path.relative_to(ROOT)): path.read_bytes() for path in list_sources()}
    with tarfile.open(Path(sdist_directory) / f"{base}.tar.gz", "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for name, content in sorted((sources | {"PKG-INFO": write_metadata().encode()}).items()):
            member = tarfile.TarInfo(f"{base}/{name}")
            member.size, member.mode = len(content), 0o644
            archive.addfile(member, BytesIO(content))
    return f"{base}.tar.gz"


def read_project() -> dict[str, Any]:
    """The table `project` of pyproject.toml."""
    found: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return found


def list_sources() -> Iterator[Path]:
    """The files of the tree that belong into a package."""
    for folder in (*PACKAGES, str(FACE)):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.is_file() and not LEFT_OUT & set(path.parts):
                yield path


def list_packaged() -> Iterator[tuple[str, bytes]]:
    """The names and contents of the files of the package `headgate`."""
    yield "headgate/py.typed", b""
    for path in list_sources():
        name = PurePosixPath(path.relative_to(ROOT).as_posix())
        place = name.relative_to(FACE.parent) if name.is_relative_to(FACE) else "headgate" / name
        content = path.read_bytes()
        yield str(place), rename_imports(content.decode()).encode() if path.suffix == ".py" else content


def rename_imports(source: str) -> str:
    """The source of a module in which `app.x` is called `headgate.app.x`, and so for each package of the tree."""
    if found := PLAIN_IMPORT.search(source):
        raise ValueError(f"write `from ... import ...` instead of `{found[0].strip()}`")
    renamed = IMPORT.sub(r"\1from headgate.", source)
    return NAMED.sub(lambda found: f"headgate.{found[0]}" if is_module(found[0]) else found[0], renamed)


def is_module(name: str) -> bool:
    """Whether the tree has a module or a package of this name."""
    path = ROOT.joinpath(*name.split("."))
    return path.is_dir() or path.with_suffix(".py").is_file()


def write_metadata() -> str:
    """The text of the file METADATA (core metadata 2.4), from pyproject.toml."""
    project = read_project()
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {project['name']}",
        f"Version: {project['version']}",
        f"Summary: {project['description']}",
        f"License-Expression: {project['license']}",
        *(f"License-File: {name}" for name in project["license-files"]),
        f"Requires-Python: {project['requires-python']}",
        *(f"Requires-Dist: {one}" for one in project["dependencies"]),
    ]
    for extra, requirements in project["optional-dependencies"].items():
        lines.append(f"Provides-Extra: {extra}")
        lines += [f"Requires-Dist: {add_marker(one, extra)}" for one in requirements]
    lines.append("Description-Content-Type: text/markdown")
    readme = (ROOT / str(project["readme"])).read_text(encoding="utf-8")
    return "\n".join(lines) + f"\n\n{readme}"


def add_marker(requirement: str, extra: str) -> str:
    """A requirement that holds only for an extra, such as `fastapi>=0.162 ; extra == 'service'`."""
    what, mark, condition = requirement.partition(";")
    return f"{what.strip()} ; " + (f"({condition.strip()}) and " if mark else "") + f"extra == '{extra}'"


def write_wheel(folder: Path, files: Mapping[str, bytes]) -> str:
    """Writes a wheel of the files with the metadata of the project, and returns its name. Equal files, equal bytes."""
    project = read_project()
    base: str = f"{project['name']}-{project['version']}"
    about = f"{base}.dist-info"
    scripts = "".join(f"{name} = {place}\n" for name, place in project["scripts"].items())
    whole = dict(files) | {
        f"{about}/METADATA": write_metadata().encode(),
        f"{about}/WHEEL": b"Wheel-Version: 1.0\nGenerator: headgate\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{about}/entry_points.txt": f"[console_scripts]\n{scripts}".encode(),
        **{f"{about}/licenses/{name}": (ROOT / name).read_bytes() for name in project["license-files"]},
    }
    record = "".join(f"{name},{hash_content(content)},{len(content)}\n" for name, content in whole.items())
    whole[f"{about}/RECORD"] = f"{record}{about}/RECORD,,\n".encode()
    name = f"{base}-py3-none-any.whl"
    with zipfile.ZipFile(folder / name, "w") as archive:
        for place, content in whole.items():
            archive.writestr(zipfile.ZipInfo(place), content, zipfile.ZIP_DEFLATED)
    return name


def hash_content(content: bytes) -> str:
    """The hash of a file as RECORD writes it."""
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
