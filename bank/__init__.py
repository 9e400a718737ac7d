"""The questions that are kept: versions, near-duplicates, draws."""
