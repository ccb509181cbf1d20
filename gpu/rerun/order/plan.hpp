#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/rerun/order/steps.hpp"

namespace tasktwin::gpu::rerun {

/// Where, after what and how urgently an operation of an iteration is given to the device.
struct PlannedOperation {
  int operation = 0;         ///< its number in the order of the program's calls
  std::string kind{};        ///< kernel, copy, memset: what it must be
  std::uint64_t blocks = 0;  ///< that a kernel's grid has at least, likewise
  int stream = 0;            ///< from 0; counts only where streams are launched into
  int priority = 0;          ///< of a kernel, as CUDA counts: lower is more urgent
  std::vector<int> after{};  ///< operations that it waits for: they come before it in the plan
  friend bool operator==(const PlannedOperation&, const PlannedOperation&) = default;
};

/// How an iteration is to be run: as a CUDA graph, or over streams, in the order of `operations`, each of which occurs once.
struct Plan {
  bool graph = true;
  std::vector<PlannedOperation> operations{};

  /// By operation, not by place.
  Edges edges() const;
  std::size_t streams() const;
  friend bool operator==(const Plan&, const Plan&) = default;
};

/// What is wrong with it, empty where nothing is: an operation that is missing, occurs twice, or waits for one that does not come before.
std::string fault_of(const Plan& plan);

/// As the command hands it to the library: a line for each operation, after one that says "graph" or "streams". parse_plan throws
/// std::invalid_argument with the line.
std::string to_lines(const Plan& plan);
Plan parse_plan(std::string_view text);

/// The calls that run it over streams, with a record and a wait for each edge between two of them that nothing else implies.
std::vector<Step> steps_of(const Plan& plan);

}  // namespace tasktwin::gpu::rerun
