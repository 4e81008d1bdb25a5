"""The files of the dashboard: small, from nowhere else, under a strict policy."""

import gzip
import re
from hashlib import sha256

import httpx

from app.dashboard.files import STATIC

MOST_BYTES = 100_000


def test_the_files_of_others_are_those_that_were_looked_at():
    listed = re.findall(
        r"^\| (\S+\.js) .*\| ([0-9a-f]{64}) \|$", (STATIC / "vendor/README.md").read_text(), re.MULTILINE
    )
    found = {path.name: sha256(path.read_bytes()).hexdigest() for path in (STATIC / "vendor").glob("*.js")}
    assert found == dict(listed)


def test_all_files_together_are_small():
    files = [path for path in STATIC.rglob("*") if path.suffix in {".js", ".css", ".html", ".svg"}]
    assert sum(len(gzip.compress(path.read_bytes())) for path in files) < MOST_BYTES


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
