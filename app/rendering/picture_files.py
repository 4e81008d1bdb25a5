"""Writes a picture as a file: PNG, or SVG without styles, scripts, ids or links, which may also stand in a page."""

from collections.abc import Sequence
from html import escape
from pathlib import Path

from app.rendering.picture_shapes import (
    WHITE,
    BezierCurve,
    Box,
    Disc,
    Group,
    Ink,
    Picture,
    Point,
    Polyline,
    Shape,
    Words,
    clean,
)

FONT = "DejaVu Sans,Verdana,Geneva,sans-serif"
ANCHORS = {"start": "", "middle": ' text-anchor="middle"', "end": ' text-anchor="end"'}


def write_svg(picture: Picture) -> str:
    """Writes a picture as the element `svg`, for a file of its own or for a page of HTML."""
    width, height = _number(picture.width), _number(picture.height)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img" font-family="{FONT}">'
        f"<title>{quote(picture.title)}</title><desc>{quote(picture.description)}</desc>"
        f'<rect width="{width}" height="{height}" fill="{WHITE}"/>'
        f"{''.join(map(_write_shape, picture.shapes))}</svg>\n"
    )


def quote(text: str) -> str:
    """Quotes the special characters of XML in a text, for contents and attributes."""
    return escape(clean(text))


def _write_shape(shape: Shape) -> str:
    match shape:
        case Box():
            corners = f' rx="{_number(shape.radius)}"' if shape.radius else ""
            return (
                f'<rect x="{_number(shape.x)}" y="{_number(shape.y)}" width="{_number(shape.width)}" '
                f'height="{_number(shape.height)}"{corners}{_write_ink(shape.ink)}/>'
            )
        case Disc():
            return (
                f'<circle cx="{_number(shape.x)}" cy="{_number(shape.y)}" r="{_number(shape.radius)}"'
                f"{_write_ink(shape.ink)}/>"
            )
        case Polyline():
            end = "Z" if shape.is_closed else ""
            path = "".join(f"M{_join(piece)}{end}" for piece in shape.pieces if piece)
            return f'<path d="{path}"{_write_ink(shape.ink)}/>' if path else ""
        case BezierCurve():
            path = "".join(f"C{_join(bend)}" for bend in shape.bends)
            return f'<path d="M{_join([shape.start])}{path}"{_write_ink(shape.ink)}/>'
        case Words():
            return _write_words(shape)
        case Group():
            return f"<g><title>{quote(shape.title)}</title>{''.join(map(_write_shape, shape.shapes))}</g>"


def _write_words(words: Words) -> str:
    bold = ' font-weight="bold"' if words.is_bold else ""
    # Letters written from right to left must not move the other words of the line.
    return (
        f'<text x="{_number(words.x)}" y="{_number(words.y)}" font-size="{_number(words.size)}" '
        f'fill="{words.colour}"{ANCHORS[words.anchor]}{bold}>{quote(words.text)}</text>'
    )


def _write_ink(ink: Ink) -> str:
    parts = [f' fill="{ink.fill or "none"}"']
    if ink.stroke is not None:
        parts.append(f' stroke="{ink.stroke}"')
        if ink.width != 1.0:
            parts.append(f' stroke-width="{_number(ink.width)}"')
        if ink.dash:
            parts.append(f' stroke-dasharray="{" ".join(map(_number, ink.dash))}"')
    if ink.opacity != 1.0:
        parts.append(f' opacity="{_number(ink.opacity)}"')
    return "".join(parts)


def _join(points: Sequence[Point]) -> str:
    return " ".join(f"{_number(x)} {_number(y)}" for x, y in points)


def _number(value: float) -> str:
    """Writes a length in pixels with one decimal; a finer number would not be seen."""
    text = f"{value:.1f}"
    return text.removesuffix(".0") if text != "-0.0" else "0"


def save_picture(picture: Picture, path: Path) -> None:
    """Writes a picture into a file: PNG, PDF or SVG, by the end of its name."""
    if path.suffix == ".svg":
        path.write_text(write_svg(picture), encoding="utf-8")
        return
    from app.rendering.png_writing import write_pdf, write_png  # noqa: PLC0415

    path.write_bytes(write_pdf(picture) if path.suffix == ".pdf" else write_png(picture))


def write_picture(picture: Picture, form: str) -> bytes:
    """Returns the bytes of a picture as PNG or SVG, whichever `form` names."""
    from app.web.negotiation import PNG  # noqa: PLC0415  # a report of a command needs no web framework

    if form != PNG:
        return write_svg(picture).encode()
    # matplotlib is loaded when the first PNG is asked for.
    from app.rendering.png_writing import write_png  # noqa: PLC0415

    return write_png(picture)
