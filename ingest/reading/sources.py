"""The files that a run reads: paths of this machine, which may be mounted, and any URL that Spark knows."""

import os
import re
from collections.abc import Iterable, Iterator
from glob import glob
from pathlib import Path
from typing import Any, NamedTuple

from ingest.reading.records import show_path

DAY_FOLDER = re.compile(r"/dt=([^/]*)(?=/)")
URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:/")
BRACES = re.compile(r"\{([^{}]*)\}")
GLOB_CHARACTERS = re.compile(r"([\\\[\]{}*?])")
COMPRESSIONS = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd"}
HIDDEN = ("_", ".")
OTHER_COMPRESSIONS = (".lz4", ".snappy", ".deflate")
BYTES_PER_RECORD = 200  # of text
SHRUNK = 8  # by compression, roughly


class SourceNotFound(Exception):
    """A path that does not exist, and is more likely misspelt than an empty day; or one that may not be read."""

    def __init__(self, path: str, why: str = "does not exist") -> None:
        super().__init__(f"{path} {why}: give a file, a folder or a URL that this Spark can read.")
        self.path = path


class NeedsSpark(SourceNotFound):
    """A path that cannot be looked for without Spark."""

    def __str__(self) -> str:
        return f"{self.path} can be read by Spark alone, which a dry run does without."


class LogFile(NamedTuple):
    """A file with records; if it `needs_spark`, its path is a URL."""

    path: str
    size: int
    format: str
    compression: str | None
    needs_spark: bool


class Sources(NamedTuple):
    """The files of a run; `roots` are the paths as given, made absolute: two runs of equal roots compare."""

    roots: tuple[str, ...]
    files: tuple[LogFile, ...]

    def count_records(self) -> int:
        """A guess by the sizes of the files."""
        shrunk = sum(file.size for file in self.files if file.compression or file.format == "parquet")
        return (sum(file.size for file in self.files) + (SHRUNK - 1) * shrunk) // BYTES_PER_RECORD


def find_sources(paths: Iterable[str], day: str | None, hadoop: Any = None) -> Sources:
    """Lists the files below the paths; with a day, folders `dt=` of other days are not read.

    `hadoop` is a SparkContext, which all paths need that are not of this machine.
    """
    roots, files = set[str](), set[LogFile]()
    for path in paths:
        is_here = path.startswith("file:") or not (URL.match(path) or has_other_default(hadoop))
        try:
            found = list(expand_here(path) if is_here else expand_there(path, hadoop))
        except OSError as error:
            raise SourceNotFound(path, f"cannot be listed ({error})") from error
        if not found:
            raise SourceNotFound(path)
        for root, listed in found:
            roots.add(show_path(f"file:{root}" if is_here else root))
            files |= {
                describe(*file, is_here=is_here)
                for file in listed
                if file[1] and belongs_to(file[0], root, day)
            }
    return Sources(tuple(sorted(roots)), tuple(sorted(files)))


def expand_here(path: str) -> Iterator[tuple[str, list[tuple[str, int]]]]:
    """The files and folders that a path of this machine means, with the files in them and their sizes."""
    plain = re.sub(r"^file:/*", "/", path)
    expanded = (one for text in expand_braces(plain) for one in glob(text))  # noqa: PTH207  # of any depth
    for given in [plain] if Path(plain).exists() else expanded:
        root = os.path.abspath(given)  # noqa: PTH100  # links keep their names
        files = walk(root) if Path(root).is_dir() else [Path(root)]
        yield root, [(str(file), file.stat().st_size) for file in files if file.is_file()]


def walk(folder: str, above: frozenset[str] = frozenset()) -> Iterator[Path]:
    """All below a folder that is no folder; links are followed, but not back to a folder that holds this one."""
    real = os.path.realpath(folder)
    with os.scandir(folder) as entries:
        paths = [Path(entry) for entry in entries if not entry.name.startswith(HIDDEN)]
    for path in paths:
        if not path.is_dir():
            yield path
        elif os.path.realpath(path) not in above | {real}:
            yield from walk(str(path), above | {real})


def expand_braces(pattern: str) -> list[str]:
    """As Hadoop and shells do: `{a,b}` stands for either."""
    found = BRACES.search(pattern)
    if not found:
        return [pattern]
    ends = pattern[: found.start()], pattern[found.end() :]
    return [one for part in found[1].split(",") for one in expand_braces(part.join(ends))]


def has_other_default(hadoop: Any) -> bool:
    """Whether a path without a scheme means another file system than this machine's, as on some clusters."""
    return hadoop is not None and not str(configure(hadoop).get("fs.defaultFS", "file:")).startswith("file:")


def configure(hadoop: Any) -> Any:  # a Java object
    return hadoop._jsc.hadoopConfiguration()  # noqa: SLF001  # the only way to Hadoop, which knows every URL


def expand_there(path: str, hadoop: Any) -> Iterator[tuple[str, list[tuple[str, int]]]]:
    """As `expand_here`, by Hadoop."""
    if hadoop is None:
        raise NeedsSpark(path)
    make_path = hadoop._jvm.org.apache.hadoop.fs.Path  # noqa: SLF001  # likewise
    files = make_path(path).getFileSystem(configure(hadoop))
    literal = make_path(GLOB_CHARACTERS.sub(r"\\\1", path))
    for status in files.globStatus(literal) or files.globStatus(make_path(path)) or ():
        found = []
        listing = files.listFiles(status.getPath(), True)  # noqa: FBT003  # Java
        while listing.hasNext():
            entry = listing.next()
            found.append((entry.getPath().toString(), entry.getLen()))
        yield status.getPath().toString(), found


def belongs_to(name: str, root: str, day: str | None) -> bool:
    """Whether a file is read: it is not hidden (`_SUCCESS`, `.crc`) nor in the `dt=` folder of another day."""
    if any(part.startswith(HIDDEN) for part in name.removeprefix(root).split("/")):
        return False
    return day is None or all(folder == day for folder in DAY_FOLDER.findall(name))


def describe(path: str, size: int, *, is_here: bool) -> LogFile:
    stem, ending = path.lower(), ""
    if stem.endswith((*COMPRESSIONS, *OTHER_COMPRESSIONS)):
        stem, ending = stem[: stem.rindex(".")], stem[stem.rindex(".") :]
    if stem.endswith((".parquet", ".parq", ".pq")):
        return LogFile(path, size, "parquet", None, needs_spark=not is_here)
    needs_spark = not is_here or ending in OTHER_COMPRESSIONS
    path = f"file:{path}" if is_here and needs_spark else path
    return LogFile(
        path, size, "csv" if stem.endswith(".csv") else "json", COMPRESSIONS.get(ending), needs_spark
    )
