"""How near a guided search comes to trying everything: search_quality.py TASKTWIN [--only NAME,...] [--seeds N].

Each case has a scenario and a space of at least 2000 points that can be simulated. All of them are, then a tenth of them under
`search` with each of the seeds 1 to N. Printed is by how much the best design found is slower than the best of all; beside it what drawing
as many points by chance gives, and how many points lie within 1 % of the best. Exits with 1 where the search is more than 1 % off, or the
space is smaller than it should be.
"""
import argparse
import csv
import io
import subprocess
import sys
import tempfile

LEAST_POINTS = 2000
LIMIT = 0.01

ORDERS = "fifo,lifo,critical_path,longest,shortest,most_successors"
QUEUES = {
    "designs": "central-dispatcher,shared-queue,work-stealing,hybrid",
    "designs.order": ORDERS,
    "designs.mailbox_depth": "1,2,3,4,5",
    "designs.central-dispatcher.dispatchers": "1,2,3,4,6,8",
    "designs.central-dispatcher.placement": "any_idle,least_loaded,locality",
    "designs.central-dispatcher.fill": "",
    "designs.shared-queue.claim_size": "1,2,3,4,6,8,12,16",
    "designs.work-stealing.stealing": "",
    "designs.work-stealing.victim": "",
    "designs.hybrid.static_percent": "0,10,20,30,40,50,60,70,80,90,100",
}
DISPATCHERS = {
    "designs": "central-dispatcher",
    "designs.order": ORDERS,
    "designs.dispatchers": "1,2,4,8",
    "designs.ready_queue": "shared,per_dispatcher",
    "designs.placement": "any_idle,least_loaded,locality",
    "designs.loop": "",
    "designs.sweep": "",
    "designs.fill": "",
    "designs.mailbox_depth": "1,2,4",
}
LISTS = {
    "designs": "hybrid,static-queues,work-stealing",
    "designs.mailbox_depth": "1,2,3",
    "designs.hybrid.static_percent": ",".join(str(percent) for percent in range(0, 101, 5)),
    "designs.hybrid.placement": "heft,peft,cpop,dls,min_min,round_robin",
    "designs.hybrid.order": ORDERS,
    "designs.static-queues.placement": "heft,peft,cpop,dls,min_min,round_robin",
    "designs.work-stealing.order": ORDERS,
    "designs.work-stealing.stealing": "",
    "designs.work-stealing.victim": "",
}
STREAMS = {
    "designs": "cuda-streams",
    "designs.streams": "1,2,3,4,6,8,12,16,24,32,64,128",
    "designs.stream_granularity": "per_core,per_layer,list_scheduled,hinted",
    "designs.stream_wait": "events,event_sync,event_query,stream_sync,callback",
    "designs.default_stream": "",
    "designs.stream_priorities": "",
    "designs.programmatic_launch": "",
}
ASCEND = {
    "designs": "ascend-host-built,ascend-device-built",
    "designs.order": ORDERS,
    "designs.mailbox_depth": "1,2,3,4",
    "designs.loop": "",
    "designs.sweep": "",
    "designs.dispatchers": "1,2,3",
    "designs.placement": "any_idle,least_loaded,locality",
    "designs.fill": "",
}
GRAIN = {
    "designs": "central-dispatcher,shared-queue,work-stealing,static-queues",
    "designs.order": "fifo,lifo,critical_path,longest",
    "designs.mailbox_depth": "1,2,4",
    "graph.tile": "2,4,8,16,32,64",
    "graph.group": "16,32,64,128,256",
    "designs.central-dispatcher.dispatchers": "1,2,4,8",
    "designs.work-stealing.stealing": "one,half",
}
CUTS = {
    "designs": "shared-queue,central-dispatcher,work-stealing",
    "designs.order": "fifo,lifo,longest,shortest",
    "graph.tasks": "64,128,256,512,1024,2048",
    "designs.shared-queue.claim": "",
    "designs.shared-queue.claim_size": "1,2,4,8,16,32",
    "designs.central-dispatcher.dispatchers": "1,2,3,4,6,8",
    "designs.central-dispatcher.mailbox_depth": "1,2,3,4",
    "designs.central-dispatcher.fill": "",
    "designs.work-stealing.stealing": "",
    "designs.work-stealing.victim": "",
}
TILES = {
    "designs": "static-queues,shared-queue,hybrid",
    "graph.slices": "2,4,8,16",
    "graph.qkv_rows": "12,24,48",
    "graph.gate_up_rows": "16,32,64,128",
    "graph.down_rows": "8,16,32",
    "designs.static-queues.placement": "heft,cpop,min_min,round_robin",
    "designs.shared-queue.order": "fifo,lifo,critical_path,most_successors",
    "designs.shared-queue.mailbox_depth": "1,2",
    "designs.hybrid.static_percent": "25,50,75",
}
SUMS = {
    "designs": "ascend-host-built,ascend-device-built",
    "graph.gemms": "1,4,16",
    "designs.order": "fifo,lifo,critical_path,most_successors",
    "designs.dispatchers": "1,2,3,4",
    "designs.mailbox_depth": "1,2",
    "designs.placement": "any_idle,least_loaded,locality",
    "designs.loop": "",
    "designs.ascend-device-built.window": "16,64,256,1024",
}
IRREGULAR = """scenario: irregular
machine: nvidia-h200
graph: {generator: layered_random, tasks: 400, width: 50, predecessors: 4, min_time_ns: 200, max_time_ns: 20000}
designs: [central-dispatcher]
"""
EXPERTS = """scenario: experts
machine: nvidia-h200
graph: {generator: mixture_of_experts, layers: 2, tokens: 1024, experts: 32, skew_percent: 120, token_flops: 100000}
designs: [central-dispatcher]
"""
ITEMS = """scenario: items
machine: nvidia-h200
graph: {generator: item_chunks, items: 20000, tasks: 1000}
designs: [shared-queue]
"""
DECODE = """scenario: decode
machine: nvidia-h200
graph: {generator: llama_decode, layers: 2, hidden: 1024, heads: 16, kv_heads: 4, mlp: 4096, vocabulary: 16384, kv_length: 2048}
designs: [shared-queue]
"""
GROUPS = """scenario: groups
machine: ascend-a2a3
graph: {generator: batched_gemm, groups: 40}
designs: [ascend-host-built]
"""
CASES = {
    "tree-10us": ("suite/tree-10us", QUEUES),
    "layered-33-cores": ("suite/layered-33-cores", QUEUES),
    "irregular": (IRREGULAR, QUEUES),
    "fft-5us": ("suite/fft-5us", DISPATCHERS),
    "cholesky-small": ("suite/cholesky-small", DISPATCHERS),
    "experts-even": ("suite/experts-even", LISTS),
    "random-4us": ("suite/random-4us", LISTS),
    "stencil-2us": ("suite/stencil-2us", STREAMS),
    "ascend-attention": ("ascend-paged-attention-small", ASCEND),
    "grain": (EXPERTS, GRAIN),
    # made after the search was, which nothing was tried on
    "cut-items": (ITEMS, CUTS),
    "decode-tiles": (DECODE, TILES),
    "batched-sums": (GROUPS, SUMS),
}


