"""The campaign folder: plain files, fit for git, without a secret.

``campaign.yaml`` says what is annotated and where; ``items.jsonl`` holds what annotators see and
``gold.jsonl`` what they must not; the other files are named below and written by the module of their name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import Field, ValidationError

from probeta import atomic
from probeta.errors import DataError, Fault, UsageError
from probeta.formats.jsonl import read_jsonl
from probeta.hashing import text_hash
from probeta.recipe.basics import Model, Text
from probeta.recipe.source import parse_yaml
from probeta.tables import decode_utf8

CAMPAIGN = "campaign.yaml"
ITEMS = "items.jsonl"
GOLD = "gold.jsonl"
GUIDELINE = "guideline.md"
ASSIGNMENT = "assignment.csv"
ANNOTATORS = "annotators.csv"
LEDGER = "push-ledger.jsonl"
PULLS = "pulls"
IMPORTS = "imports"
ANNOTATIONS = "annotations.parquet"
CHECKS = "checks.parquet"

Kind = Literal["spans", "pairs"]
Duplicates = Literal["error", "first", "last"]

#: What stands around an item's texts: the question by kind, names of the two sentences, of the answers given.
Word = Literal["spans", "sentence_1", "sentence_2", "pairs", "adjudication"]

#: The text fields of an item, which are also the names of the task's data, by kind.
FIELDS: Mapping[str, tuple[str, ...]] = {"spans": ("text",), "pairs": ("sentence_1", "sentence_2")}

#: ``sample``: counts for the result; ``check``: its answer is known and everyone gets it; ``repeat``: a
#: sample item that its annotators get a second time.
ROLES = ("sample", "check", "repeat")


class GuidelineChange(Model):
    """That annotators were given another guideline: when, and the hashes of both."""

    time: str
    before: str
    after: str


class Settings(Model):
    """``campaign.yaml``; a field that is null is filled by the command that learns it."""

    schema_version: Literal[1] = 1
    id: Text = Field(description="Marks the campaign's tasks on the server.")
    title: str = Field(min_length=3, max_length=50, description="The project's title in Label Studio.")
    kind: Kind
    language: str
    labels: dict[Text, str] = Field(min_length=1, description="Label -> definition, in their order.")
    source: dict[str, str] = Field(description="The built set: name, version, config, hash of its checksums.")
    seed: int
    overlap: int = Field(ge=1, description="Annotators of an item.")
    strata: list[str] = Field(default_factory=list)
    duplicates: Duplicates = Field(
        default="error", description="Which of several answers of one annotator to one item counts."
    )
    guideline_sha256: str = Field(description="Of the guideline that annotators have.")
    guideline_changes: list[GuidelineChange] = Field(
        default_factory=list, description="When annotators were given another guideline."
    )
    adjudication: bool = Field(
        default=False, description="A round of adjudication: annotators see the answers that were given."
    )
    words: dict[Word, Text] = Field(
        default_factory=dict, description="What annotators read around the texts, where it is not ours."
    )
    url: str | None = None
    project: int | None = None

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields of an item's task: its texts, and in a round of adjudication the answers given."""
        return (*FIELDS[self.kind], *(("answers",) if self.adjudication else ()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """What an annotator sees: ``fields`` holds the text fields of the kind.

    ``key`` stands in the task; it says nothing of the item's id, role or label. ``of`` is the item that a
    repeat repeats.
    """

    item: str
    key: str
    role: str
    fields: Mapping[str, str]
    of: str | None = None

    @property
    def hash(self) -> str:
        """Changes when a text changes."""
        return text_hash(*self.fields.values())

    def record(self) -> dict[str, Any]:
        """The line in ``items.jsonl``."""
        row: dict[str, Any] = {"item": self.item, "key": self.key, "role": self.role}
        if self.of is not None:
            row["of"] = self.of
        return row | dict(self.fields)


def task_key(campaign: str, item: str) -> str:
    """The key of an item's task: whose it is, then a hash that hides the item's id.

    >>> task_key("c0ffee", "compliant-1|upper|with").startswith("c0ffee-")
    True
    """
    return f"{campaign}-{text_hash(campaign, item)[:12]}"


class Campaign:
    """A campaign folder that exists."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        path = folder / CAMPAIGN
        if not path.is_file():
            raise UsageError(
                f"{folder} is no campaign: it holds no {CAMPAIGN} (`probeta campaign init` makes one)"
            )
        self.settings = _settings(path)

    def path(self, name: str) -> Path:
        """A file of the folder."""
        return self.folder / name

    def items(self) -> list[Item]:
        """The items in the order in which they are pushed. Raises a DataError with every fault."""
        return read_items(self.path(ITEMS), self.settings)

    def update(self, **values: Any) -> None:
        """Change settings and write ``campaign.yaml``."""
        self.settings = self.settings.model_copy(update=values)
        write_settings(self.path(CAMPAIGN), self.settings)

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Hold the folder against a second command that changes it; a UsageError if one is running.

        The lock is the operating system's: it falls with the process that holds it.
        """
        import fcntl

        with self.path(".lock").open("w") as handle:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise UsageError(
                    f"another command is at work on {self.folder}; call again when it has ended"
                ) from None
            yield


def _settings(path: Path) -> Settings:
    text = decode_utf8(path.read_bytes(), file=str(path))
    # Doubled keys, aliases and tags are told as in a recipe; a file of comments alone has no document.
    document = parse_yaml(text if yaml_content(text) else "{}", file=str(path))
    if document.faults:
        raise DataError(document.faults)
    value = yaml.safe_load(text)
    if not isinstance(value, dict):
        raise DataError(
            Fault(
                code="campaign", message="this is no campaign", file=str(path), expected="id, title, kind, …"
            )
        )
    try:
        return Settings.model_validate(value)
    except ValidationError as error:
        raise DataError(
            Fault(
                code="campaign",
                message=problem["msg"],
                file=str(path),
                row=document.line(problem["loc"]),
                column=".".join(str(part) for part in problem["loc"] if part != "[key]") or None,
                found=None if problem["type"] == "missing" else repr(problem["input"])[:60],
            )
            for problem in error.errors(include_url=False)
        ) from None


def yaml_content(text: str) -> bool:
    """Whether a YAML text holds more than blanks and comments."""
    return any(line.strip() and not line.lstrip().startswith("#") for line in text.splitlines())


def write_settings(path: Path, settings: Settings) -> None:
    """Write ``campaign.yaml``."""
    text = yaml.safe_dump(settings.model_dump(), sort_keys=False, allow_unicode=True, width=100)
    atomic.write_text(path, text)


def text_faults(text: object, *, file: str, row: int | str, column: str) -> list[Fault]:
    """Why a text may not be pushed: missing, no text, blank, NUL, a lone surrogate."""
    code, message = "", ""
    if text is None:
        code, message = "none", "the text is missing"
    elif not isinstance(text, str):
        code, message = "text_type", f"the text is {type(text).__name__}, not text"
    elif not text.strip():
        code, message = "empty", "the text is empty"
    elif "\0" in text:
        code, message = "nul", "the text holds a NUL character"
    elif any("\ud800" <= char <= "\udfff" for char in text):
        code, message = "surrogate", "the text holds a lone surrogate, which is no character"
    if not code:
        return []
    found = None if text is None else ascii(text)[:60]
    return [Fault(code=code, message=message, file=file, row=row, column=column, found=found)]


def read_items(path: Path, settings: Settings) -> list[Item]:
    """``items.jsonl`` checked: texts, ids and keys. Raises a DataError with all faults."""
    if not path.is_file():
        raise UsageError(f"no such file: {path}")
    items: list[Item] = []
    faults: list[Fault] = []
    repeats: list[tuple[int, Any]] = []
    seen: dict[str, int] = {}
    names = settings.fields

    def fault(line: int, code: str, message: str, column: str, found: object) -> None:
        shown = None if found is None else ascii(found)[:60]
        faults.append(Fault(code=code, message=message, file=path.name, row=line, column=column, found=shown))

    for line, row in read_jsonl(path, name=path.name):
        wrong = [
            f for name in names for f in text_faults(row.get(name), file=path.name, row=line, column=name)
        ]
        faults += wrong
        item, key, role = row.get("item"), row.get("key"), row.get("role", "sample")
        if not isinstance(item, str) or not item:
            fault(line, "item", "the row names no item", "item", item)
            continue
        if item in seen:
            fault(line, "item_twice", f"the item stands twice, first in line {seen[item]}", "item", item)
        seen.setdefault(item, line)
        if key != task_key(settings.id, item):
            fault(line, "key", "the key is not the item's", "key", key)
        if role not in ROLES:
            fault(line, "role", f"the role is none of {', '.join(ROLES)}", "role", role)
        of = row.get("of")
        if role == "repeat":
            repeats.append((line, of))
        elif of is not None:
            fault(line, "of", "only a repeated item is one of another", "of", of)
        if wrong:
            continue
        fields = {name: row[name] for name in names}
        items.append(Item(item=item, key=str(key), role=str(role), fields=fields, of=of))
    originals = {item.item for item in items if item.role == "sample"}
    for line, of in repeats if not faults else ():
        if not isinstance(of, str) or of not in originals:
            fault(line, "of", "the item that it repeats is not in the sample", "of", of)
    if not seen:
        faults.append(Fault(code="no_items", message="the campaign has no items", file=path.name))
    if faults:
        raise DataError(faults)
    return items
