"""What is held back never leaves the machine: built, of every kind, and in no file that is published."""

from __future__ import annotations

import csv
import gzip
import json
import shutil
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hub_standin import Hub
from small_recipe import faults

from probeta import builtset
from probeta.builtset import checksums
from probeta.errors import DataError
from probeta.pipeline.build import build
from probeta.publishing.gates.held_back import check_held_back
from probeta.publishing.gates.subject import open_subject
from probeta.publishing.lint import lint
from probeta.publishing.plan import local_files
from probeta.publishing.push import publish
from probeta.recipe import load_recipe
from probeta.validation.check import check

SAMPLE = Path(__file__).parent / "data" / "romanian" / "test.json"
LABELS = ["O", *(f"{p}-{label}" for label in ("PERS", "ORG", "LOC", "PROD", "DATE") for p in "BI")]

#: Sentences that stand nowhere else.
SECRETS = (
    "Only a clerk from [[Bath]] could have lost the same umbrella “four” times.",
    "Who would move to [[Leeds]] & open a museum of wet socks?",
)


def hold_back(source: Path, split: str) -> None:
    path = source / "probeta.yaml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("\ncard:\n", f"\ncard:\n  hold_back: [{split}]\n"), encoding="utf-8")


def span_recipe(place: Path, *, ending: str = ".csv") -> Path:
    """The blank recipe with two further rows that are held back, its sentences in a table of any kind."""
    source = Path(shutil.copytree(load_recipe("blank").folder, place / "towns"))
    hold_back(source, "holdout")
    table = source / "sentences/towns.csv"
    with table.open(encoding="utf-8", newline="") as handle:
        head, *rows = list(csv.reader(handle))
    head.append("split")
    rows = [[*row, ""] for row in rows]
    for at, (text, reading, entry) in enumerate(
        zip(SECRETS, ("word", "name"), ("bath", "leeds"), strict=True)
    ):
        rows.insert(at * 4, [f"h{at}", reading, text, "", "", entry, "news", "Ana", "statement", "holdout"])
    if ending == ".xlsx":
        table.unlink()
        book = openpyxl.Workbook()
        for row in (head, *rows):
            book.active.append(row)
        book.save(table.with_suffix(".xlsx"))
        recipe = source / "probeta.yaml"
        recipe.write_text(recipe.read_text().replace("towns.csv]", "towns.xlsx]"))
    else:
        with table.open("w", encoding="utf-8", newline="") as handle:
            csv.writer(handle, lineterminator="\n").writerows([head, *rows])
    return source


def build_spans(place: Path) -> str:
    build(span_recipe(place), out=place / "set")
    return "holdout"


def build_tagged(place: Path) -> str:
    source = Path(shutil.copytree(load_recipe("histnero").folder, place / "histnero"))
    hold_back(source, "test")
    rows = json.loads(SAMPLE.read_text(encoding="utf-8"))
    corpus = place / "corpus"
    corpus.mkdir()
    for name, part in (("train", rows[::2]), ("test", rows[1::2])):
        (corpus / f"{name}.json").write_text(json.dumps(part), encoding="utf-8")
    build(source, out=place / "set", corpus=[corpus], labels=LABELS)
    return "test"


@pytest.fixture(scope="module")
def sets(
    tmp_path_factory: pytest.TempPathFactory, compose_corpus: Callable[..., Path]
) -> dict[str, tuple[Path, str]]:
    """A built set of every kind, with the split that is held back."""

    def build_pairs(place: Path) -> str:
        source = Path(shutil.copytree(load_recipe("esnlir").folder, place / "esnlir"))
        hold_back(source, "test")
        build(source, out=place / "set", corpus=[compose_corpus(place / "composed.jsonl", documents=60)])
        return "test"

    made = {}
    for kind, builder in (("spans", build_spans), ("tagged", build_tagged), ("pairs", build_pairs)):
        place = tmp_path_factory.mktemp(kind)
        made[kind] = (place / "set", builder(place))
    return made


def held_texts(folder: Path) -> set[str]:
    """The sentences below ``private/``, in every configuration; long enough to be no chance."""
    texts = set()
    for path in (folder / "private").glob("*/*.parquet"):
        if path.parent.name != "spans":
            rows = pq.read_table(path).to_pylist()
            texts |= {
                row[name] for row in rows for name in ("text", "sentence_1", "sentence_2") if row.get(name)
            }
            texts |= {" ".join(row["tokens"]) for row in rows if row.get("tokens")}
    return {text for text in texts if len(text) > 20}


