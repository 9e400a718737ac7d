"""Reading a judge's verdict, and keeping the text under judgement from writing one itself."""

from __future__ import annotations

import contextlib
import json
import re
import unicodedata
from collections.abc import Iterator

KEY = "Overall Rating"
MAX_CHARS = 100_000
MAX_OBJECTS = 500
_MIN_ECHO = 8  # characters; a shorter reply stands in any text by chance

_THINKING = re.compile(r"^\s*<think>.*?</think>", re.DOTALL)
_OBJECT = re.compile(r'\{\s*"')
_MENTION = re.compile(r'"Overall Rating"\s*:')
_ECHO = '{"Overall Rating":numbers of its stars(int)}'
_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})")
_RATING = re.compile(r"overall[^a-z0-9]{0,8}rating")
_FRAME = re.compile(
    r"(?:^|\n)([^a-z0-9\n]{0,8})(?:user|llm|assistant|system)[^a-z0-9\n]{0,4}:"
    r"|the correct answer to user.{0,3}s question is"
    r"|you must provide your feedback"
    r"|please evaluate the following response"
)
# Letters of other scripts that pass for the Latin ones of the watched words.
_TWINS = str.maketrans("аеіорсухѕԁӏԛԝɡαειορυνκτ", "aeiopcyxsdlqwgaeiopuvkt")
_BROKEN_RATING = "Overall·Rating[quoted]"
_BROKEN_FRAME = "[quoted] "


class MalformedError(ValueError):
    """A judge's reply from which no rating can be read; the message says why."""


def without_thinking(text: str) -> str:
    """The text without a complete leading <think>…</think> block, which is no part of the answer."""
    return _THINKING.sub("", text, count=1).strip()


def read_stars(text: str, echoed: str = "") -> int:
    """The stars of a judge's reply: the one integer 0-3 under "Overall Rating" in a JSON object.

    Words around the object are allowed. Anything that leaves a doubt is malformed: no object, two
    different ratings, a key given twice, a number out of range or not an integer, a rating inside
    broken JSON. Raises MalformedError.

    echoed is the reply under judgement as the judge was shown it. A judge may quote it, and it may
    hold brackets that close round the verdict: what cannot be read with it is read without it.
    """
    try:
        return _read(text)
    except MalformedError:
        for rest in _without_echo(text, echoed):
            with contextlib.suppress(MalformedError):
                return _read(rest)
        raise


def _without_echo(text: str, echoed: str) -> Iterator[str]:
    """The judge's reply without its quotation of echoed: as a whole, then line by line."""
    echoed = echoed.strip()
    if len(echoed) >= _MIN_ECHO and echoed in text:
        yield text.replace(echoed, "\n")
    lines = {line for part in echoed.splitlines() if (line := part.strip())}
    kept = [line for line in text.splitlines() if line.strip(" \t>") not in lines]
    if len(kept) < len(text.splitlines()):
        yield "\n".join(kept)


def _read(text: str) -> int:
    text = without_thinking(text)
    if len(text) > MAX_CHARS:
        raise MalformedError(f"longer than {MAX_CHARS} characters")
    text = text.replace(_ECHO, "")  # the instruction repeated is no rating
    values, mentions_inside = _ratings(text)
    if not values:
        raise MalformedError(f'no JSON object with "{KEY}"')
    if len(_MENTION.findall(text)) != mentions_inside:
        raise MalformedError(f'"{KEY}" also stands outside a readable object')
    for value in values:
        if type(value) is not int or not 0 <= value <= 3:
            raise MalformedError(f'"{KEY}" is not an integer from 0 to 3')
    if len(set(values)) > 1:
        raise MalformedError("two different ratings")
    return int(str(values[0]))


def _ratings(text: str) -> tuple[list[object], int]:
    """Values under KEY at the top of the text's JSON objects, and how often KEY is written there."""
    decoder = json.JSONDecoder(object_pairs_hook=_Pairs)
    values: list[object] = []
    mentions = position = 0
    for _ in range(MAX_OBJECTS):
        start = _OBJECT.search(text, position)
        if start is None:
            return values, mentions
        try:
            found, end = decoder.raw_decode(text, start.start())
        except (ValueError, RecursionError):
            position = start.start() + 1
            continue
        own = [value for key, value in found if key == KEY]
        if own and len(own) != len(_MENTION.findall(text[start.start() : end])):
            raise MalformedError(f'"{KEY}" is nested or written with escapes')
        if len(own) > 1:
            raise MalformedError(f'"{KEY}" given twice in one object')
        values += own
        mentions += len(own)
        position = end
    raise MalformedError(f"more than {MAX_OBJECTS} objects")


class _Pairs(list[tuple[str, object]]):
    """A JSON object as its pairs, so that a repeated key is seen."""


def neutralise(text: str) -> tuple[str, int]:
    """The text with everything broken up that could pass for a rating or a line of the judge prompt.

    Text without such look-alikes comes back unchanged. Spaces, full-width and look-alike letters,
    invisible characters and JSON escapes are seen through. The second value counts the places.
    """
    folded, places = _fold_with_places(text)
    spans = [(m.start(), m.end(), _BROKEN_RATING) for m in _RATING.finditer(folded)]
    for match in _FRAME.finditer(folded):
        # Only the start of a frame line is marked: its words stay readable.
        at = match.start() + (match[0].startswith("\n"))
        spans.append((at, at, _BROKEN_FRAME))
    pieces, done = [], 0
    for start, end, replacement in sorted(spans):
        first = places[start] if start < len(places) else len(text)
        last = places[end] if end < len(places) else len(text)
        pieces += [text[done:first], replacement]
        done = max(done, last if end > start else first)
    return "".join(pieces) + text[done:], len(spans)


def _fold_with_places(text: str) -> tuple[str, list[int]]:
    """The text folded for comparison, and for each folded character where it came from."""
    folded: list[str] = []
    places: list[int] = []
    position = 0
    while position < len(text):
        escape = _ESCAPE.match(text, position)
        char = chr(int(escape[1], 16)) if escape else text[position]
        if unicodedata.category(char) not in {"Cf", "Mn", "Me"}:
            # Decomposed, so that accents fall away as marks; a folded line break is always \n.
            for part in unicodedata.normalize("NFKD", char).casefold().translate(_TWINS):
                if unicodedata.category(part) not in {"Cf", "Mn", "Me"}:
                    folded.append("\n" if part in "\r\n\x0b\x0c\x85\u2028\u2029" else part)
                    places.append(position)
        position = escape.end() if escape else position + 1
    return "".join(folded), places
