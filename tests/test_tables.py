"""The table reader: text as written, lines remembered, bad files refused with the place."""

from __future__ import annotations

import datetime
from contextlib import suppress
from pathlib import Path

import openpyxl
import pytest

from probeta.errors import DataError
from probeta.tables import read_table, write_table


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_delimiters_and_byte_order_marks_are_understood(tmp_path: Path, delimiter: str, mark: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"{mark}id{delimiter}text\r\n001{delimiter}NA\r\n", encoding="utf-8", newline="")
    table = read_table(path, required=["id", "text"])
    assert [(row.line, row["id"], row["text"]) for row in table] == [(2, "001", "NA")]


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "mac_roman", "utf-16"])
def test_other_encodings_are_refused_with_line_and_way_out(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "t.csv"
    text = "id,text\na,la reunión será mañana según el ministerio de educación\n" * 3
    path.write_bytes(text.encode(encoding))
    with pytest.raises(DataError, match=r"not UTF-8.*save it as UTF-8"):
        read_table(path)


def test_multiline_cells_keep_the_line_where_a_row_starts(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('id,text\n\na,"two\nlines"\nb,x\n', encoding="utf-8")
    assert [(row.line, row["id"]) for row in read_table(path)] == [(3, "a"), (5, "b")]


def test_every_fault_of_the_header_is_told_at_once(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("idd,x,x\n1,2,3,4\n", encoding="utf-8")
    with pytest.raises(DataError) as caught:
        read_table(path, required=["id"])
    assert sorted(fault.code for fault in caught.value.faults) == ["column", "missing_column", "row_length"]
    assert "idd" in str(caught.value)


def test_an_unclosed_quotation_is_placed(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('id,text\na,"open\n', encoding="utf-8")
    with pytest.raises(DataError, match="t.csv:2"):
        read_table(path)


def test_a_formula_is_refused_with_its_cell_and_blank_rows_are_skipped(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    for row in (["id", "n"], [None, None], ["a", "=1+1"]):
        book.active.append(row)
    book.save(tmp_path / "t.xlsx")
    with pytest.raises(DataError, match="B3"):
        read_table(tmp_path / "t.xlsx")


def test_the_columns_of_a_workbook_are_as_wide_as_what_they_hold(tmp_path: Path) -> None:
    rows = [{"id": "a", "text": "x" * 50, "note": "y" * 500}, {"id": "b", "text": None, "note": None}]
    write_table(tmp_path / "t.xlsx", columns=["id", "text", "note"], rows=rows)
    sheet = openpyxl.load_workbook(tmp_path / "t.xlsx").worksheets[0]
    assert [sheet.column_dimensions[letter].width for letter in "ABC"] == [8, 52, 80]


@pytest.mark.parametrize("ending", ["csv", "tsv", "xlsx"])
def test_what_is_written_is_read_back(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"t.{ending}"
    rows = [{"id": "001", "text": 'a "b"; c,\td'}, {"id": "2", "text": "«é»"}]
    write_table(path, columns=["id", "text"], rows=rows)
    assert [dict(row.values) for row in read_table(path)] == rows


@pytest.mark.parametrize(
    ("value", "code", "cell"),
    [
        (datetime.date(2026, 1, 2), "date", "B2"),
        (datetime.time(10, 30), "date", "B2"),
        ("#N/A", "error_value", "B2"),
        (12345678901234567890, "digits", "B2"),
    ],
)
def test_what_a_spreadsheet_changed_is_refused(tmp_path: Path, value: object, code: str, cell: str) -> None:
    book = openpyxl.Workbook()
    for row in (["id", "n"], ["a", value]):
        book.active.append(row)
    book.save(tmp_path / "t.xlsx")
    with pytest.raises(DataError) as caught:
        read_table(tmp_path / "t.xlsx")
    assert [(fault.code, fault.row, fault.column) for fault in caught.value.faults] == [(code, 2, cell)]


def test_nothing_of_a_workbook_is_left_out(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    for row in (["id", "topic"], ["a", "sport"], ["b", None]):
        book.active.append(row)
    book.active.merge_cells("B2:B3")
    book.create_sheet("empty")
    book.create_sheet("more").append(["c", "health"])
    book.save(tmp_path / "t.xlsx")
    with pytest.raises(DataError) as caught:
        read_table(tmp_path / "t.xlsx")
    assert [(fault.code, fault.column) for fault in caught.value.faults] == [
        ("sheets", "more"),
        ("merged", "B2:B3"),
    ]


def test_numbers_and_truth_are_as_they_stand_on_the_screen(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    for row in (["a", "b", "c"], [7, 0.5, True]):
        book.active.append(row)
    book.save(tmp_path / "t.xlsx")
    assert [dict(row.values) for row in read_table(tmp_path / "t.xlsx")] == [
        {"a": "7", "b": "0.5", "c": "TRUE"}
    ]


def test_a_damaged_workbook_is_a_fault(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    for row in range(50):
        book.active.append([f"text {row}", row])
    book.save(tmp_path / "t.xlsx")
    whole = (tmp_path / "t.xlsx").read_bytes()
    for at in range(0, len(whole) - 40, 61):
        (tmp_path / "t.xlsx").write_bytes(whole[:at] + bytes(40) + whole[at + 40 :])
        with suppress(DataError):
            read_table(tmp_path / "t.xlsx")


@pytest.mark.parametrize("ending", ["csv", "tsv"])
def test_a_long_text_is_read(tmp_path: Path, ending: str) -> None:
    text = "palabra " * 100_000
    write_table(tmp_path / f"t.{ending}", columns=["text"], rows=[{"text": text}])
    assert [row["text"] for row in read_table(tmp_path / f"t.{ending}")] == [text]
