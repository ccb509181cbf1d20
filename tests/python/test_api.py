"""A moment of the fuzzer of the module's interface, and values that are refused by name."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import tasktwin


def test_the_fuzzer_finds_nothing():
    fuzzer = Path(__file__).parent / "api_fuzzer.py"
    result = subprocess.run([sys.executable, str(fuzzer), "2", "1"], capture_output=True, text=True, timeout=100, check=False)
    assert result.returncode == 0, (result.returncode, result.stdout, result.stderr)


def refused(call, *arguments, **named):
    with pytest.raises(tasktwin.InputError) as caught:
        call(*arguments, **named)
    return str(caught.value)


def endless():
    value = []
    value.append(value)
    return value


MACHINE = tasktwin.load_machine("nvidia-h200")
SHARED = tasktwin.Design("shared-queue")


def test_bodies_take_no_less_than_nothing():
    graph = tasktwin.Graph.from_arrays([(0, 1), (1, 2), (2, 3)], time_ns=[1000] * 4)
    for bodies in ([-5] * 4, [1, 2, 3, -1], [-(10**6)] * 4):
        assert "bodies_ns: is -" in refused(tasktwin.simulate, graph, MACHINE, SHARED, bodies_ns=bodies)
    assert tasktwin.simulate(graph, MACHINE, SHARED, bodies_ns=[0] * 4).makespan_ns > 0


def test_masked_values_are_refused():
    masked = np.ma.array([5, 7], mask=[0, 1])
    from_arrays = tasktwin.Graph.from_arrays
    assert "time_ns: has masked values" in refused(from_arrays, None, time_ns=masked)
    assert "time_ns: has masked values" in refused(from_arrays, None, time_ns=masked.astype(float))
    assert "edges: has masked" in refused(from_arrays, np.ma.array([[0, 1]], mask=[[0, 1]]), count=2, time_ns=1)
    assert "edge_bytes: has masked" in refused(from_arrays, [(0, 1), (0, 1)], masked, 2, time_ns=1)
    graph = from_arrays(None, time_ns=np.ma.array([5, 7]))
    assert "bodies_ns: has masked" in refused(tasktwin.simulate, graph, MACHINE, SHARED, bodies_ns=masked)
    assert "seeds: has masked" in refused(tasktwin.simulate_many, graph, MACHINE, SHARED, masked)
    assert "masked" in refused(tasktwin.Graph.from_tasks, [{"name": "a", "time_ns": np.ma.masked}])


def test_lists_that_hold_themselves_are_refused():
    from_arrays = tasktwin.Graph.from_arrays
    assert "edges: is no array" in refused(from_arrays, endless(), count=2, time_ns=1)
    assert "edge_bytes: is no array" in refused(from_arrays, [(0, 1)], endless(), 2, time_ns=1)
    assert "time_ns" in refused(from_arrays, time_ns=endless())
    graph = from_arrays(count=1, time_ns=1)
    assert "bodies_ns: is no array" in refused(tasktwin.simulate, graph, MACHINE, SHARED, bodies_ns=endless())
    assert "nested deeper" in refused(tasktwin.Graph.from_tasks, endless())
    assert "edges: is no array" in refused(from_arrays, [(0, 1), (1,)], count=2, time_ns=1)


def test_names_are_those_that_files_may_have(tmp_path):
    graph = tasktwin.Graph.from_arrays(count=1, time_ns=1)
    for name in ("a/b", "../x", "a\nb", "a\x1b[31m", "", "a b", "-a", "x" * 101):
        assert "name" in refused(tasktwin.Scenario, name, graph, MACHINE, [SHARED]), name
        assert "name" in refused(tasktwin.Design, name, base="shared-queue", order="lifo"), name
        assert "name" in refused(SHARED.replace, name=name), name
        file = tmp_path / "s.yaml"
        file.write_text("scenario: %s\nmachine: nvidia-h200\ngraph: {tasks: [{name: a}]}\ndesigns: [shared-queue]\n" % ('"%s"' % name.encode("unicode_escape").decode()))
        refused(tasktwin.load_scenario, str(file))
    for name in ("a\x1b[31m", "a\x00b", "a\x7f"):
        assert "control character" in refused(tasktwin.Graph.from_tasks, [{"name": name, "time_ns": 1}])
        builder = tasktwin.GraphBuilder()
        assert "control character" in refused(builder.add_task, name, time_ns=1)
    assert "UTF-16" in refused(tasktwin.Graph.from_tasks, [{"name": "\ud800"}])
    assert "named design" in refused(SHARED.replace, name="static-queues")


def test_a_keyword_that_is_no_text_is_refused_by_every_function():
    key = {"a\udc80": 1}
    graph = tasktwin.Graph.from_arrays(count=1, time_ns=1)
    estimate = tasktwin.Estimate(graph, MACHINE, SHARED)
    run = tasktwin.simulate(graph, MACHINE, SHARED)
    for call in (
        lambda: tasktwin.simulate(7, MACHINE, SHARED, **key),
        lambda: tasktwin.load_machine("nvidia-h200", **key),
        lambda: tasktwin.Design(3, **key),
        lambda: tasktwin.Estimate(graph, 3, SHARED, **key),
        lambda: tasktwin.Graph.from_arrays(count=1, time_ns=1, **key),
        lambda: tasktwin.GraphBuilder().add_task(3, **key),
        lambda: estimate.set_time("x", **key),
        lambda: run.metrics(**key),
    ):
        with pytest.raises(TypeError, match="keyword 'a.udc80': has half a character of UTF-16"):
            call()


def test_a_dict_may_change_while_it_is_read():
    class Value:
        def __index__(self):
            task.clear()
            task.update((f"k{i}", 1) for i in range(1000))
            return 7

    task = {"name": "a", "time_ns": Value()}
    assert tasktwin.Graph.from_tasks([task]).time_ns.tolist() == [7]


def test_whole_numbers_of_any_size_are_refused_in_words():
    assert "beyond 64 bits" in refused(tasktwin.Graph.from_tasks, [{"name": "a", "time_ns": 10**5000}])


def test_a_builder_is_left_as_it_was_by_what_is_refused():
    builder = tasktwin.GraphBuilder()
    builder.add_task("a", time_ns=5)
    refused(builder.add_task, "\x00")
    builder.add_task("b", time_ns=6)
    assert builder.build().time_ns.tolist() == [5, 6]
