#pragma once

#include <string>

#include <pybind11/pybind11.h>

#include "scenarios/load/scenario.hpp"

namespace tasktwin::python {

/// What each file of this folder adds to the module, in an order in which signatures can name the classes.
void bind_errors(pybind11::module_& module);
void bind_designs(pybind11::module_& module);
void bind_machines(pybind11::module_& module);
void bind_graphs(pybind11::module_& module);
void bind_scenarios(pybind11::module_& module);
void bind_timelines(pybind11::module_& module);
void bind_simulation(pybind11::module_& module);
void bind_reports(pybind11::module_& module);

/// A design, or the name of one: the scenario's own or a named one. Throws InputError, said of `argument`.
Design chosen(const scenarios::Scenario& scenario, const pybind11::handle& given, const std::string& argument);

}  // namespace tasktwin::python
