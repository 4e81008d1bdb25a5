"""A value of the wrong type is shown with its type, and with what to write where that is clear."""

import httpx
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from app.web.problems.validation import show, spell_number
from tests.app.web.refusals import PLAN, assert_refused, changed

FOUND = [
    ("#/load/external_rate", "1e3", 'the text "1e3"', "without quotes: 1e3"),
    ("#/load/external_rate", [1], "a list", ""),
    ("#/load/external_rate", -1, "the number -1", "greater than or equal to 0"),
    ("#/load/operators/a/service_rate", {}, "an object", ""),
    ("#/topology/operators/0/name", False, "false", 'in quotes: "false"'),
    ("#/topology/operators/0/name", "x" * 10_000, "x" * 60 + "…", "200"),
    ("#/topology/operators/0/name", "a\u202eb", "\\u202e", "printable"),
    ("#/topology/operators/0/stateful", "yes", 'the text "yes"', "true or false"),
    ("#/k_max", 3.0, "the number 3.0", "point: 3"),
    ("#/k_max", None, "null", ""),
    ("#/model", "gkk", 'the text "gkk"', "Did you mean 'ggk'?"),
]


@pytest.mark.parametrize(("where", "value", "shown", "advice"), FOUND)
def test_a_value_of_the_wrong_kind_is_shown_with_what_to_write(
    client: httpx.Client, where: str, value: object, shown: str, advice: str
):
    problem = assert_refused(client.post("/v1/plans/min-latency", json=changed(PLAN, where, value)), [where])
    assert shown in problem["detail"]
    assert advice in problem["detail"]
    assert len(problem["detail"]) < 400
    assert problem["errors"][0]["detail"] in problem["detail"]


def test_a_parameter_of_the_wrong_kind_is_shown(client: httpx.Client, stored: str):
    problem = assert_refused(client.get(f"/v1/topologies/{stored}/plans?limit=ten"), ["?limit"])
    assert 'found the text "ten"' in problem["detail"]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "null"),
        (True, "true"),
        (7, "the number 7"),
        (1e30, "the number 1e+30"),
        (10**500, "a number with too many digits to show"),
        ("1e3", 'the text "1e3"'),
        ("x" * 61, 'the text "' + "x" * 60 + '…"'),
        ("é", 'the text "é"'),
        ("a\u202eb", 'the text "a\\u202eb"'),
        ({"a": 1}, "an object"),
        ([1], "a list"),
    ],
)
def test_a_value_is_shown_as_in_json_with_its_type(value: object, shown: str):
    assert show(value) == shown


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_is_spelled_so_that_yaml_reads_it_as_that_number(number: float):
    for spelled in spell_number(number, is_whole=False).split(" or "):
        assert yaml.safe_load(spelled) == number
        assert isinstance(yaml.safe_load(spelled), float)


@pytest.mark.parametrize(
    ("where", "value", "said"),
    [
        ("#/load/operators/a/service_rate", 0, "Must be greater than or equal to 1e-15; found the number 0."),
        ("#/load/external_rate", 1e16, "Must be less than or equal to 1e+15; found the number 1e+16."),
        (
            "#/k_max",
            10**13,
            "Must be less than or equal to 1,000,000,000,000; found the number 10000000000000.",
        ),
        ("#/topology", 7, "Must be an object; found the number 7."),
        ("#/load/operators", 7, "Must be an object; found the number 7."),
        ("#/topology/operators", 7, "Must be a list; found the number 7."),
    ],
)
def test_a_bound_or_a_kind_is_written_as_people_do(
    client: httpx.Client, where: str, value: object, said: str
):
    problem = assert_refused(client.post("/v1/plans/min-latency", json=changed(PLAN, where, value)), [where])
    assert problem["errors"][0]["detail"] == said
