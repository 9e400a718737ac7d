"""The pool: documents through child processes that hang, crash, eat memory or talk nonsense."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest
from wordmaker import make, par

from ingest.pool import DocumentPool
from schemas.document import Asset
from schemas.errors import MissingToolError, RefusedError
from schemas.settings import ReadSettings, Settings

ECHO = """
import json, os, subprocess, sys, time
json.loads(sys.stdin.readline())
for line in sys.stdin:
    name = os.path.basename(json.loads(line)["path"])
    if name == "hang":
        open(os.environ["TMPDIR"] + "/left", "w").close()
        subprocess.Popen(["sleep", "300"], process_group=0)
        time.sleep(300)
    if name == "eat":
        hog = bytearray(300_000_000)
        time.sleep(300)
    if name == "crash":
        os.abort()
    if name == "leave":
        sys.exit(3)
    if name == "babble":
        print("no JSON", flush=True)
        continue
    if name == "missing":
        print(json.dumps({"error": {"code": "missing_tool", "message": "no tool", "remedy": "get it"}}), flush=True)
        continue
    page = {"number": 1, "method": "word", "blocks": []}
    print(json.dumps({"ok": {"source": name, "sha256": str(os.getpid()), "format": "docx", "pages": [page]}}), flush=True)
    if name == "last":
        sys.exit(0)
"""


def scripted(folder: Path, size: int = 1, **read: object) -> DocumentPool:
    script = folder / "child.py"
    script.write_text(textwrap.dedent(ECHO))
    return DocumentPool(
        size, Settings(read=ReadSettings(**read)), folder, command=[sys.executable, str(script)]
    )


def code(pool: DocumentPool, name: str) -> str:
    with pytest.raises(RefusedError) as caught:
        pool.read(Path(name))
    assert caught.value.remedy
    return caught.value.code


def leftovers() -> set[Path]:
    return set(Path(tempfile.gettempdir()).glob("exambank-child-*/left"))


def sleepers() -> set[int]:
    return {p.pid for p in psutil.process_iter(["cmdline"]) if p.info["cmdline"] == ["sleep", "300"]}


def test_a_document_goes_through_with_its_pictures(tmp_path: Path) -> None:
    picture = b"\xd7\xcd\xc6\x9a picture"
    body = par(
        '<w:r><w:drawing><wp:inline><a:graphic><a:blip r:embed="p"/></a:graphic></wp:inline></w:drawing></w:r>'
    )
    good = make(
        tmp_path / "题.docx",
        par("一、名词解释") + par("1. 熵") + body,
        parts={"media/p.wmf": picture},
        relations={"p": ("image", "media/p.wmf")},
    )
    bad = tmp_path / "bad.docx"
    bad.write_bytes(good.read_bytes()[:200])
    with DocumentPool(1, Settings(), tmp_path / "assets") as pool:
        document = pool.read(good)
        assert [b.text for b in document.blocks] == ["一、名词解释", "1. 熵", "[图]"]
        name = document.blocks[2].asset
        assert (tmp_path / "assets" / f"{name}.wmf").read_bytes() == picture
        assert [p.name for p in (tmp_path / "assets").iterdir()] == [f"{name}.wmf"]
        with pytest.raises(RefusedError) as caught:
            pool.read(bad)
        assert str(tmp_path) not in str(caught.value)
        extraction = pool.extract(good)
        assert extraction.drafts[0].stem.startswith("熵")


def test_children_stay_warm_and_errors_keep_their_kind(tmp_path: Path) -> None:
    with scripted(tmp_path) as pool:
        first, second = pool.read(Path("a")), pool.read(Path("b"))
        assert first.sha256 == second.sha256
        with pytest.raises(MissingToolError) as caught:
            pool.read(Path("missing"))
        assert caught.value.remedy == "get it"
        assert pool.read(Path("c")).sha256 == first.sha256


def test_faults_cost_only_the_document(tmp_path: Path) -> None:
    with scripted(tmp_path, max_seconds=4) as pool:
        before, kept = sleepers(), leftovers()
        start = time.monotonic()
        assert code(pool, "hang") == "max_seconds"
        assert time.monotonic() - start < 20
        assert sleepers() == before, "a program the child started outlived it"
        assert leftovers() <= kept
        assert code(pool, "crash") == "reader_crashed"
        assert code(pool, "leave") == "reader_crashed"
        assert code(pool, "babble") == "reader_crashed"
        assert pool.read(Path("fine")).source == "fine"


def test_memory_is_limited(tmp_path: Path) -> None:
    with scripted(tmp_path, max_memory_mb=200, max_seconds=60) as pool:
        assert code(pool, "eat") == "max_memory_mb"


def test_a_child_that_died_while_idle_is_replaced(tmp_path: Path) -> None:
    with scripted(tmp_path) as pool:
        last = pool.read(Path("last"))
        time.sleep(0.5)
        assert pool.read(Path("next")).sha256 != last.sha256


def test_many_callers_share_few_children(tmp_path: Path) -> None:
    with scripted(tmp_path, size=2) as pool, ThreadPoolExecutor(6) as callers:
        documents = list(callers.map(lambda n: pool.read(Path(f"d{n}")), range(40)))
    assert [d.source for d in documents] == [f"d{n}" for n in range(40)]
    assert len({d.sha256 for d in documents}) <= 2


def test_close_interrupts_what_is_still_read(tmp_path: Path) -> None:
    pool = scripted(tmp_path)
    codes: list[str] = []

    def wait() -> None:
        try:
            pool.read(Path("hang"))
        except RefusedError as error:
            codes.append(error.code)

    caller = threading.Thread(target=wait)
    caller.start()
    time.sleep(1)
    pool.close()
    caller.join(timeout=10)
    assert codes == ["interrupted"]
    assert code(pool, "later") == "interrupted"


def test_children_end_when_the_parent_is_killed(tmp_path: Path) -> None:
    path = make(tmp_path / "a.docx", par("1. 熵"))
    script = (
        "import time; from pathlib import Path; from ingest.pool import DocumentPool;"
        "from schemas.settings import Settings;"
        f"pool = DocumentPool(1, Settings(), Path({str(tmp_path)!r})); pool.read(Path({str(path)!r}));"
        "print(next(iter(pool._all))._process.pid, flush=True); time.sleep(60)"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, cwd=Path(__file__).parents[2]
    )
    assert parent.stdout is not None
    child = psutil.Process(int(parent.stdout.readline()))
    folder = Path(child.environ()["TMPDIR"])
    parent.kill()
    parent.wait()
    child.wait(timeout=10)
    assert not folder.exists()


def test_unexpected_errors_are_told_without_paths(tmp_path: Path) -> None:
    from ingest import worker

    blocked = tmp_path / "assets"
    blocked.write_text("a file where the folder should be")
    body = par('<w:r><w:pict><v:shape><v:imagedata r:id="p"/></v:shape></w:pict></w:r>')
    path = make(
        tmp_path / "a.docx", body, parts={"media/p.png": b"png"}, relations={"p": ("image", "media/p.png")}
    )
    reply = worker.answer({"op": "read", "path": str(path)}, Settings(), blocked)
    assert '"reader_failed"' in reply and str(tmp_path) not in reply and "Traceback" not in reply


def test_assets_are_written_once_and_whole(tmp_path: Path) -> None:
    from ingest.worker import asset_name, store_assets

    asset = Asset(digest="ab" * 32, media_type="image/png", data=b"1")
    store_assets([asset, asset], tmp_path / "deep" / "folder")
    assert [p.name for p in (tmp_path / "deep" / "folder").iterdir()] == [asset_name(asset)]
