import numpy as np
import pytest

import tasktwin
from test_errors import refused


def test_tasks_as_files_write_them():
    graph = tasktwin.Graph.from_tasks(
        [{"name": "first", "time_ns": 10}, {"name": "last", "time_ns": 20, "after": ["first"], "priority": 3}]
    )
    assert graph.names == ["first", "last"]
    assert graph.time_ns.tolist() == [10, 20]
    assert graph.priority.tolist() == [0, 3]
    assert graph.predecessor_offsets.tolist() == [0, 0, 1]
    assert graph.predecessors.tolist() == [0]


def test_a_builder_gives_the_same_graph_as_arrays():
    builder = tasktwin.GraphBuilder()
    ids = [builder.add_task(f"t{i}", time_ns=100 * i) for i in range(3)]
    builder.add_edge(ids[0], ids[2])
    builder.add_edge(ids[1], ids[2])
    built = builder.build()
    tabled = tasktwin.Graph.from_arrays([(0, 2), (1, 2)], time_ns=np.array([0, 100, 200]))
    for of_graph in ("names", "edge_count"):
        assert getattr(built, of_graph) == getattr(tabled, of_graph)
    assert built.time_ns.tolist() == tabled.time_ns.tolist()


def test_a_split_grid_is_a_task_for_each_block():
    tasks = [{"name": "a", "time_ns": 5, "blocks": 3, "split": True}, {"name": "b", "time_ns": 5, "after": ["a"]}]
    graph = tasktwin.Graph.from_tasks(tasks)
    assert graph.names == ["a.0", "a.1", "a.2", "b"]
    assert graph.edge_count == 3
    builder = tasktwin.GraphBuilder()
    ids = [builder.add_task("a", time_ns=5, blocks=3, split=True), builder.add_task("b", time_ns=5)]
    builder.add_edge(*ids)
    assert "a task with 'split' or 'group' is several tasks" in str(refused(builder.build))


def test_fields_may_be_lists_of_words_or_one_value_for_all():
    graph = tasktwin.Graph.from_arrays(kernel="stream", bytes=np.array([4096, 8192], np.uint32), layer=[1, 2])
    assert graph.bytes.tolist() == [4096, 8192]
    assert graph.layer.tolist() == [1, 2]


@pytest.mark.parametrize("edge", [(-1, 0), (0, 3), (0, -(2**40)), (2**31, 0), (2**62, 1)])
def test_edges_of_tasks_that_are_not_there_are_refused(edge):
    assert "edges[0]: " in str(refused(tasktwin.Graph.from_arrays, [edge], count=3, time_ns=1))
    builder = tasktwin.GraphBuilder()
    for i in range(3):
        builder.add_task(f"t{i}", time_ns=1)
    assert refused(builder.add_edge, *edge).field == "edges[0]"


@pytest.mark.parametrize(
    "time", [float("nan"), float("inf"), -1, -0.5, 1.5, 10**12, np.float32("nan"), True, "long", None, 2**70]
)
def test_times_that_no_file_can_hold_are_refused(time):
    for call in (
        lambda: tasktwin.Graph.from_tasks([{"name": "a", "time_ns": time}]),
        lambda: tasktwin.Graph.from_arrays(count=1, time_ns=time),
        lambda: tasktwin.Graph.from_arrays(time_ns=[time]),
    ):
        assert "time_ns" in str(refused(call))


def test_a_nan_in_an_array_is_named_with_its_task():
    times = np.full(1000, 5.0)
    times[700] = np.nan
    error = refused(tasktwin.Graph.from_arrays, time_ns=times)
    assert str(error) == "graph.tasks[700].time_ns: is not a number (NaN); a finite number is needed"
    assert error.field == "graph.tasks[700].time_ns"
    times[700] = -7
    assert "graph.tasks[700].time_ns: is -7; must be 0 to" in str(refused(tasktwin.Graph.from_arrays, time_ns=times))


def test_a_cycle_is_named_as_a_path():
    error = refused(tasktwin.Graph.from_arrays, [(0, 1), (1, 2), (2, 0)], count=3, time_ns=1)
    assert str(error) == "graph: the tasks wait for each other in a cycle: t0 -> t1 -> t2 -> t0"
    assert "t1 -> t1" in str(refused(tasktwin.Graph.from_arrays, [(1, 1)], count=2, time_ns=1))


def test_shapes_and_types_that_do_not_fit_are_refused():
    from_arrays = tasktwin.Graph.from_arrays
    assert "there are 2 tasks" in str(refused(from_arrays, time_ns=[1, 2], layer=[1, 2, 3]))
    assert "must be whole numbers" in str(refused(from_arrays, np.array([[0.0, 1.0]]), count=2, time_ns=1))
    assert "two columns" in str(refused(from_arrays, np.zeros((1, 3), int), count=2, time_ns=1))
    assert "dimensions" in str(refused(from_arrays, time_ns=np.zeros((2, 2), int)))
    assert "there are 1 edges" in str(refused(from_arrays, [(0, 1)], [1, 2], count=2, time_ns=1))
    assert "count: missing" in str(refused(from_arrays, time_ns=1))
    assert "count: is -1" in str(refused(from_arrays, count=-1))
    assert "did you mean 'time_ns'?" in str(refused(from_arrays, tim_ns=[1]))
    assert "unknown task field 'after'" in str(refused(from_arrays, after=[["t0"]]))
    assert "already the name" in str(
        refused(tasktwin.Graph.from_tasks, [{"name": "a", "time_ns": 1}, {"name": "a", "time_ns": 1}])
    )
    assert "no task is called 'x'" in str(
        refused(tasktwin.Graph.from_tasks, [{"name": "a", "time_ns": 1, "after": ["x"]}])
    )
    with pytest.raises(TypeError):
        tasktwin.Graph.from_tasks([{"name": "a", "time_ns": object()}])


def test_an_empty_graph_takes_no_body(machine):
    for graph in (tasktwin.Graph.from_tasks([]), tasktwin.Graph.from_arrays(count=0), tasktwin.GraphBuilder().build()):
        assert len(graph) == 0
        assert graph.time_ns.shape == (0,)
        simulation = tasktwin.simulate(graph, machine, tasktwin.Design("central-dispatcher"))
        assert simulation.makespan_ns == 0
        assert simulation.timeline.started_ns.shape == (0,)


def test_a_value_that_holds_itself_is_refused():
    task = {"name": "a", "time_ns": 1}
    task["after"] = [task]
    assert "nested deeper" in str(refused(tasktwin.Graph.from_tasks, [task]))


def test_a_million_tasks_come_from_arrays_in_one_call(machine):
    tasks = 1_000_000
    ids = np.arange(tasks)
    edges = np.stack([ids[:-132], ids[132:]], axis=1)
    graph = tasktwin.Graph.from_arrays(edges, time_ns=np.full(tasks, 3000), layer=(ids // 132).astype(np.int32))
    assert (len(graph), graph.edge_count) == (tasks, tasks - 132)
    assert graph.layer[-1] == (tasks - 1) // 132
    timeline = tasktwin.simulate(graph, machine, tasktwin.Design("shared-queue")).timeline
    assert (timeline.ended_ns - timeline.started_ns >= 3000).all()


def test_arrays_of_a_graph_are_views_that_outlive_it():
    graph = tasktwin.Graph.from_arrays(count=5, time_ns=[1, 2, 3, 4, 5])
    times = graph.time_ns
    with pytest.raises(ValueError):
        times[0] = 9
    del graph
    assert times.tolist() == [1, 2, 3, 4, 5]
