import threading
import time

import tasktwin

DESIGNS = [tasktwin.Design(name) for name in ("cuda-streams", "central-dispatcher", "shared-queue", "static-queues")]


def test_threads_that_simulate_at_once_get_what_one_gets():
    scenarios = [tasktwin.load_scenario(name) for name in ("example", "pipeline", "scratch", "side-by-side")]
    work = [(scenario, design) for scenario in scenarios for design in scenario.designs]

    def makespan(scenario, design):
        return tasktwin.simulate(scenario.graph, scenario.machine, design, seed=2).makespan_ns

    expected = [makespan(*one) for one in work]
    found = {}

    def run(thread):
        for i in range(3 * len(work)):
            at = (i + thread) % len(work)
            found[thread, i] = makespan(*work[at]) == expected[at]

    threads = [threading.Thread(target=run, args=(thread,)) for thread in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 12 * len(work)
    assert all(found.values())


def test_other_threads_go_on_while_one_simulates(chains, machine):
    done = threading.Event()
    turns = 0

    def simulate():
        tasktwin.simulate_many(chains, machine, DESIGNS, range(50))
        done.set()

    thread = threading.Thread(target=simulate)
    thread.start()
    while not done.is_set():
        turns += 1
        time.sleep(0.001)
    thread.join()
    assert turns > 5


def test_a_list_may_change_while_its_graphs_are_simulated(machine):
    graphs = [tasktwin.Graph.from_arrays(count=2000, time_ns=1000 + i) for i in range(20)]
    thread = threading.Thread(target=lambda: tasktwin.simulate_many(graphs, machine, DESIGNS[2], range(20)))
    thread.start()
    while thread.is_alive():
        graphs.clear()
        time.sleep(0.001)
    thread.join()
