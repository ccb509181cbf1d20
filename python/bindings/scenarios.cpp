#include "scenarios/load/scenario.hpp"

#include <vector>

#include <pybind11/stl.h>

#include "python/bindings/apart.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/values.hpp"
#include "scenarios/document/characters.hpp"
#include "scenarios/document/document.hpp"
#include "scenarios/files/quoted.hpp"
#include "scenarios/load/assemble.hpp"
#include "scenarios/load/scenario_document.hpp"

namespace tasktwin::python {

namespace py = pybind11;
using scenarios::Scenario;

void check_name(const std::string& text, const std::string& path) {
  if (scenarios::is_name(text)) return;
  throw InputError(path + ": is " + scenarios::in_quotes(text) + "; must be " + std::string(scenarios::kNameForm) + ", at most 100 bytes");
}

namespace {

Scenario assembled(const std::string& name, const py::object& graph, const py::object& machine, const std::vector<Design>& designs,
                   std::uint64_t seed) {
  check_name(name, "name");
  const auto& of = instance<TaskGraph>(graph, "Graph", "graph");
  const auto& on = instance<Machine>(machine, "Machine", "machine");
  for (std::size_t i = 0; i < designs.size(); ++i) check_name(designs[i].name, "designs[" + std::to_string(i) + "].name");
  return without_lock(of.size() + of.edge_count() > kLongWork,
                      [=, kept_graph = graph, kept_machine = machine, &of, &on](const Interrupted&) {
                        return scenarios::assemble(name, of, on, designs, seed);
                      });
}

}  // namespace

void bind_scenarios(py::module_& module) {
  py::class_<Scenario>(module, "Scenario", "One task graph on one machine under one or more designs.")
      .def(py::init(&assembled), py::arg("name"), py::arg("graph"), py::arg("machine"), py::arg("designs"), py::arg("seed") = 1)
      .def_static(
          "from_dict",
          [](const py::dict& document) {
            scenarios::Document whole{.file = {}, .root = to_node(document, "")};
            return without_lock(true, [whole = std::move(whole)](const Interrupted&) { return scenarios::scenario_from(whole); });
          },
          py::arg("document"), "Of what a scenario file would hold.")
      .def_readonly("name", &Scenario::name)
      .def_readonly("description", &Scenario::description)
      .def_readonly("question", &Scenario::question)
      .def_readonly("finding", &Scenario::finding)
      .def_readonly("graph", &Scenario::graph)
      .def_readonly("machine", &Scenario::machine)
      .def_readonly("machine_file", &Scenario::machine_file)
      .def_readonly("machine_hash", &Scenario::machine_hash)
      .def_readonly("designs", &Scenario::designs)
      .def_readonly("replays", &Scenario::replays, "By design: the timeline that placement `replay` follows.")
      .def_readonly("seed", &Scenario::seed)
      .def("__repr__", [](const Scenario& scenario) {
        return "<Scenario '" + scenario.name + "': " + std::to_string(scenario.graph.size()) + " tasks on " + scenario.machine.name + ">";
      });
  module.def(
      "load_scenario",
      [](const std::string& path_or_name, const std::vector<std::string>& overrides) {
        return without_lock(true, [=](const Interrupted&) { return scenarios::load_scenario(path_or_name, overrides); });
      },
      py::arg("path_or_name"), py::arg("overrides") = std::vector<std::string>{},
      "A scenario file, or the shipped scenario of that name, changed by texts such as 'graph.time_ns=500'.");
  module.def("shipped_scenarios", &scenarios::shipped_scenarios);
}

}  // namespace tasktwin::python
