"""Writes a picture as PNG or PDF by matplotlib's renderer Agg; equal pictures give equal bytes of a PNG.

matplotlib is set up here, with the lock under which it draws. This module is loaded for the first such picture, because
loading it takes half a second and about 40 MB.
"""

import threading
import warnings
from collections.abc import Sequence
from functools import cache
from io import BytesIO
from math import sqrt

import matplotlib as mpl
from matplotlib.backend_bases import GraphicsContextBase
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.colors import to_rgba
from matplotlib.font_manager import FontProperties, findfont, get_font
from matplotlib.path import Path
from matplotlib.transforms import Affine2D
from PIL import Image, PngImagePlugin

from app.rendering import picture_shapes as shapes

mpl.rcdefaults()  # a matplotlibrc on this machine must not change the pictures
# A letter that the font lacks is drawn as a box; a warning in the log would help no operator.
warnings.filterwarnings("ignore", message="Glyph .* missing from font", category=UserWarning)

DRAWING = threading.Lock()
"""One picture at a time: matplotlib is not safe for threads."""


FINE, PRINTED, MOST_PIXELS = 1.5, 3.0, 2_500_000
"""The pixels of a PNG and of a PDF for one pixel of the picture, and the most pixels of a PNG."""
MOST_BYTES, COARSER, COARSEST = 150_000, 0.8, 0.5
COLOURS, NEARLY_WHITE = 96, 252
MISSING = "□"
"""Stands for a letter that the font lacks."""
ROUND = 0.5523
"""The distance of the control points of a quarter circle from its ends, as a share of the radius."""


def write_png(picture: shapes.Picture) -> bytes:
    """Returns the bytes of a PNG file of the picture; the file holds the title and the description as text."""
    scale = min(FINE, sqrt(MOST_PIXELS / (picture.width * picture.height)))
    with DRAWING:
        while len(drawn := _compress(_draw(picture, scale), picture)) > MOST_BYTES and scale > COARSEST:
            scale *= COARSER
    return drawn


def write_pdf(picture: shapes.Picture) -> bytes:
    """Returns the bytes of a PDF file with one page, which is finer than a PNG."""
    with DRAWING:
        image = _draw(picture, PRINTED)
    out = BytesIO()
    image.convert("RGB").save(out, "PDF", resolution=72.0 * PRINTED, title=shapes.clean(picture.title))
    return out.getvalue()


def _draw(picture: shapes.Picture, scale: float) -> Image.Image:
    pen = _Pen(picture, scale)
    pen.draw(shapes.Box(0.0, 0.0, picture.width, picture.height, shapes.Ink(shapes.WHITE)))
    for shape in picture.shapes:
        pen.draw(shape)
    return pen.read_image()


def _compress(image: Image.Image, picture: shapes.Picture) -> bytes:
    """Returns the image with at most 256 colours, which halves the size of the file."""
    said = PngImagePlugin.PngInfo()
    for key, text in (("Title", picture.title), ("Description", picture.description)):
        said.add_itxt(key, shapes.clean(text))
    out = BytesIO()
    few = image.convert("RGB").quantize(COLOURS, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    # The palette takes means of similar colours; white stays white.
    few.putpalette([255 if value >= NEARLY_WHITE else value for value in few.getpalette() or []])
    few.save(out, "PNG", compress_level=6, pnginfo=said)
    return out.getvalue()


class _Pen:
    """Draws shapes by Agg. The file has `scale` pixels for each pixel of the picture."""

    def __init__(self, picture: shapes.Picture, scale: float) -> None:
        self.scale = scale
        width, height = round(picture.width * self.scale), round(picture.height * self.scale)
        self.agg = RendererAgg(width, height, 72.0 * self.scale)
        # Agg counts from the lower left corner.
        self.place = Affine2D().scale(self.scale, -self.scale).translate(0.0, height)

    def read_image(self) -> Image.Image:
        size = (int(self.agg.width), int(self.agg.height))
        return Image.frombuffer("RGBA", size, bytes(self.agg.buffer_rgba()), "raw", "RGBA", 0, 1)

    def draw(self, shape: shapes.Shape) -> None:
        match shape:
            case shapes.Group():
                for one in shape.shapes:
                    self.draw(one)
            case shapes.Words():
                self.write(shape)
            case shapes.Box():
                self.trace(_round_box(shape), shape.ink)
            case shapes.Disc():
                circle = Path.circle((shape.x, shape.y), shape.radius)
                self.trace(circle, shape.ink)
            case shapes.Polyline():
                for piece in shape.pieces:
                    self.trace(_join(piece, is_closed=shape.is_closed), shape.ink)
            case shapes.BezierCurve():
                points = [shape.start, *(point for bend in shape.bends for point in bend)]
                self.trace(Path(points, [Path.MOVETO] + [Path.CURVE4] * (len(points) - 1)), shape.ink)

    def trace(self, path: Path, ink: shapes.Ink) -> None:
        """Draws the outline of a path, and fills its inside."""
        context = self.agg.new_gc()
        context.set_linewidth(ink.width if ink.stroke else 0.0)
        context.set_foreground(to_rgba(ink.stroke or shapes.WHITE, ink.opacity), isRGBA=True)
        context.set_alpha(ink.opacity)
        if ink.dash:
            context.set_dashes(0.0, list(ink.dash))
        fill = None if ink.fill is None else to_rgba(ink.fill, ink.opacity)
        self.agg.draw_path(context, path, self.place, fill)

    def write(self, words: shapes.Words) -> None:
        """Draws a line of text as it is; matplotlib must not read it as a formula."""
        font = _find_font(words.size, is_bold=words.is_bold)
        letters = get_font(findfont(font))
        text = "".join(
            one if letters.get_char_index(ord(one)) else MISSING for one in shapes.clean(words.text)
        )
        x = words.x * self.scale
        if words.anchor != "start":
            width, _, _ = self.agg.get_text_width_height_descent(text, font, ismath=False)
            x -= width if words.anchor == "end" else width / 2.0
        context: GraphicsContextBase = self.agg.new_gc()
        context.set_foreground(words.colour)
        self.agg.draw_text(context, x, words.y * self.scale, text, font, 0.0, ismath=False)


@cache
def _find_font(size: float, *, is_bold: bool) -> FontProperties:
    return FontProperties(family="DejaVu Sans", size=size, weight="bold" if is_bold else "normal")


def _join(points: Sequence[tuple[float, float]], *, is_closed: bool) -> Path:
    """Returns a path of straight lines; a single point becomes a line of length 0, whose round ends form a dot."""
    joined = [*points, points[0]] if is_closed or len(points) == 1 else list(points)
    return Path(joined)


def _round_box(box: shapes.Box) -> Path:
    """Returns the path of a rectangle whose corners are quarters of a circle."""
    left, top, right, bottom = box.x, box.y, box.x + box.width, box.y + box.height
    if not box.radius:
        return Path([(left, top), (right, top), (right, bottom), (left, bottom), (left, top)])
    r = min(box.radius, box.width / 2.0, box.height / 2.0)
    c = r * (1.0 - ROUND)
    points = [
        (left + r, top), (right - r, top), (right - c, top), (right, top + c), (right, top + r),
        (right, bottom - r), (right, bottom - c), (right - c, bottom), (right - r, bottom),
        (left + r, bottom), (left + c, bottom), (left, bottom - c), (left, bottom - r),
        (left, top + r), (left, top + c), (left + c, top), (left + r, top),
    ]  # fmt: skip
    corner = [Path.LINETO, *[Path.CURVE4] * 3]
    return Path(points, [Path.MOVETO, *corner * 4])
