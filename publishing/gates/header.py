"""The YAML header of a card as it was written: values as the Hub reads them, and the line of each."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from probeta.errors import Fault
from probeta.recipe.source import Place, dotted

CARD = "README.md"

_BLOCK = re.compile(r"\A\s*---[ \t]*\r?\n(?P<yaml>.*?)(?:\r?\n)?^---[ \t]*\r?$", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Header:
    """A header: its ``value``, the line of every place in the card, and the faults of its form.

    ``value`` is empty where there is no header or it is not YAML; then ``readable`` is false.
    """

    value: Mapping[str, Any]
    lines: Mapping[Place, int] = field(default_factory=dict)
    faults: tuple[Fault, ...] = ()
    readable: bool = True

    def line(self, place: Place) -> int:
        """The line of ``place``, or of the nearest place around it."""
        while place not in self.lines and place:
            place = place[:-1]
        return self.lines.get(place, 1)

    def fault(self, code: str, message: str, place: Place, **details: str | None) -> Fault:
        """A fault at a place of the header."""
        return Fault(
            code=code,
            message=message,
            file=CARD,
            row=self.line(place),
            column=dotted(place) or None,
            **details,
        )


def read_header(data: bytes) -> Header:
    """The header of a card. Never raises: what cannot be read is a fault."""
    faults: list[Fault] = []
    if data.startswith(b"\xef\xbb\xbf"):
        faults.append(
            _fault(
                "card_bom",
                "the card begins with a byte order mark; some readers then see no header",
                1,
                fix="save it as UTF-8 without BOM",
            )
        )
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        fault = _fault("card_encoding", "the card is not UTF-8", line, fix="save it as UTF-8")
        return Header({}, faults=(*faults, fault), readable=False)
    match = _BLOCK.match(text)
    if match is None:
        message, line, fix = _without_block(text)
        fault = _fault("card_header", message, line, expected="---", fix=fix)
        return Header({}, faults=(*faults, fault), readable=False)
    first = text[: match.start("yaml")].count("\n")
    loader = yaml.SafeLoader(match["yaml"])
    try:
        node = loader.get_single_node()
        walk = _Walk(loader, first)
        value = walk.value(node, ()) if node is not None else {}
    except (yaml.YAMLError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or "it is nested too deeply"
        fault = _fault(
            "yaml_syntax",
            f"the header is not YAML: {problem}",
            first + mark.line + 1 if mark else first + 1,
            fix="quote texts that hold `: ` or begin with a sign; indent with spaces",
        )
        return Header({}, faults=(*faults, fault), readable=False)
    finally:
        loader.dispose()
    if not isinstance(value, dict):
        fault = _fault("header_mapping", "the header is not a mapping", first + 1, expected="key: value")
        return Header({}, faults=(*faults, *walk.faults, fault), readable=False)
    return Header(value, walk.lines, (*faults, *walk.faults))


def _without_block(text: str) -> tuple[str, int, str]:
    """What is wrong with a card in which no header was found: the message, its line, the way out."""
    marks = [number for number, line in enumerate(text.splitlines(), start=1) if line.rstrip() == "---"]
    if marks and not "".join(text.splitlines()[: marks[0] - 1]).strip():
        return "the header does not end", marks[0], "put --- on a line of its own below the metadata"
    if len(marks) > 1:
        return "the header is not the first thing in the card", marks[0], "move it to the first line"
    return "the card has no YAML header", 1, "begin with ---, the metadata, and --- again"


def _fault(code: str, message: str, line: int, **details: str) -> Fault:
    return Fault(code=code, message=message, file=CARD, row=line, **details)


class _Walk:
    """From PyYAML's nodes to the values that the Hub's reader makes of them, keeping lines and faults."""

    def __init__(self, loader: yaml.SafeLoader, first: int) -> None:
        self.loader, self.first = loader, first
        self.lines: dict[Place, int] = {}
        self.faults: list[Fault] = []

    def value(self, node: yaml.Node, place: Place) -> Any:
        line = self.first + node.start_mark.line + 1
        self.lines.setdefault(place, line)
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, place)
        if isinstance(node, yaml.SequenceNode) and not node.tag.startswith("tag:yaml.org,2002:python"):
            return [self.value(child, (*place, at)) for at, child in enumerate(node.value)]
        try:
            return self.loader.construct_object(node, deep=True)
        except (yaml.YAMLError, ValueError):
            self.faults.append(
                Fault(
                    code="yaml_tag",
                    message=f"the tag {node.tag} means something to one program only",
                    file=CARD,
                    row=line,
                    column=dotted(place) or None,
                    fix="write a plain list or text",
                )
            )
            return None

    def _mapping(self, node: yaml.MappingNode, place: Place) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, child in node.value:
            name = key.value if isinstance(key, yaml.ScalarNode) else str(key.value)
            here = (*place, name)
            if name in found:
                self.faults.append(
                    Fault(
                        code="yaml_doubled_key",
                        message=f"the key {name} stands twice; readers keep the last",
                        file=CARD,
                        row=self.first + key.start_mark.line + 1,
                        column=dotted(here),
                        found=f"{name} already in line {self.lines[here]}",
                        fix="keep one of them",
                    )
                )
            self.lines[here] = self.first + key.start_mark.line + 1
            found[name] = self.value(child, here)
        return found
