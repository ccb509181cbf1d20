"""Between which times a measurement lies, by the errors of the recordings; docs/intervals.md."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from ._checks import must_be, time_ns
from ._core import Design, InputError

_LEVEL = 0.95
_CONFIDENCE = 0.95


class ErrorRecord(NamedTuple):
    """A prediction and what was measured."""

    machine: str
    scenario: str
    design: str
    mechanism: str
    predicted_ns: int
    measured_ns: int

    @property
    def error(self) -> float:
        """Logarithm of measured over predicted."""
        return math.log(self.measured_ns / self.predicted_ns)


class Interval(NamedTuple):
    """Where 95 % of measurements lie. `cases`: so many recordings of this mechanism; 0 where none are, and the widest is taken."""

    low_ns: float
    high_ns: float
    mechanism: str
    cases: int


def mechanism(axes: dict[str, object]) -> str:
    """What a design's errors are learnt by: its driver, who releases tasks and, of persistent workers, where ready ones wait."""
    parts = [axes["driver"], axes["release"]] + ([axes["ready_queue"]] if axes["driver"] == "persistent" else [])
    return "/".join(map(str, parts))


def tolerance_bound(values: Iterable[float], level: float = _LEVEL, confidence: float = _CONFIDENCE) -> float:
    """The least of `values` below which, with that confidence, a share `level` of all such values lies; the largest where they are too few.

    S. S. Wilks 1941: the k-th smallest, where of n draws fewer than k lie in the lowest `level` with probability `confidence`.
    """
    ordered = sorted(values)
    n = len(ordered)
    below = 0.0
    for k in range(n):
        log_of = math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1) + k * math.log(level) + (n - k) * math.log1p(-level)
        below += math.exp(log_of)
        if below >= confidence:
            return ordered[k]
    return ordered[-1]


class ErrorIntervals:
    """Half-widths by mechanism, learnt from `records`."""

    def __init__(self, records: Iterable[ErrorRecord]) -> None:
        by_mechanism: dict[str, list[float]] = {}
        for record in records:
            by_mechanism.setdefault(record.mechanism, []).append(abs(record.error))
        if not by_mechanism:
            raise InputError("records: are empty; at least one is needed")
        self.learnt = {name: (tolerance_bound(errors), len(errors)) for name, errors in by_mechanism.items()}
        self._widest = max(bound for bound, _ in self.learnt.values())

    def half_width(self, of: str) -> tuple[float, int]:
        """Of the logarithm, and from how many records."""
        return self.learnt.get(of, (self._widest, 0))

    def interval(self, design: Design, makespan_ns: float) -> Interval:
        must_be("design", design, Design)
        makespan_ns = time_ns("makespan_ns", makespan_ns)
        of = mechanism(design.axes)
        half, cases = self.half_width(of)
        return Interval(makespan_ns * math.exp(-half), makespan_ns * math.exp(half), of, cases)


def read_errors() -> list[ErrorRecord]:
    """The errors of the shipped recordings."""
    with open(Path(__file__).parent / "errors.csv", newline="") as file:
        return [
            ErrorRecord(row["machine"], row["scenario"], row["design"], row["mechanism"], int(row["predicted_ns"]), int(row["measured_ns"]))
            for row in csv.DictReader(file)
        ]


_shipped: ErrorIntervals | None = None


def shipped_intervals() -> ErrorIntervals:
    global _shipped
    if _shipped is None:
        _shipped = ErrorIntervals(read_errors())
    return _shipped


def interval(design: Design, makespan_ns: float) -> Interval:
    """Between which times 95 % of measurements of such a prediction lie, learnt from the shipped recordings."""
    return shipped_intervals().interval(design, makespan_ns)


def measure_me(candidates: Sequence[tuple[Design, float]], most: int = 10) -> list[int]:
    """Which of the (design, predicted makespan) to measure, in which order, to find the fastest: at most `most` positions.

    Candidates are open while their interval begins below where the interval of another ends; of those the shortest prediction goes first.
    One position alone means that the ranking is closed.
    """
    must_be("most", most, int)
    if most < 1:
        raise InputError(f"most: is {most}; must be at least 1")
    pairs = list(candidates)
    for i, pair in enumerate(pairs):
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise TypeError(f"candidates[{i}]: must be a pair: a Design and its makespan_ns")
    intervals = [interval(design, makespan) for design, makespan in pairs]
    if not intervals:
        raise InputError("candidates: are empty; at least one is needed")
    least_end = min(one.high_ns for one in intervals)
    open_ones = [i for i, one in enumerate(intervals) if one.low_ns <= least_end]
    return sorted(open_ones, key=lambda i: pairs[i][1])[:most]
