import inspect
import pickle

import pytest

import tasktwin


def refused(call, *arguments, **named):
    with pytest.raises(tasktwin.InputError) as caught:
        call(*arguments, **named)
    return caught.value


def test_input_errors_are_value_errors_and_run_errors_are_not():
    assert issubclass(tasktwin.InputError, ValueError)
    assert issubclass(tasktwin.RunError, RuntimeError)
    assert not issubclass(tasktwin.RunError, ValueError)


def test_internal_errors_are_neither():
    assert issubclass(tasktwin.InternalError, RuntimeError)
    assert not issubclass(tasktwin.InternalError, (tasktwin.InputError, tasktwin.RunError))


def test_bytes_that_are_no_utf_8_do_not_hide_the_message(tmp_path):
    (tmp_path / "bytes.stg").write_bytes(b"1\n0 \xff 0\n")
    file = tmp_path / "bytes.yaml"
    file.write_text("scenario: b\nmachine: nvidia-h200\ngraph: {import: bytes.stg, format: stg}\ndesigns: [shared-queue]\n")
    assert "is '\\xff'; must be a whole number" in str(refused(tasktwin.load_scenario, str(file)))
    assert "\ufffd" in str(refused(tasktwin.load_scenario, bytes(tmp_path) + b"/\xff.yaml"))


def test_a_file_s_error_has_the_command_s_message_and_its_place(tmp_path, command):
    file = tmp_path / "wrong.yaml"
    file.write_text(
        "scenario: wrong\nmachine: nvidia-h200\ngraph: {tasks: [{name: a, time_ns: -3}]}\ndesigns: [central-dispatcher]\n"
    )
    error = refused(tasktwin.load_scenario, str(file))
    assert (error.file, error.line, error.field) == (str(file), 3, "graph.tasks[0].time_ns")
    assert error.column == 36
    assert "is -3; must be 0 to" in str(error)
    code, _, message = command("scenario", "validate", str(file))
    assert code == 2
    assert message == " ".join(str(error).split())


def test_an_unknown_name_has_the_command_s_message(command):
    error = refused(tasktwin.load_scenario, "choleski")
    assert "did you mean 'cholesky'?" in str(error)
    assert (error.line, error.column, error.field) == (None, None, None)
    assert command("simulate", "choleski")[2] == " ".join(str(error).split())


def test_an_override_s_error_names_the_override():
    error = refused(tasktwin.load_scenario, "example", ["seed=-1"])
    assert "override 'seed=-1'" in str(error)
    assert error.field == "seed"


def test_an_error_without_a_file_has_no_place():
    error = refused(tasktwin.Design, "mine", orderr="lifo")
    assert (error.file, error.line, error.column) == (None, None, None)


def test_a_window_that_is_too_small_is_a_run_error():
    last = {"name": "last", "time_ns": 1000, "core_type": "aic", "after": ["t0"]}
    tasks = [{"name": f"t{i}", "time_ns": 1000, "core_type": "aic"} for i in range(8)]
    design = tasktwin.Design("narrow", base="ascend-device-built", window=2)
    with pytest.raises(tasktwin.RunError, match="design 'narrow'"):
        tasktwin.simulate(tasktwin.Graph.from_tasks([*tasks, last]), tasktwin.load_machine("ascend-a2a3"), design)


def wrong_type(call, *arguments, **named):
    with pytest.raises(TypeError) as caught:
        call(*arguments, **named)
    assert "incompatible function arguments" not in str(caught.value)
    return str(caught.value)


def test_a_call_with_wrong_arguments_says_which_in_words():
    scenario = tasktwin.load_scenario("example")
    graph, machine, design = scenario.graph, scenario.machine, tasktwin.Design("shared-queue")
    assert wrong_type(tasktwin.simulate, graph, machine, "shared-queue") == (
        "simulate(): design: must be a Design, not str; a design of that name is tasktwin.Design('shared-queue')"
    )
    assert "a Scenario is simulated by its own simulate(design)" in wrong_type(tasktwin.simulate, scenario, "shared-queue")
    assert "missing a required argument: 'machine'; it takes (graph, machine, design, seed," in wrong_type(tasktwin.simulate, graph)
    assert "there is no argument 'sed'; did you mean 'seed'?" in wrong_type(tasktwin.simulate, graph, machine, design, sed=3)
    assert "record_steps: must be a bool, not str" in wrong_type(tasktwin.simulate, graph, machine, design, record_steps="x")
    assert "shipped_machines(): too many positional arguments" in wrong_type(tasktwin.shipped_machines, 3)
    assert wrong_type(machine.changed, 3) == "Machine.changed(): changes: must be a dict, not int"
    assert "must be a Scenario" in wrong_type(tasktwin.compare, 3)


def test_functions_in_words_are_pickled_and_have_their_signatures():
    assert pickle.loads(pickle.dumps(tasktwin.simulate)) is tasktwin.simulate
    assert list(inspect.signature(tasktwin.load_scenario).parameters) == ["path_or_name", "overrides"]
