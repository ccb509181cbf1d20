#pragma once

#include <pybind11/pybind11.h>

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

}  // namespace tasktwin::python
