"""A picture in the form that the caller accepts."""

from app.rendering.shapes import Picture
from app.rendering.svg_writing import write_svg
from app.web.negotiation import PNG


def write_picture(picture: Picture, form: str) -> bytes:
    """The bytes of a PNG or an SVG."""
    if form != PNG:
        return write_svg(picture).encode()
    # matplotlib is loaded when the first PNG is asked for.
    from app.rendering.png_writing import write_png  # noqa: PLC0415

    return write_png(picture)
