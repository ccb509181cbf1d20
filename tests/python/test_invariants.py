"""A fault planted into what is worked out is told wherever a run is made, and no figure with it."""

import os
import subprocess
import sys

import pytest

FAULTS = {"edge": "is broken", "bound": "less than its bound", "cause": "sum up to"}
TINY = """scenario: tiny
machine: nvidia-h200
graph: {tasks: [{name: a, time_ns: 1000}, {name: b, time_ns: 2000, after: [a]}]}
designs: [shared-queue, central-dispatcher, cuda-streams]
"""


def run(arguments, fault, **environment):
    return subprocess.run(
        arguments,
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
        env={**os.environ, "TASKTWIN_PLANTED": fault, **environment},
    )


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    file = tmp_path_factory.mktemp("planted") / "tiny.yaml"
    file.write_text(TINY)
    return file


COMMANDS = {
    "simulate": ["simulate", "FILE"],
    "several runs": ["simulate", "FILE", "--runs", "2"],
    "json": ["simulate", "FILE", "--format", "json"],
    "search": ["search", "FILE", "--vary", "designs.order=fifo,lifo"],
    "search, several processes": ["search", "FILE", "--vary", "designs.order=fifo,lifo", "--jobs", "2"],
    "sweep": ["sweep", "FILE", "--vary", "designs.mailbox_depth=1,2"],
    "compare": ["compare", "FILE"],
    "explain": ["explain", "FILE", "shared-queue", "central-dispatcher"],
    "page": ["compare", "FILE", "--report", "PAGE"],
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("command", COMMANDS)
def test_commands_tell_it(command, fault, tiny, tmp_path):
    page = tmp_path / "page.html"
    words = [str({"FILE": tiny, "PAGE": page}.get(word, word)) for word in COMMANDS[command]]
    program = os.environ["TASKTWIN_PLANTED_COMMAND"]
    result = run([program, *words], fault)
    assert result.returncode == 3, (result.stdout, result.stderr)
    assert FAULTS[fault] in " ".join(result.stderr.split())
    assert "scenario 'tiny'" in result.stderr
    assert "makespan_ns" not in result.stdout
    assert not page.exists()
    assert run([program, *words], "none").returncode == 0


PROGRAMS = {
    "simulate": "T.simulate(s.graph, s.machine, s.designs[0])",
    "of a scenario": "s.simulate('shared-queue')",
    "simulate_many": "T.simulate_many(s.graph, s.machine, s.designs, range(3))",
    "compare": "T.compare(s)",
    "explain": "T.explain(s, 'shared-queue', 'central-dispatcher')",
}


@pytest.mark.parametrize(
    ("call", "fault"), [(call, fault) for call in PROGRAMS for fault in FAULTS if fault != "cause" or call in ("compare", "explain")]
)
def test_python_tells_it(call, fault, tiny):
    path = os.environ["TASKTWIN_PLANTED_PYTHON"]
    program = f"""
import tasktwin as T
s = T.load_scenario({str(tiny)!r})
try:
    print({PROGRAMS[call]})
except T.InternalError as fault:
    print("told:", fault)
"""
    out = run([sys.executable, "-c", program], fault, PYTHONPATH=path).stdout
    assert out.startswith("told: ") and FAULTS[fault] in out, out
    assert not run([sys.executable, "-c", program], "none", PYTHONPATH=path).stdout.startswith("told")
