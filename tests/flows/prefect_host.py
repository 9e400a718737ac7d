"""A Prefect server for a test: run as a process, prints address and password, serves until its input closes."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from flows.server import prefect_server

if __name__ == "__main__":
    with prefect_server(Path(sys.argv[1]), ""):
        sys.stdout.write(f"{os.environ['PREFECT_API_URL']} {os.environ['PREFECT_API_AUTH_STRING']}\n")
        sys.stdout.flush()
        sys.stdin.read()
