"""Writes a report as a comment on the change that a CI job is for: the first time a new one, later in its place.

    python ci/comment.py report.md

GitHub: GITHUB_TOKEN with the permission `pull-requests: write`. GitLab: HEADGATE_COMMENT_TOKEN, an access token with
the scope `api`. Without a token, or where the job is for no change, it does nothing.
"""

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple
from urllib.request import Request, urlopen

MARK = "<!-- headgate gate -->"
LONGEST = 60_000
"""GitHub takes comments of up to 65,536 characters."""
TIMEOUT_SECONDS = 30
MOST_PAGES = 10


class Place(NamedTuple):
    """Where comments on a change are: the address of their list, that of one, and the header with the token."""

    comments: str
    one: str
    header: tuple[str, str]
    change_method: str


def find_place(environment: Mapping[str, str]) -> Place | None:
    """The comments of the change that the job is for; None if there is no change or no token."""
    token = environment.get("GITHUB_TOKEN")
    if token and (number := read_pull_request(environment.get("GITHUB_EVENT_PATH"))):
        base = f"{environment['GITHUB_API_URL']}/repos/{environment['GITHUB_REPOSITORY']}/issues"
        header = ("Authorization", f"Bearer {token}")
        return Place(f"{base}/{number}/comments", f"{base}/comments", header, "PATCH")
    token, number = environment.get("HEADGATE_COMMENT_TOKEN"), environment.get("CI_MERGE_REQUEST_IID")
    if token and number:
        project = f"{environment['CI_API_V4_URL']}/projects/{environment['CI_PROJECT_ID']}"
        notes = f"{project}/merge_requests/{number}/notes"
        return Place(notes, notes, ("PRIVATE-TOKEN", token), "PUT")
    return None


def read_pull_request(event: str | None) -> str | None:
    """The number of the pull request in the file that describes what started the job."""
    if not event:
        return None
    found = json.loads(Path(event).read_text(encoding="utf-8")).get("pull_request") or {}
    return str(found["number"]) if "number" in found else None


def call(place: Place, method: str, url: str, body: Any = None) -> Any:
    """Sends a request and returns the answer's JSON."""
    headers = {"Content-Type": "application/json", "User-Agent": "headgate", place.header[0]: place.header[1]}
    data = None if body is None else json.dumps(body).encode()
    with urlopen(Request(url, data, headers, method=method), timeout=TIMEOUT_SECONDS) as answer:  # noqa: S310  # the CI's own address
        return json.load(answer)


def find_comment(place: Place) -> int | None:
    """The id of our comment on the change; None if there is none yet."""
    for page in range(1, MOST_PAGES + 1):
        comments = call(place, "GET", f"{place.comments}?per_page=100&page={page}")
        for one in comments:
            if MARK in one["body"]:
                return int(one["id"])
        if len(comments) < 100:
            break
    return None


def write_comment(place: Place, report: str) -> None:
    """Writes the report as our comment on the change."""
    text = report if len(report) <= LONGEST else f"{report[:LONGEST]}\n\n(cut here: the report is longer)"
    body = {"body": f"{MARK}\n{text}"}
    known = find_comment(place)
    if known is None:
        call(place, "POST", place.comments, body)
    else:
        call(place, place.change_method, f"{place.one}/{known}", body)


def main() -> None:
    """Writes the report of the arguments, or says why it could not."""
    place = find_place(os.environ)
    if place is None:
        return
    try:
        write_comment(place, Path(sys.argv[1]).read_text(encoding="utf-8"))
    except (OSError, ValueError, KeyError) as error:
        raise SystemExit(f"headgate: the comment cannot be written: {error}") from error


if __name__ == "__main__":
    main()
