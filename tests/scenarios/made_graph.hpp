#pragma once

#include <gtest/gtest.h>

#include <set>
#include <string_view>

#include "models/program/buffers.hpp"
#include "scenarios/generators/generators.hpp"

namespace tasktwin::scenarios {

/// What a generator makes of those parameters: as many tasks and edges as it says beforehand, names of their own, buffers that are
/// allocated and freed in order.
inline TaskGraph made(std::string_view name, const GivenParameters& given) {
  const Generator& chosen = generator(name);
  const GraphSize size = chosen.plan(given).size;
  TaskGraph graph = generate(chosen, given, 7);
  EXPECT_EQ(static_cast<std::int64_t>(graph.size()), size.tasks) << size.formula;
  EXPECT_EQ(static_cast<std::int64_t>(graph.edge_count()), size.edges) << size.formula;
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < graph.size(); ++i) names.insert(graph.name(task_id(i)));
  EXPECT_EQ(names.size(), graph.size());
  const auto fault = buffer_fault(graph);
  EXPECT_FALSE(fault) << fault->why;
  return graph;
}

}  // namespace tasktwin::scenarios
