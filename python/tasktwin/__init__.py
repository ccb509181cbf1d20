"""Predicts how a task graph runs under a schedule design; docs/python.md."""

try:
    from ._core import (
        ABSENT,
        STEP_KINDS,
        Design,
        Graph,
        GraphBuilder,
        InputError,
        InternalError,
        Machine,
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
    raise ImportError("the module of tasktwin is not built for this Python: 'make python' builds it for Debian's python3") from None

__all__ = [
    "ABSENT",
    "STEP_KINDS",
    "Design",
    "Graph",
    "GraphBuilder",
    "InputError",
    "InternalError",
    "Machine",
    "RunError",
    "Scenario",
    "Simulation",
    "Timeline",
    "axes",
    "compare",
    "explain",
    "load_machine",
    "load_scenario",
    "named_designs",
    "remarks",
    "shipped_machines",
    "shipped_scenarios",
    "simulate",
    "simulate_many",
    "verify_recorded",
]
