"""Spark's settings, what it reads from the environment, and what it leaves."""

import os
import stat
import subprocess
import sys
import tempfile
from pathlib import Path
from zipfile import ZipFile

import pytest
from pyspark import SparkContext

from ingest.session import FOLDER, LOCAL_SETTINGS, PYTHON, choose_sockets, name_remedy, prepare_environment

TWICE = """
import sys
from ingest.session import close_context, open_context
for number in (1, 2):
    context = open_context("local[1]", {"spark.app.name": f"run {number}"})
    print(context.appName, context.parallelize(range(10), 1).sum())
    close_context(context)
context = open_context(None, {"spark.master": "local[1]"}, "workers.zip")
print(context.getConf().get("spark.archives"), context.getConf().get("spark.executorEnv.PYTHONPATH"))
close_context(context)
print("pandas" in sys.modules)
"""


def test_a_local_context_has_the_settings_of_local_runs_and_of_the_test(spark: SparkContext):
    found = dict(spark.getConf().getAll())
    assert found["spark.driver.host"] == LOCAL_SETTINGS["spark.driver.host"]
    assert found["spark.driver.memory"] == "1g"


def test_tasks_of_a_local_context_run_this_python_in_utc(spark: SparkContext):
    assert spark.parallelize([0]).map(lambda _: (sys.executable, os.environ["TZ"])).first() == (
        sys.executable,
        "UTC",
    )


def test_spark_can_be_opened_again_in_one_process_ships_an_archive_and_leaves_no_folder(tmp_path: Path):
    with ZipFile(tmp_path / "workers.zip", "w") as archive:
        archive.writestr("module.py", "")
    done = subprocess.run(
        [sys.executable, "-c", TWICE],
        env=os.environ | {"TMPDIR": str(tmp_path)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.splitlines() == ["run 1 45", "run 2 45", f"workers.zip#{FOLDER} {FOLDER}", "False"], (
        done.stderr
    )
    assert not list(tmp_path.glob("headgate-spark-*"))


@pytest.mark.parametrize(("name", "fits"), [("t", "true"), ("t" * 60, "false")])
def test_sockets_lie_in_a_private_folder_and_are_left_out_where_its_path_is_too_long(
    monkeypatch: pytest.MonkeyPatch, name: str, fits: str
):
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        (Path(folder) / name).mkdir()
        monkeypatch.setattr(tempfile, "tempdir", str(Path(folder) / name))
        chosen = choose_sockets()
        assert stat.S_IMODE(Path(chosen["spark.python.unix.domain.socket.dir"]).stat().st_mode) == 0o700
    assert chosen["spark.python.unix.domain.socket.enabled"] == fits


@pytest.mark.parametrize(
    ("error", "told"),
    [
        ("  File \"t.py\"\nModuleNotFoundError: No module named 'numpy'\n", "(No module named 'numpy)"),
        (
            "[PYTHON_VERSION_MISMATCH] Python in worker has different version: 3.9",
            "(PYTHON_VERSION_MISMATCH)",
        ),
        (
            'java.io.IOException: Cannot run program "python3.11": error=2',
            '(Cannot run program "python3.11")',
        ),
    ],
)
def test_executors_with_an_unfit_python_are_told_of_in_one_line_that_names_the_remedy(error: str, told: str):
    remedy = name_remedy(error)
    assert remedy
    assert remedy.startswith(f"the executors cannot run this job {told}: give them {PYTHON} and the archive")
    assert "\n" not in remedy
    assert "--worker-archive" in remedy


def test_other_failures_have_no_such_remedy():
    assert name_remedy('Cannot run program "java": error=2') is None
    assert FOLDER.isidentifier(), "it stands in a path without quotes"


@pytest.mark.parametrize("is_local", [True, False])
def test_what_is_set_in_the_environment_stays_but_for_the_python_of_a_local_run(
    monkeypatch: pytest.MonkeyPatch,
    is_local: bool,  # noqa: FBT001
):
    monkeypatch.delenv("SPARK_LOCAL_IP", raising=False)
    monkeypatch.setenv("PYSPARK_PYTHON", "python3.99")
    monkeypatch.setenv("TZ", "Asia/Kolkata")
    monkeypatch.setenv("JAVA_HOME", os.environ.get("JAVA_HOME", ""))
    prepare_environment(is_local=is_local)
    assert os.environ["TZ"] == "Asia/Kolkata"
    assert (Path(os.environ["JAVA_HOME"]) / "bin" / "java").exists()
    assert os.environ.get("PYSPARK_PYTHON") == (sys.executable if is_local else "python3.99")
    assert os.environ.get("SPARK_LOCAL_IP") == ("127.0.0.1" if is_local else None)
    monkeypatch.setenv("SPARK_LOCAL_IP", os.environ.get("SPARK_LOCAL_IP", ""))  # taken back at the end
