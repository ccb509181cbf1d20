"""Graphs from networkx and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ._checks import must_be
from ._core import Graph, InputError


def from_networkx(network: Any, fields: Mapping[str, str] | None = None, edge_bytes: str | None = None) -> Graph:
    """A networkx.DiGraph's nodes as tasks, in its order; their attributes are fields of tasks, or those that `fields` maps to them.

    `edge_bytes` names the edges' attribute that counts bytes. Names of tasks are those of nodes.
    """
    if not all(hasattr(network, name) for name in ("is_directed", "is_multigraph", "predecessors")):
        raise TypeError(f"network: must be a networkx.DiGraph, not {type(network).__name__}")
    if fields is not None:
        must_be("fields", fields, Mapping)
    if not network.is_directed() or network.is_multigraph():
        raise InputError("network: must be a networkx.DiGraph: directed, with one edge between two nodes")
    nodes = list(network.nodes)
    names = [str(node) for node in nodes]
    tasks: list[dict[str, Any]] = []
    for node, name in zip(nodes, names):
        attributes = network.nodes[node]
        if fields is None:
            task = dict(attributes)
        else:
            lacking = [own for own in fields.values() if own not in attributes]
            if lacking:
                raise InputError(f"network: node {node!r} has no attribute {lacking[0]!r}")
            task = {field: attributes[own] for field, own in fields.items()}
        task["name"] = name
        before = [str(other) for other in network.predecessors(node)]
        if before and edge_bytes is None:
            task["after"] = before
        elif before:
            task["after"] = [{"task": other, "bytes": network.edges[previous, node].get(edge_bytes, 0)} for previous, other in zip(network.predecessors(node), before)]
        tasks.append(task)
    return Graph.from_tasks(tasks)


def to_networkx(graph: Graph) -> Any:
    """A networkx.DiGraph: nodes are the tasks' names, with time_ns, flops, bytes, priority and layer."""
    must_be("graph", graph, Graph)
    try:
        import networkx
    except ModuleNotFoundError:
        raise ImportError("to_networkx needs networkx: pip install networkx, or Debian's python3-networkx") from None
    network = networkx.DiGraph()
    names = graph.names
    columns = {field: getattr(graph, field).tolist() for field in ("time_ns", "flops", "bytes", "priority", "layer")}
    for i, name in enumerate(names):
        network.add_node(name, **{field: column[i] for field, column in columns.items()})
    offsets = graph.predecessor_offsets
    to = np.repeat(np.arange(len(graph)), np.diff(offsets))
    network.add_edges_from((names[before], names[after]) for before, after in zip(graph.predecessors.tolist(), to.tolist()))
    return network
