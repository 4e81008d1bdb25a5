"""/v1/topologies/{name}/report: the newest decision on one page that needs nothing else."""

import httpx

from tests.app.decision_calls import ANY_AGE, ENOUGH, decide, observe, put_policy


def test_a_report_says_what_the_decision_says(client: httpx.Client, known: str):
    put_policy(client, known, ANY_AGE)
    observe(client, known, 2, 480.0, ENOUGH)
    decision = decide(client, known, 2)
    page = client.get(f"/v1/topologies/{known}/report")
    assert page.headers["Content-Type"] == "text/html; charset=utf-8"
    change, rest = decision["verdict"].split(". ", 1)
    assert f"<h1>{known}: {change}.</h1>" in page.text
    assert rest in page.text
    for number in ("Rate, newest snapshot", "480/s", "processors meet the target up to"):
        assert number in page.text
    assert "<script" not in page.text
    assert f'<a href="/v1/decisions/{decision["id"]}">' in page.text
    assert f'<a href="/ui/#/topologies/{known}">' in page.text
    text = client.get(f"/v1/topologies/{known}/report?format=markdown")
    assert text.headers["Content-Type"] == "text/markdown; charset=utf-8"
    recommended = decision["processors"]["recommended"]
    for name, count in ENOUGH.items():
        shown = f"{count} → {recommended[name]}" if recommended[name] != count else str(count)
        assert shown in text.text
    assert client.put(f"/v1/decisions/{decision['id']}/outcome", json={"state": "refused"}).status_code == 200
    assert "The change was reported as refused." in client.get(f"/v1/topologies/{known}/report").text
    observe(client, known, 3, 480.0, recommended, measured_sojourn_seconds=0.08)
    told = client.get(f"/v1/topologies/{known}/report").text
    assert "The recommended processors ran from the decision on." in told
    assert "snapshots show that the recommended processors ran." in told


def test_without_a_decision_there_is_no_report(client: httpx.Client, known: str):
    assert client.get(f"/v1/topologies/{known}/report").status_code == 404
    assert client.get("/v1/topologies/nowhere/report").json()["type"] == "unknown-topology"
    assert client.get(f"/v1/topologies/{known}/report?format=pdf").status_code == 422


def test_a_report_has_the_graph_of_its_decision(client: httpx.Client, known: str):
    put_policy(client, known, ANY_AGE)
    observe(client, known, 2, 480.0, ENOUGH)
    decision = decide(client, known, 2)
    page = client.get(f"/v1/topologies/{known}/report")
    assert page.text.count("<svg ") == 2, "one for screens, and a narrow one in its place for phones"
    recommended = decision["processors"]["recommended"]["detector"]
    assert f">13 → {recommended}</text>" in page.text
    assert "style-src 'unsafe-inline'" in page.headers["Content-Security-Policy"]
    assert "script" not in page.headers["Content-Security-Policy"]
    text = client.get(f"/v1/topologies/{known}/report?format=markdown").text
    assert f"<br/>13 → {recommended} processors" in text
