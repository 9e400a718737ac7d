"""Two hundred questions against every fault there is, and a run broken off at twenty moments."""

from __future__ import annotations

from collections import Counter

import pytest
from evaluation_kit import Clock, endpoint, make_items, make_references

from evaluation import journal
from evaluation.judge import EndpointJudge
from evaluation.models import EndpointModel
from evaluation.run import run
from evaluation.rundir import EXCHANGE, VERDICTS, read_entries, read_record
from evaluation.signing import Signer

SIGNER = Signer(b"k" * 32)
# What a fault that lasts leaves behind; those that pass leave nothing.
LASTING = {
    "[429]": "rate_limited",
    "[500]": "server_error",
    "[html502]": "server_error",
    "[cut]": "server_error",
    "[garbage]": "server_error",
    "[wrongtype]": "server_error",
    "[huge]": "server_error",
    "[drip]": "timeout",
    "[hang]": "timeout",
    "[nochoices]": "rate_limited",
    "[empty]": "empty",
    "[null]": "empty",
    "[truncated]": "truncated",
    "[refused]": "refused",
    "[filtered]": "refused",
    "[400]": "client_error",
    "[redirect]": "client_error",
}
PASSING = [
    "[429x1]",
    "[500x2]",
    "[garbagex1]",
    "[cutx1]",
    "[wrongtypex2]",
    "[emptyx1]",
    "[nochoicesx1]",
    "[dripx1]",
]


def test_a_run_through_every_fault_ends_complete_and_nothing_is_silently_zero(server, clock, tmp_path):
    marks = [mark for pair in zip(LASTING, PASSING * 3, strict=False) for mark in pair]
    marks += [""] * (200 - len(marks))
    items = make_items(*marks)
    score = run(
        items, make_references(items), EndpointModel(endpoint(server, timeout_seconds=0.4)),
        EndpointJudge(endpoint(server, "judge-1")), tmp_path / "r", now=clock.now, sleep=clock.sleep, signer=SIGNER,
    )  # fmt: skip
    assert (score.asked, score.scored, score.stars) == (200, 200 - len(LASTING), 3 * (200 - len(LASTING)))
    assert score.unscored == dict(sorted(Counter(LASTING.values()).items()))
    record = read_record(tmp_path / "r")
    for item, mark in zip(items, marks, strict=True):
        verdict = record.verdicts[item.question_id]
        assert (verdict.stars, verdict.reason) == ((None, LASTING[mark]) if mark in LASTING else (3, "")), (
            mark
        )


class Killed(BaseException):
    """What ends a process in the middle."""


def summary(folder):
    record = read_record(folder)
    return [
        (
            q,
            record.replies[q].text,
            record.replies[q].finish_reason,
            record.verdicts[q].stars,
            record.verdicts[q].reason,
        )
        for q in record.disciplines
    ]


@pytest.mark.parametrize("torn", [0, 9])
def test_broken_off_at_twenty_moments_it_ends_as_if_undisturbed(server, clock, tmp_path, monkeypatch, torn):
    items = make_items(*["", "[500x1]", "", "[truncated]", ""] * 4)

    def go(folder):
        return run(
            items, make_references(items), EndpointModel(endpoint(server)),
            EndpointJudge(endpoint(server, "judge-1")), folder, now=Clock().now, sleep=clock.sleep, signer=SIGNER,
        )  # fmt: skip

    undisturbed = go(tmp_path / "whole")
    server.seen.clear()
    left, real = [0], journal.os.fsync

    def fsync(handle):
        real(handle)
        left[0] -= 1
        if left[0] == 0:
            raise Killed

    kills = 0
    with monkeypatch.context() as patched:
        patched.setattr(journal.os, "fsync", fsync)
        for moment in range(3, 23):
            left[0] = moment % 7 + 3
            try:
                go(tmp_path / "cut")
            except Killed:
                kills += 1
                for name in (EXCHANGE, VERDICTS)[: torn and 1]:
                    with (tmp_path / "cut" / name).open("ab") as out:
                        out.write(b'{"event":"re'[:torn])
    assert kills >= 15
    assert go(tmp_path / "cut") == undisturbed
    assert summary(tmp_path / "cut") == summary(tmp_path / "whole")
    # Each session repeats the one question in flight at most, and says so.
    asked = [e for e in read_entries(tmp_path / "cut", EXCHANGE) if e["event"] == "asked"]
    repeats = [e for e in asked if e["repeat_of"]]
    assert len(repeats) <= kills
    assert len(asked) - len(repeats) <= len(items) + 4 + 1
