"""The files that a run reads, by format: any path or URL that Spark's file systems know."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from pyspark.sql import SparkSession

DAY_FOLDER = re.compile(r"/dt=([^/]*)(?=/)")
GLOB_CHARACTERS = re.compile(r"([\\\[\]{}*?])")
COMPRESSIONS = (".gz", ".bz2", ".zst", ".lz4", ".snappy", ".deflate")


class SourceNotFound(Exception):
    """A path that does not exist; it is more likely misspelt than an empty day."""

    def __init__(self, path: str) -> None:
        super().__init__(f"{path} does not exist: give a file, a folder or a URL that this Spark can read.")
        self.path = path


@dataclass(frozen=True, slots=True)
class Sources:
    """The files of a run; `roots` are the paths as given, made absolute: two runs of equal roots compare."""

    roots: tuple[str, ...]
    json: tuple[str, ...] = ()
    csv: tuple[str, ...] = ()
    parquet: tuple[str, ...] = ()

    def count_files(self) -> int:
        return len(self.json) + len(self.csv) + len(self.parquet)


def find_sources(spark: SparkSession, paths: Iterable[str], day: str | None) -> Sources:
    """Lists the files below the paths; with a day, folders `dt=` of other days are not read."""
    roots: list[str] = []
    files: list[str] = []
    for path in paths:
        for root, status in expand_path(spark, path):
            roots.append(root)
            files.extend(name for name in list_files(spark, root, status) if belongs_to(name, root, day))
    by_format: dict[str, list[str]] = {"json": [], "csv": [], "parquet": []}
    for name in sorted(set(files)):
        by_format[format_of(name)].append(escape_glob(name))
    return Sources(tuple(sorted(set(roots))), **{kind: tuple(names) for kind, names in by_format.items()})


def expand_path(spark: SparkSession, path: str) -> Iterator[tuple[str, Any]]:
    jvm: Any = spark._jvm  # noqa: SLF001  # the only way to Hadoop's file systems, which know every URL
    hadoop_path = jvm.org.apache.hadoop.fs.Path(path)
    file_system = hadoop_path.getFileSystem(hadoop_configuration(spark))
    literal = jvm.org.apache.hadoop.fs.Path(escape_glob(path))
    found = file_system.globStatus(literal) or file_system.globStatus(hadoop_path)
    if not found:
        raise SourceNotFound(path)
    for status in found:
        yield status.getPath().toString(), status


def list_files(spark: SparkSession, root: str, status: Any) -> Iterator[str]:  # a Java object
    if status.isFile():
        # Spark cannot find the schema of an empty Parquet file; an empty file holds no record.
        if status.getLen() > 0:
            yield root
        return
    folder = status.getPath()
    listing = folder.getFileSystem(hadoop_configuration(spark)).listFiles(folder, True)  # noqa: FBT003  # Java
    while listing.hasNext():
        entry = listing.next()
        if entry.getLen() > 0:
            yield entry.getPath().toString()


def hadoop_configuration(spark: SparkSession) -> Any:  # a Java object
    session: Any = spark._jsparkSession  # noqa: SLF001  # see above
    return session.sessionState().newHadoopConf()


def belongs_to(name: str, root: str, day: str | None) -> bool:
    """Whether a file is read: it is not hidden (`_SUCCESS`, `.crc`) nor in the `dt=` folder of another day."""
    inside = name.removeprefix(root)
    if any(part.startswith(("_", ".")) for part in inside.split("/")):
        return False
    return day is None or all(folder == day for folder in DAY_FOLDER.findall(name))


def format_of(name: str) -> str:
    stem = name.lower()
    for compression in COMPRESSIONS:
        stem = stem.removesuffix(compression)
    if stem.endswith((".parquet", ".parq", ".pq")):
        return "parquet"
    return "csv" if stem.endswith(".csv") else "json"


def escape_glob(name: str) -> str:
    return GLOB_CHARACTERS.sub(r"\\\1", name)
