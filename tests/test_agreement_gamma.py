"""gamma through pygamma-agreement: an extra, in CI in an environment of its own (see .ci/run).

Run by hand: ``python -m venv G && G/bin/pip install 'probeta[gamma]' pytest hypothesis`` and
``G/bin/python -m pytest -m gamma``.
"""

from __future__ import annotations

import numpy as np
import pytest

from probeta.errors import PrerequisiteError
from probeta.validation.agreement import gamma as module
from probeta.validation.agreement.intervals import Interval
from probeta.validation.agreement.spansets import SpanAnswers, from_answers

try:
    module._library()
    there = True
except PrerequisiteError:
    there = False

needs_pygamma = [
    pytest.mark.gamma,
    pytest.mark.skipif(not there, reason="pygamma-agreement is not installed (the extra 'gamma')"),
]


def marked(*documents: dict[str, list[tuple[int, int, str]]]) -> SpanAnswers:
    return from_answers(
        {
            (str(number), rater): spans
            for number, document in enumerate(documents)
            for rater, spans in document.items()
        }
    )


@pytest.mark.skipif(there, reason="pygamma-agreement is installed")
def test_the_missing_extra_is_one_sentence() -> None:
    with pytest.raises(PrerequisiteError, match=r"pip install --editable '\.\[gamma\]'"):
        module.gamma(marked({"a": [(0, 3, "X")], "b": [(0, 3, "X")]}))


class TestGamma:
    pytestmark = needs_pygamma

    def test_perfect_agreement(self) -> None:
        spans = [(0, 4, "X"), (10, 17, "Y"), (20, 22, "X")]
        found = module.gamma(marked({"a": spans, "b": spans}), samples=10, seeds=2)
        assert found["value"] == pytest.approx(1)
        assert found["reason"] is None

    def test_seeded_and_the_global_generator_untouched(self, capfd: pytest.CaptureFixture[str]) -> None:
        answers = marked(
            {"a": [(0, 8, "X"), (14, 20, "X")], "b": [(2, 6, "X"), (15, 17, "X")]},
            {"a": [(3, 9, "X")], "b": [(3, 9, "Y")]},
        )
        np.random.seed(7)
        before = np.random.get_state()[1].tolist()
        first = module.gamma(answers, seed=1, samples=10, seeds=3)
        assert np.random.get_state()[1].tolist() == before
        assert module.gamma(answers, seed=1, samples=10, seeds=3) == first
        assert first["minimum"] <= first["value"] <= first["maximum"] < 1
        assert first["items"] == 2
        # The solver's output is silenced: stdout stays one JSON object.
        assert capfd.readouterr().out == ""

    def test_interval_over_documents(self) -> None:
        same, apart = [(0, 4, "X"), (10, 17, "X")], [(5, 9, "X"), (20, 24, "X")]
        documents = [{"a": same, "b": same if number % 2 else apart} for number in range(6)]
        interval = Interval(resamples=100)
        found = module.gamma(marked(*documents), samples=10, seeds=2, interval=interval)
        assert found["low"] < found["value"] < found["high"] <= 1
        assert found["interval_reason"] is None
        # Half of the documents agree wholly, so that other documents move the value more than other seeds.
        assert found["high"] - found["low"] > found["maximum"] - found["minimum"]
        one = module.gamma(marked(documents[0]), samples=10, seeds=1, interval=interval)
        assert (one["low"], one["interval_reason"]) == (None, "one_item")
        assert module.gamma(marked(*documents), samples=10, seeds=1)["interval_reason"] == "not_requested"

    def test_documents_without_spans(self) -> None:
        one_empty = module.gamma(marked({"a": [(0, 3, "X")], "b": []}), samples=10, seeds=1)
        assert one_empty["value"] <= 0
        assert module.gamma(marked({"a": [], "b": []}), samples=10)["reason"] == "no_spans"
        assert module.gamma(marked({"a": [(0, 3, "X")]}), samples=10)["reason"] == "one_rater"
