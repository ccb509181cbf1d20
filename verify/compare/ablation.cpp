#include "verify/compare/ablation.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "models/checks/mechanisms.hpp"
#include "models/run/as_run.hpp"
#include "verify/output/text/markdown_table.hpp"
#include "verify/output/text/text_table.hpp"
#include "verify/pool/process_pool.hpp"
#include "verify/predict/prediction.hpp"
#include "verify/predict/statistics.hpp"

namespace tasktwin::verify {

namespace {

ModelPart part_of(const ConstantField& field) {
  return {field.key, [&field](Machine& machine) { field.set(machine, 0); },
          [&field](const scenarios::Scenario& scenario, std::span<const std::string_view> sections) {
            return std::ranges::find(sections, field.section) != sections.end() && field.get(scenario.machine) != 0;
          }};
}

ModelPart part_of(const KernelField& field) {
  return {fmt::format("kernels.*.{}", field.name),
          [&field](Machine& machine) {
            for (KernelCost& cost : machine.kernels) field.set(cost, field.absent);
          },
          [&field](const scenarios::Scenario& scenario, std::span<const std::string_view>) {
            return std::ranges::any_of(scenario.graph.tasks(), [&](const Task& task) {
              return field.get(scenario.machine.kernel_cost(task.kernel)) != field.absent;
            });
          }};
}

/// A recorded case, and how it is predicted.
struct Case {
  const scenarios::Scenario* scenario;
  const Design* design;
  double measured_ns;
  double pace;
  std::vector<std::string_view> sections;
};

std::vector<Case> cases_of(const RecordedSelections& recorded) {
  std::vector<Case> cases;
  for (std::size_t i = 0; i < recorded.selections.size(); ++i) {
    const Selection& selection = recorded.selections[i];
    for (std::size_t d = 0; d < selection.designs.size(); ++d) {
      const RecordedCase& measured = recorded.measured[i][d];
      Case& one =
          cases.emplace_back(&selection.scenario, &selection.designs[d], static_cast<double>(to_ns(median_duration(measured.makespans))),
                             host_slowdown(selection.designs[d], selection.scenario.machine, measured.host_call));
      for (const NeededSection& needed : mechanisms_of(*one.design, one.scenario->graph)) one.sections.push_back(needed.name);
    }
  }
  return cases;
}

/// The prediction without the part; with all of them where there is none.
double predicted_ns(const Case& one, const ModelPart* part) {
  if (part == nullptr) return static_cast<double>(to_ns(predict_median(*one.scenario, *one.design, one.pace).timeline.makespan()));
  scenarios::Scenario changed = *one.scenario;
  part->leave_out(changed.machine);
  return static_cast<double>(to_ns(predict_median(changed, *one.design, one.pace).timeline.makespan()));
}

struct Request {
  std::size_t of;
  const ModelPart* part;
};

/// By request; a part without which a case cannot be simulated counts as one that no prediction is without.
std::vector<double> predictions(const std::vector<Case>& cases, const std::vector<Request>& requests, Progress& progress) {
  const auto serve = [&](std::string_view text) {
    std::size_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    const Request& request = requests[number];
    try {
      return fmt::format("{}", predicted_ns(cases[request.of], request.part));
    } catch (const std::exception&) {
      return std::string("inf");
    }
  };
  std::vector<double> values(requests.size());
  progress.expect(requests.size());
  const auto pool = make_pool(serve, 0);
  pool->ask(
      requests.size(), [](std::size_t number) { return std::to_string(number); },
      [&](std::size_t number, const std::string& answer) {
        values[number] = std::strtod(answer.c_str(), nullptr);
        progress.advance();
      });
  return values;
}

double off(double predicted, double measured) { return std::abs(predicted / measured - 1); }

/// Of one machine's cases: absolute errors by design.
using ErrorsByDesign = std::map<std::string, std::vector<double>>;

std::vector<double> all_of(const ErrorsByDesign& errors) {
  std::vector<double> all;
  for (const auto& [design, own] : errors) all.insert(all.end(), own.begin(), own.end());
  return all;
}

Ablation compare(const std::string& machine, const std::string& part, const ErrorsByDesign& with, const ErrorsByDesign& without) {
  Ablation ablation{.machine = machine, .part = part, .design = {}};
  double most = 0;
  for (const auto& [design, errors] : with) {
    const double before = percentile(errors, 0.95);
    const double after = percentile(without.at(design), 0.95);
    if (after - before <= most) continue;
    most = after - before;
    ablation.design = design;
    ablation.p95_with = before;
    ablation.p95_without = after;
  }
  ablation.median_with = median(all_of(with));
  ablation.median_without = median(all_of(without));
  return ablation;
}

}  // namespace

std::vector<ModelPart> model_parts() {
  std::vector<ModelPart> parts;
  for (const ConstantField& field : constant_fields()) {
    if (field.unit != Unit::kCount && field.min == 0) parts.push_back(part_of(field));
  }
  for (const KernelField& field : kernel_fields()) parts.push_back(part_of(field));
  return parts;
}

std::vector<Ablation> ablate(const RecordedSelections& recorded, Progress& progress) {
  const std::vector<Case> cases = cases_of(recorded);
  const std::vector<ModelPart> parts = model_parts();
  std::vector<Request> requests;
  for (std::size_t i = 0; i < cases.size(); ++i) requests.push_back({i, nullptr});
  for (const ModelPart& part : parts) {
    for (std::size_t i = 0; i < cases.size(); ++i) {
      if (part.matters(*cases[i].scenario, cases[i].sections)) requests.push_back({i, &part});
    }
  }
  const std::vector<double> predicted = predictions(cases, requests, progress);

  std::map<std::pair<const ModelPart*, std::size_t>, double> without;
  for (std::size_t i = cases.size(); i < requests.size(); ++i) without[{requests[i].part, requests[i].of}] = predicted[i];
  std::map<std::string, ErrorsByDesign> with;
  for (std::size_t i = 0; i < cases.size(); ++i)
    with[cases[i].scenario->machine.name][cases[i].design->name].push_back(off(predicted[i], cases[i].measured_ns));

  std::vector<Ablation> ablations;
  for (const auto& [machine, errors] : with) {
    for (const ModelPart& part : parts) {
      ErrorsByDesign changed;
      std::size_t seen = 0;
      std::size_t moved = 0;
      for (std::size_t i = 0; i < cases.size(); ++i) {
        if (cases[i].scenario->machine.name != machine) continue;
        const auto found = without.find({&part, i});
        const double now = found == without.end() ? predicted[i] : found->second;
        seen += found == without.end() ? 0 : 1;
        moved += off(now, predicted[i]) > Ablation::kChanged ? 1 : 0;
        changed[cases[i].design->name].push_back(off(now, cases[i].measured_ns));
      }
      if (seen == 0) continue;
      ablations.push_back(compare(machine, part.name, errors, changed));
      ablations.back().cases = moved;
    }
  }
  std::ranges::stable_sort(ablations, std::greater{}, &Ablation::buys);
  return ablations;
}

std::string ablations_to_text(const std::vector<Ablation>& ablations) {
  TextTable table({"left out", "machine", "cases moved", "95th percentile of", "with", "without", "median with", "without"}, 2);
  for (const Ablation& one : ablations) {
    table.add_row({one.part, one.machine, fmt::format("{}", one.cases), one.design, format_percent(one.p95_with),
                   format_percent(one.p95_without), format_percent(one.median_with), format_percent(one.median_without)});
  }
  const auto paying = std::ranges::count_if(ablations, &Ablation::pays);
  return fmt::format("{} of {} parts of the model buy some design {:.1f} % or more of its 95th percentile\n{}", paying, ablations.size(),
                     100 * Ablation::kRent, table.to_string());
}

std::string ablations_to_markdown(const std::vector<Ablation>& ablations) {
  MarkdownTable table({"left out", "machine", "cases moved", "design", "its 95th percentile", "without", "median of all", "without"});
  for (const Ablation& one : ablations) {
    if (!one.pays()) continue;
    table.add_row({as_code(one.part), as_code(one.machine), fmt::format("{}", one.cases), as_code(one.design), format_percent(one.p95_with),
                   format_percent(one.p95_without), format_percent(one.median_with), format_percent(one.median_without)});
  }
  return table.to_string();
}

Json to_json(const std::vector<Ablation>& ablations) {
  Json rows = Json::array();
  for (const Ablation& one : ablations) {
    rows.push_back({{"machine", one.machine},
                    {"part", one.part},
                    {"cases_moved", one.cases},
                    {"design", one.design},
                    {"p95_with", one.p95_with},
                    {"p95_without", one.p95_without},
                    {"median_with", one.median_with},
                    {"median_without", one.median_without},
                    {"pays", one.pays()}});
  }
  return rows;
}

}  // namespace tasktwin::verify
