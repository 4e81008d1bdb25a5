"""The files of the dashboard: small, from nowhere else, under a strict policy."""

import gzip
import re
from hashlib import sha256

import httpx
import pytest

from app.pages.dashboard.files import OF_FORECASTS, OF_WORKER, STATIC

MOST_BYTES = 110_000


def test_the_files_of_others_are_those_that_were_looked_at():
    listed = re.findall(
        r"^\| (\S+\.js) .*\| ([0-9a-f]{64}) \|$", (STATIC / "vendor/README.md").read_text(), re.MULTILINE
    )
    found = {path.name: sha256(path.read_bytes()).hexdigest() for path in (STATIC / "vendor").glob("*.js")}
    assert found == dict(listed)


@pytest.mark.parametrize("other", [OF_WORKER, OF_FORECASTS])
def test_the_files_of_a_page_together_are_small(other: set[str]):
    files = [path for path in STATIC.rglob("*") if path.suffix in {".js", ".css", ".html", ".svg"}]
    needed = [path for path in files if path.relative_to(STATIC).as_posix() not in other]
    assert sum(len(gzip.compress(path.read_bytes())) for path in needed) < MOST_BYTES


def test_no_file_holds_a_script_or_an_address_of_another_site():
    for path in STATIC.glob("*"):
        if path.is_file():
            text = path.read_text().replace("http://www.w3.org/2000/svg", "").replace("http://localhost", "")
            assert "://" not in text, path
            assert "innerHTML" not in text, path


def test_the_files_have_a_strict_policy_and_unchanged_ones_are_not_sent_again(client: httpx.Client):
    page = client.get("/ui/")
    policy = page.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "require-trusted-types-for 'script'" in policy
    assert "unsafe" not in policy
    again = client.get("/ui/main.js", headers={"If-None-Match": client.get("/ui/main.js").headers["ETag"]})
    assert again.status_code == 304
    assert client.get("/ui/../settings.py").status_code == 404
    assert client.get("/ui").headers["Location"] == "/ui/"


def test_files_are_packed_for_who_takes_it_and_each_form_has_an_etag(client: httpx.Client):
    script = (STATIC / "main.js").read_bytes()
    tags = set()
    for sent, packed in (
        ("gzip", True),
        ("br, gzip;q=0.5", True),
        ("", False),
        ("br", False),
        ("gzip;q=0", False),
        ("gzip" + " " * 30_000 + "x", False),  # read in one pass
    ):
        answer = client.get("/ui/main.js", headers={"Accept-Encoding": sent})
        assert answer.content == script, sent
        assert answer.headers.get("Content-Encoding") == ("gzip" if packed else None), sent
        assert (int(answer.headers["Content-Length"]) < len(script)) == packed
        assert answer.headers["Content-Type"] == "text/javascript; charset=utf-8"
        tags.add((packed, answer.headers["ETag"]))
    assert len(tags) == len({etag for _, etag in tags}) == 2


def test_the_frame_names_every_module_but_those_of_the_worker_and_of_forecasts(client: httpx.Client):
    named = set(re.findall(r"</ui/([^>]+)>; rel=modulepreload", client.get("/ui/").headers["Link"]))
    there = {path.relative_to(STATIC).as_posix() for path in STATIC.rglob("*.js")}
    assert there - named == OF_WORKER | OF_FORECASTS
    assert named <= there


def test_what_is_no_file_of_the_dashboard_is_not_found(client: httpx.Client):
    for name in (
        "nothing.js",
        "vendor",
        "vendor/",
        "../files.py",
        "%2e%2e/files.py",
        "..%2ffiles.py",
        "main.js/",
    ):
        assert client.get(f"/ui/{name}").status_code == 404, name
    assert client.post("/ui/main.js").status_code == 405
    assert client.head("/ui/main.js").status_code == 200
