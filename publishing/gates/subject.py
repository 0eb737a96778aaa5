"""What is linted: a folder with a card and data files, or a card alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from probeta import builtset
from probeta.errors import Fault, UsageError
from probeta.publishing.gates.header import CARD, Header, read_header

if TYPE_CHECKING:
    import pyarrow as pa
    from datasets import Features

    from probeta.recipe import Recipe

DATA_ENDINGS = (".parquet", ".jsonl", ".ndjson", ".json", ".csv", ".tsv")

#: Endings of data that is only loaded back, where there is no other.
MORE_ENDINGS = (".gz", ".arrow")

#: Words by which the Hub guesses a split from a file's name.
_SPLITS = {"train": "train", "training": "train", "validation": "validation", "valid": "validation"}
_SPLITS |= {"dev": "validation", "val": "validation", "test": "test", "testing": "test", "eval": "test"}


@dataclass(frozen=True, slots=True, kw_only=True)
class DataFile:
    """A file of a split of a config."""

    config: str
    split: str
    path: Path
    name: str

    @property
    def kind(self) -> str:
        """``parquet``, ``jsonl``, ``csv`` or ``other``."""
        ending = self.path.suffix.lower()
        kinds = {".parquet": "parquet", ".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "csv", ".tsv": "csv"}
        return kinds.get(ending, "other")

    def place(self, row: int | None = None, column: str | None = None) -> dict[str, Any]:
        """The address of a row in a fault."""
        return {"file": self.name, "row": row, "column": column}

    def batches(self, size: int = 8192) -> Iterator[pa.RecordBatch]:
        """The rows of a Parquet file, a batch at a time; a DataError where it cannot be read."""
        import pyarrow.parquet as pq

        with builtset.readable(self.name):
            yield from pq.ParquetFile(self.path).iter_batches(batch_size=size)

    def features(self) -> Features:
        """The features that the schema of a Parquet file declares; a DataError where it cannot be read."""
        import pyarrow.parquet as pq
        from datasets import Features

        with builtset.readable(self.name):
            return Features.from_arrow_schema(pq.read_schema(self.path))

    def rows(self) -> int:
        """How many rows a Parquet file says that it has; a DataError where it cannot be read."""
        import pyarrow.parquet as pq

        with builtset.readable(self.name):
            return int(pq.read_metadata(self.path).num_rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A folder or a card, read once for all gates.

    ``files`` are the data files as the card's ``configs`` name them; ``faults`` are what stood in the way
    of finding them. ``recipe`` is there for a built set.
    """

    folder: Path | None
    header: Header
    files: tuple[DataFile, ...] = ()
    faults: tuple[Fault, ...] = ()
    recipe: Recipe | None = None

    @property
    def configs(self) -> dict[str, dict[str, list[DataFile]]]:
        """Config -> split -> its files."""
        found: dict[str, dict[str, list[DataFile]]] = {}
        for file in self.files:
            found.setdefault(file.config, {}).setdefault(file.split, []).append(file)
        return found

    def options(self, config: str) -> Mapping[str, Any]:
        """What the card gives the reader of a config besides its files, such as ``sep``."""
        configs = self.header.value.get("configs")
        for one in configs if isinstance(configs, list) else []:
            if isinstance(one, Mapping) and str(one.get("config_name", "default")) == config:
                return {
                    key: value
                    for key, value in one.items()
                    if key not in ("config_name", "data_files", "data_dir")
                }
        return {}


