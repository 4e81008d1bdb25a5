"""Finds the files of a run: local or mounted paths, and any URL that Spark can read."""

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
BYTES_PER_RECORD = 200  # in a text file
COMPRESSION_RATIO = 8  # roughly


class SourceNotFound(Exception):
    """The error that a path does not exist or cannot be read; a missing path is more likely misspelt than an
    empty day.
    """

    def __init__(self, path: str, why: str = "does not exist") -> None:
        super().__init__(f"{path} {why}: give a file, a folder or a URL that this Spark can read.")
        self.path = path


class NeedsSpark(SourceNotFound):
    """The error that only Spark can read a path."""

    def __str__(self) -> str:
        return f"{self.path} can only be read by Spark, which a dry run does not start."


class LogFile(NamedTuple):
    """A file with records; its path is a URL if it `needs_spark`."""

    path: str
    size: int
    format: str
    compression: str | None
    needs_spark: bool


class Sources(NamedTuple):
    """The files of a run; `roots` are the given paths made absolute, so that equal inputs have equal roots."""

    roots: tuple[str, ...]
    files: tuple[LogFile, ...]

    def count_records(self) -> int:
        """The number of records, estimated from the file sizes."""
        shrunk = sum(file.size for file in self.files if file.compression or file.format == "parquet")
        return (sum(file.size for file in self.files) + (COMPRESSION_RATIO - 1) * shrunk) // BYTES_PER_RECORD


def find_sources(paths: Iterable[str], day: str | None, hadoop: Any = None) -> Sources:
    """Lists the files below the paths; with a day, folders `dt=` of other days are left out.

    `hadoop` is a SparkContext; paths that are not local need it.
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
    """Yields the files and folders that a local path or pattern matches, each with its files and their sizes."""
    plain = re.sub(r"^file:/*", "/", path)
    expanded = (one for text in expand_braces(plain) for one in glob(text))  # noqa: PTH207  # of any depth
    for given in [plain] if Path(plain).exists() else expanded:
        root = os.path.abspath(given)  # noqa: PTH100  # links keep their names
        files = walk(root) if Path(root).is_dir() else [Path(root)]
        yield root, [(str(file), file.stat().st_size) for file in files if file.is_file()]


def walk(folder: str, above: frozenset[str] = frozenset()) -> Iterator[Path]:
    """Yields all files below a folder; follows links, except links back to a folder above."""
    real = os.path.realpath(folder)
    with os.scandir(folder) as entries:
        paths = [Path(entry) for entry in entries if not entry.name.startswith(HIDDEN)]
    for path in paths:
        if not path.is_dir():
            yield path
        elif os.path.realpath(path) not in above | {real}:
            yield from walk(str(path), above | {real})


def expand_braces(pattern: str) -> list[str]:
    """The patterns that braces stand for: `{a,b}` becomes two patterns, as in Hadoop and shells."""
    found = BRACES.search(pattern)
    if not found:
        return [pattern]
    ends = pattern[: found.start()], pattern[found.end() :]
    return [one for part in found[1].split(",") for one in expand_braces(part.join(ends))]


def has_other_default(hadoop: Any) -> bool:
    """Whether a path without a scheme means a remote file system, as on some clusters."""
    return hadoop is not None and not str(configure(hadoop).get("fs.defaultFS", "file:")).startswith("file:")


def configure(hadoop: Any) -> Any:  # a Java object
    return hadoop._jsc.hadoopConfiguration()  # noqa: SLF001  # PySpark has no public way to Hadoop


def expand_there(path: str, hadoop: Any) -> Iterator[tuple[str, list[tuple[str, int]]]]:
    """Yields the files and folders that a URL or pattern of Hadoop matches, each with its files and their sizes."""
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
    """Whether a run reads the file: not if it is hidden (`_SUCCESS`, `.crc`) or in the `dt=` folder of another day."""
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