def published_text(path: Path) -> Iterator[str]:
    """All that a reader can take out of a published file, in plain forms; no code of the gate is used."""
    if path.suffix == ".parquet":
        for row in pq.read_table(path).to_pylist():
            yield from (str(value) for value in row.values())
            yield " ".join(row.get("tokens") or [])
        return
    data = path.read_bytes()
    yield data.decode("utf-8", "replace")
    if path.suffix == ".json":
        yield json.dumps(json.loads(data), ensure_ascii=False)
    if path.suffix == ".csv":
        yield from (cell for row in csv.reader(data.decode("utf-8").splitlines()) for cell in row)


@pytest.mark.parametrize("kind", ["spans", "tagged", "pairs"])
def test_a_split_is_built_and_stands_in_no_file_that_is_published(
    sets: dict[str, tuple[Path, str]], hub: Hub, kind: str
) -> None:
    folder, split = sets[kind]
    secrets = held_texts(folder)
    assert secrets
    assert all(
        (folder / f"private/{config}/{split}-00000-of-00001.parquet").is_file() for config in configs_of(kind)
    )
    assert not any(split in splits for splits in builtset.configs(folder).values())
    linted = lint(folder)
    assert list(linted.faults) == [] and linted.gates["held_back"].status == "passed"
    # Nothing names the files; the card says that there is a split and shows none of it.
    assert "private" not in (folder / "SHA256SUMS").read_text()
    croissant = json.loads((folder / "croissant.json").read_text(encoding="utf-8"))
    names = [one["@id"] for one in (*croissant["distribution"], *croissant["recordSet"])]
    assert not any(name.startswith("private") or f"/{split}" in name for name in names)
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert f"| held back | `{split}` |" in card
    assert f"split: {split}" not in card and f"name: {split}\n" not in card
    # What goes up, byte by byte, and what can be read out of it.
    publish(folder, repository=f"org/{kind}")
    sent = hub.tree(f"org/{kind}")
    assert not any("private" in name for name in sent)
    assert {name: path.read_bytes() for name, path in local_files(folder).items()} == {
        name: data for name, data in sent.items() if name != ".gitattributes"
    }
    for path in local_files(folder).values():
        for text in published_text(path):
            assert not any(secret in text for secret in secrets), path


def configs_of(kind: str) -> list[str]:
    if kind != "pairs":
        return ["sentences", "spans", "tokens"]
    # The stress sets are made of the test split, so they are held back with it.
    return ["pairs", *(f"stress_{name}" for name in ("length_mismatch", "negation", "overlap", "spelling"))]


@pytest.mark.parametrize("ending", [".csv", ".xlsx"])
def test_build_makes_the_published_set_again_without_what_is_held_back(tmp_path: Path, ending: str) -> None:
    build(span_recipe(tmp_path, ending=ending), out=tmp_path / "set")
    build(span_recipe(tmp_path / "second", ending=ending), out=tmp_path / "twin")
    assert (tmp_path / "set/SHA256SUMS").read_text() == (tmp_path / "twin/SHA256SUMS").read_text()
    build(tmp_path / "set/build", out=tmp_path / "again")
    assert not (tmp_path / "again/private").exists()
    for config in ("sentences", "spans", "tokens"):
        name = f"{config}/test-00000-of-00001.parquet"
        assert (tmp_path / "set" / name).read_bytes() == (tmp_path / "again" / name).read_bytes()
    assert check(tmp_path / "again").faults == []
    # The public part is that of the recipe without the rows: they are in no count.
    build("blank", out=tmp_path / "plain")
    ours, plain = (
        json.loads((tmp_path / name / "reports/stats.json").read_text()) for name in ("set", "plain")
    )
    assert {**ours, "signature": ""} == {**plain, "signature": ""}


@pytest.fixture
def leaky(sets: dict[str, tuple[Path, str]], tmp_path: Path) -> Path:
    return Path(shutil.copytree(sets["spans"][0], tmp_path / "set"))


SECRET = SECRETS[0].replace("[[", "").replace("]]", "")


def into_text(name: str, text: str) -> Callable[[Path], str]:
    def leak(folder: Path) -> str:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text((path.read_text(encoding="utf-8") if path.is_file() else "") + text, encoding="utf-8")
        return name

    return leak


def into_parquet(config: str, **columns: object) -> Callable[[Path], str]:
    def leak(folder: Path) -> str:
        name = f"{config}/test-00000-of-00001.parquet"
        (folder / config).mkdir(exist_ok=True)
        pq.write_table(pa.table({key: [value] for key, value in columns.items()}), folder / name)
        return name

    return leak


def into_workbook(folder: Path) -> str:
    book = openpyxl.Workbook()
    book.active.append(["note", SECRET])
    book.save(folder / "build/notes.xlsx")
    return "build/notes.xlsx"


