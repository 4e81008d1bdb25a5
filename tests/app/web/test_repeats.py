"""Every POST that stores takes an Idempotency-Key, and no other call does."""

from app.main import create_app
from app.settings import Settings


def test_every_post_that_stores_takes_an_idempotency_key():
    document = create_app(Settings(log_level="error")).openapi()
    taking = {
        (method, path)
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
        if any("Idempotency" in str(one) for one in operation.get("parameters", []))
    }
    assert {method for method, _ in taking} == {"post"}
    created = {
        ("post", path)
        for path, operations in document["paths"].items()
        if {"201", "202"} & operations.get("post", {"responses": {}})["responses"].keys()
    }
    assert created <= taking
    assert len(created) > 12
