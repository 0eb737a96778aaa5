"""Perturbations of one's own: from a file, from an installed package; wrong ones are told."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from probeta.builders.spans import perturbation
from probeta.builders.spans.perturb import perturbed
from probeta.builders.spans.registry import BUILT_IN, Registry
from probeta.errors import DataError, UsageError
from probeta.records import Sentence, Span

BASE = Sentence("b1", "Hay pie. Sí.", (Span(4, 7, "ENG"),))

HEADER = """
    from collections.abc import Sequence
    from probeta.builders.spans.perturbation import Perturbation
    from probeta.offsets import Edit
"""


def plugin(folder: Path, body: str, *, name: str = "mine.py") -> Path:
    path = folder / name
    path.write_text(textwrap.dedent(HEADER) + textwrap.dedent(body), encoding="utf-8")
    return path


@pytest.fixture
def documented(tmp_path: Path) -> Path:
    """The example of the module's docstring, as a file."""
    text = (perturbation.__doc__ or "").split("::\n", 1)[1]
    path = tmp_path / "shout.py"
    path.write_text(textwrap.dedent(text), encoding="utf-8")
    return path


def test_the_documented_example_works_as_operation_and_as_dimension(documented: Path) -> None:
    registry = Registry(plugins=[documented])
    (row,) = perturbed([BASE], operations=[registry.parse("shout:marks=2")], registry=registry)
    assert (row.text, row.surfaces()) == ("Hay pie!! Sí!!", ["pie"])
    assert row.attributes["parameters"] == '{"marks":2}'
    rows = list(
        perturbed(
            [BASE],
            grid={"casing": ["lower"], "shout": ["no", "yes"]},
            policies={"marks": "1", "title_rest": "lower"},
            registry=registry,
        )
    )
    assert [(row.id, row.text) for row in rows] == [
        ("b1|lower|no", "hay pie. sí."),
        ("b1|lower|yes", "hay pie! sí!"),
    ]


def test_an_installed_package_offers_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plugin(
        tmp_path,
        """
        class Backwards(Perturbation):
            "The last character is said twice."
            name = "echo"
            def edits(self, sentence, *, value, seed):
                end = len(sentence.text)
                return [Edit(end, end, sentence.text[-1])]
        """,
        name="echo_package.py",
    )
    info = tmp_path / "echo_package-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: echo-package\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[probeta.perturbations]\necho = echo_package:Backwards\n")
    monkeypatch.syspath_prepend(tmp_path)
    registry = Registry()
    assert registry.names() == [*(cls.name for cls in BUILT_IN), "echo"]
    (row,) = perturbed([BASE], operations=[registry.parse("echo")], registry=registry)
    assert row.text == "Hay pie. Sí.."
    (info / "entry_points.txt").write_text("[probeta.perturbations]\necho = echo_package:missing\n")
    with pytest.raises(UsageError, match=r"entry point echo \(echo_package:missing\) cannot be run"):
        Registry().names()


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("", "defines no perturbation"),
        ("import no_such_module", r"cannot be run: ModuleNotFoundError"),
        ("def (", "cannot be run: SyntaxError"),
        ("import sys; sys.exit()", r"cannot be run: SystemExit$"),
        ("import sys; sys.exit('bye')", "cannot be run: SystemExit: bye"),
        ("class A(Perturbation):\n    name = 'a'", "A has no method `edits`"),
        ("class A(Perturbation):\n    def edits(self, s, *, value, seed): return []", "needs a class attribute `name`"),
        ("class A(Perturbation):\n    name = 'casing'\n    def edits(self, s, *, value, seed): return []", "two perturbations are named 'casing'"),
        ("class A(Perturbation):\n    name, values = 'a', ('x',)\n    def edits(self, s, *, value, seed): return []", "needs two values or more"),
    ],
)  # fmt: skip
def test_a_file_that_does_not_do_is_told(tmp_path: Path, body: str, message: str) -> None:
    path = tmp_path / "mine.py"
    path.write_text("from probeta.builders.spans.perturbation import Perturbation\n" + body, encoding="utf-8")
    with pytest.raises(UsageError, match=message):
        Registry(plugins=[path])


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such file"):
        Registry(plugins=[tmp_path / "none.py"])


@pytest.mark.parametrize(
    ("body", "error", "message"),
    [
        ("return [Edit(4, 7, '')]", DataError, "the perturbation mine .yes. loses a span"),
        ("return [Edit(3, 8, 'x')]", DataError, "loses a span"),
        ("return [Edit(9, 12, ''), Edit(0, 3, '')]", UsageError, "out of order"),
        ("return 1 / 0", UsageError, "the perturbation mine fails on 'b1': ZeroDivisionError"),
        ("return 5", UsageError, "fails on 'b1': TypeError"),
    ],
)
def test_edits_that_do_not_do_are_told(
    tmp_path: Path, body: str, error: type[Exception], message: str
) -> None:
    code = (
        f"class A(Perturbation):\n    name = 'mine'\n    def edits(self, s, *, value, seed):\n        {body}"
    )
    registry = Registry(plugins=[plugin(tmp_path, "\n" + code)])
    with pytest.raises(error, match=message):
        list(perturbed([BASE], operations=[registry.parse("mine")], registry=registry))


@pytest.mark.parametrize(
    "variants",
    [
        "[(s.text, ()) for s in versions for v in values]",
        "[]",
        "[(s.text, s.spans) for s in versions for v in values] * 2",
    ],
)
def test_variants_of_one_s_own_must_keep_the_spans(tmp_path: Path, variants: str) -> None:
    code = f"""
class A(Perturbation):
    name = 'mine'
    def edits(self, s, *, value, seed): return []
    def variants(self, versions, *, values, seed): return {variants}
"""
    registry = Registry(plugins=[plugin(tmp_path, code)])
    with pytest.raises(UsageError, match="mine does not keep the spans of 'b1'"):
        list(perturbed([BASE], operations=[registry.parse("mine")], registry=registry))


def test_the_same_operation_twice_would_double_ids() -> None:
    typo = Registry().parse("keyboard_typo")
    with pytest.raises(UsageError, match="asked for twice"):
        perturbed([BASE], operations=[typo, typo])


def test_every_built_in_perturbation_says_what_it_does() -> None:
    for cls in BUILT_IN:
        assert cls.__doc__ and cls.__doc__ != perturbation.Perturbation.__doc__
