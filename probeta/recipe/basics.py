"""What the models of every kind of recipe are made of: the base model and the kinds of text."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict
from pydantic_core import PydanticCustomError


class Model(BaseModel):
    """Base of every model: unknown keys are faults, nothing changes after parsing."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def matching(pattern: str, expected: str) -> AfterValidator:
    """A validator of text against ``pattern``; ``expected`` says the pattern in words."""

    def check(text: str) -> str:
        if not re.fullmatch(pattern, text):
            raise PydanticCustomError("expected", "expected {expected}", {"expected": expected})
        return text

    return AfterValidator(check)


def _filled(text: str) -> str:
    if not text.strip():
        raise PydanticCustomError("expected", "expected {expected}", {"expected": "text"})
    return text


#: Text that is not blank.
Text = Annotated[str, AfterValidator(_filled)]
#: A name that other parts of the recipe, templates and columns use.
Name = Annotated[str, matching(r"[a-z][a-z0-9_]*", "lower-case letters, digits and _, a letter first")]
#: A named family of rules or words, with its options: strict, strict+no_ze.
Family = Annotated[
    str, matching(r"[a-z][a-z0-9_]*(?:\+[a-z0-9_]+)*", "a family's name, its options after it with +")
]
LabelName = Annotated[str, matching(r"[A-Za-z][A-Za-z0-9_-]*", "letters, digits, _ and -, a letter first")]
#: The value of an attribute.
Value = Annotated[str, matching(r"[^\s|;]+", "a word without spaces, | and ;")]
#: A file below the recipe's folder.
File = Annotated[
    str, matching(r"(?!/|.*\\|(?:.*/)?\.\.(?:/|$)).+", "a path below the recipe's folder, with /")
]
