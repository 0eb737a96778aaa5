"""JSON as strictly as the rest: no doubled keys, no NaN, no nesting without end."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

_KEY = re.compile(rb'"\s*:')
_NESTED = (dict, list)
_TOO_DEEP = "lists or objects are nested too deeply"

#: No annotation nests deeper; what walks through values (Arrow, spaCy, our own checks) can rely on it.
MOST_DEPTH = 100


class NotJson(ValueError):
    """Why a text is no JSON to rely on, in words; ``at`` is the character where it ends to be one, if known."""

    def __init__(self, reason: str, *, at: int | None = None) -> None:
        super().__init__(reason)
        self.at = at


def parse(text: str | bytes) -> Any:
    """The value of a JSON text; a ``NotJson`` says what is wrong with it.

    >>> parse('{"a": [1]}')
    {'a': [1]}
    >>> parse('{"a": 1, "a": 2}')
    Traceback (most recent call last):
    probeta.jsontext.NotJson: the key 'a' stands twice
    """
    try:
        return json.loads(text, object_pairs_hook=_object, parse_constant=_constant)
    except json.JSONDecodeError as error:
        raise NotJson(error.msg, at=error.pos) from None
    except RecursionError:
        raise NotJson(_TOO_DEEP) from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise NotJson(f"the key {next(key for key in keys if keys.count(key) > 1)!r} stands twice")
    return found


def _constant(name: str) -> Any:
    raise NotJson(f"{name} is no JSON")


def doubt(raw: bytes, value: object) -> str | None:
    """Why ``raw``, which a fast parser made ``value`` of, is not to be relied on; None if it is.

    Of a doubled key such parsers keep the last value and say nothing. Keys are as many as colons, or as
    colons after a quotation mark; where they are fewer a text holds some, or a key is lost, and the slow
    parser tells.
    """
    try:
        keys = _keys(value, 0)
        if raw.count(b":") != keys and len(_KEY.findall(raw)) != keys:
            parse(raw)
    except NotJson as error:
        return str(error)
    return None


def _keys(value: object, depth: int) -> int:
    """The keys of a value's objects, those of objects in lists included."""
    if depth > MOST_DEPTH:
        raise NotJson(_TOO_DEEP)
    count = 0
    inner: Iterable[object] = ()
    if type(value) is dict:
        count = len(value)
        inner = value.values()
    elif type(value) is list:
        inner = value
    for part in inner:
        if type(part) in _NESTED:
            count += _keys(part, depth + 1)
    return count
