"""`headgate completion`: what a shell is told, by the shell itself."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.app.processes import HEADGATE, environment
from tests.app.test_cli import run_here

COMPLETE = """
source <(headgate completion bash)
COMP_WORDS=(headgate {words}) COMP_CWORD={place}
_headgate_completion headgate
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


def complete_in_bash(*words: str) -> list[str]:
    """What a real bash offers for the last of these words."""
    bash = shutil.which("bash")
    assert bash is not None
    shown = subprocess.run(
        [bash, "-c", COMPLETE.format(words=" ".join(words), place=len(words))],
        env=environment() | {"PATH": f"{Path(HEADGATE).parent}:/usr/bin:/bin"},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return shown.stdout.split()


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["pl"], ["plan", "place"]),
        (["plan", "min-p"], ["min-processors"]),
        (["status", "--wa"], ["--watch"]),
        (["decide", "clicks", "--output", "y"], ["yaml"]),
    ],
)
def test_bash_offers_what_fits(words: list[str], offered: list[str]):
    assert complete_in_bash(*words) == offered


@pytest.mark.parametrize(
    ("shell", "part"), [("zsh", "#compdef headgate"), ("fish", "complete --command headgate")]
)
def test_other_shells_have_a_script_too(shell: str, part: str):
    assert part in run_here("completion", shell).stdout


def test_an_unknown_shell_is_refused():
    ended = run_here("completion", "tcsh")
    assert ended.exit_code == 2
    assert "bash" in ended.stderr
