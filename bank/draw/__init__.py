"""Stratified draws: who may be drawn, units, allocation, and a manifest that repeats the draw."""

from __future__ import annotations

from bank.draw.drawing import draw, draw_from, encode
from bank.draw.request import Request

__all__ = ["Request", "draw", "draw_from", "encode"]
