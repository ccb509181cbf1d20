import json

import numpy as np
import pytest

import tasktwin
from test_errors import refused

STATIC = tasktwin.Design("static-queues")
SHARED = tasktwin.Design("shared-queue")


def test_a_run_is_that_of_the_command(command):
    scenario = tasktwin.load_scenario("example")
    printed = json.loads(command("simulate", "example", "--format", "json")[1])
    for design, of_command in zip(scenario.designs, printed["designs"]):
        simulation = tasktwin.simulate(scenario.graph, scenario.machine, design, seed=scenario.seed)
        assert simulation.makespan_ns == of_command["makespan_ns"]
        assert simulation.metrics()["core_busy_share"] == of_command["core_busy_share"]
        assert simulation.bounds() == of_command["bounds"]
        assert design.axes == of_command["resolved_design"]


def test_the_same_arguments_give_the_same_run(chains, machine):
    first, again = (tasktwin.simulate(chains, machine, SHARED, seed=3).timeline.tasks for _ in range(2))
    assert (first == again).all()
    assert (first != tasktwin.simulate(chains, machine, SHARED, seed=4).timeline.tasks).any()


def test_many_runs_are_those_of_single_ones(chains, machine):
    short = tasktwin.Graph.from_arrays(count=50, time_ns=1000, sigma_ns=100)
    seeds = [5, 1, 9]
    runs = tasktwin.simulate_many([chains, short], machine, [STATIC, SHARED], np.array(seeds), metrics=True)
    assert runs["makespan_ns"].shape == (2, 2, 3)
    assert runs["makespan_ns"].dtype == np.int64
    for g, graph in enumerate([chains, short]):
        for d, design in enumerate([STATIC, SHARED]):
            for s, seed in enumerate(seeds):
                one = tasktwin.simulate(graph, machine, design, seed=seed)
                assert runs["makespan_ns"][g, d, s] == one.makespan_ns
                for name in set(runs) - {"makespan_ns"}:
                    assert runs[name][g, d, s] == one.metrics()[name]


def test_one_graph_design_and_seed_need_no_lists(chains, machine):
    runs = tasktwin.simulate_many(chains, machine, STATIC)
    assert set(runs) == {"makespan_ns"}
    assert runs["makespan_ns"].tolist() == [[[tasktwin.simulate(chains, machine, STATIC).makespan_ns]]]


def test_arrays_of_many_runs_may_be_changed_and_outlive_the_call(chains, machine):
    makespans = tasktwin.simulate_many(chains, machine, STATIC, range(1, 4))["makespan_ns"]
    makespans -= makespans.min()
    assert makespans.min() == 0


@pytest.mark.parametrize("seed", [-1, 2**64, 1.5, float("nan"), "one", None])
def test_seeds_that_are_none_are_refused(chains, machine, seed):
    assert refused(tasktwin.simulate, chains, machine, STATIC, seed=seed).field == "seed"
    assert "seeds[0]" in str(refused(tasktwin.simulate_many, chains, machine, STATIC, [seed]))


def test_options_that_make_no_sense_are_refused(chains, machine):
    for pace in (float("nan"), float("inf"), 0, -1, 0.0009, 1001, 1e16):
        assert refused(tasktwin.simulate, chains, machine, STATIC, host_pace=pace).field == "host_pace"
    assert "did you mean 'simgrid'?" in str(
        refused(tasktwin.simulate, chains, machine, STATIC, bandwidth_solver="simgird")
    )
    assert "one for each task" in str(refused(tasktwin.simulate, chains, machine, STATIC, bodies_ns=[1, 2]))
    for empty in ("graphs", "designs", "seeds"):
        given = {"graphs": chains, "designs": STATIC, "seeds": 1, empty: []}
        assert f"{empty}: is empty" in str(refused(tasktwin.simulate_many, machine=machine, **given))
    with pytest.raises(TypeError):
        tasktwin.simulate(None, machine, STATIC)
    with pytest.raises(TypeError):
        tasktwin.simulate_many([chains, None], machine, STATIC)


def test_a_slow_host_makes_launches_take_longer(chains, machine):
    streams = tasktwin.Design("cuda-streams")
    slow, quick = (tasktwin.simulate(chains, machine, streams, host_pace=pace).makespan_ns for pace in (3, 1))
    assert slow > 2 * quick


def test_bodies_last_what_is_given(machine):
    graph = tasktwin.Graph.from_arrays(count=4, time_ns=1000)
    timeline = tasktwin.simulate(graph, machine, SHARED, bodies_ns=np.array([100, 200, 300, 400])).timeline
    assert (timeline.ended_ns - timeline.started_ns).tolist() == [100, 200, 300, 400]


def test_bounds_are_of_the_bodies_that_are_given(machine):
    graph = tasktwin.Graph.from_arrays(count=4, time_ns=1000)
    run = tasktwin.simulate(graph, machine, SHARED, bodies_ns=np.array([1, 2, 3, 4]))
    assert max(value for value in run.bounds().values() if isinstance(value, int)) <= run.makespan_ns


def test_a_replay_keeps_the_placement_of_a_run(chains, machine):
    before = tasktwin.simulate(chains, machine, SHARED).timeline
    replay = tasktwin.Design("again", base="static-queues", placement="replay", replay="of another run")
    after = tasktwin.simulate(chains, machine, replay, replayed=before).timeline
    assert (after.core == before.core).all()
    other = tasktwin.simulate(tasktwin.Graph.from_arrays(count=2, time_ns=1), machine, SHARED).timeline
    assert "is of 2 tasks" in str(refused(tasktwin.simulate, chains, machine, replay, replayed=other))
    assert "no timeline is given" in str(refused(tasktwin.simulate, chains, machine, replay))
