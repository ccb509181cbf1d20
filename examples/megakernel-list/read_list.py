#!/usr/bin/env python3
"""Reads the list maker of a shipped megakernel where it lies, and writes the lists that it makes for Llama-3.2-1B as a scenario: each piece on
the multiprocessor that has it there, in its order, behind the counters that it waits for there.

    git clone https://github.com/HazyResearch/Megakernels
    python3 read_list.py Megakernels/megakernels/demos/latency/scheduler.py --machine nvidia-h200 > list.yaml
    tasktwin simulate list.yaml

The file gives the blocks of rows; how pieces are dealt out is written here anew from it ('rr', the default of its scripts). A piece with a norm
is the norm, for as long as `rms_norm` takes, and then the product; weights are bytes of kernel `stream`, loaded ahead.
"""
import argparse
import re
import sys

LAYERS, HIDDEN, HEADS, KV_HEADS, HEAD_DIM, MLP, VOCABULARY = 16, 2048, 32, 8, 64, 8192, 128256
BYTES = 2  # of a weight


class Lists:
    """Tasks in the order of the list maker, dealt out in turn."""

    def __init__(self, workers, norm_ns):
        self.workers, self.norm_ns = workers, norm_ns
        self.dealt = 0
        self.lines = []

    def line(self, name, fields, after):
        if after:
            fields += f", after: [{', '.join(after)}]"
        self.lines.append(f"    - {{name: {name}, {fields}}}")
        return name

    def joined(self, name, after):
        """A counter that all of them count down."""
        return [self.line(name, "operation: event", after)]

    def turn(self):
        worker = self.dealt % self.workers
        self.dealt += 1
        return f", workers: [{worker}, {worker}]"

    def takes(self, name, time_ns, after):
        return self.line(name, f"time_ns: {time_ns}" + self.turn(), after)

    def product(self, name, rows, columns, after, norm=False):
        where = self.turn()
        if norm:
            after = [self.line("norm-" + name, f"time_ns: {self.norm_ns}" + where, after)]
        return self.line(name, f"kernel: stream, bytes: {rows * columns * BYTES}" + where, after)


def parts(blocks, workers):
    each = blocks / workers
    return [(round(i * each), round((i + 1) * each)) for i in range(workers)]


def down_jobs(blocks, splits, workers):
    """Of each worker, how many blocks of which part of the columns."""
    jobs = [split for split in range(splits) for _ in range(blocks)]
    done = 0
    for worker in range(workers):
        mine = jobs[done:done + round((len(jobs) - done) / (workers - worker))]
        mine = mine[:mine.count(mine[0])]
        done += len(mine)
        yield len(mine)


def write_layer(lists, layer, blocks, attention_ns, after):
    first = f"{layer}."
    rows = (HEADS + 2 * KV_HEADS) * HEAD_DIM
    has = {}
    for i, (begin, end) in enumerate(parts(rows // blocks["qkv"], lists.workers)):
        name = lists.product(f"qkv{first}{i}", (end - begin) * blocks["qkv"], HIDDEN, after, norm=True)
        has.update({block: name for block in range(begin, end)})
    a_head = HEAD_DIM // blocks["qkv"]
    group = HEADS // KV_HEADS
    heads = []
    for head in range(KV_HEADS):
        needed = range(head * group, (head + 1) * group), [HEADS + head], [HEADS + KV_HEADS + head]
        read = {has[of * a_head + i] for heads_of in needed for of in heads_of for i in range(a_head)}
        heads.append(lists.takes(f"attention{first}{head}", attention_ns, sorted(read)))
    after = lists.joined(f"attended{layer}", heads)
    after = lists.joined(f"projected{layer}", [lists.product(f"project{first}{i}", blocks["o_proj"], HIDDEN, after)
                                               for i in range(HIDDEN // blocks["o_proj"])])
    up = blocks["up_gate_proj"]
    after = lists.joined(f"gated{layer}", [lists.product(f"gate-up{first}{i}", 2 * up * len(range(i, MLP // up, lists.workers)), HIDDEN,
                                                         after, norm=True) for i in range(lists.workers)])
    down = blocks["down_proj"]
    counts = down_jobs(HIDDEN // down, MLP // HIDDEN, lists.workers)
    return lists.joined(f"done{layer}", [lists.product(f"down{first}{i}", down * count, HIDDEN, after) for i, count in enumerate(counts)])


def main():
    parser = argparse.ArgumentParser(description="writes the lists of a shipped megakernel for a decode step of Llama-3.2-1B as a scenario")
    parser.add_argument("scheduler", help="megakernels/demos/latency/scheduler.py of HazyResearch/Megakernels")
    parser.add_argument("--machine", default="nvidia-h200")
    parser.add_argument("--workers", type=int, default=132)
    parser.add_argument("--norm-ns", type=int, default=1771, help="what a norm takes: rms_norm of the machine")
    parser.add_argument("--attention-ns", type=int, default=4944, help="what attention over a KV head takes: of the machine, at 96 positions")
    parser.add_argument("--prefetch", type=int, default=2, help="tasks of a list whose weights are loaded ahead, norms among them; 0 for none")
    options = parser.parse_args()
    with open(options.scheduler) as file:
        blocks = {name: int(size) for name, size in re.findall(r"(\w+)_block_size=(\d+)", file.read())}
    missing = [name for name in ("qkv", "o_proj", "up_gate_proj", "down_proj", "lm_head") if name not in blocks]
    if missing:
        sys.exit(f"{options.scheduler}: states no {missing[0]}_block_size")
    lists = Lists(options.workers, options.norm_ns)
    after = []
    for layer in range(LAYERS):
        after = write_layer(lists, layer, blocks, options.attention_ns, after)
    for i, (begin, end) in enumerate(parts(VOCABULARY // blocks["lm_head"], lists.workers)):
        lists.product(f"head.{i}", (end - begin) * blocks["lm_head"], HIDDEN, after, norm=True)
    ahead = f", prefetch: {options.prefetch}" if options.prefetch else ""
    print(f"scenario: megakernel-list\nmachine: {options.machine}\ngraph:\n  tasks:")
    print("\n".join(lists.lines))
    print(f"designs:\n  - {{name: lists, from: static-queues, placement: round_robin, own_list: order{ahead}}}")


main()
