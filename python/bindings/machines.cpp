#include "models/machine/machine.hpp"

#include <pybind11/stl.h>
#include <nlohmann/json.hpp>

#include "models/base/error.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/values.hpp"
#include "scenarios/document/scalar.hpp"
#include "scenarios/load/scenario.hpp"
#include "scenarios/load/scenario_schema.hpp"
#include "scenarios/machine_files/machine_file.hpp"
#include "scenarios/schema/schema_faults.hpp"

namespace tasktwin::python {

namespace py = pybind11;

namespace {

Machine changed(const Machine& machine, const py::dict& changes) {
  scenarios::Node node = to_node(changes, "machine");
  node.keys.push_back({"from"});
  node.items.push_back(scenarios::text_node(machine.name));
  const nlohmann::json& root = scenarios::scenario_schema().json();
  scenarios::require(root, root["properties"]["machine"], node, "machine");
  Machine other = machine;
  scenarios::apply_changes(other, {}, node, "program");
  return other;
}

double constant(const Machine& machine, const std::string& key) {
  std::vector<std::string_view> keys;
  for (const ConstantField* field : constants_of(machine)) {
    if (field->key == key) return field->get(machine);
    keys.push_back(field->key);
  }
  const auto near = nearest_word(key, keys);
  throw InputError("machine '" + machine.name + "' has no constant '" + key + "'" +
                   (near ? "; did you mean '" + std::string(*near) + "'?" : ""));
}

}  // namespace

void bind_machines(py::module_& module) {
  py::class_<Machine>(module, "Machine", "Cores, limits, and the mechanisms that the hardware has, with their constants.")
      .def_readonly("name", &Machine::name)
      .def_readonly("description", &Machine::description)
      .def_property_readonly("core_count", &Machine::core_count)
      .def_property_readonly(
          "constants",
          [](const Machine& machine) {
            py::dict constants;
            for (const ConstantField* field : constants_of(machine)) constants[py::str(field->key)] = field->get(machine);
            return constants;
          },
          "By key, such as 'streams.gap_ns'.")
      .def("__getitem__", &constant, py::arg("key"))
      .def("changed", &changed, py::arg("changes"),
           "The same with changes as a scenario's `machine` states them, such as {'streams': {'gap_ns': 500}}.")
      .def("to_yaml", &scenarios::machine_to_yaml, "A machine file of it.")
      .def("__repr__",
           [](const Machine& machine) { return "<Machine '" + machine.name + "': " + std::to_string(machine.core_count()) + " cores>"; });
  module.def("load_machine", &scenarios::load_machine, py::arg("path_or_name"), "A machine file, or the shipped machine of that name.");
  module.def("shipped_machines", &scenarios::shipped_machines);
}

}  // namespace tasktwin::python
