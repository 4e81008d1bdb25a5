"""The paths to ask for a consumer group's lags: of a REST proxy, or of a page that holds statistics or lags."""

from urllib.parse import quote

from app.engines.answers import Asker, EngineAnswer
from app.engines.numbers import read_list, read_object, read_text


def ask(asker: Asker, job: str | None) -> list[EngineAnswer]:
    """One sample; `job` is a group that Confluent's REST API (v3) knows. Without it the address itself is asked."""
    if job is None:
        return [asker.get("/")]
    clusters = read_list(read_object(asker.get("/v3/clusters").body).get("data"))
    ids = [read_text(read_object(one).get("cluster_id")) for one in clusters]
    return [
        asker.get(f"/v3/clusters/{quote(one, safe='')}/consumer-groups/{quote(job, safe='')}/lags")
        for one in ids[:1]
        if one is not None
    ]
