"""Drafts into generative items: text made uniform, the form made open, quality checked."""

from ingest.clean.exam import exam_facts
from ingest.clean.items import itemise

__all__ = ["exam_facts", "itemise"]