def arguments(space):
    words = []
    for path, values in space.items():
        words += ["--designs", values] if path == "designs" else ["--vary", f"{path}={values}" if values else path]
    return words


def makespans(tasktwin, scenario, space, *more):
    """Of the points that were simulated; and how many there are in all."""
    command = [tasktwin, "search", scenario, *arguments(space), "--format", "csv", "--jobs", "0", *more]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr}")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    return [float(row["makespan_ns"]) for row in rows if row["makespan_ns"]], len(rows)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tasktwin")
    parser.add_argument("--only", default=",".join(CASES))
    parser.add_argument("--seeds", type=int, default=5)
    asked = parser.parse_args()
    failed = False
    print(f"{'case':<18}{'points':>8}{'legal':>8}{'within 1 %':>12}{'budget':>8}{'best, us':>12}{'worst/best':>12}  search slower by, per seed"
          f"{'':<12}by chance")
    for name in asked.only.split(","):
        scenario, space = CASES[name]
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            if "\n" in scenario:
                file.write(scenario)
                file.flush()
                scenario = file.name
            ran, points = makespans(asked.tasktwin, scenario, space, "--method", "grid", "--no-prune")
            best, budget = min(ran), len(ran) // 10

            def slower(*more):
                tried, _ = makespans(asked.tasktwin, scenario, space, "--budget", str(budget), *more)
                assert len(tried) <= budget, "the search has simulated more than it may"
                return min(tried) / best - 1

            seeds = [str(seed) for seed in range(1, asked.seeds + 1)]
            found = [slower("--seed", seed) for seed in seeds]
            chance = [slower("--method", "random", "--no-prune", "--seed", seed) for seed in seeds]
        near = sum(makespan <= best * (1 + LIMIT) for makespan in ran)
        failed |= len(ran) < LEAST_POINTS or max(found) > LIMIT
        print(f"{name:<18}{points:>8}{len(ran):>8}{near:>12}{budget:>8}{best / 1e3:>12.2f}{max(ran) / best:>12.2f}  "
              + " ".join(f"{share:7.2%}" for share in found) + "  |" + " ".join(f"{share:7.2%}" for share in chance), flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
