"""Words that agree with a lexicon entry: articles, adjectives, participles.

The table has a column ``word`` and one for each combination of features that the recipe declares (by
default ``ms fs mp fp``: gender and number). A word takes the gender of the entry and the number of the form.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from probeta.builders.spans.lexicon import NO_FORM
from probeta.errors import DataError, Fault, nearest
from probeta.recipe.schema import Agreement as Declaration
from probeta.recipe.schema import SpanRecipe
from probeta.tables import read_table

#: Between the forms of a word that a template gives in place.
IN_PLACE = "|"


@dataclass(frozen=True, slots=True)
class Agreement:
    """The columns with their features, and the words of the table."""

    columns: Mapping[str, Mapping[str, str]]
    words: Mapping[str, Mapping[str, str]]

    def form(self, word: str, features: Mapping[str, object]) -> str:
        """The form of ``word`` for an entry's form with ``features``; ``-`` where it has none.

        ``word`` is looked up in the table; with ``|`` in it, it is its own forms in the columns' order.
        Raises a DataError where the word is unknown or no column fits the features.
        """
        forms = self.forms(word)
        for column, needed in self.columns.items():
            if all(features.get(name) == value for name, value in needed.items()):
                return forms[column]
        names = sorted({name for needed in self.columns.values() for name in needed})
        raise DataError(
            Fault(
                code="agreement_features",
                message=f"{word} cannot agree",
                expected=" or ".join(
                    ", ".join(f"{name} {value}" for name, value in needed.items())
                    for needed in self.columns.values()
                ),
                found=", ".join(f"{name} {features.get(name) or 'not given'}" for name in names),
            )
        )

    def forms(self, word: str) -> Mapping[str, str]:
        """Every form of ``word`` by column."""
        if IN_PLACE in word:
            given = [form.strip() for form in word.split(IN_PLACE)]
            if len(given) != len(self.columns) or not all(given):
                raise DataError(
                    Fault(
                        code="agreement_forms",
                        message="the forms given in place do not fill the columns",
                        expected=f"{len(self.columns)} forms ({', '.join(self.columns)})",
                        found=word,
                    )
                )
            return dict(zip(self.columns, given, strict=True))
        if word not in self.words:
            hint = nearest(word, self.words)
            raise DataError(
                Fault(
                    code="agreement_word",
                    message=f"the agreement table has no word {word}",
                    found="no table" if not self.words else None,
                    fix=f"did you mean {hint}?" if hint else f"give its forms in place, with {IN_PLACE}",
                )
            )
        return self.words[word]


def read_agreement(recipe: SpanRecipe) -> Agreement:
    """The agreement table of ``recipe``; without one, only forms given in place can agree."""
    if recipe.agreement is None:
        return Agreement(Declaration(file="-").columns, {})
    columns = recipe.agreement.columns
    file = recipe.shown(recipe.agreement.file)
    table = read_table(recipe.path(recipe.agreement.file), required=["word", *columns], name=file)
    words: dict[str, Mapping[str, str]] = {}
    faults = []
    for row in table:
        word = row["word"].strip()
        if not word or word in words:
            faults.append(
                Fault(
                    code="doubled_id" if word else "empty_cell",
                    message=f"the word {word} stands twice" if word else "the word is empty",
                    file=file,
                    row=row.line,
                    column="word",
                )
            )
        words[word] = {column: row[column].strip() for column in columns}
        faults += [
            Fault(
                code="empty_cell",
                message=f"{word} has no form here",
                expected=f"a form, or {NO_FORM} where there is none",
                file=file,
                row=row.line,
                column=column,
            )
            for column in columns
            if not words[word][column]
        ]
    if faults:
        raise DataError(faults)
    return Agreement(columns, words)
