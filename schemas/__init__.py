"""What the data is: records, enums, taxonomy, folding, settings, errors. Reads no file, runs no model."""
