#!/usr/bin/env python3
"""Writes moe-layer.yaml: a layer with a router, eight routed experts and a shared one, two products each, and a weighted sum.

The joins are counters that many watch (operation event): each half of an expert is 8 and 16 pieces, all of the second after all of the first.
"""

TOKENS, HIDDEN, INNER, EXPERTS, COLUMNS, ROUTED, SUMMED = 128, 1024, 512, 8, 64, 16, 8
FOUR = 4  # bytes of a float


def product(rows, depth):
    """Flops and bytes of a piece: `rows` rows of `depth`, times COLUMNS columns."""
    return f"flops: {2 * rows * depth * COLUMNS}, bytes: {FOUR * (rows * depth + depth * COLUMNS + rows * COLUMNS)}"


def main():
    sizes = f"{{name: hidden, type: integer, value: {HIDDEN}}}"
    inner = f"{{name: inner, type: integer, value: {INNER}}}"
    tokens = f"{{name: tokens, type: integer, value: {TOKENS}}}"
    experts = f"{{name: experts, type: integer, value: {EXPERTS}}}"
    text = f"""\
# Written by make_scenario.py.
scenario: moe-layer
description: "a layer of a mixture of experts for {TOKENS} tokens: a router, {EXPERTS} routed experts and a shared one, two products each, a weighted sum"
machine: nvidia-h200
buffers:
  - {{name: x, type: float, count: {TOKENS * HIDDEN}, fill: uniform}}
  - {{name: gate, type: float, count: {EXPERTS * HIDDEN}, fill: uniform, scale: 0.0625}}
  - {{name: chosen, type: int32, count: {2 * TOKENS}}}
  - {{name: share, type: float, count: {2 * TOKENS}}}
  # what they are filled with is there for bodies that are measured alone, before 'sort' has run
  - {{name: slots, type: int32, count: {EXPERTS * TOKENS}, fill: uniform, range: {2 * TOKENS}}}
  - {{name: counts, type: int32, count: {EXPERTS}, fill: uniform, range: {4 * TOKENS // EXPERTS + 1}}}
  - {{name: up, type: float, count: {(EXPERTS + 1) * HIDDEN * INNER}, fill: uniform, scale: 0.0625}}
  - {{name: down, type: float, count: {(EXPERTS + 1) * HIDDEN * INNER}, fill: uniform, scale: 0.0625}}
  - {{name: h, type: float, count: {3 * TOKENS * INNER}}}
  - {{name: y, type: float, count: {3 * TOKENS * HIDDEN}}}
  - {{name: out, type: float, count: {TOKENS * HIDDEN}}}
kernels:
  - name: route
    source: moe.cu
    parameters:
      - {{name: x, type: buffer, value: x}}
      - {{name: gate, type: buffer, value: gate}}
      - {{name: chosen, type: buffer, value: chosen}}
      - {{name: share, type: buffer, value: share}}
      - {{name: first, type: integer}}
      - {{name: count, type: integer, value: {ROUTED}}}
      - {sizes}
      - {experts}
    cost: {{flops: {2 * ROUTED * HIDDEN * EXPERTS}, bytes: {FOUR * HIDDEN * (ROUTED + EXPERTS)}}}
  - name: sort_slots
    source: moe.cu
    parameters:
      - {{name: chosen, type: buffer, value: chosen}}
      - {{name: slots, type: buffer, value: slots}}
      - {{name: counts, type: buffer, value: counts}}
      - {tokens}
      - {experts}
    cost: {{flops: {2 * TOKENS * EXPERTS}, bytes: {FOUR * 4 * TOKENS}}}
"""
    for name, source, target, weights in (("expert_up", "x", "h", "up"), ("expert_down", "h", "y", "down")):
        depth = HIDDEN if name == "expert_up" else INNER
        text += f"""\
  - name: {name}
    source: moe.cu
    shared_memory_bytes: 8320
    parameters:
      - {{name: from, type: buffer, value: {source}}}
      - {{name: weights, type: buffer, value: {weights}}}
      - {{name: slots, type: buffer, value: slots}}
      - {{name: counts, type: buffer, value: counts}}
      - {{name: to, type: buffer, value: {target}}}
      - {{name: expert, type: integer}}
      - {{name: column, type: integer}}
      - {sizes}
      - {inner}
      - {tokens}
      - {experts}
    cost: {{{product(2 * TOKENS // EXPERTS, depth)}}}
"""
    text += f"""\
  - name: combine
    source: moe.cu
    parameters:
      - {{name: y, type: buffer, value: y}}
      - {{name: share, type: buffer, value: share}}
      - {{name: out, type: buffer, value: out}}
      - {{name: first, type: integer}}
      - {{name: count, type: integer, value: {SUMMED}}}
      - {sizes}
      - {tokens}
    cost: {{flops: {5 * SUMMED * HIDDEN}, bytes: {FOUR * 4 * SUMMED * HIDDEN}}}
graph:
  tasks:
"""
    routes = [f"route-{first}" for first in range(0, TOKENS, ROUTED)]
    for name in routes:
        text += f"    - {{name: {name}, kernel: route, layer: 0, arguments: {{first: {name.split('-')[1]}}}}}\n"
    text += f"    - {{name: sort, kernel: sort_slots, layer: 1, after: [{', '.join(routes)}]}}\n"
    downs = []
    for expert in [EXPERTS, *range(EXPERTS)]:  # the shared one first: it waits for nothing
        called = "shared" if expert == EXPERTS else f"expert-{expert}"
        stated = lambda depth: f", {product(TOKENS, depth)}" if expert == EXPERTS else ""
        after = "" if expert == EXPERTS else ", after: [sort]"
        ups = [f"{called}-up-{column}" for column in range(0, INNER, COLUMNS)]
        for column, name in zip(range(0, INNER, COLUMNS), ups):
            text += f"    - {{name: {name}, kernel: expert_up, layer: 2, arguments: {{expert: {expert}, column: {column}}}{stated(HIDDEN)}{after}}}\n"
        text += f"    - {{name: {called}-joined, operation: event, layer: 3, after: [{', '.join(ups)}]}}\n"
        for column in range(0, HIDDEN, COLUMNS):
            downs.append(f"{called}-down-{column}")
            text += f"    - {{name: {downs[-1]}, kernel: expert_down, layer: 4, arguments: {{expert: {expert}, column: {column}}}{stated(INNER)}, after: [{called}-joined]}}\n"
    text += f"    - {{name: all-joined, operation: event, layer: 5, after: [{', '.join(downs)}]}}\n"
    for first in range(0, TOKENS, SUMMED):
        text += f"    - {{name: combine-{first}, kernel: combine, layer: 6, arguments: {{first: {first}}}, after: [all-joined]}}\n"
    text += """\
designs:
  - static-queues
  - {name: round-robin, from: static-queues, placement: round_robin}
  - {name: flags, from: static-queues, notification: flag}
  - shared-queue
  - work-stealing
  - hybrid
  - layer-barrier
  - cuda-graph
"""
    with open("moe-layer.yaml", "w") as file:
        file.write(text)


main()
