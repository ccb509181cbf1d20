"""Designs and machines between processes: a design by its axes, a machine by its file's text."""

from __future__ import annotations

import copyreg
import os
import tempfile
from typing import Any

from ._core import Design, Machine, Policy, load_machine, named_designs


def _design(name: str, axes: dict[str, Any], policies: dict[str, tuple[str, str, dict[str, float]]]) -> Design:
    own = {axis: Policy.load(file, axis, of, parameters) for axis, (file, of, parameters) in policies.items()}
    return Design(name, **{**axes, **own})


def _reduce_design(design: Design) -> tuple[Any, ...]:
    if design.name in named_designs():
        return Design, (design.name,)
    policies = {}
    for axis, policy in design.policies.items():
        if not policy.file:
            raise TypeError(f"design '{design.name}' cannot be pickled: its {axis} is the callable '{policy.name}'; make the design in the other process")
        policies[axis] = (os.path.abspath(policy.file), policy.name, policy.parameters)
    axes = {axis: value for axis, value in design.axes.items() if axis not in policies}
    return _design, (design.name, axes, policies)


def _machine(text: str) -> Machine:
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        file.write(text)
        file.flush()
        return load_machine(file.name)


def _reduce_machine(machine: Machine) -> tuple[Any, ...]:
    return _machine, (machine.to_yaml(),)


def register() -> None:
    copyreg.pickle(Design, _reduce_design)
    copyreg.pickle(Machine, _reduce_machine)
