#pragma once

#include <cstdint>
#include <vector>

#include "models/graph/task_graph.hpp"
#include "scenarios/importers/trace/selected_run.hpp"

namespace tasktwin::scenarios {

/// The run's; null where the file does not say how many multiprocessors it has.
const TraceDevice* device_of(const TraceRun& run);

/// A kernel as it takes up the device for its whole time: at most a block a multiprocessor, in place of those that were side by side
/// there. One of more blocks than there is room for at a time leaves none: what is launched after it waits for its last ones, even where
/// there are threads left, as where a multiprocessor holds no more blocks. Without the device's properties, or a block's, it takes one
/// core.
TaskTraits traits_of(const TraceShape& shape, const TraceDevice* device);

/// How many multiprocessors each kernel had as it was captured, by task. One that can use all had those that kernels of other streams did
/// not hold beside it for a tenth of its time or more, without room for its blocks beside theirs. Of each other stream the widest counts,
/// and only kernels that leave some multiprocessors free; a quarter of them it had in any case. Of one that cannot use all the same counts
/// where the others leave half of them free.
class Widths {
 public:
  explicit Widths(const TraceRun& run);

  /// At most `blocks`.
  int of(std::uint32_t task, int blocks) const;

 private:
  int held_by(const std::vector<std::uint32_t>& others, std::uint32_t task) const;
  bool have_room_together(const TaskTraits& a, const TaskTraits& b) const;

  const TraceRun& run_;
  const TraceDevice* device_;
  std::vector<TaskTraits> traits_;                   ///< by task; empty where all kernels follow each other
  std::vector<std::vector<std::uint32_t>> streams_;  ///< of each the kernels that leave some free, by their ends
};

}  // namespace tasktwin::scenarios
