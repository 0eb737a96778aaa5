"""Gate 4: names that every program can write and read back, and no empty split."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from probeta.errors import Fault, UsageError
from probeta.publishing.gates.header import CARD, Header
from probeta.publishing.gates.result import Result
from probeta.publishing.gates.subject import Subject
from probeta.recipe.source import dotted

#: Signs that paths, globs or Windows give a meaning of their own.
_SIGNS = '/\\*?[]:<>|"'
_SPLIT = re.compile(r"\w+(\.\w+)*")


def check_names(subject: Subject) -> Result:
    """Names of configs and splits, as the card or else the files have them; splits without rows."""
    faults = [*subject.faults, *_declared(subject.header)]
    declared = bool(subject.header.value.get("configs"))
    if not declared and not subject.files:
        return Result(reason="the card declares no configs, and there are no data files", faults=faults)
    for config, splits in subject.configs.items():
        for split, files in splits.items():
            if not declared:
                faults += split_faults(config, split)
            kinds = {file.kind for file in files}
            if kinds == {"parquet"} and not any(file.rows() for file in files):
                faults.append(
                    Fault(
                        code="split_empty",
                        message=f"the split {split} of {config} has no row; then no split of it can be loaded",
                        file=files[0].name,
                        fix="leave the split out",
                    )
                )
    return Result(faults=faults)


def _declared(header: Header) -> Iterator[Fault]:
    """The names in the card's ``configs``, each with its line."""
    configs = header.value.get("configs")
    for at, config in enumerate(configs if isinstance(configs, list) else []):
        if not isinstance(config, Mapping):
            continue
        name = config.get("config_name")
        if isinstance(name, str):
            for fault in config_faults(name):
                yield replace(
                    fault,
                    file=CARD,
                    row=header.line(("configs", at, "config_name")),
                    column=f"configs[{at}].config_name",
                )
        files = config.get("data_files")
        for number, entry in enumerate(files if isinstance(files, list) else []):
            split = entry.get("split") if isinstance(entry, Mapping) else None
            if isinstance(split, str):
                place = ("configs", at, "data_files", number, "split")
                for fault in split_faults(str(name), split):
                    yield replace(fault, file=CARD, row=header.line(place), column=dotted(place))


def config_faults(name: str) -> Iterator[Fault]:
    """A config's name: it becomes a folder, a pattern and a part of an address."""
    bad = [sign for sign in _SIGNS if sign in name]
    if bad or not name.strip() or name.startswith(".") or name != name.strip():
        yield Fault(
            code="config_name",
            message=f"the config name {name!r} can be pushed but not loaded back",
            file=name,
            expected="letters, digits, - and _",
            found=" ".join(bad) or repr(name),
            fix="rename the config and its folder",
        )
    elif name == "data":
        yield Fault(
            code="config_name",
            message="the config name data is refused by the Hub's library, which keeps it for the default config",
            file=name,
            fix="rename the config and its folder",
        )


def split_faults(config: str, split: str) -> Iterator[Fault]:
    """A split's name, by the rule of ``datasets``; ``all`` has a meaning of its own there."""
    if split == "all":
        yield Fault(
            code="split_name",
            message=f"the split {split!r} of {config} can be pushed but not loaded: all means every split",
            file=config,
            fix="rename the split, for instance to test",
        )
    elif not _SPLIT.fullmatch(split):
        yield Fault(
            code="split_name",
            message=f"the split {split!r} of {config} is refused when it is pushed or loaded",
            file=config,
            expected="letters, digits, _ and single dots",
            fix="rename the split, for instance with _ in place of -",
        )


def check_repository(repository: str) -> None:
    """Raise a UsageError unless ``repository`` is ORG/NAME as the Hub takes it."""
    from huggingface_hub.errors import HFValidationError
    from huggingface_hub.utils._validators import validate_repo_id

    try:
        validate_repo_id(repository)
    except HFValidationError as error:
        raise UsageError(f"{repository!r} is no name for a repository: {error}") from None
    if repository.count("/") != 1:
        raise UsageError(f"{repository!r} is no name for a repository: expected ORG/NAME")


#: What Git allows in no name of a branch or tag (its manual, git-check-ref-format).
_NO_REFERENCE = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|^[/.-]|/\.|[/.]$|\.lock(/|$)|^@$")


def check_reference(name: str, *, what: str) -> None:
    """Raise a UsageError unless ``name`` can be the name of a branch or tag.

    >>> check_reference("v1.0", what="tag")
    """
    if not name or _NO_REFERENCE.search(name):
        raise UsageError(
            f"{name!r} is no name for a {what}: expected letters, digits and - . _ /, without spaces"
        )
