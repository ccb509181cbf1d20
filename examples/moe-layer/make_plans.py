#!/usr/bin/env python3
"""Writes twelve plans by hand for moe-layer.yaml into plans/: pieces dealt out to all workers or a group of workers an expert, over 44, 88 or
132 workers, the shared expert before the routed ones or behind them.

    tasktwin simulate moe-layer.yaml --designs round-robin --plan-out base.json
    python3 make_plans.py base.json
    tasktwin simulate moe-layer.yaml --plan plans/spread-132-first.json
"""
import json
import os
import sys


SHARED = 8


def expert(task):
    """The number of its expert; None for what is of none."""
    return task["arguments"].get("expert")


def layer(task):
    kinds = ["route", "sort_slots", "expert_up", "expert_down", "combine"]
    return kinds.index(task["kernel"])


def dealt(tasks, lists, turn=0):
    """In turn; where the next one goes."""
    for task in tasks:
        lists[turn % len(lists)].append(task)
        turn += 1
    return turn


def spread(tasks, workers, shared_first):
    lists = [[] for _ in range(workers)]
    shared = [task for task in tasks if expert(task) == SHARED]
    others = [task for task in tasks if expert(task) != SHARED and task["kernel"] != "combine"]
    sums = [task for task in tasks if task["kernel"] == "combine"]
    turn = dealt(shared + others if shared_first else others + shared, lists)
    dealt(sums, lists, turn)
    return lists


def by_expert(tasks, workers, shared_first):
    lists = [[] for _ in range(workers)]
    experts = sorted({expert(task) for task in tasks} - {None})
    each = workers // len(experts)
    routes = [task for task in tasks if layer(task) < 2]
    if not shared_first:
        dealt(routes, lists)
    for number, one in enumerate(experts):
        pieces = [task for task in tasks if expert(task) == one]
        group = lists[number * each:(number + 1) * each]
        if shared_first and one != SHARED:
            continue
        dealt(pieces, group)
    if shared_first:
        dealt(routes, lists)
        for number, one in enumerate(experts):
            if one != SHARED:
                dealt([task for task in tasks if expert(task) == one], lists[number * each:(number + 1) * each])
    dealt([task for task in tasks if task["kernel"] == "combine"], lists)
    return lists


def main():
    with open(sys.argv[1]) as file:
        base = json.load(file)
    tasks = sorted((task for worker in base["workers"] for task in worker["tasks"]), key=layer)
    os.makedirs("plans", exist_ok=True)
    for how in (spread, by_expert):
        for workers in (44, 88, 132):
            for first in (True, False):
                name = f"{how.__name__.replace('_', '-')}-{workers}-{'first' if first else 'last'}"
                lists = how(tasks, workers, first)
                plan = dict(base, workers=[{"worker": i, "tasks": tasks} for i, tasks in enumerate(lists)])
                plan["tasktwin_plan"] = dict(base["tasktwin_plan"], **{"from": f"{name}, by hand"})
                with open(f"plans/{name}.json", "w") as file:
                    json.dump(plan, file, indent=1)


main()
