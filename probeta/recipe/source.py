"""YAML as a person wrote it: plain text, lists and mappings, each with its line.

A scalar stays the text that stands in the file and the schema decides what it is, so ``no`` is not false
and ``1.10`` is not 1.1 where text is declared. Only an empty value, ``~`` and ``null`` are None. Doubled
keys, aliases and tags of other programs are faults.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import yaml

from probeta.errors import DataError, Fault

#: A place in the document: keys and, in lists, positions from 0.
Place = tuple[str | int, ...]

_NULLS = ("", "~", "null", "Null", "NULL")
_OWN_TAGS = {
    f"tag:yaml.org,2002:{name}"
    for name in ("null", "bool", "int", "float", "str", "timestamp", "seq", "map", "value")
}


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed file: its ``value``, the line of every place in it, and the faults met on the way."""

    value: object
    lines: Mapping[Place, int]
    faults: tuple[Fault, ...]

    def line(self, place: Place) -> int:
        """The line of ``place``, or of the nearest place around it."""
        while place not in self.lines and place:
            place = place[:-1]
        return self.lines.get(place, 1)

    def named(self, place: Place) -> str:
        """``place`` as people write it, a selection rule with its name: ``selection[1] (openings).words``."""
        value = self.value
        for at, part in enumerate(place):
            if isinstance(value, dict):
                value = value.get(part)
            elif isinstance(value, list) and isinstance(part, int) and part < len(value):
                value = value[part]
                if isinstance(value, dict) and isinstance(value.get("rule"), str):
                    rest = dotted(place[at + 1 :])
                    return f"{dotted(place[: at + 1])} ({value['rule']}){f'.{rest}' if rest else ''}"
        return dotted(place)


def dotted(place: Place) -> str:
    """A place as people write it.

    >>> dotted(("grid", "cells", 3, "values"))
    'grid.cells[3].values'
    """
    text = ""
    for part in place:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def parse_yaml(text: str, *, file: str, what: str = "recipe", keys: str = "name, kind, …") -> Document:
    """Parse one YAML document; a DataError where it is not YAML, its other faults in the result.

    ``what`` it should be and the ``keys`` that it should begin with are said where there is nothing in it.
    """
    try:
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            if isinstance(event, yaml.AliasEvent):
                raise DataError(
                    Fault(
                        code="yaml_alias",
                        message=f"the alias *{event.anchor} is not supported",
                        file=file,
                        row=event.start_mark.line + 1 if event.start_mark else None,
                        fix="write the value out",
                    )
                )
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        at = getattr(error, "position", None)
        line = mark.line + 1 if mark else text.count("\n", 0, at) + 1 if at is not None else None
        problem = getattr(error, "problem", None) or getattr(error, "reason", None) or str(error)
        context = getattr(error, "context", None)
        raise DataError(
            Fault(
                code="yaml_syntax",
                message=f"this is not YAML: {problem}{f' {context}' if context else ''}",
                file=file,
                row=line,
                column=f"character {mark.column + 1}" if mark else None,
            )
        ) from None
    except RecursionError:
        raise DataError(
            Fault(code="yaml_depth", message="lists or mappings are nested too deeply", file=file, row=1)
        ) from None
    if root is None:
        raise DataError(Fault(code=f"{what}_empty", message=f"the {what} is empty", file=file, expected=keys))
    walk = _Walk(file)
    value = walk.value(root, ())
    return Document(value, walk.lines, tuple(walk.faults))


class _Walk:
    """From PyYAML's nodes to plain values, keeping lines and faults."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.lines: dict[Place, int] = {}
        self.faults: list[Fault] = []

    def fault(self, code: str, message: str, node: yaml.Node, place: Place, **details: str) -> None:
        self.faults.append(
            Fault(
                code=code,
                message=message,
                file=self.file,
                row=node.start_mark.line + 1,
                column=dotted(place) or None,
                **details,
            )
        )

    def value(self, node: yaml.Node, place: Place) -> object:
        self.lines.setdefault(place, node.start_mark.line + 1)
        if node.tag not in _OWN_TAGS:
            self.fault("yaml_tag", f"the tag {node.tag} is not supported", node, place, fix="leave it out")
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, place)
        if isinstance(node, yaml.SequenceNode):
            return [self.value(child, (*place, at)) for at, child in enumerate(node.value)]
        text: str = node.value
        self._surrogates(node, place)
        plain = isinstance(node, yaml.ScalarNode) and node.style is None
        return None if plain and text in _NULLS else text

    def _surrogates(self, node: yaml.Node, place: Place) -> None:
        """A text that no file can hold: YAML's escapes can write one."""
        if any("\ud800" <= mark <= "\udfff" for mark in node.value):
            found = ascii(node.value[:40])
            self.fault("surrogate", "a lone surrogate is no character", node, place, found=found)

    def _mapping(self, node: yaml.MappingNode, place: Place) -> dict[str, object]:
        found: dict[str, object] = {}
        for key, child in node.value:
            if not isinstance(key, yaml.ScalarNode):
                self.fault("yaml_key", "a key is not plain text", key, place, expected="a word")
                continue
            name: str = key.value
            self._surrogates(key, place)
            here = (*place, name)
            if name in found:
                self.fault(
                    "yaml_doubled_key",
                    f"the key {name} stands twice",
                    key,
                    here,
                    found=f"{name} already in line {self.lines[here]}",
                )
                continue
            self.lines[here] = key.start_mark.line + 1
            found[name] = self.value(child, here)
        return found
