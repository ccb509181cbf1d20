"""Searches, sweeps, what-ifs and imports from Python."""

import json

import pytest

import tasktwin

SMALL = {
    "scenario": "small",
    "machine": "nvidia-h200",
    "graph": {"generator": "chain", "stages": 4, "width": 6, "time_ns": 3000},
    "designs": ["shared-queue", "central-dispatcher"],
}


@pytest.fixture
def document():
    return {**SMALL, "graph": {"tasks": [{"name": f"t{i}", "time_ns": 3000 + 500 * i, "sigma_ns": 100} for i in range(12)]}}


def test_a_search_is_what_the_command_gives(document, tmp_path, command):
    file = tmp_path / "small.yaml"
    file.write_text(json.dumps(document))
    vary = {"designs.mailbox_depth": [1, 2], "designs.order": ["fifo", "longest"]}
    result = tasktwin.search(file, vary)
    code, out, _ = command("search", str(file), "--vary", "designs.mailbox_depth=1,2", "--vary", "designs.order=fifo,longest", "--format", "json")
    expected = json.loads(out)
    assert code == 0 and expected.pop("format") == "tasktwin/1"
    assert result == expected
    assert result["points"][0]["stands"] == "best"


def test_a_document_need_be_in_no_file(document):
    result = tasktwin.sweep(document, ["seed=1,2"], designs=["shared-queue"], runs=2, details=True)
    assert [row["runs"] for row in result["rows"]] == [2, 2]
    as_it_is, changed = tasktwin.what_if(document, "shared-queue", scale="t11=0.5")
    assert changed["designs"][0]["makespan_ns"] < as_it_is["designs"][0]["makespan_ns"]


def test_an_import_is_read(tmp_path):
    table = tmp_path / "graph.csv"
    table.write_text("name,time_ns,predecessors\na,1000,\nb,2000,a\n")
    scenario = tasktwin.import_scenario(table, tmp_path / "graph.yaml")
    assert scenario.graph.names == ["a", "b"]
    trace = tasktwin.import_scenario("examples/traces/two-branches.json", tmp_path / "trace.yaml", machine="nvidia-h200")
    assert scenario.simulate("shared-queue").makespan_ns > 3000
    assert trace.simulate("as-captured").makespan_ns > 0
    changed = tasktwin.what_if(tmp_path / "trace.yaml", "as-captured", as_="graph")
    assert len(changed) == 2


def test_errors_are_the_command_s(document, tmp_path):
    with pytest.raises(tasktwin.InputError, match="unknown value 'fast'"):
        tasktwin.load_scenario("example", ["designs.order=fast"])
    with pytest.raises(tasktwin.InputError, match="nothing to choose from"):
        tasktwin.search(document, {}, designs="shared-queue")
    with pytest.raises(tasktwin.InputError, match="no such file|cannot"):
        tasktwin.import_scenario(tmp_path / "none.csv", tmp_path / "none.yaml")
    with pytest.raises(TypeError, match="must be a path"):
        tasktwin.search(3, {})
    with pytest.raises(TypeError, match="must be plain values"):
        tasktwin.sweep({"scenario": object()}, {"seed": 1})


def test_without_the_executable_it_says_so(monkeypatch, tmp_path):
    monkeypatch.delenv("TASKTWIN_COMMAND")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("tasktwin._commands._PACKAGE", tmp_path / "a" / "b")
    with pytest.raises(tasktwin.RunError, match="TASKTWIN_COMMAND"):
        tasktwin.sweep("example", {"seed": 1})
