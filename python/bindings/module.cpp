#include "python/bindings/bindings.hpp"

#include <string>

#include "verify/system/version.hpp"

PYBIND11_MODULE(_core, module) {
  using namespace tasktwin::python;
  module.attr("__version__") = std::string(tasktwin::verify::version());
  module.attr("__commit__") = std::string(tasktwin::verify::commit());
  bind_ending(module);
  bind_errors(module);
  bind_policies(module);
  bind_designs(module);
  bind_machines(module);
  bind_graphs(module);
  bind_scenarios(module);
  bind_timelines(module);
  bind_simulation(module);
  bind_estimates(module);
  bind_reports(module);
  check_keywords(module);
}
