"""PNG: of the right size, equal for equal pictures, described, small, and with every shape where it belongs."""

from io import BytesIO

import pytest
from PIL import Image

from app.rendering import png_writing
from app.rendering.picture_shapes import Picture, Words
from app.rendering.png_writing import FINE, write_png
from tests.app.rendering.pictures_to_draw import EVERY_SHAPE, HOSTILE


def read(png: bytes) -> Image.Image:
    return Image.open(BytesIO(png))


def test_every_shape_is_where_it_belongs():
    image = read(write_png(EVERY_SHAPE)).convert("RGB")
    assert image.size == (180, 120)
    for (x, y), colour in {
        (2.0, 2.0): (255, 255, 255),
        (25.0, 15.0): (0, 114, 178),
        (70.0, 10.0): (127, 184, 216),
        (20.0, 50.0): (213, 94, 0),
        (108.0, 40.7): (0, 114, 178),
    }.items():
        found = image.getpixel((round(x * FINE), round(y * FINE)))
        assert isinstance(found, tuple)
        assert all(abs(one - other) <= 8 for one, other in zip(found, colour, strict=True)), (x, y, found)


def test_equal_pictures_have_equal_bytes_and_say_what_they_show():
    first, second = write_png(EVERY_SHAPE), write_png(EVERY_SHAPE)
    assert first == second
    said = read(first).info
    assert (said["Title"], said["Description"]) == ("all shapes", "one of each")


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_is_read_as_a_formula_or_ends_the_drawing(text: str):
    assert write_png(Picture(200.0, 40.0, text, text, [Words(5.0, 20.0, text)]))


def test_a_picture_whose_file_is_too_long_is_drawn_coarser(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(png_writing, "MOST_BYTES", len(write_png(EVERY_SHAPE)) - 1)
    assert read(write_png(EVERY_SHAPE)).size == (144, 96)
    monkeypatch.setattr(png_writing, "MOST_BYTES", 0)
    assert read(write_png(EVERY_SHAPE)).size[0] >= 40
