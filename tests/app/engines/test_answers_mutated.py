"""app/engines/answers.py: a changed answer of any engine is read or refused, and never gives a number that is none."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings

from app.engines.answers import EngineName
from tests.app.engines.flink.recorded import load
from tests.app.engines.kafka.made import RECORDED, assign, go_on, row, shrink
from tests.app.engines.mutating import STEPS, Step, load_golden, read_mutated, write_answers
from tests.app.engines.prometheus import recorded as prometheus
from tests.app.engines.spark.test_batches_offsets import kafka
from tests.app.engines.spouts_and_bolts.heron import composed
from tests.app.engines.spouts_and_bolts.storm import ui_pages
from tests.app.engines.spouts_and_bolts.storm.test_pages_streams import make_page
from tests.app.engines.spouts_and_bolts.storm.wired_pages import make_graph, make_pages

FLINK = [
    ("job",),
    ("job", "plan", "overview", "jobs-overview", "jobmanager-config"),
    ("overload-job", "overload-vertex-parse"),
    ("job-first-second",),
    ("job27-apart",),
    ("job27-chained",),
    ("fork-asked-at-once",),
    ("fork-overload",),
    ("fork-died",),
    ("fork-rescaled-every-half-second",),
    ("fork",),
    ("fork-rescaled",),
    ("chain",),
    ("whole",),
    ("exchanges",),
    ("hot-key",),
    ("hot-key-blocked",),
]
"""Recorded documents of Flink that were sent together."""
ASKED = {
    "range-rate": prometheus.SERVED,
    "range-service-rate": prometheus.SERVICE,
    "range-parallelism": prometheus.PROCESSORS,
    "range-source-out": prometheus.SENT,
}
RATES = [prometheus.shorten(prometheus.load(name), 4, slice(4, 11)) for name in ASKED]
COUNTERS = [
    prometheus.shorten(prometheus.load(name), 8, slice(None))
    for name in ("range-numRecordsIn", "range-accumulateBusy")
]
RULES = prometheus.matrix(*prometheus.list_rules([1000.0 + 10 * place for place in range(9)]))
SMALL = shrink(RECORDED)
ONE, OTHER = assign(SMALL, "one", "01"), assign(SMALL, "other", "23")
ROWS = [[row(k, n * 10, n * 20 + k, f"m-{k}") for k in range(3)] for n in range(3)]
STATELESS = load_golden("spark/recentProgress-stateless.json")[:4]
LIMITED = [one | {"sources": [kafka(50, 50 * k, 60 * k)]} for k, one in enumerate(STATELESS)]
METRICS = load_golden("spark/ui-metrics.json")["gauges"]
GAUGES = {"gauges": {name: one for name, one in METRICS.items() if ".streaming." in name}}
SPARK_UI = [load_golden(f"spark/ui-{name}.json") for name in ("applications", "executors")]
WORDS, GRAPH = (ui_pages.read_golden(f"wordcount-{name}.json") for name in ("topology", "visualization"))
PAGES = [ui_pages.make_topology_page(), *map(ui_pages.make_component_page, ("pi", "parse", "fileWrite"))]
HERON = [composed.load(f) for f in ("logicalplan", "metrics-count", "metrics-all-time", "metrics-all-time")]
DATED: list[tuple[EngineName, list[Any]]] = [
    ("storm", PAGES),
    ("storm", [WORDS, GRAPH]),
    ("storm", [*make_pages().values(), make_graph()]),
    ("storm", [WORDS, make_page()]),
    ("heron", list(composed.make_documents().values())),
    ("heron", HERON),
    ("kafka", [ONE, OTHER, go_on(ONE, 10, 90, 50), go_on(OTHER, 10, 9, 9)]),
    ("kafka", ROWS),
]
CASES: list[tuple[EngineName, Any]] = [
    *[("flink", [load(name) for name in names] if len(names) > 1 else load(names[0])) for names in FLINK],
    *[(engine, write_answers(*bodies)) for engine, bodies in DATED],
    DATED[0],
    DATED[1],
    DATED[4],
    ("spark", load_golden("spark/recentProgress-stateful.json")[:3]),
    ("spark", LIMITED),
    ("spark", write_answers(*SPARK_UI, GAUGES, path="?query=clicks")),
    (
        "prometheus",
        write_answers(*RATES, paths=[prometheus.answer({}, query).path for query in ASKED.values()]),
    ),
    ("prometheus", [*COUNTERS, prometheus.send_as_source(COUNTERS[0])]),
    ("prometheus", RULES),
]
"""An engine, and a body of a request with its answers."""


@pytest.mark.parametrize(("engine", "document"), CASES)
@settings(max_examples=20, deadline=None)
@given(steps=STEPS)
def test_a_changed_document_is_read_or_refused(engine: EngineName, document: Any, steps: Sequence[Step]):
    read_mutated(engine, document, steps)


@pytest.mark.parametrize(("engine", "document"), CASES)
def test_a_whole_document_is_read(engine: EngineName, document: Any):
    assert read_mutated(engine, document, [])
