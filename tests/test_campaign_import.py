"""Answers given elsewhere, in every format that others have."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from campaigns import campaign, choice, region

from probeta.annotation.campaign import Campaign
from probeta.annotation.importers import ImportOptions
from probeta.annotation.imports import import_files
from probeta.errors import DataError
from probeta.validation import annotations as table

TEXT = "🎉 Los burpees de hoy"


def rows(folder: Path) -> dict[tuple[str, str], Any]:
    """(item, annotator) -> the label, or the spans as (start, end, label)."""
    read = table.read(folder).rows
    return {
        (row["item"], row["annotator"]): row["label"]
        if row["spans"] is None
        else [(span["start"], span["end"], span["label"]) for span in row["spans"]]
        for row in read.to_dict("records")
    }


def dump(path: Path, value: Any) -> Path:
    path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
    return path


def test_a_label_studio_export_by_people_of_every_kind(tmp_path: Path) -> None:
    data = {"id": "p1", "sentence_1": "Llueve.", "sentence_2": "No salgo.", "connector_type": "reasoning"}
    task = {
        "id": 7,
        "data": data,
        "annotations": [
            {"id": 1, "completed_by": 3, "result": [choice("reasoning")], "lead_time": 2.5},
            {"id": 2, "completed_by": {"id": 4, "email": "B@example.org"}, "result": [choice("neutral")]},
            {"id": 3, "completed_by": 5, "result": []},
            {"id": 4, "completed_by": 6, "result": [], "was_cancelled": True},
        ],
    }
    file = dump(tmp_path / "export.json", [task])
    made = import_files(tmp_path / "c", [file], options=ImportOptions(users={"3": "ana"}))
    assert made.statuses == {"answered": 2, "empty": 1, "skipped": 1}
    # An address becomes a pseudonym, a number keeps its number, a mapped number its name.
    assert set(rows(tmp_path / "c")) == {("p1", name) for name in ("ana", "a02", "user5", "user6")}
    gold = json.loads((tmp_path / "c" / "gold.jsonl").read_text("utf-8"))
    assert gold["original"] == "reasoning"


def test_the_flat_form_with_one_row_an_annotation(tmp_path: Path) -> None:
    base = {"sentence_1": "Llueve.", "sentence_2": "No salgo.", "connector_type": "reasoning"}
    flat = [
        {**base, "id": 1, "annotator": 32, "annotation_id": 11, "label": "reasoning", "lead_time": 3},
        {**base, "id": 1, "annotator": 33, "annotation_id": 12, "label": {"choices": ["neutral"]}},
        {**base, "id": 1, "annotator": 34, "annotation_id": 13},
    ]
    made = import_files(tmp_path / "c", [dump(tmp_path / "flat.json", flat)])
    assert made.statuses == {"answered": 2, "empty": 1, "skipped": 0}
    assert [note.code for note in made.notes] == ["empty_or_skipped"]
    assert sorted(filter(None, rows(tmp_path / "c").values())) == ["neutral", "reasoning"]
    # The rows name no id of the pair, and are one item all the same.
    assert made.items == 1


def test_doccano_a_file_an_annotator(tmp_path: Path) -> None:
    old = {"id": 5, "text": TEXT, "label": [[6, 13, "ENG"]]}
    new = {"id": 5, "text": TEXT, "entities": [{"start_offset": 6, "end_offset": 13, "label": "ENG"}]}
    files = [dump(tmp_path / "ana.jsonl", old), dump(tmp_path / "eva.jsonl", new)]
    import_files(tmp_path / "c", files)
    assert rows(tmp_path / "c") == {("5", "ana"): [(6, 13, "ENG")], ("5", "eva"): [(6, 13, "ENG")]}


def test_brat_a_folder_an_annotator(tmp_path: Path) -> None:
    for name, line in (("ana", "T1\tENG 6 13\tburpees\n"), ("eva", "")):
        folder = tmp_path / "brat" / name
        folder.mkdir(parents=True)
        (folder / "d1.txt").write_text(TEXT, encoding="utf-8")
        (folder / "d1.ann").write_text(line, encoding="utf-8")
    import_files(tmp_path / "c", [tmp_path / "brat"])
    assert rows(tmp_path / "c") == {("d1", "ana"): [(6, 13, "ENG")], ("d1", "eva"): []}
    (tmp_path / "brat" / "eva" / "d1.ann").write_text("T1\tENG 0 1;6 13\tx burpees\n", encoding="utf-8")
    with pytest.raises(DataError) as refused:
        import_files(tmp_path / "d", [tmp_path / "brat"])
    assert [(fault.code, fault.file, fault.row) for fault in refused.value.faults] == [
        ("brat", "eva/d1.ann", 1)
    ]
    assert not (tmp_path / "d").exists()


def test_conll_a_column_an_annotator(tmp_path: Path) -> None:
    file = tmp_path / "tags.conll"
    file.write_text(
        "# token ana eva\n# id = s1\nLos O O\nsoft B-ENG B-ENG\nskills I-ENG B-ENG\n\nYa O _\n",
        encoding="utf-8",
    )
    import_files(tmp_path / "c", [file])
    # "Los soft skills": soft is 4-8, skills 9-15. Eva did not see the second sentence.
    assert rows(tmp_path / "c") == {
        ("s1", "ana"): [(4, 15, "ENG")],
        ("s1", "eva"): [(4, 8, "ENG"), (9, 15, "ENG")],
        ("2", "ana"): [],
    }


def test_a_table_with_a_column_an_annotator(tmp_path: Path) -> None:
    file = tmp_path / "votes.csv"
    file.write_text("id,connector_type,a,b\np1,neutral,neutral,reasoning\np2,neutral,neutral,\n", "utf-8")
    import_files(tmp_path / "c", [file], options=ImportOptions(annotators=("a", "b")))
    assert rows(tmp_path / "c") == {("p1", "a"): "neutral", ("p1", "b"): "reasoning", ("p2", "a"): "neutral"}


def test_an_import_into_a_campaign_finds_its_items(tmp_path: Path) -> None:
    made = campaign(tmp_path / "c", size=3)
    items = made.items()
    tasks = [
        {
            "id": number,
            "data": data,
            "annotations": [{"id": number, "completed_by": "x@example.org", "result": result}],
        }
        for number, (data, result) in enumerate(
            [
                # By id, by the task's key, by the text alone.
                ({"id": "i0000", **items[0].fields}, [region(items[0].fields["text"])]),
                ({"key": items[1].key, **items[1].fields}, []),
                (dict(items[2].fields), [region(items[2].fields["text"])]),
            ]
        )
    ]
    file = dump(tmp_path / "export.json", tasks)
    import_files(made.folder, [file])
    assert set(rows(made.folder)) == {(f"i000{number}", "a01") for number in range(3)}
    # The same file again replaces itself; the same answers from another file are refused.
    assert import_files(made.folder, [file]).rows == 3
    with pytest.raises(DataError, match="has an answer to it already"):
        import_files(made.folder, [dump(tmp_path / "other.json", tasks)])
    tasks[0]["data"] = {"id": "i0000", "text": "otro"}
    tasks[0]["annotations"] = [{"id": 9, "completed_by": "y@example.org", "result": []}]
    with pytest.raises(DataError, match="another text"):
        import_files(Campaign(made.folder).folder, [dump(tmp_path / "third.json", tasks[:1])])


def test_old_offsets_in_an_export_are_refused_until_repair_is_asked_for(tmp_path: Path) -> None:
    old = region(TEXT)
    old["value"] |= {"start": 7, "end": 14}
    task = {"id": 1, "data": {"text": TEXT}, "annotations": [{"id": 1, "completed_by": 1, "result": [old]}]}
    file = dump(tmp_path / "old.json", [task])
    with pytest.raises(DataError, match="UTF-16"):
        import_files(tmp_path / "c", [file])
    made = import_files(tmp_path / "c", [file], options=ImportOptions(repair_utf16=True))
    assert [note.code for note in made.notes] == ["utf16_offsets"]
    assert list(rows(tmp_path / "c").values()) == [[(6, 13, "ENG")]]


BROKEN = {
    "a doubled key": ('[{"data": {"text": "uno", "text": "dos"}, "annotations": []}]', "stands twice"),
    "no JSON": ('[{"data": ', "cannot be read"),
    "endless nesting": (f"[{'[' * 300}{']' * 300}]", "nested too deeply"),
    "no list": ('{"data": {}}', "no list of tasks"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_export_is_told_and_nothing_is_made(tmp_path: Path, name: str) -> None:
    text, message = BROKEN[name]
    file = tmp_path / "export.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=message) as refused:
        import_files(tmp_path / "c", [file])
    assert refused.value.faults[0].file == "export.json"
    assert not (tmp_path / "c").exists()


def test_a_doubled_key_in_doccano_is_told(tmp_path: Path) -> None:
    file = tmp_path / "ana.jsonl"
    file.write_text('{"text": "uno", "label": [], "text": "dos"}\n', encoding="utf-8")
    with pytest.raises(DataError, match="stands twice"):
        import_files(tmp_path / "c", [file])
