"""The one table reader: CSV, TSV and XLSX into rows of text that remember their line.

Nothing is guessed: every cell is text as written (``001`` stays ``001``, ``NA`` stays ``NA``), a file
that is not UTF-8 is refused with the way out, a formula is refused with its cell. Blank rows are
skipped; a byte order mark, semicolons and tabs are understood.
"""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from probeta import atomic
from probeta.errors import DataError, Fault, UsageError, nearest

_DELIMITERS = ",;\t"

#: From here on a spreadsheet rounds whole numbers, and so ids.
_DIGITS = 10**15

# A text may be long; csv's own limit of 128 KiB holds for the whole process. The most that C's long takes.
csv.field_size_limit(2**31 - 1)


@dataclass(frozen=True, slots=True)
class Row:
    """One data row: ``line`` is where it starts in the file (the header is line 1), values by column."""

    line: int
    values: Mapping[str, str]

    def __getitem__(self, column: str) -> str:
        return self.values[column]

    def get(self, column: str, default: str = "") -> str:
        """The cell's text, or ``default`` where the table has no such column."""
        return self.values.get(column, default)


@dataclass(frozen=True, slots=True)
class Table:
    """A header and its rows; ``file`` is the name that faults show."""

    file: str
    columns: Sequence[str]
    rows: Sequence[Row]

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)


def decode_utf8(data: bytes, *, file: str) -> str:
    """The text of a UTF-8 file, byte order mark dropped; a DataError names a likely other encoding."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise DataError(
            Fault(
                code="encoding",
                message="the file is not UTF-8",
                file=file,
                row=line,
                expected="UTF-8",
                found=f"byte 0x{data[error.start]:02X}, {_likely(data)}",
                fix="save it as UTF-8 (in a spreadsheet: 'CSV UTF-8')",
            )
        ) from None


def _likely(data: bytes) -> str:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "which looks like UTF-16"
    import charset_normalizer

    best = charset_normalizer.from_bytes(
        data, cp_isolation=["latin_1", "cp1252", "mac_roman", "cp850", "utf_16"]
    ).best()
    return f"which looks like {best.encoding}" if best else "of an unknown encoding"


def read_table(path: Path, *, required: Sequence[str] = (), name: str | None = None) -> Table:
    """Read ``path`` (.csv, .tsv or .xlsx) whole; ``required`` columns must be there.

    Raises a DataError with every fault found: a missing or doubled column, a row longer than the header,
    an unclosed quotation, a formula. ``name`` is the file's name in messages.
    """
    file = name or str(path)
    if not path.is_file():
        raise UsageError(f"no such file: {file}")
    if path.suffix.lower() == ".xlsx":
        lines = _xlsx_rows(path, file)
    elif path.suffix.lower() in (".csv", ".tsv"):
        lines = _csv_rows(decode_utf8(path.read_bytes(), file=file), file)
    else:
        raise UsageError(f"{file}: expected a table that ends in .csv, .tsv or .xlsx")
    return _table(lines, file, required)


def _csv_rows(text: str, file: str) -> list[tuple[int, list[str]]]:
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        raise DataError(Fault(code="nul", message="the file holds a NUL character", file=file, row=line))
    header = text.split("\n", 1)[0]
    delimiter = max(_DELIMITERS, key=lambda mark: (header.count(mark), -_DELIMITERS.index(mark)))
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows = []
    line = 1
    try:
        for cells in reader:
            rows.append((line, cells))
            line = reader.line_num + 1
    except csv.Error as error:
        raise DataError(
            Fault(
                code="csv_syntax",
                message=f"the row cannot be read: {error}",
                file=file,
                row=line,
                fix='a quotation mark inside a quoted cell is doubled: ""',
            )
        ) from None
    return rows


def _xlsx_rows(path: Path, file: str) -> list[tuple[int, list[str]]]:
    import openpyxl

    try:
        sheet, *others = openpyxl.load_workbook(path, data_only=False).worksheets
    except Exception as error:
        # A damaged workbook fails anywhere in the archive, its XML or what openpyxl makes of it.
        raise DataError(
            Fault(code="xlsx", message=f"the workbook cannot be read: {error}", file=file)
        ) from None

    def fault(code: str, message: str, at: str, *, row: int | None = None, **details: str) -> Fault:
        return Fault(code=code, message=message, file=file, row=row, column=at, **details)

    # What a table of text cannot hold is told, never guessed and never left out.
    faults = [
        fault(
            "sheets", "a further sheet holds data", other.title, expected="one sheet", fix="move it to a file"
        )
        for other in others
        if any(cell is not None for row in other.iter_rows(values_only=True) for cell in row)
    ]
    faults += [
        fault("merged", "the cells are merged", merged.coord, row=merged.min_row, fix="unmerge and fill them")
        for merged in sheet.merged_cells.ranges
    ]
    rows = []
    for line, cells in enumerate(sheet.iter_rows(), start=1):
        for cell in cells:
            if found := _not_text(cell):
                code, message, fix = found
                faults.append(fault(code, message, cell.coordinate, row=line, expected="a value", fix=fix))
        rows.append((line, [_cell_text(cell.value) for cell in cells]))
    if faults:
        raise DataError(faults)
    return rows


def _not_text(cell: Any) -> tuple[str, str, str] | None:
    """The code, message and fix for a cell whose content is not what stands on the screen."""
    if cell.data_type == "f":
        return "formula", "the cell holds a formula", "paste it as a value"
    if cell.data_type == "e":
        return "error_value", f"the cell holds the error {cell.value}", "write what is meant"
    as_text = "format the cell as text and type it again"
    if cell.data_type == "d":
        return "date", "the spreadsheet made a date of the cell", as_text
    if cell.data_type == "n" and cell.value is not None and abs(cell.value) >= _DIGITS:
        return "digits", "the spreadsheet keeps 15 digits of a number", as_text
    return None


def _cell_text(value: object) -> str:
    if isinstance(value, bool):
        return str(value).upper()
    return "" if value is None else str(value)


def _table(lines: Sequence[tuple[int, list[str]]], file: str, required: Sequence[str]) -> Table:
    filled = [(line, cells) for line, cells in lines if any(cell.strip() for cell in cells)]
    if not filled:
        raise DataError(
            Fault(code="empty_table", message="the table is empty", file=file, expected="a header")
        )
    header = [cell.strip() for cell in filled[0][1]]
    while header and not header[-1]:
        header.pop()
    faults = [
        Fault(
            code="column",
            message="a column has no name" if not column else "a column stands twice",
            file=file,
            row=filled[0][0],
            column=column or f"number {position + 1}",
            fix=None if column else "give it a name, or remove it: the index of a data frame has none",
        )
        for position, column in enumerate(header)
        if not column or column in header[:position]
    ]
    faults += _missing(header, required, file, filled[0][0])
    rows = []
    for line, cells in filled[1:]:
        if any(cell.strip() for cell in cells[len(header) :]):
            faults.append(
                Fault(
                    code="row_length",
                    message="the row has more cells than the header",
                    file=file,
                    row=line,
                    expected=f"{len(header)} cells",
                    found=str(len(cells)),
                    fix="put quotation marks around a cell that holds the separator",
                )
            )
        padded = cells + [""] * (len(header) - len(cells))
        rows.append(Row(line, dict(zip(header, padded, strict=False))))
    if faults:
        raise DataError(faults)
    return Table(file, header, rows)


def column_faults(table: Table, required: Iterable[str]) -> list[Fault]:
    """A fault for each of the ``required`` columns that the table does not have."""
    return _missing(table.columns, required, table.file, 1)


def _missing(columns: Sequence[str], required: Iterable[str], file: str, line: int) -> list[Fault]:
    faults = []
    for column in required:
        if column not in columns:
            hint = nearest(column, columns)
            faults.append(
                Fault(
                    code="missing_column",
                    message="a column is missing",
                    file=file,
                    row=line,
                    column=column,
                    found=f"{hint}, perhaps meant" if hint else ", ".join(columns),
                )
            )
    return faults


def _text_cell(sheet: Any, text: str) -> Any:
    """A cell that stays text, though it may begin with an equals sign or look like a date."""
    from openpyxl.cell import WriteOnlyCell

    cell = WriteOnlyCell(sheet, text)
    cell.data_type = "s"
    return cell


def _number_cell(sheet: Any, text: str) -> Any:
    """A number that is written again as ``text``; anything else stays text."""
    for kind in (int, float):
        try:
            value = kind(text)
        except ValueError:
            continue
        if str(value) == text and value - value == 0:
            return value
    return _text_cell(sheet, text)


def _widths(lines: Sequence[Sequence[str]]) -> list[int]:
    """How many characters wide each column is: all of its cells can be read, but for very long texts."""
    return [min(80, max(8, 2 + max(map(len, column)))) for column in zip(*lines, strict=True)]


def _without_times(path: Path) -> None:
    """Write a workbook again without the time at which it was made, which its properties and its ZIP have."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    stamp = re.compile(rb"(<dcterms:(?:created|modified)[^>]*>)[^<]*")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            if name == "docProps/core.xml":
                data = stamp.sub(rb"\g<1>1980-01-01T00:00:00Z", data)
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)


