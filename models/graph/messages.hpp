#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/graph/operation.hpp"
#include "models/graph/told_edges.hpp"

namespace tasktwin {

/// What tasks tell each other under Notification::kMessage. A message comes in pieces of 16 bytes, the last four of which are its flag, so
/// that who sees the flag has the others. A task whose result leaves nothing else in memory has it in its message; any other fences before
/// its message, of one piece, which is then a flag: tasks that count down an event, that hand over more than kMostMessageBytes, or whose
/// kernel moves memory.
class Messages {
 public:
  static constexpr std::int64_t kPieceBytes = 12;
  static constexpr std::int64_t kMostPieces = 32;  ///< a lane's each
  static constexpr std::int64_t kMostMessageBytes = kMostPieces * kPieceBytes;

  Messages(const TaskGraph& graph, const ToldEdges& told) : pieces_(graph.size(), 1), has_result_(graph.size()) {
    std::vector<std::int64_t> bytes = bytes_told(graph, told);
    for (std::size_t i = 0; i < graph.size(); ++i) {
      has_result_[i] = bytes[i] <= kMostMessageBytes && !leaves_memory(graph, task_id(i));
      if (has_result_[i]) pieces_[i] = static_cast<std::uint32_t>(std::max<std::int64_t>(1, (bytes[i] + kPieceBytes - 1) / kPieceBytes));
    }
  }

  bool has_result(TaskId task) const { return has_result_[index(task)]; }
  const std::vector<bool>& results() const { return has_result_; }
  std::uint32_t pieces(TaskId task) const { return pieces_[index(task)]; }

 private:
  /// By TaskId: the most bytes that one of the tasks that it tells gets.
  static std::vector<std::int64_t> bytes_told(const TaskGraph& graph, const ToldEdges& told) {
    std::vector<std::int64_t> bytes(graph.size());
    for (std::size_t i = 0; i < graph.size() && graph.has_edge_bytes(); ++i) {
      const auto inputs = graph.input_bytes(task_id(i));
      const auto before = graph.predecessors(task_id(i));
      for (std::size_t k = 0; k < before.size(); ++k) {
        if (told.has(before[k], task_id(i))) bytes[index(before[k])] = std::max(bytes[index(before[k])], inputs[k]);
      }
    }
    return bytes;
  }

  static bool leaves_memory(const TaskGraph& graph, TaskId task) {
    const Task& of = graph[task];
    const bool computes = of.kernel == Kernel::kEmpty || of.kernel == Kernel::kSpin || of.kernel == Kernel::kFma;
    return of.operation != Operation::kKernel || !computes || of.cost.bytes.count > 0 ||
           std::ranges::any_of(graph.successors(task), [&graph](TaskId after) { return graph[after].operation == Operation::kEvent; });
  }

  std::vector<std::uint32_t> pieces_;  ///< by TaskId
  std::vector<bool> has_result_;       ///< by TaskId
};

}  // namespace tasktwin
