#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/cost/prefetch.hpp"
#include "models/machine/mechanisms/page_loads.hpp"
#include "sim/cores/bodies.hpp"
#include "sim/cores/body_costs.hpp"
#include "sim/engine/run_context.hpp"

namespace tasktwin::sim {

/// The loaders of resident cores: each brings the constant inputs of its core's tasks into a ring of pages, one task after the other in the
/// order of the core's list, and no earlier than
///   the core comes to the task that is `ahead` places before it in the list, and
///   there is room: pages hold what has come for tasks whose bodies have not begun. A body that has begun reads faster than memory brings.
/// A loader draws its bytes at PageLoads::load_bandwidth when alone, and shares the memory as bodies of the task's kernel do.
class PageLoads {
 public:
  /// `lists`: of each core. Loaders are runners of `bodies` after the cores themselves.
  PageLoads(const WiringInputs& inputs, const std::vector<std::vector<TaskId>>& lists, Bodies& bodies, const MemoryPaths& paths);

  /// Bytes of the task that come by pages.
  Bytes bytes(TaskId task) const { return bytes_[index(task)]; }
  /// Of those that its body costs otherwise, what it is spared.
  Bytes spared(TaskId task) const { return spared_[index(task)]; }
  /// How long a body takes at least that finds all of them.
  Duration reading(TaskId task) const;
  Duration hop() const { return hop_; }

  /// The core has come to the next task of its list.
  void come_to_next(CoreId core, TimePoint now);
  /// The body of `task` begins.
  void begin(CoreId core, TaskId task, TimePoint now);
  /// When all of its bytes had come; kAbsent if some have not.
  TimePoint loaded(TaskId task) const { return loaded_[index(task)]; }

  /// A piece has come. Returns the task if that was its last.
  std::optional<TaskId> piece_came(CoreId core, TimePoint now);

 private:
  struct Loader {
    std::vector<TaskId> list;
    std::size_t next = 0;        ///< in the list: the task that it loads for, or will
    std::size_t come_to = 0;     ///< tasks of the list that the core has come to
    std::int64_t left = 0;       ///< bytes of that task that have not been asked for
    std::int64_t under_way = 0;  ///< bytes of the piece that is
    std::int64_t held = 0;       ///< bytes in pages, or on their way there, for tasks that have not begun
  };

  void start_task(Loader& loader);
  void go_on(CoreId core, TimePoint now);

  Bodies& bodies_;
  const MemoryPaths& paths_;
  std::int64_t room_;
  std::size_t ahead_;
  double load_bandwidth_;
  std::vector<double> read_bandwidth_;  ///< by TaskId
  std::vector<double> traffic_;         ///< by TaskId: KernelCost::traffic
  Duration hop_;
  std::vector<Bytes> bytes_;        ///< by TaskId
  std::vector<Bytes> spared_;       ///< by TaskId
  std::vector<std::int64_t> held_;  ///< by TaskId: its part of Loader::held
  std::vector<bool> begun_;         ///< by TaskId
  std::vector<TimePoint> loaded_;   ///< by TaskId
  std::vector<Loader> loaders_;     ///< by CoreId
};

}  // namespace tasktwin::sim
