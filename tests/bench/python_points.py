"""How long 500 points take from Python: five designs on 100 machines, a graph of 300 tasks each. Exit 1 beyond LIMIT seconds of processor time.

Processor time, so that others' load does not count; the shortest of ROUNDS.
"""

import sys
import time

import tasktwin

LIMIT = 0.25
ROUNDS = 5
DESIGNS = ["static-queues", "shared-queue", "central-dispatcher", "work-stealing", "cuda-graph"]


def main():
    scenario = tasktwin.load_scenario("layered-100k", ["graph.tasks=300", "graph.width=20", "designs=[central-dispatcher]"])
    base = scenario.machine
    machines = [base.changed({"resident_cores": {"counter_hop_ns": 300 + 5 * i}}) for i in range(100)]
    designs = [tasktwin.Design(name) for name in DESIGNS]
    shortest = float("inf")
    for _ in range(ROUNDS):
        begin = time.process_time()
        points = [tasktwin.simulate_many(scenario.graph, machine, designs, 1)["makespan_ns"] for machine in machines]
        shortest = min(shortest, time.process_time() - begin)
    assert sum(point.size for point in points) == 500
    print(f"500 points: {shortest:.3f} s of processor time, {shortest / 500 * 1e6:.0f} µs a point")
    return 0 if shortest <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
