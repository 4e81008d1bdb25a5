"""The paths that give the lags of a consumer group: those of a REST proxy, or one page that holds statistics
or lags.
"""

from collections.abc import Iterable
from urllib.parse import quote

from app.engines.answers import Asker, EngineAnswer
from app.engines.numbers import read_list, read_object, read_text


def ask(asker: Asker, job: str | None) -> list[EngineAnswer]:
    """Asks for one sample of a group's lags; `job` is a group of Confluent's REST API (v3). Without `job`, asks the
    address itself.
    """
    if job is None:
        return [asker.get("/")]
    clusters = read_list(read_object(asker.get("/v3/clusters").body).get("data"))
    ids = [read_text(read_object(one).get("cluster_id")) for one in clusters]
    return [
        asker.get(f"/v3/clusters/{quote(one, safe='')}/consumer-groups/{quote(job, safe='')}/lags")
        for one in ids[:1]
        if one is not None
    ]


def list_looks(sample: Iterable[EngineAnswer]) -> list[str]:
    """The addresses of a sample, which are asked again by looks: the ends of partitions are of the time of asking."""
    return list(dict.fromkeys(one.path for one in sample))
