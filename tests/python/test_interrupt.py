import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import tasktwin


def interrupted(call, after=0.3):
    """The seconds from Ctrl-C until `call` ends by KeyboardInterrupt."""
    sent = []

    def send():
        time.sleep(after)
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=send)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        call()
    thread.join()
    return time.monotonic() - sent[0]


def endless(tasks=200_000):
    """A graph that takes a while."""
    ids = np.arange(tasks)
    edges = np.concatenate([np.stack([ids[:-step], ids[step:]], axis=1) for step in range(1, 9)])
    return tasktwin.Graph.from_arrays(edges, time_ns=np.full(tasks, 1000))


@pytest.fixture(scope="module")
def large():
    return endless(300_000)


SLOW = 0.5  # seconds that a machine which others use as well may take for nothing


def test_a_long_simulation_ends_at_once_and_the_next_is_right(chains, machine):
    design = tasktwin.Design("central-dispatcher")
    expected = tasktwin.simulate(chains, machine, design).makespan_ns
    graph = endless()
    long = design.replace(name="long", sweep="all_cores")
    assert interrupted(lambda: [tasktwin.simulate(graph, machine, long) for _ in range(100)]) < 5
    assert tasktwin.simulate(chains, machine, design).makespan_ns == expected


LARGE = {
    "from_arrays": lambda graph, machine: endless(),
    "frozen lists": lambda graph, machine: tasktwin.simulate(graph, machine, tasktwin.Design("static-queues")),
    "streams": lambda graph, machine: tasktwin.simulate(graph, machine, tasktwin.Design("cuda-streams")),
    "simulate_many": lambda graph, machine: tasktwin.simulate_many(graph, machine, tasktwin.Design("shared-queue"), range(9)),
    "Scenario": lambda graph, machine: tasktwin.Scenario("s", graph, machine, [tasktwin.Design("shared-queue")]),
    "load_scenario": lambda graph, machine: tasktwin.load_scenario("layered-100k", ["graph.tasks=400000"]),
    "names": lambda graph, machine: graph.names,
}


@pytest.mark.parametrize("call", LARGE.values(), ids=LARGE)
def test_whatever_is_done_with_a_large_graph_ends_within_half_a_second(call, large, machine):
    assert interrupted(lambda: [call(large, machine) for _ in range(1000)], after=0.2) < 0.5 + SLOW


def test_metrics_and_bounds_of_a_large_run_end_at_once(large, machine):
    run = tasktwin.simulate(large, machine, tasktwin.Design("shared-queue"))
    for call in (run.metrics, run.bounds):
        assert interrupted(lambda: [call() for _ in range(1000)], after=0.1) < 0.5 + SLOW


def test_many_short_simulations_end_at_once(chains, machine):
    assert interrupted(lambda: tasktwin.simulate_many(chains, machine, tasktwin.Design("shared-queue"), range(10**6))) < 5


def test_copies_under_way_leave_nothing_for_the_next_run(machine):
    scenario = tasktwin.load_scenario("pipeline", ["graph.chunks=100000"])
    design = tasktwin.Design("cuda-streams")
    short = tasktwin.load_scenario("pipeline")
    expected = tasktwin.simulate(short.graph, short.machine, design).timeline.tasks.copy()
    assert interrupted(lambda: [tasktwin.simulate(scenario.graph, scenario.machine, design) for _ in range(1000)]) < 5
    assert (tasktwin.simulate(short.graph, short.machine, design).timeline.tasks == expected).all()


def test_a_comparison_ends_at_once(chains, machine):
    designs = [tasktwin.Design("shared-queue"), tasktwin.Design("central-dispatcher")]
    scenario = tasktwin.Scenario("long", chains, machine, designs)
    assert interrupted(lambda: tasktwin.compare(scenario, runs=100_000)) < 5


def test_waiting_for_another_thread_s_run_can_be_interrupted(chains, machine):
    graph = endless()
    design = tasktwin.Design("central-dispatcher")
    thread = threading.Thread(target=lambda: tasktwin.simulate(graph, machine, design), daemon=True)
    thread.start()
    time.sleep(0.05)
    assert interrupted(lambda: [tasktwin.simulate(chains, machine, design) for _ in range(10**6)]) < 5
    thread.join()


def test_the_engine_leaves_signal_handlers_alone(tmp_path):
    """Blocking calls are still woken by Ctrl-C, and Python's handlers stand."""
    program = textwrap.dedent(
        """
        import os, signal, threading, time
        import tasktwin
        before = signal.getsignal(signal.SIGINT)
        graph = tasktwin.Graph.from_arrays(count=3, time_ns=1)
        tasktwin.simulate(graph, tasktwin.load_machine("nvidia-h200"), tasktwin.Design("shared-queue"))
        assert signal.getsignal(signal.SIGINT) is before
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
        read, write = os.pipe()
        try:
            os.read(read, 1)
        except KeyboardInterrupt:
            print("woken")
        """
    )
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL, check=False
    )
    assert result.stdout == "woken\n", result.stderr


def test_a_handler_that_simulates_is_refused(chains, machine):
    refusals = []

    def handler(_signal, _frame):
        try:
            tasktwin.simulate(chains, machine, tasktwin.Design("shared-queue"))
        except tasktwin.RunError as error:
            refusals.append(str(error))
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, handler)
    try:
        graph = endless()
        interrupted(lambda: [tasktwin.simulate(graph, machine, tasktwin.Design("shared-queue")) for _ in range(100)])
    finally:
        signal.signal(signal.SIGINT, before)
    assert refusals == [] or "cannot start another" in refusals[0]
