"""A server of many models on loopback: they answer, grade and judge by rules that a test can set."""

from __future__ import annotations

import json
import re
import threading
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from evaluation.bias.asking import Surroundings
from evaluation.bias.folder import Plan, write_plan
from evaluation.bias.records import DIMENSIONS, Prompt
from evaluation.bias.settings import AuditModel, AuditSettings, Rules
from evaluation.endpoint import Endpoint

TEXT = re.compile(r"\[(text \w+): (?:the )?response(?: \w)? begins here.*?\]\n(.*?)\n\[/\1", re.DOTALL)
SAYS = re.compile(r"(m\d+) answers (\S+) with quality ([\d.]+)")
MODELS = ("m0", "m1", "m2")


class House(ThreadingHTTPServer):
    """m0 … m2 answer; every model can judge; graders read the quality that a reply tells of itself."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.lock = threading.Lock()
        self.asked: Counter[str] = Counter()
        self.seen: list[dict] = []
        self.quality: Callable[[str, int], float] = lambda model, number: 7.0
        self.choose: Callable[[str, str, str], str] = lambda judge, first, second: min(first, second)
        self.faults: dict[str, list[int]] = {}
        self.after: Callable[[], None] = lambda: None
        self.model_id: Callable[[str], str] = lambda name: name
        self.takes_schema = True
        self.refusal = "not now"
        self.says: Callable[[str, str], str | None] = lambda kind, model: None
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def close(self) -> None:
        self.shutdown()
        self.server_close()

    def answer(self, model: str, prompt: str) -> tuple[str, str]:
        """The kind of request, and what is said."""
        texts = [match[2] for match in TEXT.finditer(prompt)]
        if prompt.startswith("You grade"):
            grade = float(SAYS.search(texts[0])[3])
            return "grade", json.dumps(dict.fromkeys(DIMENSIONS, grade))
        if prompt.startswith("Two responses"):
            first, second = (SAYS.search(text) for text in texts)
            if abs(float(first[3]) - float(second[3])) >= 2.5:
                chosen = max((first, second), key=lambda one: float(one[3]))[1]
            else:
                chosen = self.choose(model, first[1], second[1])
            letter = "A" if chosen == first[1] else "B"
            if "five dimensions" in prompt:
                # On overall quality it would say `letter`; on two of five the other one.
                other = "B" if letter == "A" else "A"
                said = [letter, letter, letter, other, other]
                return "structured", "Here:\n" + json.dumps(dict(zip(DIMENSIONS, said, strict=True)))
            if "Verdict: A" in prompt:
                return "reasoned", f"A is this, B is that.\n**Verdict: {letter}**"
            return "plain", letter
        if prompt.startswith("Please evaluate"):
            own = f"{model} answers" in prompt
            return "stars", json.dumps({"Overall Rating": 3 if own else 2})
        number = int(re.search(r"p(\d+)", prompt)[1])
        return "reply", f"{model} answers p{number} with quality {self.quality(model, number)}"


class _Handler(BaseHTTPRequestHandler):
    server: House
    protocol_version = "HTTP/1.1"
    wbufsize = 1 << 16  # head and body in one packet: two would wait for each other
    disable_nagle_algorithm = True

    def log_message(self, *args) -> None:
        pass

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        model, house = body["model"], self.server
        kind, said = house.answer(model, body["messages"][-1]["content"])
        with house.lock:
            house.asked[kind] += 1
            house.seen.append({"kind": kind, **body})
            faults = house.faults.get(kind, [])
            status = faults.pop(0) if faults else 200
        if "response_format" in body and not house.takes_schema:
            self.send(400, {"error": {"message": "response_format json_schema is not supported"}})
            return
        if status != 200:
            self.send(status, {"error": {"message": house.refusal}})
            return
        said = house.says(kind, model) or said
        choice = {"finish_reason": "stop", "message": {"role": "assistant", "content": said}}
        usage = {"prompt_tokens": 10, "completion_tokens": 5}
        self.send(200, {"model": house.model_id(model), "choices": [choice], "usage": usage})
        house.after()

    def send(self, status: int, data: dict) -> None:
        sent = json.dumps(data).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent)
        self.wfile.flush()


def study(house: House, *, graders=("critic", "reviewer"), pointwise=False, **rules) -> AuditSettings:
    """Three models that judge, and graders, all on the server."""
    model = {"base_url": house.base_url, "max_attempts": 2, "backoff_seconds": 0.0}
    return AuditSettings(
        models=tuple(AuditModel(name=name, pointwise=pointwise, **model) for name in MODELS),
        graders=tuple(AuditModel(name=name, **model) for name in graders),
        rules=Rules(**{"epsilons": (0.25,), **rules}),
    )


def planned(house: House, folder: Path, *, prompts: int = 5, signed: bool = False, **more) -> Plan:
    """A plan for prompts of two tasks, written into folder."""
    asked = tuple(
        Prompt(prompt_id=f"p{n}", text=f"task p{n}", task=f"kind-{n % 2}", reference="ref")
        for n in range(prompts)
    )
    allow_kin = more.pop("allow_kin", False)
    return write_plan(folder, Plan(study(house, **more), asked, allow_kin, signed, "2026-01-01T00:00:00Z"))


@cache
def endpoint(model: AuditModel) -> Endpoint:
    """One connection for a model, whatever it does: making one takes longer than a hundred questions."""
    return Endpoint(model, key="", clock=lambda: 0.0)


def around(**more) -> Surroundings:
    """Endpoints without a key, a clock that stands, and no waiting."""
    return Surroundings(
        endpoint=endpoint,
        now=lambda: datetime(2026, 1, 1, tzinfo=UTC),
        sleep=lambda seconds: None,
        **more,
    )
