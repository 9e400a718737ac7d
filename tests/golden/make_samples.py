"""Write data/samples and the golden rows beside this file, both from the papers we wrote.

    python -m tests.golden.make_samples            write samples and goldens
    python -m tests.golden.make_samples --check    say whether the goldens are those of the papers

The goldens come from the text of tests/golden/papers and never from the extractor, so writing them
again cannot bless a wrong extraction.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
from collections.abc import Callable
from pathlib import Path

from tests.golden.kit import camera, paper_docx, paper_pdf
from tests.golden.kit.model import Item, Paper, plain
from tests.golden.kit.typeset import Sheet
from tests.golden.papers import (
    data_structures,
    economics,
    education,
    history,
    law,
    linear_algebra,
    management,
    nursing,
    operating_systems,
)

HERE = Path(__file__).parent
SAMPLES = HERE.parents[1] / "data" / "samples"
A4 = (595.0, 842.0)
A3_LANDSCAPE = (1191.0, 842.0)


def _economics(paper: Paper) -> bytes:
    sheet = Sheet(*A4, columns=[(92, 545)], running=paper.running, seal=True)
    paper_pdf.head(sheet, paper)
    paper_pdf.questions(sheet, paper, writing=46)
    paper_pdf.key(sheet, paper)
    return paper_pdf.save(sheet.finish())


def _education(paper: Paper) -> bytes:
    sheet = Sheet(*A4, columns=[(62, 533)])
    paper_pdf.head(sheet, paper)
    paper_pdf.questions(sheet, paper, below="【答案】", explain="【解析】")
    return paper_pdf.save(sheet.finish())


def _operating_systems(paper: Paper) -> bytes:
    sheet = Sheet(
        *A4, columns=[(72, 523)], running=paper.running, footer=paper.extra["footer"], size=11, leading=1.4
    )
    paper_pdf.head(sheet, paper)
    paper_pdf.questions(sheet, paper)
    paper_pdf.key(sheet, paper)
    return paper_pdf.save(sheet.finish())


def _data_structures(paper: Paper) -> bytes:
    sheet = Sheet(
        *A3_LANDSCAPE,
        columns=[(110, 600), (650, 1140)],
        seal=True,
        footer="数据结构试题  第{page}页  共{pages}页",
        size=12,
    )
    paper_pdf.head(sheet, paper)
    paper_pdf.questions(sheet, paper, space=8)
    paper_pdf.key(sheet, paper, new_page=False)
    return paper_pdf.save(sheet.finish(halves=2))


def _history(paper: Paper) -> bytes:
    sheet = Sheet(*A4, columns=[(70, 530)], footer="— {page} —", size=11.5)
    paper_pdf.head(sheet, paper)
    paper_pdf.questions(sheet, paper, below="答：")
    return paper_pdf.save(camera.scan(sheet.finish()))


def _law(paper: Paper) -> bytes:
    """Answers of the first two sections stand in the brackets, the others below."""

    def filled(item: Item) -> Item:
        text = plain(item.text).replace("（    ）", f"（ {plain(item.answer_lines[0])} ）")
        return dataclasses.replace(item, text=text)

    sheet = Sheet(*A4, columns=[(66, 530)], footer="", size=12.5, top=50)
    paper_pdf.head(sheet, paper)
    marked, written = paper.sections[:2], paper.sections[2:]
    marked = tuple(dataclasses.replace(s, items=tuple(filled(i) for i in s.items)) for s in marked)
    paper_pdf.questions(sheet, dataclasses.replace(paper, sections=marked))
    paper_pdf.questions(sheet, dataclasses.replace(paper, sections=written), below="答：")
    return camera.photograph(sheet.finish()[0])


def _linear_algebra(paper: Paper) -> bytes:
    document = paper_docx.start(paper)
    paper_docx.head(document, paper)
    paper_docx.questions(document, paper, automatic=True)
    document.add_page_break()
    paper_docx.key(document, paper)
    return paper_docx.save(document)


def _management(paper: Paper) -> bytes:
    document = paper_docx.start(paper)
    paper_docx.head(document, paper)
    paper_docx.questions(document, paper, automatic=False)
    return paper_docx.save(document)


def _management_key(paper: Paper) -> bytes:
    document = paper_docx.start(paper)
    paper_docx.key(document, paper)
    return paper_docx.save(document)


def _nursing(paper: Paper) -> bytes:
    document = paper_docx.start(paper)
    paper_docx.head(document, paper)
    paper_docx.questions(document, paper, automatic=False, below="答案：")
    return paper_docx.save(document)


MADE: tuple[tuple[Paper, Callable[[Paper], bytes]], ...] = (
    (economics.PAPER, _economics),
    (education.PAPER, _education),
    (history.PAPER, _history),
    (law.PAPER, _law),
    (data_structures.PAPER, _data_structures),
    (operating_systems.PAPER, _operating_systems),
    (linear_algebra.PAPER, _linear_algebra),
    (management.PAPER, _management),
    (nursing.PAPER, _nursing),
)


def goldens() -> dict[str, str]:
    """Name and text of every golden file, from the papers alone."""
    made = {}
    for paper, _ in MADE:
        made[f"{paper.file}.jsonl"] = paper.rows()
        if paper.key_file:
            made[f"{paper.key_file}.jsonl"] = paper.key_rows()
    return {
        name: "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        for name, rows in made.items()
    }


def samples() -> dict[str, bytes]:
    """Name and bytes of every sample file."""
    made = {}
    for paper, make in MADE:
        made[paper.file] = make(paper)
        if paper.key_file:
            made[paper.key_file] = _management_key(paper)
    return made


def main() -> int:
    """Write, or check, and say what was done."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true")
    if parser.parse_args().check:
        wrong = [n for n, text in goldens().items() if (HERE / n).read_text(encoding="utf-8") != text]
        sys.stdout.write(f"goldens that differ from the papers: {', '.join(wrong) or 'none'}\n")
        return 1 if wrong else 0
    SAMPLES.mkdir(parents=True, exist_ok=True)
    for name, text in goldens().items():
        (HERE / name).write_text(text, encoding="utf-8")
    for name, data in samples().items():
        (SAMPLES / name).write_bytes(data)
        sys.stdout.write(f"{len(data) / 1024:7.1f} KB  {name}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
