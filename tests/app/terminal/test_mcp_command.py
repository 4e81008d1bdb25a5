"""`headgate mcp` without what it needs says what to install."""

import pytest

from app import cli
from tests.app.test_cli import run_here


def test_help_names_the_key_that_stores():
    shown = " ".join(run_here("mcp", "--help").stdout.split())
    assert "--storing-key TEXT" in shown
    assert "without it no tool stores anything" in shown


def test_what_is_missing_is_named_with_its_extra(capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as ended:
        cli.refuse_missing(ModuleNotFoundError(name="mcp.server"))
    assert ended.value.code == cli.NOT_INSTALLED
    assert "pip install 'headgate[mcp]'" in capsys.readouterr().err
