"""A real Prometheus that scrapes a real Flink, read beside Flink's own answers."""

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from tests.engines.flink_cluster import Flink, find_free_port, wait_for
from tests.engines.flink_jobs import Job, JobPlan, Operator, StartJob
from tests.engines.http_asker import sample, write_answers

OPERATORS = (Operator("parse", 0.020, 4), Operator("score", 0.030, 5), Operator("write", 0.010, 2))
RATE = 100.0
CONFIGURATION = """
global:
  scrape_interval: 1s
scrape_configs:
  - job_name: flink
    static_configs:
      - targets: ["127.0.0.1:{port}"]
"""
SEEN = "count_over_time(flink_taskmanager_job_task_numRecordsIn{job_name='scraped'}[60s])"


@pytest.fixture
def prometheus(flink: Flink, tmp_path: Path) -> Iterator[str]:
    """Its address; it scrapes the task manager each second."""
    port = find_free_port()
    file = tmp_path / "prometheus.yml"
    file.write_text(CONFIGURATION.format(port=flink.reporters["task-manager"]))
    process = subprocess.Popen(
        [
            "prometheus",
            f"--config.file={file}",
            f"--storage.tsdb.path={tmp_path / 'data'}",
            f"--web.listen-address=127.0.0.1:{port}",
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    yield f"http://127.0.0.1:{port}"
    process.terminate()
    process.wait(timeout=60)


def count_scrapes(url: str) -> float:
    """How often the job's counters were scraped; 0 while Prometheus does not answer."""
    try:
        answer = httpx.get(f"{url}/api/v1/query", params={"query": SEEN}, timeout=10)
    except httpx.TransportError:
        return 0.0
    series = answer.json()["data"]["result"] if answer.status_code == 200 else []
    return min((float(one["value"][1]) for one in series), default=0.0)


def stores_topology(client: httpx.Client, job: Job) -> bool:
    """Whether Flink's own answers gave the topology: a job that has counted nothing yet gives none.

    Prometheus does not know which operator sends to which.
    """
    sent = write_answers(sample("flink", job.flink.url, job.plan.name))
    stored = client.post(f"/v1/topologies/{job.plan.name}/snapshots/from/flink", json=sent)
    return stored.status_code == 201


def test_scraped_counters_give_the_same_rates(
    prometheus: str, start: StartJob, client: httpx.Client, report: Callable[[str], None]
) -> None:
    job = start(JobPlan("scraped", "rebalance", OPERATORS, RATE))
    wait_for(lambda: stores_topology(client, job), "the job has counted something")
    wait_for(lambda: count_scrapes(prometheus) >= 35, "two windows of scrapes")
    sent = write_answers(sample("prometheus", prometheus, "scraped"))
    stored = client.post("/v1/topologies/scraped/snapshots/from/prometheus", json=sent)
    assert stored.status_code == 201, stored.text
    newest = client.get("/v1/topologies/scraped/snapshots").json()["items"][-1]
    rates = {name.split(": ")[-1]: one["service_rate"] for name, one in newest["operators"].items()}
    report(f"prometheus: external rate {newest['external_rate']:.1f} (true {RATE}), service rates {rates}")
    assert newest["external_rate"] == pytest.approx(RATE, rel=0.15)
    for operator in OPERATORS:
        assert rates[operator.name] == pytest.approx(1.0 / operator.service_seconds, rel=0.2)
    assert newest["operators"]["parse"]["processors"] == 4