def write_table(
    path: Path,
    *,
    columns: Sequence[str],
    rows: Iterable[Mapping[str, object]],
    numbers: Collection[str] = (),
) -> None:
    """Write .csv, .tsv or .xlsx, whole or not at all, the same bytes each time; None becomes an empty cell.

    Cells of a workbook are text, but for those of the columns ``numbers`` that are one and are read back as
    they were written.
    """

    def cells(row: Mapping[str, object]) -> list[str]:
        return ["" if row.get(column) is None else str(row[column]) for column in columns]

    with atomic.file(path) as temporary:
        if path.suffix.lower() == ".xlsx":
            import openpyxl
            from openpyxl.utils import get_column_letter

            book = openpyxl.Workbook(write_only=True)
            sheet = book.create_sheet(path.stem[:31])
            lines = list(map(cells, rows))
            for number, width in enumerate(_widths([columns, *lines]), start=1):
                sheet.column_dimensions[get_column_letter(number)].width = width
            sheet.append([_text_cell(sheet, column) for column in columns])
            for values in lines:
                sheet.append(
                    [
                        _number_cell(sheet, value) if column in numbers else _text_cell(sheet, value)
                        for column, value in zip(columns, values, strict=True)
                    ]
                )
            book.save(temporary)
            _without_times(temporary)
            return
        delimiter = "\t" if path.suffix.lower() == ".tsv" else ","
        with temporary.open("w", encoding="utf-8", newline="") as handle:
            writer = csv.writer(handle, delimiter=delimiter, lineterminator="\n")
            writer.writerow(columns)
            writer.writerows(cells(row) for row in rows)
