"""The interpreter's end while other threads work, and objects that were never initialised."""

import subprocess
import sys
import textwrap

import pytest

import tasktwin


def ended(program, timeout=60):
    result = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        capture_output=True,
        text=True,
        timeout=timeout,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    assert result.returncode == 0, (result.returncode, result.stderr)
    return result.stdout


CALLS = {
    "simulate_many": "T.simulate_many(s.graph, s.machine, design, range(10**6))",
    "simulate": "[T.simulate(s.graph, s.machine, design, seed=seed) for seed in range(10**7)]",
    "a long run": "[T.simulate(long, s.machine, design) for _ in range(10**6)]",
    "compare": "T.compare(s, runs=100_000)",
    "explain": "[T.explain(s, 'shared-queue', seed=seed) for seed in range(10**6)]",
    "load_scenario": "[T.load_scenario('example') for _ in range(10**6)]",
    "from_arrays": "[T.Graph.from_arrays(count=200_000, time_ns=1) for _ in range(10**6)]",
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_the_interpreter_ends_while_a_daemon_thread_works(call):
    program = f"""
        import threading, time
        import tasktwin as T
        s = T.load_scenario("example")
        design = T.Design("shared-queue")
        long = T.Graph.from_arrays(count=100_000, time_ns=1000)
        def work():
            try:
                {call}
            except T.RunError:
                pass
        threading.Thread(target=work, daemon=True).start()
        time.sleep(0.1)
        print("leaving")
        """
    assert ended(program) == "leaving\n"


def test_what_is_registered_to_run_at_the_end_may_still_simulate():
    program = """
        import atexit
        @atexit.register
        def last():
            print(T.simulate(s.graph, s.machine, T.Design("shared-queue")).makespan_ns > 0)
        import tasktwin as T
        s = T.load_scenario("example")
        """
    assert ended(program) == "True\n"


def test_a_child_process_ends_though_its_parent_had_threads():
    program = """
        import os, threading, time
        import tasktwin as T
        s = T.load_scenario("example")
        work = lambda: T.simulate_many(s.graph, s.machine, T.Design("shared-queue"), range(10**6))
        threading.Thread(target=work, daemon=True).start()
        time.sleep(0.1)
        child = os.fork()
        if child == 0:
            raise SystemExit(0)
        print(os.waitpid(child, 0)[1])
        """
    assert ended(program) == "0\n"


def test_objects_that_were_never_initialised_are_refused():
    graph = tasktwin.Graph.from_arrays(count=2, time_ns=1000)
    machine = tasktwin.load_machine("nvidia-h200")
    design = tasktwin.Design("shared-queue")
    for kind in (tasktwin.Design, tasktwin.Graph, tasktwin.GraphBuilder, tasktwin.Machine, tasktwin.Scenario, tasktwin.Simulation, tasktwin.Timeline):
        try:
            empty = kind.__new__(kind)
        except TypeError:
            continue
        for name, member in vars(kind).items():
            if isinstance(member, property):
                with pytest.raises(TypeError, match="never initialised"):
                    getattr(empty, name)
            elif name in ("build", "metrics", "bounds", "to_yaml", "__len__", "__repr__", "__hash__"):
                with pytest.raises(TypeError, match="never initialised"):
                    member(empty)
    never = {kind: kind.__new__(kind) for kind in (tasktwin.Graph, tasktwin.Machine, tasktwin.Design, tasktwin.Timeline)}
    for arguments in (
        (never[tasktwin.Graph], machine, design),
        (graph, never[tasktwin.Machine], design),
        (graph, machine, never[tasktwin.Design]),
    ):
        for call in (tasktwin.simulate, tasktwin.simulate_many):
            with pytest.raises(TypeError, match="never initialised"):
                call(*arguments)
    with pytest.raises(TypeError, match="never initialised"):
        tasktwin.simulate(graph, machine, design, replayed=never[tasktwin.Timeline])
    with pytest.raises(TypeError, match="never initialised"):
        tasktwin.Scenario("s", graph, machine, [never[tasktwin.Design]])


def test_a_class_of_one_s_own_that_forgets_its_base_is_refused():
    class Mine(tasktwin.Design):
        def __init__(self):
            pass

    with pytest.raises(TypeError):
        repr(Mine())
