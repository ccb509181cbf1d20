"""Estimates: edits, what they refuse, the C interface's page and example."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import tasktwin
from tasktwin import Design, Estimate, Graph, InputError, RunError

MACHINE = tasktwin.load_machine("nvidia-h200")


def layered(tasks=120, width=12):
    rng = np.random.default_rng(1)
    edges = [(int(i - width + rng.integers(width)) // 1, i) for i in range(width, tasks) for _ in range(2)]
    edges = sorted({(min(a, b - 1), b) for a, b in edges})
    return Graph.from_arrays(np.array(edges), time_ns=rng.integers(500, 5000, tasks))


def whole(estimate, design):
    return tasktwin.simulate(estimate.graph, MACHINE, design, replayed=estimate.timeline).timeline


def test_edits_give_what_a_whole_run_gives():
    design = Design("static-queues")
    estimate = Estimate(layered(), MACHINE, design)
    assert estimate.run() == tasktwin.simulate(layered(), MACHINE, design).makespan_ns
    replay = Design("replayed", base="static-queues", placement="replay", replay="lists")
    in_part = 0
    rng = np.random.default_rng(2)
    for i in range(40):
        task = int(rng.integers(60, 120))
        if i % 3 == 0:
            estimate.set_time(task, int(rng.integers(5000)))
        elif i % 3 == 1:
            estimate.add_edge(task - 60, task) if task - 60 not in before_of(estimate.graph, task) else None
        else:
            estimate.move(task, core_of(estimate, task), position_of(estimate, task))
        estimate.run()
        assert (estimate.timeline.tasks == whole(estimate, replay).tasks).all()
        in_part += estimate.simulated < 1
        estimate.keep() if i % 5 == 4 else estimate.undo()
    assert in_part >= 10


def before_of(graph, task):
    return graph.predecessors[graph.predecessor_offsets[task] : graph.predecessor_offsets[task + 1]].tolist()


def core_of(estimate, task):
    return next(core for core, tasks in enumerate(estimate.lists) if task in tasks)


def position_of(estimate, task):
    return estimate.lists[core_of(estimate, task)].index(task)


def test_designs_without_lists_run_whole_and_say_so():
    design = Design("ranked", base="shared-queue", order="priority")
    estimate = Estimate(layered(), MACHINE, design)
    assert estimate.whole_because == "the design has no lists alone"
    estimate.set_priority(100, 5)
    assert estimate.run() == tasktwin.simulate(estimate.graph, MACHINE, design).makespan_ns
    assert estimate.simulated == 1


def test_a_policy_in_python_orders_estimates_too():
    design = Design("ranked", base="shared-queue", order=tasktwin.Policy.ranks(lambda graph, durations_ns, seed: -durations_ns))
    estimate = Estimate(layered(), MACHINE, design)
    estimate.set_time(5, 100)
    assert estimate.run() == tasktwin.simulate(estimate.graph, MACHINE, design).makespan_ns


@pytest.mark.parametrize(
    "edit, message",
    [
        (lambda e: e.set_time(120, 1), "task 120 is not there; the graph has tasks 0 to 119"),
        (lambda e: e.set_time(-1, 1), "task: is -1"),
        (lambda e: e.set_time(0, -1), "time_ns: is -1"),
        (lambda e: e.set_time(0, float("nan")), "time_ns"),
        (lambda e: e.set_time("t0", 1), "task"),
        (lambda e: e.remove_edge(0, 119), "edge 0 -> 119 is not there"),
        (lambda e: e.add_edge(119, 0), "cycle"),
        (lambda e: e.move(0, 4000, 0), "core 4000 is not there"),
        (lambda e: e.move(0, 0, 4000), "place 4000 of core 0 is not there"),
        (lambda e: e.set_priority(0, 1), "order 'priority' does"),
    ],
)
def test_what_an_edit_cannot_be_is_named_and_changes_nothing(edit, message):
    estimate = Estimate(layered(), MACHINE, Design("static-queues"))
    before = estimate.run()
    if message == "cycle":
        estimate.add_edge(0, 119)
    with pytest.raises((InputError, TypeError), match=re.escape(message)):
        edit(estimate)
    estimate.undo()
    assert estimate.run() == before


def test_another_thread_is_refused_while_one_is_at_it():
    estimate = Estimate(layered(), MACHINE, Design("ranked", base="shared-queue", order=tasktwin.Policy.ranks(lambda *_: waits(started, go))))
    started, go = threading.Event(), threading.Event()

    def waits(at_it, may_go):
        at_it.set()
        may_go.wait(10)
        return np.zeros(120)

    results = []
    thread = threading.Thread(target=lambda: results.append(estimate.run()))
    thread.start()
    assert started.wait(10)
    with pytest.raises(RunError, match="in use by another thread"):
        estimate.set_time(0, 1)
    go.set()
    thread.join()
    assert results == [estimate.run()]


def test_the_c_interface_knows_the_same_intervals():
    spec = importlib.util.spec_from_file_location("errors_script", "scripts/errors.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    assert Path("models/bounds/learnt_errors.hpp").read_text() == script.learnt_header(tasktwin._intervals), "make docs writes it anew"


def library():
    build = Path(os.environ["TASKTWIN_BUILD"])
    if shutil.which("cc") is None or not (build / "libtasktwin.so").exists():
        pytest.skip("needs cc and libtasktwin, built")
    return ["-Iverify/c_interface", f"-L{build}", f"-Wl,-rpath,{build}", "-ltasktwin"]


def test_the_c_program_of_the_page_runs(tmp_path):
    program = re.search(r"```c\n(.*?)```", Path("docs/estimate.md").read_text(), re.DOTALL)[1]
    (tmp_path / "mine.c").write_text(program)
    subprocess.run(["cc", "-std=c11", "-Wall", "-Wextra", "-Werror", tmp_path / "mine.c", "-o", tmp_path / "mine", *library()], check=True)
    printed = subprocess.run([tmp_path / "mine"], check=True, capture_output=True, text=True).stdout
    assert re.match(r"\d+ ns; 95 % of \d+ recordings say \d+ to \d+\ntask 0 is critical\ntask 2 is critical\ntask 3 is critical\n\d+ ns with", printed)


def test_the_example_orders_the_launches_of_a_captured_program(tmp_path):
    plug_in = tmp_path / "liborder_launches.so"
    subprocess.run(["cc", "-shared", "-fPIC", "examples/estimate/order_launches.c", "-o", plug_in, *library()], check=True)
    example = [sys.executable, "examples/estimate/order_launches.py", plug_in, "tests/data/programs/branches.four-streams.trace.json.gz"]
    printed = subprocess.run(example, check=True, capture_output=True, text=True).stdout
    given, by_way, best = map(float, re.search(r": ([\d.]+) µs in .*, ([\d.]+) µs the .*, ([\d.]+) µs as found", printed).groups())
    assert best <= min(given, by_way)


def test_both_doors_in_one_process_say_that_there_is_one_engine(tmp_path):
    library()
    program = f"""
import ctypes, tasktwin
graph = tasktwin.Graph.from_arrays([(0, 1)], time_ns=[1, 2])
tasktwin.simulate(graph, tasktwin.load_machine("nvidia-h200"), tasktwin.Design("shared-queue"))
c = ctypes.CDLL("{os.environ["TASKTWIN_BUILD"]}/libtasktwin.so")
for name in ("tasktwin_new_machine", "tasktwin_new_graph", "tasktwin_new_estimate"): getattr(c, name).restype = ctypes.c_void_p
c.tasktwin_error.restype = ctypes.c_char_p
machine, tasks = c.tasktwin_new_machine(b"nvidia-h200"), (ctypes.c_int64 * 8)(1)
graph = c.tasktwin_new_graph(tasks, ctypes.c_size_t(1), None, ctypes.c_size_t(0))
estimate = c.tasktwin_new_estimate(ctypes.c_void_p(graph), ctypes.c_void_p(machine), b"shared-queue", ctypes.c_uint64(1))
print(c.tasktwin_run(ctypes.c_void_p(estimate), (ctypes.c_int64 * 8)()), c.tasktwin_error().decode())
"""
    printed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert printed.startswith("-2 this process has an engine of SimGrid already")
