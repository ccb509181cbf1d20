"""Predicts how a task graph runs under a schedule design; docs/python.md."""

import os as _os

# A wheel has the shipped scenarios, machines and recordings beside the module.
_data = _os.path.join(_os.path.dirname(__file__), "data", "scenarios")
if _os.path.isdir(_data):
    _os.environ.setdefault("TASKTWIN_DATA", _data)

def _why_not_built(folder):
    """What is wrong where the module is not there, or is another Python's."""
    import re
    import sys

    this = f"Python {sys.version_info.major}.{sys.version_info.minor}"
    for name in _os.listdir(folder):
        made_for = re.match(r"_core\.cpython-(\d)(\d+)-", name)
        if made_for:
            return f"tasktwin's module is built for Python {made_for[1]}.{made_for[2]}, this is {this} ({sys.executable}); run that one"
    return "the module of tasktwin is not built for this Python: 'make python' builds it for Debian's python3"


try:
    from ._core import (
        ABSENT,
        STEP_KINDS,
        Design,
        Estimate,
        Graph,
        GraphBuilder,
        InputError,
        InternalError,
        Machine,
        Policy,
        RunError,
        Scenario,
        Simulation,
        Timeline,
        __commit__,
        __version__,
        axes,
        compare,
        explain,
        load_machine,
        load_scenario,
        named_designs,
        remarks,
        shipped_machines,
        shipped_scenarios,
        simulate,
        simulate_many,
        verify_recorded,
    )
except ModuleNotFoundError as missing:
    if missing.name != "tasktwin._core":
        raise
    raise ImportError(_why_not_built(_os.path.dirname(__file__))) from None

try:
    import numpy as _numpy  # noqa: F401
except ModuleNotFoundError as missing:
    if missing.name != "numpy":
        raise
    import sys as _sys

    raise ImportError(
        f"tasktwin needs NumPy, which this Python does not have ({_sys.executable}): Debian's python3-numpy is for /usr/bin/python3, "
        "'pip install numpy' for others"
    ) from None

from ._commands import import_scenario, search, sweep, what_if
from ._intervals import interval, measure_me
from ._networks import from_networkx, to_networkx
from ._pickling import register as _register
from ._plots import plot_comparison, plot_pareto, plot_timeline
from ._worded import word_methods as _word_methods
from ._worded import worded as _worded

_register()

_compiled = type(simulate)
for _name, _value in list(globals().items()):
    if type(_value) is _compiled:
        globals()[_name] = _worded(_value)
for _class in (Graph, Machine, Scenario, Simulation, Timeline):
    _word_methods(_class)

__all__ = [
    "ABSENT",
    "Design",
    "Estimate",
    "Graph",
    "GraphBuilder",
    "InputError",
    "InternalError",
    "Machine",
    "Policy",
    "RunError",
    "STEP_KINDS",
    "Scenario",
    "Simulation",
    "Timeline",
    "axes",
    "compare",
    "explain",
    "from_networkx",
    "import_scenario",
    "interval",
    "load_machine",
    "load_scenario",
    "measure_me",
    "named_designs",
    "plot_comparison",
    "plot_pareto",
    "plot_timeline",
    "remarks",
    "search",
    "shipped_machines",
    "shipped_scenarios",
    "simulate",
    "simulate_many",
    "sweep",
    "to_networkx",
    "verify_recorded",
    "what_if",
]
