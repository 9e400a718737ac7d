"""Builders of the sample papers: content model, typesetter, Word writer, camera."""
