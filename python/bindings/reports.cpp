#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include <pybind11/stl.h>

#include "models/base/error.hpp"
#include "python/bindings/apart.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/values.hpp"
#include "scenarios/load/assemble.hpp"
#include "verify/compare/design_comparison.hpp"
#include "verify/compare/verified_case.hpp"
#include "verify/explain/explanation.hpp"
#include "verify/explain/one_design.hpp"
#include "verify/predict/remarks.hpp"
#include "verify/recordings/recorded_selection.hpp"
#include "verify/system/interrupt.hpp"

namespace tasktwin::python {

namespace py = pybind11;
using scenarios::Scenario;

Design chosen(const py::object& scenario_object, const py::handle& given, const std::string& argument) {
  const auto& scenario = py::cast<const Scenario&>(scenario_object);
  if (!py::isinstance<py::str>(given)) {
    const auto& design = instance<Design>(given, "Design or its name", argument);
    return without_lock(scenario.graph.size() > kLongWork, [scenario_object, &scenario, design](const Interrupted&) {
      scenarios::check_runnable(scenario.graph, scenario.machine, design);
      return design;
    });
  }
  const std::string name = text_of(given, argument);
  if (name.empty() || name.find(',') != std::string::npos) throw InputError(argument + ": '" + name + "' does not name one design");
  return verify::select_designs(scenario, name, argument).front();
}

namespace {

constexpr std::uint64_t kMostRuns = 100'000;
constexpr std::uint64_t kMostSeed = std::numeric_limits<std::uint64_t>::max();

std::vector<Design> chosen_designs(const py::object& scenario_object, const py::object& given) {
  const auto& scenario = py::cast<const Scenario&>(scenario_object);
  if (given.is_none()) return verify::select_designs(scenario, "", "designs");
  if (py::isinstance<py::str>(given)) return verify::select_designs(scenario, text_of(given, "designs"), "designs");
  std::vector<Design> designs;
  for (const py::handle one : py::iter(given)) {
    Design design = chosen(scenario_object, one, "designs");
    for (const Design& other : designs) {
      if (other.name == design.name) throw InputError("designs: '" + design.name + "' is named twice");
    }
    designs.push_back(std::move(design));
  }
  if (designs.empty()) throw InputError("designs: is empty; at least one is needed");
  return designs;
}

std::uint64_t seed_of(const Scenario& scenario, const py::object& given) {
  return given.is_none() ? scenario.seed : whole_number(given, 0, kMostSeed, "seed");
}

/// What `work`, called with a Progress, makes, in a thread of its own that is asked to end.
template <class Work>
py::object reported(Work work) {
  return to_python(without_lock(true, [work = std::move(work)](const Interrupted& interrupted) -> verify::Json {
    const verify::AskedInThisThread asked(interrupted);
    verify::Progress progress([] {});
    try {
      return work(progress);
    } catch (const verify::Interrupted&) {
      throw RunError("interrupted");
    }
  }));
}

py::object compare(const py::object& scenario_object, const py::object& designs, const py::object& seed, const py::object& runs) {
  const auto& scenario = instance<Scenario>(scenario_object, "Scenario", "scenario");
  std::vector<Design> all = chosen_designs(scenario_object, designs);
  const verify::ComparisonOptions options{
      .seed = seed_of(scenario, seed), .runs = whole_number(runs, 1, kMostRuns, "runs"), .causes = true};
  return reported([scenario_object, &scenario, all = std::move(all), options](verify::Progress& progress) {
    return verify::to_json(scenario, verify::compare_designs(scenario, all, options, progress));
  });
}

py::object explain(const py::object& scenario_object, const py::object& a, const py::object& b, const py::object& seed) {
  const auto& scenario = instance<Scenario>(scenario_object, "Scenario", "scenario");
  if (a.is_none() && !b.is_none()) throw InputError("b: there is no 'a' to hold it against");
  const std::optional<Design> first = a.is_none() ? std::nullopt : std::optional(chosen(scenario_object, a, "a"));
  const std::optional<Design> second = b.is_none() ? std::nullopt : std::optional(chosen(scenario_object, b, "b"));
  const std::uint64_t of_both = seed_of(scenario, seed);
  return reported([scenario_object, &scenario, first, second, of_both](verify::Progress& progress) {
    verify::Json result;
    verify::add_provenance(result, scenario, of_both);
    result["remarks"] = scenario.remarks;
    const Design one = first ? *first : verify::design_to_explain(scenario, of_both, progress);
    result.update(second ? verify::explain(scenario, one, *second, of_both, progress).to_json()
                         : verify::explain(scenario, one, of_both, progress).to_json());
    return result;
  });
}

py::object verify_recorded(const std::vector<std::string>& scenarios, const std::string& designs, const std::string& machine, double limit,
                           bool breakdown) {
  if (!std::isfinite(limit) || limit < 0)
    throw InputError("limit: is " + std::string(py::str(py::float_(limit))) + "; must be a finite number, at least 0");
  return reported([=](verify::Progress& progress) {
    const verify::RecordedSelections recorded =
        scenarios.empty() ? verify::all_recordings(verify::recordings_folder(), designs, machine, progress)
                          : verify::find_recordings(verify::load_selections(scenarios, designs, machine, progress), !designs.empty(),
                                                    verify::recordings_folder());
    return verify::verify_recorded(recorded, limit, breakdown, progress);
  });
}

}  // namespace

void bind_reports(py::module_& module) {
  module.def("compare", &compare, py::arg("scenario"), py::arg("designs") = py::none(), py::kw_only(), py::arg("seed") = py::none(),
             py::arg("runs") = 1, "Which design is faster, and whether beyond noise: what `tasktwin compare --format json` prints.");
  module.def("explain", &explain, py::arg("scenario"), py::arg("a") = py::none(), py::arg("b") = py::none(), py::kw_only(),
             py::arg("seed") = py::none(),
             "Why one design beats another, or where the time of one goes, of its own the fastest or as-captured by default: what "
             "`tasktwin explain --format json` prints.");
  module.def("verify_recorded", &verify_recorded, py::arg("scenarios") = std::vector<std::string>{}, py::arg("designs") = "", py::kw_only(),
             py::arg("machine") = "", py::arg("limit") = 0.15, py::arg("breakdown") = false,
             "Predictions against recorded measurements: what `tasktwin verify --recorded --format json` prints.");
  module.def(
      "remarks", [](const Scenario& scenario, const Design& design) { return verify::remarks(scenario, design); }, py::arg("scenario"),
      py::arg("design"), "What the scenario states without effect under `design`.");
}

}  // namespace tasktwin::python
