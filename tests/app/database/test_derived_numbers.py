"""What is left out of a document is put back exactly; numbers that do not follow from those beside them stay."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from app.database.derived_numbers import LEFT_OUT, leave_out, put_back

NUMBERS = (
    st.none()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from([0.0, -0.0, 1.0, 2.0, 1e308])
)
FIELDS = ("arrival_rate", "service_rate", "wait_seconds", "delay_seconds", "utilisation", "sojourn_seconds")
OPERATORS = st.fixed_dictionaries(
    {"processors": st.none() | st.integers(-3, 3) | st.just(10**400)},
    optional=dict.fromkeys(FIELDS, NUMBERS),
)


@given(st.lists(OPERATORS | st.dictionaries(st.text(max_size=2), OPERATORS, max_size=2), max_size=3))
def test_what_is_left_out_is_put_back_exactly(operators: list[dict[str, Any]]):
    document = {"current": {"operators": operators}, "name": "clicks"}
    assert repr(put_back(leave_out(document))) == repr(document)


def test_what_follows_from_rates_processors_and_wait_is_left_out():
    rates = {"arrival_rate": 100.0 / 3.0, "service_rate": 7.1, "processors": 6, "wait_seconds": 0.013}
    follows = {"utilisation": 100.0 / 3.0 / 7.1 / 6, "sojourn_seconds": 0.013 + 1.0 / 7.1}
    later = {"delay_seconds": 0.02, "sojourn_seconds": follows["sojourn_seconds"] + 0.02}
    thin = leave_out([rates | follows, rates | follows | later, rates | {"utilisation": 0.5}, follows])
    assert thin == [
        rates | dict.fromkeys(follows, LEFT_OUT),
        rates | later | dict.fromkeys(follows, LEFT_OUT),
        rates | {"utilisation": 0.5},
        follows,
    ]
    assert json.loads(json.dumps(thin)) == thin
