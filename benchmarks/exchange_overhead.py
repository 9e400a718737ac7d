"""What an exchange costs: ours against a bare SDK loop, runs side by side against one, memory over many.

    python -m benchmarks.exchange_overhead [--exchanges 300] [--runs 50] [--many 100000]

A server of its own process answers at once (overhead, memory) or after 300 ms (side by side). Prints
one table with ratios against the baseline of each line.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import tempfile
import threading
import time
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import psutil

from evaluation.endpoint import Endpoint
from evaluation.judge import OverlapJudge
from evaluation.models import EndpointModel, ReferenceModel
from evaluation.run import run
from evaluation.signing import Signer
from schemas.evaluation import SampleItem
from schemas.settings import ModelSettings

REPLY = json.dumps(
    {
        "model": "m",
        "choices": [
            {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "答案"}}
        ],
        "usage": {"prompt_tokens": 9, "completion_tokens": 2},
    }
).encode()
DELAY = 0.3


class Handler(BaseHTTPRequestHandler):
    """Answers every request the same; /slow/ waits first."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        """One completion."""
        self.rfile.read(int(self.headers["Content-Length"]))
        if self.path.startswith("/slow/"):
            time.sleep(DELAY)
        head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(REPLY)}\r\n\r\n"
        self.wfile.write(head.encode() + REPLY)

    def log_message(self, *args: object) -> None:
        """Quiet."""


class Server(ThreadingHTTPServer):
    """Takes many connections at once."""

    request_queue_size = 256
    daemon_threads = True


def serve(pipe: multiprocessing.connection.Connection) -> None:
    """Serve until killed; sends the port."""
    server = Server(("127.0.0.1", 0), Handler)
    pipe.send(server.server_address[1])
    server.serve_forever()


def items_of(count: int) -> list[SampleItem]:
    """Questions of a usual length."""
    prompt = "试述光合作用的主要过程及其意义。" * 4
    return [
        SampleItem(question_id=f"q{n}", discipline="d01", question_type="short_answer", prompt=prompt)
        for n in range(count)
    ]


def our_run(url: str, count: int, folder: Path) -> float:
    """Seconds of a whole signed run of count questions."""
    items = items_of(count)
    model = EndpointModel(Endpoint(ModelSettings(name="m", base_url=url), key="", clock=time.monotonic))
    started = time.perf_counter()
    run(
        items,
        {item.question_id: "答案" for item in items},
        model,
        OverlapJudge(),
        folder,
        now=lambda: datetime.now(UTC),
        sleep=time.sleep,
        signer=Signer(b"k" * 32),
    )
    return time.perf_counter() - started


def bare_loop(url: str, count: int) -> float:
    """Seconds of the SDK alone."""
    import openai

    client = openai.OpenAI(api_key="none", base_url=url, max_retries=0)
    started = time.perf_counter()
    for item in items_of(count):
        client.chat.completions.create(model="m", messages=[{"role": "user", "content": item.prompt}])
    return time.perf_counter() - started


def side_by_side(url: str, runs: int, count: int, folder: Path) -> float:
    """Seconds until runs of count questions, started together, are all done."""
    threads = [threading.Thread(target=our_run, args=(url, count, folder / str(n))) for n in range(runs)]
    started = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.perf_counter() - started


def memory_over(count: int, folder: Path) -> list[float]:
    """Resident megabytes at each fifth of a run of count exchanges, without a network."""
    items = items_of(count)
    references = {item.question_id: "答案" * 200 for item in items}
    process, seen = psutil.Process(os.getpid()), []

    def look(step: object) -> None:
        if (done := step.done) % (count // 5) == 0 or done == 1:  # type: ignore[attr-defined]
            seen.append(process.memory_info().rss / 1e6)

    run(
        items, references, ReferenceModel(references), OverlapJudge(), folder,
        now=lambda: datetime.now(UTC), sleep=time.sleep, progress=look, signer=Signer(b"k" * 32),
    )  # fmt: skip
    return seen


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--exchanges", type=int, default=300)
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--many", type=int, default=100_000)
    wanted = parser.parse_args()
    mine, theirs = multiprocessing.Pipe()
    server = multiprocessing.Process(target=serve, args=(theirs,), daemon=True)
    server.start()
    base = f"http://127.0.0.1:{mine.recv()}"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        bare_loop(f"{base}/v1", 20)
        our_run(f"{base}/v1", 20, folder / "warm")
        bare = bare_loop(f"{base}/v1", wanted.exchanges) / wanted.exchanges * 1000
        ours = our_run(f"{base}/v1", wanted.exchanges, folder / "ours") / wanted.exchanges * 1000
        one = 10 / our_run(f"{base}/slow/v1", 10, folder / "one")
        many = wanted.runs * 10 / side_by_side(f"{base}/slow/v1", wanted.runs, 10, folder / "many")
        print(f"{'measure':44} {'value':>14} {'baseline':>14} {'ratio':>8}")
        print(f"{'an exchange, ms (bare SDK loop)':44} {ours:14.2f} {bare:14.2f} {ours / bare:8.2f}")
        print(f"{'  overhead, ms':44} {ours - bare:14.2f}")
        label = f"{wanted.runs} runs at once, exchanges/s (one run)"
        print(f"{label:44} {many:14.2f} {one:14.2f} {many / one:8.2f}")
        if wanted.many:
            seen = memory_over(wanted.many, folder / "memory")
            fifths = ", ".join(f"{megabytes:.0f}" for megabytes in seen)
            print(f"memory over {wanted.many:,} exchanges, MB at the first and each fifth: {fifths}")
    server.terminate()


if __name__ == "__main__":
    main()
