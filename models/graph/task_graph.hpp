#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/base/ids.hpp"
#include "models/base/names.hpp"
#include "models/base/units.hpp"
#include "models/graph/kernel.hpp"
#include "models/graph/operation.hpp"
#include "models/graph/problem.hpp"

namespace tasktwin {

/// The kind of core a task needs. A task of type `mix` occupies cores of one cluster, all of them unless TaskTraits says how many of each
/// type; no core is of that type.
enum class CoreType : std::uint8_t { kSm, kAic, kAiv, kMix };

template <>
struct Words<CoreType> {
  static constexpr std::array entries{
      std::pair{CoreType::kSm, std::string_view{"sm"}},
      std::pair{CoreType::kAic, std::string_view{"aic"}},
      std::pair{CoreType::kAiv, std::string_view{"aiv"}},
      std::pair{CoreType::kMix, std::string_view{"mix"}},
  };
};

inline constexpr std::size_t kCoreTypeCount = Words<CoreType>::entries.size();

/// Sets of types are words with a bit for each.
constexpr std::uint32_t bit_of(CoreType type) { return 1u << static_cast<unsigned>(type); }

/// What a body costs, for a task of several blocks each of them. How time, flops and bytes combine on a machine: models/cost/body_cost.hpp.
struct Cost {
  Duration time{};  ///< fixed time; the mean where sigma is given
  Flops flops{};
  Bytes bytes{};               ///< moved through the shared device memory
  std::uint32_t sigma_ns = 0;  ///< standard deviation of time; 0 for a time that never varies
};

/// Of a task that the design places (Design::device_placement).
inline constexpr std::int32_t kAnyDevice = -1;

/// What only some tasks have, shared by all that have the same.
struct TaskTraits {
  int blocks = 1;                           ///< SPMD width: cores it occupies; on streams, blocks of its grid
  int threads = 0;                          ///< a block
  int registers = 0;                        ///< a thread
  std::int64_t shared_memory = 0;           ///< bytes a block
  int carveout = -1;                        ///< per cent of a core's largest shared memory that its kernel prefers; -1 for none
  int cluster = 1;                          ///< blocks that start together, close to each other
  double probability = 1;                   ///< that its predicate holds: its body runs, and the tasks it spawns come to be
  std::vector<Duration> samples = {};       ///< its body's times as they were observed: one of them is drawn, in place of Cost::time
  std::optional<CoreType> other_type = {};  ///< it may run on a core of this type as well,
  Duration other_time{};                    ///< and then takes this time in place of Cost's time and flops
  bool pageable = false;                    ///< the host's end of a copy is pageable memory, not pinned
  int stream = 0;                           ///< the stream that it asks to be ordered in; how many there are: Design::streams
  int aic = 0;                              ///< of a `mix` task: cores of type `aic` that it takes of a cluster
  int aiv = 0;                              ///< likewise; the whole cluster where both are 0
  std::vector<Duration> parts = {};     ///< of a `mix` task: a time for each of those cores, matrix cores first; Cost::time is the longest
  std::vector<std::int32_t> uses = {};  ///< numbers of the buffers that it reads or writes, ascending
  int shard = -1;                       ///< which part of a split operation it is, for device_placement `hinted`; -1 for none
  std::string kind = {};                ///< what tables and pictures call its body in place of its kernel; empty for the kernel's name
  Duration estimate{-1};                ///< of its time, what schedulers plan with in place of what it takes; below 0 for none
  std::int64_t output = 0;              ///< bytes of the heap ring that it holds from its submission until it is retired
  int scope = 0;                        ///< its tasks are not retired before all of them are submitted; 0 for none
  int co_resident = 0;                  ///< group of kernels that wait for each other while they run; 0 for none
  bool cooperative = false;             ///< no block of its grid starts before there is room for all of them at once
  int split_of = 0;                     ///< tasks that it is one of, which share what other devices bring; 0 for none
  Duration prologue{};                  ///< of a block, before its body: work that needs no predecessor (models/cost/prologue.hpp)
  std::int64_t prologue_bytes = 0;      ///< that it reads meanwhile
  std::optional<std::array<std::int32_t, 2>> workers = {};      ///< the first and the last of those whose lists it may be in
  std::optional<std::array<std::int32_t, 2>> spawn_count = {};  ///< of the tasks it spawns that many come to be, drawn between these
  friend auto operator<=>(const TaskTraits&, const TaskTraits&) = default;
};

/// One task without its name, which the graph keeps apart.
struct Task {
  Cost cost{};
  std::array<std::int32_t, 4> args{};  ///< what they mean: models/graph/kernel.hpp, models/graph/operation.hpp
  std::int32_t priority = 0;           ///< higher first, under the task order `priority`
  std::int32_t layer = 0;              ///< the step, wave or level it belongs to, as its generator counts them
  Kernel kernel = Kernel::kSpin;
  CoreType core_type = CoreType::kSm;
  Operation operation = Operation::kKernel;
  std::uint32_t traits = 0;          ///< TaskGraphBuilder::add_traits; 0 for a task that has none
  std::int32_t device = kAnyDevice;  ///< that it runs on; of a copy_p2p, that it comes from
};

/// One direction of a graph's edges in compressed sparse rows: those of task i are targets[offsets[i]] up to targets[offsets[i + 1]],
/// ascending.
struct EdgeRows {
  std::vector<std::uint32_t> offsets{0};  ///< one more than there are tasks
  std::vector<std::uint32_t> targets;

