import gc

import numpy as np
import pytest

import tasktwin


@pytest.fixture
def simulation(chains, machine):
    return tasktwin.simulate(chains, machine, tasktwin.Design("central-dispatcher"), record_steps=True)


def test_columns_are_views_of_the_rows(simulation):
    timeline = simulation.timeline
    for name in ("ready_ns", "dispatched_ns", "received_ns", "started_ns", "ended_ns", "published_ns", "core", "dispatcher"):
        column = getattr(timeline, name)
        assert np.shares_memory(column, timeline.tasks)
        assert (column == timeline.tasks[name]).all()
    assert np.shares_memory(timeline.started_ns, simulation.timeline.started_ns)


def test_phases_follow_each_other(simulation):
    timeline = simulation.timeline
    phases = [timeline.ready_ns, timeline.dispatched_ns, timeline.started_ns, timeline.ended_ns, timeline.published_ns]
    for earlier, later in zip(phases, phases[1:]):
        assert (earlier <= later).all()
    assert timeline.published_ns.max() == timeline.makespan_ns == simulation.makespan_ns
    assert ((timeline.core >= 0) & (timeline.core < len(timeline.cores))).all()


def test_views_cannot_be_written(simulation):
    for array in (simulation.timeline.tasks, simulation.timeline.core, simulation.timeline.ready_queue):
        assert not array.flags.writeable
        with pytest.raises(ValueError):
            array.flags.writeable = True
    with pytest.raises(ValueError):
        simulation.timeline.started_ns[0] = 0


def test_views_outlive_their_owners(chains, machine):
    expected = tasktwin.simulate(chains, machine, tasktwin.Design("shared-queue")).timeline.started_ns.copy()
    kept = []
    for _ in range(20):
        simulation = tasktwin.simulate(chains, machine, tasktwin.Design("shared-queue"))
        timeline = simulation.timeline
        kept += [timeline.started_ns, timeline.tasks["started_ns"], timeline.started_ns[::-1][::-1]]
        del simulation, timeline
        gc.collect()
    garbage = [np.full(300 * 56 // 8, -1) for _ in range(100)]
    assert all((started == expected).all() for started in kept)
    del garbage


def test_what_was_not_observed_is_absent(chains, machine):
    timeline = tasktwin.simulate(chains, machine, tasktwin.Design("shared-queue")).timeline
    assert (timeline.dispatcher == -1).all()
    assert timeline.seen_ns is None
    absent = np.array([tasktwin.ABSENT]).view("timedelta64[ns]")
    assert np.isnat(absent).all()
    assert timeline.steps == [] and timeline.busy == []


def test_control_cores_tell_what_they_did(simulation):
    timeline = simulation.timeline
    assert set(timeline.roles) == {"scheduler"}
    assert len(timeline.busy) == len(timeline.roles) == len(timeline.steps)
    busy = timeline.busy[0]
    assert (busy["begin_ns"] < busy["end_ns"]).all()
    steps = timeline.steps[0]
    assert "dispatch" in {tasktwin.STEP_KINDS[kind] for kind in steps["kind"]}


def test_tasks_on_several_cores_have_blocks(machine):
    graph = tasktwin.Graph.from_arrays(count=2, time_ns=1000, blocks=4)
    timeline = tasktwin.simulate(graph, machine, tasktwin.Design("central-dispatcher")).timeline
    assert timeline.blocks["task"].tolist() == [0] * 4 + [1] * 4
    assert len(set(timeline.blocks["core"][:4])) == 4


def test_memory_is_told_where_tasks_allocate():
    scenario = tasktwin.load_scenario("scratch")
    design = scenario.designs[0]
    memory = tasktwin.simulate(scenario.graph, scenario.machine, design).timeline.memory
    assert memory["used_bytes"].max() > 0
    assert (memory["reserved_bytes"] >= memory["used_bytes"]).all()
