"""How near a guided search comes to trying everything: search_quality.py TASKTWIN [SCENARIO...].

For each scenario every point of a space is simulated, and then a tenth of them under `search`. Prints by how much the design that the search
found is slower than the best one; exits with 1 where that is more than 1 %.
"""
import csv
import io
import subprocess
import sys

SCENARIOS = [f"suite/{name}" for name in (
    "tree-10us", "fft-5us", "stencil-2us", "random-4us", "layered-33-cores", "layered-a", "cholesky-small", "fresh-tree", "fresh-layered",
    "experts-even")]
SPACE = [
    "--designs", "central-dispatcher,shared-queue,work-stealing,hybrid",
    "--vary", "designs.order=fifo,lifo,critical_path,longest,shortest,most_successors",
    "--vary", "designs.mailbox_depth=1,2,3,4,5",
    "--vary", "designs.central-dispatcher.dispatchers=1,2,3,4,6,8",
    "--vary", "designs.central-dispatcher.placement=any_idle,least_loaded,locality",
    "--vary", "designs.central-dispatcher.fill",
    "--vary", "designs.shared-queue.claim_size=1,2,3,4,6,8,12,16",
    "--vary", "designs.work-stealing.stealing",
    "--vary", "designs.work-stealing.victim",
    "--vary", "designs.hybrid.static_percent=0,10,20,30,40,50,60,70,80,90,100",
]


def points(tasktwin, scenario, *more):
    done = subprocess.run([tasktwin, "search", scenario, *SPACE, "--format", "csv", *more], capture_output=True, text=True, check=True)
    return list(csv.DictReader(io.StringIO(done.stdout)))


def main():
    tasktwin, scenarios = sys.argv[1], sys.argv[2:] or SCENARIOS
    worst = 0.0
    print(f"{'scenario':<24}{'points':>8}{'legal':>8}{'tried':>8}{'best, us':>12}{'found, us':>12}{'slower':>9}")
    for scenario in scenarios:
        everything = points(tasktwin, scenario, "--method", "grid", "--no-prune", "--jobs", "0")
        ran = [float(point["makespan_ns"]) for point in everything if point["makespan_ns"]]
        budget = len(ran) // 10
        some = points(tasktwin, scenario, "--budget", str(budget), "--no-prune", "--jobs", "0")
        tried = [float(point["makespan_ns"]) for point in some if point["makespan_ns"]]
        slower = min(tried) / min(ran) - 1
        worst = max(worst, slower)
        print(f"{scenario:<24}{len(everything):>8}{len(ran):>8}{len(tried):>8}{min(ran) / 1e3:>12.2f}{min(tried) / 1e3:>12.2f}{slower:>9.2%}",
              flush=True)
    return worst > 0.01


if __name__ == "__main__":
    sys.exit(main())