  std::span<const std::uint32_t> operator[](TaskId id) const {
    return std::span(targets).subspan(offsets[index(id)], offsets[index(id) + 1] - offsets[index(id)]);
  }
};

struct SmallEdits;  // models/graph/small_edits.hpp

/// A directed acyclic graph of tasks, frozen: tasks and both directions of every edge in compressed sparse rows,
/// under 100 bytes a task plus 8 an edge.
class TaskGraph {
  static auto row(const EdgeRows& rows, TaskId id) {
    return rows[id] | std::views::transform([](std::uint32_t target) { return TaskId{target}; });
  }

 public:
  TaskGraph() = default;

  std::size_t size() const { return tasks_.size(); }
  std::size_t edge_count() const { return successors_.targets.size(); }
  const Task& operator[](TaskId id) const { return tasks_[index(id)]; }
  std::span<const Task> tasks() const { return tasks_; }
  std::string_view name(TaskId id) const;
  const Problem& problem() const { return problem_; }
  /// The name of the buffer with that number (models/graph/operation.hpp); empty where it has none.
  std::string_view buffer_name(std::int32_t number) const;
  /// The name of a task's body in tables and pictures: its kind, or the name of its kernel.
  std::string_view kernel_name(TaskId id) const;

  /// Ranges of TaskId, ascending.
  auto successors(TaskId id) const { return row(successors_, id); }
  auto predecessors(TaskId id) const { return row(predecessors_, id); }
  std::size_t in_degree(TaskId id) const { return row(predecessors_, id).size(); }
  std::size_t out_degree(TaskId id) const { return row(successors_, id).size(); }

  const TaskTraits& traits(TaskId id) const { return traits_[tasks_[index(id)].traits]; }
  /// All that tasks may have, each once.
  std::span<const TaskTraits> all_traits() const { return traits_; }
  /// The task at whose end this one is created; it is one of the predecessors.
  std::optional<TaskId> spawner(TaskId id) const;
  /// Of what is drawn for a task, with the seed: its id, or that in the graph that it was copied from (graph_copy.hpp), so that a task
  /// meets the same draws whatever stands beside it.
  std::uint32_t draw(TaskId id) const { return draws_.empty() ? static_cast<std::uint32_t>(index(id)) : draws_[index(id)]; }
  /// Bytes that come with each edge into `id`, as predecessors(id) goes; empty where no edge of the graph has bytes.
  std::span<const std::int64_t> input_bytes(TaskId id) const;
  bool has_edge_bytes() const { return !input_bytes_.empty(); }
  bool has_wide_tasks() const { return wide_; }  ///< of several blocks, or `mix`
  bool has_prologues() const;                    ///< whether some task does work before it needs its predecessors
  bool has_one_core_type() const;                ///< whether every task can run on that one alone
  bool has_predicates() const { return predicates_; }
  bool has_spawns() const { return !spawners_.empty(); }
  bool has_operations() const { return operations_; }  ///< other than kernels
  bool has_collectives() const { return collectives_; }
  /// One more than the highest that a task names; 1 where none does.
  int devices() const { return devices_; }

