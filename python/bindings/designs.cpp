#include "models/design/design.hpp"

#include <optional>
#include <string>

#include <pybind11/operators.h>
#include <pybind11/stl.h>

#include "models/base/error.hpp"
#include "models/policies/own_policies.hpp"
#include "models/runtimes/runtimes.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/callables.hpp"
#include "python/bindings/values.hpp"
#include "scenarios/designs/designs.hpp"
#include "scenarios/designs/stated_parts.hpp"
#include "scenarios/designs/stated_sets.hpp"
#include "verify/output/text/json.hpp"

namespace tasktwin::python {

namespace py = pybind11;

namespace {

bool is_named(const std::string& name) {
  for (const Design& named : named_designs()) {
    if (named.name == name) return true;
  }
  return false;
}

Design changed(Design design, const py::kwargs& axes) {
  for (const auto& [axis, value] : axes) {
    const std::string name = text_of(axis, "an axis");
    if (py::isinstance<Policy>(value)) {
      set_own(design, name, py::cast<const Policy&>(value).own);
      continue;
    }
    scenarios::set_axis(design, name, to_node(value, name));
  }
  return design;
}

Design make(const std::string& name, const std::optional<std::string>& base, const py::kwargs& axes) {
  if (is_named(name) && !base && axes.empty()) return named_design(name);
  if (is_named(name)) throw InputError("name: '" + name + "' is a named design; a design of your own needs a name of its own");
  if (!base && axes.empty()) named_design(name);  // throws: a design of that name alone is none
  check_name(name, "name");
  Design design = base ? named_design(*base) : Design{};
  design.name = name;
  return changed(std::move(design), axes);
}

py::object value_of(const Design& design, const std::string& axis) {
  if (axis == "replay") return py::str(design.replay);
  if (axis == "parts") return to_python(scenarios::design_parts_to_json(design.parts));
  if (axis == "sets") return to_python(scenarios::design_sets_to_json(design.sets));
  const AxisField& field = axis_named(axis);
  return field.is_word() ? py::object(py::str(field.text(design))) : py::object(py::int_(design.*field.number));
}

py::dict axes_of(const Design& design) { return to_python(verify::design_to_json(design)); }

/// Every axis with its meaning, and its words with theirs or its range.
py::dict describe_axes() {
  using namespace py::literals;
  py::dict axes;
  for (const AxisField& axis : axis_fields()) {
    const std::string name(axis.name);
    py::dict described("meaning"_a = std::string(axis.meaning), "default"_a = value_of({}, name));
    if (axis.is_word()) {
      py::dict words;
      for (std::size_t i = 0; i < axis.words.size(); ++i) words[py::str(std::string(axis.words[i]))] = std::string(axis.meanings[i]);
      described["values"] = words;
    } else {
      described["min"] = axis.min;
      described["max"] = axis.max;
    }
    axes[py::str(name)] = described;
  }
  return axes;
}

}  // namespace

void bind_designs(py::module_& module) {
  py::class_<Design>(module, "Design", "Every choice that a runtime's author makes, each an axis. A value: `replace` gives a changed one.")
      .def(py::init(&make), py::arg("name"), py::arg("base") = py::none(),
           "The named design `name`; or one of your own, from the named design `base` or the default of every axis, with the axes given.")
      .def_readonly("name", &Design::name)
      .def_property_readonly("axes", &axes_of, "All axes and their values.")
      .def_property_readonly(
          "policies",
          [](const Design& design) {
            py::dict policies;
            for (const AxisField& axis : axis_fields()) {
              if (const OwnPolicy* const policy = axis.own_policy(design))
                policies[py::str(std::string(axis.name))] = Policy{std::string(axis.name), *policy};
            }
            return policies;
          },
          "Policies of one's own, by axis.")
      .def("__getitem__", &value_of, py::arg("axis"))
      .def(
          "__getattr__",
          [](const Design& design, const std::string& name) {
            try {
              return value_of(design, name);
            } catch (const InputError& wrong) {
              throw py::attribute_error(wrong.what());
            }
          },
          py::arg("axis"))
      .def(
          "replace",
          [](const Design& design, const std::optional<std::string>& name, const py::kwargs& axes) {
            Design other = changed(design, axes);
            if (!name) return other;
            check_name(*name, "name");
            other.name = *name;
            if (is_named(*name) && !(other == named_design(*name)))
              throw InputError("name: '" + *name + "' is a named design; a design of your own needs a name of its own");
            return other;
          },
          py::arg("name") = py::none(), "The same with some axes changed.")
      .def(py::self == py::self)
      .def("__hash__", [](const Design& design) { return py::hash(py::str(design.name)); })
      .def("__repr__", [](const Design& design) {
        std::string text = "Design('" + design.name + "'";
        const Design plain;
        for (const AxisField& axis : axis_fields()) {
          if (axis.text(design) != axis.text(plain)) text += ", " + std::string(axis.name) + "=" + axis.quoted(design);
        }
        return text + ")";
      });
  module.def(
      "named_designs",
      [] {
        py::dict designs;
        for (std::size_t i = 0; i < named_designs().size(); ++i)
          designs[py::str(named_designs()[i].name)] = std::string(named_design_meanings()[i]);
        return designs;
      },
      "The named designs, with what each is.");
  module.def("axes", &describe_axes, "Every axis of a design: its meaning, default, and values or range.");
}

}  // namespace tasktwin::python
