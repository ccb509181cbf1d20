"""Policies of one's own: callables of Python."""

import time

import numpy as np
import pytest

import tasktwin
from tasktwin import Design, Policy


def timeline(graph, machine, design, seed=3):
    run = tasktwin.simulate(graph, machine, design, seed=seed)
    return [run.timeline.tasks[name].tobytes() for name in run.timeline.tasks.dtype.names]


@pytest.fixture(scope="module")
def small(machine):
    return machine.changed({"compute_cores": [{"type": "sm", "count": 20}]})


@pytest.fixture(scope="module")
def graph():
    return tasktwin.Scenario.from_dict(
        {
            "scenario": "g",
            "machine": "nvidia-h200",
            "graph": {"generator": "cholesky", "tiles": 8, "tile_size": 64},
            "designs": ["shared-queue"],
        }
    ).graph


def bottom_levels(graph, durations_ns, seed):
    successors = [[] for _ in range(len(graph))]
    offsets, predecessors, durations = graph.predecessor_offsets.tolist(), graph.predecessors.tolist(), durations_ns.tolist()
    for task in range(len(graph)):
        for before in predecessors[offsets[task] : offsets[task + 1]]:
            successors[before].append(task)
    levels = [0] * len(graph)
    for task in reversed(range(len(graph))):  # generators add tasks in topological order
        levels[task] = durations[task] + max((levels[next] for next in successors[task]), default=0)
    return -np.array(levels)


def least_loaded(task, cores, held, load_ns, ran_on, ended_ns):
    return cores[np.lexsort((cores, load_ns))[0]]


def most_loaded(thief, round, attempt, lengths):
    others = [queue for queue in range(len(lengths)) if queue != thief and lengths[queue] > 0]
    others.sort(key=lambda queue: (-lengths[queue], queue))
    return others[attempt] if attempt < len(others) else None


def round_robin(graph, workers, cost, communication):
    lists = [[] for _ in range(workers)]
    for task in range(len(graph)):
        lists[task % workers].append(task)
    return lists


