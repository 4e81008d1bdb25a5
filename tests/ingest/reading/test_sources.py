"""Which files a run reads."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ingest.reading.records import Reject, number_rejects
from ingest.reading.sources import SourceNotFound, find_sources
from tests.ingest.records import good, parse

ODD = "odd [name] {1}*.jsonl"


def write(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(good())


def list_names(folder: Path, *paths: str, day: str | None = None) -> list[str]:
    files = find_sources([str(folder / path) for path in paths], day).files
    return [str(Path(file.path).relative_to(folder)) for file in files]


def test_hidden_and_empty_files_are_no_logs(tmp_path: Path):
    write(tmp_path, "_SUCCESS", ".a.jsonl.crc", "_temporary/b.jsonl", ODD, "deep/er/c.jsonl")
    (tmp_path / "empty.parquet").touch()
    (tmp_path / "gone.jsonl").symlink_to(tmp_path / "absent")
    assert list_names(tmp_path, "") == ["deep/er/c.jsonl", ODD]
    assert len(parse(tmp_path)) == 2
    assert list_names(tmp_path, "_temporary") == ["_temporary/b.jsonl"], "asked for by name"


def test_paths_are_files_folders_globs_and_urls(tmp_path: Path):
    write(tmp_path, ODD, "a1.jsonl", "a2.jsonl", "b/c.jsonl", "x{y}.jsonl")
    assert list_names(tmp_path, ODD, "b") == ["b/c.jsonl", ODD]
    assert list_names(tmp_path, "a*.jsonl", "a1.jsonl", "./b/../a1.jsonl") == ["a1.jsonl", "a2.jsonl"]
    assert list_names(tmp_path, "{a1,b/c}.json?", "x{y}.jsonl") == ["a1.jsonl", "b/c.jsonl", "x{y}.jsonl"]
    for scheme in ("file:", "file://"):
        sources = find_sources([f"{scheme}{tmp_path}/b"], None)
        assert (sources.roots, len(sources.files)) == ((f"file:{tmp_path}/b",), 1)


def test_a_relative_path_is_made_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    write(tmp_path, "logs/a.jsonl")
    monkeypatch.chdir(tmp_path / "logs")
    assert find_sources([".", "../logs"], None).roots == (f"file:{tmp_path}/logs",)
    assert find_sources(["a.jsonl"], None).files[0].path == f"{tmp_path}/logs/a.jsonl"


def test_linked_folders_are_read(tmp_path: Path):
    write(tmp_path, "far/a.jsonl")
    (tmp_path / "near").mkdir()
    (tmp_path / "near" / "link").symlink_to(tmp_path / "far")
    assert list_names(tmp_path, "near") == ["near/link/a.jsonl"]


def test_folders_of_other_days_are_not_read(tmp_path: Path):
    write(tmp_path, "dt=2026-11-17/a.jsonl", "dt=2026-11-18/b.jsonl", "c.jsonl", "x/dt=2026-11-18/y/d.jsonl")
    assert list_names(tmp_path, "", day="2026-11-18") == [
        "c.jsonl",
        "dt=2026-11-18/b.jsonl",
        "x/dt=2026-11-18/y/d.jsonl",
    ]
    assert list_names(tmp_path, "dt=2026-11-17", day="2026-11-18") == []


@pytest.mark.parametrize("path", ["absent", "absent*", "a.jsonl/b"])
def test_a_wrong_path_is_told(tmp_path: Path, path: str):
    write(tmp_path, "a.jsonl")
    with pytest.raises(SourceNotFound, match=r"does not exist: give a file, a folder or a URL"):
        find_sources([str(tmp_path), str(tmp_path / path)], None)


def test_a_link_to_a_folder_above_is_not_followed(tmp_path: Path):
    """Else all below it is read forty times, and counted as duplicates."""
    write(tmp_path, "log/a.jsonl", "elsewhere/b.jsonl")
    for name, target in (("loop", "."), ("other", "../elsewhere"), ("absent", "nowhere")):
        (tmp_path / "log" / name).symlink_to(target)
    assert list_names(tmp_path, "log") == ["log/a.jsonl", "log/other/b.jsonl"]


def test_a_folder_that_may_not_be_read_is_told():
    """Passed over, its records would be missing in the windows that the run replaces."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        Path(folder, "closed").mkdir(mode=0o000)
        Path(folder, ".hidden").mkdir(mode=0o000)
        with as_ordinary_user(), pytest.raises(SourceNotFound, match=r"cannot be listed .*closed"):
            find_sources([folder], None)


@contextmanager
def as_ordinary_user() -> Iterator[None]:
    """Root may read everything."""
    user = os.geteuid()
    try:
        os.seteuid(user or 65_534)
        yield
    finally:
        os.seteuid(user)


def test_names_that_are_no_text_are_read_and_shown(tmp_path: Path):
    """As older systems write them, in Latin-1; Postgres stores nothing but UTF-8."""
    name = os.fsdecode(b"caf\xe9")
    write(tmp_path, f"{name}/a.jsonl")
    found = find_sources([str(tmp_path / name)], None)
    assert Path(found.files[0].path).read_text() == good()
    assert found.roots == (f"file:{tmp_path}/caf\ufffd",)
    (shown,) = number_rejects([(found.files[0].path, 0, 1, [Reject(0, "r", "t")])])
    assert shown == (f"{tmp_path}/caf\ufffd/a.jsonl", 1, "r", "t")


def test_a_path_that_no_system_takes_is_told():
    with pytest.raises(SourceNotFound, match="cannot be listed"):
        find_sources(["x" * 5000], None)


def test_nothing_to_read_is_no_fault(tmp_path: Path):
    assert find_sources([str(tmp_path)], None).files == ()


@pytest.mark.parametrize(
    ("name", "kind", "compression", "needs_spark"),
    [
        ("a.jsonl", "json", None, False),
        ("a", "json", None, False),
        ("a.csv.log", "json", None, False),
        ("A.CSV.GZ", "csv", "gzip", False),
        ("a.json.bz2", "json", "bz2", False),
        ("a.csv.zst", "csv", "zstd", False),
        ("a.csv.lz4", "csv", None, True),
        ("a.snappy.parquet", "parquet", None, False),
        ("a.parquet.gz", "parquet", None, False),
        ("a.pq", "parquet", None, False),
    ],
)
def test_the_name_says_what_a_file_holds(
    tmp_path: Path,
    name: str,
    kind: str,
    compression: str | None,
    needs_spark: bool,  # noqa: FBT001
):
    write(tmp_path, name)
    (file,) = find_sources([str(tmp_path)], None).files
    path = f"file:{tmp_path}/{name}" if needs_spark else f"{tmp_path}/{name}"
    assert file == (path, len(good()), kind, compression, needs_spark)


def test_records_are_guessed_from_sizes(tmp_path: Path):
    (tmp_path / "a.jsonl").write_text("x" * 20_000)
    (tmp_path / "b.jsonl.gz").write_text("x" * 2_500)
    assert find_sources([str(tmp_path)], None).count_records() == 200
