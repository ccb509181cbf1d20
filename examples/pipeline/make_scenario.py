#!/usr/bin/env python3
"""Writes pipeline-warp-specialised.yaml: chains of matrix products, a stream each, by a kernel whose warps have roles."""

CHAINS, LENGTH, ROWS, WIDTH = 4, 6, 512, 1024
TILE, TILES_A_BLOCK = 128, 2
BLOCKS = ROWS // TILE * WIDTH // TILE // TILES_A_BLOCK

HEAD = f"""\
# Written by make_scenario.py.
scenario: pipeline-warp-specialised
description: "{CHAINS} chains of {LENGTH} matrix products, a stream each, by a kernel of loading, computing and storing warps"
machine: nvidia-h200
buffers:
  - {{name: w, type: half, count: {WIDTH * WIDTH}, fill: uniform, scale: 0.09375}}
"""

KERNELS = f"""\
kernels:
  - name: product
    source: pipeline.cu
    threads: 224
    shared_memory_bytes: 178304
    parameters:
      - {{name: x, type: buffer}}
      - {{name: w, type: buffer, value: w}}
      - {{name: y, type: buffer}}
      - {{name: depth, type: integer, value: {WIDTH}}}
      - {{name: columns, type: integer, value: {WIDTH}}}
      - {{name: tiles_a_block, type: integer, value: {TILES_A_BLOCK}}}
    # a block, by tensor cores
    cost: {{flops: {2 * TILE * TILE * WIDTH * TILES_A_BLOCK}, flops_per_ns: 2500}}
graph:
  tasks:
"""

TAIL = f"""\
designs:
  - {{name: streams, from: cuda-streams, streams: {CHAINS}, stream_granularity: hinted}}
  - cuda-graph
  - {{name: graph-programmatic, from: cuda-graph, programmatic_launch: "on"}}
seed: 1
"""


def buffers():
    for chain in range(CHAINS):
        yield f"{{name: state-{chain}-0, type: half, count: {ROWS * WIDTH}, fill: uniform}}"
        for step in range(1, LENGTH + 1):
            yield f"{{name: state-{chain}-{step}, type: half, count: {ROWS * WIDTH}}}"


def tasks():
    for step in range(LENGTH):
        for chain in range(CHAINS):
            after = f", after: [product-{chain}-{step - 1}]" if step > 0 else ""
            yield (f"{{name: product-{chain}-{step}, kernel: product, layer: {step}, stream: {chain}, blocks: {BLOCKS}, "
                   f"arguments: {{x: state-{chain}-{step}, y: state-{chain}-{step + 1}}}{after}}}")


if __name__ == "__main__":
    with open(__file__.replace("make_scenario.py", "pipeline-warp-specialised.yaml"), "w", encoding="utf-8") as file:
        file.write(HEAD + "".join(f"  - {buffer}\n" for buffer in buffers()) + KERNELS + "".join(f"    - {task}\n" for task in tasks()) + TAIL)
