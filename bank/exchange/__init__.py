"""Rows of the bank to and from files: JSON Lines, CSV, XLSX, Parquet."""
