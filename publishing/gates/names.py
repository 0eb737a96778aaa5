"""Gate 4: names that every program can write and read back, and no empty split."""

from __future__ import annotations

import re
from collections.abc import Iterator

from probeta.errors import Fault, UsageError
from probeta.publishing.gates.result import Result
from probeta.publishing.gates.subject import Subject

#: Signs that paths, globs or Windows give a meaning of their own.
_SIGNS = '/\\*?[]:<>|"'
_SPLIT = re.compile(r"\w+(\.\w+)*")


def check_names(subject: Subject) -> Result:
    """Names of configs and splits, as the card and the files have them; splits without rows."""
    if subject.folder is None:
        return Result(reason="there is only a card")
    if not subject.files:
        return Result(reason="there are no data files", faults=subject.faults)
    faults = list(subject.faults)
    for config, splits in subject.configs.items():
        faults += config_faults(config)
        for split, files in splits.items():
            faults += split_faults(config, split)
            kinds = {file.kind for file in files}
            if kinds == {"parquet"} and not any(_rows(file.path) for file in files):
                faults.append(
                    Fault(
                        code="split_empty",
                        message=f"the split {split} of {config} has no row; then no split of it can be loaded",
                        file=files[0].name,
                        fix="leave the split out",
                    )
                )
    return Result(faults=faults)


def _rows(path: object) -> int:
    import pyarrow.parquet as pq

    return int(pq.read_metadata(path).num_rows)


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
