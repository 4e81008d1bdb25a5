"""matplotlib draws one picture at a time."""

from concurrent.futures import ThreadPoolExecutor

from app.rendering.png_writing import DRAWING, write_png
from tests.app.rendering.pictures_to_draw import EVERY_SHAPE


def test_pictures_from_many_threads_are_equal():
    with ThreadPoolExecutor(4) as threads:
        assert len(set(threads.map(write_png, [EVERY_SHAPE] * 8))) == 1
    assert not DRAWING.locked()
