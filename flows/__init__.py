"""Prefect and the command line: the only room that knows either."""
