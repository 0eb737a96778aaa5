"""``lint`` on cards: headers that break, that programs read differently, or that say what is not so."""

from __future__ import annotations

from pathlib import Path

import pytest
from lint_folders import HEADER, codes, folder_of

from probeta.publishing.gates.names import split_faults
from probeta.publishing.lint import lint

CONFIG = HEADER[HEADER.index("configs:") : HEADER.index("dataset_info:")]
NAMES = "          '0': neg\n          '1': pos\n"


@pytest.mark.parametrize(
    ("before", "after", "code", "place"),
    [
        # Table 1.3 of the notes: what the Hub's library takes, or only the Hub itself refuses.
        ("license: cc-by-4.0", "license: cc-by-4.0: really", "yaml_syntax", None),
        ("license: cc-by-4.0", "license:\n\t- cc-by-4.0", "yaml_syntax", None),
        (HEADER, "- a\n- list\n", "header_mapping", None),
        ("license: cc-by-4.0", "license: cc-by-five", "licence", "license"),
        ("license: cc-by-4.0", "licence: cc-by-4.0", "unknown_key", "licence"),
        ("license: cc-by-4.0", "license: other", "licence_other", "license"),
        ("language: [es]", "language: [Spanish]", "language", "language[0]"),
        ("language: [es]", "languages: [es]", "unknown_key", "languages"),
        ("language: [es]", "language: [no]", "text_boolean", "language[0]"),
        ("n<1K", "lots", "vocabulary", "size_categories[0]"),
        ("n<1K", "1M<n<10M", "size", "size_categories"),
        ("license:", "task_categories: [structure-prediction]\nlicense:", "vocabulary", "task_categories[0]"),
        ("license:", "task_ids: [nli]\nlicense:", "vocabulary", "task_ids[0]"),
        ("license: cc-by-4.0", "license: cc-by-4.0\nlicense: mit", "yaml_doubled_key", "license"),
        ("language: [es]", "tags: !!python/tuple [a]", "yaml_tag", "tags"),
        (CONFIG, "configs: {default: data}\n", "configs", "configs"),
        ("- config_name: default\n  data_files:", "- data_files:", "config_name", "configs[0]"),
        ("config_name: default", "config_name: 2024", "config_name", "configs[0].config_name"),
        ("config_name: default", "config_name: no", "config_name", "configs[0].config_name"),
        ("split: train", "split: train es", "split_name", "configs[0].data_files[0].split"),
        (
            "  data_files:\n  - split: train\n    path: data/train-*\n",
            "  data_files:\n    train: data/train-*\n",
            "data_files",
            "configs[0].data_files",
        ),
        ("config_name: default", "config_name: a/b", "config_name", "configs[0].config_name"),
        ("split: train", "split: train-es", "split_name", "configs[0].data_files[0].split"),
        ("split: train", "split: all", "split_name", "configs[0].data_files[0].split"),
        (
            "    path: data/train-*",
            "    path: data/train-*\n    paths: x",
            "data_files",
            "configs[0].data_files[0].paths",
        ),
        (CONFIG, CONFIG + CONFIG.removeprefix("configs:\n"), "config_doubled", "configs"),
        (
            CONFIG,
            CONFIG
            + CONFIG.removeprefix("configs:\n").replace("default", "b")
            + "  default: true\n- config_name: c\n  default: true\n",
            "config_default",
            "configs",
        ),
        (
            "    path: data/train-*",
            "    path: data/train-*\n  - split: train\n    path: data/*",
            "split_doubled",
            None,
        ),
        ("path: data/train-*", "path: data/training-*", "file_missing", None),
        ("dtype: string", "dtype: strin", "dataset_info", None),
        (NAMES, NAMES.replace("'1'", "'2'"), "label_ids", None),
        (NAMES, NAMES.replace("pos", "no"), "label_name", None),
        (NAMES, NAMES.replace("pos", "neg"), "label_doubled", None),
        (NAMES, "          '0': pos\n          '1': neg\n", "info_type", None),
        (NAMES, "          '0': neg\n", "info_type", None),
        ("    dtype:\n      class_label:\n        names:\n" + NAMES, "    dtype: int64\n", "info_type", None),
        ("  - name: text\n", "  - name: body\n", "info_column", None),
        ("  - name: text\n    dtype: string\n", "", "info_column", None),
        ("num_examples: 2", "num_examples: 3", "info_rows", None),
        ("  - name: train\n", "  - name: train\n    num_examples: 2\n  - name: test\n", "info_split", None),
        ("license:", "extra_gated_fields: {Name: word}\nlicense:", "gating", "extra_gated_fields.Name"),
    ],
)
def test_damaged_headers(tmp_path: Path, before: str, after: str, code: str, place: str | None) -> None:
    assert before in HEADER
    linted = lint(folder_of(tmp_path, HEADER.replace(before, after, 1)))
    found = [fault for fault in linted.faults if fault.code == code]
    assert found, [str(fault) for fault in linted.faults]
    assert found[0].file == "README.md" and isinstance(found[0].row, int)
    if place:
        assert found[0].column == place


@pytest.mark.parametrize("split", ["validación", "test.es", "train_2"])
def test_names_of_splits_that_are_fine(split: str) -> None:
    assert list(split_faults("a", split)) == []


@pytest.mark.parametrize(
    ("text", "row", "message"),
    [
        ("---\nlicense: mit\n# Title\n", 1, "the header does not end"),
        ("# Title\n---\nlicense: mit\n---\n", 2, "the header is not the first thing in the card"),
        ("", 1, "the card has no YAML header"),
    ],
)
def test_headers_that_are_not_where_they_should_be(tmp_path: Path, text: str, row: int, message: str) -> None:
    fault = lint(folder_of(tmp_path, text.encode())).faults[0]
    assert (fault.code, fault.row, fault.message) == ("card_header", row, message)


def test_a_card_under_another_name_is_named(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    (folder / "README.md").rename(folder / "Readme.md")
    fault = lint(folder).faults[0]
    assert (fault.code, fault.found) == ("card_missing", "Readme.md")


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (None, "card_missing"),
        (b"# No header\n", "card_header"),
        (b"\xef\xbb\xbf---\nlicense: mit\n---\n", "card_bom"),
        ("---\nlicense: mit\npretty_name: España\n---\n".encode("latin-1"), "card_encoding"),
    ],
)
def test_cards_that_programs_read_differently(tmp_path: Path, data: bytes | None, code: str) -> None:
    assert code in codes(lint(folder_of(tmp_path, data)))


def test_line_ends_of_windows_are_read(tmp_path: Path) -> None:
    assert list(lint(folder_of(tmp_path, f"---\n{HEADER}---\n".replace("\n", "\r\n").encode())).faults) == []


def test_a_card_alone(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("---\nlicence: mit\nlanguage: [xx-none]\n---\n", encoding="utf-8")
    linted = lint(tmp_path / "README.md")
    assert [(fault.code, fault.row) for fault in linted.faults] == [("unknown_key", 2), ("language", 3)]
    assert linted.faults[0].fix == "write license"
