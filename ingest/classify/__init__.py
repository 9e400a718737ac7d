"""Where an item is filed: discipline, sub-discipline, course, with a confidence; and its question type."""

from ingest.classify.label import classify
from ingest.classify.question_type import question_type

__all__ = ["classify", "question_type"]
