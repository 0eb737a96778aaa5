"""Build a test set: a recipe of any kind becomes a folder with data, card, reports and checksums."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.metadata import version as installed
from pathlib import Path
from typing import TYPE_CHECKING, Any

from probeta import __version__
from probeta.errors import UsageError, nearest
from probeta.pipeline import pairs, spans, tagged
from probeta.pipeline.product import Options, Product, refuse_foreign
from probeta.progress import say
from probeta.publishing import folder
from probeta.publishing.documents import documents
from probeta.publishing.vocabularies import licences
from probeta.publishing.wording import untranslated
from probeta.recipe import load_recipe
from probeta.recipe.load import RECIPE_FILE
from probeta.tables import decode_utf8

if TYPE_CHECKING:
    from probeta.recipe import Recipe

#: Recipe kind -> what makes its tables.
MAKERS: dict[str, Callable[[Any, Options], Product]] = {
    "spans": spans.make,
    "tagged": tagged.make,
    "pairs": pairs.make,
}

#: Libraries whose version can change the bytes of a built set.
BYTE_LIBRARIES = ("datasets", "pyarrow", "spacy")


@dataclass(frozen=True, kw_only=True)
class Built:
    """What a build did: where it wrote, what it counted, how long it took."""

    out: Path
    counts: Mapping[str, Any]
    signature: str
    seconds: float
    reports: Mapping[str, Any] = field(default_factory=dict)
    warnings: Sequence[str] = ()
    recipe: Recipe

    def to_json(self) -> dict[str, Any]:
        """The object that ``--json`` prints."""
        return {
            "out": str(self.out),
            "counts": dict(self.counts),
            "seconds": round(self.seconds, 3),
            "signature": self.signature,
            "warnings": list(self.warnings),
        }


def build(
    recipe: str | Path,
    *,
    out: Path,
    seed: int | None = None,
    per_cell: int | None = None,
    corpus: Sequence[Path] = (),
    labels: Sequence[str] = (),
    workers: int | None = None,
    executor: str | None = None,
    replace: bool = False,
) -> Built:
    """Build ``recipe`` (a bundled name or a folder) into the folder ``out``.

    ``seed`` replaces the recipe's; ``per_cell`` grows every cell of a span recipe to that many base
    sentences; ``corpus`` are the documents of a recipe that reads them (a path, or NAME=PATH), ``labels``
    the names of its tags where the documents only number them, ``workers`` and ``executor`` who reads
    them (one process by default): neither changes a byte. Raises a DataError for faults in the recipe or its
    files and a UsageError where ``out`` may not be written or an option does not concern the recipe; nothing is
    half-written.
    """
    started = time.perf_counter()
    folder.refuse_existing(out, replace=replace)
    loaded = load_recipe(recipe)
    work = out.absolute().with_name(f".{out.absolute().name}.work")
    options = Options(
        seed=loaded.seed if seed is None else seed,
        per_cell=per_cell,
        corpus=tuple(corpus),
        labels=tuple(labels),
        workers=workers,
        executor=executor,
        work=work,
    )
    refuse_foreign(options, kind=loaded.kind, name=loaded.name)
    with _resumable(work):
        product = MAKERS[loaded.kind](loaded, options)
        contents = folder.Contents(
            configs=product.configs,
            reports=product.reports,
            texts={
                "GUIDELINES.md": guidelines_text(loaded),
                **build_files(loaded, options, product),
                **product.texts,
            },
            documents=lambda made, kept: documents(made, loaded, kept=kept),
            hold_back=loaded.card.hold_back,
        )
        before = _made_of(out)
        folder.write(out, contents, replace=replace)
        lost = [name for name in before if name not in _made_of(out)]
        product.done()
    return Built(
        out=out,
        counts=product.counts,
        signature=product.signature,
        seconds=time.perf_counter() - started,
        reports=product.reports,
        warnings=[
            *licence_warnings(loaded),
            *translation_warnings(loaded),
            *product.warnings,
            *([lost_warning(out, lost)] if lost else []),
        ],
        recipe=loaded,
    )


def _made_of(out: Path) -> list[str]:
    """The configs and reports in a folder, as paths; those of ``private/`` too."""
    data = {f"{path.parent.relative_to(out).as_posix()}/" for path in out.rglob("*.parquet")}
    return sorted(data | {path.relative_to(out).as_posix() for path in (out / "reports").glob("*.json")})


def lost_warning(out: Path, lost: Sequence[str]) -> str:
    """What a build with ``--replace`` took away: it makes neither validation nor scores anew."""
    again = [
        f"`probeta {command} {out}`"
        for command, names in (
            ("adjudicate … --into", ("annotations/", "validated/", "reports/adjudication.json")),
            ("score … --out", ("reports/scores.json",)),
        )
        if set(names) & set(lost)
    ]
    writes = f"; {' and '.join(again)} put{'s' if len(again) == 1 else ''} it there again" if again else ""
    return f"{out} no longer has {', '.join(lost)}, which the set before had{writes}"


@contextmanager
def _resumable(work: Path) -> Iterator[None]:
    """Say what a build that failed left in ``work`` to go on from, and leave nothing where that is nothing."""
    if _holds_files(work):
        say(f"! going on from {work}")
    try:
        yield
    except BaseException:
        if _holds_files(work):
            say(f"! the work so far is kept in {work}: the same command goes on from there")
        else:
            shutil.rmtree(work, ignore_errors=True)
        raise


def _holds_files(folder: Path) -> bool:
    return any(path.is_file() for path in folder.rglob("*"))


def licence_warnings(recipe: Recipe) -> list[str]:
    """What to say of a licence that the Hub does not know, with the identifiers that may be meant."""
    given = recipe.card.licence
    if given in licences():
        return []
    slug = "-".join(given.lower().split())
    near = [name for name in licences() if name.startswith(slug)] or list(
        filter(None, [nearest(slug, licences())])
    )
    meant = f": {' or '.join(near)}, perhaps" if near else "; `other`, with licence_name, stands for any"
    return [f"card.licence: the Hub does not know {given!r}{meant}"]


def translation_warnings(recipe: Recipe) -> list[str]:
    """What a card in another language would say as the recipe was written."""
    return [
        f"card.translations.{language}: the card keeps as they were written {', '.join(missing[:5])}"
        f"{f' and {len(missing) - 5} more' if len(missing) > 5 else ''}"
        for language, missing in untranslated(recipe).items()
        if missing
    ]


def build_files(recipe: Recipe, options: Options, product: Product) -> dict[str, str | bytes]:
    """``build/``: the recipe with the files that it names, the options, the versions, the command.

    The command, run beside the set's folder, makes the same set again: inside it, a second set would break
    the first one's checksums.
    """
    files: dict[str, str | bytes] = {f"build/{RECIPE_FILE}": (recipe.folder / RECIPE_FILE).read_bytes()}
    for _, name in recipe.files():
        files[f"build/{name}"] = recipe.path(name).read_bytes()
    for name in recipe.guidelines:
        files[f"build/guidelines/{name}"] = recipe.guideline_path(name).read_bytes()
    versions = {"probeta": __version__, **{name: installed(name) for name in BYTE_LIBRARIES}}
    command = ["probeta", "build", f"{recipe.name}/build", "--seed", str(options.seed)]
    if options.per_cell is not None:
        command += ["--per-cell", str(options.per_cell)]
    command += product.command
    record = {
        "recipe": recipe.name,
        "version": recipe.version,
        "date": recipe.date.isoformat(),
        "seed": options.seed,
        "per_cell": options.per_cell,
        "default_config": product.configs[0].name,
        "versions": versions,
        **product.provenance,
        "command": " ".join([*command, "--out", f"{recipe.name}-again"]),
    }
    files["build/build.json"] = folder.json_text(record)
    return files


def guidelines_text(recipe: Recipe) -> str:
    """``GUIDELINES.md``: the guidelines of the recipe, one after the other."""
    parts = []
    for name in recipe.guidelines:
        path = recipe.guideline_path(name)
        if not path.is_file():
            raise UsageError(f"{recipe.shown(RECIPE_FILE)} names the guideline {name}, which does not exist")
        parts.append(decode_utf8(path.read_bytes(), file=recipe.shown(f"guidelines/{name}")).strip())
    return "\n\n---\n\n".join(parts) + "\n" if parts else "This set has no guidelines.\n"
