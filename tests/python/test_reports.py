import json

import pytest

import tasktwin
from test_errors import refused


def test_a_comparison_is_that_of_the_command(command):
    scenario = tasktwin.load_scenario("example")
    printed = json.loads(command("compare", "example", "--runs", "5", "--format", "json")[1])
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
    printed = json.loads(command("explain", "cholesky", *arguments, "--format", "json")[1])
    explained = tasktwin.explain(scenario, *arguments)
    assert explained == printed
    assert explained["sentences"]


def test_recorded_verification_is_that_of_the_command(command):
    arguments = ("cholesky", "--designs", "static-queues,central-dispatcher", "--breakdown", "--format", "json")
    printed = json.loads(command("verify", "--recorded", *arguments)[1])
    verified = tasktwin.verify_recorded(["cholesky"], "static-queues,central-dispatcher", breakdown=True)
    assert verified == printed
    assert len(verified["cases"]) == 2
    assert "record" in str(refused(tasktwin.verify_recorded, ["example"]))
    assert refused(tasktwin.verify_recorded, ["cholesky"], limit=float("nan")).field == "limit"


def test_remarks_say_what_is_without_effect():
    scenario = tasktwin.load_scenario("example")
    assert isinstance(tasktwin.remarks(scenario, scenario.designs[0]), list)
