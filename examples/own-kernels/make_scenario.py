#!/usr/bin/env python3
"""Writes own-kernels.yaml: rows of a table, a matrix product in tiles, a softmax over its rows."""

ROWS, DEPTH, COLUMNS, TABLE = 2048, 1024, 1024, 8192
TILE, GATHERED, NORMED = 128, 32, 16

HEAD = f"""\
# Written by make_scenario.py.
scenario: own-kernels
description: "{ROWS} rows of a table times a matrix, in tiles of {TILE} x {TILE}, and a softmax over each row: three kernels of the scenario's own"
machine: nvidia-h200
buffers:
  - {{name: table, type: half, count: {TABLE * DEPTH}, fill: uniform}}
  - {{name: numbers, type: int32, count: {ROWS}, fill: uniform, range: {TABLE}}}
  - {{name: x, type: half, count: {ROWS * DEPTH}}}
  - {{name: w, type: half, count: {DEPTH * COLUMNS}, fill: uniform, scale: 0.125}}
  - {{name: y, type: half, count: {ROWS * COLUMNS}}}
  - {{name: p, type: float, count: {ROWS * COLUMNS}}}
kernels:
  - name: gather
    source: rows.cu
    entry: gather_rows
    parameters:
      - {{name: table, type: buffer, value: table}}
      - {{name: numbers, type: buffer, value: numbers}}
      - {{name: x, type: buffer, value: x}}
      - {{name: first, type: integer}}
      - {{name: rows, type: integer, value: {GATHERED}}}
      - {{name: columns, type: integer, value: {DEPTH}}}
    cost: {{bytes: {2 * GATHERED * DEPTH * 2}}}
  - name: gemm_tile
    source: gemm_tile.cu
    shared_memory_bytes: 196608
    parameters:
      - {{name: x, type: buffer, value: x}}
      - {{name: w, type: buffer, value: w}}
      - {{name: y, type: buffer, value: y}}
      - {{name: row, type: integer}}
      - {{name: column, type: integer}}
      - {{name: depth, type: integer, value: {DEPTH}}}
      - {{name: columns, type: integer, value: {COLUMNS}}}
    # by tensor cores; what it reads is mostly in the L2 cache
    cost: {{flops: {2 * TILE * TILE * DEPTH}, flops_per_ns: 2500}}
  - name: softmax
    source: rows.cu
    entry: softmax_rows
    parameters:
      - {{name: y, type: buffer, value: y}}
      - {{name: p, type: buffer, value: p}}
      - {{name: first, type: integer}}
      - {{name: rows, type: integer, value: {NORMED}}}
      - {{name: columns, type: integer, value: {COLUMNS}}}
    cost: {{bytes: {NORMED * COLUMNS * 6}}}
graph:
  tasks:
"""

TAIL = """\
designs:
  - cuda-streams
  - cuda-graph
  - {name: graph-programmatic, from: cuda-graph, programmatic_launch: "on"}
  - static-queues
  - shared-queue
  - work-stealing
  - central-dispatcher
seed: 1
"""


def tasks():
    for first in range(0, ROWS, GATHERED):
        yield f"{{name: gather-{first}, kernel: gather, layer: 0, arguments: {{first: {first}}}}}"
    for row in range(ROWS // TILE):
        after = ", ".join(f"gather-{first}" for first in range(row * TILE, (row + 1) * TILE, GATHERED))
        for column in range(COLUMNS // TILE):
            yield (f"{{name: tile-{row}-{column}, kernel: gemm_tile, layer: 1, "
                   f"arguments: {{row: {row}, column: {column}}}, after: [{after}]}}")
    for first in range(0, ROWS, NORMED):
        after = ", ".join(f"tile-{first // TILE}-{column}" for column in range(COLUMNS // TILE))
        yield f"{{name: softmax-{first}, kernel: softmax, layer: 2, arguments: {{first: {first}}}, after: [{after}]}}"


if __name__ == "__main__":
    with open(__file__.replace("make_scenario.py", "own-kernels.yaml"), "w", encoding="utf-8") as file:
        file.write(HEAD + "".join(f"    - {task}\n" for task in tasks()) + TAIL)
