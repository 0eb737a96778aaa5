"""The signature line: every choice that moves a number, in one line beside the number.

The form follows sacreBLEU: ``name:value`` parts joined by ``|``, the package version last.
"""

from __future__ import annotations

from collections.abc import Mapping

from probeta import __version__


def signature(parts: Mapping[str, object]) -> str:
    """Join the choices in the given order; None is left out.

    >>> signature({"data": "blas-1.0", "protocol": "strict", "seed": 7}).rsplit("|", 1)[0]
    'data:blas-1.0|protocol:strict|seed:7'
    """
    chosen = [f"{name}:{value}" for name, value in parts.items() if value is not None]
    return "|".join([*chosen, f"version:{__version__}"])
