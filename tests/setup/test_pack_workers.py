"""What `make workers` packs; tests/ingest/test_cluster.py runs the job from it."""

import importlib.util
import re
import zipfile
from importlib.metadata import version
from pathlib import Path

import pytest

PATH = Path(__file__).parents[2] / "tools" / "pack_workers.py"
SPEC = importlib.util.spec_from_file_location("pack_workers", PATH)
assert SPEC
assert SPEC.loader
packer = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(packer)


def test_the_archive_has_the_packages_and_our_modules_without_tests_and_bytecode():
    names = {name for name, _ in packer.list_files()}
    assert {"ingest/rollup.py", "numpy/__init__.py", "pyarrow/parquet/__init__.py"} <= names
    assert f"duckdb-{version('duckdb')}.dist-info/METADATA" in names
    assert not [name for name in names if re.search(r"^/|(^|/)(\.\.|tests|__pycache__)(/|$)|\.pyc$", name)]


def test_what_a_package_requires_is_packed_too_but_not_its_extras():
    found = packer.add_required({"sqlalchemy"})
    assert {"sqlalchemy", "typing-extensions"} <= found
    assert "psycopg" not in found


def test_the_same_packages_make_the_same_bytes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setattr(packer, "PACKAGES", {"packaging"})
    for name in ("one.zip", "two.zip"):
        packer.pack(tmp_path / name)
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "one.zip") as archive:
        assert archive.testzip() is None
        assert "packaging/version.py" in archive.namelist()
