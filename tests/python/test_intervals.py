"""Intervals of predictions, judged on what they were not learnt from."""

import csv
import math
import random

import pytest

import tasktwin
from tasktwin import _intervals
from tasktwin._intervals import ErrorIntervals, read_errors, tolerance_bound

RECORDS = read_errors()
H100 = [record for record in RECORDS if record.machine == "nvidia-h100"]
H200 = [record for record in RECORDS if record.machine == "nvidia-h200"]


def shape(record):
    """Scenarios of one kind have names that begin alike."""
    return record.scenario.split("-")[0]


def share_within(learnt, judged):
    intervals = ErrorIntervals(learnt)
    return sum(abs(record.error) <= intervals.half_width(record.mechanism)[0] for record in judged) / len(judged)


def test_the_table_is_what_the_simulator_predicts():
    with open("tests/goldens/predictions.csv", newline="") as file:
        predictions = {(row["scenario"], row["design"]): int(row["predicted_makespan_ns"]) for row in csv.DictReader(file)}
    assert {(record.scenario, record.design) for record in H200} == set(predictions)
    wrong = [record for record in H200 if predictions[record.scenario, record.design] != record.predicted_ns]
    assert not wrong, "scripts/errors.py writes the table anew"


@pytest.mark.parametrize("learnt, judged", [(H100, H200), (H200, H100)], ids=["h100-judged-on-h200", "h200-judged-on-h100"])
def test_intervals_learnt_on_one_card_hold_on_the_other(learnt, judged):
    assert share_within(learnt, judged) >= 0.92


@pytest.mark.parametrize("learnt, judged", [(H100, H200), (H200, H100), (RECORDS, RECORDS)], ids=["h200", "h100", "both"])
def test_intervals_hold_for_shapes_of_other_kinds(learnt, judged):
    within = 0.0
    for kind in {shape(record) for record in judged}:
        of_kind = [record for record in judged if shape(record) == kind]
        within += len(of_kind) * share_within([record for record in learnt if shape(record) != kind], of_kind)
    assert within / len(judged) >= 0.92


def test_ten_measurements_find_the_best_of_two_hundred(monkeypatch):
    monkeypatch.setattr(_intervals, "_shipped", ErrorIntervals(H100))
    errors = {}
    for record in H200:
        errors.setdefault(record.design, []).append(record.error)
    named = [tasktwin.Design(name) for name in errors if name in tasktwin.named_designs()]
    draw = random.Random(1)
    found = 0
    for _ in range(100):
        designs = [draw.choice(named) for _ in range(200)]
        predicted = [1e5 * math.exp(draw.gauss(0, 0.15)) for _ in designs]
        measured = [time * math.exp(draw.choice(errors[design.name])) for design, time in zip(designs, predicted)]
        chosen = tasktwin.measure_me(list(zip(designs, predicted)))
        assert len(chosen) <= 10
        found += min(measured) == min(measured[i] for i in chosen)
    assert found >= 95


def test_a_clear_winner_need_not_be_measured_against_others():
    streams, queues = tasktwin.Design("cuda-streams"), tasktwin.Design("static-queues")
    assert tasktwin.measure_me([(streams, 100_000), (queues, 10_000)]) == [1]
    assert tasktwin.measure_me([(streams, 100_000), (queues, 99_000)]) == [1, 0]
    assert tasktwin.measure_me([(streams, 100_000), (queues, 99_000)], most=1) == [1]


def test_an_interval_says_what_it_was_learnt_from():
    interval = tasktwin.interval(tasktwin.Design("static-queues"), 50_000)
    assert interval.low_ns < 50_000 < interval.high_ns
    assert interval.mechanism == "persistent/counters/per_worker" and interval.cases > 100
    unknown = tasktwin.interval(tasktwin.Design("ascend-group-queue"), 50_000)
    assert unknown.cases == 0 and unknown.high_ns >= interval.high_ns


def test_wrong_values_are_refused():
    design = tasktwin.Design("static-queues")
    for makespan in (0, -1, math.nan, math.inf):
        with pytest.raises(tasktwin.InputError, match="makespan_ns: is"):
            tasktwin.interval(design, makespan)
    with pytest.raises(tasktwin.InputError, match="candidates: are empty"):
        tasktwin.measure_me([])
    with pytest.raises(tasktwin.InputError, match="most: is 0"):
        tasktwin.measure_me([(design, 1)], most=0)


def test_the_bound_is_the_order_statistic_of_wilks():
    assert tolerance_bound(range(1, 59)) == 58  # 58 values are too few, 59 are the fewest that suffice
    assert tolerance_bound(range(1, 60)) == 59
    assert tolerance_bound(range(1, 94)) == 92  # from 93 on the largest may lie beyond


@pytest.mark.parametrize("wrong", [None, "5", True, 1 + 2j, [], object(), b"x"])
def test_what_is_no_prediction_is_a_type_error(wrong):
    design = tasktwin.Design("shared-queue")
    for call in (
        lambda: tasktwin.interval(design, wrong),
        lambda: tasktwin.interval(wrong, 5),
        lambda: tasktwin.measure_me([(design, wrong)]),
        lambda: tasktwin.measure_me([(wrong, 5)]),
        lambda: tasktwin.measure_me([wrong]),
        lambda: tasktwin.measure_me([(design, 5, wrong)]),
        lambda: tasktwin.to_networkx(wrong),
        lambda: tasktwin.from_networkx(wrong),
        lambda: tasktwin.plot_timeline(wrong),
        lambda: tasktwin.plot_comparison(wrong),
        lambda: tasktwin.plot_pareto(wrong),
    ):
        with pytest.raises(TypeError):
            call()


@pytest.mark.parametrize("wrong", [0, -1, float("nan"), float("inf"), 1e308, 10**400])
def test_what_no_run_lasts_is_refused(wrong):
    with pytest.raises(tasktwin.InputError, match="makespan_ns: is .*; must be more than 0, at most 1e[+]17"):
        tasktwin.interval(tasktwin.Design("shared-queue"), wrong)


def test_candidates_may_be_any_iterable():
    design = tasktwin.Design("shared-queue")
    assert tasktwin.measure_me((design, time) for time in (9.0, 5.0)) == tasktwin.measure_me([(design, 9.0), (design, 5.0)])


@pytest.mark.parametrize("wrong", [{}, {"designs": None, "points": 3}, {"designs": [1], "points": ["x"]}])
def test_what_no_command_gave_is_not_plotted(wrong):
    with pytest.raises(tasktwin.InputError, match="result: has no designs; it must be what compare"):
        tasktwin.plot_comparison(wrong)
    with pytest.raises(tasktwin.InputError, match="result: has no points; it must be what search"):
        tasktwin.plot_pareto(wrong)
