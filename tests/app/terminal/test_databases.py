"""The database of a command: named before it is used, and an unusable one is a sentence and an exit code."""

import subprocess
from pathlib import Path

from tests.app.processes import environment

HEADGATE = str(Path(".venv/bin/headgate").resolve())


def run(*arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [HEADGATE, *arguments], env=environment(**settings), capture_output=True, text=True, check=False
    )


def test_a_database_that_does_not_answer_is_said_in_a_sentence():
    done = run("demo", database_url="postgresql://nobody@127.0.0.1:9/none")
    assert done.returncode == 1
    assert "the database cannot be used" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_database_is_named_before_it_is_used(empty_database_url: str):
    done = run("prune", "--older-than", "1d", database_url=empty_database_url)
    assert done.returncode == 0, done.stderr
    assert "deletes from" in done.stderr
