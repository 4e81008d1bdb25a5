"""Pages of a small topology with known rates: a spout feeds parse (shuffle), and parse feeds score (fields).

In the last ten minutes the spout emitted 60,000 tuples (100/s), parse executed them and emitted two for each, and score
executed as many as parse sent.
"""

from pydantic import JsonValue

from tests.app.engines.spouts_and_bolts.storm.ui_pages import JsonObject

HOST = "10.0.0.1"


def make_executor(task: int, executed: int, latency: str, emitted: int = 0) -> JsonObject:
    """A bolt's executor that has been up for an hour."""
    return {
        "id": f"[{task}-{task}]",
        "uptimeSeconds": 3600,
        "host": HOST,
        "port": 6700,
        "executed": executed,
        "executeLatency": latency,
        "capacity": f"{executed * float(latency) / 600_000:.3f}",
        "emitted": emitted,
        "transferred": emitted,
    }


def make_bolt(
    name: str, executors: list[JsonObject], source: str, emitted: int = 0, tasks: int = 8
) -> JsonObject:
    """The page of a bolt that gets everything from one source."""
    executed = sum(int(str(one["executed"])) for one in executors)
    return {
        "id": name,
        "topologyId": "words-1-1446571009",
        "componentType": "bolt",
        "window": "600",
        "executors": len(executors),
        "tasks": tasks,
        "executorStats": list(executors),
        "inputStats": [
            {"component": source, "stream": "default", "executed": executed, "executeLatency": "1.000"}
        ],
        "outputStats": [{"stream": "default", "emitted": emitted, "transferred": emitted}],
    }


def make_spout(emitted: int = 60_000) -> JsonObject:
    """The page of the spout."""
    return {
        "id": "spout",
        "topologyId": "words-1-1446571009",
        "componentType": "spout",
        "window": "600",
        "executors": 2,
        "tasks": 2,
        "spoutSummary": [
            {
                "window": "600",
                "emitted": emitted,
                "transferred": emitted,
                "acked": 1000,
                "completeLatency": 250.0,
            }
        ],
        "executorStats": [
            {
                "id": f"[{task}-{task}]",
                "uptimeSeconds": 3600,
                "emitted": emitted // 2,
                "transferred": emitted // 2,
            }
            for task in (1, 2)
        ],
        "outputStats": [{"stream": "default", "emitted": emitted, "transferred": emitted}],
    }


def make_pages() -> dict[str, JsonObject]:
    """The pages by component."""
    parse = [make_executor(task, 30_000, "10.000", 60_000) for task in (3, 4)]
    score = [make_executor(5, 80_000, "5.000"), make_executor(6, 40_000, "5.000")]
    return {
        "spout": make_spout(),
        "parse": make_bolt("parse", parse, "spout", emitted=120_000),
        "score": make_bolt("score", score, "parse"),
    }


def make_graph(parse: str = "shuffle", score: str = "fields") -> JsonObject:
    """The answer of /visualization with these groupings."""
    return {
        "spout": {":type": "spout", ":inputs": []},
        "parse": {":type": "bolt", ":inputs": [make_input("spout", parse)]},
        "score": {":type": "bolt", ":inputs": [make_input("parse", score)]},
    }


def make_input(source: str, grouping: str, stream: str = "default") -> JsonValue:
    """One input of a component."""
    return {":component": source, ":stream": stream, ":grouping": grouping}
