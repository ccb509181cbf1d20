"""Plots, where matplotlib is."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._checks import must_be, part_of
from ._core import InputError, Simulation, Timeline


def _axes(axes: Any, width: float, height: float) -> Any:
    if axes is not None:
        return axes
    try:
        from matplotlib import pyplot
    except ModuleNotFoundError:
        raise ImportError("plots need matplotlib: pip install matplotlib, or Debian's python3-matplotlib") from None
    return pyplot.subplots(figsize=(width, height), layout="constrained")[1]


def plot_timeline(run: Simulation | Timeline, axes: Any = None) -> Any:
    """A bar for each body, by core. Gives matplotlib's axes."""
    must_be("run", run, Simulation, Timeline)
    timeline = run.timeline if isinstance(run, Simulation) else run
    axes = _axes(axes, 8, 4)
    here = timeline.core >= 0
    start, end = timeline.started_ns[here] / 1000, timeline.ended_ns[here] / 1000
    axes.barh(timeline.core[here], end - start, left=start, height=0.9)
    axes.set_xlabel("time, µs")
    axes.set_ylabel("core")
    return axes


def plot_comparison(result: dict[str, Any], axes: Any = None) -> Any:
    """Mean makespans of what compare() gives, the best first, with their standard deviations."""
    designs = sorted(part_of("result", result, "designs", "compare()"), key=lambda design: design["mean_ns"])
    if not designs:
        raise InputError("result: has no designs; it must be what compare() gives")
    axes = _axes(axes, 7, 1 + 0.4 * len(designs))
    places = np.arange(len(designs))[::-1]
    axes.barh(places, [design["mean_ns"] / 1000 for design in designs], xerr=[design["sigma_ns"] / 1000 for design in designs])
    axes.set_yticks(places, [design["design"] for design in designs])
    axes.set_xlabel("makespan, µs")
    return axes


def plot_pareto(result: dict[str, Any], axes: Any = None, cost: str = "control-cores") -> Any:
    """Makespan by cost of what search(…, cost=cost) gives; points that none beats in both are joined."""
    must_be("cost", cost, str)
    points = [point for point in part_of("result", result, "points", "search()") if point.get("makespan_ns") is not None]
    if not points:
        raise InputError("result: has no points that ran; it must be what search() gives")
    column = cost.replace("-", "_")
    if column not in points[0]:
        raise InputError(f"cost: is {cost!r}; must be 'control-cores' or 'cores'")
    axes = _axes(axes, 6, 4)
    for design in dict.fromkeys(point["design"] for point in points):
        own = [point for point in points if point["design"] == design]
        axes.scatter([point[column] for point in own], [point["makespan_ns"] / 1000 for point in own], label=design, s=16)
    front = sorted((point[column], point["makespan_ns"] / 1000) for point in points if point["on_front"])
    axes.plot(*zip(*front), drawstyle="steps-post", color="gray", zorder=0)
    axes.set_xlabel(cost.replace("-", " "))
    axes.set_ylabel("makespan, µs")
    axes.legend()
    return axes
