"""The sample papers, written for this project."""
