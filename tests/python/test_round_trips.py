"""What is exported and read again is the same graph, for every format that has both."""

import subprocess
import os

import numpy as np
import pytest

import tasktwin

LAYERED = """scenario: layered
machine: nvidia-h200
graph: {generator: layered_random, tasks: 300, width: 20}
designs: [static-queues]
"""
SCENARIOS = ["example", "cholesky", "predicates", "pipeline", "layered"]


@pytest.fixture
def scenario_file(tmp_path):
    def made(name):
        if name != "layered":
            return name
        file = tmp_path / "layered.yaml"
        file.write_text(LAYERED)
        return str(file)

    return made


def command(*words):
    result = subprocess.run([os.environ["TASKTWIN_COMMAND"], *map(str, words)], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return result.stderr


def edges(graph):
    offsets = graph.predecessor_offsets
    return [sorted(graph.predecessors[offsets[i] : offsets[i + 1]].tolist()) for i in range(len(graph))]


def same(one, other, fields):
    assert (len(one), one.edge_count, one.names) == (len(other), other.edge_count, other.names)
    assert edges(one) == edges(other)
    for field in fields:
        assert (getattr(one, field) == getattr(other, field)).all(), field


COSTS = ("time_ns", "flops", "bytes", "priority", "layer")


@pytest.mark.parametrize("name", SCENARIOS)
def test_dot(name, scenario_file, tmp_path):
    source = tasktwin.load_scenario(scenario_file(name))
    command("scenario", "export", scenario_file(name), "--dot", tmp_path / "g.dot")
    command("scenario", "import", tmp_path / "g.dot", "--output", tmp_path / "g.yaml")
    read = tasktwin.load_scenario(str(tmp_path / "g.yaml"))
    same(source.graph, read.graph, COSTS)
    if name in ("cholesky", "layered"):  # of kernels alone, whose times are not drawn
        design = tasktwin.Design("static-queues")
        runs = [tasktwin.simulate(graph, source.machine, design).makespan_ns for graph in (source.graph, read.graph)]
        assert runs[0] == runs[1]


def test_dot_of_names_that_need_quotes(tmp_path):
    names = ["plain", 'a "quoted" one', "back\\slash\\", "\\N \\\\ \\n", "&amp; <b>", "ümläut µs", "t0 -> t1; }", "\\"]
    file = tmp_path / "names.yaml"
    quoted = ["'" + name.replace("'", "''") + "'" for name in names]
    tasks = "".join(f"    - {{name: {name}, time_ns: {i + 1}}}\n" for i, name in enumerate(quoted))
    file.write_text(f"scenario: names\nmachine: nvidia-h200\ngraph:\n  tasks:\n{tasks}designs: [shared-queue]\n")
    command("scenario", "export", file, "--dot", tmp_path / "g.dot")
    command("scenario", "import", tmp_path / "g.dot", "--output", tmp_path / "g.yaml")
    assert tasktwin.load_scenario(str(tmp_path / "g.yaml")).graph.names == names


@pytest.mark.parametrize("name", ["example", "cholesky"])
def test_swimlane(name, tmp_path):
    design = "shared-queue"
    command("simulate", name, "--designs", design, "--swimlane", tmp_path / "lane")
    records, deps = tmp_path / "lane" / "chip_swimlane_records.json", tmp_path / "lane" / "deps.json"
    command("scenario", "import", "swimlane", records, deps, "--output", tmp_path / "again.yaml")
    again = tasktwin.load_scenario(str(tmp_path / "again.yaml"))
    source = tasktwin.load_scenario(name)
    assert (len(again.graph), again.graph.edge_count) == (len(source.graph), source.graph.edge_count)
    command("scenario", "export", tmp_path / "again.yaml", "--swimlane", tmp_path / "second")
    for file in ("chip_swimlane_records.json", "deps.json"):
        assert (tmp_path / "second" / file).read_bytes() == (tmp_path / "lane" / file).read_bytes(), file


def test_timelines_as_placements(scenario_file, tmp_path):
    file = scenario_file("layered")
    command("simulate", file, "--timeline", tmp_path / "t.csv")
    replay = "designs: [{name: again, from: static-queues, placement: replay, replay: t.csv}]\n"
    (tmp_path / "replay.yaml").write_text(LAYERED.replace("designs: [static-queues]\n", replay))
    runs = [tasktwin.load_scenario(str(path)).simulate(design) for path, design in ((file, "static-queues"), (tmp_path / "replay.yaml", "again"))]
    assert (runs[0].timeline.core == runs[1].timeline.core).all()


@pytest.mark.parametrize("name", tasktwin.shipped_machines())
def test_machines(name, tmp_path):
    machine = tasktwin.load_machine(name)
    file = tmp_path / "machine.yaml"
    file.write_text(machine.to_yaml())
    again = tasktwin.load_machine(str(file))
    assert again.constants == machine.constants
    assert again.to_yaml() == machine.to_yaml()


def test_tables(tmp_path):
    """CSV and JSON of one graph are the same graph."""
    (tmp_path / "g.csv").write_text("name,time_us,predecessors\na,5,\nb,6,a\nc,7,a b\n".replace("a b", '"a;b"'))
    (tmp_path / "g.json").write_text(
        '[{"name":"a","time_us":5},{"name":"b","time_us":6,"predecessors":["a"]},{"name":"c","time_us":7,"predecessors":["a","b"]}]'
    )
    graphs = []
    for file in ("g.csv", "g.json"):
        command("scenario", "import", tmp_path / file, "--output", tmp_path / (file + ".yaml"))
        graphs.append(tasktwin.load_scenario(str(tmp_path / (file + ".yaml"))).graph)
    same(*graphs, COSTS)
    assert np.array_equal(graphs[0].time_ns, [5000, 6000, 7000])
