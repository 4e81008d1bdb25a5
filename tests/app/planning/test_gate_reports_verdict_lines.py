"""The lines that every report has."""

from app.planning.gate_reports import list_findings, summarise
from planner.wording import write_number, write_rate
from tests.app.rendering.verdicts import judge_fpd


def test_the_first_line_says_the_verdict_and_what_was_judged():
    passed, failed = judge_fpd(), judge_fpd(rate_factor=1.5)
    assert summarise(passed).startswith(f"pass: {passed.processors_total} processors")
    assert summarise(failed).startswith(f"FAIL: {failed.processors_total} processors")
    assert f"at {write_number(failed.external_rate)} tuples/s" in summarise(failed)


def test_the_findings_name_headroom_and_binding_operator():
    answer = judge_fpd()
    assert answer.headroom_rate is not None
    said = f"{answer.processors_total} processors meet the target up to {write_rate(answer.headroom_rate, down=True)}"
    assert said in list_findings(answer)[0]
    assert list_findings(answer)[1] == f"binding operator: {answer.binding_operator}"
