#pragma once

#include <string>

#include <pybind11/pybind11.h>

#include "models/run/timeline.hpp"
#include "scenarios/load/scenario.hpp"

namespace pybind11::detail {

/// Of a class that is bound here: an object that `__new__` made and `__init__` did not is refused, not taken for one.
template <class Value>
class InitialisedCaster : public type_caster_base<Value> {
 public:
  bool load(handle source, bool convert) {
    if (!is_initialised(source)) throw type_error(std::string(Py_TYPE(source.ptr())->tp_name) + ": this object was never initialised");
    return type_caster_base<Value>::load(source, convert);
  }

 private:
  static bool is_initialised(handle source) {
    if (!source || !isinstance<Value>(source)) return true;
    values_and_holders parts(reinterpret_cast<instance*>(source.ptr()));
    for (const value_and_holder& part : parts) {
      if (!part) return false;
    }
    return true;
  }
};

template <>
class type_caster<tasktwin::Design> : public InitialisedCaster<tasktwin::Design> {};
template <>
class type_caster<tasktwin::Machine> : public InitialisedCaster<tasktwin::Machine> {};
template <>
class type_caster<tasktwin::TaskGraph> : public InitialisedCaster<tasktwin::TaskGraph> {};
template <>
class type_caster<tasktwin::Timeline> : public InitialisedCaster<tasktwin::Timeline> {};
template <>
class type_caster<tasktwin::scenarios::Scenario> : public InitialisedCaster<tasktwin::scenarios::Scenario> {};

}  // namespace pybind11::detail

namespace tasktwin::python {

/// What each file of this folder adds to the module, in an order in which signatures can name the classes.
void bind_ending(pybind11::module_& module);
void bind_errors(pybind11::module_& module);
void bind_policies(pybind11::module_& module);
void bind_designs(pybind11::module_& module);
void bind_machines(pybind11::module_& module);
void bind_graphs(pybind11::module_& module);
void bind_scenarios(pybind11::module_& module);
void bind_timelines(pybind11::module_& module);
void bind_simulation(pybind11::module_& module);
void bind_estimates(pybind11::module_& module);
void bind_reports(pybind11::module_& module);
/// Each function that is bound so far then refuses keywords that are no valid text.
void check_keywords(pybind11::module_& module);

/// Throws InputError, said of `path`, where `text` is no name that a file could have for a scenario or a design of one's own.
void check_name(const std::string& text, const std::string& path);

/// A design, or the name of one: the scenario's own or a named one. Throws InputError, said of `argument`.
/// Contract: `scenario` is a Scenario.
Design chosen(const pybind11::object& scenario, const pybind11::handle& given, const std::string& argument);

}  // namespace tasktwin::python
