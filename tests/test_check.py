"""A built set that someone edited by hand to be wrong must not pass: each kind of damage, with its place."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from probeta.builtset import checksums
from probeta.errors import UsageError
from probeta.hashing import text_hash
from probeta.validation.check import check

Rows = list[dict[str, Any]]
#: What the checks say of damage to the first sentences of the set; see the fixture.
Damage = Callable[[Rows], Any]


def damage(folder: Path, config: str, change: Damage) -> None:
    """Change the rows of a config; the checksums are made anew, so that they do not give it away."""
    path = folder / config / "test-00000-of-00001.parquet"
    table = pq.read_table(path)
    rows = table.to_pylist()
    change(rows)
    pq.write_table(pa.Table.from_pylist(rows, schema=table.schema), path)
    (folder / "SHA256SUMS").write_text(checksums(folder))


@pytest.fixture
def copy(blas: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(blas, tmp_path / "copy"))


def test_what_was_built_is_sound(blas: Path) -> None:
    assert list(check(blas).faults) == []


def offset_off_by_one(rows: Rows) -> None:
    rows[5]["spans"][0]["start"] += 1


def label_swapped(rows: Rows) -> None:
    rows[5]["spans"][0]["label"] = "OTHER"


def row_lost(rows: Rows) -> None:
    del rows[5]


def base_lost(rows: Rows) -> None:
    base = rows[0]["base_id"]
    rows[:] = [row for row in rows if row["base_id"] != base]


def id_doubled(rows: Rows) -> None:
    rows[6]["id"] = rows[5]["id"]


def row_doubled(rows: Rows) -> None:
    rows.append(dict(rows[5]))


def casing_changed(rows: Rows) -> None:
    rows[5]["casing"] = "upper" if rows[5]["casing"] != "upper" else "lower"


def casing_unknown(rows: Rows) -> None:
    rows[5]["casing"] = "sideways"


def text_edited(rows: Rows) -> None:
    rows[5]["text"] = rows[5]["text"][:-1] + "!"


def text_edited_with_its_hash(rows: Rows) -> None:
    text_edited(rows)
    rows[5]["text_hash"] = text_hash(rows[5]["text"])


def decomposed(rows: Rows) -> None:
    number, row = next((n, r) for n, r in enumerate(rows) if not r["text"].isascii())
    rows[number]["text"] = unicodedata.normalize("NFD", row["text"])
    rows[number]["text_hash"] = text_hash(rows[number]["text"])


def wrong_base_id(rows: Rows) -> None:
    rows[5]["base_id"] = rows[-1]["base_id"]


def unknown_base_id(rows: Rows) -> None:
    rows[5]["base_id"] = "nobody"


def configuration_missing(rows: Rows) -> None:
    rows[:] = [row for row in rows if row["casing"] != "span_upper"]


def spans_swapped(rows: Rows) -> None:
    row = next(row for row in rows if len(row["spans"]) == 2)
    row["spans"].reverse()


def span_dropped(rows: Rows) -> None:
    row = next(row for row in rows if len(row["spans"]) == 2)
    row["spans"].pop()


def span_over_quotes(rows: Rows) -> None:
    row = next(row for row in rows if row["quotes"] == "with")
    span = row["spans"][0]
    span["start"] -= 1
    span["text"] = row["text"][span["start"] : span["end"]]


def span_past_the_end(rows: Rows) -> None:
    rows[5]["spans"][0]["end"] = 10_000


def duplicate_mark_lost(rows: Rows) -> None:
    next(row for row in rows if row["duplicate_of"])["duplicate_of"] = None


def text_with_nul(rows: Rows) -> None:
    rows[5]["text"] = rows[5]["text"] + "\0"


def type_claimed_wrongly(rows: Rows) -> None:
    for row in rows:
        if row["id"].startswith("cs-i-02|"):
            row["type"] = "non_compliant"


def type_varies(rows: Rows) -> None:
    rows[3]["type"] = "ambiguous"


def attribute_emptied(rows: Rows) -> None:
    rows[3]["position"] = None


def span_row_lost(rows: Rows) -> None:
    del rows[3]


def span_row_moved(rows: Rows) -> None:
    rows[3]["start"] += 1


def broken_iob2(rows: Rows) -> None:
    # An I- without its B-: 0 is O, 1 B-ENG, 2 I-ENG.
    tags = rows[0]["tags"]
    tags[tags.index(1)] = 2


def tag_lost(rows: Rows) -> None:
    tags = rows[0]["tags"]
    tags[tags.index(1)] = 0


def token_edited(rows: Rows) -> None:
    rows[0]["tokens"][1] += "x"


def tags_shortened(rows: Rows) -> None:
    rows[0]["tags"].pop()


def tokens_lost(rows: Rows) -> None:
    del rows[0]


CASES: list[tuple[str, Damage, str]] = [
    ("sentences", offset_off_by_one, "span_surface"),
    ("sentences", label_swapped, "label_unknown"),
    ("sentences", row_lost, "configuration_missing"),
    ("sentences", base_lost, "base_missing"),
    ("sentences", id_doubled, "id_doubled"),
    ("sentences", row_doubled, "id_doubled"),
    ("sentences", casing_changed, "configuration_differs"),
    ("sentences", casing_unknown, "attribute_value"),
    ("sentences", text_edited, "text_hash"),
    ("sentences", text_edited_with_its_hash, "configuration_differs"),
    ("sentences", decomposed, "text_not_nfc"),
    ("sentences", wrong_base_id, "configuration_differs"),
    ("sentences", unknown_base_id, "base_unknown"),
    ("sentences", configuration_missing, "configuration_missing"),
    ("sentences", spans_swapped, "span_order"),
    ("sentences", span_dropped, "configuration_differs"),
    ("sentences", span_over_quotes, "span_edges"),
    ("sentences", span_past_the_end, "span_out_of_range"),
    ("sentences", duplicate_mark_lost, "configuration_differs"),
    ("sentences", text_with_nul, "text_unencodable"),
    ("spans", type_claimed_wrongly, "attribute_differs"),
    ("spans", type_varies, "attribute_varies"),
    ("spans", attribute_emptied, "attribute_missing"),
    ("spans", span_row_lost, "span_unlisted"),
    ("spans", span_row_moved, "span_views_differ"),
    ("tokens", broken_iob2, "iob2"),
    ("tokens", tag_lost, "tags_differ"),
    ("tokens", token_edited, "tokens_rejoin"),
    ("tokens", tags_shortened, "tags_length"),
    ("tokens", tokens_lost, "tokens_missing"),
]


@pytest.mark.parametrize(("config", "change", "code"), CASES, ids=[case[1].__name__ for case in CASES])
def test_damage_is_found_and_placed(copy: Path, config: str, change: Damage, code: str) -> None:
    damage(copy, config, change)
    found = [fault for fault in check(copy).faults if fault.code == code]
    assert found, [str(fault) for fault in check(copy).faults][:5]
    assert all(fault.file for fault in found)


def test_a_sentence_rewritten_in_all_its_rows_is_not_the_recipes(copy: Path) -> None:
    # Consistent in every configuration, with new hashes and checksums: only the recipe knows better.
    def rewrite(rows: Rows) -> None:
        base = next(row for row in rows if row["operation"] is None)["base_id"]
        for row in rows:
            if row["base_id"] == base:
                row["text"] = row["text"][:-1] + "!"
                row["text_hash"] = text_hash(row["text"])

    damage(copy, "sentences", rewrite)
    assert "base_differs" in {fault.code for fault in check(copy).faults}


def test_other_spans_over_the_same_text_are_shown(copy: Path) -> None:
    def drop(rows: Rows) -> None:
        next(row for row in rows if row["operation"] is None and len(row["spans"]) == 2)["spans"].pop()

    damage(copy, "sentences", drop)
    told = next(fault for fault in check(copy).faults if fault.code == "base_differs")
    assert told.column == "spans" and "the spans of" in told.message
    assert told.expected is not None and told.expected.startswith(f"{told.found}, ")


def test_a_stale_checksum_is_found(copy: Path) -> None:
    with (copy / "GUIDELINES.md").open("a") as handle:
        handle.write("x")
    assert [(fault.code, fault.file) for fault in check(copy).faults] == [("checksum", "GUIDELINES.md")]


def test_missing_added_and_unreadable_files_are_found(copy: Path) -> None:
    (copy / "reports/stats.json").unlink()
    (copy / "notes.txt").write_text("mine")
    (copy / "tokens/test-00000-of-00001.parquet").write_bytes(b"PAR1 no more")
    codes = {fault.code: fault.file for fault in check(copy).faults}
    assert codes["file_missing"] == "reports/stats.json"
    assert codes["file_unlisted"] == "notes.txt"
    assert codes["parquet"] == "tokens/test-00000-of-00001.parquet"


@pytest.mark.parametrize("text", ["{", "[]", "{}", None])
def test_a_build_record_that_says_nothing_is_found(copy: Path, text: str | None) -> None:
    path = copy / "build/build.json"
    path.unlink()
    if text is not None:
        path.write_text(text)
    assert ("record", "build/build.json") in [(fault.code, fault.file) for fault in check(copy).faults]


def test_a_config_or_a_column_that_is_gone_is_found(copy: Path) -> None:
    shutil.rmtree(copy / "tokens")
    path = copy / "sentences/test-00000-of-00001.parquet"
    pq.write_table(pq.read_table(path).drop_columns(["casing"]), path)
    codes = {fault.code for fault in check(copy).faults}
    assert {"config_missing", "column_missing"} <= codes


def test_the_command_says_where_and_exits_with_one(copy: Path) -> None:
    damage(copy, "sentences", offset_off_by_one)
    command = [sys.executable, "-m", "probeta.cli.main", "check", str(copy), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    fault = next(f for f in json.loads(done.stdout)["faults"] if f["code"] == "span_surface")
    assert (fault["file"], fault["row"], fault["column"]) == ("sentences", 6, "spans")
    assert "Traceback" not in done.stderr


def test_what_is_no_built_set_is_a_wrong_use(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "probeta.cli.main", "check", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "not a built set" in done.stderr


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "README.md").touch()
    with pytest.raises(UsageError, match="is a file; expected the folder of a built set"):
        check(tmp_path / "README.md")
