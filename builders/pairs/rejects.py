"""A sample of the hits that made no pair: the same one however a shard is read."""

from __future__ import annotations

from probeta.builders.pairs.records import Reject, number

#: Rejects kept a reason and shard, the ones with the lowest draw.
REJECTS_KEPT = 20


class RejectSample:
    """Keeps the rejects of each reason that have the lowest draws, keyed by where they stand."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._kept: dict[str, list[Reject]] = {}

    def keep(self, reject: Reject) -> None:
        """Draw for a reject and hold it while it may be among the lowest of its reason."""
        place = f"{reject.paragraph}.{reject.sentence}"
        draw = number(str(self._seed), reject.reason, reject.corpus, reject.document, place)
        kept = self._kept.setdefault(reject.reason, [])
        kept.append(reject._replace(draw=draw))
        if len(kept) >= 4 * REJECTS_KEPT:
            kept.sort(key=lambda one: one.draw)
            del kept[REJECTS_KEPT:]

    def sampled(self) -> list[Reject]:
        """The rejects kept of each reason, in the order of reasons and draws."""
        return [
            reject
            for reason in sorted(self._kept)
            for reject in sorted(self._kept[reason], key=lambda one: one.draw)[:REJECTS_KEPT]
        ]
