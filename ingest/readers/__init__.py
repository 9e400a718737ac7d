"""File in, schemas.Document out; one module a format."""
