"""Is a sentence in the corpus's language? A small n-gram identifier, asked only among likely languages.

py3langid over all its languages takes up to 6 % of Spanish sentences for Galician or Extremaduran; restricted
to the languages that a corpus may really hold it takes 0.2 to 2.3 % for another one. A text is refused only
where its own language is unlikely: with the recipe's bound of 0.2 that is 0 to 0.7 % of Spanish sentences
(novels, clinical cases, encyclopedia articles, 1,500 each), and the most Spanish-looking of 468 composed
Portuguese, Catalan and English sentences reaches 0.11.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache


@lru_cache(maxsize=4)
def identifier(language: str, among: Sequence[str], at_least: float) -> Callable[[str], bool]:
    """A test whether a text may be in ``language``: its probability, among these languages, is ``at_least``."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    model = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    model.set_languages(sorted({language, *among}))

    def may_be(text: str) -> bool:
        # Capitals carry other n-grams: court rulings in capitals read as anything.
        plain = text.lower() if text.isupper() else text
        best, _ = model.classify(plain)
        return bool(best == language or dict(model.rank(plain))[language] >= at_least)

    return may_be
