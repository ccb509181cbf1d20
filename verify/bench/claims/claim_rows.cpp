#include "verify/bench/claims/claim_rows.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/run/as_run.hpp"
#include "sim/simulator.hpp"
#include "verify/bench/claims/metg_figures.hpp"
#include "verify/predict/statistics.hpp"

namespace tasktwin::verify {

namespace {

double median_ns(const MeasuredSide& side) { return static_cast<double>(to_ns(median_duration(side.makespans))); }

void take(MeasuredSide baseline, MeasuredSide contender, ClaimRow& row) {
  row.measured = Figures{median_ns(baseline), median_ns(contender)};
  row.sides = {std::move(baseline), std::move(contender)};
}

std::string wrong_in(const MeasuredSide& side) {
  return side.ordering_violations > 0 ? fmt::format("'{}' was out of order {} times", side.design, side.ordering_violations)
                                      : fmt::format("'{}' gave wrong numbers", side.design);
}

/// Runs `work`; what it throws goes to `why`, and whether it was a fault, not a refusal, is returned.
template <class Work>
bool attempt(std::string& why, Work work) {
  try {
    work();
  } catch (const InputError& refused) {
    why = refused.what();
  } catch (const RunError& fault) {
    why = fault.what();
    return true;
  }
  return false;
}

}  // namespace

ClaimRows::ClaimRows(std::filesystem::path recordings, SideMeasurer* measurer, ClaimOrigin origin, Show show)
    : recordings_(std::move(recordings)), measurer_(measurer), origin_(std::move(origin)), show_(std::move(show)) {}

std::vector<ClaimRow> ClaimRows::of(const scenarios::Claim& claim) {
  for (const scenarios::Comparison& comparison : claim.comparisons) {
    if (std::holds_alternative<scenarios::MetgSides>(comparison.sides)) check_metg_sides(comparison);
  }
  std::vector<ClaimRow> rows;
  for (const scenarios::Comparison& comparison : claim.comparisons) {
    ClaimRow& row = rows.emplace_back();
    row.id = claim.id;
    row.scenario = comparison.name;
    row.claimed = comparison.claimed;
    const auto* metg = std::get_if<scenarios::MetgSides>(&comparison.sides);
    const auto* makespan = std::get_if<scenarios::MakespanSides>(&comparison.sides);
    row.baseline = metg ? metg->baseline : makespan->baseline.designs.front().name;
    row.contender = metg ? metg->contender : makespan->contender.designs.front().name;
    if (measurer_ != nullptr) {
      show_(fmt::format("running {} {}", row.id, row.scenario));
      row.origin = origin_;
      row.failed = attempt(row.why_unmeasured, [&] { metg ? measure(*metg, row) : measure(*makespan, row); });
    } else {
      metg ? read(*metg, row) : read(*makespan, row);
    }
    show_(fmt::format("simulating {} {}", row.id, row.scenario));
    attempt(row.why_unpredicted, [&] { row.predicted = metg ? predicted_metg(*metg) : predict(*makespan, row.sides); });
  }
  return rows;
}

void ClaimRows::measure(const scenarios::MakespanSides& sides, ClaimRow& row) const {
  MeasuredSide baseline = measurer_->measure(sides.baseline);
  MeasuredSide contender = measurer_->measure(sides.contender);
  for (const MeasuredSide* side : {&baseline, &contender}) {
    if (!side->right()) throw RunError(wrong_in(*side));
  }
  take(std::move(baseline), std::move(contender), row);
}

void ClaimRows::measure(const scenarios::MetgSides& sides, ClaimRow& row) const { row.measured = measurer_->measure_metg(sides); }

void ClaimRows::read(const scenarios::MakespanSides& sides, ClaimRow& row) {
  const std::string& machine = sides.baseline.machine.name;
  auto found = records_.find(machine);
  if (found == records_.end()) found = records_.emplace(machine, read_claim_records(claim_records_path(recordings_, machine))).first;
  const auto claim = std::ranges::find(found->second, row.id, &RecordedClaim::id);
  if (claim == found->second.end()) return;
  const auto recorded = std::ranges::find(claim->comparisons, row.scenario, &RecordedComparison::scenario);
  if (recorded == claim->comparisons.end()) return;
  auto outdated = why_outdated(recorded->baseline, sides.baseline);
  if (!outdated) outdated = why_outdated(recorded->contender, sides.contender);
  if (outdated) {
    row.why_unmeasured = fmt::format("{}; record it anew: {}", *outdated, claim->origin.command);
    return;
  }
  row.origin = claim->origin;
  take(recorded->baseline, recorded->contender, row);
}

void ClaimRows::read(const scenarios::MetgSides& sides, ClaimRow& row) const {
  RecordedMetg recorded = recorded_metg(recordings_, sides);
  row.measured = recorded.figures;
  row.why_unmeasured = std::move(recorded.why_none);
  if (row.measured) row.origin = std::move(recorded.origin);
}

Figures ClaimRows::predict(const scenarios::MakespanSides& sides, const std::vector<MeasuredSide>& measured) {
  const auto host_call = [&measured](std::size_t side) { return measured.empty() ? Nanoseconds{0} : measured[side].host_call; };
  return {predicted_ns(sides.baseline, host_call(0)), predicted_ns(sides.contender, host_call(1))};
}

double ClaimRows::predicted_ns(const scenarios::Scenario& scenario, Nanoseconds host_call) {
  const std::string key = fmt::format("{} {}", side_key(scenario), host_call.count());
  if (const auto known = predicted_.find(key); known != predicted_.end()) return known->second;
  const Design& design = scenario.designs.front();
  const double host_pace = host_slowdown(design, scenario.machine, host_call);
  const sim::Simulation simulation = sim::simulate(scenario.graph, scenario.machine, design,
                                                   {.seed = scenario.seed, .host_pace = host_pace, .replayed = scenario.replayed(design)});
  return predicted_.emplace(key, static_cast<double>(to_ns(simulation.timeline.makespan()))).first->second;
}

const scenarios::Scenario* recorded_scenario(const scenarios::Claim& claim) {
  for (const scenarios::Comparison& comparison : claim.comparisons) {
    if (const auto* sides = std::get_if<scenarios::MakespanSides>(&comparison.sides)) return &sides->baseline;
  }
  return nullptr;
}

std::optional<RecordedClaim> to_record(const scenarios::Claim& claim, const std::vector<ClaimRow>& rows) {
  RecordedClaim record{.id = claim.id, .machine_hash = {}, .origin = {}, .comparisons = {}};
  for (const ClaimRow& row : rows) {
    if (row.sides.size() != 2) continue;
    record.origin = row.origin;
    record.comparisons.push_back({row.scenario, row.sides[0], row.sides[1]});
  }
  if (record.comparisons.empty()) return std::nullopt;
  record.machine_hash = recorded_scenario(claim)->machine_hash;
  return record;
}

}  // namespace tasktwin::verify
