"""Graphs from networkx; pickles; plots."""

import pickle
import sys

import numpy as np
import pytest

import tasktwin


class Network:
    """What is used of networkx.DiGraph, for where that is not installed."""

    def __init__(self, nodes, edges, directed=True):
        self.nodes = nodes
        self.edges = edges
        self.directed = directed

    def is_directed(self):
        return self.directed

    def is_multigraph(self):
        return False

    def predecessors(self, node):
        return [before for before, after in self.edges if after == node]


def network():
    nodes = {"a": {"time_ns": 1000}, "b": {"time_ns": 2000}, 3: {"time_ns": 500}}
    return Network(nodes, {("a", "b"): {"size": 64}, ("a", 3): {}, ("b", 3): {}})


def test_a_network_is_a_graph_with_its_nodes_attributes():
    graph = tasktwin.from_networkx(network())
    assert graph.names == ["a", "b", "3"]
    assert graph.time_ns.tolist() == [1000, 2000, 500]
    assert graph.edge_count == 3
    mapped = tasktwin.from_networkx(network(), fields={"time_ns": "time_ns", "sigma_ns": "time_ns"}, edge_bytes="size")
    assert mapped.edge_count == 3


def test_wrong_networks_are_refused():
    with pytest.raises(tasktwin.InputError, match="must be a networkx.DiGraph"):
        tasktwin.from_networkx(Network({}, {}, directed=False))
    with pytest.raises(tasktwin.InputError, match="node 'a' has no attribute 'cost'"):
        tasktwin.from_networkx(network(), fields={"time_ns": "cost"})
    odd = network()
    odd.nodes["a"]["colour"] = "red"
    with pytest.raises(tasktwin.InputError, match="colour"):
        tasktwin.from_networkx(odd)


def test_a_network_comes_back():
    networkx = pytest.importorskip("networkx")
    made = networkx.DiGraph()
    made.add_node("a", time_ns=1000)
    made.add_node("b", time_ns=2000)
    made.add_edge("a", "b")
    back = tasktwin.to_networkx(tasktwin.from_networkx(made))
    assert list(back.edges) == [("a", "b")]
    assert back.nodes["b"]["time_ns"] == 2000


def test_without_networkx_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(ImportError, match="pip install networkx"):
        tasktwin.to_networkx(tasktwin.from_networkx(network()))


def test_designs_and_machines_are_pickled(machine, tmp_path):
    for design in (tasktwin.Design("shared-queue"), tasktwin.Design("mine", base="central-dispatcher", mailbox_depth=3, order="lifo")):
        assert pickle.loads(pickle.dumps(design)) == design
    small = machine.changed({"compute_cores": [{"type": "sm", "count": 8}]})
    again = pickle.loads(pickle.dumps(small))
    assert again.core_count == 8 and again.constants == small.constants
    graph = tasktwin.from_networkx(network())
    design = tasktwin.Design("mine", base="shared-queue", order="longest")
    expected = tasktwin.simulate(graph, small, design).makespan_ns
    assert tasktwin.simulate(graph, again, pickle.loads(pickle.dumps(design))).makespan_ns == expected
    own = tasktwin.Design("own", base="shared-queue", order=tasktwin.Policy.order(lambda *_: 0))
    with pytest.raises(TypeError, match="is the callable 'lambda'"):
        pickle.dumps(own)


def test_plots_are_drawn(machine, chains, tmp_path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    run = tasktwin.simulate(chains, machine, tasktwin.Design("shared-queue"))
    bars = tasktwin.plot_timeline(run).patches
    assert len(bars) == len(chains)
    assert np.isclose(sum(bar.get_width() for bar in bars), (run.timeline.ended_ns - run.timeline.started_ns).sum() / 1000)
    scenario = tasktwin.Scenario("s", chains, machine, [tasktwin.Design("shared-queue"), tasktwin.Design("static-queues")])
    drawn = tasktwin.plot_comparison(tasktwin.compare(scenario, runs=3))
    assert [label.get_text() for label in drawn.get_yticklabels()][0] == tasktwin.compare(scenario, runs=3)["best"]
    found = tasktwin.search("example", {"designs.mailbox_depth": [1, 2]}, "shared-queue,central-dispatcher", cost="cores")
    drawn = tasktwin.plot_pareto(found, cost="cores")
    assert {text.get_text() for text in drawn.get_legend().get_texts()} == {"shared-queue", "central-dispatcher"}
    drawn.figure.savefig(tmp_path / "pareto.png")
    with pytest.raises(tasktwin.InputError, match="must be what search"):
        tasktwin.plot_pareto({"points": []})
    with pytest.raises(tasktwin.InputError, match="cost: is 'money'"):
        tasktwin.plot_pareto(found, cost="money")


def test_without_matplotlib_plots_say_what_to_install(machine, chains, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match="pip install matplotlib"):
        tasktwin.plot_timeline(tasktwin.simulate(chains, machine, tasktwin.Design("shared-queue")))