def open_subject(path: Path) -> Subject:
    """Read a folder, or a Markdown file as a card alone; a UsageError where there is neither."""
    if path.is_file():
        if path.suffix.lower() != ".md":
            raise UsageError(f"{path}: expected a folder, or a card such as README.md")
        return Subject(folder=None, header=read_header(path.read_bytes()))
    if not path.is_dir():
        raise UsageError(f"no such folder or card: {path}")
    card = path / CARD
    if not card.is_file():
        other = next((one.name for one in path.iterdir() if one.name.lower() == CARD.lower()), None)
        missing = Fault(
            code="card_missing",
            message="the card is missing",
            file=CARD,
            found=other,
            fix=f"rename {other}: the Hub wants capitals" if other else "write README.md",
        )
        header = Header({}, faults=(missing,), readable=False)
    else:
        header = read_header(card.read_bytes())
    files, faults = data_files(path, header)
    if saved := next((one for one in ("state.json", "dataset_dict.json") if (path / one).is_file()), None):
        faults.append(
            Fault(
                code="saved_to_disk",
                message="save_to_disk wrote this folder, which neither the Hub nor load_dataset reads",
                file=saved,
                fix="publish with push_to_hub, or write Parquet with to_parquet",
            )
        )
        files = []
    recipe = None
    if builtset.is_built_set(path):
        from probeta.recipe import load_recipe

        recipe = load_recipe(path / "build")
    return Subject(folder=path, header=header, files=tuple(files), faults=tuple(faults), recipe=recipe)


def data_files(folder: Path, header: Header) -> tuple[list[DataFile], list[Fault]]:
    """The data files by the header's ``configs``; without them, as the Hub would guess."""
    configs = header.value.get("configs")
    if not configs:
        return _guessed(folder), []
    files: list[DataFile] = []
    faults: list[Fault] = []
    for at, config in enumerate(configs if isinstance(configs, list) else []):
        if not isinstance(config, Mapping):
            continue
        name = str(config.get("config_name", "default"))
        for place, split, pattern in entries(config, ("configs", at)):
            found = list(_glob(folder, str(config.get("data_dir") or "."), pattern))
            if not found:
                faults.append(
                    header.fault(
                        "file_missing",
                        f"no file matches {pattern} (config {name})",
                        place,
                        fix="correct the path, or add the file",
                    )
                )
            files += [_file(folder, name, split, path) for path in found]
    return files, faults


def entries(config: Mapping[str, Any], place: tuple[str | int, ...]) -> Iterator[tuple[Any, str, str]]:
    """Place, split and pattern of every ``data_files`` entry of a config, in all three forms."""
    files = config.get("data_files")
    here = (*place, "data_files")
    if isinstance(files, str):
        yield here, "train", files
    for at, entry in enumerate(files if isinstance(files, list) else []):
        if isinstance(entry, str):
            yield (*here, at), "train", entry
        elif isinstance(entry, Mapping):
            paths = entry.get("path")
            for path in paths if isinstance(paths, list) else [paths]:
                if isinstance(path, str):
                    yield (*here, at, "path"), str(entry.get("split", "train")), path


def _glob(folder: Path, below: str, pattern: str) -> Iterator[Path]:
    if "://" in pattern or pattern.startswith("/") or ".." in Path(pattern).parts:
        return
    try:
        yield from (path for path in sorted((folder / below).glob(pattern)) if path.is_file())
    except (ValueError, NotImplementedError):
        return


def _guessed(folder: Path) -> list[DataFile]:
    return _ending(folder, DATA_ENDINGS) or _ending(folder, MORE_ENDINGS)


def _ending(folder: Path, endings: tuple[str, ...]) -> list[DataFile]:
    found = []
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        if path.suffix.lower() not in endings or parts[0] in ("build", "reports", builtset.PRIVATE):
            continue
        if (
            path.is_file()
            and not any(part.startswith(".") for part in parts)
            and path.name != "croissant.json"
        ):
            words = re.split(r"[^A-Za-z]+", path.relative_to(folder).with_suffix("").as_posix().lower())
            split = next((_SPLITS[word] for word in words if word in _SPLITS), "train")
            found.append(_file(folder, "default", split, path))
    return found


def _file(folder: Path, config: str, split: str, path: Path) -> DataFile:
    return DataFile(config=config, split=split, path=path, name=path.relative_to(folder).as_posix())
