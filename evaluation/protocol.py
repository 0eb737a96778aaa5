"""Named protocols: small declarations of what is scored and shown. The counting knows none of them.

A protocol is a YAML file: one of those beside this module, ``protocol.yaml`` of a bundled recipe (then
its name is the recipe's), or a file of one's own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, PrivateAttr, ValidationError

from probeta.errors import DataError, Fault, UsageError, nearest
from probeta.recipe.basics import Model
from probeta.recipe.load import RECIPE_FILE
from probeta.recipe.source import dotted, parse_yaml
from probeta.tables import decode_utf8

#: The file that gives a recipe its own protocol.
PROTOCOL_FILE = "protocol.yaml"

Measure = Literal["precision", "recall", "f1", "token_accuracy", "token_f1", "accuracy", "macro_f1"]


def _values(entry: Any) -> Any:
    return [entry] if isinstance(entry, str) else entry


Conditions = dict[str, Annotated[list[str], BeforeValidator(_values)]]


class TableShape(Model):
    """A printed table: attributes in the rows, systems (and attributes) in the columns."""

    title: str
    rows: list[str] = Field(min_length=1)
    columns: list[str] = Field(default_factory=list)
    where: Conditions = Field(default_factory=dict)


class ContrastShape(Model):
    """A paired difference: ``attribute`` against its value ``against``, all of ``same`` being equal."""

    attribute: str
    against: str
    same: list[str] = Field(default_factory=list)
    key: Literal["base", "text"] = "base"


class CheckShape(Model):
    """A check of the data or the result; ``message`` is what a reader should know about it."""

    check: Literal["near_misses", "every_value"]
    message: str
    attribute: str | None = None


class Protocol(Model):
    """What to compare (``kind``), what to compute and what to show."""

    name: str
    kind: Literal["spans", "strings", "pairs"]
    title: str
    primary: Literal["precision", "recall", "f1", "accuracy", "macro_f1"]
    columns: list[Measure] = Field(min_length=1)
    label_columns: list[Measure] | None = Field(
        default=None, description="Columns of the table by label, where they differ from `columns`."
    )
    matches: list[Literal["untyped", "exact", "partial", "type"]] = Field(default_factory=list)
    by: list[str] = Field(default_factory=list, description="Attributes; crossed ones joined by a colon.")
    tables: list[TableShape] = Field(default_factory=list)
    contrasts: list[ContrastShape] = Field(default_factory=list)
    checks: list[CheckShape] = Field(default_factory=list)
    notes: list[str] = Field(default_factory=list, description="Lines that belong beside the numbers.")

    _folder: Path | None = PrivateAttr(default=None)

    @property
    def folder(self) -> Path | None:
        """The recipe's folder that the protocol stands in, if it stands in one."""
        return self._folder


@cache
def _found() -> Mapping[str, Path]:
    own = Path(str(files("probeta.evaluation"))) / "protocols"
    recipes = Path(str(files("probeta.templates")))
    found = {path.stem: path for path in sorted(own.glob("*.yaml"))}
    return found | {path.parent.name: path for path in sorted(recipes.glob(f"*/{PROTOCOL_FILE}"))}


def protocol_names() -> list[str]:
    """The protocols that come with the package."""
    return list(_found())


def load_protocol(name_or_path: str) -> Protocol:
    """The protocol of this name, or of a YAML file.

    >>> load_protocol("strict").primary
    'f1'
    """
    known = _found()
    path = known.get(name_or_path)
    if path is None and (Path(name_or_path) / PROTOCOL_FILE).is_file():
        path = Path(name_or_path) / PROTOCOL_FILE
    if path is None and name_or_path.endswith((".yaml", ".yml")):
        path = Path(name_or_path)
        if not path.is_file():
            raise UsageError(f"no such file: {name_or_path}")
    if path is None:
        hint = nearest(name_or_path, known)
        meant = f"; did you mean {hint}?" if hint else ""
        raise UsageError(
            f"unknown protocol {name_or_path!r}: expected one of {', '.join(known)}, "
            f"a recipe's folder with {PROTOCOL_FILE}, or a file that ends in .yaml{meant}"
        )
    shown = path.name if name_or_path in known else name_or_path
    document = parse_yaml(decode_utf8(path.read_bytes(), file=shown), file=shown)
    try:
        protocol = Protocol.model_validate(document.value)
    except ValidationError as error:
        raise DataError(
            [
                *document.faults,
                *(
                    Fault(
                        code="protocol",
                        message=problem["msg"],
                        file=shown,
                        row=document.line(problem["loc"]),
                        column=dotted(problem["loc"]),
                        found=repr(problem["input"])[:80],
                    )
                    for problem in error.errors(include_url=False)
                ),
            ]
        ) from None
    if document.faults:
        raise DataError(document.faults)
    if (path.parent / RECIPE_FILE).is_file():
        protocol._folder = path.parent
    return protocol


def declared_values(protocol: Protocol, gold: Path) -> dict[str, list[str]]:
    """The attributes that the recipe declares, each with its values in order.

    The recipe is that of the built set ``gold``, else the one that the protocol belongs to; without
    either nothing is declared.
    """
    for file in (gold / "build" / RECIPE_FILE, (protocol.folder or gold) / RECIPE_FILE):
        if file.is_file():
            recipe = parse_yaml(decode_utf8(file.read_bytes(), file=file.name), file=file.name).value
            return _declared(recipe if isinstance(recipe, dict) else {})
    return {}


def _declared(recipe: Mapping[str, Any]) -> dict[str, list[str]]:
    varied = (recipe.get("perturbations") or {}).get("grid") or {}
    attributes = recipe.get("attributes") or {}
    found = {name: list(values) for name, values in varied.items()}
    for name, attribute in attributes.items():
        found.setdefault(name, list(attribute.get("values") or ()))
    return found


def conditions(where: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """Conditions as the units take them."""
    return {attribute: tuple(wanted) for attribute, wanted in where.items()}
