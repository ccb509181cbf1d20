"""Which design suits a factorisation in tiles, and what one design does with its cores.

PYTHONPATH=build/release/python python3 examples/python/tutorial.py [FOLDER]    # writes FOLDER/makespans.png and FOLDER/timeline.png
"""

import sys
from pathlib import Path

try:
    import matplotlib
    import numpy as np
except ModuleNotFoundError as missing:
    sys.exit(f"tutorial.py needs {missing.name}: pip install {missing.name}, or on Debian apt install python3-{missing.name}")
matplotlib.use("Agg")
import matplotlib.pyplot as plt

import tasktwin


def tiled_graph(tiles, time_ns):
    """A wavefront: each tile waits for the one above it and the one to its left. Ids are row * tiles + column."""
    ids = np.arange(tiles * tiles).reshape(tiles, tiles)
    down = np.stack([ids[:-1].ravel(), ids[1:].ravel()], axis=1)
    right = np.stack([ids[:, :-1].ravel(), ids[:, 1:].ravel()], axis=1)
    return tasktwin.Graph.from_arrays(
        np.concatenate([down, right]), time_ns=np.full(tiles * tiles, time_ns), sigma_ns=time_ns // 10
    )


def plot_makespans(designs, makespans, file):
    """Makespans by design and seed, in microseconds."""
    figure, axes = plt.subplots(figsize=(8, 3), layout="constrained")
    axes.boxplot(list(makespans / 1000), vert=False, labels=[design.name for design in designs])
    axes.set_xlabel("makespan, µs")
    figure.savefig(file)
    plt.close(figure)


def plot_timeline(timeline, file):
    """A bar for each body, by core."""
    figure, axes = plt.subplots(figsize=(8, 4), layout="constrained")
    length = timeline.ended_ns - timeline.started_ns
    axes.barh(timeline.core, length / 1000, left=timeline.started_ns / 1000, height=0.9)
    axes.set_xlabel("time, µs")
    axes.set_ylabel("core")
    figure.savefig(file)
    plt.close(figure)


def main(folder):
    machine = tasktwin.load_machine("nvidia-h200")
    graph = tiled_graph(tiles=16, time_ns=5000)
    designs = [
        tasktwin.Design("static-queues"),
        tasktwin.Design("central-dispatcher"),
        tasktwin.Design("lifo", base="shared-queue", order="lifo"),
    ]

    runs = tasktwin.simulate_many(graph, machine, designs, seeds=range(1, 31))
    makespans = runs["makespan_ns"][0]  # of the only graph: by design and seed
    for design, of_design in zip(designs, makespans):
        print(f"{design.name}: {of_design.mean() / 1000:.1f} µs")
    plot_makespans(designs, makespans, folder / "makespans.png")

    scenario = tasktwin.Scenario("wavefront", graph, machine, designs)
    result = tasktwin.compare(scenario, runs=30)
    print("winner:", result["winner"] or "not separated")
    for sentence in tasktwin.explain(scenario, "static-queues", "central-dispatcher")["sentences"]:
        print("-", sentence)

    best = next(design for design in designs if design.name == result["best"])
    simulation = tasktwin.simulate(graph, machine, best)
    plot_timeline(simulation.timeline, folder / "timeline.png")
    print(f"cores busy under {best.name}: {simulation.metrics()['core_busy_share']:.0%}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
