"""Orders the launches of a captured PyTorch program by estimates: order_launches.py PLUG_IN TRACE [STREAMS].

PLUG_IN is order_launches.c, built; TRACE a file of torch.profiler. Needs the module tasktwin, which reads the trace.
"""

import ctypes
import sys
import tempfile
from pathlib import Path

import numpy as np
import tasktwin

TASK = np.dtype([("time_ns", "i8"), ("bytes", "i8"), ("core_type", "i4"), ("priority", "i4"), ("core", "i4"), ("place", "i4")])


def main(plug_in, trace, streams=4):
    with tempfile.TemporaryDirectory() as folder:
        graph = tasktwin.import_scenario(trace, Path(folder) / "program.yaml").graph
    tasks = np.zeros(len(graph), TASK)
    tasks["time_ns"] = graph.time_ns
    to = np.repeat(np.arange(len(graph)), np.diff(graph.predecessor_offsets))
    edges = np.stack([graph.predecessors, to], axis=1).astype(np.uint32)
    order = np.zeros(len(graph), np.uint32)
    makespans = (ctypes.c_int64 * 3)()
    status = ctypes.CDLL(plug_in).order_launches(
        b"nvidia-h100",
        ctypes.c_int(int(streams)),
        tasks.ctypes.data_as(ctypes.c_void_p),
        ctypes.c_size_t(len(tasks)),
        edges.ctypes.data_as(ctypes.c_void_p),
        ctypes.c_size_t(len(edges)),
        ctypes.c_int(200),
        order.ctypes.data_as(ctypes.c_void_p),
        makespans,
    )
    if status != 0:
        return 1
    assert sorted(order) == list(range(len(graph))), "each task once"
    given, by_way, best = (time / 1000 for time in makespans)
    print(f"{len(graph)} launches on {streams} streams: {given:.1f} µs in the program's order, {by_way:.1f} µs the longest way first, {best:.1f} µs as found")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
