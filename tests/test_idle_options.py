"""An option that cannot have an effect is a wrong use that names it: never ignored."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

from probeta.cli.common import run
from probeta.formats import FORMATS, ReadOptions, WriteOptions

LINE = '{"id": "a", "text": "Un pie", "spans": [{"start": 3, "end": 6, "label": "ENG"}]}\n'
SHOUT = """
from probeta.builders.spans.perturbation import Perturbation

class Shout(Perturbation):
    name = "shout"

    def edits(self, sentence, *, value, seed):
        return []
"""


def exit_code(command: str) -> int:
    name, *arguments = command.split()
    with pytest.raises(SystemExit) as ended:
        run(
            importlib.import_module(f"probeta.cli.{name}").app, arguments=arguments, program=f"probeta {name}"
        )
    assert isinstance(ended.value.code, int)
    return ended.value.code


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in.jsonl").write_text(LINE)
    (tmp_path / "in.conll").write_text("Un\tO\npie\tB-ENG\n")
    (tmp_path / "shout.py").write_text(SHOUT)
    return tmp_path


IDLE = [
    ("convert in.jsonl out.csv --tag-column 3", "IN is jsonl: --tag-column concerns conll"),
    ("convert in.jsonl out.csv --split test", "IN is jsonl: --split concerns folder"),
    ("convert in.conll out.csv --ambiguous first", "IN is conll: --ambiguous concerns adobo"),
    ("convert in.conll out.csv --span-keys drop", "--span-keys concerns jsonl and parquet and folder"),
    ("convert in.conll out.jsonl --out-scheme BILOU", "OUT is jsonl: --out-scheme concerns conll"),
    ("convert in.conll out.jsonl --language de", "OUT is jsonl: --language concerns conll and docbin"),
    ("convert in.conll out.csv --out-regions predictions", "--out-regions concerns label_studio"),
    ("perturb in.jsonl --out out.jsonl --scheme BILOU", "IN is jsonl: --scheme concerns conll"),
    ("perturb in.jsonl --out out.jsonl --language de", "OUT is jsonl: --language concerns conll and docbin"),
    ("perturb in.jsonl --show 1 --to conll", "--show writes nothing"),
    ("perturb in.jsonl --show 1 --replace", "--show writes nothing"),
    ("perturb in.jsonl --out out.jsonl --seed 3", "--seed concerns operations that draw"),
    ("perturb in.jsonl --out out.jsonl --operation double_whitespace --seed 3", "--seed concerns operations"),
    ("perturb in.jsonl --out out.jsonl --plugin shout.py", "--plugin: shout is never asked for"),
    (
        "perturb in.jsonl --out out.jsonl --casing upper --title-rest lower",
        "title_rest concerns casing title or span_title: no such configuration is written",
    ),
    ("perturb in.jsonl --out out.jsonl --casing title --span-words first", "span_words concerns casing"),
    ("perturb in.jsonl --out out.jsonl --quotes without --quote-style straight", "quote_style concerns quotes"),
    ("perturb in.jsonl --out out.jsonl --casing standard --locale tr", "locale concerns casing"),
    (
        "perturb in.jsonl --out out.jsonl --operation double_whitespace --hyphens every",
        "hyphens concerns casing",
    ),
    ("attributes in.jsonl --invalid discard", "IN is jsonl: --invalid concerns conll"),
    ("attributes in.jsonl --no-spelling --spelling lenient", "cannot stand together"),
    ("new mine --from histnero --xlsx", "has no tables"),
]  # fmt: skip


@pytest.mark.parametrize(("command", "message"), IDLE, ids=[command for command, _ in IDLE])
def test_an_option_without_effect_is_named(
    here: Path, capsys: pytest.CaptureFixture[str], command: str, message: str
) -> None:
    assert exit_code(command) == 2
    assert message in capsys.readouterr().err
    assert not [path for path in here.iterdir() if re.match(r"\.?(out|mine)", path.name)]


WORKS = [
    "convert in.conll out.jsonl --tag-column 1",
    "convert in.conll out.conll --out-scheme BILOU --language de",
    "perturb in.jsonl --out out.conll --language de",
    "perturb in.jsonl --out out.jsonl --operation keyboard_typo --seed 3",
    "perturb in.jsonl --out out.jsonl --operation shout --plugin shout.py",
    "perturb in.jsonl --out out.jsonl --casing span_title --span-words first --quotes without",
    "attributes in.jsonl --no-ambiguity --no-spelling",
]


@pytest.mark.parametrize("command", WORKS)
@pytest.mark.usefixtures("here")
def test_the_same_option_where_it_has_one_is_taken(command: str) -> None:
    assert exit_code(command) == 0


def test_every_option_of_a_format_is_one_of_the_options() -> None:
    for name, known in FORMATS.items():
        assert set(known.reading) <= set(ReadOptions.__dataclass_fields__), name
        assert set(known.writing) <= set(WriteOptions.__dataclass_fields__), name
    # No command offers the other two.
    offered = {option for known in FORMATS.values() for option in known.reading}
    assert set(ReadOptions.__dataclass_fields__) - offered == {"texts", "keep_tokens"}
