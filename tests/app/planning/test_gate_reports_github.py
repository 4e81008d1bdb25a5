"""Annotations and Markdown as GitHub reads them."""

from app.planning.gate_reports import render_annotations, render_markdown, render_problem_annotation
from tests.app.rendering.verdicts import judge_fpd


def test_a_pass_is_one_notice_and_each_failed_check_an_error():
    assert render_annotations(judge_fpd()).startswith("::notice title=Headgate%3A pass::")
    failed = judge_fpd(rate_factor=1.5)
    lines = render_annotations(failed).splitlines()
    assert len(lines) == sum(not check.passed for check in failed.checks) > 0
    assert all(line.startswith("::error title=Headgate%3A ") for line in lines)


def test_a_message_stays_on_its_line():
    assert (
        render_problem_annotation("50%\nof all")
        == "::error title=Headgate%3A could not judge::50%25%0Aof all\n"
    )


def test_markdown_has_a_row_for_each_check():
    answer = judge_fpd(rate_factor=1.5)
    text = render_markdown(answer)
    assert [
        line.split(" | ")[0] for line in text.splitlines() if "| pass |" in line or "| FAIL |" in line
    ] == [f"| {check.name}" for check in answer.checks]
