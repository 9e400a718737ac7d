"""One module a command; each imports its room only when it runs."""
