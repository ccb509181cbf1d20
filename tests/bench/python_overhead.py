"""How much longer simulations take from Python than in C++: python_overhead.py REFERENCE [RUNS]. Exit 1 beyond LIMIT.

REFERENCE is tests/bench/python_reference.cpp, built. Both take turns, and processor time is compared, so that others' load counts for
neither.
"""

import subprocess
import sys
import time

import tasktwin

LIMIT = 1.5
ROUNDS = 5
SCENARIO = "layered-100k"
OVERRIDES = ["graph.tasks=300", "graph.width=20", "designs=[central-dispatcher]"]


def timed(work):
    begin = time.process_time()
    total = work()
    return time.process_time() - begin, total


def in_cpp(reference, runs):
    printed = subprocess.run([reference, SCENARIO, str(runs), *OVERRIDES], check=True, capture_output=True, text=True)
    seconds, total = printed.stdout.split()
    return float(seconds), int(total)


def main(reference, runs):
    scenario = tasktwin.load_scenario(SCENARIO, OVERRIDES)
    graph, machine, design = scenario.graph, scenario.machine, scenario.designs[0]
    seeds = range(1, runs // ROUNDS + 1)
    ways = {
        "C++": lambda: in_cpp(reference, len(seeds)),
        "simulate_many": lambda: timed(
            lambda: int(tasktwin.simulate_many(graph, machine, design, seeds)["makespan_ns"].sum())
        ),
        "simulate, one by one": lambda: timed(
            lambda: sum(tasktwin.simulate(graph, machine, design, seed=seed).makespan_ns for seed in seeds)
        ),
    }
    tasktwin.simulate(graph, machine, design)
    seconds = dict.fromkeys(ways, 0.0)
    for _ in range(ROUNDS):
        totals = set()
        for way, run in ways.items():
            taken, total = run()
            seconds[way] += taken
            totals.add(total)
        if len(totals) != 1:
            sys.exit(f"the makespans differ: {totals}")
    print(f"{len(seeds) * ROUNDS} simulations of a graph of {len(graph)} tasks under {design.name}")
    for way, taken in seconds.items():
        print(f"  {way:<21} {taken:7.2f} s of processor time, {taken / seconds['C++']:.3f} × C++")
    return 0 if max(seconds.values()) <= LIMIT * seconds["C++"] else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 10_000))
