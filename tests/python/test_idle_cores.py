"""Cores that do nothing cost next to nothing, under every runtime."""

import time

import numpy as np
import pytest

import tasktwin

TASKS = 2000
SLACK = 0.25  # seconds: all cores look for work once


def layered():
    """Layers of 100, three predecessors each."""
    ids = np.arange(100, TASKS)
    befores = [np.stack([(ids // 100 - 1) * 100 + (ids + shift) % 100, ids], axis=1) for shift in (0, 7, 31)]
    return tasktwin.Graph.from_arrays(np.concatenate(befores), time_ns=500 + np.arange(TASKS) % 1000)


GRAPHS = {
    "layered": layered(),
    "a chain": tasktwin.Graph.from_arrays(np.stack([np.arange(TASKS - 1), np.arange(1, TASKS)], axis=1), time_ns=np.full(TASKS, 500)),
    "independent": tasktwin.Graph.from_arrays(count=TASKS, time_ns=500),
}


def seconds(graph, design, cores):
    machine = tasktwin.load_machine("nvidia-h200").changed({"compute_cores": [{"type": "sm", "count": cores}]})
    tasktwin.simulate(tasktwin.Graph.from_arrays(count=1, time_ns=1), machine, design)
    begin = time.process_time()
    tasktwin.simulate(graph, machine, design)
    return time.process_time() - begin


NAMED = [name for name in tasktwin.named_designs() if not name.startswith("ascend")]
OTHERS = {
    "stealing from the next": tasktwin.Design("next", base="work-stealing", victim="next"),
    "stealing from the nearest": tasktwin.Design("nearest", base="work-stealing", victim="nearest"),
    "stealing from the longest": tasktwin.Design("longest", base="work-stealing", victim="most_loaded"),
}


@pytest.mark.parametrize("graph", GRAPHS)
@pytest.mark.parametrize("name", [*NAMED, *OTHERS])
def test_a_hundred_thousand_cores_cost_little_more_than_two_thousand(name, graph):
    design = OTHERS.get(name) or tasktwin.Design(name)
    few = seconds(GRAPHS[graph], design, 2000)
    assert seconds(GRAPHS[graph], design, 100_000) < 3 * few + SLACK
