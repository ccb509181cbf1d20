#!/usr/bin/env python3
"""Programs in PyTorch, each in variants that do the same work another way. They know nothing of tasktwin.

torch_variants.py PROGRAM.VARIANT [PROGRAM.VARIANT ...] [--rounds N] [--lock FILE]

Prints a line of JSON for each: the median and quartiles of an iteration in µs, the device idle before and behind it. Then come --ranges
iterations within NVTX ranges "iteration", which a capture may be of. Work that does not depend on each other's stands in ranges of its own
(branch_N, chunk_N). --lock: a file that is held while the GPU is used, so that other processes may start meanwhile.
"""
import argparse
import fcntl
import json
import statistics
import time

import torch

nvtx = torch.cuda.nvtx


def half(*shape):
    return torch.randn(*shape, device="cuda").half()


def encoder(variant):
    """A transformer encoder: kernel by kernel, as a graph, and kernel by kernel with half the batch."""
    torch.backends.mha.set_fastpath_enabled(False)
    layer = torch.nn.TransformerEncoderLayer(512, 8, 2048, batch_first=True, dropout=0.0)
    model = torch.nn.TransformerEncoder(layer, 6, enable_nested_tensor=False).cuda().half().eval()
    x = half(2 if variant == "half" else 4, 128, 512)
    if variant != "graph":
        return lambda: model(x)
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            model(x)
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        model(x)
    return graph.replay


def branches(variant):
    """Four chains of different length: in one stream, in four, and those as a graph."""
    weights = [[half(1024, 1024) for _ in range(count)] for count in (12, 9, 6, 3)]
    inputs = [half(256, 1024) for _ in weights]
    streams = [torch.cuda.Stream() for _ in weights]

    def chain(x, own):
        for w in own:
            x = torch.relu(x @ w) * 0.03
        return x

    def one():
        ends = []
        for i, (x, own) in enumerate(zip(inputs, weights)):
            nvtx.range_push(f"branch_{i}")
            ends.append(chain(x, own))
            nvtx.range_pop()
        return sum(ends)

    def four():
        current = torch.cuda.current_stream()
        ends = []
        for i, (stream, x, own) in enumerate(zip(streams, inputs, weights)):
            stream.wait_stream(current)
            with torch.cuda.stream(stream):
                nvtx.range_push(f"branch_{i}")
                ends.append(chain(x, own))
                nvtx.range_pop()
        for stream in streams:
            current.wait_stream(stream)
        return sum(ends)

    if variant != "graph":
        return one if variant == "one" else four
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        for _ in range(3):
            four()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        four()
    return graph.replay


def pipeline(variant):
    """Chunks are copied in, multiplied twice and copied out, over one, three or four streams; "half" is "one" with chunks half as large."""
    rows, columns, count = (1024 if variant == "half" else 2048), 2048, 12
    weight = half(columns, columns)
    sources = [torch.randn(rows, columns).half().pin_memory() for _ in range(count)]
    targets = [torch.empty(rows, columns, dtype=torch.half).pin_memory() for _ in range(count)]
    streams = [torch.cuda.Stream() for _ in range({"one": 1, "half": 1, "three": 3, "four": 4}[variant])]

    def run():
        for i in range(count):
            with torch.cuda.stream(streams[i % len(streams)]):
                nvtx.range_push(f"chunk_{i}")
                x = sources[i].to("cuda", non_blocking=True)
                for _ in range(2):
                    x = x @ weight
                targets[i].copy_(x, non_blocking=True)
                nvtx.range_pop()
        for stream in streams:
            torch.cuda.current_stream().wait_stream(stream)

    return run


def diamond(variant):
    """Fork and join, eight times, ordered by the host's waits or by events."""
    weights = [half(1536, 1536) for _ in range(4)]
    left, right = torch.cuda.Stream(), torch.cuda.Stream()

    def run():
        current = torch.cuda.current_stream()
        top = weights[0]
        for _ in range(8):
            top = top @ weights[1] * 0.02
            if variant == "syncs":
                current.synchronize()
            else:
                left.wait_stream(current)
                right.wait_stream(current)
            with torch.cuda.stream(left):
                u = (top @ weights[2]) * 0.02
            with torch.cuda.stream(right):
                v = torch.softmax(top @ weights[3], -1)
            if variant == "syncs":
                left.synchronize()
                right.synchronize()
            else:
                current.wait_stream(left)
                current.wait_stream(right)
            top = u + v
        return top

    return run


def timed(work):
    torch.cuda.synchronize()
    begin = time.perf_counter_ns()
    work()
    torch.cuda.synchronize()
    return (time.perf_counter_ns() - begin) / 1e3


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("variants", nargs="+")
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--ranges", type=int, default=5)
    parser.add_argument("--lock")
    settings = parser.parse_args()
    if settings.lock:
        held = open(settings.lock, "w")  # until the process ends
        fcntl.flock(held, fcntl.LOCK_EX)
    torch.manual_seed(0)
    torch.backends.cuda.matmul.allow_tf32 = True
    programs = {"encoder": encoder, "branches": branches, "pipeline": pipeline, "diamond": diamond}
    with torch.no_grad():
        works = {}
        for name in settings.variants:
            program, variant = name.split(".")
            works[name] = programs[program](variant)
            for _ in range(5):
                works[name]()
        times = {name: [] for name in works}
        for _ in range(3):  # by turns, so that a slow moment of the host is nobody's alone
            for name, work in works.items():
                timed(work)
                times[name] += [timed(work) for _ in range(settings.rounds // 3)]
        for name, own in times.items():
            low, middle, high = statistics.quantiles(own, n=4)
            print(json.dumps({"name": name, "median_us": middle, "p25": low, "p75": high, "rounds": len(own)}), flush=True)
        for _ in range(settings.ranges):
            for work in works.values():
                nvtx.range_push("iteration")
                work()
                torch.cuda.synchronize()
                nvtx.range_pop()


main()
