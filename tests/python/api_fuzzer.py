"""Calls of the module with right, odd and wrong arguments: api_fuzzer.py [SECONDS] [SEED].

Every call returns, or raises InputError, RunError, TypeError, or what an argument itself raises; nothing else, and no crash. Ends with the
number of calls; exit 1 at the first that is wrong, with the seed that shows it again.
"""

import random
import sys
import time
import traceback

import numpy as np

import tasktwin as T

WORDS = ["", "a", "a/b", "..", "a\nb", "\x1b[31m", "\x00", "\ud800", "ü", "x" * 300, "shared-queue", "static-queues", "cuda-streams", "spin", "nan"]


class Raises:
    """An argument whose every conversion fails."""

    def __index__(self):
        raise ZeroDivisionError

    def __len__(self):
        raise ZeroDivisionError

    def __iter__(self):
        raise ZeroDivisionError

    def __repr__(self):
        raise ZeroDivisionError


class Changes(dict):
    """A dict that changes while it is read."""

    class Value:
        def __init__(self, of):
            self.of = of

        def __index__(self):
            self.of.clear()
            self.of["more"] = [1] * 100
            return 7


def changing():
    made = Changes(name="a")
    made["time_ns"] = Changes.Value(made)
    return made


def nested(depth):
    value = 1
    for _ in range(depth):
        value = [value]
    return value


def endless():
    value = []
    value.append(value)
    return value


