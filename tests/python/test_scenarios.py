import json
import re
import subprocess
import sys

import pytest

import tasktwin
from test_errors import refused


def a_scenario(**changes):
    return {
        "scenario": "made",
        "machine": "nvidia-h200",
        "graph": {"generator": "cholesky", "tiles": 4, "tile_size": 64},
        "designs": ["static-queues", {"name": "mine", "from": "shared-queue", "order": "lifo"}],
        "seed": 7,
        **changes,
    }


def test_shipped_scenarios_and_machines_load():
    assert "cholesky" in tasktwin.shipped_scenarios()
    machines = tasktwin.shipped_machines()
    assert machines == sorted(machines)
    assert {"ascend-a2a3", "nvidia-h200", "nvidia-h100x2"} <= set(machines)
    scenario = tasktwin.load_scenario("cholesky")
    assert scenario.name == "cholesky"
    assert len(scenario.graph) > 100
    assert scenario.machine.name == "nvidia-h200"
    assert [design.name for design in scenario.designs]


def test_overrides_change_what_is_loaded():
    assert tasktwin.load_scenario("example", ["seed=9"]).seed == 9


def test_a_dict_is_what_a_file_would_hold():
    scenario = tasktwin.Scenario.from_dict(a_scenario())
    assert (scenario.name, scenario.seed) == ("made", 7)
    assert [design.name for design in scenario.designs] == ["static-queues", "mine"]
    assert scenario.designs[1] == tasktwin.Design("mine", base="shared-queue", order="lifo")


def test_designs_may_stand_in_a_dict_as_values():
    mine = tasktwin.Design("mine", base="shared-queue", order="lifo")
    scenario = tasktwin.Scenario.from_dict(a_scenario(designs=[tasktwin.Design("static-queues"), mine]))
    assert scenario.designs == [tasktwin.Design("static-queues"), mine]


def test_wrong_dicts_are_refused_in_the_words_for_files():
    from_dict = tasktwin.Scenario.from_dict
    assert "grahp: unknown key; did you mean 'graph'?" in str(refused(from_dict, a_scenario(grahp={})))
    assert "seed: is -1; must be 0 to" in str(refused(from_dict, a_scenario(seed=-1)))
    assert "seed: is not a number (NaN)" in str(refused(from_dict, a_scenario(seed=float("nan"))))
    assert "a key is 3; it must be text" in str(refused(from_dict, {3: 4}))
    assert "no shipped machine 'nvidia-h20'" in str(refused(from_dict, a_scenario(machine="nvidia-h20")))
    assert refused(from_dict, {}).field


def test_parts_make_a_scenario(chains, machine):
    designs = [tasktwin.Design("static-queues"), tasktwin.Design("shared-queue")]
    scenario = tasktwin.Scenario("parts", chains, machine, designs, seed=5)
    assert (scenario.name, scenario.seed, len(scenario.graph)) == ("parts", 5, 300)
    assert "stands twice" in str(refused(tasktwin.Scenario, "parts", chains, machine, [designs[0], designs[0]]))


def test_a_graph_that_the_machine_cannot_run_is_refused(machine):
    graph = tasktwin.Graph.from_tasks([{"name": "a", "time_ns": 5, "core_type": "aic"}])
    design = tasktwin.Design("shared-queue")
    for call in (
        lambda: tasktwin.Scenario("cubes", graph, machine, [design]),
        lambda: tasktwin.simulate(graph, machine, design),
        lambda: tasktwin.simulate_many(graph, machine, design),
    ):
        error = refused(call)
        assert error.field == "graph.tasks[0].core_type"
        assert "which machine 'nvidia-h200' lacks" in str(error)


def test_machines_tell_their_constants_and_take_changes(machine):
    key = next(iter(machine.constants))
    section, name = key.split(".")
    changed = machine.changed({section: {name: machine[key] + 100}})
    assert changed[key] == machine[key] + 100
    assert tasktwin.load_machine("nvidia-h200")[key] == machine[key]
    assert f"machine.{section}.{name}: is -1" in str(refused(machine.changed, {section: {name: -1}}))
    assert "machine.streems: unknown key; did you mean 'streams'?" in str(refused(machine.changed, {"streems": {}}))
    assert "no constant 'streams.gap'" in str(refused(machine.__getitem__, "streams.gap"))


def test_fewer_cores_make_a_graph_take_longer(chains, machine):
    small = machine.changed({"compute_cores": [{"type": "sm", "count": 8}]})
    design = tasktwin.Design("shared-queue")
    assert small.core_count == 8
    assert (
        tasktwin.simulate(chains, small, design).makespan_ns > 2 * tasktwin.simulate(chains, machine, design).makespan_ns
    )


def test_a_machine_file_is_read_back(machine, tmp_path):
    file = tmp_path / "machine.yaml"
    file.write_text(machine.to_yaml())
    assert tasktwin.load_machine(str(file)).constants == machine.constants


def test_classes_that_have_no_parts_cannot_be_made():
    for made in (tasktwin.Machine, tasktwin.Graph, tasktwin.Timeline, tasktwin.Simulation):
        with pytest.raises(TypeError):
            made()


def test_a_captured_program_is_simulated_with_its_calls(command, tmp_path):
    file = tmp_path / "captured.yaml"
    code, _, message = command("scenario", "import", "examples/traces/pytorch-right.json.gz", "--output", str(file))
    assert code == 0, message
    scenario = tasktwin.load_scenario(str(file))
    printed = json.loads(command("simulate", str(file), "--designs", "as-captured", "--format", "json")[1])
    run = scenario.simulate("as-captured")
    assert run.makespan_ns == printed["designs"][0]["makespan_ns"]
    assert 0 < max(value for value in run.bounds().values() if isinstance(value, int)) <= run.makespan_ns
    assert "did you mean" in str(refused(scenario.simulate, "as-capturd"))


def test_the_lists_of_a_shipped_megakernel_are_read_where_they_lie(tmp_path):
    script = [sys.executable, "examples/megakernel-list/read_list.py", tmp_path / "scheduler.py"]
    blocks = {"up_gate_proj": 16, "down_proj": 16, "qkv": 16, "o_proj": 16}
    (tmp_path / "scheduler.py").write_text(", ".join(f"{name}_block_size={rows}" for name, rows in blocks.items()))
    wrong = subprocess.run(script, capture_output=True, text=True)
    assert wrong.returncode == 1 and "states no lm_head_block_size" in wrong.stderr
    (tmp_path / "scheduler.py").write_text(", ".join(f"{name}_block_size=16" for name in [*blocks, "lm_head"]))
    text = subprocess.run(script, check=True, capture_output=True, text=True).stdout
    (tmp_path / "list.yaml").write_text(text)
    graph = tasktwin.load_scenario(str(tmp_path / "list.yaml")).graph
    pieces = 132 + 8 + 128 + 132 + 132
    assert len(graph) == 16 * (pieces + 2 * 132 + 4) + 2 * 132  # with norms and counters of a layer, and the head
    weights = 3072 * 2048 + 2048 * 2048 + 3 * 8192 * 2048
    assert sum(int(one) for one in re.findall(r"bytes: (\d+)", text)) == 2 * (16 * weights + 128256 * 2048)