def into_archive(folder: Path) -> str:
    (folder / "notes.txt.gz").write_bytes(gzip.compress(SECRET.encode()))
    return "notes.txt.gz"


def into_a_zip(folder: Path) -> str:
    with zipfile.ZipFile(folder / "notes.zip", "w") as archive:
        # No tag: what stands between the two signs is no less there.
        archive.writestr("notes.txt", f"1 < 2. {SECRET} 2 > 1.")
    return "notes.zip"


def into_the_card(folder: Path) -> str:
    card = folder / "README.md"
    text = card.read_text(encoding="utf-8")
    wrapped = SECRET.upper().replace(" ", "\n> ")
    card.write_text(text.replace("<!-- yours: notes -->\n", f"<!-- yours: notes -->\n> {wrapped}\n"))
    return "README.md"


@pytest.mark.parametrize(
    "leak",
    [
        into_the_card,
        into_text("reports/notes.json", json.dumps({"sample": SECRET})),
        into_text("build/sentences/more.csv", 'id,text\n1,"' + SECRET.replace('"', '""') + '"\n'),
        into_text("GUIDELINES.md", f"\n*{SECRET}*\n"),
        into_text("reports/figure.svg", f"<svg><text>{SECRET.replace('“', '&#8220;')}</text></svg>"),
        into_text("croissant.json", " " + json.dumps(SECRET)),
        into_parquet("annotations", item="x", note=f"Said twice: {SECRET}"),
        into_parquet("stress_more", sentence=SECRET.lower()),
        into_parquet("more", tokens=SECRET.split()),
        into_parquet("nested", spans=[{"start": 0, "end": 5, "text": SECRET}]),
        into_workbook,
        into_archive,
        into_a_zip,
    ],
)
def test_a_copy_in_any_file_fails_the_gate(leaky: Path, leak: Callable[[Path], str]) -> None:
    assert list(check_held_back(open_subject(leaky)).faults) == []
    name = leak(leaky)
    (leaky / "SHA256SUMS").write_text(checksums(leaky), encoding="utf-8")
    found = [fault for fault in check_held_back(open_subject(leaky)).faults if fault.code == "held_back"]
    assert [fault.file for fault in found] == [name]


def test_a_file_that_does_not_open_fails_the_gate(leaky: Path) -> None:
    whole = gzip.compress(SECRET.encode())
    (leaky / "a.gz").write_bytes(whole[:20])
    (leaky / "b.gz").write_bytes(whole[:10] + b"\xff" + whole[11:])
    (leaky / "c.parquet").write_bytes(b"PAR1 no more")
    into_a_zip(leaky)
    data = (leaky / "notes.zip").read_bytes()
    (leaky / "notes.zip").write_bytes(data.replace(SECRET.encode()[:8], b"otherwise"[:8]))
    found = check_held_back(open_subject(leaky)).faults
    assert [(fault.code, fault.file) for fault in found] == [
        ("held_back_unread", name) for name in ("a.gz", "b.gz", "c.parquet", "notes.zip")
    ]


def test_words_that_any_text_may_hold_are_no_leak(leaky: Path) -> None:
    """Names, phrases and short ends of a held-back sentence stand elsewhere by chance."""
    into_text("NOTES.md", "A clerk from Bath lost an umbrella. Only a clerk, four times.")(leaky)
    assert list(check_held_back(open_subject(leaky)).faults) == []


@pytest.mark.parametrize(
    ("recipe", "split", "message"),
    [
        ("blank", "test", "the split test cannot be held back"),
        ("blank", "all", "all is no name for a split"),
        ("blank", "test-es", "test-es is no name for a split"),
        ("histnero", "tests", "unknown split tests"),
        ("esnlir", "holdout", "unknown split holdout"),
        ("esnlir", "train, validation, test", "every split is held back"),
    ],
)
def test_a_name_that_would_hold_nothing_back_is_refused(
    tmp_path: Path, recipe: str, split: str, message: str
) -> None:
    source = Path(shutil.copytree(load_recipe(recipe).folder, tmp_path / "recipe"))
    hold_back(source, split)
    with pytest.raises(DataError, match=message):
        load_recipe(source)


@pytest.mark.parametrize(
    ("row", "code"),
    [
        ({"text": "Un [[pie]].", "split": "houldout"}, "unknown_split"),
        ({"text": "Un {{ a }}.", "slots": "a = nouns", "split": "holdout"}, "held_back_template"),
    ],
)
def test_rows_that_cannot_be_held_back(tmp_path: Path, row: dict[str, str], code: str) -> None:
    card = {"licence": "cc0-1.0", "authors": ["A"], "hold_back": ["holdout"]}
    assert code in {fault.code for fault in faults(tmp_path, [row], card=card)}
