"""The edge-case tables: expected texts and spans were written by hand, in tests/data."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from probeta.builders.spans.casing import CASINGS
from probeta.builders.spans.perturb import Policies, configurations
from probeta.errors import DataError
from probeta.offsets import to_utf16
from probeta.records import Sentence, Span

DATA = Path(__file__).parent / "data"


def marked(written: str) -> tuple[str, tuple[Span, ...]]:
    """``Hay ⟦pie⟧.`` as text and spans, with ``\\uXXXX`` and ``\\t`` resolved."""
    plain = re.sub(r"\\u([0-9a-f]{4})", lambda match: chr(int(match[1], 16)), written).replace("\\t", "\t")
    text = ""
    spans = []
    start = 0
    for char in plain:
        if char == "⟦":
            start = len(text)
        elif char == "⟧":
            spans.append(Span(start, len(text), "ENG"))
        else:
            text += char
    return text, tuple(spans)


def table(name: str) -> list[list[str]]:
    lines = (DATA / name).read_text("utf-8").splitlines()
    return [
        [cell.strip(" ") for cell in line.split("│")] for line in lines if line and not line.startswith("#")
    ]


def edges() -> list[object]:
    cases = []
    for cells in table("perturb_edges.txt"):
        if cells[0].startswith("=="):
            cases.append((cells[0].removeprefix("== "), {}))
        else:
            cases[-1][1][cells[0]] = cells[1:]
    return [pytest.param(rows, id=title.split(" ")[0]) for title, rows in cases]


@pytest.mark.parametrize("rows", edges())
def test_edge_case_in_all_twelve_configurations(rows: dict[str, list[str]]) -> None:
    assert list(rows) == ["source", *CASINGS]
    text, spans = marked(rows["source"][0])
    found = list(configurations([Sentence("e", text, spans)]))
    expected = {
        f"e|{casing}|{quotes}": marked(written)
        for casing in CASINGS
        for quotes, written in zip(("without", "with"), rows[casing], strict=True)
    }
    assert {row.id: (row.text, row.spans) for row in found} == expected
    first: dict[object, str] = {}
    for row in found:
        earlier = first.setdefault(expected[row.id], row.id)
        assert row.attributes["duplicate_of"] == (earlier if earlier != row.id else None)


def test_the_table_has_the_23_rows() -> None:
    numbers = {int(re.match(r"\d+", case.id)[0]) for case in edges()}  # type: ignore[attr-defined,index]
    assert numbers == set(range(1, 24))


@pytest.mark.parametrize(
    ("policies", "configuration", "source", "expected"),
    [pytest.param(*cells, id=f"{number}") for number, cells in enumerate(table("perturb_policies.txt"))],
)
def test_policy(policies: str, configuration: str, source: str, expected: str) -> None:
    given = dict(pair.split("=") for pair in policies.split())
    casing, quotes = configuration.split()
    text, spans = marked(source)
    (row,) = configurations(
        [Sentence("e", text, spans)], casings=[casing], quotes=[quotes], policies=Policies.of(given)
    )
    assert (row.text, row.spans) == marked(expected)


@pytest.mark.parametrize(("start", "end", "why"), [(2, 4, "starts on"), (0, 7, "ends before")])
def test_a_span_that_cuts_a_letter_from_its_marks_is_refused(start: int, end: int, why: str) -> None:
    # r e ◌́ s u m e ◌́: the marks stand at 2 and 7.
    with pytest.raises(DataError, match=f"{why} a combining mark"):
        Sentence("e", "re\u0301sume\u0301", (Span(start, end, "ENG"),))


def test_utf16_offsets_on_request() -> None:
    # The woman, the joiner and the laptop are 2 + 1 + 2 units, then a space: the span starts at 6, not 4.
    text, spans = marked("👩\\u200d💻 ⟦startup day⟧")
    (row,) = configurations([Sentence("e", text, spans)], casings=["upper"], quotes=["without"])
    assert row.spans[0].start == 4
    assert to_utf16(row.text, row.spans[0].start) == 6
