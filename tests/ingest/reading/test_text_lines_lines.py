"""Lines end at a line feed, and are shown without it."""

import pytest

from ingest.reading.text_lines import split_lines


@pytest.mark.parametrize(
    ("data", "texts"),
    [
        (b"", []),
        (b"\n", ["\n"]),
        (b"a\nb", ["a\n", "b"]),
        (b"a\r\n\n  \nlast\n", ["a\r\n", "\n", "  \n", "last\n"]),
        (b"\xef\xbb\xbffirst\n\xef\xbb\xbf\xef\xbb\xbfnext \xef\xbb\xbf\n", ["first\n", "next \ufeff\n"]),
        ("ядро\n".encode() + b"\xa7\nlast", ["ядро\n", None, "last"]),
    ],
)
def test_lines_keep_their_places(data: bytes, texts: list[str | None]):
    lines = split_lines(data)
    assert lines.texts.to_pylist() == texts
    shown = lines.show(list(range(len(texts))))
    assert shown == ["\ufffd" if text is None else text.rstrip("\r\n") for text in texts]
