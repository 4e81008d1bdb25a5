"""Simulations over HTTP: at once and as jobs, what comes out, what is refused."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from pydantic import JsonValue

from app.jobs.workers.simulation_run import run_simulation
from planner.simulation.simulate import simulate
from tests.app.processes import serving, wait_until
from tests.app.simulation_examples import BURSTS, CHAIN, make_simulation_job, without_seconds

QUEUED = {
    "simulation_events_at_once": "100000",
    "max_simulation_events": "1000000",
    "api_keys": "the-owners-secret,the-readers-secret:read",
}
AS_OWNER, AS_READER = (
    {"Authorization": "Bearer the-owners-secret"},
    {"Authorization": "Bearer the-readers-secret"},
)


@pytest.fixture(scope="module")
def queueing_client(postgres_url: str) -> Iterator[httpx.Client]:
    """A client of a service that answers only very short simulations at once."""
    with (
        serving(postgres_url, **QUEUED) as service,
        httpx.Client(base_url=service.url, timeout=60, headers=AS_OWNER) as client,
    ):
        yield client


def ask(client: httpx.Client, **changes: Any) -> dict[str, Any]:
    """The answer at once."""
    found = client.post("/v1/simulations", json=CHAIN | changes)
    assert found.status_code == 200, found.text
    answer: dict[str, Any] = found.json()
    return answer


def wait_until_done(client: httpx.Client, address: str) -> dict[str, Any]:
    wait_until(lambda: client.get(address).json()["finished_at"], f"{address} is finished")
    job: dict[str, Any] = client.get(address).json()
    return job


DESCRIBED = {name: CHAIN[name] for name in ("topology", "load")}


def test_the_answer_is_the_planners_with_the_models_numbers_beside_it(client: httpx.Client):
    answer = ask(client)
    job = make_simulation_job()
    found = simulate(job.topology, job.load, {"parse": 4, "score": 8}, roots=20_000, seed=7)
    estimate = client.post("/v1/estimate", json=DESCRIBED).json()
    modelled = estimate["expected_sojourn_seconds"]
    assert (answer["events"], answer["roots"], answer["seed"]) == (found.events, 20_000, 7)
    assert answer["seconds"] > 0
    total = answer["total"]
    assert (total["mean_seconds"], total["modelled_mean_seconds"]) == (found.total.mean_seconds, modelled)
    assert total["model_error"] == pytest.approx(modelled / found.total.mean_seconds - 1)
    both = zip(found.operators, estimate["operators"], strict=True)
    for one, (simulated, model) in zip(answer["operators"], both, strict=True):
        assert one["wait_seconds"] == simulated.wait_seconds
        assert one["half_width_seconds"] == simulated.half_width_seconds
        assert one["modelled_wait_seconds"] == model["wait_seconds"]
        assert one["model_error"] == pytest.approx(model["wait_seconds"] / simulated.wait_seconds - 1)
    assert [one["queueing"] for one in answer["operators"]] == ["shared", "round-robin"]


def test_quantiles_have_those_of_the_estimate_beside_them(client: httpx.Client):
    answer = ask(client, quantiles=[0.5, 0.99])
    job = make_simulation_job()
    found = simulate(
        job.topology, job.load, {"parse": 4, "score": 8}, roots=20_000, seed=7, levels=[0.5, 0.99]
    )
    estimate = client.post("/v1/estimate", json=DESCRIBED | {"quantiles": [0.5, 0.99]}).json()
    for name, measured in (("total", found.total), ("completion", found.completion)):
        both = zip(measured.quantiles, estimate[name]["quantiles"], strict=True)
        for one, (simulated, model) in zip(answer[name]["quantiles"], both, strict=True):
            assert (one["quantile"], one["seconds"]) == (simulated.quantile, simulated.seconds)
            assert one["modelled_seconds"] == model["seconds"]
            assert one["model_error"] == pytest.approx(model["seconds"] / simulated.seconds - 1)
    assert answer["completion"]["modelled_mean_seconds"] == estimate["completion"]["mean_seconds"]


def test_a_seed_decides_everything_but_the_time_it_took(client: httpx.Client):
    assert without_seconds(ask(client)) == without_seconds(ask(client))
    assert ask(client, seed=8)["total"]["mean_seconds"] != ask(client)["total"]["mean_seconds"]


@pytest.mark.parametrize(
    ("changes", "kind"),
    [
        ({"arrivals": BURSTS}, "mmpp"),
        ({"arrivals": {"kind": "series", "counts": [100, 300, 0] * 70, "interval_seconds": 1.0}}, "series"),
        (
            {
                "arrivals": {"kind": "deterministic"},
                "services": {"parse": {"kind": "deterministic"}, "score": {"kind": "gamma", "scv": 0.3}},
            },
            "deterministic",
        ),
    ],
)
def test_arrivals_and_services_are_those_asked_for(client: httpx.Client, changes: dict[str, Any], kind: str):
    answer = ask(client, **changes)
    job = make_simulation_job(**changes)
    assert job.arrivals.kind == kind
    assert without_seconds(answer) == without_seconds(run_simulation(job).model_dump(mode="json"))
    assert "arrivals-differ" in [one["code"] for one in answer["diagnostics"]]


def test_the_model_gets_the_services_that_are_simulated(client: httpx.Client):
    services = {
        "parse": {"kind": "deterministic", "mean_seconds": 0.03},
        "score": {
            "kind": "histogram",
            "buckets": [{"upper_seconds": 0.03, "count": 3}, {"upper_seconds": 0.04, "count": 1}],
        },
    }
    answer = ask(client, services=services)
    load = CHAIN["load"] | {
        "operators": {
            "parse": {"service_rate": 1 / 0.03, "service_scv": 0.0, "processors": 4},
            # Within a bucket all times are equally likely: mean (3·15 + 35)/4 ms, second moment (3·300 + 3700/3)/4 ms².
            "score": {"service_rate": 50.0, "service_scv": 1 / 3, "processors": 8},
        }
    }
    estimate = client.post("/v1/estimate", json={"topology": CHAIN["topology"], "load": load}).json()
    assert answer["total"]["modelled_mean_seconds"] == pytest.approx(
        estimate["expected_sojourn_seconds"], rel=1e-9
    )


def test_only_the_model_is_calibrated_and_only_where_asked(client: httpx.Client):
    operators = CHAIN["load"]["operators"]
    waiting = operators | {"parse": operators["parse"] | {"measured_wait_seconds": 0.02}}
    load = CHAIN["load"] | {"operators": waiting}
    plain, calibrated = ask(client, load=load), ask(client, load=load, calibrate=True)
    estimate = client.post("/v1/estimate", json=DESCRIBED | {"load": load}).json()
    assert calibrated["total"]["modelled_mean_seconds"] == estimate["expected_sojourn_seconds"]
    assert calibrated["total"]["mean_seconds"] == plain["total"]["mean_seconds"]
    assert plain["total"]["modelled_mean_seconds"] == ask(client)["total"]["modelled_mean_seconds"]
    assert calibrated["total"]["modelled_mean_seconds"] > plain["total"]["modelled_mean_seconds"]


def test_a_simulation_that_is_hardly_longer_than_a_root_takes_says_so(client: httpx.Client):
    short = ask(client, roots=100)
    assert [one["code"] for one in short["diagnostics"]].count("short-simulation") == 1
    assert "short-simulation" not in [one["code"] for one in ask(client)["diagnostics"]]


def test_what_cannot_keep_up_is_simulated_and_has_no_modelled_number(client: httpx.Client):
    answer = ask(client, processors={"parse": 4, "score": 5}, quantiles=[0.9])
    assert answer["total"]["modelled_mean_seconds"] is None
    assert answer["total"]["model_error"] is None
    assert answer["operators"][1]["wait_seconds"] > 1.0
    assert "unstable" in [one["code"] for one in answer["diagnostics"]]
    assert [one["quantile"] for one in answer["total"]["quantiles"]] == [0.9]


def test_a_stored_topology_is_simulated_under_its_measured_load(client: httpx.Client, name: str):
    assert client.post("/v1/topologies", json=CHAIN["topology"] | {"name": name}).status_code == 201
    address = f"/v1/topologies/{name}"
    early = client.post(f"{address}/simulations", json={"roots": 1000})
    assert (early.status_code, early.json()["type"]) == (409, "no-snapshot")
    measured = CHAIN["load"] | {"observed_at": "2026-11-18T00:00:00Z"}
    assert client.post(f"{address}/snapshots", json=measured).status_code == 201
    asked = {"roots": 20_000, "seed": 7, "smoothing": {"kind": "window", "size": 3}}
    answer = client.post(f"{address}/simulations", json=asked).json()
    assert answer["basis"]["topology"] == name
    assert "old-snapshots" in [one["code"] for one in answer["diagnostics"]]
    described = ask(client)
    assert (answer["total"], answer["operators"]) == (described["total"], described["operators"])
    refused = client.post(
        f"{address}/simulations", json={"roots": 1000, "processors": {"parse": 1, "scor": 2}}
    )
    assert refused.json()["errors"][0]["pointer"] == "#/processors/scor"


def test_a_longer_one_is_a_job_with_the_same_answer(client: httpx.Client, queueing_client: httpx.Client):
    accepted = queueing_client.post("/v1/simulations", json=CHAIN)
    assert (accepted.status_code, accepted.json()["state"]) == (202, "queued")
    assert accepted.json()["activity"] == "Waiting for its turn: 20,000 roots, about 120,000 events."
    job = wait_until_done(queueing_client, accepted.headers["Location"])
    assert (job["state"], job["progress"], job["error"]) == ("succeeded", 1.0, None)
    assert without_seconds(job["answer"]) == without_seconds(ask(client))
    listed = queueing_client.get("/v1/simulations?state=succeeded").json()["items"]
    assert [one["id"] for one in listed] == [job["id"]]
    assert "answer" not in listed[0]


def test_a_key_that_may_not_store_gets_short_answers_only(queueing_client: httpx.Client):
    refused = queueing_client.post("/v1/simulations", json=CHAIN, headers=AS_READER)
    assert (refused.status_code, refused.json()["type"]) == (403, "forbidden")
    assert "fewer roots" in refused.json()["detail"]
    short = queueing_client.post("/v1/simulations", json=CHAIN | {"roots": 1000}, headers=AS_READER)
    assert short.status_code == 200


def test_one_that_is_too_large_is_refused_with_the_limit(queueing_client: httpx.Client):
    refused = queueing_client.post("/v1/simulations", json=CHAIN | {"roots": 200_000})
    problem = refused.json()
    assert (refused.status_code, problem["type"]) == (422, "simulation-too-large")
    assert (problem["unit"], problem["number"], problem["limit"]) == ("events", 1_200_000.0, 1_000_000)
    assert problem["errors"][0]["pointer"] == "#/roots"


def test_a_job_that_waits_is_cancelled_and_then_deleted(idle_client: httpx.Client):
    addresses = [
        idle_client.post("/v1/simulations", json=CHAIN | {"seed": seed}).headers["Location"]
        for seed in range(3)
    ]
    first = idle_client.get("/v1/simulations?limit=2").json()
    second = idle_client.get(first["next"]).json()
    assert [one["parameters"]["seed"] for one in first["items"] + second["items"]][:3] == [2, 1, 0]
    cancelled = idle_client.delete(addresses[0])
    assert (cancelled.status_code, cancelled.json()["state"]) == (200, "cancelled")
    assert idle_client.delete(addresses[0]).status_code == 204
    for missing in (idle_client.get(addresses[0]), idle_client.delete(addresses[0])):
        assert (missing.status_code, missing.json()["type"]) == (404, "unknown-simulation")


@pytest.mark.parametrize(
    ("changes", "kind", "pointer", "words"),
    [
        ({"roots": 0}, "invalid-request", "#/roots", "greater than or equal to 1"),
        ({"roots": 10**9}, "simulation-too-large", "#/roots", "lower roots"),
        ({"seed": -1}, "invalid-request", "#/seed", ""),
        ({"quantiles": [1.0]}, "invalid-request", "#/quantiles/0", "below 1"),
        ({"warm_up_share": 1.0}, "invalid-request", "#/warm_up_share", ""),
        ({"processors": {"parse": 4}}, "invalid-allocation", "#/processors", "score"),
        ({"processors": {"parse": 4, "scor": 8}}, "invalid-allocation", "#/processors/scor", "'score'?"),
        ({"services": {"pars": {"kind": "exponential"}}}, "invalid-load", "#/services/pars", "'parse'?"),
        ({"capacities": {"scores": 10}}, "invalid-load", "#/capacities/scores", "'score'?"),
        ({"capacities": {"score": -1}}, "invalid-request", "#/capacities/score", ""),
        ({"services": {"parse": {"kind": "gama"}}}, "invalid-request", "#/services/parse", "'gamma'?"),
        (
            {"services": {"parse": {"kind": "gamma", "mean_seconds": 0}}},
            "invalid-request",
            "#/services/parse/mean_seconds",
            "",
        ),
        (
            {"services": {"parse": {"kind": "histogram", "buckets": [{"upper_seconds": 1.0, "count": 0}]}}},
            "invalid-request",
            "#/services/parse/buckets",
            "no service",
        ),
        ({"arrivals": {"kind": "bursts"}}, "invalid-request", "#/arrivals", "'mmpp'"),
        ({"arrivals": BURSTS | {"burst_ratio": 9.0}}, "invalid-load", "#/arrivals/burst_ratio", "at most"),
        ({"arrivals": {"kind": "mmpp"}}, "invalid-request", "#/arrivals/burst_ratio", ""),
        (
            {"arrivals": {"kind": "series", "counts": [0, 0], "interval_seconds": 1.0}},
            "invalid-load",
            "#/arrivals/counts",
            "no root",
        ),
        ({"load": CHAIN["load"] | {"external_rate": 0.0}}, "invalid-load", "#/load/external_rate", "above 0"),
        (
            {
                "topology": CHAIN["topology"]
                | {
                    "edges": [
                        {"source": "parse", "target": "score"},
                        {"source": "score", "target": "parse", "selectivity": 0.5},
                    ],
                    "entries": [{"operator": "parse"}],
                },
                "capacities": {"parse": 0, "score": 0},
            },
            "simulation-stuck",
            "#/capacities",
            "Raise the capacities",
        ),
        ({"capacity": {"score": 3}}, "invalid-request", "#/capacity", "'capacities'?"),
    ],
)
def test_bad_input_is_refused_with_what_to_change(
    client: httpx.Client, changes: dict[str, JsonValue], kind: str, pointer: str, words: str
):
    refused = client.post("/v1/simulations", json=CHAIN | changes)
    problem: dict[str, Any] = refused.json()
    assert (refused.status_code, problem["type"]) == (422, kind), problem
    assert pointer in [one["pointer"] for one in problem["errors"]], problem
    assert words in problem["detail"]
