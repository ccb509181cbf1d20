#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include <pybind11/stl.h>

#include "models/base/error.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/interruption.hpp"
#include "python/bindings/values.hpp"
#include "scenarios/load/assemble.hpp"
#include "verify/compare/design_comparison.hpp"
#include "verify/compare/verified_case.hpp"
#include "verify/explain/explanation.hpp"
#include "verify/explain/one_design.hpp"
#include "verify/predict/remarks.hpp"
#include "verify/recordings/recorded_selection.hpp"

namespace tasktwin::python {

namespace py = pybind11;
using scenarios::Scenario;

Design chosen(const Scenario& scenario, const py::handle& given, const std::string& argument) {
  if (!py::isinstance<py::str>(given)) {
    const auto& design = instance<Design>(given, "Design or its name", argument);
    scenarios::check_runnable(scenario.graph, scenario.machine, design);
    return design;
  }
  const auto name = py::cast<std::string>(given);
  if (name.empty() || name.find(',') != std::string::npos) throw InputError(argument + ": '" + name + "' does not name one design");
  return verify::select_designs(scenario, name, argument).front();
}

namespace {

constexpr std::uint64_t kMostRuns = 100'000;
constexpr std::uint64_t kMostSeed = std::numeric_limits<std::uint64_t>::max();

std::vector<Design> chosen_designs(const Scenario& scenario, const py::object& given) {
  if (given.is_none()) return verify::select_designs(scenario, "", "designs");
  if (py::isinstance<py::str>(given)) return verify::select_designs(scenario, py::cast<std::string>(given), "designs");
  std::vector<Design> designs;
  for (const py::handle one : py::iter(given)) {
    Design design = chosen(scenario, one, "designs");
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

py::object compare(const Scenario& scenario, const py::object& designs, const py::object& seed, const py::object& runs) {
  const std::vector<Design> all = chosen_designs(scenario, designs);
  const verify::ComparisonOptions options{
      .seed = seed_of(scenario, seed), .runs = whole_number(runs, 1, kMostRuns, "runs"), .causes = true};
  verify::Json result;
  {
    const py::gil_scoped_release release;
    verify::Progress progress = interruptible();
    result = verify::to_json(scenario, verify::compare_designs(scenario, all, options, progress));
  }
  return to_python(result);
}

py::object explain(const Scenario& scenario, const py::object& a, const py::object& b, const py::object& seed) {
  const Design first = chosen(scenario, a, "a");
  const std::optional<Design> second = b.is_none() ? std::nullopt : std::optional(chosen(scenario, b, "b"));
  const std::uint64_t of_both = seed_of(scenario, seed);
  verify::Json result;
  {
    const py::gil_scoped_release release;
    verify::Progress progress = interruptible();
    verify::add_provenance(result, scenario, of_both);
    result.update(second ? verify::explain(scenario, first, *second, of_both, progress).to_json()
                         : verify::explain(scenario, first, of_both, progress).to_json());
  }
  return to_python(result);
}

py::object verify_recorded(const std::vector<std::string>& scenarios, const std::string& designs, const std::string& machine, double limit,
                           bool breakdown) {
  if (!std::isfinite(limit) || limit < 0)
    throw InputError("limit: is " + std::string(py::str(py::float_(limit))) + "; must be a finite number, at least 0");
  verify::Json result;
  {
    const py::gil_scoped_release release;
    verify::Progress progress = interruptible();
    const verify::RecordedSelections recorded =
        scenarios.empty() ? verify::all_recordings(verify::recordings_folder(), designs, machine, progress)
                          : verify::find_recordings(verify::load_selections(scenarios, designs, machine, progress), !designs.empty(),
                                                    verify::recordings_folder());
    result = verify::verify_recorded(recorded, limit, breakdown, progress);
  }
  return to_python(result);
}

}  // namespace

void bind_reports(py::module_& module) {
  module.def("compare", &compare, py::arg("scenario"), py::arg("designs") = py::none(), py::kw_only(), py::arg("seed") = py::none(),
             py::arg("runs") = 1, "Which design is faster, and whether beyond noise: what `tasktwin compare --format json` prints.");
  module.def("explain", &explain, py::arg("scenario"), py::arg("a"), py::arg("b") = py::none(), py::kw_only(), py::arg("seed") = py::none(),
             "Why one design beats another, or where the time of one goes: what `tasktwin explain --format json` prints.");
  module.def("verify_recorded", &verify_recorded, py::arg("scenarios") = std::vector<std::string>{}, py::arg("designs") = "", py::kw_only(),
             py::arg("machine") = "", py::arg("limit") = 0.15, py::arg("breakdown") = false,
             "Predictions against recorded measurements: what `tasktwin verify --recorded --format json` prints.");
  module.def(
      "remarks", [](const Scenario& scenario, const Design& design) { return verify::remarks(scenario, design); }, py::arg("scenario"),
      py::arg("design"), "What the scenario states without effect under `design`.");
}

}  // namespace tasktwin::python
