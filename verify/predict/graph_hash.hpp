#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "models/graph/task_graph.hpp"

namespace tasktwin::verify {

/// FNV-1a, 64 bits (Fowler, Noll, Vo 1991).
class Fnv1a {
 public:
  void add(std::string_view bytes);
  /// Eight bytes, lowest first on every machine.
  void add(std::int64_t value);
  /// 16 hexadecimal digits.
  std::string to_string() const;

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325ull;
};

/// Of what an executor runs: tasks (kernel, core type, cost, arguments, priority), edges and the problem's dimensions;
/// not their names.
std::string graph_hash(const TaskGraph& graph);

}  // namespace tasktwin::verify
