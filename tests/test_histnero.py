"""HistNERo: a released corpus becomes a built set, is checked, and is scored by its own protocol."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from probeta import builtset
from probeta.builders.spans.corpus import read_tagged_corpus
from probeta.builders.spans.orthography import RomanianOrthography
from probeta.cli.main import main
from probeta.errors import DataError, Fault, UsageError
from probeta.pipeline.build import build
from probeta.recipe import TaggedRecipe, load_recipe
from probeta.records import Sentence, Span
from probeta.validation.check import check

SAMPLE = Path(__file__).parent / "data" / "romanian"
NAMES = ["O", *(f"{prefix}-{label}" for label in ("PERS", "ORG", "LOC", "PROD", "DATE") for prefix in "BI")]


def rows() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((SAMPLE / "test.json").read_text("utf-8"))
    return found


def recipe() -> TaggedRecipe:
    loaded = load_recipe("histnero")
    assert isinstance(loaded, TaggedRecipe)
    return loaded


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("histnero") / "set"
    build("histnero", out=out, corpus=[SAMPLE], labels=NAMES)
    return out


def test_the_built_set_is_sound_and_keeps_the_tokens(built: Path) -> None:
    assert check(built).faults == []
    base = {s.id: s for s in builtset.sentences(built) if s.attributes["operation"] is None}
    tokens = {row["id"]: row for row in builtset.read(built, "tokens").to_pylist()}
    assert len(base) == len(rows()) == 13
    for row in rows():
        sentence = base[f"{row['id']}|given"]
        assert sentence.text == " ".join(row["tokens"])
        assert sentence.attributes["region"] == row["region"]
        assert tokens[sentence.id]["tokens"] == row["tokens"]
    first = base["100|given"]
    assert list(zip(first.surfaces(), (span.label for span in first.spans), strict=True)) == [
        ("Ion Pădureanu", "PERSON"),
        ("Brașov", "LOCATION"),
        ("14 martie 1871", "DATE"),
    ]


def test_every_sentence_in_six_ways_of_writing(built: Path) -> None:
    by_id = {s.id: s for s in builtset.sentences(built)}
    assert len(by_id) == 13 * 6
    texts = {value: by_id[f"101|{value}"].text for value in RomanianOrthography.values}
    assert texts == {
        "given": "Sîntem neînțeleși de Societatea Cărților , scria Foaia Muntelui .",
        "cedilla": "Sîntem neînţeleşi de Societatea Cărţilor , scria Foaia Muntelui .",
        "comma_below": "Sîntem neînțeleși de Societatea Cărților , scria Foaia Muntelui .",
        "old": "Sîntem neînțeleși de Societatea Cărților , scria Foaia Muntelui .",
        "new": "Suntem neînțeleși de Societatea Cărților , scria Foaia Muntelui .",
        "bare": "Sintem neintelesi de Societatea Cartilor , scria Foaia Muntelui .",
    }
    assert by_id["101|old"].attributes["duplicate_of"] == "101|given"
    for sentence in by_id.values():
        given = by_id[f"{sentence.attributes['base_id']}|given"]
        assert sentence.spans == given.spans, "one letter in the place of one"


def test_the_report_counts_every_region(built: Path) -> None:
    report = json.loads((built / "reports" / "by_region.json").read_text("utf-8"))
    stats = json.loads((built / "reports" / "stats.json").read_text("utf-8"))
    values = report["values"]
    assert list(values) == ["Bessarabia", "Moldavia", "Transylvania", "Wallachia"]
    assert sum(row["sentences"] for row in values.values()) == 13
    assert sum(row["spans"] for row in values.values()) == stats["base_spans"] == 27
    assert values["Moldavia"]["labels"]["LOCATION"] == 4
    card = (built / "README.md").read_text("utf-8")
    assert "| `region` | `Moldavia` | 3 | 28 | 8 | 1 | 1 | 4 | 1 | 1 |" in card
    assert "gradient reversal" in card, "the third pitfall is a line of the card"


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        # Inside a word â, at its ends î, behind a prefix î, and the family of român always â.
        ("pîine", "pîine", "pâine"),
        ("a coborî", "a coborî", "a coborî"),
        ("Înainte", "Înainte", "Înainte"),
        ("reîntîlnire", "reîntîlnire", "reîntâlnire"),
        ("preîntâmpină", "preîntîmpină", "preîntâmpină"),
        ("bineînțeles", "bineînțeles", "bineînțeles"),
        ("România română", "România română", "România română"),
        ("dintr-însa", "dintr-însa", "dintr-însa"),
        ("SÎNT RÎURI", "SÎNT RÎURI", "SUNT RÂURI"),
        ("Sunteți când?", "Sînteți cînd?", "Sunteți când?"),
        ("înoţînd", "înoţînd", "înoţând"),
    ],
)
def test_old_and_new_orthography(text: str, old: str, new: str) -> None:
    write = RomanianOrthography()
    sentence = Sentence("a", text)
    assert write.variant(sentence, value="old", seed=0).text == old
    assert write.variant(sentence, value="new", seed=0).text == new


def test_letters_and_bare_text() -> None:
    write = RomanianOrthography()
    sentence = Sentence("a", "Țara și ţesătura", (Span(0, 4, "LOCATION"),))
    found = {value: write.variant(sentence, value=value, seed=0) for value in write.values}
    assert found["cedilla"].text == "Ţara şi ţesătura"
    assert found["comma_below"].text == "Țara și țesătura"
    assert found["bare"].text == "Tara si tesatura"
    assert all(variant.spans == sentence.spans for variant in found.values())


def test_names_may_come_from_a_parquet_files_features(tmp_path: Path) -> None:
    from datasets import ClassLabel, Dataset, Features, List, Value

    text = Value("string")
    features = Features(
        {
            "id": text,
            "ner_tags": List(ClassLabel(names=NAMES)),
            "tokens": List(text),
            "doc_id": text,
            "region": text,
        }
    )
    Dataset.from_list(rows(), features=features).to_parquet(tmp_path / "test-00000-of-00001.parquet")
    from_parquet = read_tagged_corpus([tmp_path], recipe())
    from_json = read_tagged_corpus([SAMPLE], recipe(), labels=NAMES)
    assert from_parquet == from_json
    # The same names may be said again; others would give every entity another type, in silence.
    assert read_tagged_corpus([tmp_path], recipe(), labels=NAMES) == from_json
    (fault,) = told(tmp_path, labels=["O", *reversed(NAMES[1:])])
    assert (fault.code, fault.column) == ("tag_names", "ner_tags")


def test_json_lines_and_wrapped_rows_are_read_too(tmp_path: Path) -> None:
    lines, wrapped = tmp_path / "lines", tmp_path / "wrapped"
    lines.mkdir()
    wrapped.mkdir()
    (lines / "test.json").write_text("".join(json.dumps(row) + "\n" for row in rows()), "utf-8")
    (wrapped / "test.json").write_text(json.dumps({"data": rows()}), "utf-8")
    expected = read_tagged_corpus([SAMPLE], recipe(), labels=NAMES)
    assert read_tagged_corpus([lines], recipe(), labels=NAMES) == expected
    assert read_tagged_corpus([wrapped], recipe(), labels=NAMES) == expected


@pytest.mark.parametrize("separator", ["\u2028", "\u0085"])
def test_a_line_of_json_ends_only_at_a_line_feed(tmp_path: Path, separator: str) -> None:
    odd = rows()
    odd[0]["tokens"][0] += separator + "x"
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in odd)
    (tmp_path / "test.jsonl").write_text(text, "utf-8")
    sentences = read_tagged_corpus([tmp_path], recipe(), labels=NAMES)["test"]
    assert sentences[0].attributes["tokens"][0] == odd[0]["tokens"][0]


def test_ids_of_two_splits_are_told_apart(tmp_path: Path) -> None:
    for name in ("train", "valid", "test"):
        shutil.copy(SAMPLE / "test.json", tmp_path / f"{name}.json")
    found = read_tagged_corpus([tmp_path], recipe(), labels=NAMES)
    assert {split: sentences[0].id for split, sentences in found.items()} == {
        "test": "test-100",
        "train": "train-100",
        "validation": "validation-100",
    }
    out = tmp_path / "set"
    build("histnero", out=out, corpus=[tmp_path], labels=NAMES)
    assert check(out).faults == []
    assert builtset.configs(out)["sentences"] == ["test", "train", "validation"]


def put(column: str, value: Any) -> Callable[[dict[str, Any]], object]:
    return lambda row: row.update({column: value})


def token(value: Any) -> Callable[[dict[str, Any]], object]:
    return lambda row: row["tokens"].__setitem__(0, value)


def tag(*values: Any) -> Callable[[dict[str, Any]], object]:
    return lambda row: row["ner_tags"].__setitem__(slice(0, len(values)), values)


def told(folder: Path, *, labels: list[str] = NAMES) -> list[Fault]:
    """The faults of a folder, each with its file, its row, and what, expected, found and fix."""
    with pytest.raises(DataError) as caught:
        read_tagged_corpus([folder], recipe(), labels=labels)
    for fault in caught.value.faults:
        assert all((fault.message, fault.file, fault.row, fault.expected, fault.found, fault.fix)), fault
    return caught.value.faults


@pytest.mark.parametrize("ending", ["json", "parquet"])
@pytest.mark.parametrize(
    ("damage", "code", "column"),
    [
        (put("region", "Moldova"), "attribute_value", "region"),
        (put("region", ""), "attribute_value", "region"),
        (put("region", None), "attribute_value", "region"),
        (put("doc_id", None), "attribute_value", "doc_id"),
        (put("id", None), "corpus_id", "id"),
        (put("id", ""), "corpus_id", "id"),
        (put("id", " 102"), "corpus_id", "id"),
        (put("id", "100"), "id_doubled", None),
        (lambda row: row["ner_tags"].pop(), "corpus_tags", "ner_tags"),
        (lambda row: row["ner_tags"].append(0), "corpus_tags", "ner_tags"),
        (put("ner_tags", None), "corpus_tags", "ner_tags"),
        (tag(11), "tag_number", "ner_tags"),
        (tag(-1), "tag_number", "ner_tags"),
        (tag(None), "tag_value", "ner_tags"),
        (tag(0, 2), "tag_sequence", "ner_tags"),
        (tag(1, 4), "tag_sequence", "ner_tags"),
        (put("tokens", None), "corpus_tokens", "tokens"),
        (lambda row: row.update(tokens=[], ner_tags=[]), "corpus_tokens", "tokens"),
        (token(""), "corpus_tokens", "tokens"),
        (token(None), "corpus_tokens", "tokens"),
        (token(" "), "corpus_token", "tokens"),
        (token("Iar\u00a0"), "corpus_token", "tokens"),
        (token("\u2009Iar"), "corpus_token", "tokens"),
        (token("Iar\tapoi"), "corpus_token", "tokens"),
        (token("Iar\napoi"), "corpus_token", "tokens"),
        (token("Iar\0"), "corpus_token", "tokens"),
        (token("\u0326i"), "corpus_token", "tokens"),
    ],
)
def test_a_fault_has_file_row_and_all_four_details(
    tmp_path: Path,
    damage: Callable[[dict[str, Any]], object],
    code: str,
    column: str | None,
    ending: str,
) -> None:
    damaged = rows()
    damage(damaged[2])
    if ending == "json":
        (tmp_path / "test.json").write_text(json.dumps(damaged), "utf-8")
    else:
        import pyarrow as pa
        import pyarrow.parquet as pq

        pq.write_table(pa.Table.from_pylist(damaged), tmp_path / "test.parquet")
    (fault,) = told(tmp_path)
    assert (fault.code, fault.file, fault.row, fault.column) == (code, f"test.{ending}", 3, column)


@pytest.mark.parametrize(
    ("damage", "code", "column"),
    [
        # What a typed column of a Parquet file cannot hold.
        (tag("B-EVENT"), "tag_label", "ner_tags"),
        (tag("PERS"), "tag_sequence", "ner_tags"),
        (tag("b-PERS"), "tag_sequence", "ner_tags"),
        (tag(""), "tag_value", "ner_tags"),
        (tag(True), "tag_value", "ner_tags"),
        (tag(1.0), "tag_value", "ner_tags"),
        (put("ner_tags", "O O"), "corpus_tags", "ner_tags"),
        (put("tokens", "Iar apoi"), "corpus_tokens", "tokens"),
        (token(5), "corpus_tokens", "tokens"),
        (token("\ud800"), "corpus_token", "tokens"),
        (put("region", 3), "attribute_value", "region"),
        (put("region", ["Moldavia"]), "attribute_value", "region"),
        (put("id", True), "corpus_id", "id"),
        (put("id", [1]), "corpus_id", "id"),
        (lambda row: row.pop("doc_id"), "corpus_columns", None),
    ],
)
def test_a_fault_that_only_json_can_hold(
    tmp_path: Path, damage: Callable[[dict[str, Any]], object], code: str, column: str | None
) -> None:
    damaged = rows()
    damage(damaged[2])
    (tmp_path / "test.json").write_text(json.dumps(damaged), "utf-8")
    (fault,) = told(tmp_path)
    assert (fault.code, fault.file, fault.row, fault.column) == (code, "test.json", 3, column)


@pytest.mark.parametrize("row", [None, 5, "a", ["a"]])
def test_a_row_that_is_none(tmp_path: Path, row: Any) -> None:
    (tmp_path / "test.json").write_text(json.dumps([*rows()[:2], row]), "utf-8")
    (fault,) = told(tmp_path)
    assert (fault.code, fault.row) == ("corpus_columns", 3)


LINE = json.dumps({"id": "1", "tokens": ["când"], "ner_tags": [0], "doc_id": "a", "region": "Moldavia"})


@pytest.mark.parametrize(
    ("name", "data", "code", "row"),
    [
        ("test.json", b"", "json", 1),
        ("test.json", b'[{"id": 1, ]', "json", 1),
        ("test.json", b'[{"id": "1"},\n{"id": }]', "json", 2),
        ("test.json", b'[{"id": "1", "id": "2"}]', "json", 1),
        ("test.json", b'[{"id": NaN}]', "json", 1),
        ("test.json", b"[" * 100_000, "json", 1),
        # The first line may be the broken one.
        ("test.jsonl", f'{{"id": \n{LINE}\n{LINE}\n'.encode(), "json", 1),
        ("test.jsonl", f'{LINE}\n\n{{"id": \n'.encode(), "json", 3),
        # Latin-1 and UTF-16 under a name that promises UTF-8.
        ("test.jsonl", f"{LINE}\n".encode() + '{"id": "când"}'.encode("latin-1"), "encoding", 2),
        ("test.json", LINE.encode("utf-16"), "encoding", 1),
        ("test.parquet", b"", "parquet", 1),
        ("test.parquet", b"PAR1 and nothing more", "parquet", 1),
        ("test.parquet", b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "lfs_pointer", 1),
    ],
)
def test_a_file_that_cannot_be_read(tmp_path: Path, name: str, data: bytes, code: str, row: int) -> None:
    (tmp_path / name).write_bytes(data)
    (fault,) = told(tmp_path)
    assert (fault.code, fault.file, fault.row) == (code, name, row)


def test_every_line_that_is_no_json_is_told(tmp_path: Path) -> None:
    (tmp_path / "test.jsonl").write_text(f'{LINE}\n{{"id"\n{LINE}\n{{]\n', "utf-8")
    assert [fault.row for fault in told(tmp_path)] == [2, 4]


def test_damage_in_the_notes_of_a_parquet_file(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.Table.from_pylist(rows()).replace_schema_metadata({"huggingface": "{broken"})
    pq.write_table(table, tmp_path / "test.parquet")
    (fault,) = told(tmp_path)
    assert (fault.code, fault.file) == ("parquet", "test.parquet")


def test_an_id_doubled_between_two_files_of_a_split(tmp_path: Path) -> None:
    for name in ("test-1.json", "test-2.json"):
        (tmp_path / name).write_text(json.dumps(rows()[:1]), "utf-8")
    (fault,) = told(tmp_path)
    assert (fault.code, fault.file, fault.row) == ("id_doubled", "test-2.json", 1)
    assert fault.found == "also in test-1.json, row 1"


def test_tokens_are_kept_as_given(tmp_path: Path) -> None:
    """Cedillas, a letter in two parts, a space inside a token, a hash: odd, and no faults."""
    odd = ["Ţara", "şi", "s\u0326i", "10 000", "10\u00a0000", "# id = 5", "\u200b"]
    row = {"id": "1", "tokens": odd, "ner_tags": [0] * len(odd), "doc_id": 7, "region": "Moldavia"}
    (tmp_path / "test.json").write_text(json.dumps([row]), "utf-8")
    out = tmp_path / "set"
    build("histnero", out=out, corpus=[tmp_path / "test.json"], labels=NAMES)
    assert check(out).faults == []
    given = {s.id: s for s in builtset.sentences(out)}["1|given"]
    assert given.text == " ".join(odd)


def test_the_names_of_the_tags_may_not_repeat(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--labels names B-PERS twice"):
        read_tagged_corpus([SAMPLE], recipe(), labels=["O", "B-PERS", "B-PERS"])
    # Nothing says what the numbers mean: told once, not for every token.
    shutil.copy(SAMPLE / "test.json", tmp_path)
    (fault,) = told(tmp_path, labels=[])
    assert (fault.code, fault.row) == ("tag_number", 1)


def test_numbers_without_names_are_an_error(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    arguments = ["build", "histnero", "--corpus", str(SAMPLE), "--out", str(tmp_path / "set")]
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 1
    err = capsys.readouterr().err
    assert "numbers and nothing says what they mean" in err and "--labels O,B-PERS" in err
    assert not (tmp_path / "set").exists()


def test_a_misspelt_way_of_writing_is_a_fault_with_its_line(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    shutil.copytree(recipe().folder, folder)
    file = folder / "probeta.yaml"
    file.write_text(file.read_text("utf-8").replace("cedilla, comma_below", "cedila, comma_below"), "utf-8")
    with pytest.raises(DataError) as caught:
        build(folder, out=tmp_path / "set", corpus=[SAMPLE], labels=NAMES)
    (fault,) = caught.value.faults
    assert (fault.code, fault.row) == ("unknown_value", 45)


def test_files_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--corpus DIR"):
        build("histnero", out=tmp_path / "set")
    with pytest.raises(UsageError, match="found none"):
        read_tagged_corpus([tmp_path], recipe())
    (tmp_path / "test.json").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\n")
    (tmp_path / "other.json").write_text("[]")
    with pytest.raises(DataError) as caught:
        read_tagged_corpus([tmp_path], recipe())
    assert [fault.code for fault in caught.value.faults] == ["corpus_split", "lfs_pointer"]


def predictions(built: Path, path: Path) -> Path:
    """CoNLL: every entity of the base sentences, but Moldavian places are persons and one date is cut short."""
    lines = []
    sentences = {s.id: s for s in builtset.sentences(built)}
    for row in builtset.read(built, "tokens").to_pylist():
        sentence = sentences[row["id"]]
        if sentence.attributes["operation"] is not None:
            continue
        labels = ("PERSON", "ORGANIZATION", "LOCATION", "PRODUCT", "DATE")
        names = ["O", *(f"{prefix}-{label}" for label in labels for prefix in "BI")]
        lines.append(f"# id = {row['id']}")
        for token, tag in zip(row["tokens"], row["tags"], strict=True):
            name = names[tag]
            if sentence.attributes["region"] == "Moldavia":
                name = name.replace("LOCATION", "PERSON")
            if token == "1871":
                name = "O"
            lines.append(f"{token}\t{name}")
        lines.append("")
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def test_scoring_by_region_and_type(built: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = predictions(built, tmp_path / "system.conll")
    arguments = ["score", str(built), str(path), "--protocol", "histnero", "--where", "ro_orthography=given"]
    with pytest.raises(SystemExit) as stop:
        main([*arguments, "--json"])
    assert stop.value.code == 0
    found = json.loads(capsys.readouterr().out)
    regions = found["by"]["region"]
    # 27 entities; 4 Moldavian places and the cut date are wrong.
    assert (found["overall"]["gold"], found["overall"]["correct"]) == (27, 22)
    for count in ("gold", "predicted", "correct"):
        assert sum(region[count] for region in regions.values()) == found["overall"][count]
    assert regions["Moldavia"]["f1"] == 4 / 8
    # 28 tokens, 4 of them with a wrong tag.
    assert regions["Moldavia"]["token_accuracy"] == 24 / 28
    assert found["token_accuracy"] == 1 - 5 / 126
    # PERSON: 4 right, 4 spurious, none missed.
    assert found["labels"]["PERSON"]["f1"] == pytest.approx(8 / 12)
    checks = {check["check"]: check for check in found["checks"]}
    assert checks["near_misses"]["counts"] == {"boundaries": 1, "label": 4, "both": 0}
    assert checks["every_value"]["f1"]["Moldavia"] == 0.5
    with pytest.raises(SystemExit):
        main(arguments)
    out = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert "system 27 27 22 81.48 81.48 81.48 96.03" in next(
        line for line in out if line.startswith("system 27")
    )
    assert any(line.startswith("system Moldavia 8 8 4 50.00") and line.endswith("85.71") for line in out)
    assert any("domain adaptation" in line for line in out)


def test_an_item_without_its_region_is_a_fault(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gold = tmp_path / "gold.jsonl"
    texts = [("a", {"region": "Moldavia"}), ("b", {}), ("c", {"region": "Moldova"})]
    gold.write_text(
        "".join(json.dumps({"id": id, "text": "Iași", "spans": [], **more}) + "\n" for id, more in texts),
        "utf-8",
    )
    with pytest.raises(SystemExit) as stop:
        main(["score", str(gold), str(gold), "--protocol", "histnero", "--json"])
    assert stop.value.code == 1
    faults = json.loads(capsys.readouterr().out)["faults"]
    assert [(fault["row"], fault["found"]) for fault in faults] == [(2, "none"), (3, "'Moldova'")]
    assert "Bessarabia" in faults[0]["expected"]


def test_its_labelling_configuration_is_in_romanian() -> None:
    from probeta.annotation.configuration import render

    declared = recipe()
    config = render(
        kind="spans",
        labels={name: label.definition for name, label in declared.labels.items()},
        language=declared.language,
    )
    assert all(f'value="{name}"' in config for name in declared.labels)
    assert "Marcați fragmentele" in config


def test_a_corpus_of_another_format_is_named_as_such(tmp_path: Path) -> None:
    (tmp_path / "dev.conll").write_text("Ion\tB-PERSON\n", encoding="utf-8")
    with pytest.raises(UsageError, match=r"dev\.conll: expected a file that ends in \.json"):
        build("histnero", out=tmp_path / "set", corpus=[tmp_path / "dev.conll"])
