#include "verify/explain/changes.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/checks/mechanisms.hpp"
#include "models/checks/remarks.hpp"
#include "models/policies/policy_call.hpp"
#include "models/program/program_edits.hpp"
#include "models/runtimes/runtimes.hpp"
#include "scenarios/load/assemble.hpp"
#include "verify/explain/hypothetical.hpp"
#include "verify/explain/what_if.hpp"
#include "verify/predict/admission.hpp"
#include "verify/predict/remarks.hpp"
#include "verify/predict/sensitivity.hpp"

namespace tasktwin::verify {

namespace {

/// The design with each other word of the axis, or half and twice its number.
std::vector<Design> neighbours(const Design& design, const AxisField& axis) {
  std::vector<Design> found;
  if (axis.is_word()) {
    for (const std::string_view word : axis.words) {
      if (word == axis.word(design)) continue;
      found.push_back(design);
      axis.set_word(found.back(), word);
    }
    return found;
  }
  const int number = design.*axis.number;
  for (const int other : {number / 2, number * 2}) {
    if (other == number || other < axis.min || other > axis.max) continue;
    found.push_back(design);
    found.back().*axis.number = other;
  }
  return found;
}

/// What `run` takes; 0 where the machine or the graph does not allow it, or it comes to no end.
template <class Run>
Duration makespan_of(const Run& run) {
  try {
    return run();
  } catch (const PolicyError&) {
    throw;
  } catch (const InputError&) {
    return {};
  } catch (const RunError&) {
    return {};
  }
}

/// 0 too where it reads what is not there yet, or hangs in some orders, unless those `hazardous` are wanted.
Duration makespan_under(const scenarios::Scenario& scenario, const Design& design, std::uint64_t seed, bool hazardous) {
  return makespan_of([&] {
    check_design(design, scenario.machine);
    scenarios::check_runnable(scenario.graph, scenario.machine, design);
    check_admission(scenario, design);
    if (!hazardous && !hazards(scenario, design).empty()) return Duration{};
    return Hypothetical{scenario, design}.makespan(seed);
  });
}

/// Of a captured program's work launched another way.
Duration makespan_as(const scenarios::Scenario& scenario, const Design& design, std::string_view word, std::uint64_t seed) {
  return makespan_of([&] {
    WhatIf wanted;
    wanted.as = std::string(word);
    Selection selection;
    selection.argument = scenario.name;
    selection.scenario = scenario;
    selection.designs = {design};
    const Selection changed = what_if(selection, wanted);
    return Hypothetical{changed.scenario, changed.designs.front()}.makespan(seed);
  });
}

/// Of changes of one thing the first.
void keep_best_of_each(std::vector<Change>& changes) {
  std::set<std::string> seen;
  std::erase_if(changes, [&seen](const Change& change) { return !seen.insert(change.of).second; });
}

/// The constants of sections that the design reads, and of kernels that the graph has: of others no run changes.
std::vector<MachineQuantity> quantities_read(const scenarios::Scenario& scenario, const Design& design) {
  std::set<std::string, std::less<>> read;
  for (const NeededSection& section : mechanisms_of(design, scenario.graph)) read.emplace(section.name);
  for (std::size_t i = 0; i < scenario.graph.size(); ++i)
    read.insert(fmt::format("kernels.{}", to_word(scenario.graph[task_id(i)].kernel)));
  std::vector<MachineQuantity> quantities = machine_quantities(scenario.machine);
  constexpr std::string_view kKernels = "kernels.";
  std::erase_if(quantities, [&](const MachineQuantity& one) {
    return !read.contains(one.name.substr(0, one.name.find('.', one.name.starts_with(kKernels) ? kKernels.size() : 0)));
  });
  return quantities;
}

std::string as_number(double value) { return fmt::format("{:g}", value); }

}  // namespace

Changes best_changes(const scenarios::Scenario& scenario, const Design& design, Duration makespan, std::uint64_t seed, Progress& progress) {
  Changes changes;
  const auto keep = [&changes, makespan, &progress](std::vector<Change>& list, std::string_view of, std::string what, Duration other) {
    progress.advance();
    if (other <= Duration{}) return;
    ++changes.tried;
    if (other < makespan) list.push_back({std::string(of), std::move(what), other});
  };
  const std::vector<MachineQuantity> quantities = quantities_read(scenario, design);
  if (runtime_of(design).id == RuntimeId::kHostProgram) {  // a captured program is as it is: what may change is how its work is launched
    const GraphLaunches graphs = graph_launches(*scenario.program);
    auto ways = as_words();
    // What launches a graph's nodes one by one is not known; several graphs may become one.
    if (graphs.tasks == scenario.graph.size())
      std::erase_if(ways, [&graphs](const auto& way) { return way.first != "graph" || graphs.launches < 2; });
    changes.is_one_graph = ways.empty();
    progress.expect(quantities.size() + ways.size());
    for (const HostThread& thread : scenario.program->threads)
      changes.blocking += static_cast<std::size_t>(
          std::ranges::count_if(thread.calls, [](const HostCall& call) { return is_sync(call.kind) || call.blocks; }));
    for (const auto& [word, meaning] : ways)
      keep(changes.axes, word, fmt::format("--as {}", word), makespan_as(scenario, design, word, seed));
  } else {
    std::vector<std::pair<const AxisField*, Design>> designs;
    for (const AxisField& axis : axis_fields()) {
      for (Design& other : neighbours(design, axis)) {
        const bool more_workers = other.workers_per_core > design.workers_per_core;
        if (more_workers && !worker_remarks(scenario.graph, scenario.machine, other).empty()) continue;  // still more would help still more
        designs.emplace_back(&axis, std::move(other));
      }
    }
    progress.expect(quantities.size() + designs.size());
    const bool hazardous = !hazards(scenario, design).empty();
    for (const auto& [axis, other] : designs)
      keep(changes.axes, axis->name, fmt::format("{} {} in place of {}", axis->name, axis->quoted(other), axis->quoted(design)),
           makespan_under(scenario, other, seed, hazardous));
  }
  constexpr double kHalf = 0.5;
  scenarios::Scenario changed = scenario;
  for (const MachineQuantity& quantity : quantities) {
    changed.machine = scenario.machine;
    quantity.scale(changed.machine, kHalf);
    const bool list = quantity.name.ends_with(".arithmetic");  // of times by size, which no single number stands for
    keep(changes.constants, quantity.name,
         list ? quantity.name + " with half of each time"
              : fmt::format("{} {} in place of {}", quantity.name, as_number(kHalf * quantity.value), as_number(quantity.value)),
         predict_makespan(changed, design, seed));
  }
  for (std::vector<Change>* const list : {&changes.axes, &changes.constants}) {
    std::ranges::stable_sort(*list, {}, &Change::makespan);
    keep_best_of_each(*list);
  }
  return changes;
}

}  // namespace tasktwin::verify
