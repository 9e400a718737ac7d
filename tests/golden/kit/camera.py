"""What a scanner and a telephone do to a page: tilt, grain, shade, perspective, JPEG."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pymupdf
from PIL import Image, ImageFilter


def picture(page: Any, width: int) -> Image.Image:
    """The page in grey, `width` pixels wide."""
    zoom = width / page.rect.width
    pixmap = page.get_pixmap(matrix=pymupdf.Matrix(zoom, zoom), colorspace=pymupdf.csGRAY, alpha=False)
    return Image.frombytes("L", (pixmap.width, pixmap.height), pixmap.samples)


def grain(image: Image.Image, seed: int, strength: float) -> Image.Image:
    """Seeded sensor noise."""
    noise = np.random.default_rng(seed).normal(0, strength, (image.height, image.width))
    return Image.fromarray(np.clip(np.asarray(image, dtype=np.float32) + noise, 0, 255).astype(np.uint8))


def jpeg(image: Image.Image, quality: int) -> bytes:
    """JPEG bytes."""
    out = io.BytesIO()
    image.save(out, "JPEG", quality=quality, optimize=True)
    return out.getvalue()


def scan(doc: Any, width: int = 1240, quality: int = 42) -> Any:
    """A document of page images without a text layer, each page tilted a little its own way."""
    made = pymupdf.open()
    for index in range(len(doc)):
        image = picture(doc[index], width).rotate(
            (0.7, -0.5, 0.4)[index % 3], resample=Image.Resampling.BICUBIC, fillcolor=246
        )
        image = grain(image.filter(ImageFilter.GaussianBlur(0.5)), seed=index + 1, strength=3)
        page = made.new_page(width=595, height=842)
        page.insert_image(page.rect, stream=jpeg(image, quality))
    made.set_metadata({"title": "", "creator": "", "producer": ""})
    return made


def photograph(page: Any, width: int = 1500, quality: int = 55) -> bytes:
    """A page on a table, taken from a little aside in the light of a window on the left."""
    sheet = picture(page, width)
    w, h = sheet.size
    corners = ((0.045, 0.035), (0.965, 0.02), (0.985, 0.975), (0.02, 0.965))
    sources = ((0, 0), (w, 0), (w, h), (0, h))
    rows, values = [], []
    for (x, y), (u, v) in zip(((a * w, b * h) for a, b in corners), sources, strict=True):
        rows += [[x, y, 1, 0, 0, 0, -u * x, -u * y], [0, 0, 0, x, y, 1, -v * x, -v * y]]
        values += [u, v]
    weights = np.linalg.solve(np.array(rows, dtype=np.float64), np.array(values, dtype=np.float64))
    taken = sheet.transform(
        (w, h), Image.Transform.PERSPECTIVE, tuple(weights), Image.Resampling.BICUBIC, fillcolor=96
    ).filter(ImageFilter.GaussianBlur(0.6))
    across, down = np.meshgrid(np.linspace(0, 1, w), np.linspace(0, 1, h))
    light = 1.0 - 0.28 * across - 0.12 * down
    grey = np.clip(np.asarray(taken, dtype=np.float32) * light, 0, 255).astype(np.uint8)
    grey_image = grain(Image.fromarray(grey), seed=7, strength=3)
    warm = [Image.eval(grey_image, lambda v, k=k: min(255, int(v * k))) for k in (1.0, 0.985, 0.94)]
    return jpeg(Image.merge("RGB", warm), quality)
