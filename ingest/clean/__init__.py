"""Drafts into generative items: text made uniform, the form made open, quality checked."""

from ingest.clean.exam import exam_facts
from ingest.clean.items import itemise
from ingest.clean.paper import check_paper

__all__ = ["check_paper", "exam_facts", "itemise"]
