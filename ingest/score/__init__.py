"""The yardstick of extraction: questions found against questions read by hand. See docs/extraction.md."""

from ingest.score.figures import Figures, Report, score, score_all

__all__ = ["Figures", "Report", "score", "score_all"]
