"""Fixtures of the tests on real engines (`make test-engines`): one Flink for all, and the tables that they print."""

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.engines.flink_cluster import Flink, running_flink
from tests.engines.flink_jobs import Job, JobPlan, StartJob, compile_jar, start_job, upload

SLOTS = 80  # enough for ten jobs at once
LINES: list[str] = []


@pytest.fixture(scope="session")
def flink() -> Iterator[Flink]:
    """A real Flink with the adaptive scheduler."""
    with (
        tempfile.TemporaryDirectory(prefix="headgate-flink-") as folder,
        running_flink(Path(folder), SLOTS) as one,
    ):
        yield one


@pytest.fixture(scope="session")
def jar(flink: Flink) -> str:
    """What the cluster calls the jar with the test's job."""
    return upload(flink, compile_jar(flink.folder))


@pytest.fixture(scope="module")
def start(flink: Flink, jar: str) -> Iterator[StartJob]:
    """Starts jobs that end with the module."""
    started = []

    def start_one(plan: JobPlan) -> Job:
        job = start_job(flink, jar, plan)
        started.append(job)
        return job

    yield start_one
    for job in started:
        job.cancel()


@pytest.fixture
def report(request: pytest.FixtureRequest) -> Callable[[str], None]:
    """Keeps a line for the end of the run, where it is printed whether tests pass or not."""
    return lambda line: request.node.user_properties.append(("line", line))


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Collects the lines of a test, also from the process that ran it."""
    if report.when == "teardown":
        LINES.extend(str(line) for name, line in report.user_properties if name == "line")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Prints what tests have measured."""
    for line in LINES:
        terminalreporter.write_line(line)
