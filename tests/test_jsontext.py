"""JSON as strictly as the rest: doubled keys, NaN and endless nesting are told."""

from __future__ import annotations

import json
from pathlib import Path

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probeta.errors import DataError
from probeta.formats.jsonl import read_jsonl
from probeta.jsontext import NotJson, doubt, parse

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(VALUES, st.sampled_from([None, 1]))
def test_sound_json_leaves_no_doubt(value: object, indent: int | None) -> None:
    # Colons in texts and keys, blanks and line breaks: none of them is taken for a doubled key.
    raw = json.dumps(value, ensure_ascii=False, indent=indent).encode()
    assert parse(raw) == value
    assert doubt(raw, value) is None


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1, "a": 1}',
        '{"a"\t:1,"a" : "x:y"}',
        '{"b": [{"a": 1}, {"a": 1, "a": 2}]}',
        '{"a": {"b": {"c": 1, "\\u0063": 2}}}',
    ],
)
def test_a_doubled_key_is_told(text: str) -> None:
    assert "stands twice" in (doubt(text.encode(), orjson.loads(text)) or "")
    with pytest.raises(NotJson, match="stands twice"):
        parse(text)


@pytest.mark.parametrize("text", ["NaN", "[-Infinity]", "{", "", "[" * 100_000, "\ufeff1"])
def test_what_is_no_json_is_told(text: str) -> None:
    with pytest.raises(NotJson):
        parse(text)


def test_lines_are_told_too(tmp_path: Path) -> None:
    deep = "[" * 900 + "]" * 900
    (tmp_path / "t.jsonl").write_text(f'{{"a": 1, "a": 2}}\n{{"a": {deep}}}\n{{"a": "b: \\": c"}}\n')
    with pytest.raises(DataError) as caught:
        read_jsonl(tmp_path / "t.jsonl")
    assert [(fault.code, fault.row) for fault in caught.value.faults] == [("json", 1), ("json", 2)]
