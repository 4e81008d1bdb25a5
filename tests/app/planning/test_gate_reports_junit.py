"""JUnit reports, read back by an XML parser."""

from xml.etree import ElementTree as ET

from app.planning.gate_reports import render_junit, render_junit_problem
from tests.app.rendering.verdicts import judge_fpd


def test_each_check_is_a_case_and_each_failed_check_a_failure():
    answer = judge_fpd(rate_factor=1.5)
    suites = ET.fromstring(render_junit(answer))
    cases = {case.get("name"): case.find("failure") is None for case in suites.iter("testcase")}
    assert cases == {check.name: check.passed for check in answer.checks}
    assert suites.get("failures") == str(sum(not check.passed for check in answer.checks)) != "0"


def test_a_reason_with_markup_and_control_characters_stays_readable_xml():
    error = ET.fromstring(render_junit_problem("<a> & \x1b[0m")).find(".//error")
    assert error is not None
    assert error.text == "<a> & �[0m"