class Source:
    """Draws arguments."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.machines = [T.load_machine(name) for name in ("nvidia-h200", "ascend-a2a3")]
        self.scenarios = [T.load_scenario(name) for name in ("example", "predicates")]
        self.designs = [T.Design(name) for name in T.named_designs()]
        self.graphs = [scenario.graph for scenario in self.scenarios]
        self.graphs.append(T.Graph.from_arrays([(0, 1), (1, 2)], count=3, time_ns=1000))
        self.runs = [T.simulate(self.graphs[2], self.machines[0], self.designs[4])]
        self.empty = []
        for kind in (T.Design, T.Graph, T.GraphBuilder, T.Machine, T.Scenario, T.Simulation, T.Timeline):
            try:
                self.empty.append(kind.__new__(kind))
            except TypeError:
                pass

    def one(self, *choices):
        return self.random.choice(choices)

    def number(self):
        return self.one(0, 1, 2, 3, 7, -1, 2**31, 2**53, 2**63, 2**64, -(2**63), 10**5000, 0.5, -0.0, 1e300, float("nan"), float("inf"), True)

    def array(self):
        size = self.one(0, 1, 2, 3, 8)
        kind = self.one("i1", "i4", "i8", "u8", "f4", "f8", "?", "O", "U3", "c8", "M8[ns]")
        values = np.zeros(size * 2, dtype="i8")
        values[:] = [self.random.randrange(-2, 9) for _ in values]
        try:
            values = values.astype(kind)
        except (TypeError, ValueError):
            pass
        shape = self.one((size * 2,), (size, 2), (size, 2), (2, size), (1, size * 2))
        values = values.reshape(shape)
        if self.random.random() < 0.15:
            values = np.ma.array(values, mask=np.arange(values.size).reshape(shape) % 2)
        return self.one(values, values, values[::-1], values.tolist())

    def odd(self):
        return self.one(
            None,
            self.number(),
            self.one(*WORDS),
            self.array(),
            self.array(),
            endless(),
            nested(40),
            changing(),
            Raises(),
            b"\xff",
            {1: 2},
            {"a": {"b": self.number()}},
            [self.number(), self.one(*WORDS)],
            iter([1, 2]),
            range(3),
            np.ma.masked,
            np.float32(1.5),
            np.int64(5),
            object(),
            self.one(*self.graphs),
            self.one(*self.designs),
            self.one(*self.machines),
            self.one(*self.scenarios),
            self.one(*self.runs),
            self.runs[0].timeline,
            *self.empty[:1],
            self.one(*(self.empty or [None])),
        )

    def or_odd(self, *right):
        return self.odd() if self.random.random() < 0.2 else self.one(*right)

    def design(self):
        return self.or_odd(*self.designs, *self.designs, "shared-queue")

    def axes(self):
        names = list(T.axes())
        axes = {}
        for _ in range(self.random.randrange(3)):
            axis = self.one(*names)
            about = T.axes()[axis]
            right = list(about["values"]) if "values" in about else [about["min"], about["max"], about["min"] + 1]
            axes[axis] = self.or_odd(*right)
        return axes

    def fields(self):
        fields = {}
        for _ in range(self.random.randrange(4)):
            fields[self.one("time_ns", "flops", "bytes", "blocks", "sigma_ns", "kernel", "priority", "core_type", "probability", "stream", "after", *WORDS)] = self.or_odd(
                5, 1000, [1, 2, 3], np.array([1, 2, 3]), "spin", "sm", 0.5
            )
        return fields

    def call(self):
        """A call, not yet made."""
        graph = lambda: self.or_odd(*self.graphs)
        machine = lambda: self.or_odd(*self.machines)
        options = lambda: {
            name: value()
            for name, value in {
                "seed": lambda: self.or_odd(1, 2),
                "run": lambda: self.or_odd(0, 1),
                "host_pace": lambda: self.or_odd(1.0, 2.0, 0.1),
                "record_steps": lambda: self.or_odd(True, False),
                "bandwidth_solver": lambda: self.or_odd("virtual_time"),
                "replayed": lambda: self.or_odd(None, self.runs[0].timeline),
                "bodies_ns": lambda: self.or_odd(None, [1, 2, 3], self.array()),
            }.items()
            if self.random.random() < 0.2
        }
        builder = T.GraphBuilder()
        return self.one(
            lambda: T.simulate(graph(), machine(), self.design(), **options()).metrics(),
            lambda: T.simulate(graph(), machine(), self.design(), **options()).bounds(),
            lambda: T.simulate_many(self.one(graph(), [graph()]), machine(), self.one(self.design(), [self.design()]), self.or_odd(1, [1, 2], range(3)), metrics=True),
            lambda: T.Graph.from_arrays(self.or_odd([(0, 1)], np.array([(0, 1), (1, 2)])), self.or_odd(None, [5]), self.or_odd(3, 2), **self.fields()),
            lambda: T.Graph.from_tasks(self.or_odd([{"name": "a", **self.fields()}, {"name": "b", "after": ["a"]}])),
            lambda: (builder.add_task(self.or_odd("a", "b"), **self.fields()), builder.add_edge(self.or_odd(0), self.or_odd(0, 1)), builder.build()),
            lambda: T.Design(self.or_odd("mine", "other"), self.or_odd(None, "shared-queue"), **self.axes()),
            lambda: self.one(*self.designs).replace(self.or_odd(None, "mine"), **self.axes()),
            lambda: getattr(self.one(*self.designs), self.one("order", *WORDS)),
            lambda: self.one(*self.designs)[self.or_odd("order", "parts")],
            lambda: self.one(*self.designs) == self.odd(),
            lambda: self.one(*self.machines)[self.or_odd("streams.gap_ns")],
            lambda: self.one(*self.machines).changed(self.or_odd({"streams": {"gap_ns": self.odd()}}, {"compute_cores": [{"type": "sm", "count": self.number()}]})),
            lambda: T.Scenario(self.or_odd("s", "t"), graph(), machine(), self.or_odd([self.design()]), self.or_odd(1)),
            lambda: T.Scenario.from_dict(self.or_odd({"scenario": self.or_odd("s"), "machine": "nvidia-h200", "graph": {"tasks": self.odd()}, "designs": ["shared-queue"]})),
            lambda: self.one(*self.scenarios).simulate(self.design(), seed=self.or_odd(None, 3)),
            lambda: T.compare(self.or_odd(*self.scenarios), self.or_odd(None, [self.design()], "shared-queue"), runs=self.or_odd(1, 2)),
            lambda: T.explain(self.or_odd(*self.scenarios), self.design(), self.or_odd(None, self.design())),
            lambda: T.remarks(self.or_odd(*self.scenarios), self.design()),
            lambda: T.load_scenario(self.or_odd("example"), self.or_odd([], ["seed=3"], ["graph.tasks=1"])),
            lambda: T.load_machine(self.or_odd("nvidia-h100")),
            lambda: T.interval(self.or_odd(*self.designs), self.or_odd(1e6, 5)),
            lambda: T.measure_me(self.or_odd([(self.or_odd(*self.designs), self.or_odd(1e6, 7))], [self.odd()]), self.or_odd(10, 1)),
            lambda: T.to_networkx(graph()),
            lambda: T.from_networkx(self.odd(), self.or_odd(None, {})),
            lambda: T.plot_comparison(self.or_odd({"designs": []}, {"designs": self.odd()})),
            lambda: T.plot_pareto(self.or_odd({"points": []}, {"points": self.odd()}), None, self.or_odd("cores")),
            lambda: [repr(getattr(self.one(*self.empty, self.runs[0], self.graphs[0]), self.one("makespan_ns", "timeline", "names", "name", "time_ns", "designs"))) for _ in [0]],
        )


RIGHT = (T.InputError, T.RunError, TypeError, ZeroDivisionError, AttributeError, ImportError)


def main(seconds, seed):
    begin = time.monotonic()
    calls = 0
    outcomes = {}
    source = Source(0)
    while time.monotonic() - begin < seconds:
        source.random.seed(seed + calls)
        try:
            source.call()()
            outcome = "returned"
        except RIGHT as refused:
            outcome = type(refused).__name__
        except BaseException:
            traceback.print_exc()
            print(f"api_fuzzer: call {calls}; again by: api_fuzzer.py 1 {seed + calls}")
            return 1
        outcomes[outcome] = outcomes.get(outcome, 0) + 1
        calls += 1
    print(f"api_fuzzer: {calls} calls in {seconds} s from seed {seed}: {outcomes}")
    return 0


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]) if len(sys.argv) > 1 else 30, int(sys.argv[2]) if len(sys.argv) > 2 else 1))
