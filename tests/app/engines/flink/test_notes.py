"""app/engines/flink/notes.py: what a reader of a load must know."""

from app.engines.diagnostics import find_diagnostics
from app.engines.flink.documents import FlinkCluster
from app.engines.flink.notes import CLUSTER_RULES, find_age
from tests.app.engines.flink.recorded import codes, load, read


def list_codes(cluster: FlinkCluster) -> list[str]:
    return [one.code for one in find_diagnostics(CLUSTER_RULES, (cluster, 5))]


def test_the_buffer_timeout_adds_to_each_hop():
    assert list_codes(FlinkCluster(options={})) == ["buffer-timeout"]
    assert list_codes(FlinkCluster(options={"execution.buffer-timeout.interval": "10 ms"})) == [
        "buffer-timeout"
    ]
    assert list_codes(FlinkCluster(options={"execution.buffer-timeout.interval": "0 ms"})) == []
    assert list_codes(FlinkCluster(options={"execution.buffer-timeout": "0ms"})) == []
    assert list_codes(FlinkCluster(options={"execution.buffer-timeout": " "})) == ["buffer-timeout"]
    assert list_codes(FlinkCluster()) == []
    assert "buffer-timeout" in codes(read([load("job"), load("jobmanager-config")]))
    assert "buffer-timeout" not in codes(read(load("fork")))


def test_a_cluster_without_free_slots_is_said():
    assert list_codes(FlinkCluster(24, 0)) == ["no-free-slots"]
    assert list_codes(FlinkCluster(24, 19)) == []


def test_old_metrics_are_said():
    said = next(one for one in read(load("job")).diagnostics if one.code == "metrics-old")
    assert "35.1 s older" in said.detail
    assert "took that long to start" in said.detail
    several = find_age(35.0, is_only=False)
    assert several is not None
    assert several.fields["start"] == ""
    assert find_age(2.0, is_only=True) is find_age(None, is_only=True) is None
