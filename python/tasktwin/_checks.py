"""What arguments must be, of functions that are written in Python."""

from __future__ import annotations

import math
import numbers
from typing import Any

from ._core import InputError

LONGEST_NS = 1e17  # as long as all tasks of a scenario together may take


def must_be(name: str, value: object, *kinds: type) -> None:
    if not isinstance(value, kinds):
        raise TypeError(f"{name}: must be a {' or a '.join(kind.__name__ for kind in kinds)}, not {type(value).__name__}")


def time_ns(name: str, value: Any) -> float:
    """Of a run: more than 0."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name}: must be a number, not {type(value).__name__}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not 0 < number <= LONGEST_NS:
        raise InputError(f"{name}: is {number}; must be more than 0, at most {LONGEST_NS:.0e}")
    return number


def part_of(name: str, value: Any, key: str, what: str) -> Any:
    """A list in a result of this module; `what` gives such results."""
    must_be(name, value, dict)
    if not isinstance(value.get(key), list) or not all(isinstance(one, dict) for one in value[key]):
        raise InputError(f"{name}: has no {key}; it must be what {what} gives")
    return value[key]
