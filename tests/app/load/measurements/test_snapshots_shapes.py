"""Bursts, instances and histograms of snapshots are stored apart, shown as sent, and read of the newest."""

from typing import Any

import httpx
from hypothesis import given
from hypothesis import strategies as st

from app.load.bodies.load import FPD_MEASURED, OperatorLoadBody
from app.load.measurements.snapshots import MOST_SHAPES, add_shapes, join_operators, split_operators
from planner.values import OperatorLoad
from tests.app.load.snapshots.test_routes import read_all, snapshot

POINTS = [{"window_seconds": 0.5, "idc": 1.5}, {"window_seconds": 1.0, "idc": 2.5}]
SHAPED: dict[str, Any] = {
    "service_rate": 80.0,
    "processors": 6,
    "measured_wait_seconds": 0.25,
    "arrival_idc": POINTS,
    "instances": [
        {"instance": "b", "share": 0.25},
        {"instance": "a", "share": 0.75, "arrival_scv": 2.0, "arrival_idc": POINTS},
    ],
    "service_histogram": [{"upper_seconds": 0.01, "count": 3}, {"upper_seconds": 0.02, "count": 1}],
}


@given(kept=st.sets(st.sampled_from(sorted(SHAPED))), other=st.sets(st.sampled_from(sorted(SHAPED))))
def test_what_is_stored_apart_comes_together_again(kept: set[str], other: set[str]):
    sent = {name: {key: SHAPED[key] for key in keys} for name, keys in (("a", kept), ("b", other))}
    stored = split_operators(sent)
    assert join_operators(**stored) == sent
    assert (stored["shapes"] is None) == all(key not in str(sent) for key in ("idc", "share", "upper"))


def test_stored_shapes_are_the_values_that_the_body_gives():
    body = OperatorLoadBody.model_validate(SHAPED)
    document = body.model_dump(exclude_none=True)
    known = body.to_values()
    bare = known._replace(arrival_idc=(), instances=(), service_histogram=())
    assert add_shapes(bare, document) == known
    assert [one.instance for one in known.instances] == ["a", "b"]
    assert add_shapes(OperatorLoad(1.0), {}) == OperatorLoad(1.0)


def test_a_posted_snapshot_is_shown_with_all_that_was_measured(client: httpx.Client, stored: str):
    url = f"/v1/topologies/{stored}/snapshots"
    sent = snapshot(1, measured_completion_seconds=0.3, operators={"generator": SHAPED, "detector": {}})
    client.post(url, json=[sent]).raise_for_status()
    shown = read_all(client, url)[-1]
    assert shown["measured_completion_seconds"] == 0.3
    assert OperatorLoadBody.model_validate(
        shown["operators"]["generator"]
    ) == OperatorLoadBody.model_validate(SHAPED)
    assert shown["operators"]["detector"]["arrival_idc"] == []
    client.post(url, json=[snapshot(1)]).raise_for_status()
    again = read_all(client, url)[-1]
    assert again["measured_completion_seconds"] is None
    assert again["operators"]["generator"]["service_histogram"] == [], (
        "the same interval again replaces all of it"
    )


def test_shapes_are_read_of_the_newest_snapshots_and_that_is_said(client: httpx.Client, stored: str):
    url = f"/v1/topologies/{stored}"
    measured = FPD_MEASURED | {"generator": SHAPED}
    sent = [snapshot(n, operators=measured) for n in range(1, MOST_SHAPES + 2)]
    client.post(f"{url}/snapshots", json=sent).raise_for_status()
    codes = []
    for size in (MOST_SHAPES, MOST_SHAPES + 1):
        smoothing = {"smoothing": {"kind": "window", "size": size}}
        answer = client.post(f"{url}/estimate", json=smoothing).raise_for_status().json()
        codes.append({said["code"] for said in answer["diagnostics"]} & {"shapes-of-the-newest"})
        assert answer["basis"]["snapshots"] == size
    assert codes == [set(), {"shapes-of-the-newest"}]
