#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "models/design/design.hpp"
#include "models/graph/task_graph.hpp"
#include "models/run/timeline.hpp"

namespace tasktwin::sim {

/// A task of the tests' small graphs.
struct SmallTask {
  std::string name;
  std::int64_t time_ns = 0;
  std::int64_t bytes = 0;
  CoreType type = CoreType::kSm;
};

/// Edges by position in `tasks`.
TaskGraph small_graph(const std::vector<SmallTask>& tasks, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& edges = {});

/// `count` tasks of that time, without edges.
TaskGraph independent(int count, std::int64_t time_ns);

/// A hub and `leaves` behind it, of these times.
TaskGraph star(std::uint32_t leaves, std::int64_t hub_ns = 10, std::int64_t leaf_ns = 100);

/// By TaskId, in ns.
std::vector<std::int64_t> times(const Timeline& timeline, TimePoint TaskTimes::*phase);

/// `cores` cores of type sm, one control core that takes none of them, every constant zero, no memory bandwidth.
Machine plain_machine(int cores);

/// The named design with mailbox depth `depth`.
Design with_depth(const std::string& design, int depth);

}  // namespace tasktwin::sim
