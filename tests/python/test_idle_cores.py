"""Cores that do nothing cost next to nothing, under every runtime."""

import math
import time

import numpy as np
import pytest

import tasktwin

TASKS = 2000
SLACK = 0.02  # seconds, for whatever else the machine does


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
    shortest = math.inf
    for _ in range(5):
        begin = time.process_time()
        tasktwin.simulate(graph, machine, design)
        shortest = min(shortest, time.process_time() - begin)
    return shortest


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


FEW = tasktwin.Graph.from_arrays([[0, 2], [0, 3], [0, 4], [1, 4], [2, 5], [3, 5], [2, 6], [3, 6], [2, 7], [3, 7], [4, 7]],
                                 time_ns=[500, 900, 300, 300, 700, 100, 100, 2000])  # fmt: skip
STEALING = tasktwin.Design("deep", base="work-stealing", mailbox_depth=2, backoff_ns=300)
SHARDED = tasktwin.Design("sharded", base="work-stealing", ready_queue="sharded", shards=4)
TWOS = tasktwin.Design("twos", base="shared-queue", claim="fixed", claim_size=2)


@pytest.mark.parametrize(
    ("design", "cores", "starts"),
    [
        (tasktwin.Design("work-stealing"), [0, 1, 31, 35, 37, 9, 17, 39], [3521, 3521, 7518, 7721, 7820, 11480, 11482, 12088]),
        (tasktwin.Design("hybrid"), [1, 0, 0, 1, 0, 1, 37, 18], [3162, 3162, 5546, 6573, 7330, 9746, 9351, 10491]),
        (STEALING, [0, 1, 33, 36, 38, 10, 18, 0], [3521, 3521, 7467, 7775, 8108, 11595, 11714, 12354]),
        (SHARDED, [0, 1, 31, 35, 37, 9, 17, 39], [3523, 3523, 7519, 7722, 7816, 11479, 11481, 12077]),
        (TWOS, [0, 0, 1, 1, 2, 2, 3, 3], [2859, 3512, 6249, 6702, 7735, 11003, 10812, 11105]),
    ],
)
def test_cores_that_look_together_find_what_each_would_by_itself(design, cores, starts):
    """Of 40 cores most have nothing to do at first; the values are from runs in which each core's first look was an event of its own."""
    machine = tasktwin.load_machine("nvidia-h200").changed({"compute_cores": [{"type": "sm", "count": 40}]})
    timeline = tasktwin.simulate(FEW, machine, design, seed=1).timeline
    assert timeline.core.tolist() == cores
    assert timeline.started_ns.tolist() == starts