  /// Every task after all its predecessors; among the ready the lowest id first.
  const std::vector<TaskId>& topological_order() const { return topological_order_; }

  /// The rows themselves, for upload to a device.
  const EdgeRows& predecessor_rows() const { return predecessors_; }

  /// The same graph with these priorities, by TaskId. Contract: one for each task.
  TaskGraph with_priorities(std::span<const std::int32_t> priorities) const;

  /// The same graph with these devices, by TaskId. Contract: one for each task.
  TaskGraph with_devices(std::span<const std::int32_t> devices) const;

  /// Heap bytes held.
  std::size_t memory_bytes() const;

 private:
  friend class TaskGraphBuilder;
  friend TaskGraph with_edits(const TaskGraph& graph, const SmallEdits& edits);

  std::vector<Task> tasks_;
  std::string name_pool_;
  std::vector<std::uint32_t> name_ends_;
  EdgeRows successors_;
  EdgeRows predecessors_;
  std::vector<TaskId> topological_order_;
  std::vector<TaskTraits> traits_{TaskTraits{}};
  std::vector<std::uint32_t> spawners_;    ///< by TaskId, kNoSpawner for none; empty where no task is spawned
  std::vector<std::uint32_t> draws_;       ///< by TaskId; empty where each has its id
  std::vector<std::int64_t> input_bytes_;  ///< as predecessors_; empty where no edge has bytes
  bool wide_ = false;
  bool predicates_ = false;
  bool operations_ = false;
  bool collectives_ = false;
  int devices_ = 1;
  std::vector<std::string> buffer_names_;  ///< by number less 1
  Problem problem_;
};

/// Collects tasks and edges in any order and freezes them.
class TaskGraphBuilder {
 public:
  /// Contract: names are unique; readers of files check that.
  TaskId add_task(std::string_view name, const Task& task);
  /// `bytes` come out of shared memory unless both tasks run on one core.
  void add_edge(TaskId from, TaskId to, Bytes bytes = {});
  /// For Task::traits; the same for equal ones.
  std::uint32_t add_traits(const TaskTraits& traits);
  /// `child` is created when `parent` ends; adds the edge. Contract: once a child.
  void set_spawner(TaskId child, TaskId parent);
  /// TaskGraph::draw; of a task without it, in a graph where others have it, a number that none of these has.
  void set_draw(TaskId id, std::uint32_t draw);
  void set_problem(const Problem& problem) { graph_.problem_ = problem; }
  /// By number less 1.
  void name_buffers(std::vector<std::string> names) { graph_.buffer_names_ = std::move(names); }
  std::size_t size() const { return graph_.size(); }

  /// Throws InputError naming the cycle as a path of task names, if there is one; a repeated edge counts once, with
  /// the most bytes given for it.
  TaskGraph build() &&;

 private:
  struct EdgeBytes {
    std::uint32_t to;
    std::uint32_t from;
    std::int64_t bytes;
  };

  void set_rows();
  void set_kinds();
  void set_draws();
  void set_input_bytes();

  TaskGraph graph_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges_;  ///< from, to
  std::map<TaskTraits, std::uint32_t> traits_index_{{TaskTraits{}, 0}};
  std::vector<std::pair<std::uint32_t, std::uint32_t>> spawners_;  ///< child, parent
  std::vector<EdgeBytes> edge_bytes_;
};

}  // namespace tasktwin
