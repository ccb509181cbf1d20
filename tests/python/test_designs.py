import pytest

import tasktwin
from test_errors import refused


def test_every_named_design_is_its_own(command):
    assert {"central-dispatcher", "static-queues", "cuda-graph"} <= set(tasktwin.named_designs())
    for name, meaning in tasktwin.named_designs().items():
        assert tasktwin.Design(name).name == name
        assert meaning


def test_axes_are_those_of_files():
    design = tasktwin.Design("mine", base="shared-queue", order="lifo", claim_size=4, claim="fixed")
    assert (design.order, design["claim_size"], design.axes["claim"]) == ("lifo", 4, "fixed")
    assert set(design.axes) == set(tasktwin.axes())
    described = tasktwin.axes()["order"]
    assert "lifo" in described["values"]
    assert tasktwin.axes()["claim_size"]["min"] == 1


def test_an_unknown_axis_has_the_command_s_error(command):
    error = refused(tasktwin.Design, "mine", filll="always")
    assert "unknown axis 'filll'; did you mean 'fill'?" in str(error)
    assert command("design", "axes", "filll")[2] == str(error)


def test_an_unknown_value_names_the_nearest():
    error = refused(tasktwin.Design, "mine", order="lifoo")
    assert str(error).startswith("order: unknown value 'lifoo'; did you mean 'lifo'? (valid: ")
    assert error.field == "order"
    in_file = refused(
        tasktwin.Scenario.from_dict,
        {
            "scenario": "s",
            "machine": "nvidia-h200",
            "graph": {"tasks": [{"name": "a", "time_ns": 1}]},
            "designs": [{"name": "mine", "order": "lifoo"}],
        },
    )
    assert str(in_file) == "designs[0]." + str(error)


@pytest.mark.parametrize("value", [-1, 0, 10**9, 1.5, float("nan"), float("inf"), "many", None, [2], 10**30])
def test_numbers_outside_an_axis_s_range_are_refused(value):
    assert refused(tasktwin.Design, "mine", claim_size=value).field == "claim_size"


def test_a_name_that_is_taken_or_unknown_is_refused():
    assert "is a named design" in str(refused(tasktwin.Design, "static-queues", order="lifo"))
    assert "did you mean 'static-queues'?" in str(refused(tasktwin.Design, "static-queue"))
    assert "did you mean 'static-queues'?" in str(refused(tasktwin.Design, "mine", base="static-queue"))


def test_designs_are_values():
    design = tasktwin.Design("shared-queue")
    changed = design.replace(name="lifo", order="lifo")
    assert design.order == "fifo"
    assert changed != design
    assert changed.replace(name="shared-queue", order="fifo") == design
    assert len({design, tasktwin.Design("shared-queue")}) == 1
    with pytest.raises(AttributeError):
        design.order = "lifo"
    with pytest.raises(AttributeError, match="unknown axis 'oder'"):
        design.oder


def test_a_contradiction_is_refused_by_name(chains, machine):
    design = tasktwin.Design("odd", base="cuda-streams", release="counters")
    assert "'cuda-streams' with release 'events', not 'counters'" in str(
        refused(tasktwin.simulate, chains, machine, design)
    )
