"""A real OpenAI-compatible HTTP server on loopback, with every fault an endpoint can show.

A question's text decides what its requests meet: `[429x2]` is answered with 429 twice and then
properly, `[hang]` always hangs. A request that holds the judge prompt is answered as a judge.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MARK = re.compile(r"\[([a-z0-9_]+?)(?:x(\d+))?\]")
ITEM = re.compile(r"题#(\w+)")
JUDGE_HEAD = "Please evaluate the following response from the LLM"


class Loopback(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.lock = threading.Lock()
        self.requests: list[dict[str, object]] = []
        self.seen: Counter[str] = Counter()
        self.answered: Counter[str] = Counter()
        self.judge_says = '{"Overall Rating":3}'
        self.delay = 0.0
        self.refuses_schema: bool | str = False  # or the one form it does not know
        self.answers = lambda item: f"答案{item}"
        self.model_id: str | None = None  # by default the name asked for, dated
        self.released = threading.Event()
        self.thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self.thread.start()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def close(self) -> None:
        self.released.set()
        self.shutdown()
        self.server_close()

    def handle_error(self, request, client_address) -> None:
        """A client that hung up is what some tests want."""


class _Handler(BaseHTTPRequestHandler):
    server: Loopback
    protocol_version = "HTTP/1.1"

    def log_message(self, *args) -> None:
        pass

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        prompt = body["messages"][-1]["content"]
        judging = prompt.startswith(JUDGE_HEAD)
        self.asked_for = body["model"]
        item = (ITEM.search(prompt) or ["", "?"])[1]
        with self.server.lock:
            kind = "judge:" if judging else ""
            self.server.seen[kind + item] += 1
            nth = self.server.seen[kind + item]
            self.server.requests.append(
                {
                    "path": self.path,
                    "headers": {name.lower(): value for name, value in self.headers.items()},
                    "body": body,
                    "item": kind + item,
                }
            )
        form = body.get("response_format", {}).get("type")
        if form and self.server.refuses_schema in (True, form):
            self.fail(400, "response_format of type json_schema is not supported")
            return
        mark = None if judging else MARK.search(prompt)
        if mark and (mark[2] is None or nth <= int(mark[2])):
            getattr(self, "fault_" + mark[1])()
            return
        time.sleep(self.server.delay)
        if judging:
            says = self.server.judge_says
            self.complete(says(prompt, nth) if callable(says) else says)
        else:
            self.complete(self.server.answers(item))
        with self.server.lock:
            self.server.answered[kind + item] += 1

    def complete(self, text, *, finish="stop", **message) -> None:
        choice = {
            "index": 0,
            "finish_reason": finish,
            "message": {"role": "assistant", "content": text, **message},
        }
        usage = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
        self.send_json(
            200,
            {
                "id": "x",
                "object": "chat.completion",
                "model": f"{self.asked_for}-2026" if self.server.model_id is None else self.server.model_id,
                "choices": [choice],
                "usage": usage,
            },
        )

    def send_json(self, status, data, **headers) -> None:
        self.send_bytes(status, json.dumps(data).encode(), **headers)

    def send_bytes(self, status, data, **headers) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(data)

    def fail(self, status, message, code=None, **headers) -> None:
        self.send_json(status, {"error": {"message": message, "type": "test", "code": code}}, **headers)

    def fault_429(self):
        self.fail(429, "slow down", "rate_limit_exceeded", Retry_After="7")

    def fault_quota(self):
        self.fail(429, "You exceeded your current quota", "insufficient_quota")

    def fault_500(self):
        self.fail(500, "boom")

    def fault_html502(self):
        self.send_bytes(502, b"<html>Bad gateway</html>")

    def fault_401(self):
        self.fail(401, f"Incorrect API key provided: {self.headers['Authorization']}", "invalid_api_key")

    def fault_400(self):
        self.fail(400, "context length exceeded", "context_length_exceeded")

    def fault_filtered(self):
        self.fail(400, "inappropriate content", "data_inspection_failed")

    def fault_hang(self):
        self.server.released.wait(20)

    def fault_drip(self):
        """Headers at once, then a blank now and then: never a whole answer."""
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", "100000")
        self.end_headers()
        for _ in range(200):
            self.wfile.write(b" ")
            self.wfile.flush()
            if self.server.released.wait(0.05):
                return

    def fault_hdrip(self):
        """One header line now and then: the body never begins."""
        self.send_response(200)
        for n in range(200):
            self.send_header(f"X-{n}", "1")
            self.flush_headers()
            if self.server.released.wait(0.05):
                return

    def fault_keyclip(self):
        """The key of the request at the place where a long message is cut."""
        self.fail(400, "x" * 485 + " " + self.headers["Authorization"].split()[-1])

    def fault_cut(self):
        """The connection closes in the middle of the body."""
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", "5000")
        self.end_headers()
        self.wfile.write(b'{"choices": [')
        self.close_connection = True

    def fault_garbage(self):
        self.send_bytes(200, b'{"choices": [{"message": {"content": "half')

    def fault_wrongtype(self):
        """JSON of the right names and the wrong types."""
        self.send_json(200, {"choices": {"0": {"message": "text"}}, "usage": [], "model": 5})

    def fault_huge(self):
        """A body of 50 MB."""
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", "50000000")
        self.end_headers()
        self.close_connection = True
        for _ in range(50):
            self.wfile.write(b" " * 1_000_000)

    def fault_nochoices(self):
        self.send_json(200, {"error": {"message": "upstream is busy", "code": 429}})

    def fault_empty(self):
        self.complete("")

    def fault_null(self):
        self.complete(None)

    def fault_thinking(self):
        self.complete("<think>让我想想……</think>\n")

    def fault_truncated(self):
        self.complete("答案的前半", finish="length")

    def fault_refused(self):
        self.complete("", refusal="I will not answer that.")

    def fault_contentfilter(self):
        self.complete("", finish="content_filter")

    def fault_surrogate(self):
        self.send_bytes(
            200, b'{"model":"m","choices":[{"finish_reason":"stop","message":{"content":"\\ud800 \\u7b54"}}]}'
        )

    def fault_redirect(self):
        self.send_bytes(307, b"", Location="http://127.0.0.1:1/elsewhere")

    def fault_echokey(self):
        self.complete(f"你的密钥是 {self.headers['Authorization']}")