SAME = [
    ("shared-queue", {}, "order", "critical_path", Policy.ranks(bottom_levels)),
    ("shared-queue", {}, "order", "fifo", Policy.order(lambda task, now, ready, arrival, waiting: arrival)),
    (
        "shared-queue",
        {},
        "order",
        "lifo",
        Policy.order(lambda task, now, ready, arrival, waiting: -arrival, changes=True),
    ),
    ("central-dispatcher", {"mailbox_depth": 2}, "placement", "least_loaded", Policy.placement(least_loaded)),
    ("work-stealing", {}, "victim", "most_loaded", Policy.victim(most_loaded, like="most_loaded")),
    ("work-stealing", {}, "stealing", "half", Policy.steal_size(lambda there: (there + 1) // 2)),
    (
        "central-dispatcher",
        {"mailbox_depth": 2, "dispatchers": 2},
        "fill",
        "not_in_tail",
        Policy.fill(lambda idle_elsewhere, left, cores: left > cores),
    ),
    ("static-queues", {}, "placement", "round_robin", Policy.schedule(round_robin)),
]


@pytest.mark.parametrize("base, axes, axis, word, policy", SAME, ids=lambda value: value if isinstance(value, str) else "")
def test_built_in_policies_in_python_give_the_same_timelines(graph, small, base, axes, axis, word, policy):
    built_in = Design("built-in", base=base, **axes, **{axis: word})
    own = Design("own", base=base, **axes, **{axis: policy})
    assert timeline(graph, small, own) == timeline(graph, small, built_in)
    assert own != built_in
    assert policy.name in own[axis]


def test_callables_are_at_most_thirty_times_slower(graph, small):
    def seconds(design):
        begin = time.process_time()
        for _ in range(20):
            tasktwin.simulate(graph, small, design)
        return time.process_time() - begin

    for base, axes, axis, word, policy in SAME:
        built_in = seconds(Design("built-in", base=base, **axes, **{axis: word}))
        assert seconds(Design("own", base=base, **axes, **{axis: policy})) < 30 * built_in, axis


def test_a_class_is_made_for_each_run_with_the_graph(graph, small):
    made = []

    class Longest:
        def __init__(self, graph, durations_ns, seed, weight):
            made.append((len(graph), seed, weight))
            self.rank = -weight * durations_ns

        def __call__(self, task, now_ns, ready_ns, arrival, waiting):
            return self.rank[task]

    own = Design("own", base="shared-queue", order=Policy.order(Longest, parameters={"weight": 2}))
    assert timeline(graph, small, own) == timeline(graph, small, Design("built-in", base="shared-queue", order="longest"))
    assert made == [(len(graph), 3, 2.0)]
    assert own["order"] == "Longest(weight=2)"


def test_they_are_known_to_compare_and_explain(graph, small):
    own = Design("own", base="shared-queue", order=Policy.ranks(bottom_levels))
    scenario = tasktwin.Scenario("s", graph, small, [own, Design("shared-queue")])
    compared = tasktwin.compare(scenario, runs=2)
    assert {design["design"] for design in compared["designs"]} == {"own", "shared-queue"}
    tasktwin.explain(scenario, "own", "shared-queue")


def raising(*_):
    raise KeyError("no such thing")


WRONG = [
    (Policy.ranks(raising), "order", {}, "shared-queue", "ranks: it threw: KeyError: 'no such thing' ("),
    (Policy.ranks(lambda *_: [1.0]), "order", {}, "shared-queue", "there are 1 ranks for"),
    (Policy.ranks(lambda *_: "x"), "order", {}, "shared-queue", "must give an array of one dimension"),
    (Policy.ranks(lambda graph, *_: np.zeros((len(graph), 2))), "order", {}, "shared-queue", "of one dimension"),
    (Policy.ranks(lambda graph, *_: np.full(len(graph), np.nan)), "order", {}, "shared-queue", "not a number (NaN)"),
    (Policy.order(lambda *_: None), "order", {}, "shared-queue", "it gave None; it must give a number"),
    (Policy.order(lambda: 0), "order", {}, "shared-queue", "TypeError"),
    (Policy.placement(lambda *_: 1000), "placement", {"mailbox_depth": 2}, "central-dispatcher", "cores that it was given"),
    (Policy.placement(lambda *_: 0.5), "placement", {"mailbox_depth": 2}, "central-dispatcher", "it gave 0.5"),
    (Policy.schedule(lambda *_: 7), "placement", {}, "static-queues", "schedule: it threw: TypeError"),
    (Policy.schedule(lambda *_: [[0]]), "placement", {}, "static-queues", "is in no list"),
    (Policy.schedule(lambda *_: [["a"]]), "placement", {}, "static-queues", "it gave 'a'"),
    (Policy.victim(lambda thief, *_: thief), "victim", {}, "work-stealing", "the thief's own queue"),
    (Policy.victim(lambda *_: -1), "victim", {}, "work-stealing", "it gave -1"),
    (Policy.steal_size(lambda there: 0), "stealing", {}, "work-stealing", "it must give 1 to"),
    (Policy.fill(raising), "fill", {"mailbox_depth": 2, "dispatchers": 2}, "central-dispatcher", "KeyError"),
]


@pytest.mark.parametrize("policy, axis, axes, base, why", WRONG)
def test_what_goes_wrong_in_a_call_is_named(graph, small, policy, axis, axes, base, why):
    own = Design("own", base=base, **axes, **{axis: policy})
    with pytest.raises(tasktwin.InputError) as refused:
        tasktwin.simulate(graph, small, own)
    assert why in str(refused.value)
    assert f"policy '{policy.name}" in str(refused.value)
    tasktwin.simulate(graph, small, Design("shared-queue"))  # nothing is lost


def test_ctrl_c_in_a_callable_is_ctrl_c(graph, small):
    def interrupting(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tasktwin.simulate(graph, small, Design("own", base="shared-queue", order=Policy.order(interrupting)))
    tasktwin.simulate(graph, small, Design("shared-queue"))


def test_wrong_policies_are_refused(tmp_path):
    with pytest.raises(TypeError, match="must be callable"):
        Policy.order(3)
    with pytest.raises(tasktwin.InputError, match="is one of order, not of victim"):
        Design("own", base="work-stealing", victim=Policy.order(lambda *_: 0))
    with pytest.raises(tasktwin.InputError, match="is like 'nothing', which is unknown"):
        Policy.victim(most_loaded, like="nothing")
    with pytest.raises(tasktwin.InputError, match="parameters.weight: is 'x'; must be a number"):
        Policy.order(lambda *_: 0, parameters={"weight": "x"})
    with pytest.raises(tasktwin.InputError, match="no such file"):
        Policy.load(str(tmp_path / "none.so"), "order")
    with pytest.raises(tasktwin.InputError, match="a callable, which no file can hold"):
        tasktwin.Scenario.from_dict(
            {
                "scenario": "s",
                "machine": "nvidia-h200",
                "graph": {"tasks": [{"name": "a", "time_ns": 1}]},
                "designs": [Design("own", base="shared-queue", order=Policy.order(lambda *_: 0))],
            }
        )
