"""Which Han characters look alike in print: drawn in two faces, blurred, compared point by point.

    python -m benchmarks.look_alikes NotoSansCJK-Regular.ttc NotoSerifCJK-Regular.ttc > bank/dedup/alike.txt

The characters are those of GB 2312, as recognisers know them. Each is drawn at 40 points inside a square,
blurred by as much as a poor scan does, and freed of its mean; the likeness of two is the lower of the
cosines in the two faces. Pairs from LEAST on are written, a line for each character: the character, then
those like it.
"""

from __future__ import annotations

import sys

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

SIZE, BLUR, LEAST = 40, 1.2, 0.78


def characters() -> list[str]:
    """The Han characters of GB 2312, in its order."""
    codes = (bytes([row, cell]) for row in range(0xB0, 0xF8) for cell in range(0xA1, 0xFF))
    return [char for code in codes if (char := code.decode("gb2312", "ignore"))]


def drawn(chars: list[str], face: str) -> np.ndarray:
    """Vectors of length 1, shape (characters, points)."""
    font = ImageFont.truetype(face, SIZE, index=2)  # of the collections: the simplified forms
    rows = []
    for char in chars:
        picture = Image.new("L", (SIZE + 8, SIZE + 8), 0)
        ImageDraw.Draw(picture).text((SIZE / 2 + 4, SIZE / 2 + 4), char, 255, font, anchor="mm")
        rows.append(np.asarray(picture.filter(ImageFilter.GaussianBlur(BLUR)), dtype=np.float32).ravel())
    points = np.array(rows)
    points -= points.mean(axis=1, keepdims=True)
    return points / np.linalg.norm(points, axis=1, keepdims=True)


def main() -> None:
    """Write the table."""
    chars = characters()
    likeness = np.minimum.reduce([points @ points.T for points in (drawn(chars, f) for f in sys.argv[1:])])
    np.fill_diagonal(likeness, 0)
    for place, char in enumerate(chars):
        others = np.flatnonzero(likeness[place] >= LEAST)
        if len(others):
            ordered = sorted(others.tolist(), key=lambda n: (-likeness[place, n], n))
            print(char + "".join(chars[n] for n in ordered))


if __name__ == "__main__":
    main()
