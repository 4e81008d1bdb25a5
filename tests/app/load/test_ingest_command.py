"""`headgate ingest` and `headgate prune`: words that cannot be used, and what is deleted."""

import httpx
import pytest

from tests.app.test_cli import run, run_here


@pytest.mark.parametrize(
    ("age", "said"),
    [(one, "write a time such as") for one in ("long", "d", "-1d", "٣d", "90 years")]
    + [(one, "give at least 1 h, at most") for one in ("90", "59m", "999999d")],
)
def test_an_age_that_cannot_be_meant_is_refused_before_the_database_is_opened(age: str, said: str):
    ended = run_here("prune", f"--older-than={age}")
    assert ended.exit_code == 2
    assert said in " ".join(ended.stderr.replace("│", " ").split())
    assert "Traceback" not in ended.stderr


def test_what_people_posted_stays(client: httpx.Client, database_url: str, stored: str):
    ended = run("prune", "--older-than", "36h", database_url=database_url)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.startswith("pruned ")
    assert len(client.get(f"/v1/topologies/{stored}/snapshots").json()["items"]) == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--date", "someday"], "write 2026-11-18, or yesterday"),
        (["--max-rejected", "many"], "write 5% or 0.05"),
        (["--window-seconds", "1.5"], "1.5 s is no whole number of seconds"),
        (["--window-seconds", "2d"], "give at least 1 s, at most"),
        (["--window-seconds", "5m", "--date", "someday"], "write 2026-11-18"),
        (["--max-records-in-memory", "9999"], "Input should be greater than or"),
    ],
)
def test_options_of_the_ingest_are_checked_before_spark_starts(arguments: list[str], said: str):
    ended = run_here("ingest", "absent-file", *arguments)
    assert ended.exit_code == 2
    assert said in ended.stderr


def test_a_database_that_does_not_answer_ends_with_1():
    ended = run("prune", "--older-than", "90d", database_url="postgresql://headgate@127.0.0.1:1/none")
    assert ended.returncode == 1
    assert "the database cannot be used" in ended.stderr
