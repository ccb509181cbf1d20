#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "tests/verify/support/cases.hpp"
#include "verify/predict/prediction.hpp"

namespace tasktwin::tests {

inline std::string case_file(const std::string& name) { return "tests/data/cases/" + name + ".yaml"; }

inline scenarios::Scenario load_case(const std::string& name) { return scenarios::load_scenario(case_file(name)); }

inline scenarios::Scenario scenario_of(std::string_view text) {
  const TemporaryFolder folder;
  write_text(folder / "case.yaml", text);
  return scenarios::load_scenario((folder / "case.yaml").string());
}

inline const Design& design_of(const scenarios::Scenario& scenario, std::string_view name) {
  const auto found = std::ranges::find(scenario.designs, name, &Design::name);
  if (found == scenario.designs.end()) throw InputError("no design of that name");
  return *found;
}

inline TaskId task_named(const TaskGraph& graph, std::string_view name) {
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (graph.name(task_id(i)) == name) return task_id(i);
  }
  throw InputError("no task of that name");
}

inline Timeline timeline_of(const scenarios::Scenario& scenario, std::string_view design) {
  return verify::predict(scenario, design_of(scenario, design), scenario.seed).timeline;
}

inline Duration makespan_of(const scenarios::Scenario& scenario, std::string_view design) {
  return verify::predict_makespan(scenario, design_of(scenario, design), scenario.seed);
}

}  // namespace tasktwin::tests
