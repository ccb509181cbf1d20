import json

import pytest

import tasktwin
from test_errors import refused


def printed_by(command, *arguments):
    """What a command prints as JSON, without the name of the format."""
    printed = json.loads(command(*arguments, "--format", "json")[1])
    assert printed.pop("format").startswith("tasktwin/")
    return printed


def test_a_comparison_is_that_of_the_command(command):
    scenario = tasktwin.load_scenario("example")
    printed = printed_by(command, "compare", "example", "--runs", "5")
    assert tasktwin.compare(scenario, runs=5) == printed


def test_a_comparison_of_chosen_designs(chains, machine):
    mine = tasktwin.Design("mine", base="shared-queue", order="lifo")
    scenario = tasktwin.Scenario("chains", chains, machine, [mine])
    result = tasktwin.compare(scenario, ["mine", tasktwin.Design("static-queues"), "central-dispatcher"], seed=4)
    assert [one["design"] for one in result["designs"]] == ["mine", "static-queues", "central-dispatcher"]
    assert result["best"] in ("mine", "static-queues", "central-dispatcher")
    assert result["seed"] == 4
    for wrong, why in (
        (["mine", mine], "is named twice"),
        (["mien"], "did you mean 'mine'?"),
        ([], "is empty"),
        ([""], "does not name one design"),
    ):
        assert why in str(refused(tasktwin.compare, scenario, wrong))
    assert refused(tasktwin.compare, scenario, runs=0).field == "runs"
    with pytest.raises(TypeError):
        tasktwin.compare(scenario, [3])


def test_an_explanation_is_that_of_the_command(command):
    scenario = tasktwin.load_scenario("cholesky")
    arguments = ("static-queues", "central-dispatcher")
    printed = printed_by(command, "explain", "cholesky", *arguments)
    explained = tasktwin.explain(scenario, *arguments)
    assert explained == printed
    assert explained["sentences"]


def test_recorded_verification_is_that_of_the_command(command):
    arguments = ("cholesky", "--designs", "static-queues,central-dispatcher", "--breakdown")
    printed = printed_by(command, "verify", "--recorded", *arguments)
    verified = tasktwin.verify_recorded(["cholesky"], "static-queues,central-dispatcher", breakdown=True)
    assert verified == printed
    assert len(verified["cases"]) == 2
    assert "record" in str(refused(tasktwin.verify_recorded, ["example"]))
    assert refused(tasktwin.verify_recorded, ["cholesky"], limit=float("nan")).field == "limit"


def test_remarks_say_what_is_without_effect():
    scenario = tasktwin.load_scenario("example")
    assert isinstance(tasktwin.remarks(scenario, scenario.designs[0]), list)


def test_an_explanation_of_one_design_is_that_of_the_command(command):
    scenario = tasktwin.load_scenario("example")
    printed = printed_by(command, "explain", "example", "static-queues")
    assert tasktwin.explain(scenario, "static-queues") == printed
    assert len(printed["designs"]) == 1 and printed["changes"]["tried"] > 0
    assert tasktwin.explain(scenario) == printed_by(command, "explain", "example")
    assert "'a'" in str(refused(tasktwin.explain, scenario, b="static-queues"))
