"""Named protocols: small declarations of what is scored and shown. The counting knows none of them.

A protocol is a YAML file: one of those beside this module, ``protocol.yaml`` of a bundled recipe (then
its name is the recipe's), or a file of one's own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, PrivateAttr

from probeta.errors import DataError, Fault, UsageError, nearest
from probeta.recipe.basics import Model, Text
from probeta.recipe.form import validated
from probeta.recipe.load import RECIPE_FILE
from probeta.recipe.source import Document, Place, parse_yaml
from probeta.tables import decode_utf8

#: The file that gives a recipe its own protocol.
PROTOCOL_FILE = "protocol.yaml"

Measure = Literal["precision", "recall", "f1", "token_accuracy", "token_f1", "accuracy", "macro_f1"]


def _values(entry: Any) -> Any:
    return [entry] if isinstance(entry, str) else entry


Conditions = dict[str, Annotated[list[str], BeforeValidator(_values, json_schema_input_type=str | list[str])]]


class TableShape(Model):
    """A printed table: recall by attributes, some in the rows, systems and further ones in the columns."""

    title: Text
    rows: list[Text] = Field(min_length=1, description="Attributes whose values are the rows, crossed.")
    columns: list[Text] = Field(
        default_factory=list, description="Attributes whose values are columns, beside the systems."
    )
    where: Conditions = Field(
        default_factory=dict, description="Attribute -> value or values: only these units count."
    )


class ContrastShape(Model):
    """A paired difference: ``attribute`` against its value ``against``, all of ``same`` being equal."""

    attribute: Text = Field(description="Each of its other values is compared with `against`.")
    against: Text = Field(description="The value to compare with.")
    same: list[Text] = Field(default_factory=list, description="Attributes in which twins agree.")
    key: Literal["base", "text"] = Field(
        default="base",
        description="What twins have in common: base, the span of a base sentence; text, the words of the span.",
    )


class CheckShape(Model):
    """A check of the data or the result; ``message`` is what a reader should know about it."""

    check: Literal["near_misses", "every_value"] = Field(
        description="near_misses counts predictions that overlap a gold span and are wrong; every_value refuses "
        "items without a declared value of `attribute` and shows F1 for each."
    )
    message: Text = Field(description="What a reader should know, printed with the result.")
    attribute: Text | None = Field(default=None, description="The attribute of `every_value`.")


class Protocol(Model):
    """What to compare (``kind``), what to compute and what to show."""

    name: Text = Field(description="Stands in the signature and in reports.")
    kind: Literal["spans", "strings", "pairs"] = Field(
        description="What is compared: spans by their offsets, sets of span strings, classes of pairs."
    )
    title: Text = Field(description="The first table's.")
    primary: Literal["precision", "recall", "f1", "accuracy", "macro_f1"] = Field(
        description="What ranks the systems and what the bootstrap is about."
    )
    columns: list[Measure] = Field(min_length=1, description="Measures of the first table, in order.")
    label_columns: list[Measure] | None = Field(
        default=None, description="Columns of the table by label, where they differ from `columns`."
    )
    matches: list[Literal["untyped", "exact", "partial", "type"]] = Field(
        default_factory=list, description="Further ways to match spans, shown beside the strict one."
    )
    by: list[Text] = Field(
        default_factory=list,
        description="Attributes, crossed ones joined by a colon; recipe stands for all that the recipe declares.",
    )
    tables: list[TableShape] = Field(default_factory=list, description="Tables of recall, laid out.")
    contrasts: list[ContrastShape] = Field(default_factory=list, description="Paired differences.")
    checks: list[CheckShape] = Field(default_factory=list, description="Checks of the data or the result.")
    notes: list[Text] = Field(default_factory=list, description="Lines that belong beside the numbers.")

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
    shown = f"{path.parent.name}/{path.name}" if name_or_path in known else path.as_posix()
    protocol = _read(path, shown)
    if (path.parent / RECIPE_FILE).is_file():
        protocol._folder = path.parent
    return protocol


def _read(path: Path, shown: str) -> Protocol:
    """The protocol in a file; a DataError with every fault and its line, as a recipe's are told."""
    document = parse_yaml(decode_utf8(path.read_bytes(), file=shown), file=shown, what="protocol")
    if not isinstance(document.value, dict):
        raise DataError(
            Fault(
                code="protocol", message="this is not a protocol", file=shown, row=1, expected="name, kind, …"
            )
        )
    protocol, faults = validated(Protocol, document, file=shown, code="protocol_value")
    faults = [*document.faults, *faults]
    if protocol is not None:
        faults += _idle(protocol, document, file=shown)
    if faults or protocol is None:
        raise DataError(sorted(faults, key=lambda fault: int(fault.row or 0)))
    return protocol


_RATES = ("precision", "recall", "f1")
_CLASSES = ("accuracy", "macro_f1")
#: Kind -> the key -> the measures that it can hold.
_MEASURES: Mapping[str, Mapping[str, Sequence[str]]] = {
    "spans": {"primary": _RATES, "columns": (*_RATES, "token_accuracy", "token_f1"), "label_columns": _RATES},
    "strings": {"primary": _RATES, "columns": _RATES, "label_columns": _RATES},
    "pairs": {"primary": _CLASSES, "columns": _CLASSES},
}
#: Kind -> keys that nothing is done with.
_UNUSED = {
    "spans": (),
    "strings": ("matches",),
    "pairs": ("label_columns", "matches", "tables", "contrasts", "checks"),
}


def _idle(protocol: Protocol, document: Document, *, file: str) -> Iterator[Fault]:
    """What the protocol's kind has no measure or no use for, each with its line."""

    def made(place: Place, message: str, **details: str) -> Fault:
        return Fault(
            code="protocol_value",
            message=message,
            file=file,
            row=document.line(place),
            column=document.named(place),
            **details,
        )

    for key, known in _MEASURES[protocol.kind].items():
        value = getattr(protocol, key) or ()
        places = (
            [((key,), value)] if isinstance(value, str) else [((key, at), m) for at, m in enumerate(value)]
        )
        for place, measure in places:
            if measure not in known:
                message = f"{protocol.kind} have no {measure} here"
                yield made(place, message, expected=", ".join(known), found=measure)
    for key in _UNUSED[protocol.kind]:
        if getattr(protocol, key):
            yield made((key,), f"{key} has no effect on {protocol.kind}", fix=f"leave {key} out")
    for at, check in enumerate(protocol.checks):
        if check.check == "every_value" and check.attribute is None:
            yield made(("checks", at), "the check every_value names no attribute", fix="add attribute: NAME")


def protocol_schema() -> dict[str, Any]:
    """The JSON Schema of ``protocol.yaml``, for editors."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **Protocol.model_json_schema(),
        "title": PROTOCOL_FILE,
    }


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
