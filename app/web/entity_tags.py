"""ETags of answers to GET, so that who asks again is sent only what has changed (RFC 9110 §13)."""

from hashlib import sha256

from fastapi import Request, Response

SHOWN_DIGITS = 32
KEPT = "private, no-cache"
"""What a cache may do: keep an answer for its caller alone, and ask each time whether it still holds."""


def tag_answer(request: Request, answer: Response) -> Response:
    """The answer with an ETag of its bytes, or 304 where the caller has them; a route may have set its own ETag."""
    content = getattr(answer, "body", None)  # what is streamed has none
    if request.method != "GET" or answer.status_code != 200 or not content:
        return answer
    etag = answer.headers.setdefault("ETag", f'"{sha256(content).hexdigest()[:SHOWN_DIGITS]}"')
    answer.headers.setdefault("Cache-Control", KEPT)
    if not is_known(etag, request.headers.get("If-None-Match")):
        return answer
    shown = ("Vary", "Content-Location", "Cache-Control")
    kept = {name: answer.headers[name] for name in shown if name in answer.headers}
    return Response(status_code=304, headers={"ETag": etag, **kept})


def is_known(etag: str, if_none_match: str | None) -> bool:
    """If-None-Match, by the weak comparison: a proxy that compresses weakens the tag."""
    if if_none_match is None:
        return False
    tags = [tag.strip().removeprefix("W/") for tag in if_none_match.split(",")]
    return "*" in tags or etag in tags
