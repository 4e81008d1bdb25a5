"""How commands end: exit codes, messages on standard error, settings that cannot be used."""

import gc
import os

import pytest
import typer

from app.terminal.commands import (
    CAPACITY_SHORT,
    UNUSABLE_INPUT,
    Refused,
    collecting_no_garbage,
    fail,
    keep_blas_to_one_thread,
    load_settings,
    run_or_fail,
)


def test_a_failure_is_said_on_standard_error(capsys: pytest.CaptureFixture[str]):
    ended = fail("no such thing", 7)
    assert (ended.exit_code, capsys.readouterr()) == (7, ("", "headgate: no such thing\n"))


@pytest.mark.parametrize(("is_capacity", "code"), [(True, CAPACITY_SHORT), (False, UNUSABLE_INPUT)])
def test_a_refusal_ends_with_1_only_where_capacity_is_short(code: int, *, is_capacity: bool):
    def refuse() -> None:
        raise Refused("no", is_capacity=is_capacity)

    with pytest.raises(typer.Exit) as ended:
        run_or_fail(refuse)
    assert ended.value.exit_code == code


def test_arguments_reach_the_function_and_its_answer_comes_back():
    assert run_or_fail(divmod, 7, 2) == (3, 1)


def test_the_command_line_comes_before_the_environment(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HEADGATE_PORT", "7001")
    assert load_settings(port=7002, host=None).port == 7002
    assert load_settings(port=None).port == 7001


def test_a_setting_that_cannot_be_used_is_named_with_its_value(capsys: pytest.CaptureFixture[str]):
    with pytest.raises(typer.Exit):
        load_settings(port="seventy")
    said = capsys.readouterr().err
    assert "HEADGATE_PORT" in said
    assert "seventy" in said


def test_threads_of_blas_stay_as_the_environment_says(monkeypatch: pytest.MonkeyPatch):

    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "3")
    keep_blas_to_one_thread()
    assert os.environ["OPENBLAS_NUM_THREADS"] == "3"
    monkeypatch.delenv("OPENBLAS_NUM_THREADS")
    keep_blas_to_one_thread()
    assert os.environ["OPENBLAS_NUM_THREADS"] == "1"


def test_garbage_is_collected_again_after_modules_were_loaded():
    with collecting_no_garbage():
        assert not gc.isenabled()
    assert gc.isenabled()
