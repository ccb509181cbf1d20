#include "verify/predict/perturbation.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "verify/output/text/text_table.hpp"
#include "verify/pool/in_parallel.hpp"
#include "verify/predict/prediction.hpp"
#include "verify/predict/sensitivity.hpp"

namespace tasktwin::verify {

namespace {

double change(Duration makespan, Duration from) {
  return from > Duration{0} ? static_cast<double>(to_ns(makespan)) / static_cast<double>(to_ns(from)) - 1 : 0;
}

PerturbedQuantity& row_of(std::vector<PerturbedQuantity>& quantities, const std::string& machine, const MachineQuantity& quantity) {
  const auto found = std::ranges::find_if(
      quantities, [&](const PerturbedQuantity& one) { return one.machine == machine && one.quantity == quantity.name; });
  if (found != quantities.end()) return *found;
  quantities.push_back({.machine = machine, .quantity = quantity.name, .value = quantity.value, .scenario = "", .design = ""});
  return quantities.back();
}

}  // namespace

double PerturbedQuantity::most() const { return std::max(std::abs(smaller), std::abs(larger)); }

void perturb(const scenarios::Scenario& scenario, std::span<const Design> designs, std::vector<PerturbedQuantity>& quantities,
             Progress& progress, std::size_t jobs) {
  std::vector<Duration> makespans;
  for (const Design& design : designs) makespans.push_back(predict_makespan(scenario, design, scenario.seed));
  const std::vector<MachineQuantity> all = machine_quantities(scenario.machine);
  const auto with = [&](std::size_t i, double factor) {
    return durations_to_json(makespans_with(scenario, designs, scenario.seed, all[i], factor));
  };
  const auto perturbed = [&](std::size_t i) { return Json::array({with(i, 1 - kPerturbation), with(i, 1 + kPerturbation)}); };
  in_parallel(jobs, all.size(), perturbed, [&](std::size_t i, const Json& answer) {
    progress.show(fmt::format("simulating {} with another {}", scenario.name, all[i].name));
    PerturbedQuantity& row = row_of(quantities, scenario.machine.name, all[i]);
    const std::vector<Duration> with_less = durations_from(answer[0]);
    const std::vector<Duration> with_more = durations_from(answer[1]);
    for (std::size_t d = 0; d < designs.size(); ++d) {
      const double smaller = change(with_less[d], makespans[d]);
      const double larger = change(with_more[d], makespans[d]);
      const double most = std::max(std::abs(smaller), std::abs(larger));
      if (most > kMoved) ++row.moved;
      if (most <= row.most()) continue;
      row.smaller = smaller;
      row.larger = larger;
      row.scenario = scenario.name;
      row.design = designs[d].name;
    }
  });
  progress.clear();
}

std::string perturbation_to_text(std::vector<PerturbedQuantity> quantities, std::size_t cases) {
  const std::size_t tried = quantities.size();
  std::erase_if(quantities, [](const PerturbedQuantity& one) { return one.moved == 0; });
  std::ranges::stable_sort(quantities, std::greater{}, &PerturbedQuantity::most);
  TextTable table({"quantity", "cases moved", format_percent(-kPerturbation, true), format_percent(kPerturbation, true), "where most"});
  for (const PerturbedQuantity& one : quantities) {
    table.add_row({one.quantity, fmt::format("{} of {}", one.moved, cases), format_percent(one.smaller, true),
                   format_percent(one.larger, true), one.scenario + ", " + one.design});
  }
  return fmt::format("{} of {} quantities move a predicted makespan by more than {} when they are {} off, each alone\n{}",
                     quantities.size(), tried, format_percent(kMoved), format_percent(kPerturbation), table.to_string());
}

Json perturbation_to_json(const std::vector<PerturbedQuantity>& quantities) {
  Json rows = Json::array();
  for (const PerturbedQuantity& one : quantities) {
    rows.push_back({{"machine", one.machine},
                    {"quantity", one.quantity},
                    {"value", one.value},
                    {"perturbation", kPerturbation},
                    {"cases_moved", one.moved},
                    {"scenario", one.scenario},
                    {"design", one.design},
                    {"change_if_smaller", one.smaller},
                    {"change_if_larger", one.larger}});
  }
  return rows;
}

}  // namespace tasktwin::verify
